-- How certain is the share of hosts that close GPTBot by name, if the hosts of one registered domain decide together?
--
-- Unit: a host, once per crawl.
-- Denominator: the hosts whose robots.txt is known (hosts).
-- By name: all of it.
-- Not for: fewer than 30 domains; the choice of hosts in a segment, which no interval has.
--
-- The interval (low to high, in percent) has 95 % of 200 bootstrap samples of whole registered domains. In each of
-- them a domain counts as often as a Poisson number with mean 1, made of a hash of its name, so that every engine
-- gives the same interval. design_effect: the variance of these samples by that of as many independent hosts. For
-- another agent replace GPTBot.

WITH clusters AS (
    SELECT
        crawl,
        coalesce(url_host_registered_domain, url_host_name) AS domain,
        count(*) AS hosts,
        count(
            CASE
                WHEN robots_state <> 'unreachable' AND array_contains(agents_named, 'GPTBot')
                    AND array_contains(agents_closed, 'GPTBot') THEN 1
            END
        ) AS closed
    FROM hosts
    WHERE agents_closed IS NOT NULL
    GROUP BY crawl, coalesce(url_host_registered_domain, url_host_name)
),
totals AS (
    SELECT
        crawl,
        count(*) AS domains,
        CAST(sum(hosts) AS BIGINT) AS hosts,
        CAST(sum(closed) AS BIGINT) AS closed
    FROM clusters
    GROUP BY crawl
),
drawn AS (
    SELECT
        crawl,
        replicate,
        hosts,
        closed,
        CAST(conv(substring(md5(concat(replicate, ' ', domain)), 1, 8), 16, 10) AS BIGINT)
            / 4294967296e0 AS chance
    FROM clusters
    CROSS JOIN (SELECT explode(sequence(1, 200)) AS replicate) AS replicates
),
weighted AS (
    SELECT
        crawl,
        replicate,
        hosts,
        closed,
        CASE
            WHEN chance < 0.367879441e0 THEN 0
            WHEN chance < 0.735758882e0 THEN 1
            WHEN chance < 0.919698603e0 THEN 2
            WHEN chance < 0.981011843e0 THEN 3
            WHEN chance < 0.996340153e0 THEN 4
            WHEN chance < 0.999405815e0 THEN 5
            WHEN chance < 0.999916759e0 THEN 6
            ELSE 7
        END AS times
    FROM drawn
),
shares AS (
    SELECT crawl, replicate, 100e0 * sum(times * closed) / nullif(sum(times * hosts), 0) AS percent
    FROM weighted
    GROUP BY crawl, replicate
),
ordered AS (
    SELECT crawl, percent, row_number() OVER (PARTITION BY crawl ORDER BY percent NULLS LAST, replicate) AS place
    FROM shares
),
intervals AS (
    SELECT
        crawl,
        max(CASE WHEN place = 6 THEN percent END) AS low,
        max(CASE WHEN place = 195 THEN percent END) AS high,
        var_samp(percent) AS variance
    FROM ordered
    GROUP BY crawl
)
SELECT
    totals.crawl,
    hosts,
    domains,
    closed AS by_name,
    round(100e0 * closed / hosts, 2) AS by_name_percent,
    round(low, 2) AS low_percent,
    round(high, 2) AS high_percent,
    round(variance * hosts / nullif((100e0 * closed / hosts) * (100 - 100e0 * closed / hosts), 0), 2) AS design_effect
FROM totals
JOIN intervals ON intervals.crawl = totals.crawl
ORDER BY totals.crawl;
