-- To how many of the top domains is each agent closed, by name and through *, and to how many is only a part closed?
--
-- Unit: a ranked domain, once per crawl and token of the agents table, by the robots.txt of the domain itself or of
-- its www.
-- Denominator: the domains that answer (domains_answering).
-- By name: apart, as by_name, by_star and by_error.
-- Not for: top-k lists of fewer than 100 domains (domains_answering); or adding by_error to a share.
-- Needs: ranks.csv in the folder of the run.
--
-- Closed: the agent may fetch nothing. by_name: the file has a group for the agent, which alone is a decision about
-- it; by_star: the group for all closes everything; by_error: robots.txt could not be reached (5xx). partly: the file
-- closes something to the agent, but not everything; partly_by_name: in a group for it. The top k are cumulative.

WITH tops AS (
    SELECT crawl, top, answers, robots_state, agents_closed, agents_restricted, agents_named
    FROM ranked_hosts
    JOIN (VALUES (1000), (10000), (100000), (1000000)) AS sizes (top) ON rank <= top
    WHERE agents_closed IS NOT NULL
),
totals AS (
    SELECT crawl, top, count(CASE WHEN answers THEN 1 END) AS domains_answering FROM tops GROUP BY crawl, top
),
restricted AS (
    SELECT crawl, top, answers, robots_state, agents_closed, agents_named, explode(agents_restricted) AS agent FROM tops
),
each_agent AS (
    SELECT
        crawl,
        top,
        agent,
        robots_state = 'unreachable' AS is_error,
        array_contains(agents_closed, agent) AS is_closed,
        array_contains(agents_named, agent) AS is_named
    FROM restricted
),
counted AS (
    SELECT
        crawl,
        top,
        agent,
        count(CASE WHEN is_closed AND NOT is_error AND is_named THEN 1 END) AS by_name,
        count(CASE WHEN is_closed AND NOT is_error AND NOT is_named THEN 1 END) AS by_star,
        count(CASE WHEN is_closed AND is_error THEN 1 END) AS by_error,
        count(CASE WHEN NOT is_closed THEN 1 END) AS partly,
        count(CASE WHEN NOT is_closed AND is_named THEN 1 END) AS partly_by_name
    FROM each_agent
    GROUP BY crawl, top, agent
)
SELECT
    counted.crawl,
    counted.top,
    agent,
    by_name,
    round(100e0 * by_name / nullif(domains_answering, 0), 2) AS by_name_percent,
    by_star,
    round(100e0 * by_star / nullif(domains_answering, 0), 2) AS by_star_percent,
    by_error,
    partly,
    partly_by_name,
    domains_answering
FROM counted
JOIN totals ON totals.crawl = counted.crawl AND totals.top = counted.top
ORDER BY counted.crawl, counted.top, by_name DESC, by_star DESC, agent;
