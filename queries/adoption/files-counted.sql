-- Which hosts have files such as llms.txt, rsl.xml or agents.txt, whose presence alone is counted?
--
-- Unit: a host, once per crawl and path; the files are not read.
-- Denominator: the hosts for which a capture of the path is among the inputs, whatever the answer (asked).
-- By name: not about agents.
-- Not for: what such a file says or allows, as only its presence was counted; nor hosts that were not asked for it.
--
-- answered: with 2xx; present: with 2xx and another media type than HTML, which servers send for any path. An
-- agents.txt lists endpoints for agents; it is no robots.txt.

WITH files AS (
    SELECT
        crawl,
        url_path,
        url_host_name,
        fetch_status BETWEEN 200 AND 299 AS is_sent,
        coalesce(content_mime_type, '') IN ('text/html', 'application/xhtml+xml') AS is_html
    FROM captures
    WHERE
        url_query IS NULL
        AND url_path IN (
            '/llms.txt', '/llms-full.txt', '/rsl.xml', '/agents.txt', '/.well-known/agents.txt', '/.well-known/ai.json'
        )
)
SELECT
    crawl,
    url_path,
    count(DISTINCT url_host_name) AS asked,
    count(DISTINCT CASE WHEN is_sent THEN url_host_name END) AS answered,
    count(DISTINCT CASE WHEN is_sent AND NOT is_html THEN url_host_name END) AS present
FROM files
GROUP BY crawl, url_path
ORDER BY crawl, url_path;
