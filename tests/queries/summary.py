#!/usr/bin/env python3
"""Recounts every figure that the summary of `run` or `resolve` prints, and those of its report: summary.py BINARY OUT COMMAND...

COMMAND made OUT: `run` with inputs and options, or `resolve` with options. It is called again, and reads no archive again. Each figure
of the text and of the report must be that of the views or of the tables, crawl by crawl. That these are those of the archives is tested
by tests/years, by sampled.py and by the scripts of tests/corpus.
"""
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

import duckdb

ROOT = pathlib.Path(__file__).resolve().parents[2]
LABELS = {
    "search": "search",
    "train_ai": "training AI",
    "train_genai": "training generative AI",
    "ai_input": "input of AI answers",
    "tdm": "text and data mining",
}
STATES = {
    "parsed": "read",
    "unavailable": "not there (4xx): everything may be fetched",
    "unreachable": "not reachable (5xx): nothing may be fetched",
    "redirect_unresolved": "unknown: redirects out of the inputs",
    "other_status": "unknown: a status without a meaning",
    "unreadable": "unknown: not text, or in an unknown coding",
    "body_missing": "unknown: its text is not in the archive",
    "undated": "unknown: no usable date",
    "not_archived": "unknown: not in the inputs, or only later",
}
HOSTS = """
    SELECT crawl, count(*), count(*) FILTER (answers),
        count(*) FILTER (answers AND len(list_intersect(agents_closed, agents_named)) > 0),
        count(*) FILTER (answers AND len(list_filter(agents_closed, lambda agent: NOT list_contains(agents_named, agent))) > 0),
        epoch(min(robots_fetch_time))::BIGINT, epoch(max(robots_fetch_time))::BIGINT
    FROM hosts GROUP BY crawl
"""
WAYS = {"by_name": "closed_by_name", "by_star": "closed_through_wildcard", "partly_by_name": "closed_in_part", "partly_by_star": "closed_in_part"}
# Of lines and fields those that no system reads without a defect: a text that two systems read is one.
UNREADABLE = """
    SELECT crawl, count(*) FROM (
        SELECT crawl, bool_and(has_defect) AS is_unreadable FROM (
            SELECT crawl, warc_filename, warc_record_offset, warc_member_skip, body_digest, carrier, line, raw, system,
                bool_or(defect IS NOT NULL) AS has_defect
            FROM statements_table WHERE system <> 'unrecognised' GROUP BY ALL
        ) GROUP BY crawl, warc_filename, warc_record_offset, warc_member_skip, body_digest, carrier, line, raw
    ) WHERE is_unreadable GROUP BY crawl
"""
# Pages without an earlier robots.txt, whose origin has a later one: by how many seconds it is later.
LATER = """
    SELECT page.crawl, min(ceil(epoch(robots.fetch_time) - epoch(page.fetch_time)))::BIGINT AS seconds
    FROM pages AS page
    JOIN captures AS robots ON robots.crawl = page.crawl AND robots.kind = 'robots' AND robots.fetch_time > page.fetch_time
        AND robots.url_protocol = page.url_protocol AND robots.url_host_name = page.url_host_name
        AND robots.url_port IS NOT DISTINCT FROM page.url_port
    WHERE page.robots_state = 'not_archived'
    GROUP BY page.crawl, page.warc_filename, page.warc_record_offset, page.warc_member_skip
    HAVING seconds <= 86400
"""


def opened(out):
    database = duckdb.connect()
    database.execute(f"SET file_search_path = '{out}'")
    for text in ("duckdb.sql", "views.sql"):
        database.execute((ROOT / "queries" / text).read_text(encoding="utf-8"))
    return database


def counts_of(rows):
    """Counts by crawl and name."""
    found = defaultdict(dict)
    for crawl, name, count in rows:
        found[crawl][name] = count
    return found


