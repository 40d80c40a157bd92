-- Which share of a list of sites, such as news sites, closes the agents of each AI company?
--
-- Needs lists.csv (list,domain with a header) in the folder of the run. Unit: a registered domain of a list. It closes
-- a company if one of its hosts closes one of the company's agents below, by its rules; training: an agent of purpose
-- train or dataset. Denominator: the domains of the list that have a host with a readable robots.txt or 4xx (domains).

WITH agents AS (
    SELECT operator, agent, is_training
    FROM (
        VALUES
            ('OpenAI', 'GPTBot', true), ('OpenAI', 'OAI-SearchBot', false), ('OpenAI', 'ChatGPT-User', false),
            ('Anthropic', 'ClaudeBot', true), ('Anthropic', 'Claude-SearchBot', false),
            ('Anthropic', 'Claude-User', false), ('Google', 'Google-Extended', true),
            ('Common Crawl', 'CCBot', true), ('Apple', 'Applebot-Extended', true),
            ('Meta', 'meta-externalagent', true), ('Perplexity', 'PerplexityBot', false),
            ('ByteDance', 'Bytespider', true)
    ) AS agents (operator, agent, is_training)
),
listed AS (
    SELECT DISTINCT list, crawl, lists.domain, agents_closed
    FROM lists
    JOIN hosts ON coalesce(url_host_registered_domain, url_host_name) = lists.domain
    WHERE robots_state IN ('parsed', 'unavailable') AND agents_closed IS NOT NULL
),
each_domain AS (
    SELECT
        list,
        crawl,
        operator,
        domain,
        bool_or(array_contains(agents_closed, agent)) AS closes,
        bool_or(is_training AND array_contains(agents_closed, agent)) AS closes_training
    FROM listed
    CROSS JOIN agents
    GROUP BY list, crawl, operator, domain
)
SELECT
    list,
    crawl,
    operator,
    count(*) AS domains,
    count(CASE WHEN closes THEN 1 END) AS closing,
    round(100e0 * count(CASE WHEN closes THEN 1 END) / count(*), 2) AS closing_percent,
    count(CASE WHEN closes_training THEN 1 END) AS closing_training
FROM each_domain
GROUP BY list, crawl, operator
ORDER BY list, crawl, closing DESC, operator;
