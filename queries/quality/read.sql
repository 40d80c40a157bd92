-- What was read of the archives, and what was lost?
--
-- Unit: a record, and an archive (an input).
-- Denominator: the records read (records), of lost_percent.
-- By name: not about agents.
-- Not for: what the Web has: a run reads what it was given.
--
-- Each record read is a capture, of no interest (requests, metadata, answers that are not HTTP) or lost to damage;
-- captures_of_pages are those of the table pages. Archives that could not be read at all are in archives_failed; of
-- those that were cut, the records before the cut were read. Of the archives in WACZ files, wacz_archives_changed are
-- not those whose digest their datapackage.json has (their captures stay, and have the inner_filename of the row
-- digest in failures), and wacz_archives_missing are named there and are not in the ZIP. design, sample, seed: what the
-- archives are of the list that the run was given (docs/sampling.md).

WITH read AS (
    SELECT
        crawl,
        count(*) AS archives,
        count(CASE WHEN outcome = 'cut' THEN 1 END) AS archives_cut,
        count(CASE WHEN outcome NOT IN ('read', 'cut') THEN 1 END) AS archives_failed,
        CAST(sum(bytes) AS BIGINT) AS bytes,
        CAST(sum(records) AS BIGINT) AS records,
        CAST(sum(captures) AS BIGINT) AS captures,
        CAST(sum(no_interest) AS BIGINT) AS no_interest,
        CAST(sum(records_lost) AS BIGINT) AS records_lost,
        CAST(sum(failures) AS BIGINT) AS damaged_places
    FROM archives
    GROUP BY crawl
),
of_collections AS (
    SELECT
        crawl,
        count(CASE WHEN NOT record_lost THEN 1 END) AS wacz_archives_changed,
        count(CASE WHEN record_lost THEN 1 END) AS wacz_archives_missing
    FROM failures
    WHERE kind = 'digest'
    GROUP BY crawl
),
of_pages AS (
    SELECT crawl, count(*) AS captures_of_pages FROM pages GROUP BY crawl
)
SELECT
    read.crawl,
    archives,
    archives_cut,
    archives_failed,
    bytes,
    records,
    captures,
    coalesce(captures_of_pages, 0) AS captures_of_pages,
    no_interest,
    records_lost,
    round(100e0 * records_lost / nullif(records, 0), 4) AS lost_percent,
    damaged_places,
    coalesce(wacz_archives_changed, 0) AS wacz_archives_changed,
    coalesce(wacz_archives_missing, 0) AS wacz_archives_missing,
    design,
    sample,
    seed
FROM read
JOIN designs ON designs.crawl = read.crawl
LEFT JOIN of_pages ON of_pages.crawl = read.crawl
LEFT JOIN of_collections ON of_collections.crawl = read.crawl
ORDER BY read.crawl;
