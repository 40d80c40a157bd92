-- Which system decides the labels of pages, and where does it state its answer?
--
-- Unit: a page (a capture of any status), once per crawl, label, value and source.
-- Denominator: the pages whose label has this value (pages_of_value), and all pages of the crawl (pages_all).
-- By name: not about agents.
-- Not for: adding up rows: a page may be in several.
--
-- Source: a system and its carrier (robots, header, meta, or a site file) whose answer decided; a page on which
-- several decided is in several rows. A field that two documents read counts for the system that it was written for:
-- Content-Usage is AIPREF's, also where SUP's reading of it decided. alone: the pages on which no other source
-- decided. An unknown label has no source and no row.

WITH labelled AS (
    SELECT
        crawl,
        label,
        url_host_name,
        CASE label
            WHEN 'search' THEN search
            WHEN 'train_ai' THEN train_ai
            WHEN 'train_genai' THEN train_genai
            WHEN 'ai_input' THEN ai_input
            WHEN 'tdm' THEN tdm
        END AS value,
        CASE label
            WHEN 'search' THEN search_from
            WHEN 'train_ai' THEN train_ai_from
            WHEN 'train_genai' THEN train_genai_from
            WHEN 'ai_input' THEN ai_input_from
            WHEN 'tdm' THEN tdm_from
        END AS sources
    FROM pages
    CROSS JOIN (
        VALUES ('search'), ('train_ai'), ('train_genai'), ('ai_input'), ('tdm')
    ) AS labels (label)
),
totals AS (
    SELECT
        crawl,
        label,
        value,
        count(*) AS pages_of_value,
        CAST(sum(count(*)) OVER (PARTITION BY crawl, label) AS BIGINT) AS pages_all
    FROM labelled
    GROUP BY crawl, label, value
),
decided AS (
    SELECT crawl, label, value, url_host_name, array_size(sources) AS source_count, explode(sources) AS source
    FROM labelled
    WHERE value IN ('allow', 'disallow')
)
SELECT
    decided.crawl,
    decided.label,
    decided.value,
    source,
    count(*) AS pages,
    round(100e0 * count(*) / max(pages_of_value), 2) AS percent_of_value,
    count(CASE WHEN source_count = 1 THEN 1 END) AS alone,
    count(DISTINCT url_host_name) AS hosts,
    max(pages_of_value) AS pages_of_value,
    max(pages_all) AS pages_all
FROM decided
JOIN totals ON totals.crawl = decided.crawl AND totals.label = decided.label AND totals.value = decided.value
GROUP BY decided.crawl, decided.label, decided.value, source
ORDER BY decided.crawl, decided.label, decided.value, pages DESC, source;
