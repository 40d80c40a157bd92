-- On how many pages do robots metas and robots headers both occur, and how often do they say different things?
--
-- Unit: a page (a capture of any status).
-- Denominator: the pages of the crawl (pages_all).
-- By name: not about agents.
-- Not for: rules that name an agent.
--
-- Rules for all agents are compared, as sets of names of rules; index, follow and all say nothing and are left out.

WITH rules AS (
    SELECT
        crawl,
        warc_filename,
        warc_record_offset,
        warc_member_skip,
        CASE WHEN carrier = 'header' THEN 'header' ELSE 'meta' END AS place,
        category
    FROM statements_table
    WHERE system = 'robots_tag' AND body_digest IS NULL AND agent = '*' AND category NOT IN ('index', 'follow', 'all')
),
sets AS (
    SELECT
        crawl,
        warc_filename,
        warc_record_offset,
        warc_member_skip,
        place,
        array_join(array_sort(array_agg(DISTINCT category)), ', ') AS names
    FROM rules
    GROUP BY crawl, warc_filename, warc_record_offset, warc_member_skip, place
),
each_page AS (
    SELECT
        crawl,
        max(CASE WHEN place = 'header' THEN names END) AS in_header,
        max(CASE WHEN place = 'meta' THEN names END) AS in_meta
    FROM sets
    GROUP BY crawl, warc_filename, warc_record_offset, warc_member_skip
),
totals AS (
    SELECT crawl, count(*) AS pages_all FROM pages GROUP BY crawl
)
SELECT
    each_page.crawl,
    CASE
        WHEN in_meta IS NULL THEN 'header alone'
        WHEN in_header IS NULL THEN 'meta alone'
        WHEN in_header = in_meta THEN 'both, the same rules'
        ELSE 'both, different rules'
    END AS found_in,
    count(*) AS pages,
    round(100e0 * count(*) / max(pages_all), 2) AS pages_percent,
    max(pages_all) AS pages_all
FROM each_page
JOIN totals ON totals.crawl = each_page.crawl
GROUP BY each_page.crawl, CASE
    WHEN in_meta IS NULL THEN 'header alone'
    WHEN in_header IS NULL THEN 'meta alone'
    WHEN in_header = in_meta THEN 'both, the same rules'
    ELSE 'both, different rules'
END
ORDER BY each_page.crawl, found_in;
