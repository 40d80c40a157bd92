-- How certain is the share of hosts that close an agent by name, if the hosts of one registered domain decide
-- together?
--
-- Unit: a host, once per crawl; or a website or a registered domain, by the variable unit.
-- Denominator: the units that answer (units).
-- By name: all of it.
-- Not for: fewer than 30 domains; the choice of hosts in a segment, which no interval has; or a change, which has an
-- interval of its own (change/summary.sql).
--
-- The interval (low to high, in percent) is Wilson's for 95 %, with the design effect: how many times larger the
-- variance is than that of as many independent units, by the differences between registered domains. Where fewer
-- than ten domains close the agent, it is at least the number of units of such a domain, and where none does, the
-- mean number of units, so that a share of 0 has an upper bound. Python's clustered_interval and the report use the
-- same formula. Variables: agent (GPTBot; it stops at one that is not in the view agents and that no host names) and
-- unit (host), docs/research.md.

WITH asked AS (
    SELECT wanted AS agent, asked_unit(getvariable('unit')) AS wanted_unit, agents.agent IS NOT NULL AS is_listed
    FROM (SELECT coalesce(getvariable('agent'), 'GPTBot') AS wanted) AS variables
    LEFT JOIN agents ON agents.agent = wanted
),
clusters AS (
    SELECT
        crawl,
        cluster,
        count(CASE WHEN is_listed OR array_contains(agents_named, agent) THEN 1 END) AS knowing,
        1e0 * count(*) AS units,
        1e0 * count(CASE
            WHEN array_contains(agents_named, agent) AND array_contains(agents_closed, agent) THEN 1
        END) AS hits
    FROM units
    CROSS JOIN asked
    WHERE answers AND unit = wanted_unit
    GROUP BY crawl, cluster
),
shares AS (
    SELECT *, sum(hits) OVER (PARTITION BY crawl) / sum(units) OVER (PARTITION BY crawl) AS share
    FROM clusters
),
sums AS (
    SELECT
        crawl,
        share,
        1e0 * count(*) AS clusters,
        least(count(CASE WHEN hits > 0 THEN 1 END), count(CASE WHEN hits < units THEN 1 END)) AS clusters_of_fewer,
        sum(units) AS units,
        sum(units * units) / sum(units) AS size,
        sum(CASE WHEN hits > 0 THEN units * units END) / sum(CASE WHEN hits > 0 THEN units END) AS size_of_hits,
        sum(power(hits - units * share, 2)) AS squares,
        sum(power(hits - units * share, 4)) AS fourths
    FROM shares
    GROUP BY crawl, share
),
effects AS (
    SELECT
        *,
        design_effect(share, units, clusters, clusters_of_fewer, size, size_of_hits, squares) AS effect,
        deviations(share, clusters, squares, fourths) AS z,
        1 - share AS others
    FROM sums
),
effective AS (
    SELECT *, units / effect AS effective FROM effects
)
SELECT
    crawl,
    agent,
    wanted_unit AS unit,
    CAST(units AS BIGINT) AS units,
    CAST(clusters AS BIGINT) AS domains,
    CAST(round(share * units, 0) AS BIGINT) AS by_name,
    round(100 * share, 2) AS by_name_percent,
    round(100 * low_end(share, effective, z), 2) AS low_percent,
    round(100 * (1 - low_end(others, effective, z)), 2) AS high_percent,
    round(effect, 2) AS design_effect
FROM effective
CROSS JOIN asked
WHERE CASE
    WHEN (SELECT sum(knowing) FROM clusters) > 0 THEN true
    ELSE raise_error(concat(
        'no such agent in the view agents, and no host names it: ', (SELECT agent FROM asked), ' (the view has ',
        (SELECT array_join(array_sort(array_agg(agent)), ', ') FROM agents), ')'
    ))
END
ORDER BY crawl;
