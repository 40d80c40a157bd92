#!/usr/bin/env python3
"""Counts a segment again from its archives and from its expected.jsonl, and compares with what queries answer.

queries.py SEGMENT OUT [duckdb|spark]: SEGMENT has crawl-data/ and expected.jsonl, OUT is the folder of `crawlprefs run SEGMENT`. The
counts here use FastWARC and a plain reading of robots.txt (recount.py), and none of the tables. Ends with status 1 where one differs.
"""
import collections
import pathlib
import re
import statistics
import sys
import urllib.parse

from fastwarc.warc import ArchiveIterator

from recount import AI, LABELS_OF_03, SITE_FILES, Checker, Reference, agents_table, by, dictionary, is_index_of_nobody, is_lost_no, percent, sites_of, wanted_reason, websites


def check_robots(check, reference):
    rows = check.ask("outcomes/robots-status")
    asked = [(host, *found) for host, found in reference.hosts.items() if found[1] != "not_archived"]
    wanted = collections.Counter((reference.newest[f"{origin}/robots.txt"].status, state) for _, origin, state, _ in asked)
    check.same("outcomes/robots-status", "hosts", by(rows, "fetch_status", "robots_state", "hosts"), dict(wanted))
    check.same("outcomes/robots-status", "hosts_asked", rows[0]["hosts_asked"], len(asked))

    sizes = [len(robots.body) for _, state, robots in reference.hosts.values() if state == "parsed"]
    row = check.ask("outcomes/robots-size")[0]
    check.same("outcomes/robots-size", "median", row["bytes_median"], float(statistics.median(sizes)))
    check.same("outcomes/robots-size", "hosts, empty", (row["hosts_readable"], row["empty_files"]), (len(sizes), sizes.count(0)))

    sent = [capture for capture in reference.robots if 200 <= capture.status < 300 and capture.is_text()]
    types = collections.Counter((capture.field("content-type") or ["(none)"])[0].split(";")[0].lower() for capture in sent)
    rows = check.ask("quality/media-types")
    check.same("quality/media-types", "captures", by(rows, "media_type", "captures"), {(name,): n for name, n in types.items()})


def check_agents(check, reference):
    rows = {row["denominator"]: row for row in check.ask("agents/share-closed")}
    row = rows["hosts that answer"]
    closed = reference.closed("GPTBot")
    failing = {host for host, (_, state, _) in reference.hosts.items() if state == "unreachable"}
    named = {host for host in reference.read if reference.read[host].names("GPTBot")}
    wanted = (len(reference.known()), len(closed & named), len(closed - named), 0)
    check.same("agents/share-closed", "recommended", tuple(row[name] for name in ("hosts", "by_name", "by_star", "by_error")), wanted)
    check.same("agents/share-closed", "percent", row["by_name_percent"], percent(wanted[1], wanted[0]))

    def by_name(agent):
        return {host for host in reference.closed(agent) if reference.read[host].names(agent)}

    for row in check.ask("agents/closed"):
        if row["agent"] in ("GPTBot", "CCBot", "ClaudeBot", "Google-Extended", "Googlebot"):
            ways = len(by_name(row["agent"])), len(reference.closed(row["agent"]) - by_name(row["agent"])), len(failing)
            check.same("agents/closed", row["agent"], (row["by_name"], row["by_star"], row["by_error"]), ways)
    for row in check.ask("agents/training-not-search"):
        named, search = by_name(row["agent"]), reference.closed("Googlebot")
        check.same("agents/training-not-search", row["agent"], (row["by_name"], row["search_open"]), (len(named), len(named - search)))
    for row in check.ask("agents/closed-together"):
        one, other = by_name(row["agent"]), by_name(row["other_agent"])
        check.same("agents/closed-together", f"{row['agent']}, {row['other_agent']}", (row["hosts"], row["hosts_closing"]), (len(one & other), len(one)))
    for row in check.ask("comparison/agents-named-per-crawl"):
        if row["agent"] in ("GPTBot", "CCBot", "ClaudeBot", "Google-Extended", "Bytespider", "PerplexityBot"):
            named = [host for host in reference.read if host not in reference.lost and reference.read[host].names(row["agent"])]
            check.same("comparison/agents-named-per-crawl", row["agent"], (row["hosts"], row["hosts_readable"]), (len(named), len(reference.read.keys() - reference.lost)))


    sites = [site for site in sites_of(reference).values() if site.is_known()]
    row, = [row for row in check.ask("agents/closed-any") if row["kind"] == "any"]
    of_ai = [agent["token"] for agent in agents_table() if agent["purpose"] in AI]
    named = [site for site in sites if any(map(site.by_name, of_ai))]
    by_star = sum(any(map(site.by_star, of_ai)) for site in sites if site not in named)
    check.same("agents/closed-any", "any", (row["units"], row["by_name"], row["only_by_star"]), (len(sites), len(named), by_star))
    check.same("agents/closed-any", "authors", row["own"] + row["vendor"] + row["both"], row["by_name"])


