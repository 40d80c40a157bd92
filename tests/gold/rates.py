#!/usr/bin/env python3
"""Says how often the command is wrong about the gold set: noes that it loses, noes that it invents, doubts for nothing.

    rates.py BINARY CORPUS [--write | --quick]

Each item becomes a site of its own in an archive in a temporary folder: a robots.txt with a page that has a yes for all
labels in its header, a header set or a head beside a robots.txt with such a yes. So what an item says shows in the label:
allow means that nothing objects. All robots.txt files of the corpus are in the archive, those without a label, too, so
that every doubt of the command is counted, and none is overlooked because it is not in the sample.

Beside the command, the same files are read by protego, by Google's parser (jwm.robotstxt), by urllib and by a rule of thumb:
it says no where the file names a crawler of a fixed list. Header sets are read as img2dataset reads them.

Fails where a figure of the command is worse than in expected.tsv; `--write` makes that file and docs/rates.md anew. `--quick`
asks about the items of the set alone, so that a new doubt about another file is not seen. Needs DuckDB, FastWARC, protego and jwm.robotstxt.
"""

import argparse
import collections
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import typing
import urllib.robotparser
import uuid

import duckdb
import material
from jwm.robotstxt import googlebot
from protego import Protego

GOLD = pathlib.Path(__file__).resolve().parent
PAGE = material.HERE / "docs/rates.md"
EXPECTED = GOLD / "expected.tsv"
YES_FIELDS = b"Content-Usage: train-ai=y, search=y\r\nContent-Signal: search=yes, ai-input=yes, ai-train=yes\r\n"
YES_FILE = b"User-agent: *\nAllow: /\nContent-Usage: train-ai=y, search=y\nContent-Signal: search=yes, ai-input=yes, ai-train=yes\n"
PLAIN_FILE = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
PLAIN_PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
NAMED = re.compile(rb"(?im)^[ \t]*user-agent[ \t]*:[ \t]*(?:CCBot|GPTBot|ChatGPT-User|ClaudeBot|anthropic-ai|Claude-Web|Google-Extended|Bytespider|PerplexityBot|cohere-ai)\b")
NO_IMAGE = ("noai", "noimageai", "noindex", "noimageindex")
Z = 1.96


class Label(typing.NamedTuple):
    """What a reader finds in an item."""

    access: str
    train: str
    search: str
    line: str
    remark: str

    def of(self, question: str) -> str:
        return {"access": self.access, "train": self.train, "search": self.search}[question]


class Figure(typing.NamedTuple):
    """A weighted share with its interval, and the plain numbers behind it."""

    hits: int
    items: int
    share: float
    low: float
    high: float

    def __str__(self) -> str:
        if not self.items:
            return "–"
        return f"{100 * self.share:.2f} % ({100 * self.low:.2f}–{100 * self.high:.2f}), {self.hits} of {self.items:,}"


def figure(cases: list[tuple[bool, float]]) -> Figure:
    """Returns the weighted share of hits with Wilson's interval for as many cases as the weights are worth (Kish)."""
    total = sum(weight for _, weight in cases)
    if not total:
        return Figure(0, 0, 0.0, 0.0, 1.0)
    share = sum(weight for hit, weight in cases if hit) / total
    worth = total**2 / sum(weight**2 for _, weight in cases)
    middle = (share + Z**2 / (2 * worth)) / (1 + Z**2 / worth)
    half = Z / (1 + Z**2 / worth) * math.sqrt(share * (1 - share) / worth + Z**2 / (4 * worth**2))
    return Figure(sum(hit for hit, _ in cases), len(cases), share, max(0.0, middle - half), min(1.0, middle + half))


