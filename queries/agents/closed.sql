-- To how many hosts is each agent closed, by name and through *, and to how many is only a part closed?
--
-- Unit: a host, once per crawl and token of the agents table.
-- Denominator: the hosts that answer (hosts_answering): robots.txt was read to its end, or is not there (4xx).
-- By name: apart, as by_name, by_star and by_error.
-- Not for: decisions about an agent by by_star, which is about everybody, or by_error, which is about nobody.
--
-- Closed: the agent may fetch nothing. by_name: the host has a group for it, which alone is a decision about the
-- agent; by_star: the group for all closes everything; by_error: robots.txt could not be reached (5xx). partly: hosts
-- that close something to the agent, but not everything; partly_by_name: in a group for it.

WITH totals AS (
    SELECT crawl, count(*) AS hosts_answering FROM hosts WHERE answers GROUP BY crawl
),
counted AS (
    SELECT
        crawl,
        agent,
        count(CASE WHEN way = 'by_name' THEN 1 END) AS by_name,
        count(CASE WHEN way = 'by_star' THEN 1 END) AS by_star,
        count(CASE WHEN way = 'by_error' THEN 1 END) AS by_error,
        count(CASE WHEN way IN ('partly_by_name', 'partly_by_star') THEN 1 END) AS partly,
        count(CASE WHEN way = 'partly_by_name' THEN 1 END) AS partly_by_name
    FROM host_agents
    GROUP BY crawl, agent
)
SELECT
    counted.crawl,
    agent,
    by_name,
    round(100e0 * by_name / hosts_answering, 2) AS by_name_percent,
    by_star,
    round(100e0 * by_star / hosts_answering, 2) AS by_star_percent,
    by_error,
    partly,
    partly_by_name,
    hosts_answering
FROM counted
JOIN totals ON totals.crawl = counted.crawl
ORDER BY counted.crawl, by_name DESC, by_star DESC, agent;
