"""How certain the shares of plots are: by registered domains, whose hosts and pages are not independent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from .._errors import Error
from .._intervals import interval_of

FEW_CLUSTERS = 30
"""An interval of fewer registered domains is not shown: it would be too short."""

NOTE = (
    "95 % interval ({}), by the differences between registered domains (docs/sampling.md); none where fewer than 30 were counted."
    " It does not contain the choice of hosts and pages by the crawl."
)

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Share:
    """A share of a query's rows, and of what it is counted.

    `hits` gives crawl, the columns `keys`, domain and n for each registered domain that has any; `units` gives crawl, the first
    `groups` of these columns, domain and n for each one that is counted.
    """

    name: str
    """The interval is in the columns `<name>_low` and `<name>_high`, in percent."""
    hits: str
    units: str
    keys: tuple[str, ...]
    groups: int = 0
    percent: str | None = None
    """The column of the query that has the share; None where it is the sum of several rows."""


Intervals = Mapping[tuple[Any, ...], tuple[float, float, float]]


def intervals(connection: duckdb.DuckDBPyConnection, share: Share) -> Intervals:
    """Returns low, high and the share, in percent, by crawl and keys; and those of a share of 0 by crawl and groups."""
    grouped = ", ".join(("crawl", *share.keys[: share.groups]))
    keyed = ", ".join(("crawl", *share.keys))
    wholes: dict[tuple[Any, ...], Counter[tuple[int, int]]] = defaultdict(Counter)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE units_of_share AS {share.units}")
    found = connection.execute(f"SELECT {grouped}, n, count(*) FROM units_of_share GROUP BY ALL").fetchall()
    for *group, units, clusters in found:
        wholes[tuple(group)][0, units] = clusters
    if all(whole.total() < FEW_CLUSTERS for whole in wholes.values()):
        return {}
    parts: dict[tuple[Any, ...], Counter[tuple[int, int]]] = defaultdict(Counter)
    found = connection.execute(
        f"SELECT {keyed}, hits.n, units.n, count(*) FROM ({share.hits}) AS hits"
        f" JOIN units_of_share AS units USING ({grouped}, domain) GROUP BY ALL"
    ).fetchall()
    for *key, hits, units, clusters in found:
        parts[tuple(key)][hits, units] = clusters
    none = {group: ends for group, whole in wholes.items() if (ends := _ends(Counter(), whole))}
    return none | {key: ends for key, kinds in parts.items() if (ends := _ends(kinds, wholes[key[: 1 + share.groups]]))}


def _ends(kinds: Counter[tuple[int, int]], whole: Counter[tuple[int, int]]) -> tuple[float, float, float] | None:
    """Returns the interval of clusters with hits among all clusters."""
    if whole.total() < FEW_CLUSTERS:
        return None
    without = whole.copy()
    for (_, units), clusters in kinds.items():
        without[0, units] -= clusters
    counts = Counter({kind: clusters for kind, clusters in (kinds + without).items() if clusters > 0})
    found = interval_of(Counter(dict(sorted(counts.items()))), level=0.95)
    return 100 * found.low, 100 * found.high, 100 * found.share


def with_intervals(rows: Sequence[Row], found: Mapping[str, tuple[Share, Intervals]]) -> list[dict[str, Any]]:
    """Returns the rows with the ends of the intervals of their shares."""
    made = []
    for row in rows:
        more: dict[str, float | None] = {}
        for name, (share, ends) in found.items():
            key = (row["crawl"], *(row[it] for it in share.keys))
            # Of a share of 0 nothing is counted that would have the key.
            none = ends.get(key[: 1 + share.groups]) if share.percent and row[share.percent] == 0 else None
            has_share = share.percent is None or row[share.percent] is not None
            low, high, _ = (has_share and ends.get(key)) or none or (None, None, None)
            more |= {f"{name}_low": low and round(low, 2), f"{name}_high": high and round(high, 2)}
        made.append({**row, **more})
    return made


def answer_with_intervals(connection: duckdb.DuckDBPyConnection, name: str, text: str) -> duckdb.DuckDBPyRelation:
    """Returns what a query answers, with the ends of its interval beside each share that has one."""
    if name not in SHARES:
        if "low" in " ".join(connection.sql(text).columns):
            return connection.sql(text)  # It has its intervals itself.
        raise Error(f"{name}: none of its columns is a share with an interval", "no_interval")
    connection.execute(f"CREATE TEMP TABLE answer AS SELECT *, row_number() OVER () AS answer_row FROM ({text.rstrip().rstrip(';')}) AS asked")
    columns = connection.sql("SELECT * EXCLUDE answer_row FROM answer").columns
    joins = ""
    beside: dict[str, str] = {}
    for number, share in enumerate(SHARES[name]):
        ends = f"ends_{number}"
        keys = ", ".join(f"key_{at} VARCHAR" for at in range(len(share.keys) + 1))
        connection.execute(f"CREATE TEMP TABLE {ends} ({keys}, low DOUBLE, high DOUBLE, keys_less INTEGER)")
        known = intervals(connection, share)
        width = len(share.keys) + 1
        # A share of 0 has the interval of its group, whose row has no other keys.
        rows = [
            [*map(_text, key), *[None] * (width - len(key)), round(low, 2), round(high, 2), width - len(key)]
            for key, (low, high, _) in known.items()
        ]
        if rows:
            connection.executemany(f"INSERT INTO {ends} VALUES ({', '.join('?' * (width + 3))})", rows)
        less = len(share.keys) - share.groups
        is_none = f"(answer.{share.percent} = 0 AND {ends}.keys_less = {less})" if share.percent in columns and less else "false"
        # A share that the query refuses has no interval.
        has_share = f"answer.{share.percent} IS NOT NULL" if share.percent in columns else "true"
        matches = [
            f"{ends}.key_{at} IS NOT DISTINCT FROM CAST(answer.{key} AS VARCHAR)" for at, key in enumerate(("crawl", *share.keys))
        ]
        same = f"{has_share} AND {' AND '.join(matches[: 1 + share.groups])} AND ({is_none} OR ({' AND '.join(matches)} AND {ends}.keys_less = 0))"
        joins += f" LEFT JOIN {ends} ON {same}"
        after = share.percent if share.percent in columns else columns[-1]
        beside[after] = beside.get(after, "") + f", {ends}.low AS {share.name}_low, {ends}.high AS {share.name}_high"
    chosen = ", ".join(f"answer.{column}{beside.get(column, '')}" for column in columns)
    return connection.sql(f"SELECT {chosen} FROM answer{joins} ORDER BY answer_row")


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


DOMAIN = "coalesce(url_host_registered_domain, url_host_name, '') AS domain"
PAGES = f"SELECT crawl, {DOMAIN}, count(*) AS n FROM pages GROUP BY ALL"
NAMED = "array_contains(agents_closed, '{0}') AND array_contains(agents_named, '{0}') AND answers"
OF_KEY = "FROM hosts_by_key WHERE key = asked_key(getvariable('key'))"
OF_KEY_ANSWERING = f"SELECT crawl, which, domain, count(*) AS n {OF_KEY} AND answers GROUP BY ALL"
EACH_SYSTEM = f"SELECT crawl, which, domain, unnest(systems) AS system {OF_KEY} AND answers"
DENOMINATORS = f"""
    SELECT *, {DOMAIN}, {NAMED.format("GPTBot")} AS is_hit, unnest([
        'all hosts, robots.txt known or not',
        CASE WHEN agents_closed IS NOT NULL THEN 'hosts whose robots.txt is known, 5xx too' END,
        CASE WHEN answers THEN 'hosts that answer' END,
        CASE WHEN answers AND pages > 0 THEN 'hosts that answer, and that have pages' END,
        CASE WHEN answers AND robots_state = 'parsed' THEN 'hosts with a readable robots.txt' END,
        CASE
            WHEN answers AND robots_state = 'parsed' AND origin = robots_file_origin
                THEN 'hosts with a readable robots.txt of their own, not redirected'
        END,
        CASE WHEN array_contains(agents_named, 'GPTBot') THEN 'hosts whose robots.txt names GPTBot' END
    ]) AS denominator
    FROM hosts
