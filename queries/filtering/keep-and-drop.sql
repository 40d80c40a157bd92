-- How many record ids does each policy keep and drop, and why?
--
-- Unit: a WARC-Record-ID, over all crawls of the folder.
-- Denominator: the ids of the policy, kept and dropped (ids_all).
-- By name: not asked, as a fetch is forbidden in any case.
-- Not for: counts per crawl, as ids are over all of them.
--
-- keep_list and drop_list (views.sql) have the ids themselves, with brackets (id) and bare (uuid).

WITH lists AS (
    SELECT policy, 'keep' AS list, reason FROM keep_list
    UNION ALL
    SELECT policy, 'drop', reason FROM drop_list
)
SELECT
    policy,
    list,
    reason,
    count(*) AS ids,
    round(100e0 * count(*) / sum(count(*)) OVER (PARTITION BY policy), 2) AS ids_percent,
    CAST(sum(count(*)) OVER (PARTITION BY policy) AS BIGINT) AS ids_all
FROM lists
GROUP BY policy, list, reason
ORDER BY policy, list DESC, ids DESC, reason;