class Counted:
    """What views and tables say."""

    def __init__(self, out):
        database = opened(out)
        self.rows = lambda query: database.sql(query).fetchall()
        self.tables = {path.name for path in out.iterdir() if path.is_dir()}
        crawls = {crawl for crawl, in self.rows(" UNION ".join(f"SELECT crawl FROM {it}" for it in ("sites", "pages_table") if it.removesuffix("_table") in self.tables))}
        self.pages = {crawl: self.of_pages(crawl) if "pages" in self.tables else None for crawl in crawls}
        self.hosts = self.of_hosts()

    def of_pages(self, crawl):
        """What is counted of the pages and statements of a crawl, in the form of the report."""
        by = lambda query: dict(self.rows(query))
        each = lambda column: by(f"SELECT {column}, count(*) FROM pages WHERE crawl = '{crawl}' GROUP BY ALL")
        found = {"pages": sum(each("access").values()), "robots_states": each("robots_state"), "access": each("access"), "labels": {}}
        for label in LABELS:
            said = {value: count for value, count in each(label).items() if value != "unknown"}
            found["labels"] |= {label: said} if said else {}
        conflicts = f"SELECT unnest(conflict) AS label, conflict_of_readings FROM pages WHERE crawl = '{crawl}'"
        for name, negated in (("conflicts", "NOT "), ("conflicts_of_readings", "")):
            found[name] = by(f"SELECT label, count(*) FROM ({conflicts}) WHERE {negated}list_contains(conflict_of_readings, label) GROUP BY ALL")
        later = [seconds for of, seconds in self.rows(LATER) if of == crawl]
        found |= {"slack_would_help": len(later), "slack_needed_s": max(later, default=0)}
        if "sites" in self.tables:
            used = f"SELECT unnest(page_systems, recursive := true) FROM sites WHERE crawl = '{crawl}'"
            found["page_systems"] = by(f"SELECT system, sum(own_pages)::BIGINT FROM ({used}) GROUP BY ALL HAVING sum(own_pages) > 0")
        if "statements" in self.tables:
            found["statements"] = by(f"SELECT concat(system, ' ', carrier), count(*) FROM statements_table WHERE crawl = '{crawl}' GROUP BY ALL")
            found["unreadable"] = by(UNREADABLE).get(crawl, 0)
        return found

    def of_hosts(self):
        """What is counted of hosts, by crawl."""
        if "sites" not in self.tables:
            return {}
        names = ("hosts", "answering", "closing_by_name", "closing_to_others")
        found = {crawl: dict(zip(names, counts)) | {"robots_fetched": times} for crawl, *counts, first, last in self.rows(HOSTS) for times in [(first, last)]}
        states = counts_of(self.rows("SELECT crawl, robots_state, count(*) FROM hosts GROUP BY ALL"))
        systems = counts_of(self.rows("SELECT crawl, system, count(*) FROM (SELECT crawl, unnest(systems) AS system FROM hosts WHERE answers) GROUP BY ALL"))
        for crawl, hosts in found.items():
            hosts |= {"states": states[crawl], "systems": systems[crawl], "labels": {}} | {name: Counter() for name in WAYS.values()}
        for crawl, way, agent, count in self.rows("SELECT crawl, way, agent, count(*) FROM host_agents WHERE way <> 'by_error' GROUP BY ALL"):
            found[crawl][WAYS[way]][agent] += count
        for label in LABELS:
            for crawl, value, count in self.rows(f"SELECT crawl, {label}, count(*) FROM hosts WHERE {label} <> 'unknown' GROUP BY ALL"):
                found[crawl]["labels"].setdefault(label, {})[value] = count
        return found

    def of_records(self):
        """What became of the records of all archives, in the form of the report."""
        archives = self.rows("SELECT count(*), sum(bytes), sum(records), sum(no_interest), sum(records_lost) FROM archives")[0]
        return dict(zip(("inputs", "archive_bytes", "archive_records", "no_interest", "records_lost"), map(int, archives))) | {
            "captures_by_kind": dict(self.rows("SELECT kind, count(*) FROM captures GROUP BY ALL")),
            "failures_by_kind": dict(self.rows("SELECT kind, count(*) FROM failures GROUP BY ALL")),
            "site_files": self.rows("SELECT count(*) FROM site_files")[0][0],
        }


