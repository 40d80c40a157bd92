-- How do our robots.txt answers compare with the status table of Common Crawl's robotstxt-experiments?
--
-- Unit: a host, once per crawl, in one of Common Crawl's seven classes of captures (data/top-k-sample/
-- robotstxt-status-counts-topk.csv there), or without a capture.
-- Denominator: the hosts of the crawl (hosts_all).
-- By name: not about agents.
-- Not for: who closes what.
--
-- Ours: where http and https differ, https counts, while theirs takes the best outcome; 401 and 403 are "forbidden",
-- 429 and 5xx "defer visits". For their strata (1k, 10k, ...) run outcomes/robots-status-by-rank.sql.

SELECT
    hosts_answered.crawl,
    CASE status_class
        WHEN 'no robots.txt capture' THEN 'No robots.txt capture'
        WHEN 'forbidden' THEN 'HTTP forbidden'
        WHEN 'defer visits' THEN 'HTTP defer visits'
        WHEN 'allow all' THEN 'HTTP allow all'
        WHEN 'redirect not resolved' THEN 'HTTP redirect not resolved'
        WHEN 'not a robots.txt' THEN 'MIME not a robots.txt'
        WHEN 'no rules' THEN 'Robots.txt no rules'
        WHEN 'with rules' THEN 'Robots.txt with rules'
        ELSE '(none of theirs)'
    END AS their_class,
    count(*) AS hosts,
    round(100e0 * count(*) / sum(count(*)) OVER (PARTITION BY hosts_answered.crawl), 2) AS hosts_percent,
    CAST(sum(count(*)) OVER (PARTITION BY hosts_answered.crawl) AS BIGINT) AS hosts_all
FROM hosts_answered
GROUP BY hosts_answered.crawl, status_class
ORDER BY hosts_answered.crawl, hosts DESC, their_class;
