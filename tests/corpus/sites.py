#!/usr/bin/env python3
"""Judges the sites of a segment from its archives, independently of crawlprefs, and compares the table `sites`.

sites.py SEGMENT OUT reads the archives below SEGMENT with FastWARC, works out the rows of OUT/sites by the rules below,
prints counts and the first differences, and ends with status 1 where there are any.

- An origin is known by a page, a robots.txt or another site file. It is judged at the time of its newest capture.
- Its robots.txt is the newest capture until then. 4xx: unavailable; 5xx: unreachable; 301, 302, 303, 307 and 308 are
  followed, five times: to the newest capture of the target until then, else the first within ten minutes after the hop.
- `User Agent` and `useragent` are read as user-agent, as Google's parser reads them. An agent obeys the groups that name
  it, without case, up to a slash or blank, less a star at the end; else those of *.
  full: a Disallow closes every path, and no Allow is as long; none: no Disallow matches anything, or an Allow as long as
  the longest Disallow opens everything; partial: else.
- Labels at / are for CCBot and the vocabulary 03, by the lines that the segment has: Content-Usage, Usage,
  Content-Signal, (Dis)AllowAITraining, and tdmrep.json. They count as a no. The segment has no other forms.
"""
import collections
import datetime
import json
import pathlib
import re
import sys
import urllib.parse

import duckdb
from fastwarc.warc import ArchiveIterator, WarcRecordType

from near_miss import near_misses, without_marks

AGENTS = ("GPTBot", "CCBot", "ClaudeBot", "Google-Extended", "Googlebot")
LABELS = ("search", "train_ai", "train_genai", "ai_input", "tdm")
KINDS = {"/robots.txt": "robots", "/.well-known/tdmrep.json": "tdmrep", "/ai.txt": "ai_txt", "/trust.txt": "trust_txt",
         "/.well-known/trust.txt": "trust_txt", "/automation-preferences.txt": "automation"}
TEN_MINUTES = datetime.timedelta(minutes=10)
Capture = collections.namedtuple("Capture", "time status location body")


def is_binary(body):
    """Returns whether more than one byte in fifty of the beginning is a binary data byte (READ-2)."""
    start = body.rstrip(b"\0\x1a")[:1445]
    count = sum(byte < 9 or byte == 11 or 14 <= byte <= 26 or 28 <= byte < 32 for byte in start)
    return count * 50 > len(start)


def split(url):
    """Returns the origin, the path and whether there is a query."""
    parts = urllib.parse.urlsplit(url.strip("<> "))
    port = parts.port if parts.port != {"http": 80, "https": 443}[parts.scheme] else None
    origin = f"{parts.scheme}://{parts.hostname}" + (f":{port}" if port else "")
    return origin, parts.path or "/", "?" in url


