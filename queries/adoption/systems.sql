-- How many hosts and registered domains use each system of preferences, in site files and on pages?
--
-- Unit: a host, once per crawl, with all its origins.
-- Denominator: for site files the hosts of the crawl whose robots.txt is known (hosts_answering); for pages, that is
-- headers and metas, the hosts that have pages (hosts_with_pages).
-- By name: not about agents.
-- Not for: what pages may be used for; or shares of the files beside robots.txt.
--
-- A system is used where a statement of it is found, valid or not; the columns with valid count the hosts with a
-- valid statement. A field that two documents read counts for the system that it was written for: Content-Usage for
-- AIPREF, and not for SUP. hosts and domains count both places together. site_files_percent is NULL for the systems
-- of the files beside robots.txt, which few hosts are asked for: site-files.sql has these with the hosts that were
-- asked.

WITH totals AS (
    SELECT
        crawl,
        count(CASE WHEN answers THEN 1 END) AS hosts_answering,
        count(CASE WHEN pages > 0 THEN 1 END) AS hosts_with_pages
    FROM hosts
    GROUP BY crawl
),
counted AS (
    SELECT
        host_systems.crawl,
        system,
        count(*) AS hosts,
        count(DISTINCT url_host_registered_domain) AS domains,
        count(CASE WHEN in_site_file AND answers THEN 1 END) AS in_site_files,
        count(CASE WHEN valid_in_site_file AND answers THEN 1 END) AS valid_in_site_files,
        count(CASE WHEN host_systems.pages > 0 THEN 1 END) AS on_pages,
        count(CASE WHEN host_systems.valid_pages > 0 THEN 1 END) AS valid_on_pages
    FROM host_systems
    JOIN hosts ON hosts.crawl = host_systems.crawl AND hosts.url_host_name = host_systems.url_host_name
    GROUP BY host_systems.crawl, system
)
SELECT
    counted.crawl,
    system,
    hosts,
    domains,
    in_site_files,
    valid_in_site_files,
    CASE
        WHEN system NOT IN ('automation_preferences', 'tdmrep', 'ai_txt', 'trust_txt')
            THEN round(100e0 * in_site_files / nullif(hosts_answering, 0), 2)
    END AS site_files_percent,
    hosts_answering,
    on_pages,
    valid_on_pages,
    round(100e0 * on_pages / nullif(hosts_with_pages, 0), 2) AS pages_percent,
    hosts_with_pages
FROM counted
JOIN totals ON totals.crawl = counted.crawl
ORDER BY counted.crawl, hosts DESC, system;
