#!/usr/bin/env python3
"""Counts a segment again from its archives and from its expected.jsonl, and compares with what queries answer.

queries.py SEGMENT OUT: SEGMENT has crawl-data/ and expected.jsonl, OUT is the folder of `crawlprefs run SEGMENT`. The
counts here use FastWARC and a plain reading of robots.txt, and none of the tables. Ends with status 1 where one differs.
"""
import collections
import json
import os
import pathlib
import re
import statistics
import sys
import urllib.parse

import duckdb
from fastwarc.warc import ArchiveIterator, WarcRecordType

QUERIES = pathlib.Path(__file__).resolve().parents[2] / "queries"
SITE_FILES = {
    "/automation-preferences.txt": "automation",
    "/.well-known/tdmrep.json": "tdmrep",
    "/ai.txt": "ai_txt",
    "/trust.txt": "trust_txt",
    "/.well-known/trust.txt": "trust_txt",
}

KEY = r"[a-z*][a-z0-9_.*-]*"
ITEM = r"""(?:"(?:[ !#-\[\]-~]|\\["\\])*"|[A-Za-z*][!#$%&'*+.^_`|~A-Za-z0-9:/-]*|\?[01]|-?[0-9]+(?:\.[0-9]+)?|:[A-Za-z0-9+/=]*:)"""
PARAMETERS = rf"(?:;[ ]*{KEY}(?:={ITEM})?)*"
VALUE = rf"(?:{ITEM}|\([ ]*(?:{ITEM}{PARAMETERS}(?:[ ]+{ITEM}{PARAMETERS})*[ ]*)?\))"
ENTRY = re.compile(rf"({KEY})(?:=({VALUE}))?{PARAMETERS}")
LABELS_OF_03 = {"bots", "train-ai", "train-genai", "search"}


def dictionary(values):
    """The members of a field as RFC 9651 has dictionaries, key and value, the last of each key; None where it is none."""
    text, members = ", ".join(value.strip() for value in values).strip(" "), {}
    while text:
        found = ENTRY.match(text)
        if not found:
            return None
        members[found[1]] = found[2]
        rest = text[found.end():].lstrip(" \t")
        if rest and not rest.startswith(","):
            return None
        text = rest[1:].lstrip(" \t")
        if rest and not text:
            return None
    return members


class Capture:
    """A response: its place, HTTP status, header fields and body."""

    def __init__(self, record, subset):
        self.url = record.headers["WARC-Target-URI"]
        self.id = record.headers["WARC-Record-ID"]
        self.time = record.headers["WARC-Date"]
        self.subset = subset
        self.status = int(record.http_headers.status_code)
        self.fields = [(name.lower(), value) for name, value in record.http_headers]
        self.body = record.reader.read()
        self.parts = urllib.parse.urlsplit(self.url)
        self.origin = f"{self.parts.scheme}://{self.parts.netloc.lower()}"
        self.host = self.parts.hostname
        self.path = self.parts.path + (f"?{self.parts.query}" if self.parts.query else "")

    def field(self, name):
        return [value for field, value in self.fields if field == name]

    def is_text(self):
        """READ-3: the one robots.txt of the segment that is no text is a PNG, broken by a conversion."""
        return b"PNG\r\n\x1a\n" not in self.body[:16]


def captures(segment):
    """Every response of the segment."""
    for path in sorted(segment.rglob("*.warc.gz")):
        with open(path, "rb") as stream:
            for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
                if record.http_headers:
                    yield Capture(record, path.parent.name)


