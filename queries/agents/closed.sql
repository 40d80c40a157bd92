-- To how many hosts is each agent closed, by name and through *, and to how many is only a part closed?
--
-- Unit: a host, once per crawl and token of the agents table. Closed (hosts): the agent may fetch nothing. by_name: the
-- host has a group for it; by_star: the group for all closes everything; by_error: robots.txt could not be reached
-- (5xx). partly: hosts that close something to the agent, but not everything; partly_by_name: in a group for it.
-- Denominator: the hosts whose robots.txt is known (hosts_known).

WITH totals AS (
    SELECT crawl, count(agents_closed) AS hosts_known FROM hosts GROUP BY crawl
),
restricted AS (
    SELECT crawl, robots_state, agents_closed, agents_named, explode(agents_restricted) AS agent FROM hosts
),
each_agent AS (
    SELECT
        crawl,
        agent,
        robots_state = 'unreachable' AS is_error,
        array_contains(agents_closed, agent) AS is_closed,
        array_contains(agents_named, agent) AS is_named
    FROM restricted
),
counted AS (
    SELECT
        crawl,
        agent,
        count(CASE WHEN is_closed THEN 1 END) AS hosts,
        count(CASE WHEN is_closed AND NOT is_error AND is_named THEN 1 END) AS by_name,
        count(CASE WHEN is_closed AND NOT is_error AND NOT is_named THEN 1 END) AS by_star,
        count(CASE WHEN is_closed AND is_error THEN 1 END) AS by_error,
        count(CASE WHEN NOT is_closed THEN 1 END) AS partly,
        count(CASE WHEN NOT is_closed AND is_named THEN 1 END) AS partly_by_name
    FROM each_agent
    GROUP BY crawl, agent
)
SELECT
    counted.crawl,
    agent,
    hosts,
    round(100e0 * hosts / hosts_known, 2) AS hosts_percent,
    by_name,
    round(100e0 * by_name / hosts_known, 2) AS by_name_percent,
    by_star,
    by_error,
    partly,
    partly_by_name,
    hosts_known
FROM counted
JOIN totals ON totals.crawl = counted.crawl
ORDER BY counted.crawl, hosts DESC, by_name DESC, agent;
