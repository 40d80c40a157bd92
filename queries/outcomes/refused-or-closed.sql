-- How many hosts refuse the crawler by an HTTP answer, and how many by robots.txt?
--
-- Unit: a host, once per crawl.
-- Denominator: the hosts of the crawl (hosts_all).
-- By name: apart, as two rows.
-- Not for: who refuses on purpose: an answer may come from a defence against all bots; or the share that closes
-- CCBot, as a host is in one row alone (closed.sql has that).
--
-- A host is in the first of these rows that applies. An answer of 401, 403 or 429 often comes from a defence against
-- bots in front of the site; the tables do not know by whom a refusal was sent. Closed: CCBot may fetch nothing;
-- only by name is it a decision about CCBot.

WITH refused_pages AS (
    SELECT
        crawl,
        url_host_name,
        bool_and(fetch_status IN (401, 403, 429, 503)) AS all_refused
    FROM pages
    WHERE url_host_name IS NOT NULL AND fetch_status IS NOT NULL
    GROUP BY crawl, url_host_name
),
each_host AS (
    SELECT
        hosts_answered.crawl,
        CASE
            WHEN robots_state = 'unreachable' THEN '1 robots.txt answered 5xx'
            WHEN fetch_status IN (401, 403, 429) THEN '2 robots.txt answered 401, 403 or 429'
            WHEN array_contains(agents_closed, 'CCBot') AND array_contains(agents_named, 'CCBot')
                THEN '3 robots.txt closes everything to CCBot by name'
            WHEN array_contains(agents_closed, 'CCBot') THEN '4 robots.txt closes everything to CCBot through *'
            WHEN all_refused THEN '5 every page answered 401, 403, 429 or 503'
            WHEN agents_closed IS NULL THEN '6 robots.txt is unknown'
            ELSE '7 not refused'
        END AS refusal
    FROM hosts_answered
    LEFT JOIN refused_pages
        ON refused_pages.crawl = hosts_answered.crawl AND refused_pages.url_host_name = hosts_answered.url_host_name
)
SELECT
    crawl,
    refusal,
    count(*) AS hosts,
    round(100e0 * count(*) / sum(count(*)) OVER (PARTITION BY crawl), 2) AS hosts_percent,
    CAST(sum(count(*)) OVER (PARTITION BY crawl) AS BIGINT) AS hosts_all
FROM each_host
GROUP BY crawl, refusal
ORDER BY crawl, refusal;
