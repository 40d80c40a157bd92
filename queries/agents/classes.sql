-- Which agents do robots.txt files name, and how much do they close to each: all, some, nothing?
--
-- Unit: a host, once per crawl and agent, by its readable robots.txt; agents of every name, and * for everybody else.
-- full: everything is closed; partial: something; none: nothing, by the rules of the file alone. Denominator: the hosts
-- that name the agent (hosts).
--
-- By name: all of it; the row of * is the group for everybody else. Not for: how many hosts close an agent in whatever
-- way: closed.sql has that.

WITH named AS (
    SELECT crawl, agent, class
    FROM hosts
    JOIN robots_agents_distinct ON body_digest = robots_body_digest
    WHERE robots_state = 'parsed'
)
SELECT
    crawl,
    agent,
    count(*) AS hosts,
    count(CASE WHEN class = 'full' THEN 1 END) AS full_hosts,
    round(100e0 * count(CASE WHEN class = 'full' THEN 1 END) / count(*), 2) AS full_percent,
    count(CASE WHEN class = 'partial' THEN 1 END) AS partial_hosts,
    count(CASE WHEN class = 'none' THEN 1 END) AS none_hosts
FROM named
GROUP BY crawl, agent
ORDER BY crawl, hosts DESC, agent;
