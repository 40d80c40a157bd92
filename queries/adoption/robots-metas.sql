-- Which robots rules do pages carry in metas and headers, on home pages and on inner pages?
--
-- Unit: a page (a capture of any status), once per crawl, carrier, agent and rule.
-- Denominator: the home pages, or the inner pages, of the crawl (pages_all).
-- By name: apart, as agent: that of the rule, and * for all.
-- Not for: sites as a whole, as a rule is about its page.
--
-- A home page has the path / and no query.

WITH placed AS (
    SELECT
        crawl,
        warc_filename,
        warc_record_offset,
        warc_member_skip,
        CASE WHEN url_path = '/' AND url_query IS NULL THEN 'home' ELSE 'inner' END AS place
    FROM pages
),
totals AS (
    SELECT crawl, place, count(*) AS pages_all FROM placed GROUP BY crawl, place
),
used AS (
    SELECT DISTINCT
        placed.crawl,
        place,
        carrier,
        lower(agent) AS agent,
        category,
        placed.warc_filename,
        placed.warc_record_offset,
        placed.warc_member_skip
    FROM placed
    JOIN statements_table
        ON statements_table.crawl = placed.crawl
        AND statements_table.warc_filename = placed.warc_filename
        AND statements_table.warc_record_offset = placed.warc_record_offset
        AND statements_table.warc_member_skip = placed.warc_member_skip
    WHERE system = 'robots_tag' AND category IS NOT NULL
)
SELECT
    used.crawl,
    used.place,
    carrier,
    agent,
    category,
    count(*) AS pages,
    round(100e0 * count(*) / max(pages_all), 2) AS pages_percent,
    max(pages_all) AS pages_all
FROM used
JOIN totals ON totals.crawl = used.crawl AND totals.place = used.place
GROUP BY used.crawl, used.place, carrier, agent, category
ORDER BY used.crawl, used.place, carrier, pages DESC, agent NULLS LAST, category;
