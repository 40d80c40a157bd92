-- How many hosts close any AI agent, by purpose and operator, by name and through *, in own text or a vendor's?
--
-- Unit: a host, once per crawl and group of agents; or a website or a registered domain, by the variable unit.
-- Denominator: the hosts that answer (units).
-- By name: apart, as by_name and only_by_star.
-- Not for: adding up rows, as a host that closes several agents is in several groups; or what an owner chose where
-- the text is a vendor's, which may be on by default.
--
-- Groups (kind, which): any agent of AI; by purpose: training (train and dataset of data/agents.tsv), search
-- (ai_search), user (assistant, agent, coding_agent: on behalf of a person), undeclared (mixed, data_provider); by
-- operator. Search engines, advertising, SEO, previews and archives are not among them. by_name: a group for one of
-- these agents closes everything to it; only_by_star: none does, and the group for all closes everything. own,
-- vendor: of by_name, the lines that close them are the host's own text, or a vendor's; both: some are of the one and
-- some of the other. Operators whose agents no host closes by name are left out. Variables: unit (host), and
-- agents, a list such as GPTBot,CCBot, which leaves out all others; it stops at a name that is no agent of AI
-- (docs/research.md).

WITH asked AS (
    SELECT asked_unit(getvariable('unit')) AS wanted_unit, coalesce(getvariable('agents'), '') AS wanted_agents
),
allowed AS (
    SELECT
        agent,
        operator,
        CASE
            WHEN purpose IN ('train', 'dataset') THEN 'training'
            WHEN purpose = 'ai_search' THEN 'search'
            WHEN purpose IN ('assistant', 'agent', 'coding_agent') THEN 'user'
            ELSE 'undeclared'
        END AS purpose
    FROM agents
    WHERE purpose IN ('train', 'dataset', 'ai_search', 'assistant', 'agent', 'coding_agent', 'mixed', 'data_provider')
),
unknown AS (
    SELECT array_join(array_sort(array_agg(concat('`', wanted, '`'))), ', ') AS names
    FROM (SELECT explode(split(wanted_agents, ',')) AS wanted FROM asked WHERE wanted_agents <> '') AS each_wanted
    LEFT JOIN allowed ON allowed.agent = wanted
    WHERE allowed.agent IS NULL
),
named AS (
    SELECT array_join(array_sort(array_agg(agent)), ', ') AS all_names FROM allowed
),
listed AS (
    SELECT allowed.*
    FROM allowed
    CROSS JOIN asked
    CROSS JOIN unknown
    CROSS JOIN named
    WHERE CASE
        WHEN names <> ''
            THEN raise_error(concat('no agents of AI in the view agents: ', names, ' (it has ', all_names, ')'))
        ELSE wanted_agents = '' OR array_contains(split(wanted_agents, ','), agent)
    END
),
grouped AS (
    SELECT agent, 'any' AS kind, 'any agent of AI' AS which FROM listed
    UNION ALL
    SELECT agent, 'purpose', purpose FROM listed
    UNION ALL
    SELECT agent, 'operator', operator FROM listed
),
totals AS (
    SELECT crawl, count(*) AS units
    FROM units
    CROSS JOIN asked
    WHERE answers AND unit = wanted_unit
    GROUP BY crawl
),
closing AS (
    SELECT crawl, name, robots_body_digest, agents_named, explode(agents_closed) AS agent
    FROM units
    CROSS JOIN asked
    WHERE answers AND unit = wanted_unit
),
authors AS (
    SELECT body_digest, agent, max(closed_in) AS closed_in FROM robots_agents_distinct GROUP BY body_digest, agent
),
each_unit AS (
    SELECT
        crawl,
        kind,
        which,
        name,
        bool_or(array_contains(agents_named, closing.agent)) AS by_name,
        bool_or(array_contains(agents_named, closing.agent) AND closed_in IN ('own', 'both')) AS in_own_text,
        bool_or(array_contains(agents_named, closing.agent) AND closed_in IN ('vendor', 'both')) AS in_vendors_text
    FROM closing
    JOIN grouped ON grouped.agent = closing.agent
    LEFT JOIN authors ON body_digest = robots_body_digest AND authors.agent = closing.agent
    GROUP BY crawl, kind, which, name
)
SELECT
    each_unit.crawl,
    min(wanted_unit) AS unit,
    kind,
    which,
    count(CASE WHEN by_name THEN 1 END) AS by_name,
    round(100e0 * count(CASE WHEN by_name THEN 1 END) / max(units), 2) AS by_name_percent,
    count(CASE WHEN NOT by_name THEN 1 END) AS only_by_star,
    round(100e0 * count(CASE WHEN NOT by_name THEN 1 END) / max(units), 2) AS only_by_star_percent,
    count(CASE WHEN in_own_text AND NOT in_vendors_text THEN 1 END) AS own,
    count(CASE WHEN in_vendors_text AND NOT in_own_text THEN 1 END) AS vendor,
    count(CASE WHEN in_own_text AND in_vendors_text THEN 1 END) AS both,
    max(units) AS units
FROM each_unit
JOIN totals ON totals.crawl = each_unit.crawl
CROSS JOIN asked
GROUP BY each_unit.crawl, kind, which
HAVING kind <> 'operator' OR bool_or(by_name)
ORDER BY each_unit.crawl, kind, by_name DESC, which;
