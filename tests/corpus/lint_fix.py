#!/usr/bin/env python3
"""Holds that `lint --fix` changes no verdict but for the fault that it names: lint_fix.py BINARY ROBOTS.warc.gz [--step N] [--all]

Every Nth distinct robots.txt is fixed. Of each file that is written anew, `explain` is asked before and after about the paths of its rules
and `/`: for every agent of the agents table whether it may fetch them, and for agents that the file names the labels, too. A
difference must have a cause: a finding of a code that `--fix` mends and that changes what is read. `--all` asks about all files, five
times as many paths of each, and the labels for every agent that it names. Ends with status 1 where a difference has no cause.
"""
import argparse
import base64
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import lint_shares

AGENTS = pathlib.Path(__file__).resolve().parents[2] / "data/agents.tsv"
FILES_AT_ONCE = 100
PATHS, NAMED = 12, 3
BYTES_OF_FILE = 3_000_000
"""Of the bodies in all questions about a file: a long one is asked about fewer paths."""
RULE = re.compile(rb"^[^:#]*allow[^:#]*[:\s]\s*([^#\r\n]*)", re.I | re.M)
# What each fix changes beside the bytes: a code without a line here changes no verdict.
CAUSES = {"key_case": "labels"}


def fixed(binary, folder, files):
    """The files that `--fix` writes anew, as (before, after, codes of the findings)."""
    for first in range(0, len(files), FILES_AT_ONCE):
        chosen = files[first : first + FILES_AT_ONCE]
        names = [f"{number}.txt" for number in range(len(chosen))]
        for name, body in zip(names, chosen):
            (folder / name).write_bytes(body)
        call = [binary, "lint", "--as", "robots", *names]
        before = subprocess.run([*call, "--format", "json"], cwd=folder, capture_output=True, check=False)
        ran = subprocess.run([*call, "--fix"], cwd=folder, capture_output=True, check=False)
        assert ran.returncode in (0, 1) and before.returncode in (0, 1), (ran.stderr, before.stderr)
        for linted, body in zip(json.loads(before.stdout)["files"], chosen, strict=True):
            after = (folder / linted["file"]).read_bytes()
            if after != body:
                yield body, after, {it["code"] for it in linted["findings"]}


def paths(body, most):
    """The paths that rules of a file name, with a letter for each star, and `/`."""
    named = [path.strip().split() for path in RULE.findall(body)]
    texts = [path[0].decode("utf-8", "replace").replace("*", "x").rstrip("$") for path in named if path]
    texts = list(dict.fromkeys("/" + text.lstrip("/") for text in texts if "://" not in text))
    most = max(3, min(most, BYTES_OF_FILE // (len(body) + 1)))
    return ["/", *texts[:: max(1, len(texts) // most)][:most]]


def scenarios(number, bodies, agents, asked):
    """The questions about a file before and after, each with what it is about."""
    before = bodies[0]
    named = [agent for agent in agents if agent.lower().encode() in before.lower()]
    chosen = named if asked.all else named[:NAMED]
    for path in paths(before, 5 * PATHS if asked.all else PATHS):
        for token in ["CCBot", "NobodyNamesIt", *(chosen if path == "/" else [])]:
            for when, body in enumerate(bodies):
                yield {
                    "id": [number, path, token, when],
                    "url": f"https://a.example{path}",
                    "product_token": token,
                    "robots_txt_base64": base64.b64encode(body).decode(),
                }


def answers(binary, lines):
    text = "\n".join(json.dumps(line) for line in lines)
    ran = subprocess.run([binary, "explain", "--json"], input=text.encode(), capture_output=True, check=False)
    for line in ran.stdout.splitlines():
        answer = json.loads(line)
        if "error" not in answer:
            yield answer


def decided(answer):
    """What may not change, as the access of all agents and the labels of one."""
    access = [answer[key] for key in ("access", "access_line", "robots_state", "disallowed_agents", "disallowed_agents_at_least")]
    return {"access": access, "labels": [answer[key] for key in ("labels", "unread", "doubt", "columns")]}


def differences(binary, numbered, agents, asked):
    """What differs, as (number of the file, path, agent, what), and how many questions were asked."""
    lines = [line for number, bodies in numbered for line in scenarios(number, bodies, agents, asked)]
    known, found, count = {}, [], 0
    for answer in answers(binary, lines):
        number, path, token, when = answer["id"]
        if when == 0:
            known = decided(answer)
            continue
        count += 1
        after = decided(answer)
        found += [(number, path, token, what, known[what], after[what]) for what in after if known[what] != after[what]]
    return found, count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("archive")
    parser.add_argument("--step", type=int, default=8)
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    binary = asked.binary.resolve()
    rows = [row for row in AGENTS.read_text(encoding="utf-8").splitlines() if not row.startswith("#")]
    agents = [row.split("\t")[0] for row in rows[1:]]
    files = lint_shares.bodies(asked.archive)[:: 1 if asked.all else asked.step]
    with tempfile.TemporaryDirectory() as folder:
        changed = list(fixed(binary, pathlib.Path(folder), files))
    numbered = [(number, (before, after)) for number, (before, after, _) in enumerate(changed)]
    parts = [numbered[first : first + 4] for first in range(0, len(numbered), 4)]
    found, count = [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for differing, asked_of in pool.map(lambda part: differences(binary, part, agents, asked), parts):
            found += differing
            count += asked_of
    assert changed and count >= len(changed), (len(changed), count)
    causes, without = collections.Counter(), []
    for number, path, token, what, before, after in found:
        causing = [code for code in changed[number][2] if CAUSES.get(code) == what]
        causes.update(causing)
        if not causing:
            without.append((number, path, token, what, before, after))
    print(f"{len(files):,} files, {len(changed):,} written anew, {count:,} questions, {len(found):,} differences: {dict(causes)}")
    for number, path, token, what, before, after in without[:20]:
        print(f"{changed[number][2]} {path} for {token}, {what}:\n  {before}\n  {after}\n  {changed[number][0][:200]!r}")
    if without:
        sys.exit(f"{len(without)} differences without a cause, of {len({it[0] for it in without})} files")


if __name__ == "__main__":
    main()
