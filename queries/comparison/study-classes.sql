-- How do our classes of robots.txt compare with those of two published studies, on the same files?
--
-- Unit: a host, once per crawl and combination of classes, for the agents that its readable robots.txt names: ours
-- (RFC 9309), class_dpi (Data Provenance Initiative, 2024), class_imc (Liu et al., IMC 2025).
-- Denominator: the pairs of a host and a named agent (named_all).
-- By name: all of it.
-- Not for: agents that no file names; for them a file has the class of *.
-- Needs: the table study_classes, which study_classes.py writes into the folder of the run.

SELECT
    crawl,
    class,
    class_dpi,
    class_imc,
    count(*) AS named,
    round(100e0 * count(*) / sum(count(*)) OVER (PARTITION BY crawl), 2) AS named_percent,
    CAST(sum(count(*)) OVER (PARTITION BY crawl) AS BIGINT) AS named_all
FROM hosts
JOIN robots_agents_distinct ON body_digest = robots_body_digest
JOIN study_classes USING (body_digest, agent)
WHERE robots_state = 'parsed' AND agent <> '*'
GROUP BY crawl, class, class_dpi, class_imc
ORDER BY crawl, named DESC, class, class_dpi NULLS LAST, class_imc NULLS LAST;
