-- How many of the top hosts of Common Crawl's web graph state each system of preferences in a site file?
--
-- Unit: a ranked host.
-- Denominator: the hosts among the top k whose robots.txt is known in the crawl (hosts_answering); where a host and
-- its www are both in the crawl, the one without www counts.
-- By name: not about agents.
-- Not for: top-k lists of fewer than 100 hosts (hosts_answering), or a trend over crawls that know other hosts.
-- Needs: Common Crawl's host ranks as host-ranks.txt.gz in the folder of the run; they are joined on surt_host_name,
-- in which a host and its www are the same.
--
-- The top k are cumulative. hosts_percent is NULL for the systems of the files beside robots.txt, which few hosts
-- are asked for (site-files.sql).

WITH ranked AS (
    SELECT
        crawl,
        rank,
        systems,
        systems_valid,
        row_number() OVER (PARTITION BY crawl, host_ranks.surt_host_name ORDER BY length(url_host_name)) AS place
    FROM hosts
    JOIN host_ranks ON host_ranks.surt_host_name = hosts.surt_host_name
    WHERE answers
),
tops AS (
    SELECT crawl, top, systems, systems_valid
    FROM ranked
    JOIN (VALUES (1000), (10000), (100000), (1000000)) AS sizes (top) ON rank <= top
    WHERE place = 1
),
totals AS (
    SELECT crawl, top, count(*) AS hosts_answering FROM tops GROUP BY crawl, top
),
stated AS (
    SELECT crawl, top, systems_valid, explode(systems) AS system FROM tops
),
counted AS (
    SELECT
        crawl,
        top,
        system,
        count(*) AS hosts,
        count(CASE WHEN array_contains(systems_valid, system) THEN 1 END) AS hosts_valid
    FROM stated
    GROUP BY crawl, top, system
)
SELECT
    counted.crawl,
    counted.top,
    system,
    hosts,
    hosts_valid,
    CASE
        WHEN system NOT IN ('automation_preferences', 'tdmrep', 'ai_txt', 'trust_txt')
            THEN round(100e0 * hosts / hosts_answering, 2)
    END AS hosts_percent,
    hosts_answering
FROM counted
JOIN totals ON totals.crawl = counted.crawl AND totals.top = counted.top
ORDER BY counted.crawl, counted.top, hosts DESC, system;
