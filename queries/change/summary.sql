-- How much changed between two crawls, per agent: how many hosts closed it by name, and how many through *?
--
-- Unit: a host, each crawl and the one after it in time, and agent.
-- Denominator: the survivors, that is the hosts in both crawls that answer in both (survivors); hosts of only one
-- crawl (only_before, only_after) and those that do not answer in one (not_known) are counted, and are in no share.
-- By name: apart, as by_name and through_star.
-- Not for: all hosts of a crawl, or the Web: survivors are older and larger sites; nor to compare the intervals of
-- two shares, as the same hosts are in both: the difference has an interval of its own.
--
-- by_name: the host has a group for the agent that closes everything to it, which alone is a decision about the
-- agent; through_star: it has none, and the group for all closes everything. closed and opened count changes of
-- by_name: closed by name now and not before (closed), before and not now (opened; of these, opened_still_star are
-- closed through * now). difference: by_name_after less by_name_before, in percentage points, and the 95 % interval
-- of that difference (low, high) over the same hosts, where the hosts of a registered domain change together:
-- Newcombe's method for pairs, with Wilson's intervals of closed and of opened and their design effects
-- (docs/sampling.md). Where the interval has 0, no change is shown. A crawl's hosts are not a sample of the Web: a
-- share of all hosts of each crawl would mix change with the crawl's choice. first_fetch and next_first_fetch: when
-- the fetches of robots.txt began, or those of the pages of a crawl without robots.txt.

WITH crawls AS (
    SELECT
        *,
        lag(crawl) OVER (ORDER BY place) AS previous_crawl,
        lead(first_fetch) OVER (ORDER BY place) AS next_first_fetch
    FROM crawls_in_order
),
before_and_after AS (
    SELECT
        CASE WHEN is_before = 1 THEN crawls.crawl ELSE previous_crawl END AS crawl,
        url_host_name,
        url_host_registered_domain,
        agents_closed,
        agents_named,
        answers,
        is_before
    FROM crawls
    JOIN hosts ON hosts.crawl = crawls.crawl
    CROSS JOIN (VALUES (1), (0)) AS sides (is_before)
    WHERE CASE WHEN is_before = 1 THEN next_crawl ELSE previous_crawl END IS NOT NULL
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
        agent,
        url_host_name,
        max(coalesce(url_host_registered_domain, url_host_name)) AS domain,
        max(is_before) AS in_before,
        max(1 - is_before) AS in_after,
        bool_and(answers) AS is_known,
        coalesce(bool_or(is_before = 1 AND is_named AND is_closed), false) AS was_by_name,
        coalesce(bool_or(is_before = 1 AND NOT is_named AND is_closed), false) AS was_by_star,
        coalesce(bool_or(is_before = 0 AND is_named AND is_closed), false) AS now_by_name,
        coalesce(bool_or(is_before = 0 AND NOT is_named AND is_closed), false) AS now_by_star
    FROM each_agent
    GROUP BY crawl, agent, url_host_name
),
survived AS (
    SELECT *, in_before + in_after = 2 AND is_known AS survives FROM each_host
),
counted AS (
    SELECT
        crawl,
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
    GROUP BY crawl, agent
),
-- One row for each registered domain and kind of change: how many of its hosts changed.
clusters AS (
    SELECT
        crawl,
        agent,
        kind,
        domain,
        1e0 * count(*) AS units,
        1e0 * count(CASE
            WHEN kind = 'closed' AND now_by_name AND NOT was_by_name THEN 1
            WHEN kind = 'opened' AND was_by_name AND NOT now_by_name THEN 1
        END) AS hits
    FROM survived
    CROSS JOIN (VALUES ('closed'), ('opened')) AS kinds (kind)
    WHERE survives
    GROUP BY crawl, agent, kind, domain
),
shares AS (
    SELECT
        *,
        sum(hits) OVER (PARTITION BY crawl, agent, kind) / sum(units) OVER (PARTITION BY crawl, agent, kind) AS share
    FROM clusters
),
sums AS (
    SELECT
        crawl, agent, kind,
        share,
        1e0 * count(*) AS clusters,
        least(count(CASE WHEN hits > 0 THEN 1 END), count(CASE WHEN hits < units THEN 1 END)) AS clusters_of_fewer,
        sum(units) AS units,
        sum(units * units) / sum(units) AS size,
        sum(CASE WHEN hits > 0 THEN units * units END) / sum(CASE WHEN hits > 0 THEN units END) AS size_of_hits,
        sum(power(hits - units * share, 2)) AS squares,
        sum(power(hits - units * share, 4)) AS fourths
    FROM shares
    GROUP BY crawl, agent, kind, share
),
effects AS (
    SELECT
        *,
        units / design_effect(share, units, clusters, clusters_of_fewer, size, size_of_hits, squares) AS effective,
        deviations(share, clusters, squares, fourths) AS z,
        1 - share AS others
    FROM sums
),
intervals AS (
    SELECT
        crawl,
        agent,
        kind,
        share,
        low_end(share, effective, z) AS low,
        1 - low_end(others, effective, z) AS high
    FROM effects
),
-- A host that closed did not open: both shares go together by sqrt(closed * opened / ((1 - closed) * (1 - opened))).
sides AS (
    SELECT
        crawl,
        agent,
        max(CASE WHEN kind = 'closed' THEN share END) AS closed,
        max(CASE WHEN kind = 'opened' THEN share END) AS opened,
        max(CASE WHEN kind = 'closed' THEN share - low END) AS closed_down,
        max(CASE WHEN kind = 'closed' THEN high - share END) AS closed_up,
        max(CASE WHEN kind = 'opened' THEN share - low END) AS opened_down,
        max(CASE WHEN kind = 'opened' THEN high - share END) AS opened_up
    FROM intervals
    GROUP BY crawl, agent
),
together AS (
    SELECT *, coalesce(2 * sqrt(closed * opened / nullif((1 - closed) * (1 - opened), 0)), 0e0) AS twice FROM sides
),
paired AS (
    SELECT
        crawl,
        agent,
        closed - opened - sqrt(
            power(closed_down, 2) + power(opened_up, 2) + twice * closed_down * opened_up
        ) AS low,
        closed - opened + sqrt(
            power(closed_up, 2) + power(opened_down, 2) + twice * closed_up * opened_down
        ) AS high
    FROM together
)
SELECT
    counted.crawl,
    next_crawl,
    counted.agent,
    survivors,
    by_name_before,
    by_name_after,
    round(100e0 * by_name_before / nullif(survivors, 0), 2) AS by_name_before_percent,
    round(100e0 * by_name_after / nullif(survivors, 0), 2) AS by_name_after_percent,
    round(100e0 * (by_name_after - by_name_before) / nullif(survivors, 0), 2) AS difference,
    round(100 * paired.low, 2) AS difference_low,
    round(100 * paired.high, 2) AS difference_high,
    closed,
    opened,
    opened_still_star,
    through_star_before,
    through_star_after,
    not_known,
    only_before,
    only_after,
    CAST(first_fetch AS DATE) AS first_fetch,
    CAST(next_first_fetch AS DATE) AS next_first_fetch
FROM counted
JOIN crawls ON crawls.crawl = counted.crawl
LEFT JOIN paired ON paired.crawl = counted.crawl AND paired.agent = counted.agent
ORDER BY place, counted.agent;
