#!/usr/bin/env python3
"""Counts again, from the archives of a segment, what queries answer about the files of hosts, lists of agents, and pages.

    files_and_pages.py SEGMENT OUT [duckdb|spark]

OUT is the folder of `crawlprefs run SEGMENT`. The counts use FastWARC and the plain reading of robots.txt of recount.py, and none of the tables. Ends with
status 1 where one differs.
"""
import collections
import functools
import html.parser
import json
import pathlib
import re
import sys
import urllib.parse

from recount import LABELS_OF_03, Checker, Reference, Robots, by, dictionary, percent

AGENTS = ("GPTBot", "CCBot", "ClaudeBot", "Google-Extended", "Googlebot")
"""The agents that expected.jsonl has verdicts for."""
DIRECTIVES = ("crawl-delay", "host", "clean-param", "noindex", "request-rate", "visit-time")


def check_classes(check, reference):
    """Named, and how much is closed: all, some, nothing."""
    rows = {row["agent"]: row for row in check.ask("agents/classes")}
    for agent in (*AGENTS, "*"):
        classes = collections.Counter(robots.class_of(agent) for robots in reference.read.values() if robots.names(agent))
        row = rows[agent]
        found = row["hosts_counted"], row["full_hosts"], row["partial_hosts"], row["none_hosts"]
        check.same("agents/classes", agent, found, (classes.total(), classes["full"], classes["partial"], classes["none"]))


def check_lists(check, reference):
    """Files that name the same agents, in whatever order."""
    lists = collections.Counter()
    for robots in reference.read.values():
        names = frozenset(name for agents, _ in robots.groups for name in agents if not re.search(r"[\s/]", name)) - {"*", ""}
        if names:
            lists[names] += 1
    rows = check.ask("agents/lists")
    wanted = sorted((len(names), hosts) for names, hosts in lists.items() if hosts > 1)
    check.same("agents/lists", "names and hosts", sorted((row["agents"], row["hosts"]) for row in rows), wanted)
    check.same("agents/lists", "of", (rows[0]["hosts_naming"], rows[0]["lists_all"]), (lists.total(), len(lists)))


def bodies_of(reference):
    """Each robots.txt that some host has, once."""
    return {robots.body for _, state, robots in reference.hosts.values() if state == "parsed"}


def check_directives(check, reference):
    bodies = bodies_of(reference)
    rows = {row["key"]: row for row in check.ask("quality/unknown-directives")}
    for name in DIRECTIVES:
        lines = [sum(key == name for key, _ in Robots(body).lines) for body in bodies]
        row = rows.get(name)
        found = (row["files"], row["lines"], row["files_all"]) if row else (0, 0, len(bodies))
        check.same("quality/unknown-directives", name, found, (sum(map(bool, lines)), sum(lines), len(bodies)))


def check_licences(check, reference):
    """License: lines, by the host of the licence."""
    hosts = collections.defaultdict(set)
    for host, robots in reference.read.items():
        for name, value in robots.lines:
            if name == "license" and value:
                parts = urllib.parse.urlsplit(value)
                hosts[parts.netloc.lower() if parts.scheme in ("http", "https") else "(other)"].add(host)
    rows = [row for row in check.ask("adoption/licences") if row["carrier"] == "robots"]
    check.same("adoption/licences", "robots", by(rows, "licence_host", "hosts"), {(name,): len(found) for name, found in hosts.items()})


def check_usage(check, reference):
    """Content-Usage in headers: each label of vocabulary 03 with y or n."""
    wanted = collections.defaultdict(set)
    for page in reference.pages:
        members = dictionary(page.field("content-usage")) or {}
        for key, value in members.items():
            if key in LABELS_OF_03 and value in ("y", "n"):
                wanted[key, {"y": "allow", "n": "disallow"}[value]].add(page.host)
    rows = [row for row in check.ask("adoption/content-usage") if row["carrier"] == "header" and row["defect"] == "(none)"]
    found = {name: count for name, count in by(rows, "label", "preference", "hosts").items() if name[0] in LABELS_OF_03}
    check.same("adoption/content-usage", "headers", {name: found.get(name) for name in wanted}, {name: len(hosts) for name, hosts in wanted.items()})


