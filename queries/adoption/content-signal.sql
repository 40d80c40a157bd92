-- How many hosts publish Content-Signal in robots.txt, and with which values?
--
-- Unit: a host, once per crawl, key and value, by the newest robots.txt of each of its origins; a host whose groups
-- differ counts for each value.
-- Denominator: the hosts with a valid Content-Signal (hosts_stating).
-- By name: not about agents.
-- Not for: shares of all hosts (systems.sql has those); or what holds on a page, as a value may be about one agent or
-- path.
--
-- Valid statements only.

WITH stated AS (
    SELECT crawl, url_host_name, url_host_registered_domain, key, value
    FROM statements
    WHERE system = 'content_signal' AND carrier = 'robots' AND valid
),
totals AS (
    SELECT crawl, count(DISTINCT url_host_name) AS hosts_stating FROM stated GROUP BY crawl
)
SELECT
    stated.crawl,
    key,
    value,
    count(DISTINCT url_host_name) AS hosts,
    count(DISTINCT url_host_registered_domain) AS domains,
    round(100e0 * count(DISTINCT url_host_name) / max(hosts_stating), 2) AS percent_of_stating,
    max(hosts_stating) AS hosts_stating
FROM stated
JOIN totals ON totals.crawl = stated.crawl
GROUP BY stated.crawl, key, value
ORDER BY stated.crawl, key, hosts DESC, value;
