#!/usr/bin/env python3
"""Writes crawlprefs/_options.py from the manual pages, which are written from the command. Not in the wheel."""

import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
PAGES = HERE / "crawlprefs.data" / "data" / "share" / "man" / "man1"
# What concerns messages; `out` and the tables of `judge` are arguments.
OF_THE_COMMAND = {"color", "dry_run", "help", "json", "log_format", "mask", "out", "quiet", "verbose"}
STORE = ("no_sign_request", "retries", "timeout")
WEB = ("user_agent", "request_rate", "allow_private")
REMOTE = (*STORE, *WEB)
FILES_ONLY = ("diff", "drop_missing", "dropped", "format", "max_failed", "metrics", "metrics_label", "overwrite", "sample")
KINDS = {
    "N": "int",
    "N[@SEED]": "int | str",
    "BYTES": "int | str",
    "DURATION": "timedelta | int | str",
    "LIST": "str | Sequence[str]",
    **dict.fromkeys(("DIR", "FILE", "INDEX", "DIR|URL", "FILE|URL", "VERSION|FILE", "PRESET|FILE"), "Path"),
}
HEAD = '''"""The options of `scan`, `resolve`, `run`, `sites`, `judge` and `history`: those of the command, with underscores for hyphens.

`python/options.py` writes this file from the command's manual pages. Left out: what concerns the command's messages.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import timedelta
from typing import TypedDict

Path = str | os.PathLike[str]
'''


def options(command):
    """Returns the options of a command: for each name its type and what the page says of it."""
    page = (PAGES / f"crawlprefs-{command}.1").read_text(encoding="utf-8")
    page = page.replace(r"\*(Aq", "'").replace("\\-", "-").replace("\\\\", "\\")
    found = {}
    for entry in re.split(r"^\.(?:TP|SH [^\n]*)\n", page, flags=re.MULTILINE):
        head, _, text = entry.partition("\n")
        match = re.fullmatch(r"(?:\\fB-\w\\fR, )?\\fB--([\w-]+)\\fR(?: \\fI<(.*)>\\fR)?(?: \[default: (.*)\])?", head)
        name = match and match[1].replace("-", "_")
        if name and name not in OF_THE_COMMAND:
            found[name] = (kind(match[2], text), sentences(text, match[3]))
    return found


def kind(value, text):
    if value is None:
        return "bool"
    one = KINDS.get(value, "str")
    return f"{one} | Sequence[{one}]" if "can be given several times" in text else one


def sentences(text, default):
    """Returns what a page says, with Python's names for flags, and the default at the end."""
    text, *values = re.split(r"\n\.IP \\\(bu 2\n", re.sub(r"^\.(?:br|RS 14|RE)$", "", text, flags=re.MULTILINE))
    text = text.replace("\\fIPossible values:\\fR", "").replace("; can be given several times", "")
    found = re.search(r" ?\[default: (.*)\]", text, re.S)
    text, default = (text[: found.start()] + text[found.end() :], found[1]) if found else (text, default)
    text = " ".join(text.split()).rstrip(".").replace("the exit status is 3", "`InputsFailed` is raised")
    meanings = (value.strip().split(": ", 1) for value in values)
    parts = [text + (f"; default: {default}" if default else ""), *(f"`{value}`: {meaning}" for value, meaning in meanings)]
    whole = ". ".join(parts) + "."
    return re.sub(r"--([a-z][a-z-]*)", lambda flag: f"`{flag[1].replace('-', '_')}`", whole).replace("\\", "\\\\")


def shared(name, commands):
    """Returns an option of several commands: what they say of it, by command where they differ."""
    by_text = {}
    for command, known in commands.items():
        if name in known:
            by_text.setdefault(known[name][1], []).append(f"`{command}`")
    kinds = {known[name][0] for known in commands.values() if name in known}
    assert len(kinds) == 1, (name, kinds)
    texts = [", ".join(who) + ": " + text for text, who in by_text.items()] if len(by_text) > 1 else list(by_text)
    return kinds.pop(), " ".join(texts)


def declared(title, parents, about, members):
    lines = [f"class {title}({', '.join(parents)}, total=False):", f'    """{about}"""']
    for name, (type_of, text) in members.items():
        lines += ["" if len(lines) == 2 else None, f"    {name}: {type_of}", *wrapped(text)]
    return "\n\n" + "\n".join(line for line in lines if line is not None) + "\n"


def wrapped(text):
    """Returns a docstring in lines of at most 120 columns."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) > 110:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    first, *others = lines
    return [f'    """{first}"""'] if not others else [f'    """{first}', *(f"    {line}" for line in others), '    """']


def text():
    """Returns the module."""
    jobs = {command: options(command) for command in ("scan", "resolve", "run", "sites")}
    scan, resolve, run, sites = jobs.values()
    files = options("judge")
    del files["tables"]
    history = {name: it for name, it in options("history").items() if name not in (*REMOTE, "sites", "metrics", "metrics_label")}
    assert set(run) == {*scan, *(name for name in resolve if name in run)}, "`run` has the options of `scan` and of a view"

    def members(names):
        return {name: shared(name, jobs) for name in names if name not in REMOTE}

    common = [name for name in scan if name in sites]
    share = [name for name in scan if name in resolve and name not in sites]
    viewpoint = [name for name in sites if name in run and name not in scan]
    view = [name for name in resolve if name in run and name not in (*scan, *sites)]
    memory = {name: it for name, it in files.items() if name not in (*REMOTE, *FILES_ONLY)}
    return HEAD + "".join(
        [
            declared("StoreOptions", ["TypedDict"], "How stores are asked.", {name: scan[name] for name in STORE}),
            declared("RemoteOptions", ["StoreOptions"], "How stores and web servers are asked.", {name: scan[name] for name in WEB}),
            declared("CommonOptions", ["StoreOptions"], "The options of `scan`, `resolve`, `run` and `sites`.", members(common)),
            declared("ShareOptions", ["CommonOptions"], "What a call works on.", members(share)),
            declared("ScanOptions", ["ShareOptions", "RemoteOptions"], "The options of `scan`.", members(it for it in scan if it not in resolve)),
            declared("ViewpointOptions", ["TypedDict"], "For whom and in which words the verdict columns are.", members(viewpoint)),
            declared("ViewOptions", ["ViewpointOptions"], "How the verdict columns are made.", members(view)),
            declared("SitesOptions", ["ViewpointOptions", "CommonOptions", "RemoteOptions"], "The options of `sites`.", members(it for it in sites if it not in run)),
            declared("ResolveOptions", ["ViewOptions", "ShareOptions"], "The options of `resolve`.", members(it for it in resolve if it not in run)),
            declared("RunOptions", ["ViewOptions", "ScanOptions"], "The options of `run`.", {}),
            declared("JudgeOptions", ["RemoteOptions"], "How documents are judged.", memory),
            declared("HistoryOptions", ["RemoteOptions"], "The options of `history`.", history),
            declared("JudgeFilesOptions", ["JudgeOptions"], "The options of `judge`.", {name: files[name] for name in FILES_ONLY}),
        ]
    )


if __name__ == "__main__":
    (HERE / "crawlprefs" / "_options.py").write_text(text(), encoding="utf-8")
