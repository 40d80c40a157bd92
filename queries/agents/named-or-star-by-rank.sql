-- How many top domains close some training agent by name, and how many only through *, in the top 5000 and below?
--
-- Unit: a ranked domain, by the robots.txt of the domain itself or of its www; by its rules alone, so that 5xx
-- answers are left out.
-- Denominator: the domains with a readable robots.txt or 4xx (domains).
-- By name: apart, as by_name and only_by_star.
-- Not for: strata of fewer than 100 domains.
-- Needs: ranks.csv in the folder of the run.
--
-- Training agents: those of purpose train and dataset in data/agents.tsv that are listed below.

WITH training AS (
    SELECT agent
    FROM (
        VALUES ('GPTBot'), ('ClaudeBot'), ('anthropic-ai'), ('Google-Extended'), ('CCBot'), ('Applebot-Extended'),
            ('meta-externalagent'), ('FacebookBot'), ('Bytespider')
    ) AS agents (agent)
),
ranked AS (
    SELECT
        crawl,
        CASE WHEN rank <= 5000 THEN 'top 5000' ELSE 'below' END AS stratum,
        domain,
        agents_named,
        agents_closed
    FROM ranked_hosts
    WHERE answers
),
each_domain AS (
    SELECT
        crawl,
        stratum,
        domain,
        bool_or(array_contains(agents_closed, agent) AND array_contains(agents_named, agent)) AS by_name,
        bool_or(array_contains(agents_closed, agent)) AS closed
    FROM ranked
    CROSS JOIN training
    GROUP BY crawl, stratum, domain
)
SELECT
    crawl,
    stratum,
    count(*) AS domains,
    count(CASE WHEN by_name THEN 1 END) AS by_name,
    round(100e0 * count(CASE WHEN by_name THEN 1 END) / count(*), 2) AS by_name_percent,
    count(CASE WHEN closed AND NOT by_name THEN 1 END) AS only_by_star,
    round(100e0 * count(CASE WHEN closed AND NOT by_name THEN 1 END) / count(*), 2) AS only_by_star_percent
FROM each_domain
GROUP BY crawl, stratum
ORDER BY crawl, stratum DESC;
