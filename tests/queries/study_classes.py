#!/usr/bin/env python3
"""Holds queries/comparison/study_classes.py against the published rules of both studies."""
import importlib.util
import pathlib
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "queries" / "comparison" / "study_classes.py"
DPI = [
    ("User-agent: a\nDisallow: /\n", "a", "full"),
    ("User-agent: a\nDisallow: /*\n", "a", "partial"),
    ("User-agent: a\nDisallow: /\nAllow: /x\n", "a", "partial"),
    ("User-agent: a\nDisallow: /\nAllow: /x?y\n", "a", "full"),
    ("User-agent: a\nDisallow: /?x\n", "a", "none"),
    ("User-agent: a\nDisallow: /b\nAllow: /b\n", "a", "none"),
    ("User-agent: a\nDisallow:\n", "a", "none"),
    ("User-agent: a\nUser-agent: b\nDisallow: /\n", "a", "full"),
    ("User-agent: a\nSitemap: /s\nDisallow: /\n", "a", "none"),
    ("User-agent: a\nSitemap: /s\nUser-agent: b\nDisallow: /\n", "a", "none"),
    ("User-agent: *\nDisallow: /\n", "z", "full"),
    ("User-agent: A/1.0\nDisallow: /\n", "a", "none"),
    ("User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /\n", "a", "none"),
]
IMC = [
    ("User-agent: a\nDisallow: /\n", "a", "full"),
    ("User-agent: a\nDisallow: /\n", "*", "none"),
    ("User-agent: *\nDisallow: /\n", "a", "full"),
    ("User-agent: a\nDisallow: /x\n", "a", "partial"),
    ("User-agent: a\nDisallow: /\nAllow: /x\n", "a", "partial"),
    ("User-agent: a\nDisallow: /\nAllow: /$\n", "a", "partial"),
    ("User-agent: AI2Bot\nDisallow: /\n", "ai2bot", "none"),
    ("User-agent: AI2Bot\nDisallow: /\n", "ai", "full"),
    ("User-agent: a\nDisallowAITraining: /\n", "a", "full"),
    ("User-agent a\nDisallow /\n", "a", "full"),
    ("User-agent: a\nSitemap: /s\nUser-agent: b\nDisallow: /\n", "a", "full"),
    ("User-agent: a\nDisallow: foo\n", "a", "none"),
    ("User-agent: a\nDisallow: /\nAllow: /x/index.html\n", "a", "partial"),
    # A path outside ASCII is escaped in the rule and not in what is asked for.
    ("User-agent: a\nDisallow: /é\n", "a", "none"),
    ("Disallow: /\n", "a", "none"),
]
PATHS = "Disallow: /a$ x\nAllow:/b\n# Disallow: /c\nDisallow:\nDisallow: *.jpg\nDisallow: ?q\n"


def main():
    found = importlib.util.spec_from_file_location("study_classes", SCRIPT)
    studies = importlib.util.module_from_spec(found)
    found.loader.exec_module(studies)
    for column, cases in ((1, DPI), (2, IMC)):
        for text, agent, expected in cases:
            row = next(studies.classes(text.encode(), [agent]))
            assert row[column] == expected, (text, agent, row)
    asked = [b"/dummy-testing-path-54321", b"/a", b"/b", b"/", b"/?q"]
    assert studies.imc_paths(PATHS.encode()) == asked, studies.imc_paths(PATHS.encode())
    # One group has many names and rules, and each name has a group of its own, too: so many paths are not asked for.
    names = ["".join(chr(ord("a") + number // 26**place % 26) for place in range(3)) for number in range(9000)]
    text = "".join(f"User-agent:{name}\n" for name in names) + "".join(f"Disallow:/{at:x}\n" for at in range(9000))
    text += "".join(f"User-agent:{name}\nAllow:/\n" for name in names)
    rows = list(studies.classes(text.encode(), names))
    assert (rows[0][1:], rows[-1][1:]) == (("partial", "partial"), ("partial", None)), (rows[0], rows[-1])


if __name__ == "__main__":
    sys.exit(main())
