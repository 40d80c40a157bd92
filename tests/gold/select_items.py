#!/usr/bin/env python3
"""Draws the gold set: writes items.tsv, with the stratum and the weight of each item.

    select_items.py BINARY CORPUS

The strata of robots.txt files, each file in the first that it belongs to:

    doubt     the command withholds a yes, or does not know the access of CCBot (all)
    said      a word about AI, training or reserved rights outside User-agent lines and paths (all)
    signal    a noindex line, or such a word in a path or a path's comment
    ccbot     names CCBot or Common Crawl
    agents    names a crawler of an AI company
    closed    the remaining files with a line that closes the whole site for somebody
    odd       the remaining files with a line that is none of the usual records
    rest      all others

Header sets and heads: `words` has a word about robots or AI, `rest` has none, each of real sites and (`imitated`) of the
segment of the corpora, of sample-data and of tests/vectors. The weight is the number of the stratum's items in the population
that one item stands for. The seed is fixed; the stratum `doubt` depends on the command of the day, which is why the list is
kept, and not drawn anew by a test.
"""

import base64
import json
import pathlib
import random
import re
import subprocess
import sys

import material

SEED = 62
SIZES = {
    ("robots", "signal"): 30,
    ("robots", "ccbot"): 90,
    ("robots", "agents"): 30,
    ("robots", "closed"): 80,
    ("robots", "odd"): 40,
    ("robots", "rest"): 80,
    ("headers", "rest"): 40,
    ("headers", "imitated_words"): 60,
    ("headers", "imitated_rest"): 10,
    ("head", "rest"): 25,
    ("head", "imitated_words"): 60,
    ("head", "imitated_rest"): 10,
}
AGENT_LINE = re.compile(rb"(?im)^[ \t]*user-?agents?[ \t]*:.*$")
PATH_LINE = re.compile(rb"(?im)^[ \t#]*(?:dis)?allow[ \t]*:[^\n]*$|^[ \t]*sitemap[ \t]*:.*$|^[ \t]*crawl-delay[ \t]*:.*$|^[ \t]*noindex[ \t]*:.*$")
ABOUT_AI = re.compile(
    rb"(?i)(?<![a-z0-9])(?:a\.?i\.?|artificial[ -]intelligence|machine[ -]?learning|llms?|train(?:ing|ed)?|tdm|(?:text|data)[ -](?:and[ -]data[ -])?mining"
    rb"|gen(?:erative|ai)|noai|noml|content-signals?|content-usage|usage-pref\w*|rsl|intelligence[ -]artificielle|ki|ia|rights|reserv(?:ed|es?|ation|ados?)"
    rb"|corpus|datasets?|language models?|gpt|chatgpt|large language)(?![a-z0-9])"
)
AGENTS = re.compile(
    rb"(?im)^[ \t]*user-?agents?[ \t]*:.*(?:gptbot|chatgpt|oai-search|claude|anthropic|google-extended|bytespider|perplexity|cohere|diffbot|omgili"
    rb"|facebookbot|meta-external|applebot-extended|amazonbot|ai2bot|imagesift|\bai\b)"
)
CCBOT = re.compile(rb"(?i)ccbot|common ?crawl")
CLOSED = re.compile(rb"(?im)^[ \t]*disallow[ \t]*:[ \t]*/\*?[ \t]*(?:#.*)?\r?$")
USUAL = re.compile(rb"(?i)^\s*(?:$|#|(?:user-agent|disallow|allow|sitemap|crawl-delay|host|clean-param)[ \t]*:)")
WORDS = re.compile(rb"(?i)robots|content-signal|content-usage|tdm|\bai\b|noai|noml")


def doubts(binary: str, files: dict[str, material.Item]) -> set[str]:
    """Returns the digests of the files for which the command withholds a yes, or does not know the access."""
    fields = [["Content-Usage", "train-ai=y, search=y"], ["Content-Signal", "search=yes, ai-input=yes, ai-train=yes"]]
    asked = "".join(
        json.dumps({"id": digest, "url": "https://h.example/", "headers": fields, "robots_txt_base64": base64.b64encode(item.content).decode()}) + "\n"
        for digest, item in files.items()
    )
    answers = subprocess.run([binary, "explain", "--json"], input=asked.encode(), stdout=subprocess.PIPE, check=True).stdout
    return {answer["id"] for answer in map(json.loads, answers.splitlines()) if answer["unread"] or answer["doubt"] or answer["access"] == "unknown"}


def stratum(item: material.Item, doubtful: set[str]) -> str:
    """Returns the first stratum that an item belongs to."""
    if item.kind != "robots":
        words = "words" if WORDS.search(item.content) else "rest"
        return words if item.real else f"imitated_{words}"
    lines = AGENT_LINE.sub(b"", item.content)
    if item.digest in doubtful:
        return "doubt"
    if ABOUT_AI.search(PATH_LINE.sub(b"", lines)):
        return "said"
    if ABOUT_AI.search(lines) or re.search(rb"(?i)noindex", lines):
        return "signal"
    if CCBOT.search(item.content):
        return "ccbot"
    if AGENTS.search(item.content):
        return "agents"
    if CLOSED.search(item.content):
        return "closed"
    return "rest" if all(USUAL.match(line) for line in re.split(rb"[\r\n]+", item.content.removeprefix(b"\xef\xbb\xbf"))) else "odd"


def main() -> None:
    binary, corpus = sys.argv[1], pathlib.Path(sys.argv[2])
    files = material.distinct(material.robots(corpus))
    doubtful = doubts(binary, files)
    strata: dict[tuple[str, str], list[material.Item]] = {}
    for item in [*files.values(), *material.distinct(material.pages(corpus)).values()]:
        strata.setdefault((item.kind, stratum(item, doubtful)), []).append(item)
    with open(pathlib.Path(__file__).with_name("items.tsv"), "w", encoding="utf-8") as out:
        out.write("digest\tkind\tstratum\tweight\tplace\n")
        for (kind, name), items in sorted(strata.items()):
            size = min(SIZES.get((kind, name), len(items)), len(items))
            drawn = random.Random(f"{SEED} {kind} {name}").sample(sorted(items, key=lambda item: item.digest), size)
            print(f"{kind}\t{name}\t{size} of {len(items)}")
            for item in sorted(drawn, key=lambda item: item.digest):
                out.write(f"{item.digest}\t{kind}\t{name}\t{len(items) / size:.6g}\t{item.place}\n")


if __name__ == "__main__":
    main()
