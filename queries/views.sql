-- The views that the queries read, one text for DuckDB (after duckdb.sql) and Spark SQL (by spark.py).
-- docs/research.md says what each unit is and which share to use. Every view has the column crawl: count per crawl.

-- The table `sites` with the lists of its sets of agents. What counts agents counts by `agent_set` first, then by list.
CREATE OR REPLACE TEMPORARY VIEW sites AS
SELECT sites_table.*, agents_closed, agents_restricted, agents_named
FROM sites_table
LEFT JOIN agent_sets ON agent_sets.agent_set = sites_table.agent_set;

-- Whether all rows of `sites` were made for one product token, by one agents table and by the same rules. Runs of
-- several viewpoints cannot be compared: an agent that one table lacks would be closed by nobody there. Every view over
-- hosts stops where they are together, and names them.
CREATE OR REPLACE TEMPORARY VIEW one_viewpoint AS
SELECT
    CASE
        WHEN count(DISTINCT viewpoint) > 1 THEN raise_error(
            'these runs differ in what they were resolved for, so that they cannot be compared; resolve them again '
            || 'with the same version and options, which reads no archive: '
            || array_join(array_sort(array_agg(DISTINCT crawl || ': ' || viewpoint)), '; ')
        )
        ELSE true
    END AS is_one
FROM sites_table;

-- The table `pages`. Its verdicts are for one product token, by one agents table and by the same rules: every query over
-- pages of several stops and names them. `pages_table` has the rows as they are; those that were made before the column
-- `viewpoint` have NULL in it, and may be of any agents table.
CREATE OR REPLACE TEMPORARY VIEW pages AS
SELECT *
FROM pages_table
WHERE (
    SELECT
        CASE
            WHEN count(DISTINCT viewpoint) > 1 THEN raise_error(
                'these pages differ in what they were resolved for, so that they cannot be compared; resolve them again '
                || 'with the same version and options (resolve --overwrite), which reads no archive: '
                || array_join(array_sort(array_agg(DISTINCT crawl || ': ' || viewpoint)), '; ')
            )
            ELSE true
        END
    FROM (
        SELECT
            crawl,
            coalesce(
                viewpoint,
                concat('agent ', product_token, ', vocabulary ', vocabulary, ', agents table not recorded')
            ) AS viewpoint
        FROM pages_table
    ) AS each_page
);

-- The crawls in the order of time, whatever their names are: by the median of the times at which it fetched robots.txt, or the
-- pages of a crawl without robots.txt, and the crawls of sites --at, which are times, by these. A crawl without robots.txt may
-- have those of another one in `sites`. `place` counts from 1; `next_crawl` is the one after it.
-- first_fetch and last_fetch: without the first and the last hundredth, as a date may be wrong. `is_overlapping`: the next one
-- began before this one ended, so that none of both is before the other; the same captures under two names are not.
CREATE OR REPLACE TEMPORARY VIEW crawl_times AS
WITH without_robots AS (
    SELECT crawl FROM sites_table
    EXCEPT
    SELECT crawl FROM robots_times
),
of_pages AS (
    SELECT page_times.crawl, fetch_time AS fetched_at
    FROM page_times
    JOIN without_robots ON without_robots.crawl = page_times.crawl
),
without_both AS (
    SELECT crawl FROM without_robots
    EXCEPT
    SELECT crawl FROM of_pages
),
times AS (
    SELECT crawl, fetch_time AS fetched_at FROM robots_times
    UNION ALL
    SELECT crawl, fetched_at FROM of_pages
    UNION ALL
    SELECT sites_table.crawl, robots_fetch_time AS fetched_at
    FROM sites_table
    JOIN without_both ON without_both.crawl = sites_table.crawl
),
fetched AS (
    SELECT
        crawl,
        fetched_at,
        row_number() OVER (PARTITION BY crawl ORDER BY fetched_at NULLS LAST) AS number,
        count(fetched_at) OVER (PARTITION BY crawl) AS numbers
    FROM times
),
ranges AS (
    SELECT
        crawl,
        regexp_extract(crawl, '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{6}Z)?$', 0) AS moment,
        min(CASE WHEN 100 * number >= numbers THEN fetched_at END) AS first_fetch,
        min(CASE WHEN 2 * number >= numbers THEN fetched_at END) AS median_fetch,
        min(CASE WHEN 100 * number >= 99 * numbers THEN fetched_at END) AS last_fetch
    FROM fetched
    GROUP BY crawl
),
placed AS (
    SELECT
        *,
        row_number() OVER (ORDER BY moment, median_fetch NULLS FIRST, crawl) AS place,
        lead(crawl) OVER (ORDER BY moment, median_fetch NULLS FIRST, crawl) AS next_crawl,
        lead(first_fetch) OVER (ORDER BY moment, median_fetch NULLS FIRST, crawl) AS next_first,
        lead(last_fetch) OVER (ORDER BY moment, median_fetch NULLS FIRST, crawl) AS next_last
    FROM ranges
)
SELECT
    crawl,
    place,
    next_crawl,
    first_fetch,
    median_fetch,
    last_fetch,
    moment = '' AND coalesce(
        next_first <= last_fetch AND NOT (next_first = first_fetch AND next_last = last_fetch), false
    ) AS is_overlapping
FROM placed;

-- The same for what compares crawls with each other: it stops where two of them overlap in time, and names their times.
CREATE OR REPLACE TEMPORARY VIEW crawls_in_order AS
SELECT crawl, place, next_crawl, first_fetch, median_fetch, last_fetch
FROM (
    SELECT
        *,
        bool_or(is_overlapping) OVER () AS is_any_overlapping,
        array_agg(concat(crawl, ' ', CAST(first_fetch AS STRING), ' to ', CAST(last_fetch AS STRING))) OVER () AS times
    FROM crawl_times
) AS each_crawl
WHERE
    CASE
        WHEN is_any_overlapping THEN raise_error(
            'these crawls overlap in time, so that none is before the other: give the archives of one time to one crawl '
            || '(--crawl), or compare dates (crawlprefs sites --at): ' || array_join(array_sort(times), '; ')
        )
        ELSE true
    END;

-- The systems whose statements are in site files of their own, beside robots.txt, in one row. Made
-- from the systems in the code by tests/generated.
CREATE OR REPLACE TEMPORARY VIEW systems_beside_robots AS
SELECT split('automation_preferences,tdmrep,trust_txt,ai_txt', ',') AS names;

-- Origins (scheme, host, port), each once per crawl, over all segments: robots.txt as of its newest capture, other
-- site files of every segment, pages and bytes summed. Agents are those of the segment with the newest robots.txt. As all
-- inputs count for each segment, several mostly have it: the strictest label of these counts, because other files may be newer
-- in one than in another. The files may be those of another crawl among the inputs: robots_fetch_time says of when they are.
CREATE OR REPLACE TEMPORARY VIEW origins AS
WITH numbered AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY crawl, origin ORDER BY robots_fetch_time DESC NULLS LAST, warc_segment DESC NULLS LAST
        ) = 1 AS is_newest,
        rank() OVER (PARTITION BY crawl, origin ORDER BY robots_fetch_time DESC NULLS LAST) = 1 AS is_tied,
        (SELECT names FROM systems_beside_robots) AS beside_robots
    FROM sites_table
    WHERE (SELECT is_one FROM one_viewpoint)
),
merged AS (
    SELECT
        crawl,
        origin,
        max(url_protocol) FILTER (WHERE is_newest) AS url_protocol,
        max(url_host_name) FILTER (WHERE is_newest) AS url_host_name,
        max(url_port) FILTER (WHERE is_newest) AS url_port,
        max(url_host_tld) FILTER (WHERE is_newest) AS url_host_tld,
        max(url_host_registered_domain) FILTER (WHERE is_newest) AS url_host_registered_domain,
        max(surt_host_name) FILTER (WHERE is_newest) AS surt_host_name,
        max(robots_state) FILTER (WHERE is_newest) AS robots_state,
        max(robots_fetch_time) FILTER (WHERE is_newest) AS robots_fetch_time,
        max(robots_body_digest) FILTER (WHERE is_newest) AS robots_body_digest,
        max(robots_file_origin) FILTER (WHERE is_newest) AS robots_file_origin,
        max(robots_versions) FILTER (WHERE is_newest) AS robots_versions,
        max(agent_set) FILTER (WHERE is_newest) AS agent_set,
        CASE min(CASE search WHEN 'disallow' THEN 1 WHEN 'unknown' THEN 2 WHEN 'allow' THEN 3 END) FILTER (WHERE is_tied)
            WHEN 1 THEN 'disallow' WHEN 2 THEN 'unknown' WHEN 3 THEN 'allow'
        END AS search,
        CASE min(CASE train_ai WHEN 'disallow' THEN 1 WHEN 'unknown' THEN 2 WHEN 'allow' THEN 3 END) FILTER (WHERE is_tied)
            WHEN 1 THEN 'disallow' WHEN 2 THEN 'unknown' WHEN 3 THEN 'allow'
        END AS train_ai,
        CASE min(CASE train_genai WHEN 'disallow' THEN 1 WHEN 'unknown' THEN 2 WHEN 'allow' THEN 3 END) FILTER (WHERE is_tied)
            WHEN 1 THEN 'disallow' WHEN 2 THEN 'unknown' WHEN 3 THEN 'allow'
        END AS train_genai,
        CASE min(CASE ai_input WHEN 'disallow' THEN 1 WHEN 'unknown' THEN 2 WHEN 'allow' THEN 3 END) FILTER (WHERE is_tied)
            WHEN 1 THEN 'disallow' WHEN 2 THEN 'unknown' WHEN 3 THEN 'allow'
        END AS ai_input,
        CASE min(CASE tdm WHEN 'disallow' THEN 1 WHEN 'unknown' THEN 2 WHEN 'allow' THEN 3 END) FILTER (WHERE is_tied)
            WHEN 1 THEN 'disallow' WHEN 2 THEN 'unknown' WHEN 3 THEN 'allow'
        END AS tdm,
        max(systems) FILTER (WHERE is_newest) AS systems,
        max(systems_valid) FILTER (WHERE is_newest) AS systems_valid,
        flatten(array_agg(
            CASE WHEN is_newest THEN systems ELSE array_intersect(systems, beside_robots) END
        )) AS all_systems,
        flatten(array_agg(
            CASE WHEN is_newest THEN systems_valid ELSE array_intersect(systems_valid, beside_robots) END
        )) AS all_systems_valid,
        array_agg(DISTINCT warc_segment) AS warc_segments,
        CAST(sum(pages) AS BIGINT) AS pages,
        CAST(sum(pages_closed) AS BIGINT) AS pages_closed,
        CAST(sum(content_bytes) AS BIGINT) AS content_bytes
    FROM numbered
    GROUP BY crawl, origin
)
SELECT
    crawl,
    origin,
    url_protocol,
    url_host_name,
    url_port,
    url_host_tld,
    url_host_registered_domain,
    surt_host_name,
    robots_state,
    robots_fetch_time,
    robots_body_digest,
    robots_file_origin,
    robots_versions,
    merged.agent_set,
    agents_closed,
    agents_restricted,
    agents_named,
    search,
    train_ai,
    train_genai,
    ai_input,
    tdm,
    CASE WHEN array_size(all_systems) > 0 THEN array_sort(array_distinct(all_systems)) ELSE systems END AS systems,
    CASE
        WHEN array_size(all_systems_valid) > 0 THEN array_sort(array_distinct(all_systems_valid))
        ELSE systems_valid
    END AS systems_valid,
    warc_segments,
    pages,
    pages_closed,
    content_bytes
