-- What may be done with pages, by the labels over all systems, and which systems decided?
--
-- Unit: a page (a capture of any status), once per crawl and label.
-- Denominator: the pages of the crawl (pages_all).
-- By name: not about agents.
-- Not for: shares of hosts or of the Web; unknown is no yes.
--
-- decided_by: the systems and carriers that decided; where a no of several decided, all of them. contradicted: pages
-- on which another answer says the contrary. robots_unknown: pages whose robots.txt is unknown, as a label may be
-- allow by the page's header alone. unknown is never a yes.

WITH labelled AS (
    SELECT
        crawl,
        label,
        CASE label
            WHEN 'search' THEN search
            WHEN 'train_ai' THEN train_ai
            WHEN 'train_genai' THEN train_genai
            WHEN 'ai_input' THEN ai_input
            WHEN 'tdm' THEN tdm
        END AS value,
        array_join(CASE label
            WHEN 'search' THEN search_from
            WHEN 'train_ai' THEN train_ai_from
            WHEN 'train_genai' THEN train_genai_from
            WHEN 'ai_input' THEN ai_input_from
            WHEN 'tdm' THEN tdm_from
        END, ', ') AS decided_by,
        array_contains(conflict, label) AS is_contradicted,
        access = 'unknown' AS is_robots_unknown,
        url_host_name
    FROM pages
    CROSS JOIN (
        VALUES ('search'), ('train_ai'), ('train_genai'), ('ai_input'), ('tdm')
    ) AS labels (label)
)
SELECT
    crawl,
    label,
    value,
    decided_by,
    count(*) AS pages,
    round(100e0 * count(*) / sum(count(*)) OVER (PARTITION BY crawl, label), 2) AS pages_percent,
    CAST(sum(count(*)) OVER (PARTITION BY crawl, label) AS BIGINT) AS pages_all,
    count(DISTINCT url_host_name) AS hosts,
    count(CASE WHEN is_contradicted THEN 1 END) AS contradicted,
    count(CASE WHEN is_robots_unknown THEN 1 END) AS robots_unknown
FROM labelled
GROUP BY crawl, label, value, decided_by
ORDER BY crawl, label, value, pages DESC, decided_by;
