-- How much of a data set does each policy cost, per language?
--
-- Unit: a token of a document, by the document's WARC-Record-ID in drop_list.
-- Denominator: the tokens of the language (tokens_all).
-- By name: not asked, as a fetch is forbidden in any case.
-- Not for: languages of the Web: these are documents that a data set kept.
-- Needs: corpus/*.parquet (id, language, token_count) in the folder of the run.
--
-- not_judged: the id is in neither list; such documents are to be dropped, too.

WITH judged AS (
    SELECT policy, id, true AS is_dropped FROM drop_list
    UNION ALL
    SELECT policy, id, false FROM keep_list
),
counted AS (
    SELECT
        policies.policy,
        language,
        sum(token_count) AS tokens_all,
        coalesce(sum(CASE WHEN is_dropped THEN token_count END), 0) AS dropped,
        coalesce(sum(CASE WHEN judged.id IS NULL THEN token_count END), 0) AS not_judged
    FROM corpus
    CROSS JOIN (VALUES ('robots'), ('labels'), ('strict')) AS policies (policy)
    LEFT JOIN judged ON judged.id = corpus.id AND judged.policy = policies.policy
    GROUP BY policies.policy, language
)
SELECT
    policy,
    language,
    CAST(dropped AS BIGINT) AS dropped,
    round(100e0 * dropped / tokens_all, 2) AS dropped_percent,
    CAST(not_judged AS BIGINT) AS not_judged,
    CAST(tokens_all AS BIGINT) AS tokens_all
FROM counted
ORDER BY policy, language;