"""
LABELLED = f"""
    SELECT crawl, {DOMAIN}, unnest([
        {", ".join(f"{{'label': '{it}', 'value': {it}, 'sources': {it}_from}}" for it in ("search", "train_ai", "train_genai", "ai_input", "tdm"))}
    ], recursive := true)
    FROM pages
"""
AGENTS_OF_CHANGE = "['GPTBot', 'ClaudeBot', 'CCBot', 'Google-Extended', 'PerplexityBot', 'Googlebot']"
SURVIVORS = """
    SELECT
        before.crawl, after.crawl AS next_crawl, coalesce(before.url_host_registered_domain, before.url_host_name) AS domain,
        before.agents_closed AS closed_before, before.agents_named AS named_before,
        after.agents_closed AS closed_after, after.agents_named AS named_after
    FROM hosts AS before
    JOIN crawls_in_order AS crawls ON crawls.crawl = before.crawl
    JOIN hosts AS after ON after.crawl = crawls.next_crawl AND after.url_host_name = before.url_host_name
    WHERE before.answers AND after.answers
"""
PANELS = f"""
    SELECT crawl, {DOMAIN}, agents_closed, agents_named, unnest([
        'all hosts', CASE WHEN known_in = crawls THEN 'balanced' END, CASE WHEN place = first_known AND place > 1 THEN 'newcomers' END
    ]) AS panel
    FROM (
        SELECT
            hosts.*, place, count(*) OVER (PARTITION BY url_host_name) AS known_in, min(place) OVER (PARTITION BY url_host_name) AS first_known,
            (SELECT count(*) FROM crawls_in_order) AS crawls
        FROM hosts
        JOIN crawls_in_order ON crawls_in_order.crawl = hosts.crawl
        WHERE answers
    )
