-- Which hosts opened to an agent that they had closed between two crawls, by name or through *, and which to all?
--
-- Unit: a host, each crawl and the one after it in time, and token of the agents table, of any purpose
-- (docs/agents.md says which are of AI).
-- Denominator: none, this is a list.
-- By name: apart, as way.
-- Not for: shares, or a count of decisions by rows of by_star; nor for decisions of owners where managed_before or
-- managed_now is a vendor, who may have changed the file (Cloudflare did on 15 September 2026).
--
-- Survivors only: hosts with a readable robots.txt in both crawls. way by_name: the host had a group for the agent
-- that closed everything to it, and now something is open; by_star: it had none, and the group for all closed
-- everything. Of by_star, agents that have a group of their own now are a row each, as after a licence deal
-- (named_now), while the group for all may close everything as before; the others are one row with the agent *: the
-- group for all has something open now. managed_before and managed_now: the vendor whose text has the line that
-- closed everything, and that which decides now (NULL: the site's own text).

WITH crawls AS (
    SELECT crawl, place, next_crawl FROM crawls_in_order
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
        later.agents_named,
        earlier.robots_body_digest AS digest_before,
        later.robots_body_digest AS digest_now
    FROM crawls
    JOIN hosts AS earlier ON earlier.crawl = crawls.crawl
    JOIN hosts AS later ON later.crawl = next_crawl AND later.url_host_name = earlier.url_host_name
    WHERE earlier.robots_state = 'parsed' AND earlier.answers AND later.robots_state = 'parsed' AND later.answers
),
dropped AS (
    SELECT
        crawl,
        next_crawl,
        url_host_name,
        agent,
        array_contains(agents_named_before, agent) AS was_named,
        CASE WHEN array_contains(agents_restricted, agent) THEN 'partial' ELSE 'none' END AS class,
        array_contains(agents_named, agent) AS is_named,
        digest_before,
        digest_now
    FROM banned
    WHERE NOT array_contains(agents_closed, agent)
),
authors AS (
    SELECT body_digest, agent, max(managed_by) AS managed_by FROM robots_agents_distinct GROUP BY body_digest, agent
),
authored AS (
    SELECT dropped.*, of_before.managed_by AS managed_before, of_now.managed_by AS managed_now
    FROM dropped
    LEFT JOIN authors AS of_before
        ON of_before.body_digest = digest_before
            AND of_before.agent = CASE WHEN was_named THEN dropped.agent ELSE '*' END
    LEFT JOIN authors AS of_now
        ON of_now.body_digest = digest_now AND of_now.agent = CASE WHEN is_named THEN dropped.agent ELSE '*' END
)
SELECT
    crawl, next_crawl, url_host_name, CASE WHEN was_named THEN 'by_name' ELSE 'by_star' END AS way, agent, class,
    is_named AS named_now, managed_before, managed_now
FROM authored
WHERE was_named OR is_named
UNION ALL
SELECT
    crawl, next_crawl, url_host_name, 'by_star', '*', max(class), false, max(managed_before), max(managed_now)
FROM authored
WHERE NOT was_named AND NOT is_named
GROUP BY crawl, next_crawl, url_host_name
ORDER BY crawl, next_crawl, way, url_host_name, agent;
