"""A plain reading of archives and of robots.txt, without the tables, and what asks queries: for the scripts that count again."""
import collections
import csv
import functools
import importlib.util
import json
import pathlib
import re
import sys
import urllib.parse

from fastwarc.warc import ArchiveIterator, WarcRecordType

from near_miss import TWICE_ENCODED, doubts_for_all, near_misses, path_of, rewritten, without_marks

AGENTS = ("GPTBot", "ClaudeBot", "CCBot", "Google-Extended", "PerplexityBot", "Googlebot")
AI = ("train", "dataset", "ai_search", "assistant", "agent", "coding_agent", "mixed", "data_provider")
"""The purposes of agents of AI (agents/closed-any)."""
QUERIES = pathlib.Path(__file__).resolve().parents[2] / "queries"
SITE_FILES = {
    "/automation-preferences.txt": "automation",
    "/.well-known/tdmrep.json": "tdmrep",
    "/ai.txt": "ai_txt",
    "/trust.txt": "trust_txt",
    "/.well-known/trust.txt": "trust_txt",
}

KEY = r"[a-z*][a-z0-9_.*-]*"
ITEM = r"""(?:"(?:[ !#-\[\]-~]|\\["\\])*"|[A-Za-z*][!#$%&'*+.^_`|~A-Za-z0-9:/-]*|\?[01]|-?[0-9]+(?:\.[0-9]+)?|:[A-Za-z0-9+/=]*:)"""
PARAMETERS = rf"(?:;[ ]*{KEY}(?:={ITEM})?)*"
VALUE = rf"(?:{ITEM}|\([ ]*(?:{ITEM}{PARAMETERS}(?:[ ]+{ITEM}{PARAMETERS})*[ ]*)?\))"
ENTRY = re.compile(rf"({KEY})(?:=({VALUE}))?{PARAMETERS}")
LABELS_OF_A_DOUBT = ("search", "train_ai", "train_genai", "ai_input", "tdm")
LABELS_OF_03 = {"bots", "train-ai", "train-genai", "search"}


def dictionary(values):
    """The members of a field as RFC 9651 has dictionaries, key and value, the last of each key; None where it is not a dictionary."""
    text, members = ", ".join(value.strip() for value in values).strip(" "), {}
    while text:
        found = ENTRY.match(text)
        if not found:
            return None
        members[found[1]] = found[2]
        rest = text[found.end():].lstrip(" \t")
        if rest and not rest.startswith(","):
            return None
        text = rest[1:].lstrip(" \t")
        if rest and not text:
            return None
    return members


class Capture:
    """A response: its place, HTTP status, header fields and body."""

    def __init__(self, record, subset):
        # RFC 9309 2.3: a default port is none.
        self.url = re.sub(r"^(http://[^/?#]*):80(?=[/?#]|$)|^(https://[^/?#]*):443(?=[/?#]|$)", r"\1\2", record.headers["WARC-Target-URI"])
        self.id = record.headers["WARC-Record-ID"]
        self.time = record.headers["WARC-Date"]
        self.subset = subset
        self.status = int(record.http_headers.status_code)
        self.fields = [(name.lower(), value) for name, value in record.http_headers]
        self.body = record.reader.read()
        self.parts = urllib.parse.urlsplit(self.url)
        self.origin = f"{self.parts.scheme}://{self.parts.netloc.lower()}"
        self.host = self.parts.hostname
        self.path = self.parts.path + (f"?{self.parts.query}" if self.parts.query else "")

    def field(self, name):
        return [value for field, value in self.fields if field == name]

    def is_text(self):
        """READ-3: the one robots.txt of the segment that is no text is a PNG, broken by a conversion."""
        return b"PNG\r\n\x1a\n" not in self.body[:16]


def captures(folder):
    """Every response of the archives in a folder, or of one archive."""
    for path in sorted(folder.rglob("*.warc.gz")) if folder.is_dir() else [folder]:
        with open(path, "rb") as stream:
            for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
                if record.http_headers:
                    yield Capture(record, path.parent.name)


