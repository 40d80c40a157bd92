#!/usr/bin/env python3
"""Prints items of the gold set for a reader to label; decides nothing.

    show.py CORPUS KIND STRATUM [DIGEST ...]

Long files are cut: what is left out stands as a number of lines. The lines about CCBot and `*`, those with words about AI and
those of no usual kind are printed as long as there is room; a digest prints its item whole. Items that are equal but for their
sitemaps are printed once.
"""

import pathlib
import re
import sys

import material
import select_items

ROOM = 40
AGENT = re.compile(rb"(?i)^\W*user[-_ ]?agents?\b\s*[:=]?\s*(.*)")
RULE = re.compile(rb"(?i)^[^a-z]*(?:dis)?allow\s*[:=]")
WHOLE = re.compile(rb"(?i)^[^a-z]*(?:dis)?allow\s*[:=]?\s*/?\**\$?(?:[ \t]*#.*|[;,)].*)?\s*$")
FORBIDS = re.compile(rb"(?i)scrap|permi|prohib|consent|terms of|automat|forbid|verbot|interdit|authori[sz]|not allow|all (?:other )?(?:bots|robots|crawlers)")
TAG = re.compile(rb"(?is)<meta\b[^>]*>|<link\b[^>]*>|<!--.*?-->|<title>.{0,60}")


def worth(lines: list[bytes]) -> list[int]:
    """Returns how much each line matters: 3 and more is printed first."""
    found, bound, after_agent = [], False, False
    for line in lines:
        agent = AGENT.match(line)
        value = 0
        if agent:
            named = bool(re.search(rb"(?i)ccbot|common|^\W*\*", agent[1]))
            bound = named or (bound and after_agent)
            after_agent = True
            value = 3 if named else 1
        elif line.strip():
            after_agent = after_agent and not RULE.match(line)
            if bound and WHOLE.match(line) or select_items.ABOUT_AI.search(line) or not select_items.USUAL.match(line):
                value = 3
            elif line.lstrip().startswith(b"#"):
                value = 2 if FORBIDS.search(line) else 1
            else:
                value = 1 if bound else 0
        found.append(value)
    return found


def cut(content: bytes) -> list[str]:
    """Returns the lines of a file to print."""
    lines = re.split(rb"\r\n|\n|\r", content)
    values = worth(lines)
    least = next((least for least in (0, 1, 2, 3) if sum(value >= least for value in values) <= ROOM), 3)
    printed, hidden = [], 0
    for number, (line, value) in enumerate(zip(lines, values), 1):
        if value < least or len(printed) > 2 * ROOM:
            hidden += 1
            continue
        if hidden:
            printed.append(f"   .. {hidden} lines")
            hidden = 0
        printed.append(f"{number} {line[:240].decode('utf-8', 'backslashreplace')}")
    return printed + ([f"   .. {hidden} lines"] if hidden else [])


def tags(content: bytes) -> list[str]:
    """Returns the tags of a head that may matter."""
    kept = [tag[0] for tag in TAG.finditer(content) if select_items.ABOUT_AI.search(tag[0]) or select_items.WORDS.search(tag[0]) or tag[0][:6].lower() == b"<title"]
    return [re.sub(rb"\s+", b" ", tag)[:240].decode("utf-8", "backslashreplace") for tag in kept[:ROOM]]


def main() -> None:
    corpus, kind, stratum, *digests = pathlib.Path(sys.argv[1]), *sys.argv[2:]
    rows = [line.split("\t") for line in pathlib.Path(__file__).with_name("items.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    drawn = {row[0] for row in rows if row[1:3] == [kind, stratum]}
    source = material.robots(corpus) if kind == "robots" else material.pages(corpus)
    seen: dict[bytes, str] = {}
    for digest, item in sorted(material.distinct(source).items()):
        if digest not in drawn or digests and not any(digest.startswith(start) for start in digests):
            continue
        if digests:
            print(f"=== {digest} {item.place}\n{item.content.decode('utf-8', 'backslashreplace')}")
            continue
        same = seen.setdefault(re.sub(rb"(?im)^sitemap:.*$", b"", item.content), digest)
        if same != digest:
            print(f"=== {digest} equals {same}")
            continue
        text = tags(item.content) if kind == "head" and len(item.content) > 700 else cut(item.content)
        print("\n".join([f"=== {digest} {item.place} {len(item.content)} bytes", *text]))


if __name__ == "__main__":
    main()
