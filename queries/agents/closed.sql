-- To how many hosts is each agent closed, by name and through *?
--
-- Unit: a host, once per crawl and token of the agents table. Closed: the agent may fetch nothing. by_name: the host
-- has a group for it; by_star: the group for all closes everything; by_error: robots.txt could not be reached (5xx).
-- Denominator: the hosts whose robots.txt is known (hosts_known).

WITH totals AS (
    SELECT crawl, count(agents_closed) AS hosts_known FROM hosts GROUP BY crawl
),
closed AS (
    SELECT crawl, robots_state, agents_named, explode(agents_closed) AS agent FROM hosts
),
counted AS (
    SELECT
        crawl,
        agent,
        count(*) AS hosts,
        count(CASE WHEN robots_state <> 'unreachable' AND array_contains(agents_named, agent) THEN 1 END) AS by_name,
        count(CASE WHEN robots_state <> 'unreachable' AND NOT array_contains(agents_named, agent) THEN 1 END)
            AS by_star,
        count(CASE WHEN robots_state = 'unreachable' THEN 1 END) AS by_error
    FROM closed
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
    hosts_known
FROM counted
JOIN totals ON totals.crawl = counted.crawl
ORDER BY counted.crawl, hosts DESC, by_name DESC, agent;