def matches(pattern, path):
    """Whether a path pattern of robots.txt matches (RFC 9309 2.2.3)."""
    first, *others = pattern.removesuffix("$").split("*")
    if not others and not pattern.endswith("$") or not path.startswith(first):
        return path.startswith(first)
    return bool(re.match(".*".join(map(re.escape, [first, *others])) + ("$" if pattern.endswith("$") else ""), path))


class Robots:
    """A robots.txt, read by RFC 9309 as plainly as can be."""

    def __init__(self, body):
        self.groups, self.lines, self.in_headers, self.outside, self.has_remarks, agents, in_rules = [], [], [], [], False, None, True
        for line in re.split(rb"\r\n|\r|\n", without_marks(body)):
            text = line.split(b"#")[0].decode("utf-8", "replace").strip()
            # A blank for a colon is a slip, whose Disallow would be lost.
            text = re.sub(r"^(user-agent|allow|disallow)[ \t]+(?=[^: \t]*$)", r"\1:", text, flags=re.I)
            name, colon, value = text.partition(":")
            name, value = name.strip().lower(), value.strip()
            if not colon:
                continue
            self.lines.append((name, value))
            if name in ("user-agent", "useragent", "user agent"):
                if in_rules:
                    agents, in_rules = [], False
                    self.groups.append((agents, []))
                whole = " ".join(value.lower().split()).removeprefix("user-agent: ")
                for name in dict.fromkeys((re.split(r"[\s/]", whole)[0], whole)):
                    agents.append(name if name in ("*", "**") else name.removesuffix("*"))
                if whole.startswith("mozilla/"):
                    self.in_headers.append((set(re.findall(r"[a-z-]+(?=/[0-9])", whole)), self.groups[-1][1]))
            elif name == "disallow" and agents is None:
                self.outside.append((name, value))
            elif name in ("allow", "disallow", "content-usage") and agents is not None:
                in_rules = True
                self.groups[-1][1].append((name, value))
                self.has_remarks |= name == "disallow" and bool(re.match(r"/\*?[ \t]", value))
            elif name in ("usage", "content-signal", "disallowaitraining", "allowaitraining") and agents is not None:
                in_rules = in_rules or name == "usage"
                self.groups[-1][1].append((name, value))
        self.all_names, self.closing = {name for agents, _ in self.groups for name in agents}, {}

    def name_of(self, agent):
        """The name of the groups that count for an agent: its own, of several words the first as well, else *."""
        return next((name for name in (agent.lower(), agent.lower().split(" ")[0]) if name in self.all_names), "*")

    def names(self, agent):
        return agent == "*" or self.name_of(agent) != "*"

    def lines_for(self, agent, path, *names):
        """The lines of these names in the groups of an agent whose paths match: name, length of the path and value."""
        group = self.name_of(agent)
        for name, value in (rule for agents, rules in self.groups if group in agents for rule in rules):
            has_path = value.startswith(("/", "*"))
            if name in names and (has_path or name not in ("allow", "disallow")):
                pattern, _, statement = value.partition(" ") if has_path else ("/", "", value)
                pattern = path_of(value) if name in ("allow", "disallow") and value else pattern
                if matches(pattern, path):
                    yield name, len(pattern), statement.strip()

    def usage(self, agent, path):
        """The Content-Usage of the longest path that matches; an empty text where no rule does."""
        found = [(length, statement) for _, length, statement in self.lines_for(agent, path, "content-usage")]
        return max(found, key=lambda rule: rule[0], default=(0, ""))[1]

    def allows(self, agent, path):
        """What RFC 9309 has for an agent and a path: the longest path decides, and of two an Allow. What is behind a blank is a remark."""
        rules = [(length, name == "allow") for name, length, _ in self.lines_for(agent, path, "allow", "disallow")]
        return "allow" if max(rules, default=(0, True))[1] else "disallow"

    def asks_not_to_index(self, path):
        """Whether a line Noindex, which no crawler reads, is on a path (ACCT-8)."""
        return any(name == "noindex" and value[:1] in ("/", "*") and matches(value, path) for name, value in self.lines)

    def closes(self, agent):
        """Whether everything is closed to the agent: something closes /, and nothing opens anything."""
        name = self.name_of(agent)
        if name not in self.closing:
            rules = [rule for agents, rules in self.groups if name in agents for rule in rules]
            closed = any(kind == "disallow" and re.fullmatch(r"/\*?|\*+", value) for kind, value in rules)
            self.closing[name] = closed and not any(kind == "allow" and value for kind, value in rules)
        # ACCT-12: a whole User-Agent header names each name in it, for noes.
        return self.closing[name] or any(agent.lower() in names and ("disallow", "/") in rules for names, rules in self.in_headers)

    def class_of(self, agent):
        """How much is closed to an agent that is named: full, partial or none. What is opened, too, is open; a path begins with / or *."""
        rules = [rule for agents, rules in self.groups if agent.lower() in agents for rule in rules]
        opened = {value for kind, value in rules if kind == "allow"}
        if self.closes(agent):
            return "full"
        closed = {value for kind, value in rules if kind == "disallow" and value[:1] in ("/", "*")}
        return "partial" if closed - opened else "none"


