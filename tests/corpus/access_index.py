#!/usr/bin/env python3
"""Holds the rule of the KI-Zugangsindex (may 14 agents fetch `/`?) beside ours, over real robots.txt files.

    access_index.py BINARY ROBOTS.warc.gz OUT

Its rule is written here again from its description and its program (peppe1337/ki-zugangsindex 762a78c). Each difference gets a
cause: with that part of the rule as RFC 9309 has it, the answer is ours. Files that its rule judges and that are unknown to us
are counted as different in the second of the two shares. Exit status 1 if a difference has no cause, or if
docs/reproductions.md has other shares or tables than this prints. Needs DuckDB and FastWARC.
"""

import argparse
import collections
import functools
import pathlib
import re
import subprocess
import sys

import agreement
import duckdb
from near_miss import TWICE_ENCODED, path_of

AGENTS = (
    *("GPTBot", "OAI-SearchBot", "ChatGPT-User", "ClaudeBot", "Claude-User", "anthropic-ai", "PerplexityBot"),
    *("Perplexity-User", "Google-Extended", "Applebot-Extended", "CCBot", "Bytespider", "meta-externalagent", "Amazonbot"),
)
CAUSES = {
    "end": "`$` at the end of a path: the character before it is cut off, too, so that `Allow: /$` never matches",
    "merge": "of several groups for one token the first counts, of several for `*` the last",
    "lines": "lines that end with CR alone are one line",
    "names": "a version behind the token in a user-agent line is part of the name",
    "marks": "a byte order mark that was encoded twice is part of the first line (READ-23)",
    "remarks": "a path goes on behind a blank (to ACCT-9 that may be a remark)",
    "lists": "names in a list, or in a whole User-Agent text, are one name (to ACCT-5 they are named for the noes of the group)",
}


def is_judged(text: str) -> bool:
    start = text.lower().lstrip()
    return bool(start) and not start.startswith(("<!doctype", "<html")) and "user-agent:" in start


# The groups of the file at hand, and what its paths match: fourteen agents ask for the same.
@functools.lru_cache(maxsize=8)
def groups(text: str, ours: frozenset[str]) -> list[tuple[set[str], list[tuple[bool, str]]]]:
    """Returns the groups of a file: names in lower case, and rules as (is it an allow, path)."""
    found: list[tuple[set[str], list[tuple[bool, str]]]] = []
    if "marks" in ours:
        text = text.removeprefix(TWICE_ENCODED.decode())
    for line in re.split(r"\r\n|\r|\n" if "lines" in ours else r"\r?\n", text):
        field, colon, value = line.split("#")[0].strip().partition(":")
        field, value = field.strip().lower(), value.strip()
        if not colon:
            continue
        if field == "user-agent":
            if not found or found[-1][1]:
                found.append((set(), []))
            names = re.split(r"[\s,;()@+]+", value) if "lists" in ours else [value]
            found[-1][0].update((name.split("/")[0].rstrip() if ours & {"names", "lists"} else name).lower() for name in names)
        elif field in ("allow", "disallow") and found:
            path = path_of(value) if "remarks" in ours and " " in value else value
            found[-1][1].append((field == "allow", path))
    return found


@functools.cache
def matches(path: str, ours: frozenset[str]) -> bool:
    """Returns whether a rule's path matches `/`."""
    # Most paths go on behind the slash: compiling them takes longer than all else.
    if not path or "$" not in path and re.match(r"/\w", path):
        return False
    text = re.sub(r"[.+?^{}()|\[\]\\]", r"\\\g<0>", path).replace("*", ".*")
    if "end" in ours:
        text = text[:-1] + "$" if text.endswith("$") else text
    elif path.endswith("$"):
        text = text[:-2] + "$"
    try:
        return re.match("^" + text, "/") is not None
    except re.error:
        return False


def is_open(text: str, agent: str, ours: frozenset[str]) -> bool:
    of_file = groups(text, ours)
    own = [rules for names, rules in of_file if agent.lower() in names]
    star = [rules for names, rules in of_file if "*" in names]
    if "merge" not in ours:
        own, star = own[:1], star[-1:]
    rules = [rule for group in own or star for rule in group]
    return max(((len(path), is_allow) for is_allow, path in rules if matches(path, ours)), default=(0, True))[1]


def cause(text: str, agent: str, answer: bool) -> str | None:
    return next((name for name in CAUSES if is_open(text, agent, frozenset({name})) == answer), None)


Answers = dict[int, tuple[set[str], set[str]]]


