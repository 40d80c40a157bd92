-- On how many pages does AIPREF allow or disallow each use, and where is that said: header, robots.txt, both?
--
-- Unit: a page (a capture of any status).
-- Denominator: per label, the pages of the crawl whose path robots.txt does not close (pages_applicable); those whose
-- path it closes (not_applicable) are in no share.
-- By name: not about agents.
-- Not for: shares of hosts, as hosts with many pages weigh more; nor of the Web, as pages of hosts that closed the
-- crawler are missing.
--
-- stated_in is where AIPREF statements were found, valid or not; (not known): robots.txt is unknown, or the header
-- could not be read in full.

WITH in_header AS (
    SELECT DISTINCT crawl, warc_filename, warc_record_offset, warc_member_skip
    FROM statements_table
    WHERE system = 'aipref' AND carrier = 'header'
),
in_robots AS (
    SELECT DISTINCT body_digest FROM statements_distinct WHERE system = 'aipref' AND carrier = 'robots'
),
placed AS (
    SELECT
        pages.*,
        CASE
            WHEN in_header.crawl IS NOT NULL AND in_robots.body_digest IS NOT NULL THEN 'header and robots.txt'
            WHEN in_header.crawl IS NOT NULL THEN 'header'
            WHEN in_robots.body_digest IS NOT NULL THEN 'robots.txt'
            WHEN
                access = 'unknown'
                OR array_contains(unread, 'header')
                OR array_contains(doubt, 'header')
                OR array_contains(not_seen, 'header') THEN '(not known)'
            ELSE '(nowhere)'
        END AS stated_in
    FROM pages
    LEFT JOIN in_header
        ON in_header.crawl = pages.crawl
        AND in_header.warc_filename = pages.warc_filename
        AND in_header.warc_record_offset = pages.warc_record_offset
        AND in_header.warc_member_skip = pages.warc_member_skip
    LEFT JOIN in_robots ON in_robots.body_digest = pages.robots_body_digest
),
labelled AS (
    SELECT
        crawl,
        vocabulary,
        label,
        CASE label
            WHEN 'all' THEN aipref_all
            WHEN 'bots' THEN aipref_bots
            WHEN 'tdm' THEN aipref_tdm
            WHEN 'ai' THEN aipref_ai
            WHEN 'genai' THEN aipref_genai
            WHEN 'train-ai' THEN aipref_train_ai
            WHEN 'train-genai' THEN aipref_train_genai
            WHEN 'ai-use' THEN aipref_ai_use
            WHEN 'ai-output' THEN aipref_ai_output
            WHEN 'inference' THEN aipref_inference
            WHEN 'search' THEN aipref_search
        END AS preference,
        stated_in,
        url_host_name
    FROM placed
    CROSS JOIN (
        VALUES ('all'), ('bots'), ('tdm'), ('ai'), ('genai'), ('train-ai'), ('train-genai'), ('ai-use'), ('ai-output'),
            ('inference'), ('search')
    ) AS labels (label)
),
counted AS (
    SELECT
        crawl, vocabulary, label, preference, stated_in, count(*) AS pages, count(DISTINCT url_host_name) AS hosts
    FROM labelled
    WHERE preference IS NOT NULL
    GROUP BY crawl, vocabulary, label, preference, stated_in
),
totals AS (
    SELECT crawl, vocabulary, label, sum(pages) AS pages
    FROM counted
    WHERE preference <> 'not_applicable'
    GROUP BY crawl, vocabulary, label
)
SELECT
    counted.crawl,
    counted.vocabulary,
    counted.label,
    preference,
    stated_in,
    counted.pages,
    CASE WHEN preference <> 'not_applicable' THEN round(100e0 * counted.pages / totals.pages, 2) END AS pages_percent,
    CAST(totals.pages AS BIGINT) AS pages_applicable,
    hosts
FROM counted
LEFT JOIN totals
    ON totals.crawl = counted.crawl AND totals.vocabulary = counted.vocabulary AND totals.label = counted.label
ORDER BY counted.crawl, counted.label, preference, stated_in;
