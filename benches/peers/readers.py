#!/usr/bin/env python3
"""What others run over the same archives.

readers.py fastwarc ARCHIVE...            every response with its HTTP head, and its body
readers.py warcio ARCHIVE...              the same with warcio
readers.py pipeline OUT.parquet ARCHIVE...   who may fetch each page, for five agents, and its robots header and meta:
                                          FastWARC, protego and pyarrow, as a researcher would write it
"""
import re
import sys
from urllib.parse import urlsplit

AGENTS = ("CCBot", "GPTBot", "ClaudeBot", "Bytespider", "Google-Extended")
META = re.compile(rb"<meta\s[^>]*name\s*=\s*[\"']?robots[\"']?[^>]*>", re.I)


def responses(archives):
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    for archive in archives:
        with open(archive, "rb") as file:
            for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
                yield record.headers.get("WARC-Target-URI"), record.http_headers, record.reader.read()


def fastwarc(archives):
    return sum(len(body) + len(fields) for _, fields, body in responses(archives))


def warcio(archives):
    from warcio.archiveiterator import ArchiveIterator

    total = 0
    for archive in archives:
        with open(archive, "rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "response":
                    total += len(record.http_headers.headers) + len(record.content_stream().read())
    return total


def pipeline(out, archives):
    import pyarrow
    import pyarrow.parquet
    from protego import Protego

    rules, rows = {}, []
    for url, fields, body in responses(archives):
        parts = urlsplit(url)
        if parts.path == "/robots.txt":
            rules[parts.scheme, parts.netloc] = Protego.parse(body.decode("utf-8", "replace"))
            continue
        meta = META.search(body[: 1 << 16])
        row = {"url": url, "x_robots_tag": fields.get("X-Robots-Tag"), "meta": meta and meta[0].decode("utf-8", "replace")}
        file = rules.get((parts.scheme, parts.netloc))
        row.update((agent, file.can_fetch(url, agent) if file else None) for agent in AGENTS)
        rows.append(row)
    columns = ["url", "x_robots_tag", "meta"]
    schema = pyarrow.schema([(name, pyarrow.string()) for name in columns] + [(name, pyarrow.bool_()) for name in AGENTS])
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), out, compression="zstd")
    return len(rows)


if sys.argv[1] == "pipeline":
    print(pipeline(sys.argv[2], sys.argv[3:]))
else:
    print({"fastwarc": fastwarc, "warcio": warcio}[sys.argv[1]](sys.argv[2:]))
