-- Which share of the top domains is closed to CCBot, by rules and by HTTP answers?
--
-- Unit: a ranked domain, by the robots.txt of the domain itself or of its www.
-- Denominator: the domains that answer (domains_answering), and those with rules (domains_with_rules).
-- By name: apart, as by_name, by_star and by_error.
-- Not for: top-k lists of fewer than 100 domains (domains_answering).
-- Needs: ranks.csv in the folder of the run.
--
-- by_name: the file has a group for CCBot that closes everything; by_star: the group for all does; by_error: 5xx,
-- which RFC 9309 reads as closed; refused: robots.txt answered 401 or 403, which RFC 9309 reads as open and a crawler
-- may read as a refusal. The top k are cumulative. Replace CCBot for another.

WITH tops AS (
    SELECT
        ranked_hosts.crawl,
        ranked_hosts.answers,
        top,
        ranked_hosts.robots_state,
        array_contains(ranked_hosts.agents_closed, 'CCBot') AS is_closed,
        array_contains(ranked_hosts.agents_named, 'CCBot') AS is_named,
        status_class
    FROM ranked_hosts
    JOIN (VALUES (1000), (10000), (100000), (1000000)) AS sizes (top) ON rank <= top
    JOIN hosts_answered
        ON hosts_answered.crawl = ranked_hosts.crawl AND hosts_answered.url_host_name = ranked_hosts.url_host_name
    WHERE ranked_hosts.agents_closed IS NOT NULL
),
counted AS (
    SELECT
        crawl,
        top,
        count(CASE WHEN answers THEN 1 END) AS domains_answering,
        count(CASE WHEN status_class = 'with rules' THEN 1 END) AS domains_with_rules,
        count(CASE WHEN robots_state = 'parsed' AND is_closed AND is_named THEN 1 END) AS by_name,
        count(CASE WHEN robots_state = 'parsed' AND is_closed AND NOT is_named THEN 1 END) AS by_star,
        count(CASE WHEN robots_state = 'unreachable' THEN 1 END) AS by_error,
        count(CASE WHEN status_class = 'forbidden' THEN 1 END) AS refused
    FROM tops
    GROUP BY crawl, top
)
SELECT
    crawl,
    top,
    by_name,
    round(100e0 * by_name / nullif(domains_answering, 0), 2) AS by_name_percent,
    by_star,
    round(100e0 * by_star / nullif(domains_answering, 0), 2) AS by_star_percent,
    by_error,
    refused,
    domains_answering,
    round(100e0 * by_name / nullif(domains_with_rules, 0), 2) AS by_name_percent_of_rules,
    domains_with_rules
FROM counted
ORDER BY crawl, top;
