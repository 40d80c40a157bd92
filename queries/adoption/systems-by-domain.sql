-- How many registered domains state each system of preferences in a site file?
--
-- Unit: a registered domain, once per crawl; an address, or a host that is a public suffix, is a domain of its own.
-- Denominator: the domains that have a host that answers (domains_answering).
-- By name: not about agents.
-- Not for: headers and metas.
--
-- A domain states a system where one of its hosts does (domains_valid: with a statement that has no defect). hosts:
-- the hosts of these domains that state it. domains_percent is NULL for the systems of the files beside robots.txt,
-- which few hosts are asked for (site-files.sql).

WITH known AS (
    SELECT crawl, url_host_name, coalesce(url_host_registered_domain, url_host_name) AS domain, systems, systems_valid
    FROM hosts
    WHERE answers
),
totals AS (
    SELECT crawl, count(DISTINCT domain) AS domains_answering FROM known GROUP BY crawl
),
stated AS (
    SELECT crawl, url_host_name, domain, systems_valid, explode(systems) AS system FROM known
)
SELECT
    stated.crawl,
    system,
    count(DISTINCT domain) AS domains,
    count(DISTINCT CASE WHEN array_contains(systems_valid, system) THEN domain END) AS domains_valid,
    CASE
        WHEN system NOT IN ('automation_preferences', 'tdmrep', 'ai_txt', 'trust_txt')
            THEN round(100e0 * count(DISTINCT domain) / max(domains_answering), 2)
    END AS domains_percent,
    count(*) AS hosts,
    max(domains_answering) AS domains_answering
FROM stated
JOIN totals ON totals.crawl = stated.crawl
GROUP BY stated.crawl, system
ORDER BY stated.crawl, domains DESC, system;
