-- In which crawl did each host first close CCBot, by name or through *, and in which was it last known to be open?
--
-- Unit: a host, over all crawls of the folder, by the readable robots.txt.
-- Denominator: none, this is a list.
-- By name: apart, as first_by_name and first_by_star.
-- Not for: when a host began, which was between last_open and the first crawl in which it is closed; or shares.
--
-- Closed: CCBot may fetch nothing; by name: in a group for it, which alone is a decision about CCBot. first_seen and
-- last_seen are the crawls in which the host's robots.txt was readable or 4xx, so that a host first closed in its
-- first_seen may have been closed before. Crawls are in the order of time. Hosts that never closed it are left
-- out.

WITH seen AS (
    SELECT
        hosts.crawl,
        place,
        url_host_name,
        array_contains(agents_closed, 'CCBot') AS is_closed,
        array_contains(agents_named, 'CCBot') AS is_named
    FROM hosts
    JOIN crawls_in_order ON crawls_in_order.crawl = hosts.crawl
    WHERE answers
),
counted AS (
    SELECT
        url_host_name,
        min_by(crawl, CASE WHEN is_closed AND is_named THEN place END) AS first_by_name,
        min_by(crawl, CASE WHEN is_closed AND NOT is_named THEN place END) AS first_by_star,
        max_by(crawl, CASE WHEN NOT is_closed THEN place END) AS last_open,
        min_by(crawl, place) AS first_seen,
        max_by(crawl, place) AS last_seen,
        count(*) AS crawls_seen,
        count(CASE WHEN is_closed AND is_named THEN 1 END) AS crawls_by_name,
        count(CASE WHEN is_closed AND NOT is_named THEN 1 END) AS crawls_by_star,
        min(CASE WHEN is_closed AND is_named THEN place END) AS name_place,
        min(CASE WHEN is_closed AND NOT is_named THEN place END) AS star_place
    FROM seen
    GROUP BY url_host_name
    HAVING bool_or(is_closed)
)
SELECT
    url_host_name, first_by_name, first_by_star, last_open, first_seen, last_seen, crawls_seen, crawls_by_name,
    crawls_by_star
FROM counted
ORDER BY name_place NULLS LAST, star_place NULLS LAST, url_host_name;
