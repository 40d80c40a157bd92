#!/usr/bin/env python3
"""Classifies robots.txt files by the published rules of two studies, for study-classes.sql.

study_classes.py OUT (`pip install duckdb pyarrow`) reads the bodies and the table `robots_agents` of a run and writes
OUT/study_classes/part.parquet: a row for each body and agent that it names (body_digest, agent), with class_dpi and
class_imc: full, partial, none. Where class_imc is NULL, the file names too many paths to ask for all of them.

DPI: Data Provenance Initiative, "Consent in Crisis", src/web_analysis/parse_robots.py of Data-Provenance-Collection.
Its all, some and none are full, partial and none here.
- Lines end with CR, LF or CRLF; a UTF-8 byte order mark at the start is skipped; a line is cut at '#' and stripped.
  user-agent:, allow:, disallow:, crawl-delay: and sitemap: count without case, with the colon right behind the name.
- An agent is the whole value in lower case. User-agent lines in a row share what follows. Allow, Disallow and
  Crawl-delay end the list of agents: the next User-agent line begins a new one. After Sitemap, rules are nobody's until
  then. Other lines do nothing. An agent that occurs twice in a list has its values twice.
- Over all the rules of an agent, without values that have a '?': none if no Disallow is left, or a single empty one, or
  the Disallow values are the Allow values in the same order; full if a Disallow is '/' and no Allow is left; else
  partial. Who is not named has the class of '*', and none where that is not named either.

IMC: Liu et al., "Somesite I Used To Crawl", IMC 2025, robots_analysis_final.py of ai-crawler-imc-25. Google's parser
(robots.cc of google/robotstxt) is asked, for the agent's whole name, for '/' and the paths that the file has.
- Paths: of a line (split at LF alone) that has 'disallow: ' or 'allow: ' in it, without case, the second word, else of
  one that has 'disallow:' or 'allow:' the second piece between colons; and a dummy path. A '$' at a path's end is cut
  off. The URL is https://example.com and the path, with nothing between.
- '/' allowed: partial if a path is refused, else none. '/' refused: partial if a path is allowed, else full.
- As in C, a line and a URL end at a NUL. The parser's limit of 16,664 bytes a line is left out.
Both studies are in Python: whitespace and lower case are Unicode's, though not in robots.cc.
The names of agents are those of the table, in which a long one is cut.
"""
import collections
import functools
import os
import re
import sys

import duckdb
import pyarrow.parquet

ROWS = pyarrow.schema([(name, pyarrow.string()) for name in ("body_digest", "agent", "class_dpi", "class_imc")])
MOST_ASKED = 2_000_000  # how many rules of one file are compared with paths

TYPOS_OF_DISALLOW = (b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw")
TYPOS_OF_USER_AGENT = (b"user-agent", b"useragent", b"user agent")


def dpi_groups(body):
    """Maps each agent named to its groups, in order; a group has its Allow and Disallow values."""
    groups, group, ended = collections.defaultdict(list), None, True
    text = body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "backslashreplace")  # as tokens of the table are written
    for line in re.split("\r\n|\r|\n", text):
        name, colon, value = line.split("#", 1)[0].strip().partition(":")
        name, value = name.lower() + colon, value.strip()
        if name == "user-agent:":
            group, ended = {"allow:": [], "disallow:": []} if ended else group, False
            groups[value.lower()].append(group)
        elif name in ("allow:", "disallow:"):
            ended = True
            if group and "?" not in value:
                group[name].append(value)
        elif name in ("crawl-delay:", "sitemap:"):
            ended = True
            group = None if name == "sitemap:" else group
    return groups


def dpi_class(groups, agent):
    own = groups.get(agent, groups.get("*", []))
    allows, disallows = ([value for group in own for value in group[kind]] for kind in ("allow:", "disallow:"))
    if disallows in ([], [""]) or disallows == allows:
        return "none"
    return "full" if "/" in disallows and not allows else "partial"


def imc_paths(body):
    """Returns the paths that the study asks for, as they are behind the host."""
    paths = ["/dummy-testing-path-54321"]
    for line in body.decode("utf-8", "surrogateescape").split("\n"):
        lower = line.lower()
        if "allow: " in lower:  # which is in 'disallow: ' too
            paths.extend(line.split()[1:2])
        elif "allow:" in lower:
            paths.append(line.split(":")[1])
    asked = (asked_path(path.removesuffix("$").encode("utf-8", "surrogateescape")) for path in paths)
    return list(dict.fromkeys(asked))


def asked_path(path):
    """Returns what the parser takes as the path of https://example.com and `path`."""
    behind_scheme = (b"example.com" + path).split(b"\0")[0].split(b"#")[0]
    begin = re.search(rb"[/?;]", behind_scheme)
    found = behind_scheme[begin.start():] if begin else b"/"
    return found if found.startswith(b"/") else b"/" + found


def google_key_and_value(line):
    line = line.split(b"\0")[0].split(b"#")[0].strip()
    key, colon, value = line.partition(b":")
    if not colon:
        words = re.split(rb"[ \t]+", line)
        key, value = words if len(words) == 2 else (b"", b"")
    return key.strip().lower(), value.strip()