FROM merged
LEFT JOIN agent_sets ON agent_sets.agent_set = merged.agent_set;

-- Hosts, each once per crawl: http and https and all ports together. A host has the robots.txt of one origin: one with
-- a capture of robots.txt before one without, https before http, the default port before another, then the newest.
-- `systems` and `systems_valid` are those of all its origins; pages and bytes are summed. `segments`: in how many the
-- host was seen. `answers`: robots.txt was read to its end, or is not there (4xx), so that it is known what the owner wants;
-- it may be of another crawl among the inputs, and of any age (robots_fetch_time);
-- the hosts for which it is true are the denominator of each share. 5xx answers, which RFC 9309 reads as closed, say
-- nothing of that. `inclusion_weight`: for how many hosts of the whole crawl it counts (docs/sampling.md); NULL where
-- fewer than two segments were read, or some archive of one was not: a host that was not seen there may be in it.
CREATE OR REPLACE TEMPORARY VIEW hosts AS
WITH numbered AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY crawl, url_host_name
            ORDER BY
                CASE WHEN robots_state = 'not_archived' THEN 1 ELSE 0 END,
                CASE WHEN url_protocol = 'https' THEN 0 ELSE 1 END,
                CASE WHEN url_port IS NULL THEN 0 ELSE 1 END,
                robots_fetch_time DESC NULLS LAST,
                origin
        ) = 1 AS is_preferred
    FROM origins
    WHERE url_host_name IS NOT NULL
),
merged AS (
    SELECT
        crawl,
        url_host_name,
        max(url_host_tld) FILTER (WHERE is_preferred) AS url_host_tld,
        max(url_host_registered_domain) FILTER (WHERE is_preferred) AS url_host_registered_domain,
        max(surt_host_name) FILTER (WHERE is_preferred) AS surt_host_name,
        max(origin) FILTER (WHERE is_preferred) AS origin,
        max(robots_state) FILTER (WHERE is_preferred) AS robots_state,
        max(robots_fetch_time) FILTER (WHERE is_preferred) AS robots_fetch_time,
        max(robots_body_digest) FILTER (WHERE is_preferred) AS robots_body_digest,
        max(robots_file_origin) FILTER (WHERE is_preferred) AS robots_file_origin,
        max(agent_set) FILTER (WHERE is_preferred) AS agent_set,
        max(search) FILTER (WHERE is_preferred) AS search,
        max(train_ai) FILTER (WHERE is_preferred) AS train_ai,
        max(train_genai) FILTER (WHERE is_preferred) AS train_genai,
        max(ai_input) FILTER (WHERE is_preferred) AS ai_input,
        max(tdm) FILTER (WHERE is_preferred) AS tdm,
        max(systems) FILTER (WHERE is_preferred) AS systems,
        max(systems_valid) FILTER (WHERE is_preferred) AS systems_valid,
        flatten(array_agg(systems)) AS all_systems,
        flatten(array_agg(systems_valid)) AS all_systems_valid,
        count(*) AS origins,
        CAST(sum(pages) AS BIGINT) AS pages,
        CAST(sum(pages_closed) AS BIGINT) AS pages_closed,
        CAST(sum(content_bytes) AS BIGINT) AS content_bytes,
        CAST(array_size(array_distinct(flatten(array_agg(warc_segments)))) AS BIGINT) AS segments
    FROM numbered
    GROUP BY crawl, url_host_name
),
seen AS (
    SELECT crawl, url_host_name, count(DISTINCT warc_segment) AS segments
    FROM sites_table
    WHERE url_host_name IS NOT NULL
    GROUP BY crawl, url_host_name
),
seen_once AS (
    SELECT
        segments_read.crawl,
        segments_read.segments,
        1e0 * count(CASE WHEN seen.segments = 1 THEN 1 END) AS once,
        1e0 * count(CASE WHEN seen.segments = 2 THEN 1 END) AS twice
    FROM (
        SELECT crawl, count(DISTINCT warc_segment) AS segments
        FROM sites_table
        GROUP BY crawl
        HAVING bool_and(coalesce(segment_whole, false))
    ) AS segments_read
    JOIN seen ON seen.crawl = segments_read.crawl
    GROUP BY segments_read.crawl, segments_read.segments
),
-- Hosts that were not seen are like those that were seen once (Chao and Lin 2012), and a crawl has 100 segments.
weights AS (
    SELECT
        crawl,
        CASE
            WHEN segments >= 100 OR once = 0 THEN 1e0
            ELSE 1 + once / (2 * twice * segments / (segments - 1) + once * segments / (100e0 - segments))
        END AS of_once
    FROM seen_once
    WHERE segments >= 2
)
SELECT
    merged.crawl,
    url_host_name,
    url_host_tld,
    url_host_registered_domain,
    surt_host_name,
    origin,
    robots_state,
    merged.agent_set IS NOT NULL AND robots_state <> 'unreachable' AS answers,
    robots_fetch_time,
    robots_body_digest,
    robots_file_origin,
    merged.agent_set,
    agents_closed,
    agents_restricted,
    agents_named,
    search,
    train_ai,
    train_genai,
    ai_input,
    tdm,
    CASE WHEN array_size(all_systems) > 0 THEN array_sort(array_distinct(all_systems)) ELSE systems END AS systems,
    CASE
        WHEN array_size(all_systems_valid) > 0 THEN array_sort(array_distinct(all_systems_valid))
        ELSE systems_valid
    END AS systems_valid,
    origins,
    pages,
    pages_closed,
    content_bytes,
    nullif(segments, 0) AS segments,
    CASE WHEN segments = 1 THEN of_once WHEN segments > 1 AND of_once IS NOT NULL THEN 1e0 END AS inclusion_weight
FROM merged
LEFT JOIN agent_sets ON agent_sets.agent_set = merged.agent_set
LEFT JOIN weights ON weights.crawl = merged.crawl;

