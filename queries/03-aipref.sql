-- What do pages say in AIPREF (Content-Usage), and where: by header or by robots.txt?
--
-- One row per crawl, label of the vocabulary, preference and place. stated_in names where AIPREF statements of the
-- page's header and of its robots.txt stand, valid or not, so that a preference that is unknown beside a statement
-- is one about other labels or other paths, or one that does not parse. Without a statement the answer is "nowhere",
-- but "not known" where robots.txt is unknown or the header could not be read whole.
-- not_applicable: robots.txt closes the path to the product token and no header speaks. Such pages stand apart: the
-- share is of all other pages.

WITH header AS (
    SELECT DISTINCT crawl, warc_filename, warc_record_offset, warc_member_skip
    FROM statements
    WHERE system = 'aipref' AND carrier = 'header'
),
robots AS (
    SELECT DISTINCT body_digest
    FROM statements
    WHERE system = 'aipref' AND carrier = 'robots'
),
placed AS (
    SELECT
        pages.*,
        CASE
            WHEN header.crawl IS NOT NULL AND robots.body_digest IS NOT NULL THEN 'header and robots.txt'
            WHEN header.crawl IS NOT NULL THEN 'header'
            WHEN robots.body_digest IS NOT NULL THEN 'robots.txt'
            WHEN access = 'unknown' OR array_contains(unread, 'header') THEN 'not known'
            ELSE 'nowhere'
        END AS stated_in
    FROM pages
    LEFT JOIN header
        ON header.crawl = pages.crawl
        AND header.warc_filename = pages.warc_filename
        AND header.warc_record_offset = pages.warc_record_offset
        AND header.warc_member_skip = pages.warc_member_skip
    LEFT JOIN robots ON robots.body_digest = pages.robots_body_digest
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
    FROM placed CROSS JOIN (
        VALUES ('all'), ('bots'), ('tdm'), ('ai'), ('genai'), ('train-ai'), ('train-genai'), ('ai-use'),
            ('ai-output'), ('inference'), ('search')
    ) AS labels (label)
),
counted AS (
    SELECT
        crawl,
        vocabulary,
        label,
        preference,
        stated_in,
        count(*) AS pages,
        count(DISTINCT url_host_name) AS hosts
    FROM labelled
    WHERE preference IS NOT NULL
    GROUP BY crawl, vocabulary, label, preference, stated_in
)
SELECT
    crawl,
    vocabulary,
    label,
    preference,
    stated_in,
    pages,
    CASE WHEN preference <> 'not_applicable' THEN
        round(100e0 * pages / sum(pages) OVER (
            PARTITION BY crawl, vocabulary, label, preference = 'not_applicable'
        ), 2)
    END AS pages_percent,
    hosts
FROM counted
ORDER BY crawl, vocabulary, label, preference, stated_in;
