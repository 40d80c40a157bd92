-- Which hosts opened to an agent that they had closed by name between two crawls, and which opened to all?
--
-- Unit: a host, each crawl and the one after it by name, and token of the agents table, of any purpose (docs/agents.md
-- says which are of AI). Survivors only: hosts with a readable robots.txt in both crawls. way by_name: the host had a
-- group for the agent that closed everything to it, and now something is open; by_star: the group for all closed
-- everything to agents that had no group, which is one row with the agent *. named_now: the later robots.txt has a
-- group for the agent, as after a licence deal. Denominator: none, this is a list; do not add rows of both ways.
--
-- By name: apart, as way. Not for: shares, or a count of decisions by rows of by_star; nor across 15 September 2026
-- without managed_by, as a vendor changed files that day.

WITH crawls AS (
    SELECT crawl, lead(crawl) OVER (ORDER BY crawl) AS next_crawl FROM (SELECT DISTINCT crawl FROM sites) AS named
),
banned AS (
    SELECT
        crawls.crawl,
        next_crawl,
        earlier.url_host_name,
        explode(earlier.agents_closed) AS agent,
        earlier.agents_named AS agents_named_before,
        later.agents_closed,
        later.agents_restricted,
        later.agents_named
    FROM crawls
    JOIN hosts AS earlier ON earlier.crawl = crawls.crawl
    JOIN hosts AS later ON later.crawl = next_crawl AND later.url_host_name = earlier.url_host_name
    WHERE earlier.robots_state = 'parsed' AND later.robots_state = 'parsed' AND later.agents_closed IS NOT NULL
),
dropped AS (
    SELECT
        crawl,
        next_crawl,
        url_host_name,
        agent,
        array_contains(agents_named_before, agent) AS was_named,
        CASE WHEN array_contains(agents_restricted, agent) THEN 'partial' ELSE 'none' END AS class,
        array_contains(agents_named, agent) AS is_named
    FROM banned
    WHERE NOT array_contains(agents_closed, agent)
)
SELECT crawl, next_crawl, url_host_name, 'by_name' AS way, agent, class, is_named AS named_now
FROM dropped
WHERE was_named
UNION ALL
SELECT crawl, next_crawl, url_host_name, 'by_star', '*', max(class), bool_or(is_named)
FROM dropped
WHERE NOT was_named
GROUP BY crawl, next_crawl, url_host_name
ORDER BY crawl, next_crawl, way, url_host_name, agent;
