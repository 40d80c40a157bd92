-- How do the agents that we find compare with Cloudflare Radar's chart of AI agents in robots.txt?
--
-- Unit: a domain of the top 10,000, by the robots.txt of the domain itself or of its www, once per crawl and agent
-- that it names, as in Radar's chart: fully_disallowed (everything), partially_disallowed (something), allowed
-- (named, and nothing is closed).
-- Denominator: the domains of the top 10,000 with a readable robots.txt (domains_readable).
-- By name: all of it.
-- Not for: agents closed through *, which Radar leaves out; or AI agents without a look at purpose: search and
-- others are here, too.
-- Needs: ranks.csv in the folder of the run.
--
-- purpose: that of the view agents, NULL for an agent of another table. A group through * is not counted there.
-- Radar ranks domains by its own list, so give that list as ranks.csv for the same base.

WITH top_domains AS (
    SELECT crawl, agents_closed, agents_restricted, agents_named
    FROM ranked_hosts
    WHERE rank <= 10000 AND robots_state = 'parsed' AND agents_named IS NOT NULL
),
totals AS (
    SELECT crawl, count(*) AS domains_readable FROM top_domains GROUP BY crawl
),
named AS (
    SELECT crawl, agents_closed, agents_restricted, explode(agents_named) AS agent FROM top_domains
)
SELECT
    named.crawl,
    named.agent,
    max(purpose) AS purpose,
    count(*) AS named,
    count(CASE WHEN array_contains(agents_closed, named.agent) THEN 1 END) AS fully_disallowed,
    round(100e0 * count(CASE WHEN array_contains(agents_closed, named.agent) THEN 1 END) / max(domains_readable), 2)
        AS fully_percent,
    count(
        CASE
            WHEN array_contains(agents_restricted, named.agent)
                AND NOT array_contains(agents_closed, named.agent)
                THEN 1
        END
    ) AS partially_disallowed,
    count(CASE WHEN NOT array_contains(agents_restricted, named.agent) THEN 1 END) AS allowed,
    max(domains_readable) AS domains_readable
FROM named
JOIN totals ON totals.crawl = named.crawl
LEFT JOIN agents ON agents.agent = named.agent
GROUP BY named.crawl, named.agent
ORDER BY named.crawl, named DESC, named.agent;
