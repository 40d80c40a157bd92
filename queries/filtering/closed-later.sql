-- How many pages were open when they were crawled and are closed by a later robots.txt?
--
-- Unit: a page (a capture of any status), by crawl and the verdicts at the crawl and later, for the product token of
-- the run.
-- Denominator: the pages whose robots.txt is known both times (pages_known); the others have no share.
-- By name: apart, as way at the crawl; not for the later verdict.
-- Not for: what was allowed at the crawl: the later file does not bind backwards.
-- Needs: a run with --later.
--
-- way: by_name or by_star, the group by which the page is closed at the crawl; by_error: robots.txt answered 5xx,
-- which is no decision; the way of the later verdict is not in the tables. A changed robots.txt does not bind
-- backwards (draft-ietf-aipref-attach); this is what acting backwards would cost.

WITH counted AS (
    SELECT
        crawl,
        product_token,
        access,
        CASE
            WHEN access <> 'disallow' THEN '(not closed)'
            WHEN robots_state = 'unreachable' THEN 'by_error'
            WHEN access_matched = 'explicit' THEN 'by_name'
            ELSE 'by_star'
        END AS way,
        coalesce(access_later, '(not asked)') AS access_later,
        count(*) AS pages,
        count(DISTINCT url_host_name) AS hosts
    FROM pages
    GROUP BY crawl, product_token, access, CASE
        WHEN access <> 'disallow' THEN '(not closed)'
        WHEN robots_state = 'unreachable' THEN 'by_error'
        WHEN access_matched = 'explicit' THEN 'by_name'
        ELSE 'by_star'
    END, coalesce(access_later, '(not asked)')
),
totals AS (
    SELECT crawl, product_token, sum(pages) AS pages_known
    FROM counted
    WHERE access IN ('allow', 'disallow') AND access_later IN ('allow', 'disallow')
    GROUP BY crawl, product_token
)
SELECT
    counted.crawl,
    counted.product_token,
    access,
    way,
    access_later,
    pages,
    CASE WHEN access IN ('allow', 'disallow') AND access_later IN ('allow', 'disallow')
        THEN round(100e0 * pages / pages_known, 2) END AS pages_percent,
    CAST(pages_known AS BIGINT) AS pages_known,
    hosts
FROM counted
LEFT JOIN totals ON totals.crawl = counted.crawl AND totals.product_token = counted.product_token
ORDER BY counted.crawl, counted.product_token, access, way, access_later;
