-- How was robots.txt answered for the pages, and may the crawler fetch them?
--
-- Unit: a page (a capture of any status), by the robots.txt that counted when it was fetched; add WHERE fetch_status =
-- 200 for those that were served. Denominator: the pages of the crawl and viewpoint (pages_all). A host counts once in
-- a row, and its pages may be in several rows.
--
-- By name: apart in access_matched of pages, not here. Not for: shares of hosts; or decisions, as unreachable is an
-- error.

SELECT
    crawl,
    product_token,
    robots_state,
    access,
    count(*) AS pages,
    round(100e0 * count(*) / sum(count(*)) OVER (PARTITION BY crawl, product_token), 2) AS pages_percent,
    CAST(sum(count(*)) OVER (PARTITION BY crawl, product_token) AS BIGINT) AS pages_all,
    count(DISTINCT url_host_name) AS hosts
FROM pages
GROUP BY crawl, product_token, robots_state, access
ORDER BY crawl, product_token, pages DESC, robots_state, access;