class Robots:
    """A robots.txt, read by RFC 9309 as plainly as can be."""

    def __init__(self, body):
        self.groups, agents, in_rules = [], None, True
        self.lines = []
        for line in re.split(rb"\r\n|\r|\n", body.removeprefix(b"\xef\xbb\xbf")):
            name, colon, value = line.split(b"#")[0].decode("utf-8", "replace").strip().partition(":")
            name, value = name.strip().lower(), value.strip()
            if not colon:
                continue
            self.lines.append((name, value))
            if name in ("user-agent", "useragent", "user agent"):
                if in_rules:
                    agents, in_rules = [], False
                    self.groups.append((agents, []))
                agents.append(re.split(r"[\s/]", value.lower() or " ")[0] if " " not in value else value.lower())
            elif name in ("allow", "disallow", "content-usage") and agents is not None:
                in_rules = True
                self.groups[-1][1].append((name, value))
            elif name in ("content-signal", "usage", "crawl-delay") and agents is not None:
                in_rules = in_rules or name.startswith("content")

    def names(self, agent):
        return any(agent.lower() in agents for agents, _ in self.groups)

    def usage(self, agent, path):
        """The Content-Usage of the longest path that matches; an empty text where no rule does."""
        name = agent.lower() if self.names(agent) else "*"
        found = [(0, "")]
        for rule, value in (rule for agents, rules in self.groups if name in agents for rule in rules):
            if rule == "content-usage":
                pattern, _, statement = value.partition(" ") if value.startswith("/") else ("/", "", value)
                regex = ".*".join(map(re.escape, pattern.removesuffix("$").split("*"))) + ("$" if pattern.endswith("$") else "")
                if re.match(regex, path):
                    found.append((len(pattern), statement.strip()))
        return max(found, key=lambda rule: rule[0])[1]

    def closes(self, agent):
        """Whether everything is closed to the agent: something closes /, and nothing opens anything."""
        name = agent.lower() if self.names(agent) else "*"
        rules = [rule for agents, rules in self.groups if name in agents for rule in rules]
        closed = any(kind == "disallow" and re.fullmatch(r"/\*?|\*+", value) for kind, value in rules)
        return closed and not any(kind == "allow" and value for kind, value in rules)


NO = r"(?:n|no|none|false|0|\?0|off|deny|disallow)"
LABELS = r"(?:bots|all|tdm|ai|ai-use|ai-output|foundation-model-production|train-ai|train-genai|search|ai-train|ai-input)"
LOST_NO = re.compile(rf"(?:^|[\s=:\"\']){LABELS}[\s=:\"\']+{NO}(?:$|[\s=:\"\'])")


def is_lost_no(statement):
    """Whether a Content-Usage holds a word for no under a label that is read as nothing (LABEL-7)."""
    members = dictionary([statement])
    if members is None:
        return any(LOST_NO.search(piece.partition(";")[0].replace("_", "-")) for piece in statement.lower().split(","))
    return any(
        re.fullmatch(LABELS, key.replace("_", "-")) and value and value != "n" and re.fullmatch(NO, value.lower())
        and value[0].isalpha()
        for key, value in members.items()
    )


