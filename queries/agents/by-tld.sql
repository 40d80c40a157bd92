-- Which share of the hosts of each top-level domain closes GPTBot, and how many reserve rights in words of EU law?
--
-- Unit: a host, once per crawl. closed: GPTBot may fetch nothing, 5xx answers included; by_name: with a group for it.
-- reserving: robots.txt has a reservation in prose (system prose: the words of Article 4 of Directive (EU) 2019/790).
-- Denominator: the hosts of the top-level domain whose robots.txt is known (hosts_known).

SELECT
    crawl,
    url_host_tld,
    count(*) AS hosts_known,
    count(CASE WHEN array_contains(agents_closed, 'GPTBot') THEN 1 END) AS closed,
    round(100e0 * count(CASE WHEN array_contains(agents_closed, 'GPTBot') THEN 1 END) / count(*), 2) AS closed_percent,
    count(CASE
        WHEN robots_state = 'parsed'
            AND array_contains(agents_closed, 'GPTBot')
            AND array_contains(agents_named, 'GPTBot') THEN 1
    END) AS by_name,
    count(CASE WHEN array_contains(systems, 'prose') THEN 1 END) AS reserving
FROM hosts
WHERE agents_closed IS NOT NULL AND url_host_tld IS NOT NULL
GROUP BY crawl, url_host_tld
ORDER BY crawl, hosts_known DESC, url_host_tld;
