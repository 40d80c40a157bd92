-- How common is TDMRep, by carrier: header, meta, tdmrep.json?
--
-- Unit: a host, once per crawl, carrier and value, and a registered domain.
-- Denominator: for header and meta the hosts that have pages; for tdmrep.json the hosts for whose file a capture is
-- among the inputs, whatever the answer (hosts_asked).
-- By name: not about agents.
-- Not for: adding up carriers: a host may have several; nor hosts that were not asked for a tdmrep.json: if a crawl
-- archived only files that it found, the share of those asked is no share of hosts.
--
-- Valid reservations only: '1' reserves the rights, '0' does not. NULL: no host was asked.

WITH totals AS (
    SELECT crawl, 'header' AS of_carrier, count(*) AS hosts_asked FROM hosts WHERE pages > 0 GROUP BY crawl
    UNION ALL
    SELECT crawl, 'meta', count(*) FROM hosts WHERE pages > 0 GROUP BY crawl
    UNION ALL
    -- A file of another crawl among the inputs may count, too.
    SELECT crawl, 'tdmrep', count(DISTINCT url_host_name)
    FROM (
        SELECT crawl, url_host_name FROM captures WHERE kind = 'tdmrep'
        UNION ALL
        SELECT crawl, url_host_name FROM statements WHERE carrier = 'tdmrep'
    ) AS hosts_asked
    GROUP BY crawl
)
SELECT
    statements.crawl,
    carrier,
    value,
    count(DISTINCT url_host_name) AS hosts,
    count(DISTINCT url_host_registered_domain) AS domains,
    round(100e0 * count(DISTINCT url_host_name) / max(hosts_asked), 2) AS percent_of_asked,
    max(hosts_asked) AS hosts_asked
FROM statements
LEFT JOIN totals ON totals.crawl = statements.crawl AND of_carrier = carrier
WHERE system = 'tdmrep' AND key = 'tdm-reservation' AND valid
GROUP BY statements.crawl, carrier, value
ORDER BY statements.crawl, carrier, value;