"""
REFUSED = """
    SELECT hosts_answered.crawl, coalesce(url_host_registered_domain, hosts_answered.url_host_name) AS domain,
        CASE
            WHEN robots_state = 'unreachable' THEN '1 robots.txt answered 5xx'
            WHEN fetch_status IN (401, 403, 429) THEN '2 robots.txt answered 401, 403 or 429'
            WHEN array_contains(agents_closed, 'CCBot') AND array_contains(agents_named, 'CCBot')
                THEN '3 robots.txt closes everything to CCBot by name'
            WHEN array_contains(agents_closed, 'CCBot') THEN '4 robots.txt closes everything to CCBot through *'
            WHEN all_refused THEN '5 every page answered 401, 403, 429 or 503'
            WHEN agents_closed IS NULL THEN '6 robots.txt is unknown'
            ELSE '7 not refused'
        END AS refusal
    FROM hosts_answered
    LEFT JOIN (
        SELECT crawl, url_host_name, bool_and(fetch_status IN (401, 403, 429, 503)) AS all_refused
        FROM pages WHERE fetch_status IS NOT NULL GROUP BY ALL
    ) AS answers ON answers.crawl = hosts_answered.crawl AND answers.url_host_name = hosts_answered.url_host_name
"""
CLOSED_TO = "SELECT crawl, {keys}, domain, count(*) AS n FROM ({each}) WHERE {condition} GROUP BY ALL"


def _changed(when: str) -> Share:
    each = f"SELECT *, unnest({AGENTS_OF_CHANGE}) AS agent FROM ({SURVIVORS})"
    condition = f"array_contains(closed_{when}, agent) AND array_contains(named_{when}, agent)"
    return Share(
        f"by_name_{when}",
        CLOSED_TO.format(keys="next_crawl, agent", each=each, condition=condition),
        f"SELECT crawl, next_crawl, domain, count(*) AS n FROM ({SURVIVORS}) GROUP BY ALL",
        ("next_crawl", "agent"),
        1,
        f"by_name_{when}_percent",
    )


UNITS = "SELECT crawl, cluster AS domain, count(*) AS n FROM units WHERE answers AND unit = asked_unit(getvariable('unit')) GROUP BY ALL"
ANY_CLOSED = """
    SELECT crawl, kind, which, cluster AS domain, count(*) AS n
    FROM (
        SELECT crawl, kind, which, name, cluster
        FROM (
            SELECT crawl, name, cluster, agents_named, unnest(agents_closed) AS agent
            FROM units WHERE answers AND unit = asked_unit(getvariable('unit'))
        ) AS closing
        JOIN (
            SELECT agent, unnest([
                {'kind': 'any', 'which': 'any agent of AI'},
                {'kind': 'purpose', 'which': CASE
                    WHEN purpose IN ('train', 'dataset') THEN 'training' WHEN purpose = 'ai_search' THEN 'search'
                    WHEN purpose IN ('assistant', 'agent', 'coding_agent') THEN 'user' ELSE 'undeclared' END},
                {'kind': 'operator', 'which': operator}
            ], recursive := true)
            FROM agents
            WHERE purpose IN ('train', 'dataset', 'ai_search', 'assistant', 'agent', 'coding_agent', 'mixed', 'data_provider')
                AND (coalesce(getvariable('agents'), '') = '' OR list_contains(split(getvariable('agents'), ','), agent))
        ) AS grouped ON grouped.agent = closing.agent
        WHERE list_contains(agents_named, closing.agent)
        GROUP BY ALL
    )
    GROUP BY ALL
