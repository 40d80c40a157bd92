-- Which registered domains gave the most content: the top tenth that Article 53(1)(d) of the EU's AI Act asks for?
--
-- Unit: a registered domain, once per crawl; an address is a domain of its own.
-- Denominator: the domains of the crawl (domains_all), of which a tenth is listed, rounded up, and the bytes of their
-- pages (bytes_percent).
-- By name: not about agents.
-- Not for: the content of a data set after its own filters.
--
-- Ranked by the bytes of its pages as they are in the archives. Pages that a policy drops are counted here: list what
-- you kept by joining page_policies instead of sites.

SELECT
    crawl,
    bytes_rank,
    domain,
    content_bytes,
    round(100e0 * content_bytes / nullif(content_bytes_all, 0), 2) AS bytes_percent,
    pages,
    hosts,
    domains_all
FROM (
    SELECT
        domains.*,
        count(*) OVER (PARTITION BY crawl) AS domains_all,
        sum(content_bytes) OVER (PARTITION BY crawl) AS content_bytes_all
    FROM domains
) AS each_domain
WHERE in_top_tenth
ORDER BY crawl, bytes_rank;
