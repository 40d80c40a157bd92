-- Of the hosts that close one agent by their rules, how many also close another?
--
-- Unit: a host, once per crawl and ordered pair of agents. Closed: the agent may fetch nothing by the readable
-- robots.txt, by name or through *. Denominator: the hosts that close the first agent (hosts_closing).

WITH each_agent AS (
    SELECT crawl, url_host_name, agent, array_contains(agents_named, agent) AS is_named
    FROM hosts
    CROSS JOIN (
        VALUES ('GPTBot'), ('ClaudeBot'), ('Google-Extended'), ('CCBot'), ('PerplexityBot'), ('Bytespider')
    ) AS agents (agent)
    WHERE robots_state = 'parsed' AND array_contains(agents_closed, agent)
),
totals AS (
    SELECT crawl, agent, count(*) AS hosts_closing, count(CASE WHEN is_named THEN 1 END) AS hosts_closing_by_name
    FROM each_agent
    GROUP BY crawl, agent
)
SELECT
    one.crawl,
    one.agent AS agent,
    other.agent AS other_agent,
    count(*) AS hosts,
    round(100e0 * count(*) / max(hosts_closing), 2) AS hosts_percent,
    max(hosts_closing) AS hosts_closing,
    count(CASE WHEN one.is_named AND other.is_named THEN 1 END) AS hosts_by_name,
    max(hosts_closing_by_name) AS hosts_closing_by_name
FROM each_agent AS one
JOIN each_agent AS other
    ON other.crawl = one.crawl AND other.url_host_name = one.url_host_name AND other.agent <> one.agent
JOIN totals ON totals.crawl = one.crawl AND totals.agent = one.agent
GROUP BY one.crawl, one.agent, other.agent
ORDER BY one.crawl, agent, hosts DESC, other_agent;
