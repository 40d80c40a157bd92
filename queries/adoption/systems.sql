-- How many hosts and registered domains use each system of preferences, in site files and on pages?
--
-- Unit: a host, once per crawl and group of hosts, with all its origins.
-- Denominator: for site files the hosts of the group whose robots.txt is known (hosts_answering) and the domains of
-- these (domains_answering); for pages, that is headers and metas, the hosts that have pages (hosts_with_pages).
-- By name: not about agents.
-- Not for: what pages may be used for; groups of fewer than 100 hosts; or shares of the files beside robots.txt.
--
-- A system is used where a statement of it is found, valid or not; the columns with valid count the hosts with a
-- valid statement. A field that two documents read counts for the system that it was written for: Content-Usage for
-- AIPREF, and not for SUP. hosts and domains count both places together. A domain states a system in site files where
-- one of its hosts does (domains_in_site_files). site_files_percent and domains_percent are NULL for the systems of
-- the files beside robots.txt, which few hosts are asked for: site-files.sql has these with the hosts that were
-- asked. Variable: key, by which hosts are grouped (which): all, tld, rank or host-rank (docs/research.md).

WITH grouped AS (
    SELECT * FROM hosts_by_key WHERE key = asked_key(getvariable('key')) AND is_key(getvariable('key'))
),
totals AS (
    SELECT
        crawl,
        place,
        which,
        count(CASE WHEN answers THEN 1 END) AS hosts_answering,
        count(DISTINCT CASE WHEN answers THEN domain END) AS domains_answering,
        count(CASE WHEN pages > 0 THEN 1 END) AS hosts_with_pages
    FROM grouped
    GROUP BY crawl, place, which
),
counted AS (
    SELECT
        host_systems.crawl,
        which,
        system,
        count(*) AS hosts,
        count(DISTINCT domain) AS domains,
        count(CASE WHEN in_site_file AND answers THEN 1 END) AS in_site_files,
        count(CASE WHEN valid_in_site_file AND answers THEN 1 END) AS valid_in_site_files,
        count(DISTINCT CASE WHEN in_site_file AND answers THEN domain END) AS domains_in_site_files,
        count(CASE WHEN host_systems.pages > 0 THEN 1 END) AS on_pages,
        count(CASE WHEN host_systems.valid_pages > 0 THEN 1 END) AS valid_on_pages
    FROM host_systems
    JOIN grouped ON grouped.crawl = host_systems.crawl AND grouped.url_host_name = host_systems.url_host_name
    GROUP BY host_systems.crawl, which, system
)
SELECT
    counted.crawl,
    system,
    hosts,
    domains,
    in_site_files,
    valid_in_site_files,
    CASE
        WHEN NOT array_contains(names, system) THEN round(100e0 * in_site_files / nullif(hosts_answering, 0), 2)
    END AS site_files_percent,
    counted.which,
    hosts_answering,
    domains_in_site_files,
    CASE
        WHEN NOT array_contains(names, system)
            THEN round(100e0 * domains_in_site_files / nullif(domains_answering, 0), 2)
    END AS domains_percent,
    domains_answering,
    on_pages,
    valid_on_pages,
    round(100e0 * on_pages / nullif(hosts_with_pages, 0), 2) AS pages_percent,
    hosts_with_pages
FROM counted
JOIN totals ON totals.crawl = counted.crawl AND totals.which = counted.which
CROSS JOIN systems_beside_robots
ORDER BY counted.crawl, place, hosts_answering DESC, counted.which, hosts DESC, system;
