-- Where can the numbers not be trusted: what was damaged, unread, stale or missing?
--
-- Unit: named in the row (archives, records, places, pages), once per problem, crawl and archive; the archive (all)
-- sums up the crawl.
-- Denominator: how many of the unit the archive or the crawl has (found_of); NULL for places, which have no whole.
-- By name: not about agents.
-- Not for: correcting a number: what was lost is not known.
--
-- A problem that is not listed was not found. Of a record that was lost nothing is known, not even whether it was a
-- page or a robots.txt; where damage hides how many were lost, their number is the least possible.

WITH unread_carriers AS (
    SELECT crawl, warc_filename, 'page not read whole' AS problem, explode(unread) AS carrier FROM pages
    UNION ALL
    SELECT crawl, warc_filename, 'page not seen whole', explode(not_seen) FROM pages
    UNION ALL
    SELECT crawl, warc_filename, 'page in doubt', explode(doubt) FROM pages
),
listed AS (
    SELECT crawl, warc_filename, kind, count(*) AS places
    FROM failures
    WHERE kind <> 'more'
    GROUP BY crawl, warc_filename, kind
),
-- An archive lists at most 10,000 damaged places.
unlisted AS (
    SELECT archives.crawl, archives.warc_filename, failures - coalesce(sum(places), 0) AS places
    FROM archives
    LEFT JOIN listed ON listed.crawl = archives.crawl AND listed.warc_filename = archives.warc_filename
    GROUP BY archives.crawl, archives.warc_filename, failures
),
problems AS (
    SELECT crawl, warc_filename, 'archive not read' AS problem, outcome AS detail, 'archives' AS unit, 1 AS found
    FROM archives
    WHERE outcome <> 'read'
    UNION ALL
    SELECT crawl, warc_filename, 'records lost', 'to damage', 'records', records_lost
    FROM archives
    WHERE records_lost > 0
    UNION ALL
    SELECT crawl, warc_filename, 'damage', kind, 'places', places FROM listed
    UNION ALL
    SELECT crawl, warc_filename, 'damage', 'more', 'places', places FROM unlisted WHERE places > 0
    UNION ALL
    SELECT crawl, warc_filename, problem, carrier, 'pages', 1 FROM unread_carriers
    UNION ALL
    SELECT crawl, warc_filename, 'page cut', content_truncated, 'pages', 1
    FROM pages
    WHERE content_truncated IS NOT NULL
    UNION ALL
    SELECT crawl, warc_filename, 'robots.txt unknown', robots_state, 'pages', 1 FROM pages WHERE access = 'unknown'
    UNION ALL
    SELECT crawl, warc_filename, 'robots.txt stale', 'older than 24 hours', 'pages', 1 FROM pages WHERE robots_stale
    UNION ALL
    SELECT crawl, warc_filename, 'robots.txt later', 'fetched after the page', 'pages', 1
    FROM pages
    WHERE robots_after_page
    UNION ALL
    SELECT crawl, warc_filename, 'robots.txt cut', 'its end is missing', 'pages', 1 FROM pages WHERE robots_cut
),
both_levels AS (
    SELECT crawl, warc_filename AS archive, problem, detail, unit, found FROM problems
    UNION ALL
    SELECT crawl, '(all)', problem, detail, unit, found FROM problems
),
counted AS (
    SELECT crawl, archive, problem, detail, unit, CAST(sum(found) AS BIGINT) AS found
    FROM both_levels
    GROUP BY crawl, archive, problem, detail, unit
),
sizes AS (
    SELECT crawl, warc_filename AS archive, 1 AS archives, records, 0 AS pages FROM archives
    UNION ALL
    SELECT crawl, '(all)', 1, records, 0 FROM archives
    UNION ALL
    SELECT crawl, warc_filename, 0, 0, 1 FROM pages
    UNION ALL
    SELECT crawl, '(all)', 0, 0, 1 FROM pages
),
totals AS (
    SELECT crawl, archive, sum(archives) AS archives, sum(records) AS records, sum(pages) AS pages
    FROM sizes
    GROUP BY crawl, archive
)
SELECT
    counted.crawl,
    counted.archive,
    problem,
    detail,
    unit,
    found,
    CAST(CASE unit WHEN 'archives' THEN archives WHEN 'records' THEN records WHEN 'pages' THEN pages END AS BIGINT)
        AS found_of
FROM counted
JOIN totals ON totals.crawl = counted.crawl AND totals.archive = counted.archive
ORDER BY counted.crawl, CASE WHEN counted.archive = '(all)' THEN 0 ELSE 1 END, counted.archive, problem, detail, unit;
