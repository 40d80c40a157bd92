-- Which agents do robots.txt files name, and how much do they close to each?
--
-- One row per crawl and agent that at least one file names, and one for * (what everybody else is told; closed or open by
-- default where there is no such group). A site is a host, counted by its newest robots.txt that was sent with 2xx. full:
-- everything is closed; partial: something; none: nothing, by the file's rules alone. full_dpi and full_imc are the same
-- count by the rules of two published studies, of which each has its own idea of a group and of a match; NULL in tables
-- that were made without --tables +studies.

WITH newest AS (
    SELECT crawl, url_host_name, arg_max(body_digest, fetch_time) AS body_digest
    FROM robots
    WHERE outcome IN ('parsed', 'not_text') AND url_host_name IS NOT NULL
    GROUP BY crawl, url_host_name
),
said AS (
    SELECT crawl, url_host_name, agent, class, class_dpi, class_imc
    FROM newest JOIN robots_agents_distinct ON robots_agents_distinct.body_digest = newest.body_digest
)
SELECT
    crawl,
    agent,
    count(*) AS sites,
    count(CASE WHEN class = 'full' THEN 1 END) AS "full",
    count(CASE WHEN class = 'partial' THEN 1 END) AS "partial",
    count(CASE WHEN class = 'none' THEN 1 END) AS "none",
    CASE WHEN count(class_dpi) > 0 THEN count(CASE WHEN class_dpi = 'full' THEN 1 END) END AS full_dpi,
    CASE WHEN count(class_imc) > 0 THEN count(CASE WHEN class_imc = 'full' THEN 1 END) END AS full_imc
FROM said
GROUP BY crawl, agent
ORDER BY crawl, sites DESC, agent;
