-- What may be done with pages, by the labels over all systems, and whose word decided?
--
-- One row per crawl, label, value and deciding systems and carriers (decided_by; where a no of several decided, all of
-- them). contradicted: pages on which another system or carrier says the contrary. robots_unknown: pages whose robots.txt is
-- not known; a list of pages to keep asks for robots_state, too, as a label may be allow by the page's header alone.
-- unknown is never a yes. The share is of all pages of the crawl.

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
        array_to_string(CASE label
            WHEN 'search' THEN search_from
            WHEN 'train_ai' THEN train_ai_from
            WHEN 'train_genai' THEN train_genai_from
            WHEN 'ai_input' THEN ai_input_from
            WHEN 'tdm' THEN tdm_from
        END, ', ') AS decided_by,
        array_contains(conflict, label) AS is_contradicted,
        access = 'unknown' AS is_robots_unknown,
        url_host_name
    FROM pages CROSS JOIN (
        VALUES ('search'), ('train_ai'), ('train_genai'), ('ai_input'), ('tdm')
    ) AS labels (label)
),
counted AS (
    SELECT
        crawl,
        label,
        value,
        decided_by,
        count(*) AS pages,
        count(DISTINCT url_host_name) AS hosts,
        count(CASE WHEN is_contradicted THEN 1 END) AS contradicted,
        count(CASE WHEN is_robots_unknown THEN 1 END) AS robots_unknown
    FROM labelled
    GROUP BY crawl, label, value, decided_by
)
SELECT
    crawl,
    label,
    value,
    decided_by,
    pages,
    round(100e0 * pages / sum(pages) OVER (PARTITION BY crawl, label), 2) AS pages_percent,
    hosts,
    contradicted,
    robots_unknown
FROM counted
ORDER BY crawl, label, value, pages DESC, decided_by;