"""
SHARES: dict[str, tuple[Share, ...]] = {
    "agents/closed-any": (Share("by_name", ANY_CLOSED, UNITS, ("kind", "which"), percent="by_name_percent"),),
    "agents/closed": (
        Share(
            "by_name",
            f"SELECT crawl, which, agent, domain, count(*) AS n FROM (SELECT *, unnest(agents_closed) AS agent {OF_KEY}) WHERE array_contains(agents_named, agent) AND answers GROUP BY ALL",
            OF_KEY_ANSWERING,
            ("which", "agent"),
            1,
            "by_name_percent",
        ),
    ),
    "agents/share-closed": (
        Share(
            "by_name",
            f"SELECT crawl, denominator, domain, count(*) AS n FROM ({DENOMINATORS}) WHERE denominator IS NOT NULL AND is_hit GROUP BY ALL",
            f"SELECT crawl, denominator, domain, count(*) AS n FROM ({DENOMINATORS}) WHERE denominator IS NOT NULL GROUP BY ALL",
            ("denominator",),
            1,
            "by_name_percent",
        ),
    ),
    "adoption/systems": (
        Share(
            "site_files",
            f"SELECT crawl, which, system, domain, count(*) AS n FROM ({EACH_SYSTEM}) GROUP BY ALL",
            OF_KEY_ANSWERING,
            ("which", "system"),
            1,
            "site_files_percent",
        ),
        Share(
            "domains",
            f"SELECT DISTINCT crawl, which, system, domain, 1 AS n FROM ({EACH_SYSTEM})",
            f"SELECT crawl, which, domain, 1 AS n FROM ({OF_KEY_ANSWERING})",
            ("which", "system"),
            1,
            "domains_percent",
        ),
        Share(
            "pages",
            f"""
            SELECT crawl, which, system, domain, count(*) AS n
            FROM host_systems
            JOIN (SELECT crawl, url_host_name, which, domain {OF_KEY}) USING (crawl, url_host_name)
            WHERE host_systems.pages > 0 GROUP BY ALL
            """,
            f"SELECT crawl, which, domain, count(*) AS n {OF_KEY} AND pages > 0 GROUP BY ALL",
            ("which", "system"),
            1,
            "pages_percent",
        ),
    ),
    "filtering/labels": (
        Share(
            "answer",
            f"SELECT crawl, label, value, domain, count(*) AS n FROM ({LABELLED}) GROUP BY ALL",
            PAGES,
            ("label", "value"),
        ),
    ),
    "filtering/deciding-systems": (
        Share(
            "pages",
            f"""
            SELECT crawl, label, value, source, domain, count(*) AS n
            FROM (SELECT *, unnest(sources) AS source FROM ({LABELLED}))
            GROUP BY ALL
            """,
            f"SELECT crawl, label, value, domain, count(*) AS n FROM ({LABELLED}) GROUP BY ALL",
            ("label", "value", "source"),
            2,
            "percent_of_value",
        ),
    ),
    "outcomes/robots-status": (
        Share(
            "hosts",
            f"SELECT crawl, fetch_status, robots_state, {DOMAIN}, count(*) AS n FROM hosts_answered WHERE robots_state <> 'not_archived' GROUP BY ALL",
            f"SELECT crawl, {DOMAIN}, count(*) AS n FROM hosts_answered WHERE robots_state <> 'not_archived' GROUP BY ALL",
            ("fetch_status", "robots_state"),
            percent="hosts_percent",
        ),
    ),
    "outcomes/refused-or-closed": (
        Share(
            "hosts",
            f"SELECT crawl, refusal, domain, count(*) AS n FROM ({REFUSED}) GROUP BY ALL",
            f"SELECT crawl, domain, count(*) AS n FROM ({REFUSED}) GROUP BY ALL",
            ("refusal",),
            percent="hosts_percent",
        ),
    ),
    "outcomes/pages-by-state": (
        Share(
            "state",
            f"SELECT crawl, robots_state, {DOMAIN}, count(*) AS n FROM pages GROUP BY ALL",
            PAGES,
            ("robots_state",),
        ),
    ),
    "change/summary": (_changed("before"), _changed("after")),
    "change/panel": (
        Share(
            "by_name",
            CLOSED_TO.format(
                keys="panel, agent",
                each=f"SELECT *, unnest(agents_closed) AS agent FROM ({PANELS}) WHERE panel IS NOT NULL",
                condition="array_contains(agents_named, agent)",
            ),
            f"SELECT crawl, panel, domain, count(*) AS n FROM ({PANELS}) WHERE panel IS NOT NULL GROUP BY ALL",
            ("panel", "agent"),
            1,
            "by_name_percent",
        ),
    ),
    "filtering/policy-cost": (
        Share(
            "pages",
            f"SELECT crawl, policy, CASE WHEN kept THEN '(kept)' ELSE reason END AS reason, {DOMAIN}, count(*) AS n FROM page_policies GROUP BY ALL",
            f"SELECT crawl, policy, {DOMAIN}, count(*) AS n FROM page_policies GROUP BY ALL",
            ("policy", "reason"),
            1,
            "pages_percent",
        ),
    ),
}
"""The shares of plots that are estimates. What the others draw are counts of what was read, or are of single files."""
