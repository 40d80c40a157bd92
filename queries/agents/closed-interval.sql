-- How certain is the share of hosts that close an agent by name, if the hosts of one registered domain decide
-- together?
--
-- Unit: a host, once per crawl; or a website or a registered domain, by the variable unit.
-- Denominator: the hosts that answer (hosts).
-- By name: all of it.
-- Not for: fewer than 30 domains; the choice of hosts in a segment, which no interval has; or a change, which has an
-- interval of its own (change/summary.sql).
--
-- The interval (low to high, in percent) is Wilson's for 95 %, with the design effect: how many times larger the
-- variance is than that of as many independent hosts, by the differences between registered domains. Where fewer
-- than ten domains close the agent, it is at least the number of hosts of such a domain, and where none does, the
-- mean number of hosts, so that a share of 0 has an upper bound. Python's clustered_interval and the report use the
-- same formula. Variables: agent (GPTBot) and unit (host), docs/research.md.

WITH clusters AS (
    SELECT
        crawl,
        cluster,
        1e0 * count(*) AS units,
        1e0 * count(CASE
            WHEN array_contains(agents_named, agent) AND array_contains(agents_closed, agent) THEN 1
        END) AS hits
    FROM units
    CROSS JOIN (
        SELECT
            coalesce(getvariable('agent'), 'GPTBot') AS agent,
            coalesce(getvariable('unit'), 'host') AS wanted_unit
    ) AS asked
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
        crawl,
        share,
        units,
        clusters,
        CASE
            WHEN share IN (0, 1) THEN size
            ELSE greatest(
                1e0,
                squares * clusters / greatest(clusters - 1, 1e0) / (units * share * (1 - share)),
                CASE WHEN clusters_of_fewer < 10 THEN size_of_hits ELSE 1e0 END
            )
        END AS design_effect,
        1.959964e0 * (1 + 4.841459e0 / (4 * greatest(
            CASE WHEN share IN (0, 1) THEN clusters ELSE squares * squares / fourths END, 20e0
        ))) AS z
    FROM sums
),
wilson AS (
    SELECT
        crawl,
        share,
        units,
        clusters,
        design_effect,
        share * units / design_effect AS effective_hits,
        (1 - share) * units / design_effect AS effective_others,
        units / design_effect AS effective,
        (share + z * z * design_effect / (2 * units)) / (1 + z * z * design_effect / units) AS centre,
        z * sqrt(
            share * (1 - share) * design_effect / units + z * z * power(design_effect / (2 * units), 2)
        ) / (1 + z * z * design_effect / units) AS radius
    FROM effects
),
-- Of three or fewer the limit that is nearer to the end is a Poisson number's (Wilson and Hilferty).
intervals AS (
    SELECT
        crawl,
        share,
        units,
        clusters,
        design_effect,
        CASE
            WHEN share = 0 THEN 0e0
            WHEN effective_hits > 3 THEN centre - radius
            ELSE least(centre - radius, effective_hits / effective * power(greatest(
                1 - 1 / (9 * effective_hits) - 1.644854e0 / (3 * sqrt(effective_hits)), 0e0
            ), 3))
        END AS low,
        CASE
            WHEN share = 1 THEN 1e0
            WHEN effective_others > 3 THEN centre + radius
            ELSE greatest(centre + radius, 1 - effective_others / effective * power(greatest(
                1 - 1 / (9 * effective_others) - 1.644854e0 / (3 * sqrt(effective_others)), 0e0
            ), 3))
        END AS high
    FROM wilson
)
SELECT
    crawl,
    CAST(units AS BIGINT) AS hosts,
    CAST(clusters AS BIGINT) AS domains,
    CAST(round(share * units, 0) AS BIGINT) AS by_name,
    round(100 * share, 2) AS by_name_percent,
    round(100 * low, 2) AS low_percent,
    round(100 * high, 2) AS high_percent,
    round(design_effect, 2) AS design_effect
FROM intervals
ORDER BY crawl;
