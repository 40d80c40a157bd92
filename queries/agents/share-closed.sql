-- Which share of hosts closes GPTBot, by each denominator that is in use?
--
-- Unit: a host, once per crawl, http and https together.
-- Denominator: the hosts (hosts) of the row; use the recommended one: hosts that answer, that is with a robots.txt
-- that was read to its end (redirects followed) or is not there (4xx, open).
-- By name: apart, as by_name, by_star and by_error.
-- Not for: a trend: change/summary.sql compares the same hosts.
--
-- Closed: GPTBot may fetch nothing. Three ways, counted apart: the host names it (by_name, which alone is a decision
-- about GPTBot), has no group for it and closes everything to all (by_star), or its robots.txt could not be reached,
-- which RFC 9309 2.3.1.4 reads as closed (by_error; 5xx; no decision, and in no share). For another agent replace
-- GPTBot.

WITH each_host AS (
    SELECT
        crawl,
        robots_state,
        origin = robots_file_origin AS is_own_file,
        pages,
        agents_closed IS NOT NULL AS is_known,
        answers,
        coalesce(array_contains(agents_named, 'GPTBot'), false) AS is_named,
        coalesce(array_contains(agents_closed, 'GPTBot'), false) AS is_closed
    FROM hosts
),
counted AS (
    SELECT
        crawl,
        denominator,
        recommended,
        count(*) AS hosts,
        count(CASE WHEN is_closed AND robots_state <> 'unreachable' AND is_named THEN 1 END) AS by_name,
        count(CASE WHEN is_closed AND robots_state <> 'unreachable' AND NOT is_named THEN 1 END) AS by_star,
        count(CASE WHEN is_closed AND robots_state = 'unreachable' THEN 1 END) AS by_error
    FROM each_host
    CROSS JOIN (
        VALUES
            ('all hosts, robots.txt known or not', false),
            ('hosts whose robots.txt is known, 5xx too', false),
            ('hosts that answer', true),
            ('hosts that answer, and that have pages', false),
            ('hosts with a readable robots.txt', false),
            ('hosts with a readable robots.txt of their own, not redirected', false),
            ('hosts whose robots.txt names GPTBot', false)
    ) AS denominators (denominator, recommended)
    WHERE CASE denominator
        WHEN 'all hosts, robots.txt known or not' THEN true
        WHEN 'hosts whose robots.txt is known, 5xx too' THEN is_known
        WHEN 'hosts that answer' THEN answers
        WHEN 'hosts that answer, and that have pages' THEN answers AND pages > 0
        WHEN 'hosts with a readable robots.txt' THEN robots_state = 'parsed' AND answers
        WHEN 'hosts with a readable robots.txt of their own, not redirected'
            THEN robots_state = 'parsed' AND answers AND is_own_file
        WHEN 'hosts whose robots.txt names GPTBot' THEN is_named
    END
    GROUP BY crawl, denominator, recommended
)
SELECT
    crawl,
    'GPTBot' AS agent,
    denominator,
    recommended,
    hosts,
    by_name,
    round(100e0 * by_name / hosts, 2) AS by_name_percent,
    by_star,
    round(100e0 * by_star / hosts, 2) AS by_star_percent,
    by_error
FROM counted
ORDER BY crawl, hosts DESC, denominator;