def check_quality(check, reference, segment):
    """What was read, what cannot be trusted, and what is odd in files."""
    records = sum(1 for path in segment.rglob("*.warc.gz") for _ in ArchiveIterator(open(path, "rb")))
    row, = check.ask("quality/read")
    wanted = len(list(segment.rglob("*.warc.gz"))), records, records - row["no_interest"], len(reference.pages), 0
    check.same("quality/read", "records", tuple(row[name] for name in ("archives", "records", "captures", "captures_of_pages", "records_lost")), wanted)
    rows = {(row["problem"], row["detail"]): (row["found"], row["found_of"]) for row in check.ask("quality/trust") if row["archive"] == "(all)"}
    unknown = collections.Counter(page["robots_state"] for page in reference.expected if page["access"] == "unknown")
    found = {detail: counts for (problem, detail), counts in rows.items() if problem == "robots.txt unknown"}
    check.same("quality/trust", "unknown", found, {state: (count, len(reference.pages)) for state, count in unknown.items()})
    lost = sum(is_lost_no(", ".join(page.field("content-usage"))) or is_index_of_nobody(page) for page in reference.pages)
    check.same("quality/trust", "headers in doubt", rows["page in doubt", "header"], (lost, len(reference.pages)))


def states_validly(page):
    """Whether Content-Usage of a page has a label of vocabulary 03 with a y or an n."""
    members = dictionary(page.field("content-usage"))
    return any(members.get(label) in ("y", "n") for label in LABELS_OF_03) if members else False


def check_conflicts(check, reference):
    """Two documents read `search=n, search=y`: for AIPREF the last counts, for SUP the n does."""
    hosts = {page["url"]: urllib.parse.urlsplit(page["url"]).hostname for page in reference.expected}
    any_conflict = {hosts[page["url"]] for page in reference.expected if "search" in page.get("conflict", ())}
    rows = [row for row in check.ask("conflicts/hosts") if row["label"] == "search"]
    found = check.values("""
        SELECT count(DISTINCT url_host_name) FROM pages WHERE array_contains(conflict, 'search')
    """)[0][0]
    check.same("conflicts/hosts", "in any conflict about search", found, len(any_conflict))
    both = collections.Counter()
    for page in reference.pages:
        members = dictionary(page.field("content-usage")) or {}
        words = re.split(r"[,\s]+", ", ".join(page.field("content-usage")))
        both[page.host] += members.get("search") == "y" and "search=n" in words
    differing = {host for host, count in both.items() if count}
    pairs = [row for row in check.ask("conflicts/pairs") if row["kind"] != "two signals"]
    wanted = [("search", "sup header", "aipref header", sum(both.values()), len(differing))]
    found = [tuple(row[name] for name in ("label", "says_no", "says_yes", "pages", "hosts")) for row in pairs]
    check.same("conflicts/pairs", "one field, two documents", found, wanted)
    alone = rows[0]["documents_differ"], len(any_conflict) - rows[0]["contradicting"]
    check.same("conflicts/hosts", "documents alone differ on few of these", alone[1] <= alone[0] <= len(differing), True)


def check_signals(check, reference):
    rows = check.ask("adoption/content-signal")
    wanted = {name: len(hosts) for name, hosts in reference.signals().items()}
    check.same("adoption/content-signal", "hosts", by(rows, "key", "value", "hosts"), wanted)
    hosts = set().union(*reference.signals().values())
    found = {row["system"]: row for row in check.ask("adoption/systems")}
    check.same("adoption/systems", "content_signal", found["content_signal"]["in_site_files"], len(hosts))
    carrying = {page.host for page in reference.pages if page.field("content-usage")}
    check.same("adoption/systems", "aipref on pages", found["aipref"]["on_pages"], len(carrying))
    valid = {page.host for page in reference.pages if states_validly(page)}
    check.same("adoption/systems", "aipref on pages, valid", found["aipref"]["valid_on_pages"], len(valid))
    # SUP's document reads Content-Usage, too, which is AIPREF's: `Usage` lines alone say who uses SUP.
    using = {host for host, robots in reference.read.items() if any(name == "usage" for name, _ in robots.lines)}
    sup = found["sup"]
    check.same("adoption/systems", "sup", (sup["hosts"], sup["in_site_files"], sup["on_pages"]), (len(using), len(using), 0))

    headers = collections.defaultdict(set)
    for page in reference.pages:
        values = page.field("tdm-reservation")
        if len(values) == 1 and values[0].strip() in ("0", "1"):
            headers["header", values[0].strip()].add(page.host)
    rows = [row for row in check.ask("adoption/tdmrep") if row["carrier"] == "header"]
    check.same("adoption/tdmrep", "headers", by(rows, "carrier", "value", "hosts"), {name: len(hosts) for name, hosts in headers.items()})

    noai = collections.Counter()
    for page in reference.pages:
        tags = ",".join(page.field("x-robots-tag")).lower()
        metas = b",".join(re.findall(rb'<meta name="robots" content="([^"]*)"', page.body)).decode().lower()
        for rule in ("noai", "noimageai", "noml"):
            for carrier, text in (("header", tags), ("meta", metas)):
                noai[carrier, rule] += rule in re.split(r"[,:\s]+", text)
    rows = check.ask("adoption/noai")
    check.same("adoption/noai", "pages", by(rows, "carrier", "category", "pages"), {name: n for name, n in noai.items() if n})

    asked = collections.defaultdict(set)
    for file in reference.files:
        asked[SITE_FILES[file.parts.path],].add(file.host)
    rows = check.ask("adoption/site-files")
    check.same("adoption/site-files", "asked", by(rows, "kind", "asked"), {kind: len(hosts) for kind, hosts in asked.items()})


