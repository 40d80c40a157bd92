-- Where can the numbers not be trusted: what was damaged, unread, stale or not there?
--
-- One row per problem in each crawl and archive; the archive '(all)' stands first and sums up the crawl. found counts
-- what unit says, and of is how many of these the archive or the crawl has; NULL for places, which have no whole. A
-- problem that is not listed was not found. Of a record that was lost nothing is known, not even whether it was a
-- page or a robots.txt; where damage hides how many were lost, their number is the least possible.

WITH problems AS (
    SELECT crawl, warc_filename, 'archive not read' AS problem, outcome AS detail, 'archives' AS unit, 1 AS found
    FROM archives
    WHERE outcome <> 'read'
    UNION ALL
    SELECT crawl, warc_filename, 'records lost', 'to damage', 'records', records_lost
    FROM archives
    WHERE records_lost > 0
    UNION ALL
    SELECT crawl, warc_filename, 'damage', kind, 'places', count(*)
    FROM failures
    GROUP BY crawl, warc_filename, kind
    UNION ALL
    SELECT crawl, warc_filename, 'page not read whole', carrier, 'pages', count(*)
    FROM pages CROSS JOIN UNNEST(unread) AS carriers (carrier)
    GROUP BY crawl, warc_filename, carrier
    UNION ALL
    SELECT crawl, warc_filename, 'page cut', content_truncated, 'pages', count(*)
    FROM pages
    WHERE content_truncated IS NOT NULL
    GROUP BY crawl, warc_filename, content_truncated
    UNION ALL
    SELECT crawl, warc_filename, 'robots.txt unknown', robots_state, 'pages', count(*)
    FROM pages
    WHERE access = 'unknown'
    GROUP BY crawl, warc_filename, robots_state
    UNION ALL
    SELECT crawl, warc_filename, 'robots.txt stale', 'older than 24 hours', 'pages', count(*)
    FROM pages
    WHERE robots_stale
    GROUP BY crawl, warc_filename
    UNION ALL
    SELECT crawl, warc_filename, 'robots.txt later', 'fetched after the page', 'pages', count(*)
    FROM pages
    WHERE robots_after_page
    GROUP BY crawl, warc_filename
    UNION ALL
    SELECT pages.crawl, warc_filename, 'robots.txt cut', 'its end is missing', 'pages', count(*)
    FROM pages JOIN site_files_distinct ON body_digest = robots_body_digest
    WHERE cut
    GROUP BY pages.crawl, warc_filename
),
per_archive AS (
    SELECT
        coalesce(warc_filename, '(all)') AS archive,
        crawl,
        problem,
        detail,
        unit,
        sum(found) AS found
    FROM problems
    GROUP BY GROUPING SETS ((crawl, problem, detail, unit), (crawl, warc_filename, problem, detail, unit))
),
page_counts AS (
    SELECT crawl, warc_filename, count(*) AS pages FROM pages GROUP BY crawl, warc_filename
),
totals AS (
    SELECT
        archives.crawl,
        coalesce(archives.warc_filename, '(all)') AS archive,
        count(*) AS archives,
        sum(records) AS records,
        coalesce(sum(pages), 0) AS pages
    FROM archives
    LEFT JOIN page_counts
        ON page_counts.crawl = archives.crawl AND page_counts.warc_filename = archives.warc_filename
    GROUP BY GROUPING SETS ((archives.crawl), (archives.crawl, archives.warc_filename))
)
SELECT
    per_archive.crawl,
    per_archive.archive,
    problem,
    detail,
    unit,
    found,
    CASE unit WHEN 'archives' THEN archives WHEN 'records' THEN records WHEN 'pages' THEN pages END AS "of"
FROM per_archive JOIN totals ON totals.crawl = per_archive.crawl AND totals.archive = per_archive.archive
ORDER BY per_archive.crawl, per_archive.archive <> '(all)', per_archive.archive, problem, detail, unit;
