-- Which registered domains gave the most content: the top tenth that Article 53(1)(d) of the EU's AI Act asks for?
--
-- Unit: a registered domain, once per crawl; an address is a domain of its own. Ranked by the bytes of its pages as
-- they are in the archives. Denominator: the domains of the crawl; a tenth of them is listed, rounded up. Pages that a
-- policy drops are counted here: list what you kept by joining page_policies instead of sites.
--
-- By name: not about agents. Not for: the content of a data set after its own filters.

SELECT crawl, bytes_rank, domain, content_bytes, pages, hosts
FROM domains
WHERE in_top_tenth
ORDER BY crawl, bytes_rank;
