#!/usr/bin/env python3
"""Checks class_dpi and class_imc of the robots_agents table, independently of crawlprefs.

classes.py ROBOTS.warc.gz OUT reads the bodies that `crawlprefs run ROBOTS.warc.gz -o OUT --tables +studies` kept, classifies every
(body, agent) row of OUT/robots_agents by the rules below, prints counts per class and the first differences, and ends
with status 1 if there is one, or if a kept body is not one of the archive. Rows without class_imc are skipped.

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
"""
import base64
import collections
import functools
import hashlib
import itertools
import re
import sys

import duckdb
from fastwarc.warc import ArchiveIterator, WarcRecordType

TYPOS_OF_DISALLOW = (b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw")
TYPOS_OF_USER_AGENT = (b"user-agent", b"useragent", b"user agent")


def dpi_rules(body):
    """Maps each agent named to its Allow and Disallow values, in order."""
    rules = collections.defaultdict(lambda: {"allow:": [], "disallow:": []})
    agents, ended = [], False
    text = body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "backslashreplace")  # as tokens of the table are written
    for line in re.split("\r\n|\r|\n", text):
        name, colon, value = line.split("#", 1)[0].strip().partition(":")
        name, value = name.lower() + colon, value.strip()
        if name == "user-agent:":
            agents, ended = [*([] if ended else agents), value.lower()], False
            rules[value.lower()]
        elif name in ("allow:", "disallow:"):
            ended = True
            for agent in agents:
                rules[agent][name].append(value)
        elif name in ("crawl-delay:", "sitemap:"):
            ended = True
            agents = [] if name == "sitemap:" else agents
    return dict(rules)


def dpi_class(rules, agent):
    own = rules.get(agent.lower(), rules.get("*", {"allow:": [], "disallow:": []}))
    allows, disallows = ([value for value in own[kind] if "?" not in value] for kind in ("allow:", "disallow:"))
    if disallows in ([], [""]) or disallows == allows:
        return "none"
    return "full" if "/" in disallows and not allows else "partial"


def imc_paths(body):
    """Returns the paths that the study asks for, as they are behind the host."""
    paths = {"/dummy-testing-path-54321"}
    for line in body.decode("utf-8", "surrogateescape").split("\n"):
        lower = line.lower()
        if "allow: " in lower:  # which is in 'disallow: ' too
            paths.update(line.split()[1:2])
        elif "allow:" in lower:
            paths.add(line.split(":")[1])
    return {asked_path(path.removesuffix("$").encode("utf-8", "surrogateescape")) for path in paths}


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


def google_rules(groups, agent):
    """Returns the rules that bind an agent, the longest first and Allow before Disallow. Empty ones bind nobody."""
    for name in (agent, "*"):
        own = [rules for names, rules in groups if name in names]
        if own:
            return tuple(sorted({rule for rules in own for rule in rules if rule[0]}, reverse=True))
    return ()


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


def imc_class(paths, rules):
    root = google_allows(rules, b"/")
    mixed = any(google_allows(rules, path) != root for path in paths)
    return "partial" if mixed else "none" if root else "full"


def sha1(body):
    return base64.b32encode(hashlib.sha1(body).digest()).decode()


def archived_digests(path):
    with open(path, "rb") as stream:
        return {sha1(record.reader.read()) for record in ArchiveIterator(stream, record_types=WarcRecordType.response)}


def main(archive, out):
    named = "regexp_extract(lower(agent), '[^ /]*')"  # group `chatgpt` is shown as the token that it names, `ChatGPT Agent`
    agents = f"SELECT body_digest, {named}, class_dpi, class_imc FROM '{out}/robots_agents/**/*.parquet'"
    files = f"SELECT body_digest, body, cut FROM '{out}/evidence/site_files/**/*.parquet' WHERE kind = 'robots'"
    rows = collections.defaultdict(list)
    for digest, *row in duckdb.sql(agents).fetchall():
        rows[digest].append(row)
    archived, counts, differences, skipped = archived_digests(archive), collections.Counter(), [], 0
    for digest, content, cut in duckdb.sql(files).fetchall():
        if not cut and (digest not in archived or digest != sha1(content)):
            differences.append(f"{digest}: not a body of the archive")
        dpi, groups, paths = dpi_rules(content), google_groups(content), imc_paths(content)
        imc = functools.cache(functools.partial(imc_class, paths))
        for agent, *found in rows.pop(digest, []):
            if found[1] is None:
                skipped += 1
                continue
            own_classes = dpi_class(dpi, agent), imc(google_rules(groups, agent))
            for study, own, other in zip(("dpi", "imc"), own_classes, found):
                counts[study, "here", own] += 1
                counts[study, "table", other] += 1
                if own != other:
                    differences.append(f"{digest} {agent}: class_{study} is {other}, {own} here")
    differences += [f"{digest}: its body is not there" for digest in rows]
    for study, who in itertools.product(("dpi", "imc"), ("here", "table")):
        print(f"class_{study}", who, *(f"{name} {counts[study, who, name]}" for name in ("full", "partial", "none")))
    print(f"{skipped} rows without class_imc, {len(differences)} differences")
    print(*differences[:20], sep="\n")
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