class Segment:
    """The captures of a segment."""

    def __init__(self, folder):
        self.by_url, self.newest = collections.defaultdict(list), {}
        self.pages, self.content_bytes = collections.Counter(), collections.Counter()
        for path in sorted(pathlib.Path(folder).rglob("*.warc.gz")):
            with open(path, "rb") as stream:
                for record in ArchiveIterator(stream, record_types=WarcRecordType.response | WarcRecordType.revisit):
                    self.add(record, path.parent.name)
        for captures in self.by_url.values():
            captures.sort(key=lambda capture: capture.time)

    def add(self, record, subset):
        url = record.headers.get("WARC-Target-URI")
        if not url.startswith("http"):
            return
        time = datetime.datetime.fromisoformat(record.headers["WARC-Date"].replace("Z", "+00:00"))
        origin, path, query = split(url)
        body = record.reader.read()
        kind = None if query else KINDS.get(path)
        is_page = kind is None and subset != "robotstxt"
        if kind or is_page:
            self.newest[origin] = max(time, self.newest.get(origin, time))
        if is_page:
            self.pages[origin] += 1
            self.content_bytes[origin] += len(body)
        status = record.http_headers.status_code if record.http_headers else 0
        location = record.http_headers.get("Location") if record.http_headers else None
        target = urllib.parse.urljoin(url, location) if location else None
        found = Capture(time, status, target, None if is_page else body)
        self.by_url[origin + path + ("?" if query else "")].append(found)

    def current(self, url, until):
        return next((one for one in reversed(self.by_url[url]) if one.time <= until), None)

    def robots(self, origin, until):
        """Returns the state of an origin's robots.txt, the origin whose file it is, and the file."""
        url, hop = origin + "/robots.txt", None
        for _ in range(6):
            found = self.current(url, until)
            if found is None and hop is not None:
                found = next((one for one in self.by_url[url] if hop <= one.time <= hop + TEN_MINUTES), None)
            if found is None:
                return ("not_archived" if hop is None else "redirect_unresolved"), None, None
            if found.status in (301, 302, 303, 307, 308):
                if not found.location or not found.location.startswith("http"):
                    return "redirect_unresolved", None, None
                target, path, _ = split(found.location)
                url, hop = target + path, found.time
                continue
            if 200 <= found.status <= 299 and found.body is not None and is_binary(found.body):
                return "unreadable", None, None
            if 200 <= found.status <= 299:
                return ("parsed", split(url)[0], found.body) if found.body is not None else ("body_missing", None, None)
            return {4: "unavailable", 5: "unreachable"}.get(found.status // 100, "other_status"), None, None
        return "unavailable", None, None


class Robots:
    """The lines of a robots.txt by agent."""

    def __init__(self, body):
        self.groups, names, ruled = [], [], True
        self.everywhere = []
        for line in re.split(rb"\r\n|\r|\n", without_marks(body)):
            key, colon, value = line.split(b"#")[0].partition(b":")
            key, value = key.strip().lower().decode("latin-1"), value.strip().decode("latin-1")
            if not colon:
                key, _, value = key.partition(" ")
            if key in ("user-agent", "useragent", "user agent"):
                if ruled:
                    names, ruled = [], False
                    self.groups.append((names, []))
                names.append(re.split(r"[/ \t]", value.lower())[0])
            elif key:
                ruled = ruled or key in ("allow", "disallow")
                (self.groups[-1][1] if self.groups else self.everywhere).append((key, value))

    def named(self, agent):
        return any(agent.lower() in (name, name.removesuffix("*")) for names, _ in self.groups for name in names)

    def lines(self, agent):
        wanted = [agent.lower(), agent.lower() + "*"] if self.named(agent) else ["*"]
        return [line for names, lines in self.groups if set(names) & set(wanted) for line in lines]

    def class_of(self, agent):
        def rules(kind):
            return [value for key, value in self.lines(agent) if key == kind and value[:1] in ("/", "*")]

        def longest(values):
            return max((len(urllib.parse.quote(value, "/*$?=&%-._~+:,;@!'()[]")) for value in values), default=0)

        every = [[value for value in rules(kind) if value in ("/", "*", "/*", "*/", "*/*")] for kind in ("allow", "disallow")]
        if not rules("disallow") or every[0] and longest(every[0]) >= longest(rules("disallow")):
            return "none"
        return "full" if every[1] and longest(rules("allow")) < longest(every[1]) else "partial"

    def is_open(self, agent):
        """May the agent fetch /?"""
        matching = [(len(value), key == "allow") for key, value in self.lines(agent)
                    if key in ("allow", "disallow") and value in ("/", "*", "/*", "/$", "*/", "*/*", "/*$", "*$")]
        return max(matching, default=(0, True))[1]


def members(text):
    pairs = [pair.split("=") for pair in text.split(",")]
    return {key.strip(): value.strip() == "y" or value.strip() == "yes" for key, value in pairs}


def stated(robots):
    """Returns what the lines for CCBot say of /: pairs of a label and a yes."""
    open_, usage, short = robots.is_open("CCBot"), {}, {}
    for key, value in robots.lines("CCBot"):
        if key == "content-usage" and open_ and value == value.lower():
            path, _, preference = value.partition(" ") if value.startswith("/") else ("", "", value)
            if path in ("", "/"):
                usage.setdefault(len(path), []).append(members(preference))
        elif key == "usage":
            # Lines are joined; of a repeated label the no counts.
            for name, yes in members(value).items():
                short[name] = short.get(name, True) and yes
        elif key == "content-signal" and open_:
            said = members(value)
            for name, labels in (("search", ["search"]), ("ai-input", ["ai_input"]), ("ai-train", ["train_ai", "train_genai"])):
                yield from ((label, said[name]) for label in labels if name in said)
        elif key in ("disallowaitraining", "allowaitraining") and value == "/":
            yield from ((label, key == "allowaitraining") for label in ("train_ai", "train_genai"))
    tdm = short.get("tdm")
    ai = short.get("ai", tdm)
    for label, yes in (("tdm", tdm), ("search", short.get("search", tdm)), ("train_ai", ai), ("ai_input", ai),
                       ("train_genai", short.get("genai", ai))):
        if yes is not None:
            yield label, yes
    for said in usage.get(max(usage, default=0), []):
        bots = said.get("bots")
        train = said.get("train-ai", bots)
        for label, yes in (("tdm", bots), ("train_ai", train), ("train_genai", said.get("train-genai", train)),
                           ("search", said.get("search", bots))):
            if yes is not None:
                yield label, yes


def reserved(body):
    """Returns whether a tdmrep.json reserves /."""
    entries = json.loads(body)
    return any(one["tdm-reservation"] == 1 for one in entries if one["location"] == "/")


def row(segment, origin):
    at = segment.newest[origin]
    state, file_origin, body = segment.robots(origin, at)
    said, classes, named = [], dict.fromkeys(AGENTS), dict.fromkeys(AGENTS)
    if body is not None:
        robots = Robots(body)
        said += stated(robots)
        classes = {agent: robots.class_of(agent) for agent in AGENTS}
        named = {agent: robots.named(agent) for agent in AGENTS}
        if near_misses(body):  # ACCT-4
            classes, named = dict.fromkeys(AGENTS), dict.fromkeys(AGENTS)
    elif state in ("unavailable", "unreachable"):
        classes = dict.fromkeys(AGENTS, "none" if state == "unavailable" else "full")
        named = dict.fromkeys(AGENTS, False)
    tdmrep = segment.current(origin + "/.well-known/tdmrep.json", at)
    if tdmrep and 200 <= tdmrep.status <= 299 and reserved(tdmrep.body):
        said += [(label, False) for label in ("tdm", "train_ai", "train_genai")]
    labels = {}
    for label in LABELS:
        answers = {yes for name, yes in said if name == label}
        labels[label] = "disallow" if False in answers else "allow" if answers else "unknown"
    return {"robots_state": state, "robots_file_origin": file_origin, "classes": classes, "named": named,
            "pages": segment.pages[origin], "content_bytes": segment.content_bytes[origin], **labels}


def table(out):
    columns = ["origin", "robots_state", "robots_file_origin", "pages", "content_bytes", *LABELS]
    lists = ["agents_closed", "agents_restricted", "agents_named"]
    sets = f"SELECT DISTINCT ON (agent_set) agent_set, {', '.join(lists)} FROM '{out}/agent_sets/*/*.parquet'"
    query = f"SELECT {', '.join(columns + lists)} FROM '{out}/sites/*/*.parquet' LEFT JOIN ({sets}) USING (agent_set)"
    for *values, closed, restricted, named in duckdb.sql(query).fetchall():
        found = dict(zip(columns, values))
        is_known = closed is not None
        found["classes"] = {agent: ("full" if agent in closed else "partial" if agent in restricted else "none")
                            if is_known else None for agent in AGENTS}
        found["named"] = {agent: agent in named if is_known else None for agent in AGENTS}
        yield found.pop("origin"), found


def main(folder, out):
    segment, rows, differences = Segment(folder), dict(table(out)), []
    for origin in sorted(segment.newest.keys() | rows.keys()):
        own, other = row(segment, origin) if origin in segment.newest else {}, rows.get(origin, {})
        differences += [f"{origin}: {name} is {other.get(name)}, {own.get(name)} here"
                        for name in own | other if own.get(name) != other.get(name)]
    states = collections.Counter(found["robots_state"] for found in rows.values())
    print(f"{len(rows)} sites:", *(f"{state} {count}" for state, count in sorted(states.items())))
    print(f"{len(differences)} differences", *differences[:20], sep="\n")
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
