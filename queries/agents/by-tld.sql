-- Which share of the hosts of each top-level domain closes GPTBot, and how many reserve rights in words of EU law?
--
-- Unit: a host, once per crawl.
-- Denominator: the hosts of the top-level domain that answer (hosts_answering).
-- By name: apart, as by_name, by_star and by_error.
-- Not for: top-level domains of fewer than 100 hosts (hosts_answering).
--
-- by_name: the host has a group for GPTBot and closes everything to it; by_star: the group for all does; by_error:
-- robots.txt answered 5xx. reserving: a comment of robots.txt has the words of Article 4 of Directive (EU) 2019/790
-- or of a law that follows it (system prose, class article_4; how many of these are found: docs/rules.md, PROSE).

WITH reserving AS (
    SELECT crawl, url_host_name, bool_or(managed_by IS NULL) AS in_own_text
    FROM statements
    WHERE system = 'prose' AND category = 'article_4'
    GROUP BY crawl, url_host_name
)
SELECT
    each_host.crawl,
    url_host_tld,
    count(CASE WHEN answers THEN 1 END) AS hosts_answering,
    count(CASE WHEN way = 'by_name' THEN 1 END) AS by_name,
    round(
        100e0 * count(CASE WHEN way = 'by_name' THEN 1 END) / nullif(count(CASE WHEN answers THEN 1 END), 0), 2
    ) AS by_name_percent,
    count(CASE WHEN way = 'by_star' THEN 1 END) AS by_star,
    round(
        100e0 * count(CASE WHEN way = 'by_star' THEN 1 END) / nullif(count(CASE WHEN answers THEN 1 END), 0), 2
    ) AS by_star_percent,
    count(CASE WHEN way = 'by_error' THEN 1 END) AS by_error,
    count(reserving.url_host_name) AS reserving,
    count(CASE WHEN in_own_text THEN 1 END) AS reserving_in_own_text
FROM (
    SELECT
        crawl,
        url_host_name,
        url_host_tld,
        answers,
        CASE
            WHEN robots_state = 'unreachable' THEN 'by_error'
            WHEN array_contains(agents_closed, 'GPTBot') AND array_contains(agents_named, 'GPTBot') THEN 'by_name'
            WHEN array_contains(agents_closed, 'GPTBot') THEN 'by_star'
        END AS way
    FROM hosts
    WHERE agents_closed IS NOT NULL AND url_host_tld IS NOT NULL
) AS each_host
LEFT JOIN reserving ON reserving.crawl = each_host.crawl AND reserving.url_host_name = each_host.url_host_name
GROUP BY each_host.crawl, url_host_tld
ORDER BY each_host.crawl, hosts_answering DESC, url_host_tld;
