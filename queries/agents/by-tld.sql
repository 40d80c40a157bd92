-- Which share of the hosts of each top-level domain closes GPTBot, and how many reserve rights in words of EU law?
--
-- Unit: a host, once per crawl. by_name: the host has a group for GPTBot and closes everything to it; by_star: the
-- group for all does; by_error: robots.txt answered 5xx. reserving: robots.txt has a reservation in prose (system
-- prose: the words of Article 4 of Directive (EU) 2019/790). Denominator: the hosts of the top-level domain whose
-- robots.txt is known (hosts_known).
--
-- By name: apart, as by_name, by_star and by_error. Not for: top-level domains of fewer than 100 hosts (hosts_known).

SELECT
    crawl,
    url_host_tld,
    count(*) AS hosts_known,
    count(CASE WHEN way = 'by_name' THEN 1 END) AS by_name,
    round(100e0 * count(CASE WHEN way = 'by_name' THEN 1 END) / count(*), 2) AS by_name_percent,
    count(CASE WHEN way = 'by_star' THEN 1 END) AS by_star,
    round(100e0 * count(CASE WHEN way = 'by_star' THEN 1 END) / count(*), 2) AS by_star_percent,
    count(CASE WHEN way = 'by_error' THEN 1 END) AS by_error,
    count(CASE WHEN array_contains(systems, 'prose') THEN 1 END) AS reserving
FROM (
    SELECT
        crawl,
        url_host_tld,
        systems,
        CASE
            WHEN robots_state = 'unreachable' THEN 'by_error'
            WHEN array_contains(agents_closed, 'GPTBot') AND array_contains(agents_named, 'GPTBot') THEN 'by_name'
            WHEN array_contains(agents_closed, 'GPTBot') THEN 'by_star'
        END AS way
    FROM hosts
    WHERE agents_closed IS NOT NULL AND url_host_tld IS NOT NULL
) AS each_host
GROUP BY crawl, url_host_tld
ORDER BY crawl, hosts_known DESC, url_host_tld;
