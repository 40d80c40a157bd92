-- Which share of a data set's tokens is closed to a training agent, or unknown?
--
-- Needs corpus/*.parquet (id, language, token_count, as FineWeb has them) in the folder of the run. Unit: a token of a
-- document, by the page with the document's WARC-Record-ID. Denominator: the tokens of all documents (tokens_all).
-- closed: the agent may not fetch the page; unknown: robots.txt is unknown; not_found: no page has the document's id.

WITH judged AS (
    SELECT
        warc_record_id,
        agent,
        bool_or(array_contains(disallowed_agents, agent)) AS is_closed,
        bool_or(disallowed_agents IS NULL) AS is_unknown
    FROM pages
    CROSS JOIN (VALUES ('GPTBot'), ('CCBot'), ('ClaudeBot'), ('Google-Extended')) AS agents (agent)
    WHERE warc_record_id IS NOT NULL
    GROUP BY warc_record_id, agent
),
documents AS (
    SELECT agents.agent, token_count, warc_record_id, is_closed, is_unknown
    FROM corpus
    CROSS JOIN (VALUES ('GPTBot'), ('CCBot'), ('ClaudeBot'), ('Google-Extended')) AS agents (agent)
    LEFT JOIN judged ON judged.warc_record_id = corpus.id AND judged.agent = agents.agent
),
counted AS (
    SELECT
        agent,
        sum(token_count) AS tokens_all,
        coalesce(sum(CASE WHEN is_closed THEN token_count END), 0) AS closed,
        coalesce(sum(CASE WHEN is_unknown AND NOT coalesce(is_closed, false) THEN token_count END), 0) AS unknown,
        coalesce(sum(CASE WHEN warc_record_id IS NULL THEN token_count END), 0) AS not_found
    FROM documents
    GROUP BY agent
)
SELECT
    agent,
    CAST(closed AS BIGINT) AS closed,
    round(100e0 * closed / tokens_all, 2) AS closed_percent,
    CAST(unknown AS BIGINT) AS unknown,
    round(100e0 * unknown / tokens_all, 2) AS unknown_percent,
    CAST(not_found AS BIGINT) AS not_found,
    CAST(tokens_all AS BIGINT) AS tokens_all
FROM counted
ORDER BY agent;
