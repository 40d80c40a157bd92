-- How many hosts reserve rights in words of EU law in a comment of robots.txt?
--
-- Unit: a host, once per crawl and group of hosts.
-- Denominator: the hosts of the group that answer (hosts_answering).
-- By name: not about agents.
-- Not for: groups of fewer than 100 hosts (hosts_answering); or who closes what: agents/closed.sql has that.
--
-- reserving: a comment has the words of Article 4 of Directive (EU) 2019/790 or of a law that follows it (system prose,
-- class article_4; how many of these are found: docs/rules/prose.md); in_own_text: not in a vendor's text alone.
-- Variable: key, by which hosts are grouped (which): all, tld, rank or host-rank (docs/research.md).

WITH reserving AS (
    SELECT crawl, url_host_name, bool_or(managed_by IS NULL) AS in_own_text
    FROM statements
    WHERE system = 'prose' AND category = 'article_4'
    GROUP BY crawl, url_host_name
)
SELECT
    grouped.crawl,
    count(reserving.url_host_name) AS reserving,
    round(100e0 * count(reserving.url_host_name) / count(*), 2) AS reserving_percent,
    count(CASE WHEN in_own_text THEN 1 END) AS in_own_text,
    which,
    count(*) AS hosts_answering
FROM hosts_by_key AS grouped
LEFT JOIN reserving ON reserving.crawl = grouped.crawl AND reserving.url_host_name = grouped.url_host_name
WHERE key = asked_key(getvariable('key')) AND is_key(getvariable('key')) AND answers
GROUP BY grouped.crawl, place, which
ORDER BY grouped.crawl, place, hosts_answering DESC, which;