def same(what, found, wanted):
    assert found == wanted, f"{what}: the summary has {found}, and counted {wanted}"


def check_report(report, counted):
    """The report of the command."""
    crawls = report["resolve"]["crawls"]
    same("crawls", set(crawls), set(counted.pages))
    for crawl, found in crawls.items():
        for name, value in (counted.pages[crawl] or {}).items():
            same(f"{crawl}, {name}", found[name], value)
        for name, value in counted.hosts.get(crawl, {}).items():
            printed = found["hosts"][name]
            if name == "robots_fetched":
                first, median, last = printed
                assert first // 3600 <= median // 3600 <= last // 3600, printed
                printed = first, last
            same(f"{crawl}, {name}", printed, value)
    if "archive_records" in report:
        for name, value in counted.of_records().items():
            same(name, report[name], value)


def share(count, whole):
    return f"{count / whole * 100:.1f}%" if whole else "-"


def of(count, whole, unit=None):
    """A count in a sentence: of how many, where they were not named before."""
    return f"{count:,} of {whole:,} {unit} ({share(count, whole)})" if unit else f"{count:,} ({share(count, whole)})"


def cells(*parts):
    """The cells of a row: each a count with its share of a whole, or a count alone."""
    return [text for part in parts for text in ([f"{part[0]:,}", share(*part)] if isinstance(part, tuple) else [f"{part:,}"])]


class Printed:
    """The text: its sections by what their headings begin with, in rows and sentences."""

    def __init__(self, text):
        self.text, self.sections = text, {}
        for part in text.split("\n\n"):
            heading, _, body = part.strip("\n").partition("\n")
            self.sections[heading] = body
        self.compared = set()

    def section(self, begins):
        heading, = [it for it in self.sections if it.startswith(begins)]
        self.compared.add(heading)
        return heading, self.sections[heading]

    def rows(self, begins):
        """The rows of a section: name and cells; a long name goes on below."""
        found, name = {}, None
        for line in self.section(begins)[1].splitlines():
            if (row := re.fullmatch(r"  (\S.*?)((?: +(?:[\d,]+|[\d.]+%|-))+)", line)) and not row[1].endswith(":"):
                name = row[1]
                found[name] = row[2].split()
            elif name and line.startswith("    "):
                longer = f"{name} {line.strip()}"
                found[longer], name = found.pop(name), longer
        return found

    def sentences(self, begins, wanted):
        """The sentences of a section have these figures, and no others."""
        rest = " ".join(self.section(begins)[1].split())
        for phrase in wanted:
            assert phrase in rest, f"{begins}: {phrase} is not in: {rest}"
            rest = rest.replace(phrase, "", 1)
        left = re.findall(r"\d[\d,.]*", re.sub(r"\(5xx\)|about 1\.5 GB|--robots-slack \S+", "", rest))
        assert not left, f"{begins}: {left} of {rest} were not counted"


