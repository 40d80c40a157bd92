-- Which share of hosts closes each agent over time: of all hosts, of a balanced panel, and of newcomers?
--
-- Unit: a host, each crawl (or time of sites --at), agent and panel.
-- Denominator: the hosts of the panel (hosts) that answer in the crawl: robots.txt was read, or is not there (4xx).
-- By name: apart, as by_name and through_star.
-- Not for: the Web, as the hosts of a crawl are no sample of it; growth by all hosts, which mixes change with the
-- choice of hosts, while balanced leaves out whoever came or went; or across a day of data/events.tsv without a note
-- of it.
--
-- by_name: the host has a group for the agent that closes everything to it, which alone is a decision about the
-- agent; through_star: it has none, and the group for all closes everything (authors.sql: in whose text). Panels: all
-- hosts; balanced, the hosts that answer in every crawl of the folder; newcomers, those that answer in this crawl and
-- in none before it, so that the first crawl has none. An agent counts from the month by which a source lists it
-- (known_by, data/agents.tsv; since is the first such month, where that is known): before that month, and where
-- known_by is empty, its cells are NULL, and left_out says why. month: of the newest robots.txt of the crawl. Crawls
-- are in the order of time (place), by the median of their times; the query stops where two of them overlap. Agents
-- are those of the built-in table that a host of the folder names. unlike_designs: the hosts of the panel are not the
-- same in each crawl, and the archives of the crawls were chosen in different ways (view designs), so that a difference
-- may come from that alone; NULL where that is not recorded. Where one is a part of a list, there are counts and no
-- shares. A folder with one crawl has no rows.

WITH crawls AS (
    SELECT
        crawls_in_order.crawl,
        place,
        substring(CAST(last_time AS STRING), 1, 7) AS month,
        count(*) OVER () AS crawls
    FROM crawls_in_order
    JOIN (SELECT crawl, max(robots_fetch_time) AS last_time FROM sites GROUP BY crawl) AS newest
        ON newest.crawl = crawls_in_order.crawl
),
known AS (
    SELECT
        hosts.crawl,
        place,
        agents_closed,
        agents_named,
        count(*) OVER (PARTITION BY url_host_name) AS known_in,
        min(place) OVER (PARTITION BY url_host_name) AS first_known
    FROM hosts
    JOIN crawls ON crawls.crawl = hosts.crawl
    WHERE answers
),
-- Most hosts have one of a few lists, which are exploded once.
alike AS (
    SELECT
        known.crawl,
        known_in = crawls AS is_balanced,
        known.place = first_known AS is_newcomer,
        agents_closed,
        agents_named,
        count(*) AS hosts
    FROM known
    JOIN crawls ON crawls.crawl = known.crawl
    GROUP BY
        known.crawl, known_in = crawls, known.place = first_known, agents_closed, agents_named
),
members AS (
    SELECT 'all hosts' AS panel, crawl, agents_closed, agents_named, hosts FROM alike
    UNION ALL
    SELECT 'balanced', crawl, agents_closed, agents_named, hosts FROM alike WHERE is_balanced
    UNION ALL
    SELECT 'newcomers', crawl, agents_closed, agents_named, hosts FROM alike WHERE is_newcomer
),
sizes AS (
    SELECT panels.panel, crawls.crawl, coalesce(sum(hosts), 0) AS hosts
    FROM crawls
    CROSS JOIN (VALUES ('all hosts'), ('balanced'), ('newcomers')) AS panels (panel)
    LEFT JOIN members ON members.crawl = crawls.crawl AND members.panel = panels.panel
    WHERE crawls > 1 AND (panels.panel <> 'newcomers' OR place > 1)
    GROUP BY panels.panel, crawls.crawl
),
named AS (
    SELECT DISTINCT agent FROM (SELECT explode(agents_named) AS agent FROM alike) AS each_name
),
closings AS (
    SELECT
        panel,
        crawl,
        agent,
        sum(CASE WHEN is_named THEN hosts ELSE 0 END) AS by_name,
        sum(CASE WHEN is_named THEN 0 ELSE hosts END) AS through_star
    FROM (
        SELECT panel, crawl, agent, hosts, array_contains(agents_named, agent) AS is_named
        FROM (SELECT panel, crawl, agents_named, hosts, explode(agents_closed) AS agent FROM members) AS each_agent
    ) AS each_closing
    GROUP BY panel, crawl, agent
),
counted AS (
    SELECT
        sizes.crawl,
        month,
        sizes.panel,
        named.agent,
        since,
        known_by,
        place,
        CASE
            WHEN known_by IS NULL THEN 'no source says since when the agent is known'
            WHEN known_by > month THEN 'not known yet'
        END AS left_out,
        CAST(hosts AS BIGINT) AS hosts,
        CASE WHEN known_by <= month THEN CAST(coalesce(by_name, 0) AS BIGINT) END AS by_name,
        CASE WHEN known_by <= month THEN CAST(coalesce(through_star, 0) AS BIGINT) END AS through_star
    FROM sizes
    JOIN crawls ON crawls.crawl = sizes.crawl
    CROSS JOIN named
    JOIN agents ON agents.agent = named.agent
    LEFT JOIN closings
        ON closings.panel = sizes.panel AND closings.crawl = sizes.crawl AND closings.agent = named.agent
)
SELECT
    crawl,
    month,
    panel,
    agent,
    since,
    known_by,
    CASE
        WHEN left_out IS NOT NULL THEN left_out
        WHEN is_forbidden THEN 'the archives of the crawls were chosen in different ways'
    END AS left_out,
    hosts,
    by_name,
    through_star,
    CASE WHEN NOT is_forbidden THEN round(100e0 * by_name / nullif(hosts, 0), 2) END
        AS by_name_percent,
    CASE WHEN NOT is_forbidden THEN round(100e0 * through_star / nullif(hosts, 0), 2) END
        AS through_star_percent,
    unlike_designs
FROM (
    SELECT
        *,
        panel <> 'balanced' AND are_unlike AS unlike_designs,
        panel <> 'balanced' AND are_forbidden AS is_forbidden
    FROM counted
    CROSS JOIN unlike_designs
) AS compared
ORDER BY agent, panel, place;
