-- Which line of robots.txt decided that a page may or may not be fetched?
--
-- Unit: a page that a rule decided (a capture of any status).
-- Denominator: none.
-- By name: apart, as access_matched: explicit is by name, wildcard through *.
-- Not for: counts, as a line may decide thousands of pages.
--
-- Pages that no rule decided have their reason in access_reason. line_text needs a run with --tables
-- +robots_lines_full and is NULL otherwise; `crawlprefs explain --tables` shows a single page's lines in any case.
-- Over a whole crawl, name a host where the comment says so.

SELECT
    pages.crawl,
    url,
    product_token,
    access,
    access_matched,
    access_line,
    key_raw || ': ' || value AS line_text,
    robots_age_s,
    robots_body_digest
FROM pages
LEFT JOIN robots_lines_distinct ON body_digest = robots_body_digest AND line = access_line
WHERE access_line IS NOT NULL
-- AND url_host_name = 'rep.example'
ORDER BY pages.crawl, url, warc_filename, warc_record_offset, warc_member_skip;
