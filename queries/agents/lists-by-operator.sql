-- Which share of a list of sites, such as news sites, closes the agents of each AI company?
--
-- Unit: a registered domain of a list.
-- Denominator: the domains of the list that have a host with a readable robots.txt or 4xx (domains).
-- By name: apart, as by_name and only_by_star.
-- Not for: lists of fewer than 100 domains as shares; or domains that the crawl does not know.
-- Needs: lists.csv (list,domain with a header) in the folder of the run.
--
-- It closes a company by name if one of its hosts has a group for one of the company's agents and closes everything
-- to it: those that the view agents has for training, data sets, AI search and assistants; only_by_star: none does,
-- and the group for all of one closes everything; training: an agent of purpose train or dataset, by name. 5xx
-- answers are left out.

WITH company_agents AS (
    SELECT operator, agent, purpose IN ('train', 'dataset') AS is_training
    FROM agents
    WHERE operator IN ('OpenAI', 'Anthropic', 'Google', 'Common Crawl', 'Apple', 'Meta', 'Perplexity', 'ByteDance')
        AND purpose IN ('train', 'dataset', 'ai_search', 'assistant')
),
listed AS (
    SELECT DISTINCT list, crawl, lists.domain, agents_closed, agents_named
    FROM lists
    JOIN hosts ON coalesce(url_host_registered_domain, url_host_name) = lists.domain
    WHERE answers
),
each_domain AS (
    SELECT
        list,
        crawl,
        operator,
        domain,
        bool_or(array_contains(agents_closed, agent)) AS closes,
        bool_or(array_contains(agents_closed, agent) AND array_contains(agents_named, agent)) AS by_name,
        bool_or(is_training AND array_contains(agents_closed, agent) AND array_contains(agents_named, agent))
            AS training_by_name
    FROM listed
    CROSS JOIN company_agents
    GROUP BY list, crawl, operator, domain
)
SELECT
    list,
    crawl,
    operator,
    count(*) AS domains,
    count(CASE WHEN by_name THEN 1 END) AS by_name,
    round(100e0 * count(CASE WHEN by_name THEN 1 END) / count(*), 2) AS by_name_percent,
    count(CASE WHEN closes AND NOT by_name THEN 1 END) AS only_by_star,
    count(CASE WHEN training_by_name THEN 1 END) AS training_by_name
FROM each_domain
GROUP BY list, crawl, operator
ORDER BY list, crawl, by_name DESC, operator;