-- What the archives of each crawl are of what the calls of `scan` and `run` were given for it. `design`: all inputs; whole
-- list (all archives of a list of which a part was chosen first); random sample (--sample, and all drawn archives were
-- read); part of a list (--limit, or archives that were not read to their end: no sample of anything); several lists.
-- `archive_weight`: for how many archives of the list each that was read counts, for totals of captures; NULL where the
-- archives are no sample. No rows where the folder has no table `archives`.
CREATE OR REPLACE TEMPORARY VIEW designs AS
WITH counted AS (
    SELECT
        crawl,
        count(DISTINCT coalesce(list_digest, '')) AS lists,
        min(list_digest) AS list_digest,
        max(list_archives) AS list_archives,
        max(list_sample) AS list_sample,
        min(list_seed) AS list_seed,
        count(DISTINCT list_seed) AS seeds,
        count(list_sample) AS archives_drawn,
        count(*) AS archives,
        count(CASE WHEN outcome = 'read' THEN 1 END) AS archives_read
    FROM archives_or_none
    GROUP BY crawl
),
named AS (
    SELECT
        *,
        CASE
            WHEN list_digest IS NULL AND archives_read = archives THEN 'all inputs'
            WHEN list_digest IS NULL THEN 'part of a list'
            WHEN lists > 1 THEN 'several lists'
            WHEN archives_read >= list_archives THEN 'whole list'
            WHEN seeds = 1 AND archives_drawn = archives AND archives_read = list_sample THEN 'random sample'
            ELSE 'part of a list'
        END AS design
    FROM counted
)
SELECT
    crawl,
    design,
    list_digest,
    coalesce(list_archives, archives) AS list_archives,
    archives_read,
    CASE WHEN design = 'random sample' THEN list_sample END AS sample,
    CASE WHEN design = 'random sample' THEN list_seed END AS seed,
    CASE
        WHEN design IN ('all inputs', 'whole list', 'random sample')
            THEN 1e0 * coalesce(list_archives, archives) / archives_read
    END AS archive_weight
FROM named;

-- Whether the archives of the crawls here were chosen in different ways (one row): a difference of two shares of hosts that are
-- not the same may then come from that alone (docs/sampling.md). NULL where the folder has no table `archives`.
-- are_forbidden: one of them is a part of a list, so that queries over such hosts have no shares.
CREATE OR REPLACE TEMPORARY VIEW unlike_designs AS
SELECT
    CASE WHEN count(*) > 0 THEN count(DISTINCT way) > 1 END AS are_unlike,
    count(DISTINCT way) > 1 AND max(CASE WHEN design IN ('all inputs', 'whole list') THEN 0 ELSE 1 END) = 1
        AS are_forbidden
FROM (
    SELECT
        design,
        CASE
            WHEN design = 'whole list' THEN design
            ELSE concat(design, ', ', CAST(coalesce(sample, 0) AS STRING), ' of ', CAST(list_archives AS STRING))
        END AS way
    FROM designs
) AS each_crawl;

-- Hosts with the website of each: the host without `www.`. `is_preferred`: the website has the robots.txt of this host, as
-- it is the one that answers, then the one that closes more agents, as it is the stricter one, then the newer.
CREATE OR REPLACE TEMPORARY VIEW hosts_of_websites AS
SELECT
    *,
    website = regexp_replace(coalesce(url_host_registered_domain, url_host_name), '^www[.]', '') AS is_of_domain,
    row_number() OVER (
        PARTITION BY crawl, website
        ORDER BY
            CASE WHEN answers THEN 0 WHEN agents_closed IS NOT NULL THEN 1 ELSE 2 END,
            array_size(agents_closed) DESC NULLS LAST,
            robots_fetch_time DESC NULLS LAST,
            url_host_name
    ) = 1 AS is_preferred
FROM (SELECT *, regexp_replace(url_host_name, '^www[.]', '') AS website FROM hosts) AS named;

-- Websites: hosts without `www.`, so that a host and its www count once; scheme and port do not matter either. Use them
-- beside lists of domains, and wherever twins would count twice.
CREATE OR REPLACE TEMPORARY VIEW websites AS
WITH counted AS (
    SELECT
        *,
        count(*) OVER (PARTITION BY crawl, website) AS hosts,
        CAST(sum(pages) OVER (PARTITION BY crawl, website) AS BIGINT) AS all_pages
    FROM hosts_of_websites
)
SELECT
    crawl, website, url_host_name, url_host_tld, url_host_registered_domain, surt_host_name, robots_state, answers,
    robots_fetch_time, robots_body_digest, agent_set, agents_closed, agents_restricted, agents_named, systems,
    systems_valid, hosts, all_pages AS pages
FROM counted
WHERE is_preferred;

-- What shares of agents are counted in: `unit` is host, website or domain (the website of the domain itself), one row each per
-- crawl. `cluster` is the registered domain, whose hosts decide together. The denominator of a share is the rows with
-- `answers`; closed by name are those whose agents_closed and agents_named have the agent.
CREATE OR REPLACE TEMPORARY VIEW units AS
SELECT
    unit,
    crawl,
    CASE WHEN unit = 'host' THEN url_host_name ELSE website END AS name,
    CASE WHEN unit = 'domain' THEN website ELSE coalesce(url_host_registered_domain, url_host_name) END AS cluster,
    robots_state,
    answers,
    robots_body_digest,
    agents_closed,
    agents_restricted,
    agents_named
FROM hosts_of_websites
CROSS JOIN (VALUES ('host'), ('website'), ('domain')) AS named (unit)
WHERE unit = 'host' OR is_preferred AND (unit = 'website' OR is_of_domain);

-- Registered domains, each once per crawl; an address, or a host that is a public suffix, is a domain of its own.
-- `in_top_tenth`: the tenth of all domains with the most bytes, as the list that Article 53(1)(d) of the EU's AI Act
-- asks of providers has them (`bytes_rank` gives any other part).
-- Agents to which everything is closed by name, by three definitions; `hosts_answering` are the hosts that decide, with
-- a readable robots.txt or 4xx. any_host_closes: some of them does; itself_closes: the website of the domain (the host that is
-- the domain, or its www);
-- all_hosts_close: each of them does. NULL where no such host answers. docs/research.md says which to use.
CREATE OR REPLACE TEMPORARY VIEW domains AS
WITH summed AS (
    SELECT
        crawl,
        coalesce(url_host_registered_domain, url_host_name) AS domain,
        count(*) AS hosts,
        count(agents_closed) AS hosts_known,
        count(CASE WHEN answers THEN 1 END) AS hosts_answering,
        CAST(sum(pages) AS BIGINT) AS pages,
        CAST(sum(pages_closed) AS BIGINT) AS pages_closed,
        CAST(sum(content_bytes) AS BIGINT) AS content_bytes
    FROM hosts
    GROUP BY crawl, coalesce(url_host_registered_domain, url_host_name)
),
closing AS (
    SELECT
        crawl,
        coalesce(url_host_registered_domain, url_host_name) AS domain,
        url_host_name,
        agents_named,
        explode(agents_closed) AS agent
    FROM hosts
    WHERE answers
),
each_agent AS (
    SELECT crawl, domain, agent, count(*) AS hosts_closing
    FROM closing
    WHERE array_contains(agents_named, agent)
    GROUP BY crawl, domain, agent
),
itself AS (
    SELECT crawl, website AS domain, agents_named, agents_closed
    FROM websites
    WHERE answers AND website = regexp_replace(coalesce(url_host_registered_domain, url_host_name), '^www[.]', '')
),
itself_each AS (
    SELECT crawl, domain, agents_named, explode(agents_closed) AS agent FROM itself
),
itself_lists AS (
    SELECT crawl, domain, array_sort(array_agg(agent)) AS itself_closes
    FROM itself_each
    WHERE array_contains(agents_named, agent)
    GROUP BY crawl, domain
),
lists AS (
    SELECT
        each_agent.crawl,
        each_agent.domain,
        array_sort(array_agg(agent)) AS any_host_closes,
        array_sort(array_agg(agent) FILTER (WHERE hosts_closing = hosts_answering)) AS all_hosts_close
    FROM each_agent
    JOIN summed ON summed.crawl = each_agent.crawl AND summed.domain = each_agent.domain
    GROUP BY each_agent.crawl, each_agent.domain
),
ranked AS (
    SELECT
        summed.*,
        CASE WHEN hosts_answering > 0 THEN coalesce(any_host_closes, array_repeat('', 0)) END AS any_host_closes,
        CASE WHEN itself.domain IS NOT NULL THEN coalesce(itself_closes, array_repeat('', 0)) END AS itself_closes,
        CASE WHEN hosts_answering > 0 THEN coalesce(all_hosts_close, array_repeat('', 0)) END AS all_hosts_close,
        row_number() OVER (PARTITION BY summed.crawl ORDER BY content_bytes DESC, summed.domain) AS bytes_rank,
        count(*) OVER (PARTITION BY summed.crawl) AS domains
    FROM summed
    LEFT JOIN lists ON lists.crawl = summed.crawl AND lists.domain = summed.domain
    LEFT JOIN itself
        ON itself.crawl = summed.crawl AND itself.domain = regexp_replace(summed.domain, '^www[.]', '')
    LEFT JOIN itself_lists ON itself_lists.crawl = itself.crawl AND itself_lists.domain = itself.domain
)
SELECT
    crawl,
    domain,
    hosts,
    hosts_known,
    hosts_answering,
    any_host_closes,
    itself_closes,
    all_hosts_close,
    pages,
    pages_closed,
    content_bytes,
    bytes_rank,
    bytes_rank <= ceil(domains / 10e0) AS in_top_tenth
FROM ranked;

