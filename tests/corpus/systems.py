#!/usr/bin/env python3
"""Counts again, from the archives of a segment, who uses which system of preferences, and by which sources pages have their labels.

    systems.py SEGMENT OUT [duckdb|spark]

OUT is the folder of `crawlprefs run SEGMENT` with the ranks of questions.py. The counts use FastWARC and the plain readings of recount.py and
files_and_pages.py, and none of the tables. Not counted again: the system `prose`, which is a list of phrases (prose.py). Ends with status 1
where one differs.
"""
import collections
import csv
import json
import pathlib
import sys

from files_and_pages import metas_of, rules_in, rules_of_field
from recount import LABELS_OF_03, SITE_FILES, Checker, Reference, dictionary, matches, robots_of, sites_of, websites

LABELS = ("search", "train_ai", "train_genai", "ai_input", "tdm")
AIPREF = {"search": ("search", "bots"), "train_ai": ("train-ai", "bots"), "train_genai": ("train-genai", "train-ai", "bots"), "tdm": ("bots",)}
"""The label of vocabulary 03 that answers for each of ours, then what it falls back to."""
OTHER_REVISIONS = {
    "search": (("search", "ai-output", "all"), ("search", "tdm")),
    "train_ai": (("train-ai", "all"), ("ai", "tdm")),
    "train_genai": (("train-genai", "train-ai", "all"), ("genai", "ai", "tdm")),
    "ai_input": (("ai-output", "all"), ("ai-use", "all"), ("inference", "tdm")),
    "tdm": (("all",), ("tdm",)),
}
"""The same for other revisions of the vocabulary, whose noes count where 03 has no such label (KNOW-9)."""
SUP = {"search": ("search", "tdm"), "train_ai": ("ai", "tdm"), "ai_input": ("ai", "tdm"), "train_genai": ("genai", "ai", "tdm"), "tdm": ("tdm",)}
SIGNALS = {"search": "search", "train_ai": "ai-train", "train_genai": "ai-train", "ai_input": "ai-input"}
TRAINING = ("train_ai", "train_genai")
BOUND = ("*", "ccbot")
TOPS = (1000, 10000, 100000, 1000000)


def looked_up(said, names):
    """The answer of the most specific label that is stated."""
    return next((said[name] for name in names if name in said), None)


def aipref(statement):
    """What a Content-Usage says as AIPREF reads it: our label, and whether it is a yes."""
    members = {key: value == "y" for key, value in (dictionary([statement]) or {}).items() if value in ("y", "n")}
    for label, names in AIPREF.items():
        if (yes := looked_up(members, names)) is not None:
            yield label, yes


def aipref_any(statements):
    """The labels that a statement refuses under another revision than 03, or a field line that a later one takes back (READ-22)."""
    for statement in {", ".join(statements), *statements}:
        members = {key: value for key, value in (dictionary([statement]) or {}).items() if value in ("y", "n")}
        for label, chains in OTHER_REVISIONS.items():
            said = [next(((name, members[name]) for name in names if name in members), ("", "y")) for names in chains]
            if any(answer == "n" and name not in LABELS_OF_03 for name, answer in said):
                yield label
        if len(statements) > 1:
            yield from (label for label, yes in aipref(statement) if not yes and statement in statements)


def sup(expressions):
    """What SUP reads in the Usage lines and the Content-Usage field of a page together: of a label the no, and who said it."""
    said = {}
    for source, text in expressions:
        for piece in text.split(","):
            label, equals, value = piece.partition("=")
            label, value = label.strip(" \t"), value.strip(" \t")
            if equals and value in ("y", "n"):
                said.setdefault(label, {}).setdefault(value, set()).add(source)
    for label, names in SUP.items():
        if (found := looked_up(said, names)) is not None:
            yield from ((label, source, "n" not in found) for source in found.get("n", found.get("y")))


def of_robots(robots, path):
    """What the lines on paths say of a page that its robots.txt opens."""
    rules = list(robots.lines_for("CCBot", path, "allow", "disallow"))
    if max(((length, name == "allow") for name, length, _ in rules), default=(0, True))[1] is False:
        return
    usage = [(length, statement) for _, length, statement in robots.lines_for("CCBot", path, "content-usage")]
    for length, statement in usage:
        if length == max(usage)[0]:
            yield from ((label, "aipref robots", yes) for label, yes in aipref(statement))
            yield from ((label, "aipref any", False) for label in aipref_any([statement]))
    signals = collections.defaultdict(set)
    for *_, statement in robots.lines_for("CCBot", path, "content-signal"):
        for member in statement.lower().split(","):
            key, _, value = member.partition("=")
            signals[key.strip()].add(value.strip())
    for label, key in SIGNALS.items():
        if signals[key] & {"yes", "no"}:
            yield label, "content_signal robots", "no" not in signals[key]
    training = [(length, name == "disallowaitraining") for name, length, _ in robots.lines_for("CCBot", path, "disallowaitraining", "allowaitraining")]
    if training:
        yield from ((label, "ai_training robots", not max(training)[1]) for label in TRAINING)


