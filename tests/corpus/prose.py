#!/usr/bin/env python3
"""Measures which reservations in comments of real robots.txt files are found by the phrases of `src/systems/prose`.

    prose.py BINARY ROBOTS.warc.gz OUT [--list]

A comment is a run of lines of comment of one file; blank lines do not end it. `prose.tsv` has the comments that a person read as a
reservation, by digest: operator, language, and the classes of two readings (4: Article 4 of Directive (EU) 2019/790, t: training of
AI, a: automated access in general, -: none). Any other comment reserves nothing. `prose_second.tsv` has the classes by another reader,
who had seen those of three comments: of every comment of `prose.tsv`, and of 170 that a seeded draw took from the others that have a stem. Operators
are drawn into two halves; phrases were taken from the first half, from translations and from laws, and precision and recall are those
of the second half. Exit status 1 if a table that this prints is not in docs/rules/prose.md, or if a comment of prose.tsv is not in the
archive. `--list` prints every comment that has one of many stems in eight languages and is not in prose.tsv, for another reading.
"""

import argparse
import base64
import collections
import csv
import hashlib
import pathlib
import re
import subprocess
import sys
import urllib.parse

import duckdb
from fastwarc.warc import ArchiveIterator, WarcRecordType

SEED = 20261123
HERE = pathlib.Path(__file__).parent
CLASSES = {"4": "article_4", "t": "ai_training", "a": "automated_access"}
LANGUAGES = {"en": "English", "de": "German", "fr": "French", "nl": "Dutch", "sv": "Swedish"}
STEMS = re.compile(
    r"reserv|right|prohibit|forbid|not allowed|permi[st]|consent|authori|scrap|mining|\bai\b|artificial|machine|train|\bllm|"
    r"language model|licen[cs]|copyright|terms|legal|automat|harvest|extract|data ?set|\btdm\b|intellectual|commerc|"
    r"vorbehalt|untersag|verboten|nutzung|urheber|genehmig|erlaub|\bki\b|interdi|droits|autoris|fouille|entra[iî]n|"
    r"reserva|derechos|prohib|miner[ií]a|entren|permiso|vietat|divieto|diritti|autorizz|estrazione|addestr|"
    r"verbod|toestemming|voorbeh|rechten|zabron|zastrze|praw|zgod|eksploracj|proib|direitos|minera|trein|förbj",
    re.I,
)


def comments(body: bytes) -> list[tuple[str, set[int]]]:
    """Returns the text of each comment of a file, and its line numbers."""
    if body[:512].lstrip()[:1] == b"<":
        return []
    found: list[tuple[list[str], set[int]]] = []
    is_open = False
    for number, line in enumerate(re.split(r"\r\n|\r|\n", body.decode("utf-8", "replace")), 1):
        at = line.find("#")
        if at >= 0:
            if not is_open:
                found.append(([], set()))
            found[-1][0].append(re.sub(r"^[#\s*/=-]+", "", line[at:]).strip())
            found[-1][1].add(number)
        is_open = at >= 0 or (is_open and not line.strip())
    return [(" ".join(filter(None, texts)), lines) for texts, lines in found if any(texts)]


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def half(operator: str) -> int:
    """Returns 0 for the half from which phrases were taken, 1 for the one on which they are measured."""
    return hashlib.sha256(f"{SEED} {operator}".encode()).digest()[0] % 2


def readings() -> dict[str, dict[str, str]]:
    with open(HERE / "prose.tsv", newline="") as lines:
        return {row["digest"]: row for row in csv.DictReader(lines, delimiter="\t")}


def found_lines(binary: str, archive: str, out: pathlib.Path) -> dict[str, list[tuple[int, str]]]:
    """Returns the lines with a phrase and their classes, by the digest of the body."""
    subprocess.run([binary, "run", "-q", archive, "-o", out], check=True)
    rows = duckdb.sql(
        f"SELECT DISTINCT body_digest, line, category FROM read_parquet('{out}/statements/**/*.parquet') WHERE system = 'prose'"
    )
    found = collections.defaultdict(list)
    for body, line, category in rows.fetchall():
        found[body].append((line, category))
    return found


