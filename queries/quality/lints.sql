-- What is odd in robots.txt files, and how often?
--
-- Unit: a distinct robots.txt body, once per crawl and lint (docs/lints.md says what each means), a host that has
-- such a file, and a line.
-- Denominator: the distinct readable bodies of the crawl that some host has (files_all).
-- By name: not about agents.
-- Not for: how many hosts' owners erred: a file may be a vendor's or a plug-in's.
--
-- managed: files with a vendor's text.

WITH files AS (
    SELECT DISTINCT crawl, url_host_name, robots_body_digest AS body_digest FROM hosts WHERE robots_state = 'parsed'
),
bodies AS (
    SELECT crawl, body_digest, count(*) AS hosts FROM files GROUP BY crawl, body_digest
),
totals AS (
    SELECT crawl, count(*) AS files_all FROM bodies GROUP BY crawl
),
managed AS (
    SELECT DISTINCT body_digest FROM robots WHERE managed_by IS NOT NULL AND body_digest IS NOT NULL
)
SELECT
    bodies.crawl,
    lint,
    count(*) AS files,
    round(100e0 * count(*) / max(files_all), 2) AS files_percent,
    CAST(sum(line_count) AS BIGINT) AS lines,
    CAST(sum(hosts) AS BIGINT) AS hosts,
    count(managed.body_digest) AS managed,
    max(files_all) AS files_all
FROM bodies
JOIN robots_lints_distinct ON robots_lints_distinct.body_digest = bodies.body_digest
JOIN totals ON totals.crawl = bodies.crawl
LEFT JOIN managed ON managed.body_digest = bodies.body_digest
GROUP BY bodies.crawl, lint
ORDER BY bodies.crawl, files DESC, lint;
