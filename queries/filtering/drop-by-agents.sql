-- Which documents must be dropped if any agent of a list may not fetch them, and because of which agents?
--
-- Unit: a WARC-Record-ID, in the form that Apertus' filter loads: id and user_agents, the agents of the list below to
-- which robots.txt closes the page.
-- Denominator: none, this is a list.
-- By name: not asked; through * and by 5xx answers count here, as a fetch is forbidden in each case.
-- Not for: counting decisions about an agent.
--
-- (unknown): robots.txt is unknown, so that nobody can say; drop these, too. Change the list.

WITH listed AS (
    SELECT agent
    FROM (
        VALUES ('AI2Bot'), ('Applebot-Extended'), ('Bytespider'), ('CCBot'), ('ClaudeBot'), ('Google-Extended'),
            ('GPTBot'), ('PanguBot')
    ) AS agents (agent)
),
closed AS (
    SELECT warc_record_id AS id, explode(disallowed_agents_at_least) AS agent
    FROM pages WHERE warc_record_id IS NOT NULL
    UNION ALL
    SELECT warc_record_id, '(unknown)' FROM pages WHERE warc_record_id IS NOT NULL AND disallowed_agents IS NULL
)
SELECT id, array_join(array_sort(array_agg(DISTINCT agent)), ', ') AS user_agents
FROM closed
WHERE agent IN (SELECT agent FROM listed) OR agent = '(unknown)'
GROUP BY id
ORDER BY id;
