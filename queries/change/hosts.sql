-- What changed on each host between two crawls: which agents were closed or opened, which systems came or went?
--
-- Unit: a host, each crawl and the one after it by name, agent or system. closed: the agent may fetch nothing now, and
-- could before; opened: the reverse; system added, system dropped: by the site files. Survivors only: hosts that are
-- in both crawls and whose robots.txt is known in both; summary.sql counts the others. 5xx answers close everything
-- while they last, so that a host which was unreachable in one of the crawls is left out of closed and opened.
-- Denominator: none, this is a list.

WITH crawls AS (
    SELECT crawl, lead(crawl) OVER (ORDER BY crawl) AS next_crawl FROM (SELECT DISTINCT crawl FROM sites) AS named
),
survivors AS (
    SELECT
        crawls.crawl,
        next_crawl,
        earlier.url_host_name,
        earlier.robots_state = 'unreachable' OR later.robots_state = 'unreachable' AS is_unreachable,
        earlier.agents_closed,
        later.agents_closed AS agents_closed_next,
        earlier.systems,
        later.systems AS systems_next
    FROM crawls
    JOIN hosts AS earlier ON earlier.crawl = crawls.crawl
    JOIN hosts AS later ON later.crawl = next_crawl AND later.url_host_name = earlier.url_host_name
    WHERE earlier.agents_closed IS NOT NULL AND later.agents_closed IS NOT NULL
),
changes AS (
    SELECT
        crawl,
        next_crawl,
        url_host_name,
        'closed' AS change,
        explode(agents_closed_next) AS what,
        agents_closed AS other
    FROM survivors
    WHERE NOT is_unreachable
    UNION ALL
    SELECT crawl, next_crawl, url_host_name, 'opened', explode(agents_closed), agents_closed_next
    FROM survivors
    WHERE NOT is_unreachable
    UNION ALL
    SELECT crawl, next_crawl, url_host_name, 'system added', explode(systems_next), systems FROM survivors
    UNION ALL
    SELECT crawl, next_crawl, url_host_name, 'system dropped', explode(systems), systems_next FROM survivors
)
SELECT crawl, next_crawl, url_host_name, change, what
FROM changes
WHERE NOT array_contains(other, what)
ORDER BY crawl, next_crawl, url_host_name, change, what;
