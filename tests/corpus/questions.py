#!/usr/bin/env python3
"""Counts again, from archives, what queries answer about ranks, lists of sites, the tokens of a data set and change.

    questions.py BINARY SEGMENT OUT ROBOTS.warc.gz WORK [duckdb|spark]

OUT is the folder of `crawlprefs run SEGMENT`; ranks, lists and a data set of its pages are put there (the data set by DuckDB: Spark is
asked after it). Of ROBOTS.warc.gz two crawls
are made in WORK, by the year of the captures, so that hundreds of hosts are in both. The counts use FastWARC, the plain reading of
robots.txt of recount.py and data/agents.tsv, and none of the tables. Ends with status 1 where one differs.
"""
import collections
import csv
import hashlib
import pathlib
import re
import subprocess
import sys
import urllib.parse
import uuid

from recount import QUERIES, Checker, Reference, Robots, captures

EARLIER, LATER, YEAR = "CC-MAIN-2023-50", "CC-MAIN-2025-51", "2024"
TRAINING = ("GPTBot", "ClaudeBot", "anthropic-ai", "Google-Extended", "CCBot", "Applebot-Extended", "meta-externalagent", "FacebookBot", "Bytespider")
OPERATORS = {"OpenAI", "Anthropic", "Google", "Common Crawl", "Apple", "Meta", "Perplexity", "ByteDance"}
AGENTS = ("GPTBot", "ClaudeBot", "CCBot", "Google-Extended", "PerplexityBot", "Googlebot")
TOPS = (1000, 10000, 100000, 1000000)


def agents_table():
    with open(QUERIES.parent / "data/agents.tsv", newline="") as lines:
        rows = [line for line in lines if not line.startswith("#")]
        return list(csv.DictReader(rows, delimiter="\t"))


