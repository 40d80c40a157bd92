#!/usr/bin/env python3
"""Counts again, from archives, what queries answer about two crawls, the change between them, and vendors' blocks.

    two_crawls.py BINARY ROBOTS.warc.gz WORK [duckdb|spark]

Of ROBOTS.warc.gz two crawls are made in WORK, by the year of the captures, so that hundreds of hosts are in both. The counts use
FastWARC, the plain reading of robots.txt of recount.py and data/agents.tsv, and none of the tables. Ends with status 1 where one differs.
"""
import collections
import pathlib
import re
import subprocess
import sys
import uuid

from near_miss import without_marks
from recount import AGENTS, AI, Checker, Site, agents_table, captures

EARLIER, LATER, YEAR = "CC-MAIN-2023-50", "CC-MAIN-2025-51", "2024"


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


def check_shares(check, crawls):
    """Who closes what in each crawl: by name, through *, and in whose text."""
    of_ai = [row["token"] for row in agents_table() if row["purpose"] in AI]
    for crawl, hosts in crawls.items():
        rows = lambda query: [row for row in check.ask(query) if row["crawl"] == crawl]
        known = [site for site in hosts.values() if site.is_known()]
        shut = {agent: (len(known), sum(site.by_name(agent) for site in known), sum(site.by_star(agent) for site in known)) for agent in AGENTS}
        found = {row["agent"]: (row["hosts_answering"], row["by_name"], row["by_star"]) for row in rows("agents/closed") if row["agent"] in AGENTS}
        check.same("agents/closed", crawl, found, shut)
        found, = [(row["hosts"], row["by_name"], row["by_star"]) for row in rows("agents/share-closed") if row["recommended"]]
        check.same("agents/share-closed", crawl, found, shut["GPTBot"])
        found, = [(row["units"], row["by_name"]) for row in rows("agents/closed-interval")]
        check.same("agents/closed-interval", crawl, found, shut["GPTBot"][:2])

        by_name = {site: [agent for agent in of_ai if site.by_name(agent)] for site in known}
        closing = [site for site, agents in by_name.items() if agents]
        only_by_star = sum(any(site.by_star(agent) for agent in of_ai) for site, agents in by_name.items() if not agents)
        row, = [row for row in rows("agents/closed-any") if row["kind"] == "any"]
        wanted = len(known), len(closing), only_by_star
        check.same("agents/closed-any", crawl, (row["units"], row["by_name"], row["only_by_star"]), wanted)
        # Texts that are known by a hash are vendors', too, and are not counted again.
        authors = [{author for lines in map(closing_authors(site.body).get, (agent.lower() for agent in by_name[site])) for author in lines or ()} for site in closing]
        in_blocks, in_both = (sum(map(is_so, authors)) for is_so in (lambda them: any(them), lambda them: None in them and any(them)))
        check.same("agents/closed-any", f"authors, {crawl}", row["own"] + row["vendor"] + row["both"], len(closing))
        check.same("agents/closed-any", f"vendors, {crawl}", (row["vendor"] + row["both"] >= in_blocks, row["both"] >= in_both), (True, True))

        found = {row["agent"]: (row["hosts"], row["by_name"], row["both"]) for row in rows("change/authors") if row["panel"] == "all hosts" and row["agent"] in AGENTS}
        both = {agent: sum({None} < set(closing_authors(site.body)[agent.lower()]) for site in known if site.by_name(agent)) for agent in AGENTS}
        check.same("change/authors", crawl, found, {agent: (*counts[:2], both[agent]) for agent, counts in shut.items() if counts[1]})
        texts = collections.defaultdict(collections.Counter)
        for row in rows("agents/own-or-vendor"):
            texts[row["agent"]][{"(own)": "own", "(both)": "both"}.get(row["author"], "vendor")] += row["hosts"]
        for row in rows("change/authors"):
            if row["panel"] == "all hosts":
                check.same("change/authors", f"{row['agent']}, {crawl}", {name: row[name] for name in ("own", "vendor", "both")}, {name: texts[row["agent"]][name] for name in ("own", "vendor", "both")})
                check.same("change/authors", f"after the break, {crawl}", row["is_after_break"], False)


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
    opened = {(host, agent) for host in both for agent in tokens if earlier[host].by_star(agent) and not later[host].closes(agent)}
    wanted = {(host, agent if later[host].names(agent) else "*") for host, agent in opened}
    check.same("change/bans-dropped", "through *", {(row["url_host_name"], row["agent"]) for row in rows if row["way"] == "by_star"}, wanted)
    check_hosts(check, earlier, later, tokens, {host for host in both if earlier[host].is_known() and later[host].is_known()})

    wanted = {}
    for host in earlier.keys() | later.keys():
        seen = [(crawl, hosts[host]) for crawl, hosts in sorted(crawls.items()) if host in hosts and hosts[host].is_known()]
        if any(site.closes("CCBot") for _, site in seen):
            first = [next((crawl for crawl, site in seen if closes(site)), None) for closes in (lambda site: site.by_name("CCBot"), lambda site: site.by_star("CCBot"))]
            wanted[host] = (*first, max((crawl for crawl, site in seen if not site.closes("CCBot")), default=None))
    found = {row["url_host_name"]: (row["first_by_name"], row["first_by_star"], row["last_open"]) for row in check.ask("change/first-closed")}
    check.same("change/first-closed", "CCBot", found, wanted)


