#!/usr/bin/env python3
"""Compares what the command makes of five invented crawls with a reference of its own, row for row: check.py BINARY FOLDER.

Shares and changes of each crawl, the panel of queries/change/panel.sql at five dates and for each crawl, the states of `sites` at these times, the history of each
origin, policies with two times (a document's own and the newest; two dates), and judge --diff. FOLDER is made; it needs a Python with DuckDB.
"""
import csv
import json
import pathlib
import subprocess
import sys

import duckdb

sys.dont_write_bytecode = True  # nothing is written into the checkout
import reference  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
QUERIES = HERE.parents[1] / "queries"
DATES = ("2022-06-01", "2023-06-01", "2024-06-01", "2025-06-01", "2026-10-01")
LAST = "9999"
TIMES = ("2021-12-01", "2022-03-01", "2023-07-15", "2024-12-24", "2026-01-01", "2026-11-01")
AI = ("train", "dataset", "ai_search", "assistant", "agent", "coding_agent", "mixed", "data_provider")
"""The purposes of agents of AI (queries/agents/closed-any.sql)."""
POLICY = 'preset = "labels"\nagents = ["CCBot", "GPTBot"]\n'


def same(what, found, expected):
    """Stops at the first rows that differ."""
    found, expected = list(found), list(expected)
    only_found = [row for row in found if row not in expected][:5]
    only_expected = [row for row in expected if row not in found][:5]
    assert found == expected, f"{what}: found {only_found}, expected {only_expected}"
    assert found, f"{what}: nothing to compare"
    print(f"{what}: {len(found)} rows are those of the reference")


def agents(entry):
    """Returns what an entry says is closed to the agents that a robots.txt names, and to everyone else."""
    said = entry.get("agents")
    if said is None:
        return {}, None
    named = {name.lower(): closed for closed in ("full", "partial", "none") for name in said[closed]["names"]}
    return named, said["everyone"]["closed"]


def changes(entry):
    """Returns for which agents an entry changed how much is closed."""
    found = ((change["before"]["closed"], change["after"]["closed"], change["agents"]["names"]) for change in entry["agent_changes"])
    return sorted((name.lower(), was, now) for was, now, names in found for name in names)


