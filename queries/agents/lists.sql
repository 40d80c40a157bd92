-- Which lists of agents do robots.txt files of several hosts share?
--
-- Unit: a list of agents, once per crawl: the names for which a readable robots.txt has groups, whatever it closes to
-- them, in whatever order, without *.
-- Denominator: the hosts that name an agent (hosts_naming), and the different lists of these (lists_all).
-- By name: all of it; named is not closed.
-- Not for: counting decisions by hosts: hosts with one list of many names are often one decision, of a publishing
-- group or a plug-in.
--
-- hosts, domains, files: which have it; managed_hosts: those whose file holds a vendor's text. example is one of the
-- hosts. Lists of a single host are left out.

WITH listed AS (
    SELECT
        crawl, url_host_name, url_host_registered_domain, robots_body_digest, agents_fingerprint, managed_by
    FROM hosts
    JOIN robots_lists ON body_digest = robots_body_digest
    WHERE robots_state = 'parsed'
),
totals AS (
    SELECT crawl, count(*) AS hosts_naming, count(DISTINCT agents_fingerprint) AS lists_all FROM listed GROUP BY crawl
),
agents AS (
    SELECT body_digest, count(*) AS agents FROM robots_agents_distinct WHERE agent <> '*' GROUP BY body_digest
)
SELECT
    listed.crawl,
    agents_fingerprint,
    max(agents) AS agents,
    count(*) AS hosts,
    count(DISTINCT url_host_registered_domain) AS domains,
    count(DISTINCT robots_body_digest) AS files,
    count(managed_by) AS managed_hosts,
    min(url_host_name) AS example,
    round(100e0 * count(*) / max(hosts_naming), 2) AS percent_of_naming,
    max(hosts_naming) AS hosts_naming,
    max(lists_all) AS lists_all
FROM listed
JOIN totals ON totals.crawl = listed.crawl
JOIN agents ON agents.body_digest = robots_body_digest
GROUP BY listed.crawl, agents_fingerprint
HAVING count(*) > 1
ORDER BY listed.crawl, hosts DESC, agents DESC, agents_fingerprint;