robots_of = functools.cache(Robots)

NO = r"(?:n|no|none|false|0|\?0|off|deny|disallow)"
LABELS = r"(?:bots|all|tdm|ai|ai-use|ai-output|foundation-model-production|train-ai|train-genai|search|ai-train|ai-input)"
LOST_NO = re.compile(rf"(?:^|[\s=:\"\']){LABELS}[\s=:\"\']+{NO}(?:$|[\s=:\"\'])")


def is_lost_no(statement):
    """Whether a Content-Usage holds a word for no under a label that is read as nothing (LABEL-7)."""
    members = dictionary([statement])
    if members is None:
        return any(LOST_NO.search(piece.partition(";")[0].replace("_", "-")) for piece in statement.lower().split(","))
    return any(
        # ACCT-2: also `train-ai="n"` and `train-ai=?0`, which no document reads.
        re.fullmatch(LABELS, key.replace("_", "-")) and value and value != "n" and re.fullmatch(NO, value.lower().strip('"'))
        for key, value in members.items()
    )


def is_no_of_several(values):
    """Whether one of several field lines of Content-Usage says no to training, which a later line does not take back (READ-22)."""
    return len(values) > 1 and any((dictionary([value]) or {}).get("train-ai") == "n" for value in values)


def is_index_of_nobody(page):
    """Whether a robots tag says under the name of a crawler that nobody knows not to index (ACCT-7)."""
    tags = [re.match(r"\s*([a-z-]+)\s*:(.*)", value.lower()) for value in page.field("x-robots-tag")]
    return any(tag and tag[1] not in tokens() and re.search(r"\b(?:noindex|none)\b", tag[2]) for tag in tags)