def check_text(text, report, counted):
    """The text for people: the crawl that it shows, the lines of the others, and what was read."""
    printed, tally = Printed(text), report["resolve"]
    agent = report["options"]["agent"]
    crawls = sorted(tally["crawls"], key=lambda it: (it.startswith("CC-MAIN-"), (tally["crawls"][it].get("hosts") or {}).get("robots_fetched", [0, 0, 0])[1], it))
    crawl = crawls[-1]
    hosts, pages = counted.hosts.get(crawl), counted.pages[crawl]
    assert hosts and pages, "the tables sites and pages are there"
    all_hosts, answering, all_pages = hosts["hosts"], hosts["answering"], pages["pages"]
    subject, unit, said = (all_hosts, "hosts", hosts["labels"]) if all_pages <= all_hosts / 100 else (all_pages, "pages", pages["labels"])
    most = min(hosts["closed_by_name"].items(), key=lambda it: (-it[1], it[0]), default=None)

    findings = []
    if unit == "pages":
        errors = pages["robots_states"].get("unreachable", 0)
        findings += [of(pages["access"].get("disallow", 0) - errors, all_pages, "pages"), of(pages["access"].get("unknown", 0), all_pages)]
        findings += [of(errors, all_pages) + " more"] * bool(errors)
        findings[-1:] = [findings[-1].replace(") more", ")")]
    if answering:
        findings.append(of(hosts["closing_to_others"], answering, "hosts that answer"))
        findings += [f"{of(hosts['closing_by_name'], answering)} close", f"to {most[0]}: {of(most[1], answering)}"] if most else []
    if "train_ai" in said:
        findings += [of(said["train_ai"].get("disallow", 0), subject, unit), f"{of(said['train_ai'].get('allow', 0), subject)} say yes"]
    for name, words in (("conflicts", "contradict each other about "), ("conflicts_of_readings", "one field says yes to ")):
        if pages[name]:
            label, count = min(pages[name].items(), key=lambda it: (-it[1], it[0]))
            findings.append(of(count, all_pages, "pages"))
            assert words + LABELS[label] in " ".join(text.split()), (name, label)
    printed.sentences("Findings", sorted(findings, key=len, reverse=True))
    later, missing = pages["slack_would_help"], pages["robots_states"].get("not_archived", 0)
    if missing:
        advice = [of(count, all_pages, "pages") for count in (missing - later, later) if count]
        printed.sentences("What would make less unknown", advice)

    heading, _ = printed.section("robots.txt ")
    units = [(all_hosts, "hosts", hosts["states"]), (all_pages, "pages", pages["robots_states"])]
    units = [it for it in units if it[0]]
    same("robots.txt", re.findall(r"of ([\d,]+ \w+)", heading), [f"{whole:,} {unit}" for whole, unit, _ in units])
    wanted = {words: cells(*((states.get(state, 0), whole) for whole, _, states in units)) for state, words in STATES.items() if any(state in states for *_, states in units)}
    same("robots.txt", printed.rows("robots.txt "), wanted)
    if all_pages:
        wanted = {words: cells((pages["access"].get(access, 0), all_pages)) for words, access in (("yes", "allow"), ("no", "disallow"), ("unknown", "unknown"))}
        same("access", printed.rows(f"May {agent} fetch"), wanted)
    check_agents(printed, hosts, agent)
    if said:
        wanted = {
            f"{words} ({label})": cells(*((count, subject) for count in [said[label].get("allow", 0), said[label].get("disallow", 0), *([pages["conflicts"].get(label, 0)] if unit == "pages" else [])]))
            for label, words in LABELS.items() if label in said
        }
        same("uses", printed.rows(f"Uses, of {subject:,} {unit}"), wanted)
    check_systems(printed, hosts, pages, len(crawls) == 1 or report["resolve"]["statements"] == sum_of(tally["crawls"]))
    if len(crawls) > 1:
        closing = most[0] if most else agent
        wanted = {
            it: cells(counted.pages[it]["pages"], counted.hosts[it]["answering"], (counted.hosts[it]["closed_by_name"].get(closing, 0), counted.hosts[it]["answering"]))
            for it in reversed(crawls[:-1])
        }
        same("other crawls", list(printed.rows("Other crawls").items()), list(wanted.items()))
    if "archive_records" in report:
        check_records(printed, counted.of_records(), report)
    left = [it for it in printed.sections if it not in printed.compared and re.search(r"\d", it + printed.sections[it])]
    left = [it for it in left if not re.match(r"Read |Tables in ", it)]
    assert not left, f"nobody counted {left}"


def sum_of(crawls):
    """The statements of all crawls."""
    total = Counter()
    for crawl in crawls.values():
        total.update(crawl["statements"])
    return dict(total)


def check_agents(printed, hosts, agent):
    ways = [hosts[name] for name in dict.fromkeys(WAYS.values())]
    order = sorted(set().union(*ways), key=lambda it: (*(-way[it] for way in ways), it.lower()))
    if not order:
        return
    shown = [it for at, it in enumerate(order) if at < 10 or it.lower() == agent.lower()]
    found = printed.rows("Agents, and hosts")
    same("agents", list(found.items()), [(it, cells(*((way[it], hosts["answering"]) for way in ways))) for it in shown])
    sentences = printed.section("Agents, and hosts")[1]
    assert f"Of {hosts['answering']:,} hosts that answer" in sentences, sentences
    assert len(order) <= 10 or f"  and {len(order) - 10} more of the agents table" in sentences, sentences