def check_tlds(check, reference):
    """Who closes GPTBot, and who cites the directive, by top-level domain."""
    wanted = collections.defaultdict(collections.Counter)
    answering = set(reference.known())
    for host, (_, state, _) in reference.hosts.items():
        tld = host.rpartition(".")[2]
        counts, robots = wanted[tld], reference.read.get(host)
        counts["hosts_answering"] += host in answering
        counts["by_error"] += state == "unreachable"
        if host in answering and robots and robots.closes("GPTBot"):
            counts["by_name" if robots.names("GPTBot") else "by_star"] += 1
        if robots:
            comments = b" ".join(line.partition(b"#")[2] for line in reference.hosts[host][2].body.splitlines())
            counts["citing"] += bool(re.search(rb"2019/790", comments))
    asked = {row["which"]: row for row in check.ask("agents/closed", key="tld") if row["agent"] == "GPTBot"}
    rows = check.ask("adoption/eu-law", key="tld")
    names = "by_name", "by_star", "by_error"
    # A group in which no host closes the agent has no row of it.
    found = {row["which"]: (row["hosts_answering"], *(asked[row["which"]][name] if row["which"] in asked else 0 for name in names)) for row in rows}
    counted = {tld: tuple(counts[name] for name in ("hosts_answering", *names)) for tld, counts in wanted.items() if not tld.isdigit() and counts["hosts_answering"]}
    check.same("agents/closed", "by top-level domain", found, counted)
    check.same("agents/closed", "hosts answering, by top-level domain", {tld: row["hosts_answering"] for tld, row in asked.items()}, {tld: wanted[tld]["hosts_answering"] for tld in asked})
    citing = sum(counts["citing"] for counts in wanted.values())
    reserving = sum(row["reserving"] for row in rows), sum(row["in_own_text"] for row in rows)
    check.same("adoption/eu-law", f"{citing} hosts cite the directive, {reserving} reserve", citing <= reserving[0] and reserving[1] <= reserving[0], True)


def check_refusals(check, reference):
    answers = collections.defaultdict(list)
    for page in reference.pages:
        answers[page.host].append(page.status)
    wanted = collections.Counter()
    for host, (origin, state, _) in reference.hosts.items():
        robots = reference.read.get(host)
        capture = reference.newest.get(f"{origin}/robots.txt")
        if state == "unreachable":
            refusal = 1
        elif capture and capture.status in (401, 403, 429):
            refusal = 2
        elif host not in reference.lost and robots and robots.closes("CCBot"):
            refusal = 3 if robots.names("CCBot") else 4
        elif answers[host] and all(status in (401, 403, 429, 503) for status in answers[host]):
            refusal = 5
        else:
            refusal = 7 if state in ("parsed", "unavailable") and host not in reference.lost else 6
        wanted[refusal] += 1
    rows = check.ask("outcomes/refused-or-closed")
    check.same("outcomes/refused-or-closed", "hosts", {int(row["refusal"][0]): row["hosts"] for row in rows}, dict(wanted))


class Metas(html.parser.HTMLParser):
    """The contents of the metas of a page's head by their names. What is in a comment, a script or another text is none."""

    def __init__(self, body):
        super().__init__()
        self.text, self.is_head, self.contents = None, True, collections.defaultdict(list)
        self.feed(body.decode("utf-8", "replace"))

    def handle_starttag(self, tag, attributes):
        self.is_head = self.is_head and tag not in ("body", "h1", "p")
        self.text = self.text or (tag if tag in ("title", "textarea", "noscript", "template", "style", "script") else None)
        found = dict(attributes)
        if tag == "meta" and self.is_head and not self.text and found.get("name"):
            self.contents[found["name"].lower()].append(found.get("content") or "")

    def handle_endtag(self, tag):
        self.text = None if tag == self.text else self.text


@functools.cache
def metas_of(page):
    """The contents of the metas of a page by their names."""
    return Metas(page.body).contents


WITH_VALUE = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")


def rules_in(texts, agents=("*",)):
    """The rules of X-Robots-Tag fields or metas for these agents, by their names; what says nothing is left out."""
    rules = set()
    for text in texts:
        agent = "*"
        for rule in text.lower().split(","):
            name, colon, rest = (part.strip() for part in rule.partition(":"))
            if colon and name not in WITH_VALUE:
                agent, name = name, rest.partition(":")[0].strip()
            rules |= {name} if agent in agents else set()
    return rules - {"", "index", "follow", "all"}


def rules_of_field(texts, agents=("*",)):
    """The rules of Robots-Tag for these agents: `*;noindex;nosnippet, ExampleBot;noindex`. No name is a slip whose rule would be lost."""
    members = (member.strip().lower().split(";") for member in ",".join(texts).split(","))
    return {rule.partition("=")[0].strip() for agent, *rules in members if agent in (*agents, "") for rule in rules} - {"", "index", "follow", "all"}