class Reference:
    """The counts."""

    def __init__(self, segment):
        everything = list(captures(segment))
        self.expected = [json.loads(line) for line in (segment / "expected.jsonl").open()]
        self.pages = [
            capture for capture in everything
            if capture.subset != "robotstxt" and capture.parts.path not in SITE_FILES and capture.parts.path != "/robots.txt"
        ]
        self.files = [capture for capture in everything if capture.parts.path in SITE_FILES and not capture.parts.query]
        self.robots = [capture for capture in everything if capture.parts.path == "/robots.txt"]
        self.newest = {}
        for capture in sorted(everything, key=lambda capture: capture.time):
            self.newest[capture.url] = capture
        origins = {capture.origin for capture in everything if capture.subset != "robotstxt"}
        origins |= {capture.origin for capture in self.robots}
        self.hosts = {}
        for origin in sorted(origins):  # http before https, which replaces it
            state, robots = self.site(origin)
            host = urllib.parse.urlsplit(origin).hostname
            if host not in self.hosts or state != "not_archived":
                self.hosts[host] = (origin, state, robots)
        self.read = {host: Robots(robots.body) for host, (_, state, robots) in self.hosts.items() if state == "parsed"}
        pages = {page.id: page for page in self.pages}
        for page in self.expected:
            # READ-3: the expectations are of before that rule.
            if page["robots_state"] == "parsed" and self.site(pages[page["record_id"]].origin)[0] == "unreadable":
                page["robots_state"] = "unreadable"
                page["crawl"] = {agent: "unknown" for agent in (*page["crawl"], "CCBot")}
            page["unread"] = self.lost_no(pages[page["record_id"]], page["robots_state"])

    def lost_no(self, page, state):
        """Whether a Content-Usage of the page holds a no and does not parse (LABEL-7)."""
        statements = [", ".join(page.field("content-usage"))]
        if state == "parsed":
            _, robots = self.site(page.origin)
            statements.append(Robots(robots.body).usage("CCBot", page.path))
        return any(is_lost_no(statement) for statement in statements)

    def site(self, origin):
        """What the newest robots.txt of an origin comes to, and the capture that was read.

        More than five redirects are unavailable (RFC 9309 2.3.1.2).
        """
        capture, hops = self.newest.get(f"{origin}/robots.txt"), 0
        while capture and capture.status in (301, 302, 303, 307, 308) and hops < 5:
            target = urllib.parse.urljoin(capture.url, (capture.field("location") or [""])[0])
            capture, hops = self.newest.get(target), hops + 1
            if capture is None:
                return "redirect_unresolved", None
            if capture.status in (301, 302, 303, 307, 308) and hops == 5:
                return "unavailable", None
        if capture is None:
            return "not_archived", None
        family = capture.status // 100
        if family == 2 and not capture.is_text():
            return "unreadable", None
        return {2: "parsed", 4: "unavailable", 5: "unreachable"}.get(family, "other_status"), capture

    def known(self):
        return [host for host, (_, state, _) in self.hosts.items() if state in ("parsed", "unavailable", "unreachable")]

    def closed(self, agent):
        return {host for host, robots in self.read.items() if robots.closes(agent)}

    def signals(self):
        """Hosts by key and value of Content-Signal."""
        found = collections.defaultdict(set)
        for host, robots in self.read.items():
            for name, value in robots.lines:
                for member in value.split(",") if name == "content-signal" else ():
                    key, equals, word = member.strip().partition("=")
                    if equals:
                        found[key.strip(), word.strip()].add(host)
        return found


def percent(part, whole):
    return round(100 * part / whole, 2)


class Checker:
    """Asks queries, and compares."""

    def __init__(self, out):
        os.chdir(out)
        self.database = duckdb.connect()
        for file in ("duckdb.sql", "views.sql"):
            self.database.execute((QUERIES / file).read_text())
        self.checked, self.wrong = set(), 0

    def ask(self, query):
        relation = self.database.sql((QUERIES / f"{query}.sql").read_text())
        return [dict(zip(relation.columns, row)) for row in relation.fetchall()]

    def same(self, query, what, found, wanted):
        self.checked.add(query)
        if found != wanted:
            self.wrong += 1
            print(f"{query}, {what}: {found}, and counted {wanted}")


def by(rows, *columns):
    """Counts of rows by columns; the last column is the count."""
    counts = collections.Counter()
    for row in rows:
        counts[tuple(row[column] for column in columns[:-1])] += row[columns[-1]]
    return dict(counts)


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
    row = rows["hosts whose robots.txt is known"]
    closed = reference.closed("GPTBot")
    failing = {host for host, (_, state, _) in reference.hosts.items() if state == "unreachable"}
    named = {host for host in reference.read if reference.read[host].names("GPTBot")}
    wanted = (len(reference.known()), len(closed & named), len(closed - named), len(failing))
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
            named = [host for host in reference.read if reference.read[host].names(row["agent"])]
            check.same("comparison/agents-named-per-crawl", row["agent"], (row["hosts"], row["hosts_readable"]), (len(named), len(reference.read)))


def states_validly(page):
    """Whether Content-Usage of a page has a label of vocabulary 03 with a y or an n."""
    members = dictionary(page.field("content-usage"))
    return any(members.get(label) in ("y", "n") for label in LABELS_OF_03) if members else False


