-- What does each policy cost in pages and bytes, and for which reason?
--
-- Unit: a page (a capture of any status), and the bytes after its HTTP head, as in the archive. robots, labels and
-- strict are the policies of views.sql; a page is dropped for the first reason that applies; (kept) is what stays.
-- Denominator: the pages, or the bytes, of the crawl.
--
-- By name: not asked, as a fetch is forbidden in any case. Not for: what owners decided: access_disallow has 5xx
-- answers, too.

WITH counted AS (
    SELECT
        crawl,
        policy,
        CASE WHEN kept THEN '(kept)' ELSE reason END AS reason,
        count(*) AS pages,
        coalesce(sum(content_length), 0) AS bytes,
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
    hosts
FROM counted
ORDER BY crawl, policy, pages DESC, reason;
