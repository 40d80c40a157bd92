-- The tables of a run and the functions of the queries, in DuckDB (1.5 or newer). Start it in the folder of the run:
--
--   cat ../queries/{duckdb,views,adoption/systems}.sql | duckdb
--
-- Everything is temporary, and nothing is written. A query that needs a table which this folder does not have stops and
-- names the table.

SET TimeZone = 'UTC';

-- Functions that Spark SQL has under these names.
CREATE OR REPLACE TEMP MACRO explode(list) AS unnest(list);
CREATE OR REPLACE TEMP MACRO sequence(first, last) AS generate_series(first, last);
CREATE OR REPLACE TEMP MACRO conv(digits, of_base, to_base) AS CAST(CAST('0x' || digits AS BIGINT) AS VARCHAR); -- 16 to 10
CREATE OR REPLACE TEMP MACRO array_size(list) AS len(list);
CREATE OR REPLACE TEMP MACRO array_repeat(element, times) AS list_resize([element], times, element);
CREATE OR REPLACE TEMP MACRO raise_error(message) AS error(message);
CREATE OR REPLACE TEMP MACRO array_join(list, separator) AS array_to_string(list, separator);

-- The 95 % interval of a share, where the units of a cluster (the hosts of a registered domain) decide together
-- (docs/sampling.md): Wilson's, with the design effect, and of three or fewer a Poisson number's limit (Wilson and Hilferty).
-- spark.py puts these into a query as text, as Spark SQL has no such functions before 4.0; arguments are names of columns.
CREATE OR REPLACE TEMP MACRO design_effect(share, units, clusters, clusters_of_fewer, size, size_of_hits, squares) AS
    CASE
        WHEN share IN (0, 1) THEN size
        ELSE greatest(
            1e0,
            squares * clusters / greatest(clusters - 1, 1e0) / (units * share * (1 - share)),
            CASE WHEN clusters_of_fewer < 10 THEN size_of_hits ELSE 1e0 END
        )
    END;
CREATE OR REPLACE TEMP MACRO deviations(share, clusters, squares, fourths) AS
    1.959964e0 * (1 + 4.841459e0 / (4 * greatest(
        CASE WHEN share IN (0, 1) THEN clusters ELSE squares * squares / fourths END, 20e0
    )));
CREATE OR REPLACE TEMP MACRO low_end(share, effective, z) AS
    CASE
        WHEN share = 0 THEN 0e0
        ELSE least(
            (
                share + z * z / (2 * effective) - z * sqrt(share * (1 - share) / effective + power(z / (2 * effective), 2))
            ) / (1 + z * z / effective),
            CASE
                WHEN share * effective > 3 THEN 1e0
                ELSE share * power(greatest(
                    1 - 1 / (9 * share * effective) - 1.644854e0 / (3 * sqrt(share * effective)), 0e0
                ), 3)
            END
        )
    END;

-- The value of a variable, or its default; one that does not exist is an error, as it would look like an answer without rows.
-- is_key fails apart from asked_key, which reads no ranks then: an error about their file would be another one.
CREATE OR REPLACE TEMP MACRO asked_key(given) AS
    CASE WHEN given IN ('tld', 'rank', 'host-rank') THEN given ELSE 'all' END;
CREATE OR REPLACE TEMP MACRO is_key(given) AS
    CASE
        WHEN coalesce(given, 'all') IN ('all', 'tld', 'rank', 'host-rank') THEN true
        ELSE raise_error(concat('no such key: ', given, '; it is all, tld, rank or host-rank'))
    END;
CREATE OR REPLACE TEMP MACRO asked_unit(given) AS
    CASE
        WHEN given IS NULL THEN 'host'
        WHEN given IN ('host', 'website', 'domain') THEN given
        ELSE raise_error(concat('no such unit: ', given, '; it is host, website or domain'))
    END;

SET VARIABLE crawlprefs_files = (
    SELECT list(DISTINCT regexp_extract(split_part(file, '/crawl=', 1), name))
    FROM (
        SELECT file, '[^/]+$' FROM glob('*/crawl=*/*.parquet')
        UNION ALL SELECT file, 'evidence/[^/]+$' FROM glob('evidence/*/crawl=*/*.parquet')
        UNION ALL SELECT file, '[^/]+$' FROM glob('ranks.csv')
        UNION ALL SELECT file, '[^/]+$' FROM glob('host-ranks.txt.gz')
        UNION ALL SELECT file, '[^/]+$' FROM glob('lists.csv')
        UNION ALL SELECT 'corpus', 'corpus' FROM glob('corpus/*.parquet')
        UNION ALL SELECT 'study_classes', 'study_classes' FROM glob('study_classes/*.parquet')
    ) AS files (file, name)
);

-- What `reader` reads where `path` is in the folder; else these columns, and nothing of them can be read, not even that
-- there is no row: an error is in the columns and in the condition.
CREATE OR REPLACE TEMP MACRO given(path, reader, columns) AS TABLE
FROM query(
    CASE WHEN array_contains(getvariable('crawlprefs_files'), path) THEN 'FROM ' || reader
    ELSE 'SELECT given.* FROM (SELECT CAST(error(''' || path || ' is not in this folder'') AS STRUCT(' || columns
        || ')) AS given) WHERE error(''' || path || ' is not in this folder'') IS NULL'
    END
);

