-- How do the answers for robots.txt differ between the top 1000, 10,000, 100,000 and a million domains?
--
-- Unit: a ranked domain that the crawl knows, by the robots.txt of the domain itself or of its www, and the class of
-- its answer.
-- Denominator: the ranked domains of the top k that the crawl knows (domains_in_crawl); those that it does not know
-- are the rest of k.
-- By name: not about agents.
-- Not for: top-k lists of fewer than 100 domains (domains_in_crawl).
-- Needs: ranks.csv in the folder of the run.
--
-- The top k are cumulative.

WITH tops AS (
    SELECT ranked_hosts.crawl, top, status_class
    FROM ranked_hosts
    JOIN (VALUES (1000), (10000), (100000), (1000000)) AS sizes (top) ON rank <= top
    JOIN hosts_answered
        ON hosts_answered.crawl = ranked_hosts.crawl AND hosts_answered.url_host_name = ranked_hosts.url_host_name
)
SELECT
    crawl,
    top,
    status_class,
    count(*) AS domains,
    round(100e0 * count(*) / sum(count(*)) OVER (PARTITION BY crawl, top), 2) AS domains_percent,
    CAST(sum(count(*)) OVER (PARTITION BY crawl, top) AS BIGINT) AS domains_in_crawl
FROM tops
GROUP BY crawl, top, status_class
ORDER BY crawl, top, domains DESC, status_class;
