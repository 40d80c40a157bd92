-- How was robots.txt answered for the pages, and may the crawler fetch them?
--
-- Unit: a page (a capture of any status), by the robots.txt that counted when it was fetched; add WHERE fetch_status
-- = 200 for those that were served.
-- Denominator: the pages of the crawl and viewpoint (pages_all).
-- By name: apart, as by_name, by_star and by_error.
-- Not for: shares of hosts; or decisions, as unreachable is an error.
--
-- by_name: pages that a group for the product token closes; by_star: that the group for all closes; by_error: whose
-- robots.txt answered 5xx. A host counts once in a row, and its pages may be in several rows.

SELECT
    crawl,
    product_token,
    robots_state,
    access,
    count(*) AS pages,
    round(100e0 * count(*) / sum(count(*)) OVER (PARTITION BY crawl, product_token), 2) AS pages_percent,
    CAST(sum(count(*)) OVER (PARTITION BY crawl, product_token) AS BIGINT) AS pages_all,
    count(CASE WHEN access = 'disallow' AND access_matched = 'explicit' THEN 1 END) AS by_name,
    count(CASE WHEN access = 'disallow' AND access_matched = 'wildcard' THEN 1 END) AS by_star,
    count(CASE WHEN access = 'disallow' AND robots_state = 'unreachable' THEN 1 END) AS by_error,
    count(DISTINCT url_host_name) AS hosts
FROM pages
GROUP BY crawl, product_token, robots_state, access
ORDER BY crawl, product_token, pages DESC, robots_state, access;