-- A table of the run. The crawl is the name of a folder, and text even where it looks like a number. `columns` are
-- those that views.sql needs.
CREATE OR REPLACE TEMP MACRO run_table(path, columns) AS TABLE
FROM given(
    path,
    'read_parquet(''' || path || '/*/*.parquet'', union_by_name = true, hive_partitioning = true,
        hive_types = {''crawl'': ''VARCHAR''})',
    'crawl VARCHAR, ' || columns
);

CREATE OR REPLACE TEMP VIEW captures AS FROM run_table('evidence/captures', 'url VARCHAR');
CREATE OR REPLACE TEMP VIEW site_files AS FROM run_table('evidence/site_files',
    'body_digest VARCHAR, kind VARCHAR, body_bytes BIGINT, cut BOOLEAN');
CREATE OR REPLACE TEMP VIEW failures AS FROM run_table('evidence/failures',
    'warc_filename VARCHAR, kind VARCHAR, record_lost BOOLEAN');
CREATE OR REPLACE TEMP VIEW archives AS FROM run_table('evidence/archives',
    'warc_filename VARCHAR, outcome VARCHAR, list_digest VARCHAR, list_archives BIGINT, list_sample BIGINT,
    list_seed BIGINT');
-- The same for the view `designs`, which has no rows where the folder has no such table.
CREATE OR REPLACE TEMP VIEW archives_or_none AS FROM query(
    CASE WHEN array_contains(getvariable('crawlprefs_files'), 'evidence/archives') THEN 'FROM archives'
    ELSE 'SELECT given.* FROM (SELECT CAST(NULL AS STRUCT(crawl VARCHAR, outcome VARCHAR, list_digest VARCHAR,
        list_archives BIGINT, list_sample BIGINT, list_seed BIGINT)) AS given) WHERE false'
    END
);
-- The table `pages` as it is, for any viewpoint. Tables that were made before a column was added have NULL in it.
CREATE OR REPLACE TEMP VIEW pages_table AS FROM run_table('pages',
    'warc_filename VARCHAR, warc_record_offset BIGINT, warc_member_skip BIGINT, warc_record_id VARCHAR, url VARCHAR,
    url_host_name VARCHAR, url_host_registered_domain VARCHAR, content_mime_type VARCHAR, content_languages VARCHAR,
    content_length BIGINT, product_token VARCHAR, vocabulary VARCHAR, viewpoint VARCHAR,
    robots_state VARCHAR, access VARCHAR, access_matched VARCHAR, train_ai VARCHAR, train_genai VARCHAR,
    access_reason VARCHAR, unread VARCHAR[], doubt VARCHAR[], not_seen VARCHAR[]')
UNION ALL BY NAME SELECT CAST(NULL AS VARCHAR) AS content_languages, CAST(NULL AS VARCHAR) AS viewpoint WHERE false;
-- The times of the pages, for crawls without robots.txt; no rows where there is no such table.
CREATE OR REPLACE TEMP VIEW page_times AS FROM query(
    CASE WHEN array_contains(getvariable('crawlprefs_files'), 'pages') THEN 'SELECT crawl, fetch_time FROM pages_table'
    ELSE 'SELECT given.* FROM (SELECT CAST(NULL AS STRUCT(crawl VARCHAR, fetch_time TIMESTAMPTZ)) AS given) WHERE false'
    END
);
-- The table `sites` as it is. The view `sites` has the lists of its sets of agents, too.
CREATE OR REPLACE TEMP VIEW sites_table AS FROM run_table('sites',
    'warc_segment VARCHAR, segment_whole BOOLEAN, origin VARCHAR, url_protocol VARCHAR, url_host_name VARCHAR, url_port INTEGER,
    url_host_tld VARCHAR, url_host_registered_domain VARCHAR, surt_host_name VARCHAR, robots_state VARCHAR,
    robots_fetch_time TIMESTAMPTZ, robots_body_digest VARCHAR, robots_file_origin VARCHAR, robots_versions INTEGER,
    agent_set BIGINT, search VARCHAR, train_ai VARCHAR,
    train_genai VARCHAR, ai_input VARCHAR, tdm VARCHAR, systems VARCHAR[],
    systems_valid VARCHAR[], other_files STRUCT(kind VARCHAR, body_digest VARCHAR)[],
    page_systems STRUCT(system VARCHAR, pages BIGINT, own_pages BIGINT, valid_pages BIGINT)[], pages BIGINT,
    pages_closed BIGINT, content_bytes BIGINT, viewpoint VARCHAR');
-- Each set of agents once: every part of the table has those of its own sites.
CREATE OR REPLACE TEMP VIEW agent_sets AS
SELECT DISTINCT ON (agent_set) agent_set, agents_closed, agents_restricted, agents_named
FROM run_table('agent_sets',
    'agent_set BIGINT, agents_closed VARCHAR[], agents_restricted VARCHAR[], agents_named VARCHAR[]');
CREATE OR REPLACE TEMP VIEW robots AS FROM run_table('robots',
    'warc_filename VARCHAR, warc_record_offset BIGINT, warc_segment VARCHAR, fetch_time TIMESTAMPTZ, fetch_status SMALLINT,
    content_mime_type VARCHAR, robots_origin VARCHAR, outcome VARCHAR, body_digest VARCHAR, rule_count INTEGER,
    bad_line_count INTEGER, bytes BIGINT, agent_count INTEGER, managed_by VARCHAR, agents_fingerprint VARCHAR');
-- The times of the captures of robots.txt; without a table of them, those of the copies that count in `sites`.
CREATE OR REPLACE TEMP VIEW robots_times AS FROM query(
    CASE WHEN array_contains(getvariable('crawlprefs_files'), 'robots') THEN 'SELECT crawl, fetch_time FROM robots'
    ELSE 'SELECT crawl, robots_fetch_time AS fetch_time FROM sites_table'
    END
);
CREATE OR REPLACE TEMP VIEW robots_agents AS FROM run_table('robots_agents',
    'warc_segment VARCHAR, body_digest VARCHAR, agent VARCHAR, agent_raw VARCHAR, class VARCHAR, root_access VARCHAR, allow_count INTEGER,
    disallow_count INTEGER, crawl_delay_s VARCHAR, managed_by VARCHAR, managed_as VARCHAR, closed_in VARCHAR');
CREATE OR REPLACE TEMP VIEW robots_lines AS FROM run_table('robots_lines',
    'warc_segment VARCHAR, body_digest VARCHAR, line INTEGER, agents VARCHAR[], key VARCHAR, key_raw VARCHAR, known BOOLEAN, path VARCHAR,
    value VARCHAR, valid BOOLEAN, managed_by VARCHAR, managed_as VARCHAR, defect VARCHAR');
CREATE OR REPLACE TEMP VIEW robots_lints AS FROM run_table('robots_lints',
    'warc_segment VARCHAR, body_digest VARCHAR, lint VARCHAR, line INTEGER, line_count INTEGER');
-- The table `statements` as it is: one row per statement of a record, or of a distinct site file. The view
-- `statements` has one per origin instead.
CREATE OR REPLACE TEMP VIEW statements_table AS FROM run_table('statements',
    'warc_filename VARCHAR, warc_record_offset BIGINT, warc_member_skip BIGINT, url VARCHAR, url_protocol VARCHAR,
    url_host_name VARCHAR, url_port INTEGER, url_host_tld VARCHAR, url_host_registered_domain VARCHAR,
    surt_host_name VARCHAR, body_digest VARCHAR, system VARCHAR, same_field_as VARCHAR,
    vocabulary VARCHAR, carrier VARCHAR, agent VARCHAR,
    path VARCHAR, key VARCHAR, value VARCHAR, category VARCHAR, preference VARCHAR, valid BOOLEAN, defect VARCHAR,
    doubt BOOLEAN, line INTEGER, managed_by VARCHAR, managed_as VARCHAR, raw VARCHAR, raw_bytes BIGINT');

-- What you bring: copy these files into the folder of the run.
-- A Tranco list: lines of rank,domain without a header.
CREATE OR REPLACE TEMP VIEW ranks AS FROM given('ranks.csv',
    'read_csv(''ranks.csv'', header = false, columns = {''rank'': ''BIGINT'', ''domain'': ''VARCHAR''})',
    'rank BIGINT, domain VARCHAR');
-- Host ranks of Common Crawl's web graphs, under the name host-ranks.txt.gz.
CREATE OR REPLACE TEMP VIEW host_ranks_table AS FROM given('host-ranks.txt.gz',
    'read_csv(''host-ranks.txt.gz'', header = true, delim = ''\t'', quote = '''', columns = {
        ''harmonicc_pos'': ''BIGINT'', ''harmonicc_val'': ''DOUBLE'', ''pr_pos'': ''BIGINT'', ''pr_val'': ''DOUBLE'',
        ''host_rev'': ''VARCHAR''})',
    'harmonicc_pos BIGINT, host_rev VARCHAR');
-- Lists of registered domains, such as news sites: list,domain with a header.
CREATE OR REPLACE TEMP VIEW lists AS FROM given('lists.csv',
    'read_csv(''lists.csv'', header = true, columns = {''list'': ''VARCHAR'', ''domain'': ''VARCHAR''})',
    'list VARCHAR, domain VARCHAR');
-- Documents of a data set: id (WARC-Record-ID, as FineWeb's), language, token_count.
CREATE OR REPLACE TEMP VIEW corpus AS FROM given('corpus', 'read_parquet(''corpus/*.parquet'')',
    'id VARCHAR, language VARCHAR, token_count BIGINT');
-- Classes of robots.txt files as two studies counted them, which comparison/study_classes.py writes.
CREATE OR REPLACE TEMP VIEW study_classes AS FROM given('study_classes', 'read_parquet(''study_classes/*.parquet'')',
    'body_digest VARCHAR, agent VARCHAR, class_dpi VARCHAR, class_imc VARCHAR');
