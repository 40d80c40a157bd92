-- Which agents do robots.txt files name, and how much do they close to each: all, some, nothing?
--
-- Unit: a host, once per crawl and agent, by its readable robots.txt; agents of every name, and * for everybody else.
-- Denominator: the hosts that name the agent, which are few; of *, all with a readable robots.txt, whether it has a
-- group for all or not (hosts_counted).
-- By name: all of it; the row of * is for everybody else.
-- Not for: shares of all hosts, or how many close an agent in whatever way: closed.sql has both.
--
-- full: everything is closed; partial: something; none: nothing, by the rules of the file alone.

WITH named AS (
    SELECT crawl, agent, class
    FROM hosts
    JOIN robots_agents_distinct ON body_digest = robots_body_digest
    WHERE robots_state = 'parsed'
)
SELECT
    crawl,
    agent,
    count(*) AS hosts_counted,
    count(CASE WHEN class = 'full' THEN 1 END) AS full_hosts,
    round(100e0 * count(CASE WHEN class = 'full' THEN 1 END) / count(*), 2) AS full_percent_of_counted,
    count(CASE WHEN class = 'partial' THEN 1 END) AS partial_hosts,
    count(CASE WHEN class = 'none' THEN 1 END) AS none_hosts
FROM named
GROUP BY crawl, agent
ORDER BY crawl, hosts_counted DESC, agent;
