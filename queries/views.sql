-- What do the queries of this folder read? These views, for DuckDB, over the output of `crawlprefs run`.
--
-- The paths are relative, so go into the output folder first:
--   cat queries/views.sql queries/01-shut-out.sql | (cd out && duckdb)
-- For Spark and Trino `crawlprefs schema --sql` declares the tables; the views behind them and the queries use no
-- lambdas, and `100e0` is written so that every engine divides in floating point.

-- The tables. The crawl is the name of a folder, and text even where it looks like a number.

CREATE OR REPLACE VIEW captures AS
SELECT * FROM read_parquet('evidence/captures/*/*.parquet',
    hive_partitioning = true, hive_types = {'crawl': 'VARCHAR'}, union_by_name = true);

CREATE OR REPLACE VIEW site_files AS
SELECT * FROM read_parquet('evidence/site_files/*/*.parquet',
    hive_partitioning = true, hive_types = {'crawl': 'VARCHAR'}, union_by_name = true);

CREATE OR REPLACE VIEW failures AS
SELECT * FROM read_parquet('evidence/failures/*/*.parquet',
    hive_partitioning = true, hive_types = {'crawl': 'VARCHAR'}, union_by_name = true);

CREATE OR REPLACE VIEW archives AS
SELECT * FROM read_parquet('evidence/archives/*/*.parquet',
    hive_partitioning = true, hive_types = {'crawl': 'VARCHAR'}, union_by_name = true);

CREATE OR REPLACE VIEW pages AS
SELECT * FROM read_parquet('pages/*/*.parquet',
    hive_partitioning = true, hive_types = {'crawl': 'VARCHAR'}, union_by_name = true);

CREATE OR REPLACE VIEW statements AS
SELECT * FROM read_parquet('statements/*/*.parquet',
    hive_partitioning = true, hive_types = {'crawl': 'VARCHAR'}, union_by_name = true);

CREATE OR REPLACE VIEW robots AS
SELECT * FROM read_parquet('robots/*/*.parquet',
    hive_partitioning = true, hive_types = {'crawl': 'VARCHAR'}, union_by_name = true);

CREATE OR REPLACE VIEW robots_agents AS
SELECT * FROM read_parquet('robots_agents/*/*.parquet',
    hive_partitioning = true, hive_types = {'crawl': 'VARCHAR'}, union_by_name = true);

CREATE OR REPLACE VIEW robots_lines AS
SELECT * FROM read_parquet('robots_lines/*/*.parquet',
    hive_partitioning = true, hive_types = {'crawl': 'VARCHAR'}, union_by_name = true);

CREATE OR REPLACE VIEW robots_lints AS
SELECT * FROM read_parquet('robots_lints/*/*.parquet',
    hive_partitioning = true, hive_types = {'crawl': 'VARCHAR'}, union_by_name = true);

-- What each robots.txt says to each agent that it names, and to *, once over all segments and crawls: joins by
-- body_digest alone. An agent that a file does not name has the row of *.
CREATE OR REPLACE VIEW robots_agents_distinct AS
SELECT DISTINCT
    body_digest, agent, agent_raw, class, root_access, allow_count, disallow_count, crawl_delay_s, class_dpi, class_imc
FROM robots_agents;

-- Site files, each body once over all batches, segments and crawls: joins by body_digest alone, also where
-- warc_segment is NULL. `kinds` says as what the body was served.
CREATE OR REPLACE VIEW site_files_distinct AS
SELECT
    body_digest,
    array_agg(DISTINCT kind ORDER BY kind) AS kinds,
    any_value(body) AS body,
    max(body_bytes) AS body_bytes,
    bool_or(cut) AS cut
FROM site_files
GROUP BY body_digest;

-- Hosts, each once per crawl, http and https and all ports together. Pages are captures of any status.
-- access is the viewpoint's (product_token); it is unknown where robots.txt is.
-- Only hosts with pages are here: a crawl has no pages of hosts that shut its own crawler out, and every share of
-- hosts or pages is a share of those that let it in when it came.
CREATE OR REPLACE VIEW hosts AS
SELECT
    crawl,
    url_host_name,
    count(*) AS pages,
    count(*) FILTER (WHERE access = 'allow') AS pages_allowed,
    count(*) FILTER (WHERE access = 'disallow') AS pages_disallowed,
    count(*) FILTER (WHERE access = 'unknown') AS pages_unknown,
    count(*) FILTER (WHERE disallowed_agents IS NOT NULL) AS pages_known
FROM pages
WHERE url_host_name IS NOT NULL
GROUP BY crawl, url_host_name;

-- Drop list: the pages that somebody may not fetch by robots.txt, in the form that training pipelines load.
-- `id` is WARC-Record-ID with its brackets (FineWeb's `id`); `user_agents` are the tokens that are shut out, of
-- which a pipeline takes those that it honours:
--   SELECT id FROM drop_list WHERE array_has_any(user_agents, ['GPTBot', 'CCBot']);
--   COPY drop_list TO 'drop_list.parquet';
-- It holds nothing of usage preferences: those are the labels of `pages`.
CREATE OR REPLACE VIEW drop_list AS
SELECT warc_record_id AS id, disallowed_agents AS user_agents
FROM pages
WHERE len(disallowed_agents) > 0 AND warc_record_id IS NOT NULL;

-- Unknown list: the pages of which nobody can say who may fetch them, and why (see `robots_state`).
-- Unknown is never allowed. Drop these too; or keep them as a decision of your own, with their number stated.
-- Fewer are unknown with the whole robotstxt/ of each segment among the inputs, or with --robots-slack.
-- Where archives hold an id twice, it is dropped if one of its captures is: drop by both lists, never by one.
-- A document may be kept if its id is in `pages` and in neither list. An id that is in no table at all is unknown
-- as well: its archive was not read, or its record was lost (05-trust.sql).
CREATE OR REPLACE VIEW unknown_list AS
SELECT warc_record_id AS id, robots_state AS reason
FROM pages
WHERE disallowed_agents IS NULL AND warc_record_id IS NOT NULL;

-- What the robots.txt files say to one agent, whether they name it or not, a row per capture of a file:
--   SELECT class, is_named, count(DISTINCT url_host_name) FROM to_agent('GPTBot') GROUP BY ALL ORDER BY ALL;
CREATE OR REPLACE MACRO to_agent(token) AS TABLE
SELECT
    robots.crawl,
    robots.url_host_name,
    robots.url,
    robots.fetch_time,
    robots.body_digest,
    own.agent IS NOT NULL AS is_named,
    coalesce(own.class, everyone.class) AS class,
    coalesce(own.root_access, everyone.root_access) AS root_access,
    coalesce(own.class_dpi, everyone.class_dpi) AS class_dpi,
    coalesce(own.class_imc, everyone.class_imc) AS class_imc
FROM robots
JOIN robots_agents_distinct AS everyone ON everyone.body_digest = robots.body_digest AND everyone.agent = '*'
LEFT JOIN robots_agents_distinct AS own ON own.body_digest = robots.body_digest AND lower(own.agent) = lower(token)
WHERE robots.outcome IN ('parsed', 'not_text');