-- Who uses a system of preferences: each host and system once per crawl, stated in a site file, by pages (headers and
-- metas), or both. A field that two documents read counts for the system that it was written for: Content-Usage is
-- AIPREF's, and no host uses SUP because of it. valid_in_site_file, valid_pages: a statement there has no defect.
CREATE OR REPLACE TEMPORARY VIEW host_systems AS
WITH stated AS (
    SELECT crawl, url_host_name, systems_valid, explode(systems) AS system
    FROM hosts
),
on_pages AS (
    SELECT crawl, url_host_name, explode(page_systems) AS used
    FROM sites_table
    WHERE url_host_name IS NOT NULL
),
both_places AS (
    SELECT
        crawl,
        url_host_name,
        system,
        1 AS in_site_file,
        CASE WHEN array_contains(systems_valid, system) THEN 1 ELSE 0 END AS valid_in_site_file,
        0 AS pages,
        0 AS valid_pages
    FROM stated
    UNION ALL
    SELECT crawl, url_host_name, used.system, 0, 0, used.own_pages, used.valid_pages
    FROM on_pages
    WHERE used.own_pages > 0
)
SELECT
    crawl,
    url_host_name,
    system,
    max(in_site_file) = 1 AS in_site_file,
    max(valid_in_site_file) = 1 AS valid_in_site_file,
    CAST(sum(pages) AS BIGINT) AS pages,
    CAST(sum(valid_pages) AS BIGINT) AS valid_pages
FROM both_places
GROUP BY crawl, url_host_name, system;

-- The agents that people ask for first, a column each: what each host closes to them. full: everything; partial:
-- something; none: nothing; error: robots.txt answered 5xx; NULL: robots.txt is unknown. <agent>_named: the host has a
-- group for it, so that it is a decision about the agent. For any other agent ask host_agents.
CREATE OR REPLACE TEMPORARY VIEW hosts_wide AS
SELECT
    crawl,
    url_host_name,
    url_host_registered_domain,
    robots_state,
    CASE WHEN robots_state = 'unreachable' THEN 'error'
        WHEN array_contains(agents_closed, 'GPTBot') THEN 'full'
        WHEN array_contains(agents_restricted, 'GPTBot') THEN 'partial'
        WHEN agents_closed IS NOT NULL THEN 'none' END AS gptbot,
    array_contains(agents_named, 'GPTBot') AS gptbot_named,
    CASE WHEN robots_state = 'unreachable' THEN 'error'
        WHEN array_contains(agents_closed, 'OAI-SearchBot') THEN 'full'
        WHEN array_contains(agents_restricted, 'OAI-SearchBot') THEN 'partial'
        WHEN agents_closed IS NOT NULL THEN 'none' END AS oai_searchbot,
    array_contains(agents_named, 'OAI-SearchBot') AS oai_searchbot_named,
    CASE WHEN robots_state = 'unreachable' THEN 'error'
        WHEN array_contains(agents_closed, 'ClaudeBot') THEN 'full'
        WHEN array_contains(agents_restricted, 'ClaudeBot') THEN 'partial'
        WHEN agents_closed IS NOT NULL THEN 'none' END AS claudebot,
    array_contains(agents_named, 'ClaudeBot') AS claudebot_named,
    CASE WHEN robots_state = 'unreachable' THEN 'error'
        WHEN array_contains(agents_closed, 'CCBot') THEN 'full'
        WHEN array_contains(agents_restricted, 'CCBot') THEN 'partial'
        WHEN agents_closed IS NOT NULL THEN 'none' END AS ccbot,
    array_contains(agents_named, 'CCBot') AS ccbot_named,
    CASE WHEN robots_state = 'unreachable' THEN 'error'
        WHEN array_contains(agents_closed, 'Google-Extended') THEN 'full'
        WHEN array_contains(agents_restricted, 'Google-Extended') THEN 'partial'
        WHEN agents_closed IS NOT NULL THEN 'none' END AS google_extended,
    array_contains(agents_named, 'Google-Extended') AS google_extended_named,
    CASE WHEN robots_state = 'unreachable' THEN 'error'
        WHEN array_contains(agents_closed, 'Googlebot') THEN 'full'
        WHEN array_contains(agents_restricted, 'Googlebot') THEN 'partial'
        WHEN agents_closed IS NOT NULL THEN 'none' END AS googlebot,
    array_contains(agents_named, 'Googlebot') AS googlebot_named,
    CASE WHEN robots_state = 'unreachable' THEN 'error'
        WHEN array_contains(agents_closed, 'PerplexityBot') THEN 'full'
        WHEN array_contains(agents_restricted, 'PerplexityBot') THEN 'partial'
        WHEN agents_closed IS NOT NULL THEN 'none' END AS perplexitybot,
    array_contains(agents_named, 'PerplexityBot') AS perplexitybot_named,
    CASE WHEN robots_state = 'unreachable' THEN 'error'
        WHEN array_contains(agents_closed, 'Bytespider') THEN 'full'
        WHEN array_contains(agents_restricted, 'Bytespider') THEN 'partial'
        WHEN agents_closed IS NOT NULL THEN 'none' END AS bytespider,
    array_contains(agents_named, 'Bytespider') AS bytespider_named
FROM hosts;

-- To whom each host closes what: one row per crawl, host and agent to which something is closed. way, for everything:
-- by_name (the host has a group for the agent), by_star (through the group for all), by_error (robots.txt answered 5xx,
-- which says nothing of what the host wants); for a part: partly_by_name, partly_by_star. Only by_name is a decision
-- about this agent.
CREATE OR REPLACE TEMPORARY VIEW host_agents AS
WITH restricted AS (
    SELECT
        crawl, url_host_name, url_host_tld, url_host_registered_domain, robots_state, robots_body_digest, agents_closed,
        agents_named, explode(agents_restricted) AS agent
    FROM hosts
)
SELECT
    crawl,
    url_host_name,
    url_host_tld,
    url_host_registered_domain,
    robots_body_digest,
    agent,
    CASE
        WHEN robots_state = 'unreachable' THEN 'by_error'
        WHEN array_contains(agents_closed, agent) AND array_contains(agents_named, agent) THEN 'by_name'
        WHEN array_contains(agents_closed, agent) THEN 'by_star'
        WHEN array_contains(agents_named, agent) THEN 'partly_by_name'
        ELSE 'partly_by_star'
    END AS way
FROM restricted;

-- Statements of site files, each once over all segments and crawls; joins by body_digest and carrier.
CREATE OR REPLACE TEMPORARY VIEW statements_distinct AS
SELECT DISTINCT
    body_digest, system, same_field_as, vocabulary, carrier, agent, path, key, value, category, preference, valid,
    defect, doubt, line, managed_by, managed_as, raw, raw_bytes
FROM statements_table
WHERE body_digest IS NOT NULL;

-- Which site files an origin has now: kind and body. robots.txt with redirects followed.
CREATE OR REPLACE TEMPORARY VIEW origin_files AS
WITH numbered AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY crawl, origin ORDER BY robots_fetch_time DESC NULLS LAST, warc_segment DESC NULLS LAST
        ) AS newest
    FROM sites_table
),
each_file AS (
    SELECT
        crawl, origin, url_host_name, url_host_tld, url_host_registered_domain, surt_host_name, newest,
        explode(other_files) AS file
    FROM numbered
)
SELECT DISTINCT
    crawl, origin, url_host_name, url_host_tld, url_host_registered_domain, surt_host_name, file.kind AS kind,
    file.body_digest AS body_digest
FROM each_file
WHERE newest = 1 OR file.kind <> 'robots'
UNION
SELECT
    crawl, origin, url_host_name, url_host_tld, url_host_registered_domain, surt_host_name, 'robots', robots_body_digest
FROM numbered
WHERE newest = 1 AND robots_body_digest IS NOT NULL;

-- Statements of preference. Of a record: one row per statement. Of a site file: one row per statement and origin that
-- has the file now; url and the places in archives are NULL, as many captures may have it. same_field_as is not NULL
-- where the field was written for another system, which has rows of its own for it.
CREATE OR REPLACE TEMPORARY VIEW statements AS
SELECT
    crawl,
    url_protocol || '://' || url_host_name || coalesce(':' || CAST(url_port AS STRING), '') AS origin,
    url_host_name,
    url_host_tld,
    url_host_registered_domain,
    surt_host_name,
    warc_filename,
    warc_record_offset,
    warc_member_skip,
    url,
    body_digest,
    system,
    same_field_as,
    vocabulary,
    carrier,
    agent,
    path,
    key,
    value,
    category,
    preference,
    valid,
    defect,
    doubt,
    line,
    managed_by,
    managed_as,
    raw,
    raw_bytes
FROM statements_table
WHERE body_digest IS NULL
UNION ALL
SELECT
    crawl,
    origin,
    url_host_name,
    url_host_tld,
    url_host_registered_domain,
    surt_host_name,
    NULL,
    NULL,
    NULL,
    NULL,
    origin_files.body_digest,
    system,
    same_field_as,
    vocabulary,
    carrier,
    agent,
    path,
    key,
    value,
    category,
    preference,
    valid,
    defect,
    doubt,
    line,
    managed_by,
    managed_as,
    raw,
    raw_bytes
FROM origin_files
JOIN statements_distinct ON statements_distinct.body_digest = origin_files.body_digest AND carrier = kind;

