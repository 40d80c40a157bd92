#!/usr/bin/env python3
"""Counts again, from the bytes of robots.txt files, what is odd in them: quality/lints.

    lints.py SEGMENT OUT ROBOTS.warc.gz ROBOTS_OUT [EVERY]

Each OUT is the folder of `crawlprefs run` over the archives before it. Of each file of the segment and of every EVERY-th of the others all
lints of docs/lints.md are compared, by the line where one is found first and by the number of its lines. Of those that no file here has,
`unfinished` is about the steps of our own search, and the rest are about statements that cannot be read. Ends with status 1 where one differs.
"""
import base64
import collections
import hashlib
import pathlib
import re
import sys

from near_miss import DISALLOW, MARKS, TWICE_ENCODED, near_misses
from recount import LABELS_OF_03, Checker, Reference, agents_table, captures, dictionary, matches, sites_of

LIMIT, STORED = 500 * 1024, 1024 * 1024
"""How many bytes are read (REP-26), and how many are stored."""
AGENT = ("user-agent", "useragent", "user agent")
RULES = ("allow", *DISALLOW)
EXTENSIONS = ("content-usage", "usage", "app-directive", "app-directives")
"""Names whose lines end a list of user-agent lines, as rules do, by later documents."""
ON_PATHS = ("content-usage", "content-signal", "disallowaitraining", "allowaitraining")
"""Names whose statements do not apply to closed paths."""
BLANKS = b" \t\x0b\x0c"
COLON_MISSING = re.compile(rb"(%s)[ \t]+(\S+)" % "|".join((*AGENT, *RULES)).encode(), re.I)
BLOCKS = {
    "begin cloudflare managed content": "end cloudflare managed content",
    "begin cloudflare bot preference sync": "end cloudflare bot preference sync",
    "start yoast block": "end yoast block",
}
"""How vendors' blocks begin and end, of those that the corpus has (two_crawls.py)."""


