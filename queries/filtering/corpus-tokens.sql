-- Which share of a data set's tokens is closed to a training agent, or unknown?
--
-- Unit: a token of a document, by the page with the document's WARC-Record-ID.
-- Denominator: the tokens of all documents (tokens_all).
-- By name: apart, as by_name, by_star and by_error.
-- Not for: what may be used: labels and unknown robots.txt count, too (policy-cost.sql).
-- Needs: corpus/*.parquet (id, language, token_count, as FineWeb has them) in the folder of the run.
--
-- by_name: robots.txt has a group for the agent and closes the page to it; by_star: the group for all does, or, where
-- the site has none, the robots.txt of a twin (rule_of_twin); by_error: robots.txt answered 5xx, which is not a
-- decision; unknown: robots.txt is unknown; not_found: no page has the document's id.

WITH judged AS (
    SELECT
        warc_record_id,
        agents.agent,
        min(CASE
            WHEN NOT array_contains(disallowed_agents_at_least, agents.agent) THEN NULL
            WHEN robots_state = 'unreachable' THEN '3 by_error'
            WHEN named.agent IS NOT NULL THEN '1 by_name'
            ELSE '2 by_star'
        END) AS way,
        bool_or(disallowed_agents IS NULL) AS is_unknown
    FROM pages
    CROSS JOIN (VALUES ('GPTBot'), ('CCBot'), ('ClaudeBot'), ('Google-Extended')) AS agents (agent)
    LEFT JOIN (SELECT DISTINCT body_digest, agent FROM robots_agents_distinct) AS named
        ON named.body_digest = robots_body_digest AND named.agent = agents.agent
    WHERE warc_record_id IS NOT NULL
    GROUP BY warc_record_id, agents.agent
),
documents AS (
    SELECT agents.agent, token_count, warc_record_id, way, is_unknown
    FROM corpus
    CROSS JOIN (VALUES ('GPTBot'), ('CCBot'), ('ClaudeBot'), ('Google-Extended')) AS agents (agent)
    LEFT JOIN judged ON judged.warc_record_id = corpus.id AND judged.agent = agents.agent
),
counted AS (
    SELECT
        agent,
        sum(token_count) AS tokens_all,
        coalesce(sum(CASE WHEN way = '1 by_name' THEN token_count END), 0) AS by_name,
        coalesce(sum(CASE WHEN way = '2 by_star' THEN token_count END), 0) AS by_star,
        coalesce(sum(CASE WHEN way = '3 by_error' THEN token_count END), 0) AS by_error,
        coalesce(sum(CASE WHEN is_unknown AND way IS NULL THEN token_count END), 0) AS unknown,
        coalesce(sum(CASE WHEN warc_record_id IS NULL THEN token_count END), 0) AS not_found
    FROM documents
    GROUP BY agent
)
SELECT
    agent,
    CAST(by_name AS BIGINT) AS by_name,
    round(100e0 * by_name / tokens_all, 2) AS by_name_percent,
    CAST(by_star AS BIGINT) AS by_star,
    round(100e0 * by_star / tokens_all, 2) AS by_star_percent,
    CAST(by_error AS BIGINT) AS by_error,
    CAST(unknown AS BIGINT) AS unknown,
    round(100e0 * unknown / tokens_all, 2) AS unknown_percent,
    CAST(not_found AS BIGINT) AS not_found,
    CAST(tokens_all AS BIGINT) AS tokens_all
FROM counted
ORDER BY agent;