def check_conflicts(check, reference):
    """Two documents read `search=n, search=y`: for AIPREF the last counts, for SUP the n does."""
    hosts = {page["url"]: urllib.parse.urlsplit(page["url"]).hostname for page in reference.expected}
    any_conflict = {hosts[page["url"]] for page in reference.expected if "search" in page.get("conflict", ())}
    rows = [row for row in check.ask("conflicts/hosts") if row["label"] == "search"]
    found = check.database.sql("""
        SELECT count(DISTINCT url_host_name) FROM pages WHERE array_contains(conflict, 'search')
    """).fetchall()[0][0]
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

    domain_of = dict(check.database.sql("SELECT url_host_name, coalesce(url_host_registered_domain, url_host_name) FROM hosts").fetchall())
    closing, answering = collections.defaultdict(set), collections.defaultdict(set)
    for host, (_, state, _) in reference.hosts.items():
        if state in ("parsed", "unavailable"):
            answering[domain_of[host]].add(host)
    for host in reference.closed("GPTBot"):
        if reference.read[host].names("GPTBot"):
            closing[domain_of[host]].add(host)
    itself = [domain for domain in answering if domain in answering[domain]]
    wanted = (
        len(answering), len(closing), len(itself), sum(domain in closing[domain] for domain in itself),
        sum(closing[domain] == hosts for domain, hosts in answering.items()),
    )
    found = check.database.sql("""
        SELECT count(any_host_closes), count(CASE WHEN array_contains(any_host_closes, 'GPTBot') THEN 1 END),
            count(itself_closes), count(CASE WHEN array_contains(itself_closes, 'GPTBot') THEN 1 END),
            count(CASE WHEN array_contains(all_hosts_close, 'GPTBot') THEN 1 END)
        FROM domains
    """).fetchall()[0]
    check.same("the view domains", "three definitions", found, wanted)

    row = check.ask("agents/closed-interval")[0]
    by_name = sum(map(len, closing.values()))
    check.same("agents/closed-interval", "share", (row["by_name"], row["hosts"]), (by_name, len(reference.known())))
    check.same("agents/closed-interval", "in its interval", row["low_percent"] <= percent(by_name, row["hosts"]) <= row["high_percent"], True)


def wanted_reason(page, policy):
    """Why the policy drops a page of expected.jsonl; None where it keeps it, False where expected.jsonl does not say."""
    if "CCBot" not in page["crawl"]:
        return False
    if page["crawl"]["CCBot"] != "allow":
        return f"access_{page['crawl']['CCBot']}"
    if policy == "robots":
        return None
    if "labels" not in page:
        return False
    labels = [(label, page["labels"][label]) for label in ("train_ai", "train_genai")]
    reasons = [f"{label}_disallow" for label, value in labels if value == "disallow"]
    if policy == "strict":
        reasons += ["unread"] if page["unread"] else []
        reasons += [f"{label}_unknown" for label, value in labels if value != "allow"]
    return reasons[0] if reasons else None


def check_filters(check, reference):
    for policy in ("robots", "labels", "strict"):
        lists = check.database.sql(f"""
            SELECT id, reason FROM drop_list WHERE policy = '{policy}'
            UNION ALL SELECT id, NULL FROM keep_list WHERE policy = '{policy}'
        """).fetchall()
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
    unknown = [page for page in reference.expected if page["crawl"].get("CCBot") == "unknown"]
    row = next(row for row in rows if row["reason"] == "access_unknown")
    check.same("filtering/policy-cost", "unknown", (row["pages"], row["bytes"]), (len(unknown), sum(lengths[page["record_id"]] for page in unknown)))
    check.same("filtering/policy-cost", "bytes", sum(row["bytes"] for row in rows), sum(lengths.values()))

    states = collections.Counter((page["robots_state"],) for page in reference.expected)
    check.same("outcomes/pages-by-state", "pages", by(check.ask("outcomes/pages-by-state"), "robots_state", "pages"), dict(states))


def main():
    segment, out = map(pathlib.Path, sys.argv[1:])
    reference = Reference(segment.resolve())
    check = Checker(out)
    check_robots(check, reference)
    check_agents(check, reference)
    check_signals(check, reference)
    check_units(check, reference)
    check_conflicts(check, reference)
    check_filters(check, reference)
    print(f"{len(check.checked)} queries counted again: {', '.join(sorted(check.checked))}")
    sys.exit(1 if check.wrong else 0)


main()