def of_tags(page):
    """Robots tags of fields and metas, which are noes."""
    fields = rules_in(page.field("x-robots-tag"), BOUND) | rules_of_field(page.field("robots-tag"), BOUND)
    for carrier, rules in (("header", fields), ("meta", rules_in(metas_of(page)["robots"] + metas_of(page)["ccbot"]))):
        if rules & {"noindex", "none"}:
            yield "search", f"robots_tag {carrier}", False
        if rules & {"noai", "noml", "notrain"}:
            yield from ((label, f"robots_tag {carrier}", False) for label in TRAINING)


def of_tdmrep(reference, page):
    """The reservation that counts, of a meta before a field before the file."""
    found = ("0", "")
    files = [file for file in reference.files if file.origin == page.origin and SITE_FILES[file.parts.path] == "tdmrep" and file.time <= page.time]
    newest = max(files, key=lambda file: file.time, default=None)
    if newest and newest.status == 200:
        for entry in json.loads(newest.body):
            if matches(entry["location"], path_of(page)):
                found = str(entry["tdm-reservation"]), "tdmrep"
                break
    for carrier, values in (("header", page.field("tdm-reservation")), ("meta", metas_of(page)["tdm-reservation"])):
        values = {value.strip() for value in values}
        if len(values) == 1 and values <= {"0", "1"}:
            found = values.pop(), carrier
    if found[0] == "1":
        yield from ((label, f"tdmrep {found[1]}", False) for label in ("tdm", *TRAINING))


def path_of(page):
    """The path and the query, an empty one too."""
    return "/" + page.url.split("/", 3)[3].partition("#")[0] if page.url.count("/") > 2 else "/"


def answers_for(reference, page, expected):
    """What each source says of each label: a no or a yes."""
    fields = ", ".join(page.field("content-usage"))
    expressions = [("aipref header", fields)]
    if expected["robots_state"] == "parsed":
        robots = reference.robots_at(page.origin, expected["robots_time"])
        yield from of_robots(robots, path_of(page))
        expressions += [("sup robots", statement) for *_, statement in robots.lines_for("CCBot", "/", "usage")]
    elif "twin" in expected:  # its noes
        yield from (one for one in of_robots(expected["twin"], path_of(page)) if not one[2])
    yield from ((label, "aipref header", yes) for label, yes in aipref(fields))
    yield from ((label, "aipref any", False) for label in aipref_any(page.field("content-usage")))
    yield from sup(expressions)
    yield from of_tags(page)
    yield from of_tdmrep(reference, page)


def labels_of(reference):
    """The value and the deciding sources of each label of each page."""
    pages = {page.id: page for page in reference.pages}
    for expected in reference.expected:
        page, said = pages[expected["record_id"]], collections.defaultdict(lambda: {True: set(), False: set()})
        for label, source, yes in answers_for(reference, page, expected):
            said[label][yes].add(source)
        for label in LABELS:
            noes, yeses = said[label][False], said[label][True]
            if noes:
                yield page, label, "disallow", noes
            elif yeses and label not in expected["doubts"]:
                yield page, label, "allow", yeses
            else:
                yield page, label, "unknown", set()


def check_labels(check, reference):
    """Every label of every page with its sources, then the rows of the two queries."""
    columns = ", ".join(f"{label}, {label}_from" for label in LABELS)
    found = {record: dict(zip(LABELS, zip(values[::2], values[1::2]))) for record, *values in check.values(f"SELECT warc_record_id, {columns} FROM pages")}
    pages, alone, hosts, together, of_value = (collections.Counter() for _ in range(5))
    hosts_seen = set()
    for page, label, value, sources in labels_of(reference):
        answer, by = found[page.id][label]
        check.same("filtering/deciding-systems", f"{label} of {page.url} {page.id}", (answer, set(by or ())), (value, sources))
        of_value[label, value] += 1
        together[label, value, ", ".join(sorted(sources))] += 1
        for source in sources:
            key = label, value, source
            pages[key] += 1
            alone[key] += len(sources) == 1
            hosts[key] += (key, page.host) not in hosts_seen
            hosts_seen.add((key, page.host))
    rows = check.ask("filtering/deciding-systems")
    answers = {(row["label"], row["value"], row["source"]): tuple(row[name] for name in ("pages", "alone", "hosts", "pages_of_value")) for row in rows}
    check.same("filtering/deciding-systems", "pages by source", answers, {key: (count, alone[key], hosts[key], of_value[key[:2]]) for key, count in pages.items()})
    answers = collections.Counter()
    for row in check.ask("filtering/labels"):
        answers[row["label"], row["value"], ", ".join(sorted(filter(None, row["decided_by"].split(", "))))] += row["pages"]
    check.same("filtering/labels", "pages by sources", dict(answers), dict(together))
    print(f"the sources of {sum(of_value.values()):,} labels of {len(found):,} pages, {len(pages)} rows by source")