class File:
    """The records of a robots.txt, and where what is odd in it: lines by lints."""

    def __init__(self, body):
        self.lints = collections.defaultdict(list)
        self.is_cut = len(body) > LIMIT
        if self.is_cut:
            body = body[:LIMIT]
            body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
        self.body = body.rstrip(b"\0\x1a")
        self.lines = re.split(rb"\r\n|\r|\n", self.body.removeprefix(TWICE_ENCODED))
        self.lints["near_miss"] = near_misses(self.body)
        self.records = [record for number, line in enumerate(self.lines, 1) for record in self.record(number, line)]
        self.groups = []
        self.look_at_whole()
        self.look_at_records()
        self.look_at_groups()

    def record(self, number, line):
        """The record of a line: its number, name and value, and whether a comment begins right behind it."""
        text, mark, _ = MARKS.sub(b"", line).partition(b"#")
        has_comment_behind = bool(mark) and text[-1:] not in (b" ", b"\t")
        text = text.strip(BLANKS)
        name, colon, value = text.partition(b":")
        if not text:
            return
        if re.search(rb"[\x00-\x08\x0a-\x1f]", text):
            self.lints["control_byte"].append(number)
            return
        if not colon:
            if not (blank := COLON_MISSING.fullmatch(text)):
                self.lints["no_record"].append(number)
                return
            self.lints["colon_missing"].append(number)
            name, value = blank.groups()
        if not name.strip(BLANKS):
            self.lints["name_missing"].append(number)
            return
        yield number, name.strip(BLANKS).decode("latin-1").lower(), value.strip(BLANKS).decode("latin-1"), has_comment_behind

    def look_at_whole(self):
        is_blank = not any(MARKS.sub(b"", line).partition(b"#")[0].strip(BLANKS) for line in self.lines)
        odd = {
            "html": re.match(rb"(?:\xef\xbb\xbf|%s)?\s*<(?:!doctype\s+html|html|head|body|script|title|meta)" % TWICE_ENCODED, self.body, re.I),
            "empty": is_blank,
            "byte_order_mark": self.body.startswith(b"\xef\xbb\xbf"),
            "byte_order_mark_twice": self.body.startswith(TWICE_ENCODED),
            "cr_only": b"\r" in self.body and b"\n" not in self.body,
            "no_groups": self.records and not any(name in AGENT for _, name, *_ in self.records),
        }
        for lint, is_so in odd.items():
            self.lints[lint] += [1] if is_so else []
        self.lints["cut"] += [len(self.lines) - (self.lines[-1] == b"")] if self.is_cut else []
        begins = [number for number, line in enumerate(self.lines, 1) if comment_of(line) in BLOCKS]
        ends = [number for number, line in enumerate(self.lines, 1) if comment_of(line) in BLOCKS.values()]
        for place, number in enumerate(begins):
            following = begins[place + 1] if place + 1 < len(begins) else len(self.lines) + 1
            if not any(number < end < following for end in ends):
                self.lints["managed_block_open"].append(number)

    def look_at_records(self):
        """Groups begin at a user-agent line behind a rule; to RFC 9309 alone rules of later documents are none."""
        in_rules, in_plain_rules, last = True, True, ""
        for number, name, value, has_comment_behind in self.records:
            if name in AGENT:
                if in_rules:
                    self.lints["group_by_extension"] += [number] if not in_plain_rules else []
                    self.groups.append([])
                elif last not in AGENT:
                    self.lints["agents_across_records"].append(number)
                in_rules = in_plain_rules = False
                self.look_at_agent(number, name, value)
            elif name in RULES:
                in_rules = in_plain_rules = True
                self.lints["disallow_misspelt"] += [number] if name not in ("allow", "disallow") else []
                self.lints["rule_before_agent"] += [number] if not self.groups else []
                self.look_at_path(number, value, has_comment_behind)
            else:
                in_rules = in_rules or name in EXTENSIONS
                self.lints["name_starts_like_rule"] += [number] if name.startswith((*AGENT, *RULES)) else []
                self.lints["noindex_line"] += [number] if name == "noindex" else []
            if self.groups:
                self.groups[-1].append((number, name, value))
            last = name

    def look_at_agent(self, number, name, value):
        odd = {
            "user_agent_misspelt": name != "user-agent",
            "agent_missing": not value,
            "agent_no_token": value not in ("", "*") and not re.fullmatch("[A-Za-z_-]+", value),
            "agent_all": value.lower() in ("all", "any", "everyone"),
            "agent_undocumented": value.lower().partition("/")[0].strip() in ("chatgpt", "claude", "grok"),
        }
        for lint, is_so in odd.items():
            self.lints[lint] += [number] if is_so else []

    def look_at_path(self, number, path, has_comment_behind):
        odd = {
            "path_without_slash": path and path[0] not in "/*",
            "blank_in_path": re.search(r"[ \t]", path),
            "url_in_path": re.match("http[^:]*:", path, re.I),
            "regex_in_path": re.search(r"^\^|\(\.|\[\^", path) or ".*" in path and not path.endswith(".*"),
            "comment_in_path": has_comment_behind and path.endswith("/"),
        }
        for lint, is_so in odd.items():
            self.lints[lint] += [number] if is_so else []

    def look_at_groups(self):
        agents = [[value for _, name, value in group if name in AGENT] for group in self.groups]
        names = [set().union(*map(whole_names, of_group)) for of_group in agents]
        with_star = [next(number for number, name, value in group if name in AGENT and "*" in whole_names(value)) for group, of_group in zip(self.groups, names) if "*" in of_group]
        self.lints["wildcard_groups_split"] = with_star[1:]
        for group in self.groups:
            opening = [number for number, name, value in group if name == "allow" and value == "/"]
            closing = [number for number, name, value in group if name in DISALLOW and value == "/"]
            self.lints["allow_and_disallow_all"] += opening[:1] if closing else []
        cut = [set(map(cut_name, of_group)) for of_group in agents]
        named = {"*"}.union(*names, *cut)
        of = lambda groups, token: [at for at, group in enumerate(groups) if token & group] or [at for at, group in enumerate(groups) if "*" in group]
        if any(of(names, whole) != of(cut, short) for whole, short in TOKENS if (whole | short) & named):
            self.lints["token_match_differs"].append(1)
        self.look_at_signals(names)

    def look_at_signals(self, names):
        states = lambda name: name in (*ON_PATHS, "usage")
        signals = [(at, number) for at, group in enumerate(self.groups) for number, name, _ in group if states(name)]
        early = [number for number, name, *_ in self.records if states(name) and (not self.groups or number < self.groups[0][0][0])]
        self.lints["signal_outside_group"] = early
        if signals and not early and signals[0][0] == len(self.groups) - 1 > 0 and "*" not in names[-1]:
            rules = [number for number, name, _ in self.groups[-1] if name in RULES]
            self.lints["signal_in_last_group"] += [signals[0][1]] if not any(number > signals[0][1] for number in rules) else []
        for at, group in enumerate(self.groups):
            agent = next((value for _, name, value in group if name in AGENT))
            for number, name, value in group:
                if name == "content-usage":
                    statement = value.partition(" ")[2] if value.startswith("/") else value
                    self.lints["unknown_label"] += [number] * any(key not in LABELS_OF_03 for key in dictionary([statement]) or ())
                if name in ON_PATHS:
                    path = re.match(r"/[^\s*]*", value)
                    merged = [rule for of_group, other in zip(names, self.groups) if whole_names(agent) & of_group for rule in other]
                    self.lints["signal_on_closed_path"] += [number] if is_closed(merged, path[0] if path else "/") else []

    def answer(self):
        """The first line and the number of lines of each lint."""
        return {lint: (min(lines), len(lines)) for lint, lines in self.lints.items() if lines}