class World:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        subprocess.run([sys.executable, HERE / "world.py", folder], check=True)
        self.truth = reference.Truth(folder)

    def run(self, *args):
        subprocess.run([self.binary, *map(str, args), "-q"], check=True, cwd=self.folder)

    def tables(self, name, moments):
        """Compares `sites` and the panel of a folder with the reference."""
        with duckdb.connect() as connection:
            connection.execute(f"SET file_search_path = '{self.folder / name}'")
            for text in ("duckdb.sql", "views.sql"):
                connection.execute((QUERIES / text).read_text(encoding="utf-8"))
            found = connection.sql("SELECT crawl, origin, robots_state FROM sites ORDER BY crawl, origin").fetchall()
            sites = {crawl: self.truth.sites(time, of) for crawl, time, of in moments}
            expected = [(crawl, origin, site[0]) for crawl, all_of in sites.items() for origin, site in all_of.items()]
            same(f"sites, {name}", found, sorted(expected))
            panel = connection.sql((QUERIES / "change/panel.sql").read_text(encoding="utf-8")).fetchall()
            same(f"panel, {name}", panel, reference.panel(self.truth, moments))

    def figures(self, name, hosts_of):
        """Compares the shares and the changes of each crawl with the reference."""
        of_crawl = {crawl: hosts_of(self.truth, crawl) for crawl in self.truth.crawls}.get
        with open(reference.AGENTS, encoding="utf-8", newline="") as lines:
            table = list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE))
        agents, of_ai = ([row["token"] for row in table if row["purpose"] in purposes] for purposes in ({row["purpose"] for row in table}, AI))
        with duckdb.connect() as connection:
            connection.execute(f"SET file_search_path = '{self.folder / name}'")
            for text in ("duckdb.sql", "views.sql"):
                connection.execute((QUERIES / text).read_text(encoding="utf-8"))

            def asked(query, columns):
                text = (QUERIES / f"{query}.sql").read_text(encoding="utf-8").rstrip().removesuffix(";")
                return connection.sql(f"SELECT {columns} FROM ({text})").fetchall()

            crawls = self.truth.crawls
            wanted = sorted(reference.shares(of_crawl, crawls, agents))
            # An agent to which nothing is closed has no row.
            closing = [row for row in wanted if row[2] + row[3] + row[4]]
            found = asked("agents/closed", "crawl, agent, by_name, by_star, by_error, hosts_answering")
            same(f"agents/closed, {name}", sorted(row for row in found if sum(row[2:5])), closing)
            gptbot = [row for row in wanted if row[1] == "GPTBot"]
            found = asked("agents/share-closed", "crawl, 'GPTBot', by_name, by_star, 0, hosts, recommended")
            same(f"agents/share-closed, {name}", [row[:-1] for row in found if row[-1]], [(*row[:4], 0, row[5]) for row in gptbot])
            found = asked("agents/closed-interval", "crawl, by_name, units")
            same(f"agents/closed-interval, {name}", found, [(crawl, by_name, hosts) for crawl, _, by_name, _, _, hosts in gptbot])
            if (self.folder / name / "robots_agents").exists():
                found = asked("agents/closed-any", "crawl, by_name, only_by_star, kind")
                same(f"agents/closed-any, {name}", [row[:-1] for row in found if row[-1] == "any"], reference.shares_of_any(of_crawl, crawls, of_ai))
            columns = "crawl, next_crawl, agent, survivors, by_name_before, by_name_after, closed, opened, opened_still_star, through_star_before, through_star_after, not_known, only_before, only_after"
            found = asked("change/summary", columns)
            same(f"change/summary, {name}", found, reference.summary(of_crawl, crawls, sorted({row[2] for row in found})))

    def histories(self):
        """Compares the history of each origin with the reference."""
        found, expected = [], []
        for origin in sorted({one["origin"] for one in self.truth.captures}):
            command = [self.binary, "history", f"{origin}/", "--sites", "index", "--json"]
            printed = subprocess.run(command, check=True, cwd=self.folder, capture_output=True, text=True).stdout
            entries = [it for it in map(json.loads, printed.splitlines()) if it["item"] == "entry"]
            found += [
                (origin, it["first"], it["last"], it["fetches"], it["state"], *agents(it), it["labels"]["train_ai"], changes(it))
                for it in entries
            ]
            expected += reference.history(self.truth, origin)
        same("history", found, expected)

    def documents(self, times, pages=()):
        """Writes documents of all hosts at several times, and pages of the tables."""
        hosts = sorted({one["origin"] for one in self.truth.captures}) + ["https://nobody.example"]
        documents = [
            {"url": f"{origin}{path}", "date": f"{time}T00:00:00Z"}
            for number, origin in enumerate(hosts)
            for path in ("/", f"/private/{number}")
            for time in (times if path == "/" else times[number % len(times) :][:1])
        ]
        documents += [{"id": it["id"], "url": it["url"], "date": it["time"], "noai": it["noai"]} for it in pages]
        lines = [json.dumps({key: value for key, value in it.items() if key != "noai"}) for it in documents]
        (self.folder / "documents.jsonl").write_text("\n".join(lines) + "\n")
        return documents

    def lines(self, name):
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]

    def judged(self, what, documents, times, *flags):
        """Judges by a policy with these times; compares what is kept and what is dropped, with the reasons, with the reference."""
        out = what.replace(" ", "-")
        (self.folder / f"{out}.toml").write_text(f"{POLICY}at = {json.dumps([name for name, _ in times])}\n")
        self.run("judge", "documents.jsonl", *flags, "--policy", f"{out}.toml", "-o", out, "--dropped", f"{out}-dropped")
        reasons = [reference.reason(self.truth, document, times) for document in documents]
        key = lambda it: (it.get("id") or None, it["url"], it["date"])
        kept = [key(it) for it, reason in zip(documents, reasons) if reason is None]
        same(f"{what}, kept", map(key, self.lines(f"{out}/documents.jsonl")), kept)
        dropped = [(*key(it), reason) for it, reason in zip(documents, reasons) if reason]
        found = [(*key(it), it["reason"]) for it in self.lines(f"{out}-dropped/documents.jsonl")]
        same(f"{what}, dropped", found, dropped)
        return reasons


def main():
    binary, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    world = World(binary, folder)
    world.run("run", "crawl-data", "-o", "out")
    world.run("index", "out", "-o", "index")
    world.run("sites", "index", "--at", ",".join(DATES), "-o", "dates")
    world.tables("dates", [(date, date, None) for date in DATES])
    world.run("sites", "index", "--at", "each-crawl", "-o", "crawls")
    world.tables("crawls", [(crawl, LAST, crawl) for crawl in world.truth.crawls])

    world.figures("crawls", reference.of_each_crawl)
    world.figures("out", reference.of_run)

    world.histories()

    # The crawls are years apart; how old a copy may be (KNOW-5) has tests of its own.
    by_index = ("--sites", "index", "--robots-max-age", "none")
    documents = world.documents(TIMES)
    world.judged("then and newest", documents, [("page", None), ("newest", LAST)], *by_index)
    two = ("2023-06-01T00:00:00Z", "2025-06-01T00:00:00Z")
    world.judged("two dates", documents, [(time, time) for time in two], *by_index)
    # A document without an id is known by its URL: each is there once.
    documents = world.documents(TIMES[2:3])
    then = world.judged("then", documents, [("page", None)], *by_index)
    now = world.judged("now", documents, [("newest", LAST)], *by_index, "--diff", "then")
    changes = [
        (it["url"], "removed" if reason_now else "added", reason_then, reason_now)
        for it, reason_then, reason_now in zip(documents, then, now)
        if (reason_then is None) != (reason_now is None)
    ]
    found = [(it["url"], it["change"], it["reason_then"], it["reason_now"]) for it in world.lines("_now.judge/changes.jsonl")]
    same("judge --diff", found, changes)

    documents = world.documents(TIMES, world.truth.pages)
    world.run("resolve", "out", "-o", "of_any_age", "--robots-max-age", "none")
    by_both = ("--tables", "of_any_age", "--sites", "index")
    world.judged("records then and newest", documents, [("page", None), ("newest", LAST)], *by_both)


main()