LINES = {"content-usage": "aipref", "usage": "sup", "content-signal": "content_signal", "disallowaitraining": "ai_training", "allowaitraining": "ai_training"}
FILES = {"tdmrep": "tdmrep", "automation": "automation_preferences", "ai_txt": "ai_txt", "trust_txt": "trust_txt"}


def systems_of(reference):
    """The hosts that use each system: in site files, by all origins of a host, and on pages."""
    in_files, on_pages = collections.defaultdict(set), collections.defaultdict(set)
    for origin in reference.origins:
        state, robots = reference.site(origin)
        for name, value in robots_of(robots.body).lines if state == "parsed" else ():
            if name in LINES and value:
                in_files[LINES[name]].add(origin.rpartition("/")[2].partition(":")[0])
    for file in reference.newest.values():
        if file.parts.path in SITE_FILES and not file.parts.query and 200 <= file.status < 300:
            in_files[FILES[SITE_FILES[file.parts.path]]].add(file.host)
    for page in reference.pages:
        fields = {name for name, _ in page.fields}
        metas = {name for name, contents in metas_of(page).items() if contents}
        used = {
            "aipref": "content-usage" in fields,
            "tdmrep": "tdm-reservation" in fields | metas,
            "robots_tag": fields & {"x-robots-tag", "robots-tag"} | metas & {"robots", "ccbot", "googlebot"},
        }
        for system, is_used in used.items():
            on_pages[system] |= {page.host} if is_used else set()
    return in_files, on_pages


def check_systems(check, reference, ranks):
    """Who uses a system, host by host, then by top-level domain and by rank."""
    in_files, on_pages = systems_of(reference)
    names = in_files.keys() | on_pages.keys()
    found = collections.defaultdict(lambda: (set(), set()))
    for host, system, is_in_file, pages in check.values("SELECT url_host_name, system, in_site_file, pages FROM host_systems"):
        for hosts, is_used in zip(found[system], (is_in_file, pages > 0)):
            hosts |= {host} if is_used else set()
    for system in names | found.keys() - {"prose"}:
        for place, answer, wanted in zip(("site files", "pages"), found[system], (in_files[system], on_pages[system])):
            check.same("adoption/systems", f"{system} in {place}, not counted and not found", (answer - wanted, wanted - answer), (set(), set()))

    sites = sites_of(reference)
    paged = {page.host for page in reference.pages}
    ranked = [(ranks[website], host) for website, host in websites(sites).items()]
    groups = {"tld": collections.defaultdict(list), "rank": {f"top {top}": [host for place, host in ranked if place <= top] for top in TOPS}}
    for host in sites:
        groups["tld"][host.rpartition(".")[2]].append(host)
    for key, of_key in groups.items():
        wanted = {}
        for which, hosts in of_key.items():
            known = {host for host in hosts if sites[host].is_known()}
            for system in names:
                counts = len(set(hosts) & (in_files[system] | on_pages[system])), len(known & in_files[system]), len(set(hosts) & on_pages[system])
                if counts[0] and not which.isdigit():
                    wanted[which, system] = (*counts, len(known), len(paged & set(hosts)))
        columns = "hosts", "in_site_files", "on_pages", "hosts_answering", "hosts_with_pages"
        rows = {(row["which"], row["system"]): tuple(row[name] for name in columns) for row in check.ask("adoption/systems", key=key) if row["system"] != "prose"}
        check.same("adoption/systems", f"{key}, rows that are alone", rows.keys() ^ wanted.keys(), set())
        for row in rows.keys() & wanted.keys():
            check.same("adoption/systems", f"{key}, {row}", rows[row], wanted[row])
        print(f"{len(wanted)} rows of adoption/systems by {key}")


def main():
    segment, out, *engine = sys.argv[1:]
    segment, out = (pathlib.Path(path).resolve() for path in (segment, out))
    reference = Reference(segment)
    check = Checker(engine[0] if engine else "duckdb", out)
    check_labels(check, reference)
    check_systems(check, reference, {domain: int(place) for place, domain in csv.reader((out / "ranks.csv").open())})
    check.end()


main()