def our_answers(binary: str, files: dict[int, bytes], out: pathlib.Path) -> tuple[Answers, collections.Counter]:
    """Returns for each file the agents that may not fetch `/`, and those to which it closes everything; and how many files have
    no answer, by the state of robots.txt."""
    agreement.write(out / "files.warc.gz", files, {number: [b"/"] for number in files})
    tables = out / "tables"
    subprocess.run([binary, "run", "-q", "--tables", "pages,sites", out / "files.warc.gz", "-o", tables], check=True)
    rows = duckdb.execute(
        f"""SELECT url_host_name, sites.robots_state, disallowed_agents, agents_closed
            FROM '{tables}/pages/*/*.parquet' JOIN '{tables}/sites/*/*.parquet' AS sites USING (url_host_name)
            LEFT JOIN '{tables}/agent_sets/*/*.parquet' USING (agent_set)"""
    ).fetchall()
    assert len(rows) == len(files), (len(rows), len(files))
    answers, unknown = {}, collections.Counter()
    for host, state, closed, everything in rows:
        if closed is None or everything is None:
            unknown[state] += 1
        else:
            answers[int(host[1:].split(".")[0])] = (set(closed), set(everything))
    return answers, unknown


def shares(files: int, different: int, unknown: collections.Counter) -> str:
    """Returns what docs/reproductions.md says of the equal answers: of the pairs where both answer, and of all that its rule judges."""
    assert unknown.keys() <= {"parsed", "unreadable"}, unknown
    both, left_out = files * len(AGENTS), unknown.total()
    every = both + left_out * len(AGENTS)
    return (
        f"Of the {both:,} pairs to which both give an answer, {100 * (both - different) / both:.2f} % are equal. "
        f"{left_out} more files, with {left_out * len(AGENTS):,} pairs, are judged by its rule and unknown to us: "
        f"{unknown['parsed']} have a line that was meant as a rule and cannot be read, which may close `/` to an agent (ACCT-4), and "
        f"{unknown['unreadable']} cannot be read as a whole. "
        f"With these counted as different, {100 * (both - different) / every:.2f} % of {every:,} pairs are equal."
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("archive")
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    bodies = dict(agreement.bodies(options.archive, 1))
    texts = {number: body[:200_000].decode("utf-8-sig", "replace") for number, body in bodies.items()}
    judged = {number: bodies[number] for number, text in texts.items() if is_judged(text)}
    answers, unknown = our_answers(options.binary, judged, options.out)
    pairs: collections.Counter = collections.Counter()
    files: dict[str, set[int]] = collections.defaultdict(set)
    closed: collections.Counter = collections.Counter()
    unexplained = 0
    judged = {number: body for number, body in judged.items() if number in answers}
    for number in judged:
        for agent in AGENTS:
            theirs, ours = is_open(texts[number], agent, frozenset()), agent not in answers[number][0]
            closed[agent, "theirs"] += not theirs
            closed[agent, "ours"] += not ours
            closed[agent, "everything"] += agent in answers[number][1]
            if theirs == ours:
                continue
            name = cause(texts[number], agent, ours)
            unexplained += name is None
            if name is None:
                print("unexplained", number, agent, "ours", ours)
            pairs[name or "", "it closes" if ours else "we close"] += 1
            files[name or ""].add(number)
    total, different = len(judged) * len(AGENTS), sum(pairs.values())
    lines = ["| cause | files | it closes `/`, we do not | we close `/`, it does not |", "|---|---|---|---|"]
    for name, text in CAUSES.items():
        lines.append(f"| {text} | {len(files[name])} | {pairs[name, 'it closes']:,} | {pairs[name, 'we close']:,} |")
    lines += [
        f"| all that differ, of {total:,} pairs of {len(judged):,} files | {len(set().union(*files.values()))} | "
        f"{sum(n for (_, side), n in pairs.items() if side == 'it closes'):,} | "
        f"{sum(n for (_, side), n in pairs.items() if side == 'we close'):,} |",
        "",
        "| agent | `/` closed by its rule | `/` closed by ours | everything closed (`agents_closed`) |",
        "|---|---|---|---|",
    ]
    for agent in ("GPTBot", "ClaudeBot", "CCBot"):
        lines.append("| " + " | ".join([agent, *(f"{closed[agent, side]:,}" for side in ("theirs", "ours", "everything"))]) + " |")
    text = (
        f"about {len(AGENTS)} agents and each of the {len(judged) + unknown.total():,} files, of {len(bodies):,} real ones, that it judges",
        shares(len(judged), different, unknown),
    )
    print("\n".join((*text, *lines)))
    page = (pathlib.Path(__file__).parents[2] / "docs" / "reproductions.md").read_text()
    missing = [it for it in text if it not in " ".join(page.split())]
    missing += [table for table in "\n".join(lines).split("\n\n") if table not in page]
    for it in missing:
        print(f"docs/reproductions.md does not have:\n{it}", file=sys.stderr)
    return 1 if unexplained or missing else 0


if __name__ == "__main__":
    sys.exit(main())