class Reference:
    """The counts."""

    def __init__(self, segment):
        everything = list(captures(segment))
        self.expected = [json.loads(line) for line in (segment / "expected.jsonl").open()]
        self.pages = [
            capture for capture in everything
            if capture.subset != "robotstxt" and capture.parts.path not in SITE_FILES and capture.parts.path != "/robots.txt"
        ]
        self.files = [capture for capture in everything if capture.parts.path in SITE_FILES and not capture.parts.query]
        self.robots = [capture for capture in everything if capture.parts.path == "/robots.txt"]
        self.read_at = {(capture.origin, capture.time): robots_of(capture.body) for capture in self.robots if capture.status == 200}
        self.newest = {}
        for capture in sorted(everything, key=lambda capture: capture.time):
            self.newest[capture.url] = capture
        origins = {capture.origin for capture in everything if capture.subset != "robotstxt"}
        origins |= {capture.origin for capture in self.robots}
        self.origins = sorted(origins)
        self.hosts = {}
        for origin in self.origins:  # http before https, which replaces it
            state, robots = self.site(origin)
            host = urllib.parse.urlsplit(origin).hostname
            if host not in self.hosts or state != "not_archived":
                self.hosts[host] = (origin, state, robots)
        self.read = {host: robots_of(robots.body) for host, (_, state, robots) in self.hosts.items() if state == "parsed"}
        self.lost = {host for host in self.read if doubts_for_all(self.hosts[host][2].body)}
        pages = {page.id: page for page in self.pages}
        for row in self.expected:
            self.follow_later_rules(row, pages[row["record_id"]])

    def follow_later_rules(self, row, page):
        """Changes a row of the expectations by the rules that are younger than they are."""
        state, capture = self.site(page.origin)
        robots = robots_of(capture.body) if row["robots_state"] == "parsed" and state == "parsed" else None
        doubts = set()
        if row["robots_state"] == "parsed" and state == "unreadable":  # READ-3
            row["robots_state"] = "unreadable"
            row["crawl"] = {agent: "unknown" for agent in (*row["crawl"], "CCBot")}
            doubts.add("robots")
        elif row["robots_state"] == "other_status" and capture and capture.status == 304:  # KNOW-3
            doubts.update(LABELS_OF_A_DOUBT)
        elif robots and (capture.body.startswith(TWICE_ENCODED) or robots.has_remarks):  # READ-23, ACCT-9
            row["crawl"] = {agent: robots.allows(agent, page.path) for agent in row["crawl"]}
        row["access"] = row["crawl"].get("CCBot")
        labels = row.get("labels", {})
        if is_no_of_several(page.field("content-usage")):  # READ-22
            labels.update({label: "disallow" for label in ("train_ai", "train_genai") if label in labels})
        if row["robots_state"] == "not_archived":
            self.add_noes_of_twins(row, page, labels)
        # ACCT-7 and ACCT-8: of indexing alone.
        if is_index_of_nobody(page) or robots and robots.asks_not_to_index(page.path):
            doubts.add("search")
        # LABEL-7. Of a closed page robots.txt says nothing.
        if self.lost_no(page, robots and row["access"] != "disallow"):
            doubts.update(LABELS_OF_A_DOUBT)
        # ACCT-4. What is closed by other rules stays so, but lists are not known.
        if robots and doubts_for_all(capture.body):
            row["access"] = {"allow": "unknown"}.get(row["access"], row["access"])
            row["crawl"] = {agent: "unknown" for agent in (*row["crawl"], "CCBot")}
            doubts.update(LABELS_OF_A_DOUBT)
        elif robots and closed_if_meant(capture.body, robots, page.path, (*row["crawl"], "CCBot")):  # ACCT-14
            if "CCBot" in closed_if_meant(capture.body, robots, page.path, ["CCBot"]):
                row["access"] = {"allow": "unknown"}.get(row["access"], row["access"])
                doubts.update(LABELS_OF_A_DOUBT)
            row["crawl"] = {agent: "unknown" for agent in (*row["crawl"], "CCBot")}
        row["doubts"] = doubts
        for label in doubts & labels.keys():
            labels[label] = {"allow": "unknown"}.get(labels[label], labels[label])

    def add_noes_of_twins(self, row, page, labels):
        """Without a robots.txt of its own until then, what the files of the twins of an origin close counts (KNOW-8)."""
        bare = page.host.removeprefix("www.")
        for origin in {f"{scheme}://{www}{bare}" for scheme in ("http", "https") for www in ("", "www.")} - {page.origin}:
            files = [file for file in self.robots if file.origin == origin and file.status == 200 and file.time <= page.time]
            if not files:
                continue
            row["twin"] = robots = robots_of(max(files, key=lambda file: file.time).body)
            for agent in row["crawl"]:
                if robots.allows(agent, page.path) == "disallow":
                    row["crawl"][agent] = "disallow"
            if row["crawl"]["CCBot"] == "disallow":
                row["access"] = "disallow"
            training = robots.lines_for("CCBot", page.path, "disallowaitraining", "allowaitraining")
            if row["access"] != "disallow" and max(((length, name) for name, length, _ in training), default=(0, ""))[1] == "disallowaitraining":
                labels.update({label: "disallow" for label in ("train_ai", "train_genai") if label in labels})

    def lost_no(self, page, is_open):
        """Whether a Content-Usage of the page holds a no and does not parse (LABEL-7)."""
        statements = [", ".join(page.field("content-usage"))]
        if is_open:
            _, robots = self.site(page.origin)
            statements.append(robots_of(robots.body).usage("CCBot", page.path))
        return any(is_lost_no(statement) for statement in statements)

    def site(self, origin):
        """What the newest robots.txt of an origin comes to, and the capture that was read.

        More than five redirects are unavailable (RFC 9309 2.3.1.2).
        """
        capture, hops = self.newest.get(f"{origin}/robots.txt"), 0
        while capture and capture.status in (301, 302, 303, 307, 308) and hops < 5:
            target = urllib.parse.urljoin(capture.url, (capture.field("location") or [""])[0])
            capture, hops = self.newest.get(target), hops + 1
            if capture is None:
                return "redirect_unresolved", None
            if capture.status in (301, 302, 303, 307, 308) and hops == 5:
                return "unavailable", None
        if capture is None:
            return "not_archived", None
        family = capture.status // 100
        if family == 2 and not capture.is_text():
            return "unreadable", None
        return {2: "parsed", 4: "unavailable", 5: "unreachable"}.get(family, "other_status"), capture

    def is_by_name(self, row, page, agent):
        """Whether a page of the expectations is closed to an agent by name. What a twin closes is not (filtering/corpus-tokens)."""
        return row["robots_state"] != "not_archived" and self.robots_at(page.origin, row["robots_time"]).names(agent)

    def robots_at(self, origin, time):
        """The robots.txt of an origin that was fetched at a time; redirects followed."""
        if (origin, time) not in self.read_at:
            _, capture = self.site(origin)
            self.read_at[origin, time] = robots_of(capture.body)
        return self.read_at[origin, time]

    def known(self):
        """The hosts that answer: not 5xx, and without a near miss."""
        return [host for host, (_, state, _) in self.hosts.items() if state in ("parsed", "unavailable") and host not in self.lost]

    def closed(self, agent):
        return {host for host, robots in self.read.items() if robots.closes(agent) and host not in self.lost}

    def signals(self):
        """Hosts by key and value of Content-Signal."""
        found = collections.defaultdict(set)
        for host, robots in self.read.items():
            for name, value in robots.lines:
                for member in value.split(",") if name == "content-signal" else ():
                    key, equals, word = member.strip().partition("=")
                    if equals:
                        found[key.strip(), word.strip()].add(host)
        return found