def check_systems(printed, hosts, pages, has_statements):
    """Who uses which system. A field that two documents read counts for the one that defines it, here SUP's header for AIPREF."""
    found = importlib.util.spec_from_file_location("names", ROOT / "python/crawlprefs/_report/_systems.py")
    names = importlib.util.module_from_spec(found)
    found.loader.exec_module(names)
    view = (ROOT / "queries/views.sql").read_text().partition("VIEW systems_beside_robots AS\nSELECT split('")[2]
    beside_robots = view.partition("'")[0].split(",")
    statements = Counter()
    for name, count in pages.get("statements", {}).items():
        statements[name.split()[0]] += 0 if name == "sup header" else count
    unrecognised = statements.pop("unrecognised", 0)
    used = sorted({*hosts["systems"], *pages["page_systems"], *(name for name, count in statements.items() if count)})
    if not used:
        return
    rows = printed.rows("Systems of preferences")
    wanted = {}
    for system in used:
        files = hosts["systems"].get(system, 0)
        # Few hosts are asked for a file beside robots.txt.
        of_files = files if system in beside_robots else (files, hosts["answering"])
        title, = [row for row in rows if row == names.SYSTEMS[system] or row.startswith(f"{names.SYSTEMS[system]} (")]
        more = [statements[system]] if has_statements and "statements" in pages else []
        wanted[title] = cells(of_files, (pages["page_systems"].get(system, 0), pages["pages"]), *more)
    same("systems", rows, wanted)
    sentences = " ".join(printed.section("Systems of preferences")[1].split())
    if has_statements:
        for count, words in ((pages.get("unreadable", 0), "Lines and fields with a defect that no system reads without one: {:,}."), (unrecognised, "that no system reads: {:,} (")):
            assert not count or words.format(count) in sentences, (count, sentences)


def check_records(printed, records, report):
    heading, body = printed.section("What became of ")
    same("records", re.findall(r"[\d,]+", heading), [f"{records['archive_records']:,}"])
    archives = f"{records['inputs']} {'archive' if records['inputs'] == 1 else 'archives'} ({records['archive_bytes'] / 1e6:.1f} MB, {records['archive_records']:,} record"
    assert printed.text.startswith(f"Read {archives}"), printed.text.splitlines()[0]
    body = " ".join(body.split())
    listed = lambda counts: ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items(), key=lambda it: (-it[1], it[0])))
    captures, failures = records["captures_by_kind"], records["failures_by_kind"]
    damaged = f"damaged places: {sum(failures.values()):,}, {listed(failures)}" if failures else "nothing is damaged"
    bodies = f"{records['site_files']:,} {'body' if records['site_files'] == 1 else 'bodies'}, each once per archive"
    for phrase in (f"captures {sum(captures.values()):,} {listed(captures)}", f"no interest {records['no_interest']:,}", f"lost {records['records_lost']:,} {damaged}", bodies):
        assert phrase in body, f"{phrase} is not in: {body}"
    assert sum(captures.values()) + records["no_interest"] + records["records_lost"] == records["archive_records"], records


def main():
    binary, out = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    command, *options = sys.argv[3:]
    to = [str(out)] if command == "resolve" else ["-o", str(out)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        text = subprocess.run([binary, command, *to, *options, "--report", path], check=True, capture_output=True, text=True).stdout
        report = json.loads(path.read_text())
    counted = Counted(out)
    check_report(report, counted)
    if "pages" in counted.tables and counted.hosts:
        check_text(text, report, counted)
    print(f"{sum(it['hosts'] for it in counted.hosts.values()):,} hosts of {len(counted.hosts)} crawls: each figure of the summary is counted again")


if __name__ == "__main__":
    main()
