-- How was robots.txt answered: which share of hosts with 200, 404, 403, 5xx, or by a redirect?
--
-- Unit: a host, once per crawl.
-- Denominator: the hosts with a capture of robots.txt (hosts_asked).
-- By name: not about agents.
-- Not for: hosts without any answer, which no archive has.
--
-- fetch_status is the host's own newest answer (a redirect has its 3xx), robots_state what came of it after
-- redirects. Common Crawl archives no timeouts and no failed connections: a host without any answer has no capture.

WITH totals AS (
    SELECT crawl, count(*) AS hosts_asked FROM hosts_answered WHERE robots_state <> 'not_archived' GROUP BY crawl
)
SELECT
    hosts_answered.crawl,
    fetch_status,
    robots_state,
    count(*) AS hosts,
    round(100e0 * count(*) / max(hosts_asked), 2) AS hosts_percent,
    max(hosts_asked) AS hosts_asked
FROM hosts_answered
JOIN totals ON totals.crawl = hosts_answered.crawl
WHERE robots_state <> 'not_archived'
GROUP BY hosts_answered.crawl, fetch_status, robots_state
ORDER BY hosts_answered.crawl, hosts DESC, fetch_status NULLS LAST, robots_state;
