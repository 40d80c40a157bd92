-- How common is TDMRep, by carrier: header, meta, tdmrep.json?
--
-- Unit: a host, once per crawl, carrier and value, and a registered domain. Valid reservations only: '1' reserves the
-- rights, '0' does not. Denominator: the hosts of the crawl (hosts_all), as a host without pages may have a
-- tdmrep.json.
--
-- By name: not about agents. Not for: adding up carriers: a host may have several.

WITH totals AS (
    SELECT crawl, count(*) AS hosts_all FROM hosts GROUP BY crawl
)
SELECT
    statements.crawl,
    carrier,
    value,
    count(DISTINCT url_host_name) AS hosts,
    count(DISTINCT url_host_registered_domain) AS domains,
    round(100e0 * count(DISTINCT url_host_name) / max(hosts_all), 2) AS hosts_percent,
    max(hosts_all) AS hosts_all
FROM statements
JOIN totals ON totals.crawl = statements.crawl
WHERE system = 'tdmrep' AND key = 'tdm-reservation' AND valid
GROUP BY statements.crawl, carrier, value
ORDER BY statements.crawl, carrier, value;
