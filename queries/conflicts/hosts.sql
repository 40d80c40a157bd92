-- How many hosts contradict themselves: one signal says yes to a use, another says no?
--
-- Unit: a host, once per crawl and label.
-- Denominator: the hosts that say anything on the label on one of their pages (hosts_stating).
-- By name: not about agents.
-- Not for: what is allowed: a contradiction counts as a no; shares of all hosts; blaming an owner, as one of the two
-- signals may be a vendor's text; or adding contradicting to documents_differ, as a host may be in both.
--
-- contradicting: on one of its pages two signals contradict each other; documents_differ: on one of its pages
-- nothing but two documents' readings of one field differ, as AIPREF and SUP read `search=n, search=y`: the
-- documents disagree, and not the host with itself. saying_no, saying_yes: the label of one of its pages is
-- disallow, or allow. Preferences in robots.txt do not apply to a page that it closes, so that these pages
-- contradict less: pages_closed is how many they are in the crawl.

WITH each_host AS (
    SELECT
        crawl,
        label,
        url_host_name,
        bool_or(array_contains(conflict, label) AND NOT array_contains(conflict_of_readings, label)) AS contradicts,
        bool_or(array_contains(conflict_of_readings, label)) AS documents_differ,
        bool_or(value = 'disallow') AS says_no,
        bool_or(value = 'allow') AS says_yes
    FROM (
        SELECT
            crawl,
            url_host_name,
            conflict,
            conflict_of_readings,
            label,
            CASE label
                WHEN 'search' THEN search
                WHEN 'train_ai' THEN train_ai
                WHEN 'train_genai' THEN train_genai
                WHEN 'ai_input' THEN ai_input
                WHEN 'tdm' THEN tdm
            END AS value
        FROM pages
        CROSS JOIN (
            VALUES ('search'), ('train_ai'), ('train_genai'), ('ai_input'), ('tdm')
        ) AS labels (label)
        WHERE url_host_name IS NOT NULL
    ) AS labelled
    GROUP BY crawl, label, url_host_name
)
SELECT
    each_host.crawl,
    label,
    count(CASE WHEN contradicts THEN 1 END) AS contradicting,
    round(100e0 * count(CASE WHEN contradicts THEN 1 END) / count(*), 2) AS contradicting_percent_of_stating,
    count(CASE WHEN documents_differ THEN 1 END) AS documents_differ,
    count(CASE WHEN says_no THEN 1 END) AS saying_no,
    count(CASE WHEN says_yes THEN 1 END) AS saying_yes,
    count(*) AS hosts_stating,
    max(pages_closed) AS pages_closed
FROM each_host
JOIN (
    SELECT crawl, count(CASE WHEN access = 'disallow' THEN 1 END) AS pages_closed FROM pages GROUP BY crawl
) AS closed ON closed.crawl = each_host.crawl
WHERE says_no OR says_yes OR contradicts OR documents_differ
GROUP BY each_host.crawl, label
ORDER BY each_host.crawl, label;
