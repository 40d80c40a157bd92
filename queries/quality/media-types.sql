-- As which media types are robots.txt files served, and how many of them are HTML?
--
-- Unit: a capture of robots.txt with a 2xx answer and a body, and its bytes.
-- Denominator: the captures with 2xx and a body (captures_all), and their bytes.
-- By name: not about agents.
-- Not for: hosts, as a host may have several captures.
--
-- not_text: the body looks like HTML or another type, whatever its declared type.

SELECT
    crawl,
    coalesce(content_mime_type, '(none)') AS media_type,
    count(*) AS captures,
    round(100e0 * count(*) / sum(count(*)) OVER (PARTITION BY crawl), 2) AS captures_percent,
    CAST(sum(count(*)) OVER (PARTITION BY crawl) AS BIGINT) AS captures_all,
    count(CASE WHEN outcome = 'not_text' THEN 1 END) AS not_text,
    CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes,
    round(100e0 * coalesce(sum(bytes), 0) / nullif(sum(sum(bytes)) OVER (PARTITION BY crawl), 0), 2) AS bytes_percent
FROM robots
WHERE outcome IN ('parsed', 'not_text')
GROUP BY crawl, coalesce(content_mime_type, '(none)')
ORDER BY crawl, captures DESC, media_type;
