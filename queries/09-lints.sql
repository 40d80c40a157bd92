-- What is odd in robots.txt files, and how often?
--
-- One row per crawl and lint (docs/lints.md says what each means). files: distinct bodies that were sent with 2xx; lines: lines
-- of them that have it; sites: hosts that sent such a file at any time; managed: files that hold a vendor's text. The share
-- is of all distinct files of the crawl.

WITH files AS (
    SELECT DISTINCT crawl, body_digest, url_host_name, managed_by IS NOT NULL AS is_managed
    FROM robots
    WHERE outcome IN ('parsed', 'not_text')
),
totals AS (
    SELECT crawl, count(DISTINCT body_digest) AS files FROM files GROUP BY crawl
),
lints AS (
    SELECT DISTINCT body_digest, lint, line_count FROM robots_lints
),
counted AS (
    SELECT
        crawl,
        lint,
        count(DISTINCT files.body_digest) AS files,
        count(DISTINCT url_host_name) AS sites,
        count(DISTINCT CASE WHEN is_managed THEN files.body_digest END) AS managed
    FROM files JOIN lints ON lints.body_digest = files.body_digest
    GROUP BY crawl, lint
),
line_counts AS (
    SELECT crawl, lint, sum(line_count) AS lines
    FROM (SELECT DISTINCT crawl, body_digest FROM files) AS bodies
    JOIN lints ON lints.body_digest = bodies.body_digest
    GROUP BY crawl, lint
)
SELECT
    counted.crawl,
    counted.lint,
    counted.files,
    round(100e0 * counted.files / totals.files, 2) AS files_percent,
    lines,
    sites,
    managed
FROM counted
JOIN totals ON totals.crawl = counted.crawl
JOIN line_counts ON line_counts.crawl = counted.crawl AND line_counts.lint = counted.lint
ORDER BY counted.crawl, counted.files DESC, counted.lint;
