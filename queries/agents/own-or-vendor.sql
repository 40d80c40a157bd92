-- Of the hosts that close each agent by name, how many do so in text of their own, and how many in a vendor's?
--
-- Unit: a host, once per crawl, agent and author, by its readable robots.txt.
-- Denominator: the hosts that close the agent by name (hosts_closing).
-- By name: all of it.
-- Not for: what owners chose: a vendor's block may be on by default, and an owner's text may be copied (lists.sql).
--
-- Author: the vendor in whose block or template the lines are that close everything to the agent; (own); or (both),
-- where the owner's text closes it as well, so that it stays closed without the vendor.

WITH closing AS (
    SELECT host_agents.crawl, url_host_name, url_host_registered_domain, host_agents.agent,
        CASE closed_in WHEN 'own' THEN '(own)' WHEN 'both' THEN '(both)' ELSE managed_by END AS author
    FROM host_agents
    JOIN robots_agents_distinct
        ON robots_agents_distinct.body_digest = robots_body_digest AND robots_agents_distinct.agent = host_agents.agent
    WHERE way = 'by_name'
),
totals AS (
    SELECT crawl, agent, count(*) AS hosts_closing FROM closing GROUP BY crawl, agent
)
SELECT
    closing.crawl,
    closing.agent,
    author,
    count(*) AS hosts,
    count(DISTINCT url_host_registered_domain) AS domains,
    round(100e0 * count(*) / max(hosts_closing), 2) AS percent_of_closing,
    max(hosts_closing) AS hosts_closing
FROM closing
JOIN totals ON totals.crawl = closing.crawl AND totals.agent = closing.agent
GROUP BY closing.crawl, closing.agent, author
ORDER BY closing.crawl, hosts_closing DESC, closing.agent, hosts DESC, author;
