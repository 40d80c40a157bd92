-- How common are noai, noimageai and noml, in headers and in metas?
--
-- Unit: a page (a capture of any status) and a host, once per crawl, carrier and rule.
-- Denominator: the pages of the crawl (pages_all).
-- By name: not about agents.
-- Not for: sites as a whole, as a rule is about its page; or comparing carriers by hosts.

WITH totals AS (
    SELECT crawl, count(*) AS pages_all FROM pages GROUP BY crawl
),
used AS (
    SELECT DISTINCT crawl, carrier, category, url_host_name, warc_filename, warc_record_offset, warc_member_skip
    FROM statements
    WHERE system = 'robots_tag' AND category IN ('noai', 'noimageai', 'noml')
)
SELECT
    used.crawl,
    carrier,
    category,
    count(*) AS pages,
    round(100e0 * count(*) / max(pages_all), 3) AS pages_percent,
    count(DISTINCT url_host_name) AS hosts,
    max(pages_all) AS pages_all
FROM used
JOIN totals ON totals.crawl = used.crawl
GROUP BY used.crawl, carrier, category
ORDER BY used.crawl, carrier, pages DESC, category;