def check_units(check, reference):
    """Denominators of site files, domains under three definitions, and lists of agents that files share."""
    asked = {"header": len({page.host for page in reference.pages}), "tdmrep": len({file.host for file in reference.files if SITE_FILES[file.parts.path] == "tdmrep"})}
    for row in check.ask("adoption/tdmrep"):
        if row["carrier"] in asked:
            check.same("adoption/tdmrep", f"asked, {row['carrier']}", row["hosts_asked"], asked[row["carrier"]])

    domain_of = dict(check.values("SELECT url_host_name, coalesce(url_host_registered_domain, url_host_name) FROM hosts"))
    closing, answering = collections.defaultdict(set), collections.defaultdict(set)
    for host, (_, state, _) in reference.hosts.items():
        if state in ("parsed", "unavailable") and host not in reference.lost:
            answering[domain_of[host]].add(host)
    for host in reference.closed("GPTBot"):
        if reference.read[host].names("GPTBot"):
            closing[domain_of[host]].add(host)
    sites = sites_of(reference)
    website = {name: host for name, host in websites(sites).items() if sites[host].is_known()}
    itself = {
        domain: host for domain in answering
        if (host := website.get(domain.removeprefix("www."))) and domain_of[host].removeprefix("www.") == domain.removeprefix("www.")
    }
    wanted = (
        len(answering), len(closing), len(itself), sum(host in closing[domain] for domain, host in itself.items()),
        sum(closing[domain] == hosts for domain, hosts in answering.items()),
    )
    found = check.values("""
        SELECT count(any_host_closes), count(CASE WHEN array_contains(any_host_closes, 'GPTBot') THEN 1 END),
            count(itself_closes), count(CASE WHEN array_contains(itself_closes, 'GPTBot') THEN 1 END),
            count(CASE WHEN array_contains(all_hosts_close, 'GPTBot') THEN 1 END)
        FROM domains
    """)[0]
    check.same("the view domains", "three definitions", found, wanted)

    row = check.ask("agents/closed-interval")[0]
    by_name = sum(map(len, closing.values()))
    check.same("agents/closed-interval", "share", (row["by_name"], row["units"]), (by_name, len(reference.known())))
    check.same("agents/closed-interval", "in its interval", row["low_percent"] <= percent(by_name, row["units"]) <= row["high_percent"], True)


def check_filters(check, reference):
    for policy in ("robots", "labels", "strict"):
        lists = check.values(f"""
            SELECT id, reason FROM drop_list WHERE policy = '{policy}'
            UNION ALL SELECT id, NULL FROM keep_list WHERE policy = '{policy}'
        """)
        found, said = dict(lists), 0
        check.same("filtering/keep-and-drop", f"{policy}: each id once", len(lists), len(found))
        check.same("filtering/keep-and-drop", f"{policy}: ids", found.keys(), {page["record_id"] for page in reference.expected})
        for page in reference.expected:
            reason = wanted_reason(page, policy)
            if reason is not False:
                said += 1
                check.same("filtering/keep-and-drop", f"{policy} {page['url']}", found.get(page["record_id"]), reason)
        print(f"{policy}: {said} of {len(reference.expected)} ids compared")
    rows = [row for row in check.ask("filtering/policy-cost") if row["policy"] == "robots"]
    lengths = {page.id: len(page.body) for page in reference.pages}
    unknown = [page for page in reference.expected if page["access"] == "unknown"]
    row = next(row for row in rows if row["reason"] == "access_unknown")
    check.same("filtering/policy-cost", "unknown", (row["pages"], row["bytes"]), (len(unknown), sum(lengths[page["record_id"]] for page in unknown)))
    check.same("filtering/policy-cost", "bytes", sum(row["bytes"] for row in rows), sum(lengths.values()))

    states = collections.Counter((page["robots_state"],) for page in reference.expected)
    check.same("outcomes/pages-by-state", "pages", by(check.ask("outcomes/pages-by-state"), "robots_state", "pages"), dict(states))


def main():
    segment, out = map(pathlib.Path, sys.argv[1:3])
    reference = Reference(segment.resolve())
    check = Checker(sys.argv[3] if len(sys.argv) > 3 else "duckdb", out)
    check_robots(check, reference)
    check_agents(check, reference)
    check_quality(check, reference, segment)
    check_signals(check, reference)
    check_units(check, reference)
    check_conflicts(check, reference)
    check_filters(check, reference)
    check.end()


main()
