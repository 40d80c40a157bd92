-- What changed on each host between two crawls: which agents were closed or opened, which systems came or went?
--
-- Unit: a host, each crawl and the one after it in time, agent or system.
-- Denominator: none, this is a list.
-- By name: apart, as the change.
-- Not for: shares; or who changed the file: a vendor may have.
--
-- closed by name: everything is closed to the agent now, in a group for it, and was not closed to it by name before;
-- opened by name: it was closed by name, and something is open now. closed through *, opened through *: the same of
-- the group for all, one row with *, as it is one decision about everybody; a row with an agent is about that agent
-- alone, which has no group of its own any more (closed), or has one now (opened), while the group for all may say
-- what it said before. system added, system dropped: by the site files. Survivors only: hosts that are in both crawls
-- and whose robots.txt is known in both; summary.sql counts the others. 5xx answers are no decision, so that a host
-- which was unreachable in one of the crawls is left out of closed and opened.

WITH crawls AS (
    SELECT crawl, place, next_crawl FROM crawls_in_order
),
survivors AS (
    SELECT
        crawls.crawl,
        next_crawl,
        earlier.url_host_name,
        earlier.robots_state = 'unreachable' OR later.robots_state = 'unreachable' AS is_unreachable,
        earlier.agents_closed,
        earlier.agents_named,
        later.agents_closed AS agents_closed_next,
        later.agents_named AS agents_named_next,
        earlier.systems,
        later.systems AS systems_next
    FROM crawls
    JOIN hosts AS earlier ON earlier.crawl = crawls.crawl
    JOIN hosts AS later ON later.crawl = next_crawl AND later.url_host_name = earlier.url_host_name
    WHERE earlier.agents_closed IS NOT NULL AND later.agents_closed IS NOT NULL
),
closings AS (
    SELECT
        crawl, next_crawl, url_host_name, agents_closed, agents_named, agents_named_next,
        explode(agents_closed_next) AS agent
    FROM survivors
    WHERE NOT is_unreachable
),
openings AS (
    SELECT
        crawl, next_crawl, url_host_name, agents_closed_next, agents_named, agents_named_next,
        explode(agents_closed) AS agent
    FROM survivors
    WHERE NOT is_unreachable
),
additions AS (
    SELECT crawl, next_crawl, url_host_name, 'system added' AS change, explode(systems_next) AS what, systems AS other
    FROM survivors
    UNION ALL
    SELECT crawl, next_crawl, url_host_name, 'system dropped', explode(systems), systems_next FROM survivors
)
SELECT crawl, next_crawl, url_host_name, 'closed by name' AS change, agent AS what
FROM closings
WHERE array_contains(agents_named_next, agent)
    AND NOT (array_contains(agents_closed, agent) AND array_contains(agents_named, agent))
UNION ALL
SELECT DISTINCT
    crawl, next_crawl, url_host_name, 'closed through *',
    CASE WHEN array_contains(agents_named, agent) THEN agent ELSE '*' END
FROM closings
WHERE NOT array_contains(agents_named_next, agent) AND NOT array_contains(agents_closed, agent)
UNION ALL
SELECT crawl, next_crawl, url_host_name, 'opened by name', agent
FROM openings
WHERE array_contains(agents_named, agent) AND NOT array_contains(agents_closed_next, agent)
UNION ALL
SELECT DISTINCT
    crawl, next_crawl, url_host_name, 'opened through *',
    CASE WHEN array_contains(agents_named_next, agent) THEN agent ELSE '*' END
FROM openings
WHERE NOT array_contains(agents_named, agent) AND NOT array_contains(agents_closed_next, agent)
UNION ALL
SELECT crawl, next_crawl, url_host_name, change, what
FROM additions
WHERE NOT array_contains(other, what)
ORDER BY crawl, next_crawl, url_host_name, change, what;
