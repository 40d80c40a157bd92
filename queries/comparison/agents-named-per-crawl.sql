-- How did the naming of AI agents in robots.txt grow from crawl to crawl?
--
-- Unit: a host, once per crawl and agent, as in Common Crawl's table of user agents per crawl and the Web Almanac's
-- user-agent-years.sql.
-- Denominator: the hosts with a readable robots.txt (hosts_readable; Common Crawl's sites with rules are
-- comparison/common-crawl-status.sql), and all hosts of the crawl that were asked (hosts_asked; the Almanac's "all
-- sites").
-- By name: all of it; named is not closed.
-- Not for: a trend of the same hosts, which change/summary.sql has; or AI agents without a look at purpose: search
-- and others are here, too.
--
-- Named: the file has a group for the agent. purpose: that of the view agents, NULL for an agent of another table.
-- Crawls differ in their hosts: see change/summary.sql. unlike_designs: their archives were chosen in different ways,
-- too (view designs), so that a difference may come from that alone. Of a part of a list it has no shares.

WITH totals AS (
    SELECT
        crawl,
        count(CASE WHEN robots_state = 'parsed' AND agents_named IS NOT NULL THEN 1 END) AS hosts_readable,
        count(CASE WHEN robots_state <> 'not_archived' THEN 1 END) AS hosts_asked
    FROM hosts
    GROUP BY crawl
),
named AS (
    SELECT crawl, explode(agents_named) AS agent FROM hosts WHERE robots_state = 'parsed'
)
SELECT
    named.crawl,
    named.agent,
    max(purpose) AS purpose,
    count(*) AS hosts,
    round(100e0 * count(*) / max(CASE WHEN NOT are_forbidden THEN hosts_readable END), 2)
        AS percent_of_readable,
    round(100e0 * count(*) / max(CASE WHEN NOT are_forbidden THEN hosts_asked END), 2)
        AS percent_of_asked,
    max(hosts_readable) AS hosts_readable,
    max(hosts_asked) AS hosts_asked,
    bool_or(are_unlike) AS unlike_designs
FROM named
CROSS JOIN unlike_designs
JOIN totals ON totals.crawl = named.crawl
LEFT JOIN agents ON agents.agent = named.agent
GROUP BY named.crawl, named.agent
ORDER BY named.crawl, hosts DESC, named.agent;
