-- Which agents do hosts name in robots.txt?
--
-- Unit: a host, once per crawl, group of hosts and token of the agents table.
-- Denominator: the hosts of the group with a readable robots.txt (hosts_readable).
-- By name: all of it; named is not closed.
-- Not for: how many are closed, or groups of fewer than 100 hosts (hosts_readable).
--
-- Variable: key, by which hosts are grouped (which): all, tld, rank or host-rank (docs/research.md).

WITH readable AS (
    SELECT *
    FROM hosts_by_key
    WHERE key = asked_key(getvariable('key')) AND is_key(getvariable('key'))
        AND robots_state = 'parsed' AND agents_named IS NOT NULL
),
totals AS (
    SELECT crawl, place, which, count(*) AS hosts_readable FROM readable GROUP BY crawl, place, which
),
named AS (
    SELECT crawl, which, explode(agents_named) AS agent FROM readable
)
SELECT
    named.crawl,
    agent,
    count(*) AS hosts,
    round(100e0 * count(*) / max(hosts_readable), 2) AS hosts_percent,
    named.which,
    max(hosts_readable) AS hosts_readable
FROM named
JOIN totals ON totals.crawl = named.crawl AND totals.which = named.which
GROUP BY named.crawl, named.which, place, agent
ORDER BY named.crawl, place, hosts_readable DESC, named.which, hosts DESC, agent;
