-- How much of what robots.txt files state is text that a vendor manages, and how much is the site's own?
--
-- Unit: a host, once per crawl, system and author; a host that has both counts twice, and in hosts_of_both.
-- Denominator: the hosts that state the system in robots.txt (hosts_stating).
-- By name: not about agents.
-- Not for: what owners chose: a switch of a vendor may be on by default; nor own text as text that nobody else wrote:
-- (own) has what no known vendor's block has.
--
-- Author is the vendor whose managed block has the statement, or (own).

WITH stated AS (
    SELECT DISTINCT crawl, system, url_host_name, coalesce(managed_by, '(own)') AS author
    FROM statements
    WHERE carrier = 'robots'
),
per_host AS (
    SELECT crawl, system, url_host_name, count(*) AS authors FROM stated GROUP BY crawl, system, url_host_name
),
totals AS (
    SELECT crawl, system, count(*) AS hosts_stating, count(CASE WHEN authors > 1 THEN 1 END) AS hosts_of_both
    FROM per_host
    GROUP BY crawl, system
)
SELECT
    stated.crawl,
    stated.system,
    author,
    count(*) AS hosts,
    round(100e0 * count(*) / max(hosts_stating), 2) AS percent_of_stating,
    max(hosts_of_both) AS hosts_of_both,
    max(hosts_stating) AS hosts_stating
FROM stated
JOIN totals ON totals.crawl = stated.crawl AND totals.system = stated.system
GROUP BY stated.crawl, stated.system, author
ORDER BY stated.crawl, stated.system, hosts DESC, author;
