-- Which hosts opened to an agent between two crawls, and which of them have a group for it now?
--
-- Unit: a host, each crawl and the one after it by name, and token of the agents table, of any purpose (docs/agents.md
-- says which are of AI). Survivors only: hosts with a readable robots.txt in both crawls. Dropped: everything was
-- closed to the agent, and now something is open. by_name says whether the later robots.txt has a group for the agent,
-- as after a licence deal. Denominator: none, this is a list.

WITH crawls AS (
    SELECT crawl, lead(crawl) OVER (ORDER BY crawl) AS next_crawl FROM (SELECT DISTINCT crawl FROM sites) AS named
),
banned AS (
    SELECT
        crawls.crawl,
        next_crawl,
        earlier.url_host_name,
        explode(earlier.agents_closed) AS agent,
        later.agents_closed,
        later.agents_restricted,
        later.agents_named
    FROM crawls
    JOIN hosts AS earlier ON earlier.crawl = crawls.crawl
    JOIN hosts AS later ON later.crawl = next_crawl AND later.url_host_name = earlier.url_host_name
    WHERE earlier.robots_state = 'parsed' AND later.robots_state = 'parsed' AND later.agents_closed IS NOT NULL
)
SELECT
    crawl,
    next_crawl,
    url_host_name,
    agent,
    CASE WHEN array_contains(agents_restricted, agent) THEN 'partial' ELSE 'none' END AS class,
    array_contains(agents_named, agent) AS by_name
FROM banned
WHERE NOT array_contains(agents_closed, agent)
ORDER BY crawl, next_crawl, url_host_name, agent;
