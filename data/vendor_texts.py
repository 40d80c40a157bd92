#!/usr/bin/env python3
"""Makes vendor_texts.tsv: hashes of texts that vendors put into their customers' robots.txt.

vendor_texts.py clusters ARCHIVE [HOSTS]
    prints the texts of whole files that stand on at least HOSTS hosts (default 5), the most frequent first.
vendor_texts.py runs ARCHIVE LINE [HOSTS]
    prints, for runs that start with LINE (normalised), where they end on many hosts.
vendor_texts.py rows ARCHIVE LIST
    prints the table for a list with tabs: vendor, what, URL of a file (`URL#2` for its second capture), number
    of the run's first line and of its lines (counted in normalised lines from 1; 0 for all that follow).

Normalised is a file without byte order mark, blank lines and lines that start with `sitemap:`, each line in
ASCII lower case, with one blank for white space and none at its ends. Hashes are FNV-1a with 64 bits, of the
lines joined by a line feed. Only hashes are kept, no texts.
"""
import collections
import re
import sys
import urllib.parse

from fastwarc.warc import ArchiveIterator, WarcRecordType

HEADER = """\
# Hashes of texts that vendors put into their customers' robots.txt; made by vendor_texts.py, which says of what.
# what: file (the whole file) or run (anywhere in a file)
# Ours: only texts that name their vendor, stand on the vendor's own hosts too, or are in the vendor's public
# source; found on at least three hosts of 13,531, those of Cloudflare on at least one.
vendor\twhat\tlines\tfirst_line_bytes\tbytes\thash"""


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def normalised(body):
    lines = re.split(rb"\r\n|\r|\n", body.removeprefix(b"\xef\xbb\xbf"))
    lines = (re.sub(rb"[ \t]+", b" ", line).strip(b" ").lower() for line in lines)
    return tuple(line for line in lines if line and not line.startswith(b"sitemap:"))


def files(archive):
    with open(archive, "rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            yield record.headers.get("WARC-Target-URI"), normalised(record.reader.read())


def show(hosts, lines):
    text = b" | ".join(lines)[:200].decode("utf-8", "replace")
    digest = fnv1a(b"\n".join(lines))
    print(f"{len(hosts)} hosts, {len(lines)} lines, {digest}, {min(hosts)}: {text}")


def clusters(archive, least=5):
    found = collections.defaultdict(set)
    for url, lines in files(archive):
        found[lines].add(urllib.parse.urlsplit(url).netloc)
    for lines, hosts in sorted(found.items(), key=lambda item: -len(item[1])):
        if len(hosts) >= least:
            show(hosts, lines)


def runs(archive, first, least=5):
    """Prints the runs that fewer than four of five of their hosts continue in one and the same way."""
    found = collections.defaultdict(set)
    for url, lines in files(archive):
        if first in lines:
            start = lines.index(first)
            for end in range(start + 3, min(start + 200, len(lines)) + 1):
                found[lines[start:end]].add(urllib.parse.urlsplit(url).netloc)
    longer = collections.Counter()
    for lines, hosts in found.items():
        longer[lines[:-1]] = max(longer[lines[:-1]], len(hosts))
    for lines, hosts in sorted(found.items(), key=lambda item: -len(item[1])):
        if len(hosts) >= least and longer[lines] < 0.8 * len(hosts):
            show(hosts, lines[-3:])


def rows(archive, listed):
    by_url, captures = {}, collections.Counter()
    for url, lines in files(archive):
        captures[url] += 1
        by_url[url if captures[url] == 1 else f"{url}#{captures[url]}"] = lines
    table = set()
    for line in open(listed, encoding="utf-8"):
        vendor, what, url, first, count = line.rstrip("\n").split("\t")
        start = int(first) - 1
        run = by_url[url][start : start + int(count) if int(count) else None]
        assert len(run) >= 3 and len(run) == (int(count) or len(run)), line
        assert what == "run" or run == by_url[url], line
        text = b"\n".join(run)
        table.add((vendor, what, len(run), len(run[0]), len(text), fnv1a(text)))
    print(HEADER)
    for row in sorted(table):
        print(*row, sep="\t")


def main():
    command, archive, *rest = sys.argv[1:]
    if command == "clusters":
        clusters(archive, *map(int, rest))
    elif command == "runs":
        runs(archive, rest[0].encode(), *map(int, rest[1:]))
    elif command == "rows":
        rows(archive, *rest)
    else:
        sys.exit(__doc__)


main()
