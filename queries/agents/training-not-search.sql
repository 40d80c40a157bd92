-- How many hosts close a training agent and leave search open: CCBot closed, Googlebot not?
--
-- Unit: a host, once per crawl and agent, by its readable robots.txt.
-- Denominator: the hosts with a readable robots.txt (hosts_readable).
-- By name: apart, as by_name and by_star.
-- Not for: what the owner wants of search in AI answers, which Googlebot does not show.
--
-- by_name: the host has a group for the agent that closes everything to it; by_star: the group for all does.
-- search_open: of the hosts that close it by name, those that leave something open to Googlebot; search_open_by_star:
-- the same of those through *.

WITH totals AS (
    SELECT crawl, count(*) AS hosts_readable
    FROM hosts
    WHERE robots_state = 'parsed' AND answers
    GROUP BY crawl
),
each_agent AS (
    SELECT
        crawl,
        agent,
        array_contains(agents_closed, agent) AS is_closed,
        array_contains(agents_named, agent) AS is_named,
        array_contains(agents_closed, 'Googlebot') AS is_search_closed
    FROM hosts
    CROSS JOIN (
        VALUES ('CCBot'), ('GPTBot'), ('ClaudeBot'), ('Google-Extended'), ('Bytespider')
    ) AS agents (agent)
    WHERE robots_state = 'parsed' AND answers
),
counted AS (
    SELECT
        crawl,
        agent,
        count(CASE WHEN is_closed AND is_named THEN 1 END) AS by_name,
        count(CASE WHEN is_closed AND NOT is_named THEN 1 END) AS by_star,
        count(CASE WHEN is_closed AND is_named AND NOT is_search_closed THEN 1 END) AS search_open,
        count(CASE WHEN is_closed AND NOT is_named AND NOT is_search_closed THEN 1 END) AS search_open_by_star
    FROM each_agent
    GROUP BY crawl, agent
)
SELECT
    counted.crawl,
    agent,
    by_name,
    by_star,
    search_open,
    round(100e0 * search_open / hosts_readable, 2) AS search_open_percent,
    search_open_by_star,
    hosts_readable
FROM counted
JOIN totals ON totals.crawl = counted.crawl
ORDER BY counted.crawl, agent;