class Site:
    """What is counted of one host: the state of its robots.txt, and what that closes to whom."""

    def __init__(self, state, status, body):
        self.state, self.status, self.body = state, status, body
        self.robots = Robots(body) if state == "parsed" else None
        self.is_html = state == "parsed" and bool(re.match(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body|script|title|meta)", body, re.I))

    def is_known(self):
        return self.state in ("parsed", "unavailable", "unreachable")

    def names(self, agent):
        return self.state == "parsed" and self.robots.names(agent)

    def closes(self, agent):
        return self.state == "parsed" and self.robots.closes(agent)

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
        found[host] = Site(state, capture.status if capture else None, robots.body if robots else b"")
    return found


def rank(domain):
    """A rank from 1 to 1,200,000 that depends on the name alone."""
    return int(hashlib.sha256(domain.encode()).hexdigest(), 16) % 1_200_000 + 1 if len(domain) % 3 else len(domain) * 29


def write_corpus(out, tokens):
    """The data set, as Parquet: an environment with Spark alone finds it written."""
    import duckdb

    (out / "corpus").mkdir(exist_ok=True)
    (out / "corpus.csv").write_text("id,language,token_count\n" + "".join(f"{name},en,{count}\n" for name, count in tokens.items()))
    duckdb.sql(f"FROM read_csv('{out}/corpus.csv', header = true)").write_parquet(f"{out}/corpus/part.parquet")


def bring(out, reference, sites, engine):
    """Puts ranks, lists and a data set into OUT; returns what of each is counted."""
    ranks = {domain: rank(domain) for domain in {host.removeprefix("www.") for host in sites}}
    (out / "ranks.csv").write_text("".join(f"{place},{domain}\n" for domain, place in sorted(ranks.items())))
    lists = {host: f"list-{rank(host) % 3}" for host in sites if host.count(".") == 1}
    (out / "lists.csv").write_text("list,domain\n" + "".join(f"{name},{domain}\n" for domain, name in sorted(lists.items())))
    pages = {page.id: page for page in reference.pages}
    tokens = {page["record_id"]: len(pages[page["record_id"]].body) % 997 for page in reference.expected}
    tokens["<urn:uuid:00000000-0000-4000-8000-00000000ffff>"] = 1000
    if engine == "duckdb":
        write_corpus(out, tokens)
    return ranks, lists, tokens


def ranked(sites, ranks):
    """The host that answers for each ranked domain: one whose robots.txt is known before another, then the domain itself."""
    for domain, place in ranks.items():
        hosts = [host for host in (domain, f"www.{domain}") if host in sites]
        if hosts:
            yield place, sites[min(hosts, key=lambda host: (not sites[host].is_known(), host != domain))]


def check_ranks(check, sites, ranks):
    tops = {top: [site for place, site in ranked(sites, ranks) if place <= top] for top in TOPS}
    found = collections.defaultdict(dict)
    for row in check.ask("outcomes/robots-status-by-rank"):
        found[row["top"]][row["status_class"]] = row["hosts"]
    for top, of_top in tops.items():
        check.same("outcomes/robots-status-by-rank", f"top {top}", found[top], dict(collections.Counter(site.answer() for site in of_top)))

    for row in check.ask("agents/closed-by-rank"):
        known = [site for site in tops[row["top"]] if site.is_known()]
        wanted = {
            "by_name": sum(site.by_name("CCBot") for site in known),
            "by_star": sum(site.by_star("CCBot") for site in known),
            "by_error": sum(site.state == "unreachable" for site in known),
            "refused": sum(site.answer() == "forbidden" for site in known),
            "domains_known": len(known),
            "domains_with_rules": sum(site.answer() == "with rules" for site in known),
        }
        check.same("agents/closed-by-rank", f"top {row['top']}", {name: row[name] for name in wanted}, wanted)

    for row in check.ask("agents/named-by-rank"):
        if row["agent"] in AGENTS:
            readable = [site for site in tops[row["top"]] if site.state == "parsed"]
            wanted = sum(site.names(row["agent"]) for site in readable), len(readable)
            check.same("agents/named-by-rank", f"{row['agent']}, top {row['top']}", (row["domains"], row["domains_readable"]), wanted)

    strata = collections.defaultdict(list)
    for place, site in ranked(sites, ranks):
        if site.state in ("parsed", "unavailable"):
            strata["top 5000" if place <= 5000 else "below"].append(site)
    for row in check.ask("agents/named-or-star-by-rank"):
        of_stratum = strata[row["stratum"]]
        named = [any(map(site.by_name, TRAINING)) for site in of_stratum]
        closed = [any(map(site.closes, TRAINING)) for site in of_stratum]
        wanted = len(of_stratum), sum(named), sum(closed) - sum(named)
        check.same("agents/named-or-star-by-rank", row["stratum"], (row["domains"], row["by_name"], row["only_by_star"]), wanted)


def check_lists(check, sites, lists):
    """The domain of a host is taken from the view hosts, as the list of public suffixes is not counted again here."""
    hosts = collections.defaultdict(list)
    for host, domain in check.values("SELECT url_host_name, coalesce(url_host_registered_domain, url_host_name) FROM hosts"):
        if domain in lists and sites[host].state in ("parsed", "unavailable"):
            hosts[lists[domain], domain].append(sites[host])
    agents = collections.defaultdict(dict)
    for row in agents_table():
        if row["operator"] in OPERATORS and row["purpose"] in ("train", "dataset", "ai_search", "assistant"):
            agents[row["operator"]][row["token"]] = row["purpose"] in ("train", "dataset")
    wanted = {}
    for name in sorted(set(lists.values())):
        domains = [of_domain for (of_list, _), of_domain in hosts.items() if of_list == name]
        for operator, tokens in agents.items():
            by_name = [any(site.by_name(token) for site in of_domain for token in tokens) for of_domain in domains]
            closes = [any(site.closes(token) for site in of_domain for token in tokens) for of_domain in domains]
            training = [any(site.by_name(token) for site in of_domain for token in tokens if tokens[token]) for of_domain in domains]
            wanted[name, operator] = len(domains), sum(by_name), sum(closes) - sum(by_name), sum(training)
    found = {
        (row["list"], row["operator"]): (row["domains"], row["by_name"], row["only_by_star"], row["training_by_name"])
        for row in check.ask("agents/lists-by-operator")
    }
    check.same("agents/lists-by-operator", "domains", found, wanted)


def page_robots(reference):
    """Every capture of robots.txt that was parsed, by origin and time."""
    return {(capture.origin, capture.time): Robots(capture.body) for capture in reference.robots if capture.status == 200}


def check_tokens(check, reference, tokens):
    pages, read = {page.id: page for page in reference.pages}, page_robots(reference)
    for row in check.ask("filtering/corpus-tokens"):
        agent, counts, left = row["agent"], collections.Counter(), 0
        for page in reference.expected:
            verdict, count = page["crawl"].get(agent), tokens[page["record_id"]]
            robots = read.get((pages[page["record_id"]].origin, page["robots_time"])) or read_redirected(reference, pages[page["record_id"]])
            if verdict is None:  # the parsers that were asked disagree
                left += count
            elif verdict == "unknown":
                counts["unknown"] += count
            elif verdict == "disallow" and page["robots_state"] == "unreachable":
                counts["by_error"] += count
            elif verdict == "disallow":
                counts["by_name" if robots.names(agent) else "by_star"] += count
        for name in ("by_name", "by_star", "by_error", "unknown"):
            inside = counts[name] <= row[name] <= counts[name] + left
            check.same("filtering/corpus-tokens", f"{agent}, {name}: {row[name]}, and counted {counts[name]} to {counts[name] + left}", inside, True)
        check.same("filtering/corpus-tokens", f"{agent}, all", (row["tokens_all"], row["not_found"]), (sum(tokens.values()), 1000))


def read_redirected(reference, page):
    """The robots.txt of a page whose robots.txt redirects."""
    _, capture = reference.site(page.origin)
    return Robots(capture.body) if capture else None


def make_crawls(archive, work):
    """Writes the captures of an archive as two crawls, by their year; returns the newest of each host in each crawl."""
    streams, newest = {}, collections.defaultdict(dict)
    for crawl in (EARLIER, LATER):
        folder = work / f"archives/crawl-data/{crawl}/segments/1/robotstxt"
        folder.mkdir(parents=True)
        streams[crawl] = open(folder / "00000.warc", "wb")
    for capture in captures(archive):
        if re.fullmatch(r"[0-9]{4,}", capture.host.rpartition(".")[2]):
            continue  # no address, and by the URL standard no name
        crawl = EARLIER if capture.time < YEAR else LATER
        kept = newest[crawl].get(capture.host)
        if kept and kept.time == capture.time:
            continue  # which of the two is the newest is not said
        if not kept or kept.time < capture.time:
            newest[crawl][capture.host] = capture
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + capture.body
        names = f"WARC-Type: response\r\nWARC-Date: {capture.time}\r\nWARC-Record-ID: <urn:uuid:{uuid.uuid4()}>\r\nWARC-Target-URI: {capture.url}\r\n"
        head = f"WARC/1.0\r\n{names}Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
        streams[crawl].write(head.encode() + block + b"\r\n\r\n")
    for stream in streams.values():
        stream.close()
    return {crawl: {host: site_of(capture.body) for host, capture in hosts.items()} for crawl, hosts in newest.items()}


def site_of(body):
    """READ-3: images, UTF-16 and compressed bytes are no text, and all that this corpus has of them have a NUL; it may end with padding."""
    return Site("unreadable" if b"\0" in body.rstrip(b"\0\r\n") else "parsed", 200, body)


def check_change(check, crawls):
    earlier, later = crawls[EARLIER], crawls[LATER]
    in_both = earlier.keys() & later.keys()
    both = {host for host in in_both if earlier[host].is_known() and later[host].is_known()}
    for row in check.ask("change/summary"):
        agent = row["agent"]
        was, now = ({host for host in both if crawl[host].by_name(agent)} for crawl in (earlier, later))
        star_was, star_now = ({host for host in both if crawl[host].by_star(agent)} for crawl in (earlier, later))
        wanted = {
            "survivors": len(both),
            "by_name_before": len(was),
            "by_name_after": len(now),
            "closed": len(now - was),
            "opened": len(was - now),
            "opened_still_star": len(was & star_now),
            "through_star_before": len(star_was),
            "through_star_after": len(star_now),
            "not_known": len(in_both) - len(both),
            "only_before": len(earlier) - len(in_both),
            "only_after": len(later) - len(in_both),
        }
        check.same("change/summary", agent, {name: row[name] for name in wanted}, wanted)

    known = [{host for host, site in crawl.items() if site.is_known()} for crawl in (earlier, later)]
    panels = {
        ("all hosts", EARLIER): known[0], ("all hosts", LATER): known[1], ("balanced", EARLIER): both,
        ("balanced", LATER): both, ("newcomers", LATER): known[1] - known[0],
    }
    for row in check.ask("change/panel"):
        if row["agent"] in AGENTS and row["by_name"] is not None:
            hosts, of_crawl = panels[row["panel"], row["crawl"]], crawls[row["crawl"]]
            wanted = len(hosts), sum(of_crawl[host].by_name(row["agent"]) for host in hosts), sum(of_crawl[host].by_star(row["agent"]) for host in hosts)
            what = f"{row['agent']}, {row['panel']}, {row['crawl']}"
            check.same("change/panel", what, (row["hosts"], row["by_name"], row["through_star"]), wanted)


def check_bans(check, crawls):
    earlier, later = crawls[EARLIER], crawls[LATER]
    both = earlier.keys() & later.keys()
    tokens = [row["token"] for row in agents_table()]
    rows = check.ask("change/bans-dropped")
    wanted = {(host, agent) for host in both for agent in tokens if earlier[host].by_name(agent) and not later[host].closes(agent)}
    check.same("change/bans-dropped", "by name", {(row["url_host_name"], row["agent"]) for row in rows if row["way"] == "by_name"}, wanted)
    wanted = {host for host in both if any(earlier[host].by_star(agent) and not later[host].closes(agent) for agent in tokens)}
    check.same("change/bans-dropped", "through *", {row["url_host_name"] for row in rows if row["way"] == "by_star"}, wanted)

    wanted = {}
    for host in earlier.keys() | later.keys():
        seen = [(crawl, hosts[host]) for crawl, hosts in sorted(crawls.items()) if host in hosts and hosts[host].is_known()]
        if any(site.closes("CCBot") for _, site in seen):
            first = [next((crawl for crawl, site in seen if closes(site)), None) for closes in (lambda site: site.by_name("CCBot"), lambda site: site.by_star("CCBot"))]
            wanted[host] = (*first, max((crawl for crawl, site in seen if not site.closes("CCBot")), default=None))
    found = {row["url_host_name"]: (row["first_by_name"], row["first_by_star"], row["last_open"]) for row in check.ask("change/first-closed")}
    check.same("change/first-closed", "CCBot", found, wanted)


BLOCKS = {
    "begin cloudflare managed content": ("cloudflare", "end cloudflare managed content"),
    "begin cloudflare bot preference sync": ("cloudflare", "end cloudflare bot preference sync"),
    "start yoast block": ("yoast", "end yoast block"),
}
"""MANAGED-1, MANAGED-3: the marks of vendors' blocks that the corpus has. Texts that are known by a hash alone are not counted again."""


def authored(body):
    """The lines of a robots.txt with the vendor in whose block each is, None for every other line."""
    lines = re.split(rb"\r\n|\r|\n", body.removeprefix(b"\xef\xbb\xbf"))
    comments = [" ".join(line.decode("utf-8", "replace").lstrip("# \t").lower().split()) if line.lstrip()[:1] == b"#" else "" for line in lines]
    authors = [None] * len(lines)
    for end, comment in enumerate(comments):
        for begin_mark, (vendor, end_mark) in BLOCKS.items():
            if comment == end_mark:
                begin = max((at for at in range(end) if comments[at] == begin_mark), default=None)
                if begin is not None:
                    authors[begin : end + 1] = [vendor] * (end + 1 - begin)
    return list(zip((line.decode("utf-8", "replace") for line in lines), authors))


def closing_authors(body):
    """The vendors, or None, of the lines that close everything to each agent of a robots.txt, in their order: the first counts."""
    found, agents, in_rules = collections.defaultdict(list), [], True
    for line, author in authored(body):
        name, colon, value = line.split("#")[0].partition(":")
        name, value = name.strip().lower(), value.strip().lower()
        if colon and name == "user-agent":
            agents = [value] if in_rules else [*agents, value]
            in_rules = False
        elif colon and name in ("allow", "disallow", "content-signal"):
            in_rules = True
            if name == "disallow" and re.fullmatch(r"/\*?|\*+", value):
                for agent in agents:
                    found[agent].append(author)
    return found


def check_vendors(check, crawls):
    """Who wrote it: what is in vendors' blocks, and what is not, of Content-Signal and of the lines that close an agent by name."""
    for crawl, hosts in crawls.items():
        stating = collections.Counter()
        for site in hosts.values():
            if site.state == "parsed":
                lines = ((line.split("#")[0].partition(":"), author) for line, author in authored(site.body))
                authors = {author or "(own)" for (name, _, value), author in lines if name.strip().lower() == "content-signal" and value.strip()}
                stating.update(authors)
                stating["hosts"] += bool(authors)
                stating["both"] += len(authors) > 1
        rows = [row for row in check.ask("adoption/managed-or-own") if row["crawl"] == crawl and row["system"] == "content_signal"]
        found = {row["author"]: row["hosts"] for row in rows} | {"hosts": sum(row["hosts_stating"] for row in rows[:1]), "both": sum(row["hosts_of_both"] for row in rows[:1])}
        check.same("adoption/managed-or-own", f"Content-Signal, {crawl}", found, {"hosts": 0, "both": 0} | stating)

        rows = [row for row in check.ask("agents/own-or-vendor") if row["crawl"] == crawl]
        for agent in AGENTS:
            closing = [site for site in hosts.values() if site.by_name(agent)]
            authors = collections.Counter(next(iter(closing_authors(site.body)[agent.lower()]), None) or "(another)" for site in closing)
            of_agent = {row["author"]: row["hosts"] for row in rows if row["agent"] == agent}
            marked = {vendor for vendor, _ in BLOCKS.values()}
            found = {vendor: of_agent.get(vendor, 0) for vendor in marked} | {"(another)": sum(count for author, count in of_agent.items() if author not in marked)}
            check.same("agents/own-or-vendor", f"{agent}, {crawl}", found, {name: authors[name] for name in (*marked, "(another)")})


def main():
    binary, segment, out, archive, work, *engine = sys.argv[1:]
    segment, out, archive, work = (pathlib.Path(path).resolve() for path in (segment, out, archive, work))
    engine = engine[0] if engine else "duckdb"
    reference = Reference(segment)
    sites = sites_of(reference)
    ranks, lists, tokens = bring(out, reference, sites, engine)
    check = Checker(engine, out)
    check_ranks(check, sites, ranks)
    check_lists(check, sites, lists)
    check_tokens(check, reference, tokens)
    crawls = make_crawls(archive, work)
    subprocess.run([binary, "run", "-q", work / "archives", "-o", work / "crawls"], check=True)
    check.open(work / "crawls")
    check_change(check, crawls)
    check_bans(check, crawls)
    check_vendors(check, crawls)
    print(f"{engine}: {len(check.checked)} queries counted again: {', '.join(sorted(check.checked))}")
    sys.exit(1 if check.wrong else 0)


main()