def comment_of(line):
    """A comment, without case, and runs of blanks as one."""
    return " ".join(line.decode("utf-8", "replace").lstrip("# \t").lower().split()) if line.lstrip()[:1] == b"#" else ""


def whole_names(value):
    """The names that a user-agent line has for parsers that compare them whole: without a version, and of several words all as well."""
    whole = " ".join(value.lower().split())
    names = {re.split(r"[\s/]", whole)[0], whole}
    return {name if name in ("*", "**") else name.removesuffix("*") for name in names} - {""}


def cut_name(value):
    """The name that is left for Google's parser."""
    return "*" if re.match(r"\*(?:\s|$)", value) else re.match("[A-Za-z_-]*", value)[0].lower()


TOKENS = [({"*"}, {"*"})] + [({token.lower(), token.lower().split(" ")[0]}, {cut_name(token)}) for token in (row["token"] for row in agents_table())]
"""The names of each agent: those that count where names are compared whole, of several words the first as well, and the one that is cut."""


def is_closed(group, path):
    """Whether the longest rule that matches closes a path."""
    found = [(-1, True)]
    for _, name, value in group:
        if name in RULES and value:
            found += [(len(value), name == "allow")] if matches(value, path) else []
    return not max(found)[1]


def is_text(body):
    """READ-3: images, UTF-16 and compressed bytes are no text, and all that the corpora have of them have a NUL or are a PNG."""
    return b"\0" not in body.rstrip(b"\0\r\n") and b"PNG\r\n" not in body[:16]


def files_of(responses, counted):
    """The robots.txt files of responses by their digests, each with its lints; files that `counted` leaves out have None."""
    bodies, copies = {}, collections.defaultdict(set)
    for capture in responses:
        # A name that ends in digits is no address, and by the URL standard no name.
        if capture.parts.path == "/robots.txt" and capture.status == 200 and is_text(capture.body) and not capture.host.rpartition(".")[2].isdigit():
            body = capture.body[:STORED]
            digest = base64.b32encode(hashlib.sha1(body).digest()).decode()
            bodies[digest] = body
            copies[capture.url, capture.time].add(digest)
    found = {digest: File(body).answer() if counted(place) else None for place, (digest, body) in enumerate(bodies.items())}
    for digest in set().union(*(digests for digests in copies.values() if len(digests) > 1)):
        if found[digest] is not None:
            found[digest]["other_copy"] = 1, 1
    return found


def check_files(check, what, files):
    """The lints of each file."""
    found = collections.defaultdict(dict)
    for digest, lint, line, count in check.values("SELECT body_digest, lint, line, line_count FROM robots_lints_distinct"):
        found[digest][lint] = line, count
    for digest, lints in files.items():
        if lints is not None:
            check.same("quality/lints", f"{what}, {digest}", found[digest], lints)
    seen = collections.Counter(lint for lints in files.values() for lint in lints or ())
    print(f"{what}: {len(seen)} lints in {sum(lints is not None for lints in files.values()):,} of {len(files):,} files, the first line and the number of lines of each")


def check_query(check, reference, files):
    """What the query counts: of files that some host has, by lint, the files, their lines and hosts."""
    sites = sites_of(reference).values()
    hosts = collections.Counter(base64.b32encode(hashlib.sha1(site.body[:STORED]).digest()).decode() for site in sites if site.state == "parsed")
    wanted = collections.defaultdict(lambda: [0, 0, 0, len(hosts)])
    for digest, count in hosts.items():
        for lint, (_, lines) in files[digest].items():
            wanted[lint] = [one + more for one, more in zip(wanted[lint], (1, lines, count, 0))]
    found = {row["lint"]: [row[name] for name in ("files", "lines", "hosts", "files_all")] for row in check.ask("quality/lints")}
    check.same("quality/lints", "files, lines and hosts", found, dict(wanted))


def main():
    segment, out, robots, robots_out = (pathlib.Path(path).resolve() for path in sys.argv[1:5])
    every = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    check, reference = Checker("duckdb", out), Reference(segment)
    files = files_of(reference.robots, lambda _: True)
    check_files(check, "segment", files)
    check_query(check, reference, files)
    check.open(robots_out)
    check_files(check, "robots.txt files", files_of(captures(robots), lambda place: place % every == 0))
    check.end()


main()