def check_hosts(check, earlier, later, tokens, both):
    """A row of the group for all is about everybody; an agent that has a group in one of the crawls has a row of its own."""
    wanted = set()
    for host in both:
        was, now = earlier[host], later[host]
        for agent in tokens:
            if now.by_name(agent) and not was.by_name(agent):
                wanted.add((host, "closed by name", agent))
            if was.by_name(agent) and not now.closes(agent):
                wanted.add((host, "opened by name", agent))
            if now.by_star(agent) and not was.closes(agent):
                wanted.add((host, "closed through *", agent if was.names(agent) else "*"))
            if was.by_star(agent) and not now.closes(agent):
                wanted.add((host, "opened through *", agent if now.names(agent) else "*"))
    rows = check.ask("change/hosts")
    found = {(row["url_host_name"], row["change"], row["what"]) for row in rows if not row["change"].startswith("system")}
    check.same("change/hosts", "agents", found, wanted)


BLOCKS = {
    "begin cloudflare managed content": ("cloudflare", "end cloudflare managed content"),
    "begin cloudflare bot preference sync": ("cloudflare", "end cloudflare bot preference sync"),
    "start yoast block": ("yoast", "end yoast block"),
}
"""MANAGED-1, MANAGED-3: the marks of vendors' blocks that the corpus has. Texts that are known by a hash alone are not counted again."""


def authored(body):
    """The lines of a robots.txt with the vendor in whose block each is, None for every other line."""
    lines = re.split(rb"\r\n|\r|\n", without_marks(body))
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
    """The vendors, or None, of the lines that close everything to each agent of a robots.txt, in their order."""
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

        keys = collections.Counter()
        for site in hosts.values():
            keys.update({" ".join(line.partition(b":")[0].decode("utf-8", "replace").lower().split()) for line in re.split(rb"[\r\n]+", site.body)} if site.state == "parsed" else ())
        rows = [row for row in check.ask("adoption/unrecognised") if row["crawl"] == crawl]
        check.same("adoption/unrecognised", crawl, {row["name"]: row["hosts"] for row in rows}, {row["name"]: keys[row["name"]] for row in rows})

        rows = [row for row in check.ask("agents/own-or-vendor") if row["crawl"] == crawl]
        for agent in AGENTS:
            closing = [site for site in hosts.values() if site.by_name(agent)]
            found = [closing_authors(site.body)[agent.lower()] for site in closing]
            # Lines of a block and lines in none both count, no matter who wrote the latter.
            authors = collections.Counter("(both)" if None in them and any(them) else next(iter(them), None) or "(another)" for them in found)
            of_agent = {row["author"]: row["hosts"] for row in rows if row["agent"] == agent}
            marked = {vendor for vendor, _ in BLOCKS.values()}
            named = {*marked, "(both)"}
            found = {name: of_agent.get(name, 0) for name in named} | {"(another)": sum(count for author, count in of_agent.items() if author not in named)}
            check.same("agents/own-or-vendor", f"{agent}, {crawl}", found, {name: authors[name] for name in (*named, "(another)")})


def main():
    binary, archive, work, *engine = sys.argv[1:]
    archive, work = (pathlib.Path(path).resolve() for path in (archive, work))
    crawls = make_crawls(archive, work)
    subprocess.run([binary, "run", "-q", work / "archives", "-o", work / "crawls"], check=True)
    check = Checker(engine[0] if engine else "duckdb", work / "crawls")
    check_shares(check, crawls)
    check_change(check, crawls)
    check_bans(check, crawls)
    check_vendors(check, crawls)
    check.end()


main()
