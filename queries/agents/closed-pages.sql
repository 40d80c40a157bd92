-- Which pages and bytes may each agent not fetch?
--
-- Unit: a page (a capture of any status), once per crawl and token of the agents table, by the robots.txt that counted
-- when the page was fetched. Denominator: the pages whose robots.txt is known (pages_known). A crawl has no pages of
-- hosts that are closed to its own crawler, so that these shares are too low for every agent: see docs/research.md.

WITH totals AS (
    SELECT crawl, count(disallowed_agents) AS pages_known, count(*) - count(disallowed_agents) AS pages_unknown
    FROM pages
    GROUP BY crawl
),
lists AS (
    SELECT crawl, disallowed_agents, count(*) AS pages, sum(content_length) AS bytes
    FROM pages
    WHERE array_size(disallowed_agents) > 0
    GROUP BY crawl, disallowed_agents
),
each_agent AS (
    SELECT crawl, explode(disallowed_agents) AS agent, pages, bytes FROM lists
)
SELECT
    each_agent.crawl,
    agent,
    CAST(sum(pages) AS BIGINT) AS pages,
    round(100e0 * sum(pages) / max(pages_known), 2) AS pages_percent,
    CAST(sum(bytes) AS BIGINT) AS bytes,
    max(pages_known) AS pages_known,
    max(pages_unknown) AS pages_unknown
FROM each_agent
JOIN totals ON totals.crawl = each_agent.crawl
GROUP BY each_agent.crawl, agent
ORDER BY each_agent.crawl, pages DESC, agent;
