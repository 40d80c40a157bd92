-- Of the hosts that close one agent by name, how many also close another by name?
--
-- Unit: a host, once per crawl and ordered pair of agents.
-- Denominator: the hosts that close the first agent by name (hosts_closing).
-- By name: all of it, but for through_star.
-- Not for: why: identical lists come from vendors and plug-ins (lists.sql).
--
-- Closed by name: the host has a group for the agent, and the agent may fetch nothing. through_star: of the hosts
-- that close the first agent by name, those to which the other is closed through * alone.

WITH each_agent AS (
    SELECT crawl, url_host_name, agent, way
    FROM host_agents
    WHERE way IN ('by_name', 'by_star')
        AND agent IN ('GPTBot', 'ClaudeBot', 'Google-Extended', 'CCBot', 'PerplexityBot', 'Bytespider')
),
totals AS (
    SELECT crawl, agent, count(*) AS hosts_closing FROM each_agent WHERE way = 'by_name' GROUP BY crawl, agent
)
SELECT
    one.crawl,
    one.agent AS agent,
    other.agent AS other_agent,
    count(CASE WHEN other.way = 'by_name' THEN 1 END) AS hosts,
    round(100e0 * count(CASE WHEN other.way = 'by_name' THEN 1 END) / max(hosts_closing), 2) AS percent_of_closing,
    count(CASE WHEN other.way = 'by_star' THEN 1 END) AS through_star,
    max(hosts_closing) AS hosts_closing
FROM each_agent AS one
JOIN each_agent AS other
    ON other.crawl = one.crawl AND other.url_host_name = one.url_host_name AND other.agent <> one.agent
JOIN totals ON totals.crawl = one.crawl AND totals.agent = one.agent
WHERE one.way = 'by_name'
GROUP BY one.crawl, one.agent, other.agent
ORDER BY one.crawl, agent, hosts DESC, other_agent;