-- The segment by which a robots.txt is counted: equal bytes may be whole in one and cut in another, where a rule is lost.
CREATE OR REPLACE TEMPORARY VIEW robots_read AS
SELECT body_digest, crawl, segment
FROM (
    SELECT
        body_digest,
        crawl,
        coalesce(warc_segment, '') AS segment,
        row_number() OVER (
            PARTITION BY body_digest
            ORDER BY max(rule_count) DESC NULLS LAST, min(bad_line_count), crawl, coalesce(warc_segment, '')
        ) AS place
    FROM robots
    WHERE body_digest IS NOT NULL
    GROUP BY body_digest, crawl, coalesce(warc_segment, '')
) AS each_reading
WHERE place = 1;

-- The tables of robots.txt bodies, each row once over all segments and crawls; they join by body_digest alone. An
-- agent that a file does not name has the row of *. managed_by names the vendor whose text has the line by which
-- the class is known; NULL: the site's own text.
CREATE OR REPLACE TEMPORARY VIEW robots_agents_distinct AS
SELECT DISTINCT
    robots_agents.body_digest, agent, agent_raw, class, root_access, allow_count, disallow_count, crawl_delay_s, managed_by,
    managed_as, closed_in
FROM robots_agents
LEFT JOIN robots_read ON robots_read.body_digest = robots_agents.body_digest
WHERE
    robots_read.body_digest IS NULL
    OR robots_read.crawl = robots_agents.crawl AND robots_read.segment = coalesce(robots_agents.warc_segment, '');

CREATE OR REPLACE TEMPORARY VIEW robots_lines_distinct AS
SELECT DISTINCT robots_lines.body_digest, line, agents, key, key_raw, known, path, value, valid, managed_by, managed_as, defect
FROM robots_lines
LEFT JOIN robots_read ON robots_read.body_digest = robots_lines.body_digest
WHERE
    robots_read.body_digest IS NULL
    OR robots_read.crawl = robots_lines.crawl AND robots_read.segment = coalesce(robots_lines.warc_segment, '');

CREATE OR REPLACE TEMPORARY VIEW robots_lints_distinct AS
SELECT DISTINCT robots_lints.body_digest, lint, line, line_count
FROM robots_lints
LEFT JOIN robots_read ON robots_read.body_digest = robots_lints.body_digest
WHERE
    robots_read.body_digest IS NULL
    OR robots_read.crawl = robots_lints.crawl AND robots_read.segment = coalesce(robots_lints.warc_segment, '');

-- The list of agents that each robots.txt names, once over all segments and crawls: files with the same
-- agents_fingerprint name the same agents, and are often one decision, of a publishing group or a plug-in.
CREATE OR REPLACE TEMPORARY VIEW robots_lists AS
SELECT
    robots.body_digest,
    max(agents_fingerprint) AS agents_fingerprint,
    max(agent_count) AS agent_count,
    max(managed_by) AS managed_by
FROM robots
WHERE agents_fingerprint IS NOT NULL AND body_digest IS NOT NULL
GROUP BY robots.body_digest;

-- Site files, each body once; `kinds` says as what it was served. Its bytes are in site_files.
CREATE OR REPLACE TEMPORARY VIEW site_files_distinct AS
SELECT
    body_digest,
    array_sort(array_agg(DISTINCT kind)) AS kinds,
    max(body_bytes) AS body_bytes
FROM site_files
GROUP BY body_digest;

-- What a policy does with each page: one row per page and policy, and `reason`, the first that applies.
-- robots: keep where robots.txt lets product_token in (access is allow).
-- labels: robots, and neither train_ai nor train_genai is disallow.
-- strict: labels, and nothing is unread, in doubt, not seen or unknown: somebody said yes to both, in what was read whole.
-- Unknown is dropped, never kept.
-- content_languages: the languages that the crawler found in the page, as in Common Crawl's index; `language` is the
-- first, which covers most of its text. NULL where the archives do not say, and where evidence is older than the column.
-- way: by which group robots.txt closes the page to product_token (by_name, by_star), or by_error (5xx), which is no
-- decision; NULL where it does not.
CREATE OR REPLACE TEMPORARY VIEW page_policies AS
WITH reasons AS (
    SELECT
        pages.*,
        policy,
        CASE
            WHEN access = 'disallow' THEN 'access_disallow'
            WHEN access IS NULL OR access <> 'allow' THEN 'access_unknown'
            WHEN policy = 'robots' THEN NULL
            WHEN train_ai = 'disallow' THEN 'train_ai_disallow'
            WHEN train_genai = 'disallow' THEN 'train_genai_disallow'
            WHEN policy = 'labels' THEN NULL
            WHEN unread IS NULL OR array_size(unread) > 0 THEN 'unread'
            WHEN doubt IS NULL OR array_size(doubt) > 0 THEN 'doubt'
            WHEN not_seen IS NULL OR array_size(not_seen) > 0 THEN 'not_seen'
            WHEN train_ai IS NULL OR train_ai <> 'allow' THEN 'train_ai_unknown'
            WHEN train_genai IS NULL OR train_genai <> 'allow' THEN 'train_genai_unknown'
        END AS drop_reason
    FROM pages
    CROSS JOIN (VALUES ('robots'), ('labels'), ('strict')) AS policies (policy)
)
SELECT
    crawl,
    policy,
    warc_filename,
    warc_record_offset,
    warc_member_skip,
    warc_record_id,
    url,
    url_host_name,
    url_host_registered_domain,
    content_mime_type,
    content_languages,
    split_part(content_languages, ',', 1) AS language,
    content_length,
    drop_reason IS NULL AS kept,
    coalesce(drop_reason, access_reason) AS reason,
    CASE
        WHEN access IS NULL OR access <> 'disallow' THEN NULL
        WHEN robots_state = 'unreachable' THEN 'by_error'
        WHEN access_matched = 'explicit' THEN 'by_name'
        ELSE 'by_star'
    END AS way
FROM reasons;

