#!/usr/bin/env python3
"""Compares agents.tsv with public lists of crawlers: agents.py LIST...

A LIST is robots.json of ai-robots-txt/ai.robots.txt (keys are tokens), crawler-user-agents.json of
monperrus/crawler-user-agents (patterns, with the user agents that they match), or text with a token on each line.
Prints of each list the tokens without a row here, with the month in which the list took them where it says so, and the
rows whose `since` is later than that month. Then the rows that no list names: those need a source of their own.
Tokens are compared as in robots.txt: up to the first blank or slash, without case. A pattern is the token that it begins
with, if it is plain text.
"""
import json
import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).with_name("agents.tsv")


def compared(token):
    """Returns what is compared of a token."""
    return re.split(r"[\s/]", token.strip())[0].lower()


def rows():
    """Returns the rows of the table by what is compared of their tokens."""
    lines = [line for line in TABLE.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    names = lines[0].split("\t")
    table = [dict(zip(names, line.split("\t"))) for line in lines[1:]]
    return {compared(row["token"]): row for row in table}


def plain(pattern):
    """Returns the text of a pattern of crawler-user-agents; None where it is more than text."""
    text = re.sub(r"\\([./ +-])", r"\1", pattern).lstrip("^").rstrip("$").rstrip("/ ")
    return None if not text or re.search(r"[\\\[\](){}|*?]", text) else text


def tokens(path):
    """Returns the tokens of a list, each with the month in which it was listed, or an empty text."""
    text = pathlib.Path(path).read_text("utf-8")
    if text.lstrip().startswith("{"):
        return {name: "" for name in json.loads(text)}
    if text.lstrip().startswith("["):
        entries = ((plain(entry["pattern"]), entry.get("addition_date", "")) for entry in json.loads(text))
        return {name: date[:7].replace("/", "-") for name, date in entries if name}
    lines = (line.strip() for line in text.splitlines())
    return {line: "" for line in lines if line and not line.startswith("#")}


def show(title, found):
    print(f"{title}: {len(found)}")
    for line in sorted(found, key=str.lower):
        print(f"  {line}")


def main(paths):
    table, listed = rows(), set()
    for path in paths:
        given = tokens(path)
        missing, later = [], []
        for token, month in given.items():
            listed.add(compared(token))
            row = table.get(compared(token))
            if row is None:
                missing.append(f"{token}  {month}".rstrip())
            elif month and row.get("since", "") > month:
                later.append(f"{row['token']}: since {row['since']}, listed {month}")
        show(f"{path}: tokens without a row", missing)
        show(f"{path}: rows with a later since", later)
    show("rows that no list names", [row["token"] for name, row in table.items() if name not in listed])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
