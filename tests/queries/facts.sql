-- 12/5: hosts and domains with Content-Signal in CC-MAIN-2026-38: ten hosts of three domains share one body in two segments
SELECT count(DISTINCT url_host_name), count(DISTINCT coalesce(url_host_registered_domain, url_host_name))
FROM statements
WHERE system = 'content_signal' AND crawl = 'CC-MAIN-2026-38';

-- 12/5: the same by the systems of hosts
SELECT count(*), count(DISTINCT coalesce(url_host_registered_domain, url_host_name))
FROM hosts
WHERE array_contains(systems, 'content_signal') AND crawl = 'CC-MAIN-2026-38';

-- 12: the same by the table sites itself
SELECT count(DISTINCT url_host_name)
FROM sites
WHERE array_contains(systems, 'content_signal') AND crawl = 'CC-MAIN-2026-38';

-- 8/8/8/24: domains that close GPTBot by name: any of their hosts, the host that is the domain, all of their hosts; and domains
-- with a host that answers, as ten hosts are of three domains
SELECT
    count(CASE WHEN array_contains(any_host_closes, 'GPTBot') THEN 1 END),
    count(CASE WHEN array_contains(itself_closes, 'GPTBot') THEN 1 END),
    count(CASE WHEN array_contains(all_hosts_close, 'GPTBot') THEN 1 END),
    count(any_host_closes)
FROM domains
WHERE crawl = 'CC-MAIN-2026-38';

-- OpenAI/train/2023-08: who runs GPTBot, for which purpose, and since when it is known
SELECT operator, purpose, since FROM agents WHERE agent = 'GPTBot';

-- 10/31/33: hosts that close GPTBot in whatever way, hosts whose robots.txt is known, all hosts
SELECT count(CASE WHEN array_contains(agents_closed, 'GPTBot') THEN 1 END), count(agents_closed), count(*)
FROM hosts
WHERE crawl = 'CC-MAIN-2026-38';

-- 8/2/0: by name, through *, and by 5xx answers: only the first is a decision about GPTBot
SELECT
    count(CASE WHEN way = 'by_name' THEN 1 END),
    count(CASE WHEN way = 'by_star' THEN 1 END),
    count(CASE WHEN way = 'by_error' THEN 1 END)
FROM host_agents
WHERE crawl = 'CC-MAIN-2026-38' AND agent = 'GPTBot';

-- 0/1: a host that fails in the later crawl has closed nothing to GPTBot; it answered 5xx
SELECT count(CASE WHEN way IN ('by_name', 'by_star') THEN 1 END), count(CASE WHEN way = 'by_error' THEN 1 END)
FROM host_agents
WHERE crawl = 'CC-MAIN-2026-43' AND agent = 'GPTBot' AND url_host_name = 'fails.example';

-- 1: all tables of a run are of one viewpoint
SELECT count(DISTINCT viewpoint) FROM sites;

-- false/2/2: of a host with two origins https counts, and pages are those of both
SELECT array_contains(agents_closed, 'GPTBot'), pages, origins
FROM hosts
WHERE crawl = 'CC-MAIN-2026-38' AND url_host_name = 'both.example';

-- true/2/1: a host whose robots.txt is known over http alone has that one
SELECT array_contains(agents_closed, 'GPTBot'), origins, pages
FROM hosts
WHERE crawl = 'CC-MAIN-2026-38' AND url_host_name = 'plain.example';

-- true/3: of an origin in two segments the newer robots.txt counts, and pages are those of both
SELECT array_contains(agents_closed, 'GPTBot'), pages
FROM hosts
WHERE crawl = 'CC-MAIN-2026-38' AND url_host_name = 'segments.example';

-- true/https://www.ranked.example: a redirect of robots.txt is followed
SELECT array_contains(agents_closed, 'GPTBot'), robots_file_origin
FROM hosts
WHERE crawl = 'CC-MAIN-2026-38' AND url_host_name = 'ranked.example';

-- tdm-new.example: a tdmrep.json that is gone states nothing
SELECT array_join(array_sort(array_agg(DISTINCT url_host_name)), ', ')
FROM statements
WHERE crawl = 'CC-MAIN-2026-38' AND system = 'tdmrep';

-- 1/1: an address is a domain of its own
SELECT count(*), sum(pages) FROM domains WHERE crawl = 'CC-MAIN-2026-38' AND domain = '192.0.2.1';

-- 0/1: an id that two captures have is dropped if one of them is
SELECT
    (SELECT count(*) FROM keep_list WHERE policy = 'robots' AND uuid = '00000000-0000-4000-8000-000000000001'),
    (SELECT count(*) FROM drop_list WHERE policy = 'robots' AND uuid = '00000000-0000-4000-8000-000000000001');

-- 0: no id is in both lists of a policy
SELECT count(*) FROM keep_list JOIN drop_list ON drop_list.policy = keep_list.policy AND drop_list.id = keep_list.id;

-- 0: what strict keeps is kept by labels, and what labels keeps by robots
SELECT count(*)
FROM keep_list AS narrow
LEFT JOIN keep_list AS wide
    ON wide.id = narrow.id AND wide.policy = CASE narrow.policy WHEN 'strict' THEN 'labels' ELSE 'robots' END
WHERE narrow.policy <> 'robots' AND wide.id IS NULL;

-- 0: a page whose access is unknown is kept by no policy
SELECT count(*)
FROM keep_list
JOIN pages ON warc_record_id = id
WHERE access <> 'allow';

-- closes.example: who closed GPTBot between the two crawls
SELECT min(next.url_host_name)
FROM hosts AS earlier
JOIN hosts AS next ON next.url_host_name = earlier.url_host_name
WHERE earlier.crawl = 'CC-MAIN-2026-38' AND next.crawl = 'CC-MAIN-2026-43' AND next.robots_state = 'parsed'
    AND array_contains(next.agents_closed, 'GPTBot') AND NOT array_contains(earlier.agents_closed, 'GPTBot');

-- 1/deu/deu,eng: pages whose language an archive says, and which it is: a metadata record is behind one page
SELECT count(language), max(language), max(content_languages) FROM page_policies WHERE policy = 'robots';
