-- How do the agents that we find compare with the Web Almanac's charts of agents named in robots.txt?
--
-- Unit: a host, once per crawl and name, as the Almanac's user-agent-named.sql counts sites: an agent of any name,
-- lower case, with at least one rule in its group (allow, disallow or crawl-delay).
-- Denominator: all sites (hosts_asked: hosts with a capture of robots.txt), and sites whose own answer is 200
-- (hosts_200).
-- By name: all of it; named is not closed.
-- Not for: how many are closed.
--
-- The Almanac asks home pages of its own list of sites; restrict to ranked_hosts for its buckets by rank.

WITH totals AS (
    SELECT
        crawl,
        count(CASE WHEN robots_state <> 'not_archived' THEN 1 END) AS hosts_asked,
        count(CASE WHEN fetch_status = 200 THEN 1 END) AS hosts_200
    FROM hosts_answered
    GROUP BY crawl
),
named AS (
    SELECT DISTINCT hosts.crawl, hosts.url_host_name, lower(agent) AS agent, fetch_status
    FROM hosts
    JOIN robots_agents_distinct ON body_digest = robots_body_digest
    JOIN hosts_answered
        ON hosts_answered.crawl = hosts.crawl AND hosts_answered.url_host_name = hosts.url_host_name
    WHERE hosts.robots_state = 'parsed' AND (allow_count > 0 OR disallow_count > 0 OR crawl_delay_s IS NOT NULL)
)
SELECT
    named.crawl,
    agent,
    count(*) AS hosts,
    round(100e0 * count(*) / max(hosts_asked), 2) AS percent_of_all,
    count(CASE WHEN fetch_status = 200 THEN 1 END) AS hosts_of_200,
    round(100e0 * count(CASE WHEN fetch_status = 200 THEN 1 END) / nullif(max(hosts_200), 0), 2) AS percent_of_200,
    max(hosts_asked) AS hosts_asked,
    max(hosts_200) AS hosts_200
FROM named
JOIN totals ON totals.crawl = named.crawl
GROUP BY named.crawl, agent
ORDER BY named.crawl, hosts DESC, agent;
