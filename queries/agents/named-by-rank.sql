-- Which agents do the top domains of a Tranco list name in robots.txt?
--
-- Unit: a ranked domain, once per crawl and token of the agents table, by the robots.txt of the domain itself or of
-- its www.
-- Denominator: the domains among the top k with a readable robots.txt (domains_readable).
-- By name: all of it; named is not closed.
-- Not for: how many are closed, or top-k lists of fewer than 100 domains (domains_readable).
-- Needs: ranks.csv in the folder of the run.
--
-- The top k are cumulative.

WITH tops AS (
    SELECT crawl, top, agents_named
    FROM ranked_hosts
    JOIN (VALUES (1000), (10000), (100000), (1000000)) AS sizes (top) ON rank <= top
    WHERE robots_state = 'parsed' AND agents_named IS NOT NULL
),
totals AS (
    SELECT crawl, top, count(*) AS domains_readable FROM tops GROUP BY crawl, top
),
named AS (
    SELECT crawl, top, explode(agents_named) AS agent FROM tops
)
SELECT
    named.crawl,
    named.top,
    agent,
    count(*) AS domains,
    round(100e0 * count(*) / max(domains_readable), 2) AS domains_percent,
    max(domains_readable) AS domains_readable
FROM named
JOIN totals ON totals.crawl = named.crawl AND totals.top = named.top
GROUP BY named.crawl, named.top, agent
ORDER BY named.crawl, named.top, domains DESC, agent;