def check_metas(check, reference):
    """noindex in metas for everybody, on home pages and on inner pages; metas and headers that differ."""
    places, both = collections.defaultdict(collections.Counter), collections.Counter()
    for page in reference.pages:
        place = "home" if page.parts.path in ("", "/") and "?" not in page.url else "inner"
        metas = rules_in(metas_of(page)["robots"])
        header = rules_in(page.field("x-robots-tag")) | rules_of_field(page.field("robots-tag"))
        places[place]["pages_all"] += 1
        places[place]["noindex"] += "noindex" in metas
        if metas or header:
            found_in = "header alone" if not metas else "meta alone" if not header else "both, the same rules" if header == metas else "both, different rules"
            both[found_in] += 1
    rows = [row for row in check.ask("adoption/robots-metas") if (row["carrier"], row["agent"], row["category"]) == ("meta", "*", "noindex")]
    found = {row["place"]: (row["pages"], row["pages_all"]) for row in rows}
    check.same("adoption/robots-metas", "noindex", found, {place: (counts["noindex"], counts["pages_all"]) for place, counts in places.items() if counts["noindex"]})
    check.same("conflicts/meta-and-header", "pages", {row["found_in"]: row["pages"] for row in check.ask("conflicts/meta-and-header")}, dict(both))


def check_tdm(check, reference):
    """TDMRep in metas and in tdmrep.json, whose newest copy counts."""
    hosts = collections.defaultdict(set)
    for page in reference.pages:
        values = {value.strip() for value in metas_of(page)["tdm-reservation"]}
        if len(values) == 1 and values <= {"0", "1"}:
            hosts["meta", values.pop()].add(page.host)
    for url, file in reference.newest.items():
        if file.parts.path == "/.well-known/tdmrep.json" and file.status == 200:
            try:
                entries = json.loads(file.body)
            except ValueError:
                continue
            for entry in entries if isinstance(entries, list) else [entries]:
                if isinstance(entry, dict) and str(entry.get("tdm-reservation")) in ("0", "1") and entry.get("location"):
                    hosts["tdmrep", str(entry["tdm-reservation"])].add(file.host)
    rows = [row for row in check.ask("adoption/tdmrep") if row["carrier"] != "header"]
    check.same("adoption/tdmrep", "metas and files", by(rows, "carrier", "value", "hosts"), {name: len(found) for name, found in hosts.items()})


def closed_pages(reference, agent):
    """By what each page is closed to an agent, by expected.jsonl; None where the parsers that were asked disagree."""
    pages = {page.id: page for page in reference.pages}
    for page in reference.expected:
        verdict = page["crawl"].get(agent)
        if verdict is None or verdict == "allow":
            yield page, verdict
        elif verdict == "unknown" or page["robots_state"] == "unreachable":
            yield page, "unknown" if verdict == "unknown" else "by_error"
        else:
            yield page, "by_name" if reference.is_by_name(page, pages[page["record_id"]], agent) else "by_star"


def check_pages(check, reference):
    rows = {row["agent"]: row for row in check.ask("agents/closed-pages")}
    for agent in AGENTS:
        counts = collections.Counter(way for _, way in closed_pages(reference, agent))
        row, left = rows[agent], counts[None]
        for way in ("by_name", "by_star", "by_error"):
            inside = counts[way] <= row[way] <= counts[way] + left
            check.same("agents/closed-pages", f"{agent}, {way}: {row[way]}, and counted {counts[way]} to {counts[way] + left}", inside, True)

    ways = list(closed_pages(reference, "CCBot"))
    for name, rows in (("outcomes/pages-by-state", check.ask("outcomes/pages-by-state")), ("filtering/policy-cost", [row for row in check.ask("filtering/policy-cost") if row["policy"] == "robots"])):
        # Of what a twin closes pages-by-state does not say by which group (rule_of_twin).
        counts = collections.Counter(way for page, way in ways if name != "outcomes/pages-by-state" or page["robots_state"] != "not_archived")
        for way in ("by_name", "by_star", "by_error"):
            found = sum(row[way] for row in rows)
            check.same(name, f"{way}: {found}, and counted {counts[way]} to {counts[way] + counts[None]}", counts[way] <= found <= counts[way] + counts[None], True)

    dropped = {row["id"]: set(row["user_agents"].split(", ")) for row in check.ask("filtering/drop-by-agents")}
    listed = ("CCBot", "ClaudeBot", "Google-Extended", "GPTBot")
    for page in reference.expected:
        said = {agent for agent in listed if page["crawl"].get(agent) is not None}
        wanted = {agent for agent in said if page["crawl"][agent] == "disallow"}
        found = dropped.get(page["record_id"], set())
        check.same("filtering/drop-by-agents", page["url"], (found & said, "(unknown)" in found), (wanted, "unknown" in page["crawl"].values() or page["robots_state"] == "not_archived"))


def main():
    segment, out, *engine = sys.argv[1:]
    segment, out = (pathlib.Path(path).resolve() for path in (segment, out))
    reference = Reference(segment)
    check = Checker(engine[0] if engine else "duckdb", out)
    check_classes(check, reference)
    check_lists(check, reference)
    check_directives(check, reference)
    check_licences(check, reference)
    check_usage(check, reference)
    check_tlds(check, reference)
    check_refusals(check, reference)
    check_metas(check, reference)
    check_tdm(check, reference)
    check_pages(check, reference)
    check.end()


if __name__ == "__main__":
    main()
