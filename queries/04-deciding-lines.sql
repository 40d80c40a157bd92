-- Which line of robots.txt decided that a page may or may not be fetched?
--
-- One row per page that a rule decided, with the very line. Pages that no rule decided have their reason in
-- access_reason. Over a whole crawl, name a host where the comment says so.
--
-- Lines end with CR, LF or CRLF, mixed. A body is bytes, not text: cast to VARCHAR, DuckDB writes each byte that is
-- not printable ASCII, the backslash and quotes as \xHH, so that line ends can be found in the writing. A line is then
-- shown as text if it is UTF-8, else as written.

WITH decided AS (
    SELECT crawl, url, product_token, access, access_matched, access_line, robots_age_s, robots_body_digest,
        warc_filename, warc_record_offset, warc_member_skip
    FROM pages
    WHERE access_line IS NOT NULL
    -- AND url_host_name = 'rep.example'
),
written AS (
    SELECT
        body_digest,
        string_split(replace(replace(CAST(body AS VARCHAR), '\x0D\x0A', '\x0A'), '\x0D', '\x0A'), '\x0A') AS lines
    FROM site_files_distinct
    WHERE body_digest IN (SELECT robots_body_digest FROM decided)
),
deciding AS (
    SELECT DISTINCT body_digest, access_line, lines[access_line] AS line
    FROM decided JOIN written ON body_digest = robots_body_digest
)
SELECT
    crawl,
    url,
    product_token,
    access,
    access_matched,
    decided.access_line,
    coalesce(try(decode(CAST(line AS BLOB))), line) AS line,
    robots_age_s,
    robots_body_digest
FROM decided
LEFT JOIN deciding
    ON deciding.body_digest = decided.robots_body_digest AND deciding.access_line = decided.access_line
ORDER BY crawl, url, warc_filename, warc_record_offset, warc_member_skip;
