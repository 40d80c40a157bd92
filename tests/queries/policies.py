#!/usr/bin/env python3
"""Holds the presets of `crawlprefs judge --policy` against the policies of queries/views.sql.

policies.py OUT CRAWLPREFS FOLDER: OUT is the folder of a run, CRAWLPREFS the command, FOLDER an empty folder. Every
page with a record id is a document: each preset must keep and drop the same ones as keep_list and drop_list, for the
same reasons where only one page has the id, and cost.json must be what the view page_policies adds up to. A page that its
site's files alone refuse is dropped by judge, although its header says otherwise (RULES KNOW-6): SQL has rows alone. Ends with
status 1 where anything differs.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

import duckdb

QUERIES = pathlib.Path(__file__).resolve().parents[2] / "queries"
PRESETS = ("robots", "labels", "strict")


def read(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def main(out, command, folder):
    out, command, folder = pathlib.Path(out).resolve(), pathlib.Path(command).resolve(), pathlib.Path(folder).resolve()
    os.chdir(out)
    database = duckdb.connect()
    database.execute((QUERIES / "duckdb.sql").read_text())
    database.execute((QUERIES / "views.sql").read_text())
    documents = folder / "documents.jsonl"
    pages = "SELECT DISTINCT warc_record_id, url FROM pages WHERE warc_record_id IS NOT NULL ORDER BY ALL"
    rows = database.sql(pages).fetchall()
    documents.write_text("".join(json.dumps({"id": record, "url": url, "text": "x" * 7}) + "\n" for record, url in rows))
    counts = collections.Counter(record for record, _ in rows)
    once = {record for record, count in counts.items() if count == 1}
    # What the site's files say of each page without its record.
    by_site = folder / "by-site.jsonl"
    dated = "SELECT warc_record_id, url, strftime(fetch_time AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ') FROM pages WHERE warc_record_id IS NOT NULL"
    dated = database.sql(dated).fetchall()
    by_site.write_text("".join(json.dumps({"record": record, "url": url, "date": date}) + "\n" for record, url, date in dated))
    judged = subprocess.run([command, "judge", by_site, "--tables", out, "-q"], check=True, stdout=subprocess.PIPE, text=True)
    labels = ("search", "train_ai", "train_genai", "ai_input", "tdm")
    refused = {row["record"] for row in map(json.loads, judged.stdout.splitlines())
               if any(row[f"prefs_{label}"] == "disallow" for label in labels)}
    differences = []
    for policy in PRESETS:
        kept, dropped = folder / policy / "kept", folder / policy / "dropped"
        subprocess.run([command, "judge", documents, "--tables", out, "--policy", policy, "-q", "-o", kept,
                        "--dropped", dropped], check=True)
        found = {"keep": {row["id"]: "" for row in read(kept / documents.name)},
                 "drop": {row["id"]: row["reason"] for row in read(dropped / documents.name)}}
        for name in ("keep", "drop"):
            wanted = dict(database.sql(f"SELECT id, reason FROM {name}_list WHERE policy = '{policy}'").fetchall())
            differing = (found[name].keys() ^ wanted.keys()) - refused
            if differing:
                differences.append(f"{policy}: {name} {differing}")
            if name == "drop":
                differences += [f"{policy}: {record} for {found[name].get(record)}, in SQL for {reason}"
                                for record, reason in wanted.items() if record in once - refused and found[name].get(record) != reason]
        cost = json.loads((folder / policy / "_kept.judge/cost.json").read_text())
        lengths = {"kept": len(found["keep"]), "dropped": len(found["drop"])}
        if cost["all"]["documents"] != len(rows) or cost["dropped"]["text_bytes"] != 7 * cost["dropped"]["documents"]:
            differences.append(f"{policy}: {cost}")
        print(f"{policy}: {lengths}, {len(once)} of {len(rows)} ids once")
        if not all(lengths.values()):
            differences.append(f"{policy}: nothing to compare")
    print(f"{len(differences)} differences", *differences[:20], sep="\n")
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
