-- Which pages and bytes may each agent not fetch?
--
-- Unit: a page (a capture of any status), once per crawl and token of the agents table, by the robots.txt that
-- counted when the page was fetched.
-- Denominator: the pages whose robots.txt is known (pages_known); noes of files that are not wholly understood count
-- too, as sure noes.
-- By name: apart, as by_name, by_star and by_error.
-- Not for: shares of hosts or of the Web.
--
-- by_name: that file has a group for the agent; by_star: it has none, and the group for all closes the page;
-- by_error: robots.txt answered 5xx, which is no decision of the host's. A crawl has no pages of hosts that are
-- closed to its own crawler, so that these shares are too low for every agent: see docs/research.md.

WITH totals AS (
    SELECT crawl, count(disallowed_agents) AS pages_known, count(*) - count(disallowed_agents) AS pages_unknown
    FROM pages
    GROUP BY crawl
),
lists AS (
    SELECT
        crawl,
        disallowed_agents_at_least,
        robots_body_digest,
        robots_state = 'unreachable' AS is_error,
        count(*) AS pages,
        sum(content_length) AS bytes
    FROM pages
    WHERE array_size(disallowed_agents_at_least) > 0
    GROUP BY crawl, disallowed_agents_at_least, robots_body_digest, robots_state = 'unreachable'
),
each_agent AS (
    SELECT crawl, robots_body_digest, is_error, explode(disallowed_agents_at_least) AS agent, pages, bytes FROM lists
),
named AS (
    SELECT DISTINCT body_digest, agent FROM robots_agents_distinct
),
counted AS (
    SELECT
        each_agent.crawl,
        each_agent.agent,
        coalesce(sum(CASE WHEN NOT is_error AND named.agent IS NOT NULL THEN pages END), 0) AS by_name,
        coalesce(sum(CASE WHEN NOT is_error AND named.agent IS NULL THEN pages END), 0) AS by_star,
        coalesce(sum(CASE WHEN is_error THEN pages END), 0) AS by_error,
        coalesce(sum(CASE WHEN NOT is_error AND named.agent IS NOT NULL THEN bytes END), 0) AS by_name_bytes,
        coalesce(sum(CASE WHEN NOT is_error AND named.agent IS NULL THEN bytes END), 0) AS by_star_bytes
    FROM each_agent
    LEFT JOIN named ON named.body_digest = robots_body_digest AND named.agent = each_agent.agent
    GROUP BY each_agent.crawl, each_agent.agent
)
SELECT
    counted.crawl,
    agent,
    CAST(by_name AS BIGINT) AS by_name,
    round(100e0 * by_name / pages_known, 2) AS by_name_percent,
    CAST(by_star AS BIGINT) AS by_star,
    round(100e0 * by_star / pages_known, 2) AS by_star_percent,
    CAST(by_error AS BIGINT) AS by_error,
    CAST(by_name_bytes AS BIGINT) AS by_name_bytes,
    CAST(by_star_bytes AS BIGINT) AS by_star_bytes,
    pages_known,
    pages_unknown
FROM counted
JOIN totals ON totals.crawl = counted.crawl
ORDER BY counted.crawl, by_name DESC, by_star DESC, agent;
