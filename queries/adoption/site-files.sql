-- Which hosts have a file of preferences beside robots.txt, and what does it say?
--
-- Unit: a host, once per crawl and kind of file, such as tdmrep.json and ai.txt.
-- Denominator: the hosts for whose file a capture is among the inputs, whatever the answer (asked).
-- By name: not about agents.
-- Not for: hosts that were not asked, which are most: if a crawl archived only files that it found, the share of
-- those asked is no share of hosts; or what one page may be used for.
--
-- answered: with 2xx; stating: the file has a valid statement; disallowing, allowing: for any path, method or
-- crawler, so that a host may be both. A file that is something else, such as a page that says that nothing was
-- found, is answered and not stating.

WITH files AS (
    SELECT DISTINCT crawl, kind, url_host_name, fetch_status BETWEEN 200 AND 299 AS is_sent, body_digest
    FROM captures
    WHERE kind NOT IN ('page', 'robots', 'robots_hop')
),
said AS (
    SELECT
        body_digest,
        carrier,
        bool_or(valid) AS states,
        bool_or(valid AND preference = 'disallow') AS disallows,
        bool_or(valid AND preference = 'allow') AS allows
    FROM statements_distinct
    GROUP BY body_digest, carrier
),
joined AS (
    SELECT
        crawl,
        kind,
        url_host_name,
        is_sent,
        is_sent AND coalesce(states, false) AS states,
        is_sent AND coalesce(disallows, false) AS disallows,
        is_sent AND coalesce(allows, false) AS allows
    FROM files
    LEFT JOIN said ON said.body_digest = files.body_digest AND said.carrier = files.kind
)
SELECT
    crawl,
    kind,
    count(DISTINCT url_host_name) AS asked,
    count(DISTINCT CASE WHEN is_sent THEN url_host_name END) AS answered,
    count(DISTINCT CASE WHEN states THEN url_host_name END) AS stating,
    round(100e0 * count(DISTINCT CASE WHEN states THEN url_host_name END) / count(DISTINCT url_host_name), 2)
        AS stating_percent_of_asked,
    count(DISTINCT CASE WHEN disallows THEN url_host_name END) AS disallowing,
    count(DISTINCT CASE WHEN allows THEN url_host_name END) AS allowing
FROM joined
GROUP BY crawl, kind
ORDER BY crawl, kind;
