-- How many hosts close a training agent and leave search open: CCBot closed, Googlebot not?
--
-- Unit: a host, once per crawl and agent, by its readable robots.txt. Closed: the agent may fetch nothing.
-- Denominator: the hosts with a readable robots.txt (hosts_readable).

WITH totals AS (
    SELECT crawl, count(*) AS hosts_readable
    FROM hosts
    WHERE robots_state = 'parsed' AND agents_closed IS NOT NULL
    GROUP BY crawl
),
counted AS (
    SELECT
        crawl,
        agent,
        count(CASE WHEN array_contains(agents_closed, agent) THEN 1 END) AS closed,
        count(CASE WHEN array_contains(agents_closed, agent) AND NOT array_contains(agents_closed, 'Googlebot') THEN 1
            END) AS search_open
    FROM hosts
    CROSS JOIN (
        VALUES ('CCBot'), ('GPTBot'), ('ClaudeBot'), ('Google-Extended'), ('Bytespider')
    ) AS agents (agent)
    WHERE robots_state = 'parsed' AND agents_closed IS NOT NULL
    GROUP BY crawl, agent
)
SELECT
    counted.crawl,
    agent,
    closed,
    search_open,
    round(100e0 * search_open / hosts_readable, 2) AS search_open_percent,
    hosts_readable
FROM counted
JOIN totals ON totals.crawl = counted.crawl
ORDER BY counted.crawl, agent;