def google_pattern(value):
    value = re.sub(rb"%[0-9A-Fa-f]{2}", lambda escape: escape[0].upper(), value)
    return re.sub(rb"[\x80-\xff]", lambda byte: b"%%%02X" % byte[0][0], value)


def google_groups(body):
    """Returns the groups as (names, rules); a rule is (octets, whether it allows, pattern)."""
    body = re.sub(rb"\A\xef(\xbb\xbf?)?", b"", body)  # a part of a byte order mark is skipped too
    groups = []
    for line in re.split(rb"[\r\n]", body):
        key, value = google_key_and_value(line)
        if key.startswith(TYPOS_OF_USER_AGENT):
            if not groups or groups[-1][1]:
                groups.append((set(), []))
            everyone = re.match(rb"\*(\s|\Z)", value)
            groups[-1][0].add("*" if everyone else re.match(rb"[A-Za-z_-]*", value)[0].lower().decode())
        elif groups and key.startswith((b"allow", *TYPOS_OF_DISALLOW)):
            pattern, allows = google_pattern(value), key.startswith(b"allow")
            groups[-1][1].append((len(pattern), allows, pattern))
            index = pattern.rfind(b"/")
            if allows and index >= 0 and pattern[index:].startswith(b"/index.htm"):
                groups[-1][1].append((index + 2, True, pattern[:index + 1] + b"$"))
    return groups


def google_rules(groups):
    """Returns the rules of groups, the longest first and Allow before Disallow. Empty ones bind nobody."""
    return sorted({rule for rules in groups for rule in rules if rule[0]}, reverse=True)


@functools.lru_cache(maxsize=1 << 20)
def google_matches(pattern, path):
    to_end = pattern.endswith(b"$")
    first, *others = pattern.removesuffix(b"$").split(b"*")
    if to_end and not others:
        return path == first
    last = others.pop() if to_end else b""
    position = len(first) if path.startswith(first) else -1
    for other in others:
        found = path.find(other, position) if position >= 0 else -1
        position = found + len(other) if found >= 0 else -1
    return 0 <= position <= len(path) - len(last) and path.endswith(last)


def google_allows(rules, path):
    return next((allows for _, allows, pattern in rules if google_matches(pattern, path)), True)


class ImcFile:
    """A file as the study of Liu et al. reads it."""

    def __init__(self, body):
        self.groups, self.paths, self.asked = google_groups(body), imc_paths(body), 0
        self.named = collections.defaultdict(list)
        for place, (names, _) in enumerate(self.groups):
            for name in names:
                self.named[name].append(place)
        self.class_of_groups = functools.cache(self.class_of_groups)

    def class_of(self, agent):
        return self.class_of_groups(tuple(self.named.get(agent, self.named.get("*", []))))

    def class_of_groups(self, places):
        self.asked += sum(len(self.groups[place][1]) for place in places)
        if self.asked > MOST_ASKED:
            return None
        rules = google_rules(self.groups[place][1] for place in places)
        opens, closes = ([rule for rule in rules if rule[1] == allows] for allows in (True, False))
        if not closes:
            return "none"
        if not opens and any(pattern == b"/" for *_, pattern in closes):
            return "full"
        root = google_allows(rules, b"/")
        for path in self.paths:
            self.asked += len(rules)
            if self.asked > MOST_ASKED:
                return None
            if google_allows(rules, path) != root:
                return "partial"
        return "none" if root else "full"


def classes(body, agents):
    """Returns (agent, class_dpi, class_imc) for each of these agents, as robots_agents names them."""
    dpi, imc = dpi_groups(body), ImcFile(body)
    for agent in agents:
        name = re.match("[^ /]*", agent.lower())[0]  # a group `chatgpt` is shown as the token that it names, `ChatGPT Agent`
        yield agent, dpi_class(dpi, name), imc.class_of(name)


def main(out):
    files = duckdb.execute(
        """
        SELECT body_digest, body, agents
        FROM (
            SELECT body_digest, list(DISTINCT agent ORDER BY agent) AS agents
            FROM read_parquet($1 || '/robots_agents/*/*.parquet') GROUP BY body_digest
        )
        JOIN (
            SELECT body_digest, any_value(body) AS body
            FROM read_parquet($1 || '/evidence/site_files/*/*.parquet') WHERE kind = 'robots' GROUP BY body_digest
        ) USING (body_digest)
        ORDER BY body_digest
        """,
        [out],
    )
    os.makedirs(f"{out}/study_classes", exist_ok=True)
    with pyarrow.parquet.ParquetWriter(f"{out}/study_classes/part.parquet", ROWS) as target:
        while some := files.fetchmany(1000):
            rows = [(digest, *row) for digest, body, agents in some for row in classes(body, agents)]
            target.write(pyarrow.table([*zip(*rows)], ROWS))


if __name__ == "__main__":
    main(*sys.argv[1:])
