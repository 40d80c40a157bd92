-- How many of the top domains of a Tranco list state each system of preferences in a site file?
--
-- Unit: a ranked domain, by the robots.txt of the domain itself or of its www.
-- Denominator: the domains among the top k whose robots.txt is known in the crawl (domains_answering).
-- By name: not about agents.
-- Not for: top-k lists of fewer than 100 domains (domains_answering), or a trend over crawls that know other domains.
-- Needs: ranks.csv (Tranco's list as it is) in the folder of the run.
--
-- The top k are cumulative: the top 1000 are also among the top 10000. domains_percent is NULL for the systems of the
-- files beside robots.txt, which few hosts are asked for (site-files.sql).

WITH tops AS (
    SELECT crawl, top, domain, systems, systems_valid
    FROM ranked_hosts
    JOIN (VALUES (1000), (10000), (100000), (1000000)) AS sizes (top) ON rank <= top
    WHERE answers
),
totals AS (
    SELECT crawl, top, count(*) AS domains_answering FROM tops GROUP BY crawl, top
),
stated AS (
    SELECT crawl, top, systems_valid, explode(systems) AS system FROM tops
),
counted AS (
    SELECT
        crawl,
        top,
        system,
        count(*) AS domains,
        count(CASE WHEN array_contains(systems_valid, system) THEN 1 END) AS domains_valid
    FROM stated
    GROUP BY crawl, top, system
)
SELECT
    counted.crawl,
    counted.top,
    system,
    domains,
    domains_valid,
    CASE
        WHEN system NOT IN ('automation_preferences', 'tdmrep', 'ai_txt', 'trust_txt')
            THEN round(100e0 * domains / domains_answering, 2)
    END AS domains_percent,
    domains_answering
FROM counted
JOIN totals ON totals.crawl = counted.crawl AND totals.top = counted.top
ORDER BY counted.crawl, counted.top, domains DESC, system;
