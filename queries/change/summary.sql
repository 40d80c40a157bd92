-- How much changed between two crawls, per agent: how many hosts closed it, opened it, and left it as it was?
--
-- Unit: a host, each crawl and the one after it by name, and agent. Denominator: the survivors, that is the hosts in
-- both crawls whose robots.txt is known and not 5xx in both (survivors); hosts of only one crawl (only_before,
-- only_after) and those not known in one (not_known) are counted, and are in no share. A crawl's hosts are not a
-- sample of the Web: a share of all hosts of each crawl would mix change with the crawl's choice.

WITH crawls AS (
    SELECT crawl, lead(crawl) OVER (ORDER BY crawl) AS next_crawl FROM (SELECT DISTINCT crawl FROM sites) AS named
),
before_and_after AS (
    SELECT crawls.crawl, next_crawl, url_host_name, agents_closed, robots_state, 1 AS is_before
    FROM crawls
    JOIN hosts ON hosts.crawl = crawls.crawl
    WHERE next_crawl IS NOT NULL
    UNION ALL
    SELECT crawls.crawl, next_crawl, url_host_name, agents_closed, robots_state, 0
    FROM crawls
    JOIN hosts ON hosts.crawl = next_crawl
),
each_host AS (
    SELECT
        crawl,
        next_crawl,
        agent,
        url_host_name,
        max(is_before) AS in_before,
        max(1 - is_before) AS in_after,
        bool_and(agents_closed IS NOT NULL AND robots_state <> 'unreachable') AS is_known,
        coalesce(bool_or(is_before = 1 AND array_contains(agents_closed, agent)), false) AS was_closed,
        coalesce(bool_or(is_before = 0 AND array_contains(agents_closed, agent)), false) AS is_closed
    FROM before_and_after
    CROSS JOIN (
        VALUES ('GPTBot'), ('ClaudeBot'), ('CCBot'), ('Google-Extended'), ('PerplexityBot'), ('Googlebot')
    ) AS agents (agent)
    GROUP BY crawl, next_crawl, agent, url_host_name
),
counted AS (
    SELECT
        crawl,
        next_crawl,
        agent,
        count(CASE WHEN in_before + in_after = 2 AND is_known THEN 1 END) AS survivors,
        count(CASE WHEN in_before + in_after = 2 AND is_known AND is_closed AND NOT was_closed THEN 1 END) AS closed,
        count(CASE WHEN in_before + in_after = 2 AND is_known AND was_closed AND NOT is_closed THEN 1 END) AS opened,
        count(CASE WHEN in_before + in_after = 2 AND is_known AND was_closed AND is_closed THEN 1 END) AS stayed_closed,
        count(CASE WHEN in_before + in_after = 2 AND NOT is_known THEN 1 END) AS not_known,
        count(CASE WHEN in_after = 0 THEN 1 END) AS only_before,
        count(CASE WHEN in_before = 0 THEN 1 END) AS only_after
    FROM each_host
    GROUP BY crawl, next_crawl, agent
)
SELECT
    crawl,
    next_crawl,
    agent,
    survivors,
    closed,
    opened,
    stayed_closed,
    round(100e0 * (stayed_closed + opened) / nullif(survivors, 0), 2) AS closed_before_percent,
    round(100e0 * (stayed_closed + closed) / nullif(survivors, 0), 2) AS closed_after_percent,
    not_known,
    only_before,
    only_after
FROM counted
ORDER BY crawl, next_crawl, agent;
