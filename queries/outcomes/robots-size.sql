-- How big are robots.txt files, and how many are empty or longer than 500 KiB?
--
-- Unit: a host, once per crawl, by its readable robots.txt.
-- Denominator: the hosts with a readable robots.txt (hosts_readable).
-- By name: not about agents.
-- Not for: files longer than the archive keeps (1 MiB and more), whose size is not known.
--
-- Percentiles are interpolated. 500 KiB is what RFC 9309 2.5 asks a parser to read at least.

SELECT
    crawl,
    count(*) AS hosts_readable,
    round(percentile_cont(0.5) WITHIN GROUP (ORDER BY bytes), 1) AS bytes_median,
    round(percentile_cont(0.9) WITHIN GROUP (ORDER BY bytes), 1) AS bytes_p90,
    round(percentile_cont(0.99) WITHIN GROUP (ORDER BY bytes), 1) AS bytes_p99,
    count(CASE WHEN bytes = 0 THEN 1 END) AS empty_files,
    round(100e0 * count(CASE WHEN bytes = 0 THEN 1 END) / count(*), 2) AS empty_percent,
    count(CASE WHEN bytes > 512000 THEN 1 END) AS over_500_kib,
    round(100e0 * count(CASE WHEN bytes > 512000 THEN 1 END) / count(*), 2) AS over_500_kib_percent
FROM hosts_answered
WHERE robots_state = 'parsed'
GROUP BY crawl
ORDER BY crawl;
