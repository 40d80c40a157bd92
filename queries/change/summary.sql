-- How much changed between two crawls, per agent: how many hosts closed it by name, and how many through *?
--
-- Unit: a host, each crawl and the one after it by name, and agent.
-- Denominator: the survivors, that is the hosts in both crawls whose robots.txt is known and not 5xx in both
-- (survivors); hosts of only one crawl (only_before, only_after) and those not known, or 5xx, in one (not_known) are
-- counted, and are in no share.
-- By name: apart, as by_name and through_star.
-- Not for: all hosts of a crawl, or the Web: survivors are older and larger sites.
--
-- by_name: the host has a group for the agent that closes everything to it, which alone is a decision about the agent;
-- through_star: it has none, and the group for all closes everything. closed and opened count changes of by_name:
-- closed by name now and not before (closed), before and not now (opened; of these, opened_still_star are closed
-- through * now). A crawl's hosts are not a sample of the Web: a share of all hosts of each crawl would mix change
-- with the crawl's choice.

WITH crawls AS (
    SELECT crawl, lead(crawl) OVER (ORDER BY crawl) AS next_crawl FROM (SELECT DISTINCT crawl FROM sites) AS named
),
before_and_after AS (
    SELECT crawls.crawl, next_crawl, url_host_name, agents_closed, agents_named, robots_state, 1 AS is_before
    FROM crawls
    JOIN hosts ON hosts.crawl = crawls.crawl
    WHERE next_crawl IS NOT NULL
    UNION ALL
    SELECT crawls.crawl, next_crawl, url_host_name, agents_closed, agents_named, robots_state, 0
    FROM crawls
    JOIN hosts ON hosts.crawl = next_crawl
),
each_agent AS (
    SELECT
        before_and_after.*,
        agent,
        array_contains(agents_closed, agent) AS is_closed,
        array_contains(agents_named, agent) AS is_named
    FROM before_and_after
    CROSS JOIN (
        VALUES ('GPTBot'), ('ClaudeBot'), ('CCBot'), ('Google-Extended'), ('PerplexityBot'), ('Googlebot')
    ) AS agents (agent)
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
        coalesce(bool_or(is_before = 1 AND is_named AND is_closed), false) AS was_by_name,
        coalesce(bool_or(is_before = 1 AND NOT is_named AND is_closed), false) AS was_by_star,
        coalesce(bool_or(is_before = 0 AND is_named AND is_closed), false) AS now_by_name,
        coalesce(bool_or(is_before = 0 AND NOT is_named AND is_closed), false) AS now_by_star
    FROM each_agent
    GROUP BY crawl, next_crawl, agent, url_host_name
),
survived AS (
    SELECT *, in_before + in_after = 2 AND is_known AS survives FROM each_host
),
counted AS (
    SELECT
        crawl,
        next_crawl,
        agent,
        count(CASE WHEN survives THEN 1 END) AS survivors,
        count(CASE WHEN survives AND was_by_name THEN 1 END) AS by_name_before,
        count(CASE WHEN survives AND now_by_name THEN 1 END) AS by_name_after,
        count(CASE WHEN survives AND now_by_name AND NOT was_by_name THEN 1 END) AS closed,
        count(CASE WHEN survives AND was_by_name AND NOT now_by_name THEN 1 END) AS opened,
        count(CASE WHEN survives AND was_by_name AND now_by_star THEN 1 END) AS opened_still_star,
        count(CASE WHEN survives AND was_by_star THEN 1 END) AS through_star_before,
        count(CASE WHEN survives AND now_by_star THEN 1 END) AS through_star_after,
        count(CASE WHEN in_before + in_after = 2 AND NOT is_known THEN 1 END) AS not_known,
        count(CASE WHEN in_after = 0 THEN 1 END) AS only_before,
        count(CASE WHEN in_before = 0 THEN 1 END) AS only_after
    FROM survived
    GROUP BY crawl, next_crawl, agent
)
SELECT
    crawl,
    next_crawl,
    agent,
    survivors,
    by_name_before,
    by_name_after,
    round(100e0 * by_name_before / nullif(survivors, 0), 2) AS by_name_before_percent,
    round(100e0 * by_name_after / nullif(survivors, 0), 2) AS by_name_after_percent,
    closed,
    opened,
    opened_still_star,
    through_star_before,
    through_star_after,
    not_known,
    only_before,
    only_after
FROM counted
ORDER BY crawl, next_crawl, agent;