def table(name: str) -> list[list[str]]:
    """Returns the rows of a file of the gold set, without its head."""
    lines = (GOLD / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


def agreement() -> str:
    """Returns how often the two readers have the same label, and Cohen's kappa, for each question."""
    one, other = ({digest: Label(*rest) for digest, *rest in table(name)} for name in ("labels_a.tsv", "labels_b.tsv"))
    said = []
    for question, name in (("access", "access"), ("train", "training"), ("search", "search")):
        pairs = [(one[digest].of(question), other[digest].of(question)) for digest in one.keys() & other.keys()]
        pairs = [pair for pair in pairs if pair[0]]
        same = sum(mine == yours for mine, yours in pairs) / len(pairs)
        first, second = (collections.Counter(pair[place] for pair in pairs) for place in (0, 1))
        by_chance = sum(first[value] * second[value] for value in first) / len(pairs) ** 2
        agreed = sum(mine == yours for mine, yours in pairs)
        said.append(f"on {name} they agree for {agreed:,} of {len(pairs):,} (kappa {(same - by_chance) / (1 - by_chance):.2f})")
    return ", ".join(said)


def record(url: str, block: bytes) -> bytes:
    """Returns a response record."""
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-11-02T12:00:00Z\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def site(item: material.Item, host: str) -> bytes:
    """Returns the records of an item's site."""
    robots, page = f"https://{host}/robots.txt", f"https://{host}/"
    if item.kind == "robots":
        return record(robots, PLAIN_FILE + item.content) + record(page, PLAIN_PAGE + YES_FIELDS + b"\r\n<p>")
    if item.kind == "headers":
        fields = [line.strip(b"\r") for line in item.content.split(b"\n")[1:]]
        kept = [line for line in fields if not re.match(rb"(?i)(content-(encoding|length|type)|transfer-encoding):", line)]
        block = PLAIN_PAGE + b"".join(line + b"\r\n" for line in kept) + b"\r\n<p>"
    else:
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + item.content + b"</head><body><p>"
    return record(robots, PLAIN_FILE + YES_FILE) + record(page, block)


def hosts(items: list[material.Item]) -> list[str]:
    """Returns a host for each item: that of its file, unless an item before has it."""
    used: set[str] = set()
    found = []
    for number, item in enumerate(items):
        host = item.url.split("/")[2] if item.url else ""
        if not re.search(r"\.[a-z][a-z0-9-]*$", host) or host in used:
            host = f"s{number}.gold.example"
        used.add(host)
        found.append(host)
    return found


def answers(binary: str, items: list[material.Item], folder: pathlib.Path, *options: str) -> dict[str, dict[str, str]]:
    """Runs the command over the sites of the items, and returns its answers by digest."""
    names = hosts(items)
    folder.mkdir()
    with open(folder / "gold.warc", "wb") as archive:
        for item, host in zip(items, names):
            archive.write(site(item, host))
    subprocess.run([binary, "run", "-q", *options, folder / "gold.warc", "-o", folder / "out"], check=True)
    columns = "access, train_ai, search, case when len(unread) > 0 then 'unread' else 'read' end"
    pages = duckdb.sql(f"select url_host_name, {columns} from read_parquet('{folder}/out/pages/**/*.parquet') where url_path = '/'")
    by_host = {host: dict(zip(("access", "train", "search", "how"), said)) for host, *said in pages.fetchall()}
    return {item.digest: by_host[host] for item, host in zip(items, names) if host in by_host}


def others(item: material.Item) -> dict[str, dict[str, str]]:
    """Returns what other readers say about an item, by reader and question."""
    said: dict[str, dict[str, str]] = {}
    if item.kind == "robots":
        text = item.content.decode("utf-8", "replace")
        page = "https://h.example/"
        said["protego"] = {"access": "allow" if Protego.parse(text).can_fetch(page, "CCBot") else "disallow"}
        allowed = googlebot.RobotsMatcher().AllowedByRobots(item.content, [b"CCBot"], page.encode())
        said["Google's parser"] = {"access": "allow" if allowed else "disallow"}
        library = urllib.robotparser.RobotFileParser()
        library.parse(text.splitlines())
        said["urllib"] = {"access": "allow" if library.can_fetch("CCBot", page) else "disallow"}
        named = "disallow" if NAMED.search(item.content) else "allow"
        said["names a crawler"] = {"access": named, "train": named}
    if item.kind == "headers":
        values = [line.split(b":", 1)[1].decode("latin-1") for line in item.content.split(b"\n") if line.lower().startswith(b"x-robots-tag:")]
        closed = False
        for value in values:
            agent, colon, rules = value.rpartition(":")
            closed |= (not colon or agent.strip().lower() == "ccbot") and any(rule.strip().lower() in NO_IMAGE for rule in rules.split(","))
        said["img2dataset"] = {"train": "disallow" if closed else "allow"}
    return said


class Case(typing.NamedTuple):
    """An item with its label and weight, and what one reader says."""

    digest: str
    kind: str
    weight: float
    label: Label
    said: dict[str, str]


def in_prose(case: Case) -> bool:
    """Whether an item says its no to training in a sentence alone."""
    return case.label.train == "no" and case.label.remark.startswith("prose")


def rates(cases: list[Case], question: str, prose: bool = False) -> dict[str, Figure]:
    """Returns the rates of one reader for a question. Items that are unclear to their readers do not count."""
    clear = [case for case in cases if case.label.of(question) in ("no", "yes", "nothing") and question in case.said]
    if question == "train":
        clear = [case for case in clear if in_prose(case) == prose]
    noes = [case for case in clear if case.label.of(question) == "no"]
    shut = [case for case in clear if case.said[question] == "disallow"]
    return {
        "noes read": figure([(case.said[question] == "disallow", case.weight) for case in noes]),
        "noes kept": figure([(case.said[question] != "allow", case.weight) for case in noes]),
        "noes right": figure([(case.label.of(question) == "no", case.weight) for case in shut]),
        "silly doubts": figure([(case.label.of(question) != "no" and case.said[question] == "unknown", case.weight) for case in clear]),
    }


FAULTS = {
    ("no", "allow"): "lost no",
    ("no", "unknown"): "no in doubt",
    ("not no", "disallow"): "invented no",
    ("not no", "unknown"): "silly doubt",
}


def faults(cases: list[Case]) -> typing.Iterator[tuple[str, str, str, str]]:
    """Yields what the command has wrong: kind, digest, line and what is said."""
    for case in cases:
        for question, said in case.said.items():
            label = case.label.of(question)
            kind = FAULTS.get(("no" if label == "no" else "not no", said)) if label != "unclear" else None
            if question == "train" and in_prose(case):
                kind = kind and "no in a sentence"
            if kind:
                where = case.label.line or "-"
                yield f"{case.kind} {question}: {kind}", case.digest, where, case.label.remark or "-"


NAMES = ("noes read", "noes kept", "noes right", "silly doubts")
SETS = (("robots", "access"), ("robots", "train"), ("robots", "search"), ("headers", "train"), ("headers", "search"), ("head", "train"), ("head", "search"))


def census(doubtful: list[str], labels: dict[str, Label], question: str, files: int) -> Figure:
    """Returns the share of all files with a silly doubt: every doubt is looked up, and one without a label is silly."""
    silly = [digest for digest in doubtful if digest not in labels or labels[digest].of(question) in ("yes", "nothing")]
    return figure([(True, 1.0)] * len(silly) + [(False, 1.0)] * (files - len(silly)))


def of_read(doubtful: list[str], labels: dict[str, Label], question: str, files: int) -> Figure:
    """Returns the share of all files with a silly doubt about text that was read, and where its owner does not close the page anyway."""
    closed = {digest for digest, label in labels.items() if label.access == "no"}
    return census([digest for digest in doubtful if digest not in closed], labels, question, files)


def lines(readers: dict[str, list[Case]]) -> list[tuple[str, str, str, dict[str, Figure]]]:
    """Returns the rows of the table: set, question, reader, rates."""
    found = []
    for kind, question in SETS:
        for reader, cases in readers.items():
            of_kind = [case for case in cases if case.kind == kind]
            if any(question in case.said for case in of_kind):
                found.append((kind, question, reader, rates(of_kind, question)))
        if (kind, question) == ("robots", "train"):
            for reader, cases in readers.items():
                of_kind = [case for case in cases if case.kind == kind]
                if any(question in case.said for case in of_kind):
                    found.append((kind, "train, in sentences", reader, rates(of_kind, question, prose=True)))
    return found


def markdown(rows: list[tuple[str, str, str, dict[str, Figure]]], count: dict[str, int], of_text: dict[str, str]) -> str:
    """Returns docs/rates.md."""
    text = (GOLD / "page.md").read_text(encoding="utf-8")
    at_first = {name: float(value) for name, value in table("first.tsv")}
    body = ["| set | question | reader | noes read | noes kept | noes that are noes | silly doubts |", "|---|---|---|---|---|---|---|"]
    names = {"robots": "robots.txt", "headers": "header sets", "head": "heads"}
    questions = {"access": "may CCBot fetch `/`?", "train": "training", "search": "search", "train, let in": "training, of signals, for a crawler that no file names and that may fetch the page", "train, in sentences": "training, said in a sentence"}
    for kind, question, reader, found in rows:
        cells = " | ".join(str(found[name]) if reader == "crawlprefs" or name != "silly doubts" else "–" for name in NAMES)
        body.append(f"| {names[kind]} | {questions[question]} | {reader} | {cells} |")
        before = [at_first.get(f"{kind} / {question} / {name}") for name in NAMES]
        if reader == "crawlprefs" and any(value is not None and f"{value:.4f}" != f"{found[name].share:.4f}" for name, value in zip(NAMES, before)):
            cells = " | ".join("–" if value is None else f"{100 * value:.2f} %" for value in before)
            body.append(f"| {names[kind]} | {questions[question]} | crawlprefs, when the set was made | {cells} |")
    for key, value in {**{key: f"{value:,}" for key, value in count.items()}, **of_text}.items():
        text = text.replace("{" + key + "}", value)
    return text.replace("{agreement}", agreement()).replace("{table}", "\n".join(body))


def measured(rows: list[tuple[str, str, str, dict[str, Figure]]], count: dict[str, int]) -> dict[str, tuple[float, bool]]:
    """Returns the command's figures by name, and whether more is better."""
    figures = {
        f"{kind} / {question} / {name}": (value.share, not name.startswith("silly doubts"))
        for kind, question, reader, found in rows
        if reader == "crawlprefs"
        for name, value in found.items()
        if value.items
    }
    figures["doubts without a label"] = (count["unlabelled"], False)
    return figures


def compare(now: dict[str, tuple[float, bool]]) -> list[str]:
    """Returns what is worse than in expected.tsv."""
    before = {name: float(value) for name, value in table("expected.tsv")}
    worse = [f"{name} is new" for name in now.keys() - before.keys()] + [f"{name} is gone" for name in before.keys() - now.keys()]
    for name in now.keys() & before.keys():
        value, more = now[name]
        if (before[name] - value if more else value - before[name]) > 1e-6:
            worse.append(f"{name}: {value:.6f}, was {before[name]:.6f}")
    return sorted(worse)


def gathered(corpus: pathlib.Path) -> tuple[dict[str, material.Item], dict[str, tuple[str, str, float]]]:
    """Returns everything that the set is drawn of, and kind, stratum and weight of what is in it."""
    wanted = {digest: (kind, stratum, float(weight)) for digest, kind, stratum, weight, _ in table("items.tsv")}
    files = material.distinct(material.robots(corpus))
    pages = {digest: item for digest, item in material.distinct(material.pages(corpus)).items() if digest in wanted}
    missing = wanted.keys() - files.keys() - pages.keys()
    if missing:
        sys.exit(f"not found in {corpus} and here: {', '.join(sorted(missing))}")
    first = {digest: item for digest, item in {**files, **pages}.items() if digest in wanted}
    return {**first, **files}, wanted


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("binary")
    arguments.add_argument("corpus", type=pathlib.Path)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--quick", action="store_true")
    options = arguments.parse_args()
    items, wanted = gathered(options.corpus)
    labels = {digest: Label(*rest) for digest, *rest in table("labels.tsv")}
    if labels.keys() != wanted.keys():
        sys.exit(f"items.tsv and labels.tsv differ: {', '.join(sorted(labels.keys() ^ wanted.keys()))}")
    signals = [digest for digest, (kind, _, _) in wanted.items() if kind == "robots" and labels[digest].train in ("no", "yes") and not labels[digest].remark.startswith("prose")]
    with tempfile.TemporaryDirectory() as folder:
        asked = [item for digest, item in items.items() if digest in wanted or not options.quick]
        said = answers(options.binary, asked, pathlib.Path(folder) / "all")
        let_in = answers(options.binary, [items[digest] for digest in signals], pathlib.Path(folder) / "signals", "--agent", "AnybodyElse")
    lost = [digest for digest in wanted if digest not in said]
    if lost:
        sys.exit(f"no answer about {', '.join(lost)}")
    readers: dict[str, list[Case]] = {"crawlprefs": []}
    for digest, (kind, _, weight) in wanted.items():
        label = labels[digest]
        answer = {question: said[digest][question] for question in ("access", "train", "search") if label.of(question)}
        readers["crawlprefs"].append(Case(digest, kind, weight, label, answer))
        for reader, answer in others(items[digest]).items():
            readers.setdefault(reader, []).append(Case(digest, kind, weight, label, answer))
    files = [digest for digest, item in items.items() if item.kind == "robots"]
    doubtful = [digest for digest in files if "unknown" in said.get(digest, {}).values()]
    unlabelled = [digest for digest in doubtful if digest not in labels]
    count = {"files": len(files), "items": len(wanted), "doubts": len(doubtful), "unlabelled": len(unlabelled)}
    rows = lines(readers)
    open_to_others = [Case(digest, "robots", wanted[digest][2], labels[digest], let_in[digest]) for digest in signals if let_in[digest]["access"] == "allow"]
    place = next(place for place, row in enumerate(rows) if row[:2] == ("robots", "train, in sentences"))
    rows.insert(place, ("robots", "train, let in", "crawlprefs", rates(open_to_others, "train")))
    of_text: dict[str, str] = {}
    for kind, question, reader, found in rows:
        if (kind, reader) == ("robots", "crawlprefs") and question in ("access", "train", "search"):
            in_doubt = [digest for digest in doubtful if said[digest][question] == "unknown"]
            found["silly doubts"] = census(in_doubt, labels, question, len(files))
            read = [digest for digest in in_doubt if said[digest]["how"] == "read"]
            found["silly doubts, read"] = of_read(read, labels, question, len(files))
            of_text[f"silly_{question}"] = str(found["silly doubts, read"])
    for kind, digest, line, remark in sorted(faults(readers["crawlprefs"])):
        print(f"{kind}\t{digest}\t{line}\t{remark}")
    for digest in unlabelled:
        print(f"in doubt and without a label\t{digest}")
    for kind, question, reader, found in rows:
        print(f"{kind}, {question}, {reader}: " + "; ".join(f"{name} {value}" for name, value in found.items()))
    print(", ".join(f"{value} {name}" for name, value in count.items()))
    page = markdown(rows, count, of_text)
    now = measured(rows, count)
    if options.write:
        EXPECTED.write_text("figure\tvalue\n" + "".join(f"{name}\t{value:.6f}\n" for name, (value, _) in sorted(now.items())), encoding="utf-8")
        PAGE.write_text(page, encoding="utf-8")
        return
    worse = compare(now)
    if not worse and PAGE.read_text(encoding="utf-8") != page:
        worse = [f"{PAGE.name} has other figures; {pathlib.Path(__file__).name} --write makes it anew"]
    if worse:
        sys.exit("\n".join(worse))


if __name__ == "__main__":
    main()
