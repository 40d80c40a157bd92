-- How was robots.txt answered, and may the product token fetch the pages?
--
-- One row per crawl, viewpoint, state of robots.txt and answer, with its share of the crawl's pages. Pages are
-- captures of any status; add WHERE fetch_status = 200 for those that were served. A host counts once in a row, but
-- its pages may stand in several rows. Unavailable (4xx) opens everything and unreachable (5xx) closes everything,
-- RFC 9309 2.3.1; every other state but parsed leaves access unknown.

SELECT
    crawl,
    product_token,
    robots_state,
    access,
    count(*) AS pages,
    round(100e0 * count(*) / sum(count(*)) OVER (PARTITION BY crawl, product_token), 2) AS pages_percent,
    count(DISTINCT url_host_name) AS hosts
FROM pages
GROUP BY crawl, product_token, robots_state, access
ORDER BY crawl, product_token, pages DESC, robots_state, access;