@functools.cache
def tokens():
    """The names of the agents table."""
    return {row["token"].lower() for row in agents_table()}


def agents_table():
    with open(QUERIES.parent / "data/agents.tsv", newline="") as lines:
        rows = [line for line in lines if not line.startswith("#")]
        return list(csv.DictReader(rows, delimiter="\t"))


def closed_if_meant(body, robots, path, agents):
    """The agents to which lines that cannot be read close a path, once they are written as rules (ACCT-14)."""
    meant = rewritten(body) if near_misses(body) else None
    if meant is None:
        return []
    meant = robots_of(meant)
    return [agent for agent in agents if robots.allows(agent, path) == "allow" and meant.allows(agent, path) == "disallow"]


@functools.cache
def asked_agents():
    """The tokens of the agents table."""
    return [row["token"] for row in agents_table()]


class Site:
    """What is counted of one host: the state of its robots.txt, and what that closes to whom."""

    def __init__(self, state, status, body, time=""):
        self.state, self.status, self.body, self.time = state, status, body, time
        self.robots = robots_of(body) if state == "parsed" else None
        self.is_lost = state == "parsed" and (bool(doubts_for_all(body)) or bool(closed_if_meant(body, self.robots, "/", asked_agents())))
        self.is_html = state == "parsed" and bool(re.match(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body|script|title|meta)", body, re.I))

    def is_known(self):
        """Whether it answers."""
        return self.state in ("parsed", "unavailable") and not self.is_lost

    def names(self, agent):
        return self.is_known() and self.state == "parsed" and self.robots.names(agent)

    def closes(self, agent):
        return self.is_known() and self.state == "parsed" and self.robots.closes(agent)

    def by_name(self, agent):
        return self.names(agent) and self.closes(agent)

    def by_star(self, agent):
        return not self.names(agent) and self.closes(agent)

    def answer(self):
        """The class of the answer for robots.txt."""
        if self.state == "not_archived":
            return "no robots.txt capture"
        if self.state == "unreachable" or self.status == 429:
            return "defer visits"
        if self.status in (401, 403):
            return "forbidden"
        if self.state == "parsed":
            if self.is_html:
                return "not a robots.txt"
            has_rules = any(kind in ("allow", "disallow") and value for _, rules in self.robots.groups for kind, value in rules)
            return "with rules" if has_rules else "no rules"
        return {"unavailable": "allow all", "redirect_unresolved": "redirect not resolved", "unreadable": "not a robots.txt"}.get(self.state, "other")


def sites_of(reference):
    """The hosts of the segment."""
    found = {}
    for host, (origin, state, robots) in reference.hosts.items():
        capture = reference.newest.get(f"{origin}/robots.txt")
        found[host] = Site(state, capture.status if capture else None, robots.body if robots else b"", capture.time if capture else "")
    return found


def websites(sites):
    """The host of each website, which is a name and its www: one that answers, then the one that closes more agents, then the newest."""
    tokens, hosts = [row["token"] for row in agents_table()], collections.defaultdict(list)
    for host in sorted(sites):
        hosts[host.removeprefix("www.")].append(host)

    def strictness(host):
        site = sites[host]
        answers = 2 if site.is_known() else int(site.state == "unreachable")
        return answers, sum(map(site.closes, tokens)), site.time

    return {website: max(twins, key=strictness) for website, twins in hosts.items()}


def wanted_reason(page, policy):
    """Why the policy drops a page of expected.jsonl; None where it keeps it, False where expected.jsonl does not say."""
    if page["access"] is None:
        return False
    if page["access"] != "allow":
        return f"access_{page['access']}"
    if policy == "robots":
        return None
    if "labels" not in page:
        return False
    labels = [(label, page["labels"][label]) for label in ("train_ai", "train_genai")]
    reasons = [f"{label}_disallow" for label, value in labels if value == "disallow"]
    if policy == "strict":
        reasons += ["doubt"] if page["doubts"] else []
        reasons += [f"{label}_unknown" for label, value in labels if value != "allow"]
    return reasons[0] if reasons else None


def percent(part, whole):
    return round(100 * part / whole, 2)


class Checker:
    """Asks queries in an engine, DuckDB or Spark, and compares."""

    def __init__(self, engine, out):
        found = importlib.util.spec_from_file_location("engines", QUERIES.parent / "tests/queries/check.py")
        module = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
        self.engine = {"duckdb": module.DuckDb, "spark": module.Spark}[engine]()
        self.open(out)
        self.checked, self.wrong = set(), 0

    def open(self, out):
        """Asks the folder of a run from now on."""
        self.engine.open(out.resolve())
        if hasattr(self.engine, "keep_views"):
            self.engine.keep_views()

    def values(self, sql):
        """The rows of a statement."""
        return self.engine.rows(sql)[1:]

    def ask(self, query, **variables):
        """The rows of a query, as dictionaries."""
        columns, *rows = self.engine.rows((QUERIES / f"{query}.sql").read_text(), **variables)
        return [dict(zip(columns, row)) for row in rows]

    def end(self):
        """Says what was counted, and ends with status 1 where one differs."""
        print(f"{len(self.checked)} queries counted again: {', '.join(sorted(self.checked))}")
        sys.exit(1 if self.wrong else 0)

    def same(self, query, what, found, wanted):
        self.checked.add(query)
        if found != wanted:
            self.wrong += 1
            print(f"{query}, {what}: {found}, and counted {wanted}")


def by(rows, *columns):
    """Counts of rows by columns; the last column is the count."""
    counts = collections.Counter()
    for row in rows:
        counts[tuple(row[column] for column in columns[:-1])] += row[columns[-1]]
    return dict(counts)
