-- In which crawl was each host first closed to CCBot, and in which was it last known to be open?
--
-- Unit: a host, over all crawls of the folder. Closed: CCBot may fetch nothing by the readable robots.txt. first_seen
-- and last_seen are the crawls in which the host's robots.txt was readable or 4xx, so that a host first closed in its
-- first_seen may have been closed before. Crawls are in the order of their names. Hosts that never closed it are left
-- out. Denominator: none, this is a list.

WITH seen AS (
    SELECT crawl, url_host_name, array_contains(agents_closed, 'CCBot') AS is_closed
    FROM hosts
    WHERE robots_state IN ('parsed', 'unavailable') AND agents_closed IS NOT NULL
)
SELECT
    url_host_name,
    min(CASE WHEN is_closed THEN crawl END) AS first_closed,
    max(CASE WHEN NOT is_closed THEN crawl END) AS last_open,
    min(crawl) AS first_seen,
    max(crawl) AS last_seen,
    count(*) AS crawls_seen,
    count(CASE WHEN is_closed THEN 1 END) AS crawls_closed
FROM seen
GROUP BY url_host_name
HAVING bool_or(is_closed)
ORDER BY first_closed, url_host_name;
