#!/usr/bin/env python3
"""Counts the captures of Common Crawl archives with FastWARC, independently of crawlprefs.

count.py FOLDER prints, as JSON, per subset: responses and revisits of the web, those of them whose
path is /robots.txt, and how many responses carry some header fields.
"""
import collections
import json
import pathlib
import sys
import urllib.parse

from fastwarc.warc import ArchiveIterator, WarcRecordType

HEADERS = ("x-robots-tag", "robots-tag", "content-usage", "tdm-reservation")


def count(path, counts):
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response | WarcRecordType.revisit):
            url = urllib.parse.urlsplit(record.headers.get("WARC-Target-URI"))
            if url.scheme not in ("http", "https"):
                continue
            counts["captures"] += 1
            counts["robots"] += url.path == "/robots.txt" and not url.query
            names = {name.lower() for name, _ in record.http_headers} if record.http_headers else set()
            for name in HEADERS:
                counts[name] += name in names


def main():
    subsets = collections.defaultdict(collections.Counter)
    for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.warc.gz")):
        count(path, subsets[path.parent.name])
    json.dump({subset: dict(counts) for subset, counts in subsets.items()}, sys.stdout)


main()
