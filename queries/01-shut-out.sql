-- Who is shut out by robots.txt, and of how many hosts and pages?
--
-- One row per crawl and token of the agents table. A token that is shut out through * counts like one that is named:
-- the last rows of a crawl, where nobody is named, tell how much that is. A host counts once, with all its schemes
-- and ports: in hosts_in_full if the token may fetch none of its pages that are known, in hosts if it may not fetch
-- some. Shares are of what is known. What is not known stands beside: pages whose robots.txt is unknown, and hosts
-- that have only such pages.
--
-- Few hosts differ in whom they shut out, so hosts of one kind, whose pages have the same lists of tokens, are
-- counted together before the lists are taken apart.

WITH lists AS (
    SELECT crawl, url_host_name, disallowed_agents, count(*) AS pages
    FROM pages
    WHERE disallowed_agents IS NOT NULL
    GROUP BY crawl, url_host_name, disallowed_agents
),
lists_of_host AS (
    SELECT crawl, url_host_name, array_agg(disallowed_agents ORDER BY disallowed_agents) AS lists
    FROM lists
    WHERE url_host_name IS NOT NULL
    GROUP BY crawl, url_host_name
),
host_kinds AS (
    SELECT crawl, lists, count(*) AS hosts, row_number() OVER () AS host_kind
    FROM lists_of_host
    GROUP BY crawl, lists
),
agents_of_kind AS (
    SELECT crawl, host_kind, hosts, agent, count(*) = len(lists) AS in_full
    FROM host_kinds
    CROSS JOIN UNNEST(lists) AS each_list (disallowed_agents)
    CROSS JOIN UNNEST(disallowed_agents) AS each_agent (agent)
    GROUP BY crawl, host_kind, hosts, agent, len(lists)
),
hosts_by_agent AS (
    SELECT crawl, agent, sum(hosts) AS hosts, sum(CASE WHEN in_full THEN hosts ELSE 0 END) AS hosts_in_full
    FROM agents_of_kind
    GROUP BY crawl, agent
),
pages_of_list AS (
    SELECT crawl, disallowed_agents, sum(pages) AS pages
    FROM lists
    GROUP BY crawl, disallowed_agents
),
pages_by_agent AS (
    SELECT crawl, agent, sum(pages) AS pages
    FROM pages_of_list CROSS JOIN UNNEST(disallowed_agents) AS each_agent (agent)
    GROUP BY crawl, agent
),
totals AS (
    SELECT
        crawl,
        count(*) FILTER (WHERE disallowed_agents IS NOT NULL) AS pages_known,
        count(*) FILTER (WHERE disallowed_agents IS NULL) AS pages_unknown,
        count(DISTINCT url_host_name) FILTER (WHERE disallowed_agents IS NOT NULL) AS hosts_known,
        count(DISTINCT url_host_name) AS hosts_all
    FROM pages
    GROUP BY crawl
)
SELECT
    totals.crawl,
    hosts_by_agent.agent,
    hosts,
    round(100e0 * hosts / hosts_known, 2) AS hosts_percent,
    hosts_in_full,
    pages,
    round(100e0 * pages / pages_known, 2) AS pages_percent,
    hosts_known,
    hosts_all - hosts_known AS hosts_unknown,
    pages_known,
    pages_unknown
FROM hosts_by_agent
JOIN pages_by_agent
    ON pages_by_agent.crawl = hosts_by_agent.crawl AND pages_by_agent.agent = hosts_by_agent.agent
JOIN totals ON totals.crawl = hosts_by_agent.crawl
ORDER BY totals.crawl, hosts DESC, pages DESC, hosts_by_agent.agent;
