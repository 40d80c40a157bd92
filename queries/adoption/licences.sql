-- Who points to an RSL licence, and to which hosts do the licences belong?
--
-- Unit: a host, once per crawl, carrier and host of the licence; (other) is a licence that is not an absolute http
-- URL.
-- Denominator: none, these are counts; shares of hosts are in systems.sql.
-- By name: not about agents.
-- Not for: what a licence allows, which nobody has read.

SELECT
    crawl,
    carrier,
    CASE
        WHEN value LIKE 'http%://%' THEN lower(split_part(split_part(value, '/', 3), '?', 1))
        ELSE '(other)'
    END AS licence_host,
    count(DISTINCT url_host_name) AS hosts,
    count(DISTINCT url_host_registered_domain) AS domains,
    count(DISTINCT value) AS licences
FROM statements
WHERE system = 'rsl' AND category = 'license'
GROUP BY crawl, carrier, CASE
    WHEN value LIKE 'http%://%' THEN lower(split_part(split_part(value, '/', 3), '?', 1))
    ELSE '(other)'
END
ORDER BY crawl, hosts DESC, carrier, licence_host;