-- Which documents a policy keeps and drops, by WARC-Record-ID: `id` with its brackets (FineWeb's id), `uuid` bare.
--   SELECT id FROM keep_list WHERE policy = 'labels';
-- An id that several captures have is kept only if all of them are. A document whose id is in neither list was not
-- judged: drop it, too. `reason` is why it is dropped, and for kept ones what opens the page (access_reason of pages).
CREATE OR REPLACE TEMPORARY VIEW keep_list AS
SELECT
    policy,
    warc_record_id AS id,
    replace(replace(warc_record_id, '<urn:uuid:', ''), '>', '') AS uuid,
    min(reason) AS reason
FROM page_policies
WHERE warc_record_id IS NOT NULL
GROUP BY policy, warc_record_id
HAVING bool_and(kept);

CREATE OR REPLACE TEMPORARY VIEW drop_list AS
SELECT
    policy,
    warc_record_id AS id,
    replace(replace(warc_record_id, '<urn:uuid:', ''), '>', '') AS uuid,
    min(CASE WHEN NOT kept THEN reason END) AS reason
FROM page_policies
WHERE warc_record_id IS NOT NULL
GROUP BY policy, warc_record_id
HAVING NOT bool_and(kept);

-- Host ranks of Common Crawl's web graphs, by the key that the tables have (SURT, without www).
CREATE OR REPLACE TEMPORARY VIEW host_ranks AS
SELECT min(harmonicc_pos) AS rank, regexp_replace(replace(host_rev, '.', ','), ',www$', '') AS surt_host_name
FROM host_ranks_table
GROUP BY regexp_replace(replace(host_rev, '.', ','), ',www$', '');

-- How robots.txt of each host was answered, in the classes of Common Crawl's table (robotstxt-experiments):
-- `status_class`. `fetch_status` is that of the host's own newest answer, before redirects; NULL without a capture.
CREATE OR REPLACE TEMPORARY VIEW hosts_answered AS
WITH numbered AS (
    SELECT
        crawl,
        robots_origin,
        fetch_status,
        content_mime_type,
        row_number() OVER (
            PARTITION BY crawl, robots_origin ORDER BY fetch_time DESC NULLS LAST, warc_filename, warc_record_offset
        ) AS newest
    FROM robots
    WHERE robots_origin IS NOT NULL
),
bodies AS (
    SELECT body_digest, max(rule_count) AS rule_count, max(bytes) AS bytes, bool_or(outcome = 'not_text') AS is_not_text
    FROM robots
    WHERE outcome IN ('parsed', 'not_text')
    GROUP BY body_digest
)
SELECT
    hosts.crawl,
    hosts.url_host_name,
    hosts.url_host_registered_domain,
    hosts.robots_state,
    hosts.agents_closed,
    hosts.agents_named,
    numbered.fetch_status,
    numbered.content_mime_type,
    bodies.bytes,
    bodies.rule_count,
    CASE
        WHEN robots_state = 'not_archived' THEN 'no robots.txt capture'
        WHEN robots_state = 'unreachable' OR fetch_status = 429 THEN 'defer visits'
        WHEN fetch_status IN (401, 403) THEN 'forbidden'
        WHEN robots_state = 'unavailable' THEN 'allow all'
        WHEN robots_state = 'redirect_unresolved' THEN 'redirect not resolved'
        WHEN robots_state = 'unreadable' THEN 'not a robots.txt'
        WHEN robots_state = 'parsed' AND is_not_text THEN 'not a robots.txt'
        WHEN robots_state = 'parsed' AND rule_count > 0 THEN 'with rules'
        WHEN robots_state = 'parsed' THEN 'no rules'
        ELSE 'other'
    END AS status_class
FROM hosts
LEFT JOIN numbered ON numbered.crawl = hosts.crawl AND numbered.robots_origin = hosts.origin AND newest = 1
LEFT JOIN bodies ON bodies.body_digest = hosts.robots_body_digest AND hosts.robots_state = 'parsed';

-- One row for each ranked domain, of ranks.csv: the website of that name, which is the domain itself or its www.
CREATE OR REPLACE TEMPORARY VIEW ranked_hosts AS
SELECT
    crawl, rank, domain, url_host_name, url_host_tld, robots_state, answers, agent_set, agents_closed,
    agents_restricted, agents_named, systems, systems_valid, pages
FROM websites
JOIN (SELECT min(rank) AS rank, domain FROM ranks GROUP BY domain) AS ranked ON domain = website;

-- Hosts by the groups of the variable `key`, which some queries have: all (all hosts), tld (top-level domains), rank (the top k
-- domains of ranks.csv, each by the website of its name) and host-rank (the top k hosts of host-ranks.txt.gz; of a host and
-- its www the one that answers, then the one without www). The top k are cumulative. `which` names the group, and `place`
-- orders groups. Filter `key` by a value that no join brings, so that a file is read where its key is asked for, and not else.
CREATE OR REPLACE TEMPORARY VIEW hosts_by_key AS
SELECT
    key, CASE WHEN key = 'all' THEN 'all' ELSE url_host_tld END AS which, 0 AS place, crawl, url_host_name,
    coalesce(url_host_registered_domain, url_host_name) AS domain, robots_state, answers, agent_set, agents_closed,
    agents_restricted, agents_named, systems, systems_valid, pages
FROM hosts
CROSS JOIN (VALUES ('all'), ('tld')) AS keys (key)
WHERE key = 'all' OR url_host_tld IS NOT NULL
UNION ALL
SELECT
    key, concat('top ', CAST(top AS STRING)), top, crawl, url_host_name, domain, robots_state, answers, agent_set,
    agents_closed, agents_restricted, agents_named, systems, systems_valid, pages
FROM (
    SELECT
        'rank' AS key, rank, crawl, url_host_name, domain, robots_state, answers, agent_set, agents_closed,
        agents_restricted, agents_named, systems, systems_valid, pages
    FROM ranked_hosts
    UNION ALL
    SELECT
        'host-rank', rank, crawl, url_host_name, domain, robots_state, answers, agent_set, agents_closed,
        agents_restricted, agents_named, systems, systems_valid, pages
    FROM (
        SELECT
            hosts.*,
            rank,
            coalesce(url_host_registered_domain, url_host_name) AS domain,
            row_number() OVER (
                PARTITION BY crawl, host_ranks.surt_host_name
                ORDER BY CASE WHEN answers THEN 0 ELSE 1 END, length(url_host_name), url_host_name
            ) AS number
        FROM hosts
        JOIN host_ranks ON host_ranks.surt_host_name = hosts.surt_host_name
    ) AS twins
    WHERE number = 1
) AS ranked
JOIN (VALUES (1000), (10000), (100000), (1000000)) AS sizes (top) ON rank <= top;

-- The agents table of this version (2026-11-28): who runs an agent, for which purpose, since which month it is
-- known (NULL: not known), and by which month it was known (`known_by`; older than the list that has it first, where `since`
-- is NULL). A run with --agents had a table of its own. Made from data/agents.tsv by tests/generated.
CREATE OR REPLACE TEMPORARY VIEW agents AS
SELECT agent, operator, purpose, since, known_by
FROM (
    VALUES
        ('GPTBot', 'OpenAI', 'train', '2023-08', '2023-08'),
        ('OAI-SearchBot', 'OpenAI', 'ai_search', '2024-07', '2024-07'),
        ('ChatGPT-User', 'OpenAI', 'assistant', NULL, '2024-03'),
        ('OAI-AdsBot', 'OpenAI', 'ads', NULL, NULL),
        ('ChatGPT Agent', 'OpenAI', 'agent', '2025-07', '2025-07'),
        ('Operator', 'OpenAI', 'agent', '2025-04', '2025-04'),
        ('OpenAI', 'OpenAI', 'train', '2025-08', '2025-08'),
        ('ClaudeBot', 'Anthropic', 'train', NULL, '2024-03'),
        ('Claude-SearchBot', 'Anthropic', 'ai_search', '2025-04', '2025-04'),
        ('Claude-User', 'Anthropic', 'assistant', '2025-04', '2025-04'),
        ('Claude-Web', 'Anthropic', 'train', NULL, '2024-03'),
        ('anthropic-ai', 'Anthropic', 'train', NULL, '2024-03'),
        ('Claude-Code', 'Anthropic', 'coding_agent', '2026-05', '2026-05'),
        ('Google-Extended', 'Google', 'train', '2023-09', '2023-09'),
        ('GoogleOther', 'Google', 'mixed', '2024-03', '2024-03'),
        ('GoogleOther-Image', 'Google', 'mixed', '2024-07', '2024-07'),
        ('GoogleOther-Video', 'Google', 'mixed', '2024-07', '2024-07'),
        ('Google-CloudVertexBot', 'Google', 'data_provider', '2025-05', '2025-05'),
        ('Google-Agent', 'Google', 'agent', '2026-03', '2026-03'),
        ('GoogleAgent-Mariner', 'Google', 'agent', '2025-07', '2025-07'),
        ('GoogleAgent-URLContext', 'Google', 'assistant', '2026-06', '2026-06'),
        ('Google-NotebookLM', 'Google', 'assistant', '2025-10', '2025-10'),
        ('NotebookLM', 'Google', 'assistant', '2025-11', '2025-11'),
        ('Gemini-Deep-Research', 'Google', 'assistant', '2025-07', '2025-07'),
        ('Google-Gemini-CLI', 'Google', 'coding_agent', '2026-05', '2026-05'),
        ('Google-Firebase', 'Google', 'assistant', '2025-08', '2025-08'),
        ('CloudVertexBot', 'Google', 'data_provider', '2025-07', '2025-07'),
        ('Googlebot', 'Google', 'search', NULL, NULL),
        ('Googlebot-Image', 'Google', 'search', NULL, NULL),
        ('Googlebot-News', 'Google', 'search', NULL, NULL),
        ('AdsBot-Google', 'Google', 'ads', NULL, '2024-03'),
        ('Mediapartners-Google', 'Google', 'ads', NULL, NULL),
        ('bingbot', 'Microsoft', 'search', NULL, NULL),
        ('msnbot', 'Microsoft', 'search', NULL, NULL),
        ('AzureAI-SearchBot', 'Microsoft', 'ai_search', '2026-02', '2026-02'),
        ('Applebot', 'Apple', 'search', '2015-04', '2015-04'),
        ('Applebot-Extended', 'Apple', 'train', '2024-06', '2024-06'),
        ('meta-externalagent', 'Meta', 'train', '2024-07', '2024-07'),
        ('meta-externalfetcher', 'Meta', 'assistant', '2024-10', '2024-10'),
        ('meta-webindexer', 'Meta', 'ai_search', '2025-09', '2025-09'),
        ('FacebookBot', 'Meta', 'train', NULL, '2024-03'),
        ('facebookexternalhit', 'Meta', 'preview', '2012-05', '2012-05'),
        ('Amazonbot', 'Amazon', 'mixed', '2020-03', '2020-03'),
        ('Amzn-SearchBot', 'Amazon', 'ai_search', '2026-02', '2026-02'),
        ('Amzn-User', 'Amazon', 'assistant', '2026-02', '2026-02'),
        ('bedrockbot', 'Amazon', 'data_provider', '2025-06', '2025-06'),
        ('amazon-kendra', 'Amazon', 'data_provider', '2025-11', '2025-11'),
        ('amazon-QBusiness', 'Amazon', 'assistant', '2026-07', '2026-07'),
        ('NovaAct', 'Amazon', 'agent', '2025-04', '2025-04'),
        ('AmazonBuyForMe', 'Amazon', 'agent', '2025-11', '2025-11'),
        ('PerplexityBot', 'Perplexity', 'ai_search', NULL, '2024-03'),
        ('Perplexity-User', 'Perplexity', 'assistant', '2025-04', '2025-04'),
        ('MistralAI-Training', 'Mistral AI', 'train', NULL, NULL),
        ('MistralAI-Index', 'Mistral AI', 'ai_search', NULL, NULL),
        ('MistralAI-User', 'Mistral AI', 'assistant', '2025-06', '2025-06'),
        ('cohere-training-data-crawler', 'Cohere', 'train', '2024-12', '2024-12'),
        ('cohere-ai', 'Cohere', 'assistant', NULL, '2024-03'),
        ('GrokBot', 'xAI', 'mixed', NULL, NULL),
        ('xAI-Grok', 'xAI', 'mixed', NULL, NULL),
        ('Grok-DeepSearch', 'xAI', 'assistant', NULL, NULL),
        ('CCBot', 'Common Crawl', 'dataset', '2012-02', '2012-02'),
        ('ia_archiver', 'Internet Archive / Alexa', 'archive', '2005-08', '2005-08'),
        ('archive.org_bot', 'Internet Archive', 'archive', '2015-04', '2015-04'),
        ('heritrix', 'Heritrix users', 'archive', '2011-06', '2011-06'),
        ('ArchiveBot', 'Archive Team', 'archive', '2018-02', '2018-02'),
        ('Archive-It', 'Internet Archive', 'archive', NULL, '2026-04'),
        ('Arquivo-web-crawler', 'Arquivo.pt', 'archive', NULL, '2026-04'),
        ('ArquivoBot', 'Arquivo.pt', 'archive', NULL, '2026-04'),
        ('BnFBot', 'National Library of France', 'archive', NULL, '2026-04'),
        ('LAC_IAHarvester', 'Library and Archives Canada', 'archive', NULL, '2026-04'),
        ('NLNZ_IAHarvester', 'National Library of New Zealand', 'archive', NULL, '2026-04'),
        ('NLUX_IAHarvester', 'National Library of Luxembourg', 'archive', NULL, '2026-04'),
        ('AI2Bot', 'Ai2', 'train', '2024-08', '2024-08'),
        ('Ai2Bot-Dolma', 'Ai2', 'train', '2024-08', '2024-08'),
        ('AI2Bot-DeepResearchEval', 'Ai2', 'assistant', '2025-12', '2025-12'),
        ('LAIONDownloader', 'LAION', 'train', '2025-11', '2025-11'),
        ('laion-huggingface-processor', 'LAION', 'train', '2025-12', '2025-12'),
        ('img2dataset', 'img2dataset users', 'train', '2024-04', '2024-04'),
        ('Scrapy', 'Scrapy users', 'data_provider', '2016-01', '2016-01'),
        ('Crawl4AI', 'Crawl4AI users', 'data_provider', '2025-12', '2025-12'),
        ('ICC-Crawler', 'NICT', 'train', '2018-02', '2018-02'),
        ('Cotoyogi', 'ROIS', 'train', '2025-04', '2025-04'),
        ('SBIntuitionsBot', 'SB Intuitions', 'train', '2025-04', '2025-04'),
        ('FriendlyCrawler', 'unknown', 'train', '2024-04', '2024-04'),
        ('Bytespider', 'ByteDance', 'train', '2019-11', '2019-11'),
        ('TikTokSpider', 'ByteDance', 'train', '2025-03', '2025-03'),
        ('PetalBot', 'Huawei', 'mixed', '2021-06', '2021-06'),
        ('PanguBot', 'Huawei', 'train', '2024-11', '2024-11'),
        ('DeepSeekBot', 'DeepSeek', 'train', '2025-09', '2025-09'),
        ('ChatGLM-Spider', 'Zhipu AI', 'train', '2025-12', '2025-12'),
        ('Kimi-User', 'Moonshot AI', 'assistant', '2026-06', '2026-06'),
        ('TongyiBot', 'Alibaba', 'assistant', '2026-07', '2026-07'),
        ('YiyanBot', 'Baidu', 'assistant', '2026-07', '2026-07'),
        ('Baiduspider', 'Baidu', 'search', '2010-07', '2010-07'),
        ('YandexAdditional', 'Yandex', 'mixed', '2025-06', '2025-06'),
        ('YandexAdditionalBot', 'Yandex', 'mixed', '2025-06', '2025-06'),
        ('YandexBot', 'Yandex', 'search', NULL, NULL),
        ('WRTNBot', 'Wrtn', 'ai_search', '2025-12', '2025-12'),
        ('DuckAssistBot', 'DuckDuckGo', 'assistant', '2024-10', '2024-10'),
        ('YouBot', 'You.com', 'ai_search', '2023-09', '2023-09'),
        ('Bravebot', 'Brave', 'search', '2025-10', '2025-10'),
        ('kagi-fetcher', 'Kagi', 'assistant', '2026-02', '2026-02'),
        ('PhindBot', 'Phind', 'assistant', '2025-05', '2025-05'),
        ('Andibot', 'Andi', 'ai_search', '2025-05', '2025-05'),
        ('LinerBot', 'Liner', 'assistant', '2025-07', '2025-07'),
        ('iaskspider', 'iAsk', 'ai_search', '2025-12', '2025-12'),
        ('ZanistaBot', 'Zanista', 'ai_search', '2025-12', '2025-12'),
        ('AddSearchBot', 'AddSearch', 'ai_search', '2019-03', '2019-03'),
        ('LinkupBot', 'Linkup', 'ai_search', '2025-12', '2025-12'),
        ('ExaBot', 'Exa', 'data_provider', NULL, NULL),
        ('ExaSearchBot', 'Exa', 'ai_search', '2026-08', '2026-08'),
        ('TavilyBot', 'Tavily', 'data_provider', '2025-12', '2025-12'),
        ('ShapBot', 'Parallel', 'data_provider', '2025-08', '2025-08'),
        ('QueritBot', 'Querit', 'data_provider', '2026-06', '2026-06'),
        ('FirecrawlAgent', 'Firecrawl', 'data_provider', '2025-04', '2025-04'),
        ('ApifyBot', 'Apify', 'data_provider', '2026-03', '2026-03'),
        ('Crawlspace', 'Crawlspace', 'data_provider', '2025-01', '2025-01'),
        ('Mozilla-Tabstack', 'Mozilla', 'data_provider', '2026-07', '2026-07'),
        ('Cloudflare-AutoRAG', 'Cloudflare', 'data_provider', '2025-10', '2025-10'),
        ('TerraCotta', 'Ceramic AI', 'data_provider', '2025-09', '2025-09'),
        ('AIWebIndex', 'Lyrenth', 'data_provider', '2026-07', '2026-07'),
        ('Brightbot', 'Bright Data', 'data_provider', '2026-05', '2026-05'),
        ('Diffbot', 'Diffbot', 'data_provider', '2018-07', '2018-07'),
        ('omgili', 'Webz.io', 'data_provider', '2017-11', '2017-11'),
        ('omgilibot', 'Webz.io', 'data_provider', NULL, '2024-03'),
        ('Webzio-Extended', 'Webz.io', 'train', '2024-08', '2024-08'),
        ('Timpibot', 'Timpi', 'train', '2024-07', '2024-07'),
        ('ImagesiftBot', 'ImageSift', 'data_provider', '2024-01', '2024-01'),
        ('VelenPublicWebCrawler', 'Velen', 'data_provider', '2018-10', '2018-10'),
        ('Kangaroo Bot', 'Kangaroo LLM', 'train', '2024-09', '2024-09'),
        ('Reflectionbot', 'Reflection AI', 'train', '2026-08', '2026-08'),
        ('panscient.com', 'Panscient', 'data_provider', NULL, NULL),
        ('Awario', 'Awario', 'data_provider', '2025-06', '2025-06'),
        ('aiHitBot', 'aiHit', 'data_provider', '2012-04', '2012-04'),
        ('Factset_spyderbot', 'FactSet', 'train', '2025-04', '2025-04'),
        ('Sidetrade indexer bot', 'Sidetrade', 'data_provider', '2024-09', '2024-09'),
        ('DataForSeoBot', 'DataForSEO', 'seo', '2023-08', '2023-08'),
        ('SemrushBot', 'Semrush', 'seo', '2015-05', '2015-05'),
        ('SemrushBot-OCOB', 'Semrush', 'seo', '2025-01', '2025-01'),
        ('AhrefsBot', 'Ahrefs', 'seo', NULL, NULL),
        ('MJ12bot', 'Majestic', 'seo', NULL, NULL),
        ('dotbot', 'Moz', 'seo', '2011-04', '2011-04'),
        ('magpie-crawler', 'Brandwatch', 'data_provider', '2018-03', '2018-03'),
        ('turnitinbot', 'Turnitin', 'data_provider', NULL, NULL),
        ('QuillBot', 'QuillBot', 'data_provider', '2025-06', '2025-06'),
        ('KlaviyoAIBot', 'Klaviyo', 'assistant', '2025-11', '2025-11'),
        ('atlassian-bot', 'Atlassian', 'data_provider', '2025-11', '2025-11'),
        ('QualifiedBot', 'Qualified', 'assistant', '2025-05', '2025-05'),
        ('Manus-User', 'Butterfly Effect', 'agent', '2025-12', '2025-12'),
        ('Devin', 'Cognition', 'coding_agent', '2025-06', '2025-06'),
        ('Cursor', 'Anysphere', 'coding_agent', '2026-06', '2026-06'),
        ('TwinAgent', 'Twin', 'agent', '2025-12', '2025-12'),
        ('Lightpanda', 'Lightpanda users', 'agent', '2026-08', '2026-08'),
        ('Twitterbot', 'X', 'preview', '2014-09', '2014-09'),
        ('Nutch', 'Apache Nutch users', 'data_provider', NULL, NULL),
        ('AgentTimes', 'The Agent Times', 'data_provider', '2026-06', '2026-06'),
        ('Anomura', 'Direqt', 'ai_search', '2025-10', '2025-10'),
        ('ApifyWebsiteContentCrawler', 'Apify', 'data_provider', '2026-03', '2026-03'),
        ('Aranet-SearchBot', 'unknown', 'ai_search', '2026-03', '2026-03'),
        ('bigsur.ai', 'Big Sur AI', 'assistant', '2025-07', '2025-07'),
        ('BuddyBot', 'BuddyBotLearning', 'assistant', '2025-11', '2025-11'),
        ('Channel3Bot', 'unknown', 'ai_search', '2025-12', '2025-12'),
        ('Code', 'GitHub', 'coding_agent', '2026-05', '2026-05'),
        ('CragCrawler', 'CragSoftware', 'data_provider', '2026-06', '2026-06'),
        ('Datenbank Crawler', 'Datenbank', 'data_provider', '2025-06', '2025-06'),
        ('Echobot Bot', 'Echobox', 'data_provider', '2025-06', '2025-06'),
        ('EchoboxBot', 'Echobox', 'data_provider', '2025-06', '2025-06'),
        ('GeistHaus-PageFetcher', 'GeistHaus', 'assistant', '2026-06', '2026-06'),
        ('HenkBot', 'Valyu', 'data_provider', '2026-05', '2026-05'),
        ('iAskBot', 'unknown', 'ai_search', '2025-12', '2025-12'),
        ('imageSpider', 'unknown', 'data_provider', '2025-12', '2025-12'),
        ('ISSCyberRiskCrawler', 'ISS-Corporate', 'train', '2024-09', '2024-09'),
        ('KunatoCrawler', 'unknown', 'mixed', '2025-12', '2025-12'),
        ('LCC', 'unknown', 'data_provider', '2025-12', '2025-12'),
        ('Linguee Bot', 'Linguee', 'train', '2010-01', '2010-01'),
        ('MyCentralAIScraperBot', 'unknown', 'data_provider', '2025-06', '2025-06'),
        ('NagetBot', 'Naget', 'data_provider', '2026-05', '2026-05'),
        ('netEstate Imprint Crawler', 'netEstate', 'data_provider', '2025-07', '2025-07'),
        ('newsai', 'unknown', 'data_provider', '2026-05', '2026-05'),
        ('opencode', 'opencode users', 'coding_agent', '2026-05', '2026-05'),
        ('Panscient', 'Panscient', 'data_provider', '2025-06', '2025-06'),
        ('Poggio-Citations', 'Poggio', 'assistant', '2025-12', '2025-12'),
        ('Poseidon Research Crawler', 'Poseidon Research', 'train', '2025-06', '2025-06'),
        ('Querit-SearchBot', 'Querit', 'data_provider', '2026-06', '2026-06'),
        ('quillbot.com', 'QuillBot', 'data_provider', '2025-06', '2025-06'),
        ('SemrushBot-SWA', 'Semrush', 'seo', NULL, NULL),
        ('Shap-User', 'Parallel', 'assistant', '2026-05', '2026-05'),
        ('Spider', 'unknown', 'data_provider', '2025-12', '2025-12'),
        ('Terra Cotta', 'Ceramic AI', 'data_provider', '2026-05', '2026-05'),
        ('Thinkbot', 'Thinkbot', 'data_provider', '2025-07', '2025-07'),
        ('Trae', 'ByteDance', 'coding_agent', '2026-05', '2026-05'),
        ('UseAI', 'Use AI', 'assistant', '2026-06', '2026-06'),
        ('WARDBot', 'WEBSPARK', 'data_provider', '2025-06', '2025-06'),
        ('wpbot', 'QuantumCloud', 'assistant', '2025-05', '2025-05'),
        ('YaK', 'Meltwater', 'data_provider', '2017-09', '2017-09'),
        ('Google-GeminiNotebook', 'Google', 'assistant', '2026-07', '2026-07'),
        ('Google-Pinpoint', 'Google', 'assistant', NULL, NULL),
        ('Google-CWS', 'Google', 'preview', NULL, NULL),
        ('Google-Read-Aloud', 'Google', 'assistant', '2023-02', '2023-02'),
        ('GoogleMessages', 'Google', 'preview', NULL, NULL),
        ('FeedFetcher-Google', 'Google', 'preview', '2018-06', '2018-06'),
        ('Storebot-Google', 'Google', 'search', NULL, NULL),
        ('Google-InspectionTool', 'Google', 'search', NULL, NULL),
        ('Googlebot-Video', 'Google', 'search', NULL, NULL),
        ('APIs-Google', 'Google', 'mixed', '2017-08', '2017-08'),
        ('AdsBot-Google-Mobile', 'Google', 'ads', '2017-08', '2017-08'),
        ('AdsBot-Google-Mobile-Apps', 'Google', 'ads', NULL, NULL),
        ('Google-Safety', 'Google', 'mixed', '2023-08', '2023-08'),
        ('Amazon-Bedrock-AgentCore-Browser', 'Amazon', 'agent', NULL, '2026-04'),
        ('AmazonProductDiscovery', 'Amazon', 'mixed', '2025-12', '2025-12'),
        ('AmazonSellerInitiatedListing', 'Amazon', 'mixed', '2025-12', '2025-12'),
        ('AmazonAdBot', 'Amazon', 'ads', NULL, '2026-04'),
        ('meta-externalads', 'Meta', 'ads', '2025-08', '2025-08'),
        ('PerplexityUser', 'Perplexity', 'assistant', NULL, '2026-04'),
        ('Spawning-AI', 'Spawning', 'data_provider', NULL, '2026-04'),
        ('KendraBot', 'Amazon', 'data_provider', NULL, '2026-04'),
        ('AISearchBot', 'unknown', 'search', NULL, NULL),
        ('semantic-visions', 'Semantic Visions', 'data_provider', NULL, '2026-04'),
        ('ExteContextCrawl', 'Exte', 'ads', NULL, '2026-04'),
        ('IbouBot', 'Ibou', 'search', '2025-10', '2025-10'),
        ('Anchor Browser', 'Anchor', 'agent', NULL, '2026-04'),
        ('Novellum', 'Novellum', 'train', NULL, '2026-04'),
        ('Flyriverbot', 'Flyriver', 'data_provider', NULL, '2026-04'),
        ('ImageMind', 'unknown', 'data_provider', NULL, '2026-04'),
        ('linkReader', 'Sider', 'assistant', NULL, '2026-04'),
        ('TaraGroup Intelligent Bot', 'TaraGroup', 'data_provider', NULL, '2026-04'),
        ('turingos', 'unknown', 'data_provider', NULL, NULL),
        ('DuckDuckBot', 'DuckDuckGo', 'search', '2012-09', '2012-09'),
        ('Kagibot', 'Kagi', 'search', NULL, '2026-04'),
        ('MojeekBot', 'Mojeek', 'search', '2016-01', '2016-01'),
        ('Qwantbot', 'Qwant', 'search', NULL, '2026-04'),
        ('Qwantify', 'Qwant', 'search', '2015-04', '2015-04'),
        ('SeznamBot', 'Seznam', 'search', '2012-03', '2012-03'),
        ('Yeti', 'Naver', 'search', '2012-05', '2012-05'),
        ('Yandex', 'Yandex', 'search', NULL, NULL),
        ('Slurp', 'Yahoo', 'search', NULL, NULL),
        ('Sogou', 'Sogou', 'search', '2012-05', '2012-05'),
        ('YisouSpider', 'Alibaba', 'search', '2017-11', '2017-11'),
        ('Baiduspider-image', 'Baidu', 'search', NULL, NULL),
        ('Baiduspider-video', 'Baidu', 'search', NULL, NULL),
        ('adidxbot', 'Microsoft', 'ads', NULL, NULL),
        ('BLEXBot', 'WebMeUp', 'seo', '2018-07', '2018-07'),
        ('rogerbot', 'Moz', 'seo', '2014-02', '2014-02'),
        ('SemrushBot-SA', 'Semrush', 'seo', NULL, NULL),
        ('AhrefsSiteAudit', 'Ahrefs', 'seo', NULL, NULL),
        ('SISTRIX', 'Sistrix', 'seo', NULL, NULL),
        ('SEOkicks-Robot', 'SEOkicks', 'seo', NULL, NULL),
        ('spbot', 'OpenLinkProfiler', 'seo', '2010-07', '2010-07'),
        ('AwarioSmartBot', 'Awario', 'data_provider', '2020-03', '2020-03'),
        ('AwarioRssBot', 'Awario', 'data_provider', '2020-03', '2020-03'),
        ('proximic', 'Comscore', 'ads', '2013-09', '2013-09'),
        ('peer39_crawler', 'Peer39', 'ads', NULL, '2024-03'),
        ('GrapeshotCrawler', 'Oracle', 'ads', '2014-04', '2014-04'),
        ('admantx', 'Integral Ad Science', 'ads', '2014-12', '2014-12'),
        ('Pinterest', 'Pinterest', 'preview', NULL, NULL),
        ('Pinterestbot', 'Pinterest', 'preview', NULL, NULL),
        ('LinkedInBot', 'LinkedIn', 'preview', NULL, NULL),
        ('Facebot', 'Meta', 'preview', '2014-12', '2014-12'),
        ('Grok', 'xAI', 'mixed', NULL, NULL),
        ('Claude', 'Anthropic', 'mixed', NULL, NULL)
) AS listed (agent, operator, purpose, since, known_by);