def tables(read: dict[str, dict[str, str]], operators: dict[str, str], classes: dict[str, set[str]]) -> str:
    """Returns what docs/rules/prose.md has: by class, and by language, over the comments of the second half."""
    held = [digest for digest in read.keys() | classes.keys() if half(read.get(digest, {}).get("operator", operators[digest]))]
    lines = ["| class | unit | reserve | found | of these reserve | precision | recall |", "|---|---|---|---|---|---|---|"]
    says = lambda digest, mark: all(mark in read.get(digest, {}).get(reading, "") for reading in ("reading_1", "reading_2"))
    for mark, name in CLASSES.items():
        reserve = {digest for digest in held if says(digest, mark)}
        found = {digest for digest in held if name in classes.get(digest, ())}
        for unit in ("comment", "operator"):
            of = lambda digests: {digest if unit == "comment" else read.get(digest, {}).get("operator", operators[digest]) for digest in digests}
            right = len(of(reserve & found))
            rates = [f"{100 * right / len(of(whole)):.0f} %" if whole else "" for whole in (found, reserve)]
            lines.append(f"| `{name}` | {unit} | {len(of(reserve))} | {len(of(found))} | {right} | {' | '.join(rates)} |")
    lines += ["", "| language | comments that reserve | found, by any of their classes |", "|---|---|---|"]
    for language, name in LANGUAGES.items():
        of = {digest for digest in held if read.get(digest, {}).get("language") == language}
        found = {digest for digest in of if any(says(digest, mark) and CLASSES[mark] in classes.get(digest, ()) for mark in CLASSES)}
        operators = {read[digest]["operator"] for digest in of}
        state = "" if len(operators) >= 5 else ", `untested`"
        lines.append(f"| {name} | {len(of)} of {len(operators)} operators{state} | {len(found)} |")
    return "\n".join(lines)


def agreement(read: dict[str, dict[str, str]]) -> str:
    """Returns what docs/rules/prose.md has about the other reader: Cohen's kappa of each class, against the first reading."""
    with open(HERE / "prose_second.tsv", newline="") as rows:
        other = {row["digest"]: row["classes"] for row in csv.DictReader(rows, delimiter="\t")}
    lines = ["| class | first reader | other reader | both | comments read | Cohen's kappa |", "|---|---|---|---|---|---|"]
    for mark, name in CLASSES.items():
        ours = {digest for digest in other if mark in read.get(digest, {}).get("reading_1", "")}
        theirs = {digest for digest, classes in other.items() if mark in classes}
        share, our, their = 1 - len(ours ^ theirs) / len(other), len(ours) / len(other), len(theirs) / len(other)
        by_chance = our * their + (1 - our) * (1 - their)
        kappa = (share - by_chance) / (1 - by_chance)
        lines.append(f"| `{name}` | {len(ours)} | {len(theirs)} | {len(ours & theirs)} | {len(other)} | {kappa:.2f} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("archive")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    read, found = readings(), found_lines(options.binary, options.archive, options.out)
    texts: dict[str, str] = {}
    classes: dict[str, set[str]] = collections.defaultdict(set)
    operators: dict[str, str] = {}
    for record in ArchiveIterator(open(options.archive, "rb"), record_types=WarcRecordType.response):
        url = record.headers["WARC-Target-URI"]
        body = record.reader.read()
        of_body = found.get(base64.b32encode(hashlib.sha1(body).digest()).decode(), ())
        for text, lines in comments(body):
            digest = digest_of(text)
            texts[digest] = text
            operators[digest] = ".".join((urllib.parse.urlsplit(url).hostname or "").split(".")[-2:])
            classes[digest] |= {category for line, category in of_body if line in lines}
    classes = {digest: names for digest, names in classes.items() if names}
    if options.list:
        for digest, text in texts.items():
            if digest not in read and (digest in classes or STEMS.search(text)):
                print(digest, operators[digest], *sorted(classes.get(digest, ())), text[:600], sep="\t")
        return 0
    gone = read.keys() - texts.keys()
    same = [row["reading_1"] == row["reading_2"] for row in read.values()]
    table, kappas = tables(read, operators, classes), agreement(read)
    print(f"{len(texts)} comments, {len(read)} of them read as reservations; {sum(same)} of {len(same)} alike in both readings")
    print(table, kappas, sep="\n\n")
    for digest, names in sorted(classes.items(), key=lambda one: one[0] in read):
        wrong = names - {CLASSES[mark] for mark in read.get(digest, {}).get("reading_1", "") if mark in CLASSES}
        if wrong:
            print(f"half {half(read.get(digest, {}).get('operator', operators[digest]))}, not {', '.join(sorted(wrong))}: {texts[digest][:150]}")
    if gone:
        print("not in the archive:", *sorted(gone), file=sys.stderr)
    rules = (HERE / "../../docs/rules/prose.md").read_text()
    is_documented = table in rules and kappas in rules
    if not is_documented:
        print("docs/rules/prose.md has another table", file=sys.stderr)
    return 1 if gone or not is_documented else 0


if __name__ == "__main__":
    sys.exit(main())
