-- In whose text do hosts close each agent by name over time: their own, a vendor's, or both?
--
-- Unit: a host, each crawl, agent and panel.
-- Denominator: the hosts of the panel that answer in the crawl (hosts).
-- By name: all of it.
-- Not for: what owners decided, as a vendor's text may be on by default; or a change of vendor across the break, which
-- no owner made.
--
-- own, vendor, both: in whose text the lines are that close everything to the agent. Panels: all hosts; balanced, the
-- hosts that answer in every crawl of the folder. is_after_break: half of the crawl or more was fetched on or after 15
-- September 2026, when Cloudflare's managed robots.txt was retired: in the days after, hosts that had it had neither
-- block (data/events.tsv); vendor fell without a decision of the sites, and own and both did not. Crawls are in the
-- order of time (place). unlike_designs, and where no shares are: as in panel.sql. A folder with one crawl
-- has no rows.

WITH crawls AS (
    SELECT
        crawl,
        place,
        median_fetch >= CAST('2026-09-15 00:00:00' AS TIMESTAMP) AS is_after_break,
        count(*) OVER () AS crawls
    FROM crawls_in_order
),
known AS (
    SELECT
        hosts.crawl,
        place,
        is_after_break,
        robots_body_digest,
        agents_closed,
        agents_named,
        count(*) OVER (PARTITION BY url_host_name) = crawls AS is_balanced
    FROM hosts
    JOIN crawls ON crawls.crawl = hosts.crawl
    WHERE answers AND crawls > 1
),
members AS (
    SELECT *, count(*) OVER (PARTITION BY crawl, panel) AS hosts
    FROM known
    CROSS JOIN (VALUES ('all hosts'), ('balanced')) AS panels (panel)
    WHERE is_balanced OR panel = 'all hosts'
),
closings AS (
    SELECT
        crawl,
        place,
        is_after_break,
        panel,
        hosts,
        CASE WHEN panel = 'balanced' OR NOT are_forbidden THEN hosts END AS hosts_compared,
        panel <> 'balanced' AND are_unlike AS unlike_designs,
        robots_body_digest,
        agents_named,
        explode(agents_closed) AS agent
    FROM members
    CROSS JOIN unlike_designs
),
authors AS (
    SELECT body_digest, agent, max(closed_in) AS closed_in FROM robots_agents_distinct GROUP BY body_digest, agent
)
SELECT
    crawl,
    panel,
    closings.agent,
    is_after_break,
    max(hosts) AS hosts,
    count(*) AS by_name,
    round(100e0 * count(*) / max(hosts_compared), 2) AS by_name_percent,
    count(CASE WHEN closed_in = 'own' THEN 1 END) AS own,
    round(100e0 * count(CASE WHEN closed_in = 'own' THEN 1 END) / max(hosts_compared), 2) AS own_percent,
    count(CASE WHEN closed_in = 'vendor' THEN 1 END) AS vendor,
    round(100e0 * count(CASE WHEN closed_in = 'vendor' THEN 1 END) / max(hosts_compared), 2) AS vendor_percent,
    count(CASE WHEN closed_in = 'both' THEN 1 END) AS both,
    round(100e0 * count(CASE WHEN closed_in = 'both' THEN 1 END) / max(hosts_compared), 2) AS both_percent,
    bool_or(unlike_designs) AS unlike_designs
FROM closings
LEFT JOIN authors ON body_digest = robots_body_digest AND authors.agent = closings.agent
WHERE array_contains(agents_named, closings.agent)
GROUP BY crawl, place, is_after_break, panel, closings.agent
ORDER BY closings.agent, panel, place;
