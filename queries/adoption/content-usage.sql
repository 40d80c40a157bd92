-- Who publishes Content-Usage (AIPREF), where, for which use, and with which defects?
--
-- Unit: a host, once per crawl and row, and a statement (a member of the field).
-- Denominator: none, these are counts; shares of hosts are in systems.sql.
-- By name: not about agents.
-- Not for: shares, or adding up rows: a host is in several.
--
-- The vocabulary is the one of the run (--vocab): a label of another vocabulary is a defect here.

SELECT
    crawl,
    carrier,
    vocabulary,
    coalesce(key, '(none)') AS label,
    coalesce(preference, '(none)') AS preference,
    coalesce(defect, '(none)') AS defect,
    count(DISTINCT url_host_name) AS hosts,
    count(*) AS statements
FROM statements
WHERE system = 'aipref'
GROUP BY crawl, carrier, vocabulary, coalesce(key, '(none)'), coalesce(preference, '(none)'), coalesce(defect, '(none)')
ORDER BY crawl, carrier, hosts DESC, label, preference, defect;
