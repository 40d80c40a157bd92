-- How many hosts of each top-level domain state each system of preferences in a site file?
--
-- Unit: a host, once per crawl.
-- Denominator: the hosts of the top-level domain whose robots.txt is known (hosts_answering).
-- By name: not about agents.
-- Not for: top-level domains of fewer than 100 hosts (hosts_answering).
--
-- Addresses have no top-level domain and are left out. Add HAVING count(*) >= 100 to totals for shares that mean
-- something. hosts_percent is NULL for the systems of the files beside robots.txt, which few hosts are asked for
-- (site-files.sql).

WITH totals AS (
    SELECT crawl, url_host_tld, count(*) AS hosts_answering
    FROM hosts
    WHERE url_host_tld IS NOT NULL AND answers
    GROUP BY crawl, url_host_tld
),
stated AS (
    SELECT crawl, url_host_tld, systems_valid, explode(systems) AS system
    FROM hosts
    WHERE url_host_tld IS NOT NULL AND answers
),
counted AS (
    SELECT
        crawl,
        url_host_tld,
        system,
        count(*) AS hosts,
        count(CASE WHEN array_contains(systems_valid, system) THEN 1 END) AS hosts_valid
    FROM stated
    GROUP BY crawl, url_host_tld, system
)
SELECT
    counted.crawl,
    counted.url_host_tld,
    system,
    hosts,
    hosts_valid,
    CASE
        WHEN system NOT IN ('automation_preferences', 'tdmrep', 'ai_txt', 'trust_txt')
            THEN round(100e0 * hosts / hosts_answering, 2)
    END AS hosts_percent,
    hosts_answering
FROM counted
JOIN totals ON totals.crawl = counted.crawl AND totals.url_host_tld = counted.url_host_tld
ORDER BY counted.crawl, hosts DESC, counted.url_host_tld, system;
