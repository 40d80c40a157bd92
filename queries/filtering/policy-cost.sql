-- What does each policy cost in pages and bytes, and for which reason?
--
-- Unit: a page (a capture of any status), and the bytes after its HTTP head, as in the archive.
-- Denominator: the pages of the crawl (pages_all), or their bytes (bytes_all).
-- By name: apart for access_disallow, as by_name, by_star and by_error; a fetch is forbidden in each case.
-- Not for: what owners decided: access_disallow also has 5xx answers, and pages that are closed to everybody.
--
-- robots, labels and strict are the policies of views.sql; a page is dropped for the first reason that applies;
-- (kept) is what stays.

WITH counted AS (
    SELECT
        crawl,
        policy,
        CASE WHEN kept THEN '(kept)' ELSE reason END AS reason,
        count(*) AS pages,
        coalesce(sum(content_length), 0) AS bytes,
        count(CASE WHEN way = 'by_name' THEN 1 END) AS by_name,
        count(CASE WHEN way = 'by_star' THEN 1 END) AS by_star,
        count(CASE WHEN way = 'by_error' THEN 1 END) AS by_error,
        count(DISTINCT url_host_name) AS hosts
    FROM page_policies
    GROUP BY crawl, policy, CASE WHEN kept THEN '(kept)' ELSE reason END
)
SELECT
    crawl,
    policy,
    reason,
    pages,
    round(100e0 * pages / sum(pages) OVER (PARTITION BY crawl, policy), 2) AS pages_percent,
    CAST(bytes AS BIGINT) AS bytes,
    round(100e0 * bytes / nullif(sum(bytes) OVER (PARTITION BY crawl, policy), 0), 2) AS bytes_percent,
    hosts,
    by_name,
    by_star,
    by_error,
    CAST(sum(pages) OVER (PARTITION BY crawl, policy) AS BIGINT) AS pages_all,
    CAST(sum(bytes) OVER (PARTITION BY crawl, policy) AS BIGINT) AS bytes_all
FROM counted
ORDER BY crawl, policy, pages DESC, reason;
