-- Which signals contradict each other: which system and carrier says no, and which says yes?
--
-- Unit: a page (a capture of any status) and a host, once per crawl, label and pair of a no and a yes, each a system
-- with its carrier (robots, header, meta, or a site file).
-- Denominator: the pages on which the label is contradicted (pages_contradicted), and all pages (pages_all).
-- By name: not about agents.
-- Not for: adding up pages, as a page may be in several rows; or pages whose evidence was cut (lists_cut).
--
-- A field that two documents read counts for the system that it was written for: Content-Usage is AIPREF's, whoever
-- reads it. A page with two noes and one yes is in two rows. The no decided. pages_closed: pages that robots.txt
-- closes, to which its preferences do not apply. kind: two signals contradict each other, or two documents read one
-- field in two ways, in which case the documents disagree, and not the page with itself.

WITH answers AS (
    SELECT
        crawl, warc_filename, warc_record_offset, warc_member_skip, url_host_name, conflict, explode(evidence) AS answer
    FROM pages
    WHERE array_size(conflict) > 0
),
sides AS (
    SELECT DISTINCT
        crawl,
        warc_filename,
        warc_record_offset,
        warc_member_skip,
        url_host_name,
        answer.label AS label,
        answer.preference AS preference,
        answer.system AS system,
        answer.system || ' ' || answer.carrier AS source,
        coalesce(answer.same_field_as, answer.system) || ' ' || answer.carrier AS field
    FROM answers
    WHERE array_contains(conflict, answer.label)
),
contradicted AS (
    SELECT crawl, label, count(*) AS pages_contradicted
    FROM (SELECT crawl, explode(conflict) AS label FROM pages) AS labels
    GROUP BY crawl, label
),
totals AS (
    SELECT crawl, count(*) AS pages_all, count(CASE WHEN access = 'disallow' THEN 1 END) AS pages_closed
    FROM pages
    GROUP BY crawl
),
pairs AS (
    SELECT DISTINCT
        negative.crawl,
        negative.warc_filename,
        negative.warc_record_offset,
        negative.warc_member_skip,
        negative.label,
        CASE WHEN negative.field = positive.field AND negative.system <> positive.system
            THEN negative.source ELSE negative.field END AS says_no,
        CASE WHEN negative.field = positive.field AND negative.system <> positive.system
            THEN positive.source ELSE positive.field END AS says_yes,
        CASE WHEN negative.field = positive.field AND negative.system <> positive.system
            THEN 'one field, two documents' ELSE 'two signals' END AS kind,
        negative.url_host_name
    FROM sides AS negative
    JOIN sides AS positive
        ON positive.crawl = negative.crawl
        AND positive.warc_filename = negative.warc_filename
        AND positive.warc_record_offset = negative.warc_record_offset
        AND positive.warc_member_skip = negative.warc_member_skip
        AND positive.label = negative.label
    WHERE negative.preference = 'disallow' AND positive.preference = 'allow'
)
SELECT
    pairs.crawl,
    pairs.label,
    says_no,
    says_yes,
    kind,
    count(*) AS pages,
    round(100e0 * count(*) / max(pages_contradicted), 2) AS percent_of_contradicted,
    max(pages_contradicted) AS pages_contradicted,
    max(pages_all) AS pages_all,
    count(DISTINCT url_host_name) AS hosts,
    max(pages_closed) AS pages_closed
FROM pairs
JOIN contradicted ON contradicted.crawl = pairs.crawl AND contradicted.label = pairs.label
JOIN totals ON totals.crawl = pairs.crawl
GROUP BY pairs.crawl, pairs.label, says_no, says_yes, kind
ORDER BY pairs.crawl, pairs.label, pages DESC, says_no, says_yes;
