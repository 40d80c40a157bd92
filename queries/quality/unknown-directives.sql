-- Which directives of robots.txt are unknown or misspelt?
--
-- Unit: a distinct robots.txt body, once per crawl and directive, a host that has such a file, and a line.
-- Denominator: the distinct readable bodies of the crawl that some host has (files_all).
-- By name: not about agents.
-- Not for: who wrote a line; or directives behind the 4,096th unusual line of a file.
--
-- Unknown: neither RFC 9309 nor a system that crawlprefs reads has the name. sitemap, which is in neither, is left
-- out.

WITH files AS (
    SELECT DISTINCT crawl, url_host_name, robots_body_digest AS body_digest FROM hosts WHERE robots_state = 'parsed'
),
totals AS (
    SELECT crawl, count(DISTINCT body_digest) AS files_all FROM files GROUP BY crawl
),
lines AS (
    SELECT body_digest, key, count(*) AS lines
    FROM robots_lines_distinct
    WHERE NOT known AND key <> 'sitemap' AND coalesce(defect, '') <> 'too_many'
    GROUP BY body_digest, key
),
bodies AS (
    SELECT crawl, body_digest, count(*) AS hosts FROM files GROUP BY crawl, body_digest
)
SELECT
    bodies.crawl,
    key,
    count(*) AS files,
    round(100e0 * count(*) / max(files_all), 2) AS files_percent,
    CAST(sum(lines) AS BIGINT) AS lines,
    CAST(sum(hosts) AS BIGINT) AS hosts,
    max(files_all) AS files_all
FROM bodies
JOIN lines ON lines.body_digest = bodies.body_digest
JOIN totals ON totals.crawl = bodies.crawl
GROUP BY bodies.crawl, key
ORDER BY bodies.crawl, files DESC, key;
