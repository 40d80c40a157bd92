-- To how many hosts is each agent closed, by name and through *, and to how many is only a part closed?
--
-- Unit: a host, once per crawl, group of hosts and token of the agents table.
-- Denominator: the hosts of the group that answer (hosts_answering): robots.txt was read to its end, or is not there
-- (4xx).
-- By name: apart, as by_name, by_star and by_error.
-- Not for: decisions about an agent by by_star, which is about everybody, or by_error, which is about nobody; or
-- groups of fewer than 100 hosts.
--
-- Closed: the agent may fetch nothing. by_name: the host has a group for it, which alone is a decision about the
-- agent; by_star: the group for all closes everything; by_error: robots.txt could not be reached (5xx). partly: hosts
-- that close something to the agent, but not everything; partly_by_name: in a group for it. Variable: key, by which
-- hosts are grouped (which): all, tld, rank or host-rank (docs/research.md).

WITH grouped AS (
    SELECT * FROM hosts_by_key WHERE key = asked_key(getvariable('key')) AND is_key(getvariable('key'))
),
totals AS (
    SELECT crawl, place, which, count(*) AS hosts_answering FROM grouped WHERE answers GROUP BY crawl, place, which
),
sets AS (
    SELECT crawl, which, robots_state = 'unreachable' AS is_error, agent_set, count(*) AS hosts
    FROM grouped
    GROUP BY crawl, which, robots_state = 'unreachable', agent_set
),
restricted AS (
    SELECT crawl, which, is_error, hosts, agents_closed, agents_named, explode(agents_restricted) AS agent
    FROM sets
    JOIN agent_sets ON agent_sets.agent_set = sets.agent_set
),
ways AS (
    SELECT
        crawl,
        which,
        agent,
        is_error,
        hosts,
        array_contains(agents_closed, agent) AS is_closed,
        array_contains(agents_named, agent) AS is_named
    FROM restricted
),
counted AS (
    SELECT
        crawl,
        which,
        agent,
        CAST(sum(CASE WHEN is_closed AND NOT is_error AND is_named THEN hosts ELSE 0 END) AS BIGINT) AS by_name,
        CAST(sum(CASE WHEN is_closed AND NOT is_error AND NOT is_named THEN hosts ELSE 0 END) AS BIGINT) AS by_star,
        CAST(sum(CASE WHEN is_error THEN hosts ELSE 0 END) AS BIGINT) AS by_error,
        CAST(sum(CASE WHEN NOT is_closed AND NOT is_error THEN hosts ELSE 0 END) AS BIGINT) AS partly,
        CAST(
            sum(CASE WHEN NOT is_closed AND NOT is_error AND is_named THEN hosts ELSE 0 END) AS BIGINT
        ) AS partly_by_name
    FROM ways
    GROUP BY crawl, which, agent
)
SELECT
    counted.crawl,
    agent,
    by_name,
    round(100e0 * by_name / hosts_answering, 2) AS by_name_percent,
    by_star,
    round(100e0 * by_star / hosts_answering, 2) AS by_star_percent,
    by_error,
    partly,
    partly_by_name,
    counted.which,
    hosts_answering
FROM counted
JOIN totals ON totals.crawl = counted.crawl AND totals.which = counted.which
ORDER BY counted.crawl, place, hosts_answering DESC, counted.which, by_name DESC, by_star DESC, agent;
