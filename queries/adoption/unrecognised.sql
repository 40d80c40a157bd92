-- Which lines, fields and metas about AI does no system read?
--
-- Unit: a name of a line, field or meta, once per crawl and carrier.
-- Denominator: all statements of the crawl (statements_all); names are counted by hosts, and lines of site files by origins.
-- By name: not about agents.
-- Not for: what such a line means, or whether it is about AI at all, which nobody but its author knows.
--
-- doubts: rows that may be a no that nobody understood, so that their pages have no label allow. first_crawl: the first of
-- these crawls that has the name.

WITH totals AS (
    SELECT crawl, count(*) AS statements_all FROM statements GROUP BY crawl
),
firsts AS (
    SELECT category, min(crawl) AS first_crawl
    FROM statements
    WHERE system = 'unrecognised' AND category IS NOT NULL
    GROUP BY category
)
SELECT
    found.crawl,
    found.carrier,
    found.category AS name,
    max(first_crawl) AS first_crawl,
    count(*) AS found_rows,
    count(DISTINCT url_host_name) AS hosts,
    coalesce(sum(origins), 0) AS origins,
    sum(CASE WHEN doubt THEN 1 ELSE 0 END) AS doubts,
    min(raw) AS example,
    max(statements_all) AS statements_all
FROM statements AS found
JOIN totals ON totals.crawl = found.crawl
JOIN firsts ON firsts.category = found.category
WHERE found.system = 'unrecognised'
GROUP BY found.crawl, found.carrier, found.category
ORDER BY found.crawl, hosts DESC, origins DESC, found.carrier, name;
