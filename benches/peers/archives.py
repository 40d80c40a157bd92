#!/usr/bin/env python3
"""Makes archives of the sizes of Common Crawl's, invented and the same for one seed: a gzip member per record.

archives.py pages OUT.warc.gz COUNT     pages of 65 KB in the median, of which some state preferences
archives.py robots OUT.warc.gz COUNT    robots.txt files of COUNT hosts, most of some hundred bytes
archives.py spread FOLDER COUNT HOSTS   a segment: COUNT short pages of HOSTS hosts in 25 archives, each sorted by host, a page's
                                        archive by chance, as Common Crawl takes it from a hash of the URL; and their robots.txt
archives.py grouped FOLDER COUNT HOSTS  the same, with all pages of a host in one archive
"""
import itertools
import pathlib
import random
import sys
import uuid
import zlib

LONGEST_PAGE = 1 << 20
AGENTS = "GPTBot CCBot ClaudeBot Google-Extended Bytespider PerplexityBot Googlebot bingbot AhrefsBot SemrushBot".split()
FOLDERS = "admin api cart checkout cgi-bin feed login private search tag tmp user wp-admin wp-includes".split()


def vocabulary(rng):
    parts = [a + b for a in "b c d f g k l m n p r s t v st tr".split() for b in "a e i o u an en or is".split()]
    words = ["".join(rng.choices(parts, k=rng.randint(1, 4))) for _ in range(20000)]
    return words, list(itertools.accumulate(1 / (place + 3) for place in range(len(words))))


class Writer:
    """Writes requests, responses and metadata as a crawler does; each record carries the warcinfo record's id."""

    def __init__(self, file, rng):
        self.file, self.rng, self.second = file, rng, 0
        self.info = f"<urn:uuid:{uuid.UUID(int=rng.getrandbits(128), version=4)}>"
        self.record("warcinfo", [("Content-Type", "application/warc-fields")], b"software: archives.py\r\n", self.info)

    def record(self, kind, fields, block, record_id=None):
        record_id = record_id or f"<urn:uuid:{uuid.UUID(int=self.rng.getrandbits(128), version=4)}>"
        fields = [("WARC-Type", kind), ("WARC-Record-ID", record_id), *fields, ("Content-Length", len(block))]
        if kind != "warcinfo":
            fields.append(("WARC-Warcinfo-ID", self.info))
        second = self.second % 86400
        fields.append(("WARC-Date", f"2026-08-10T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"))
        head = "WARC/1.0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields) + "\r\n"
        pack = zlib.compressobj(6, zlib.DEFLATED, 31)
        self.file.write(pack.compress(head.encode() + block + b"\r\n\r\n") + pack.flush())
        return record_id

    def capture(self, url, fields, body):
        self.second += 1
        target = [("WARC-Target-URI", url)]
        host, path = url.removeprefix("https://").split("/", 1)
        request = f"GET /{path} HTTP/1.1\r\nUser-Agent: ExampleBot/1.0\r\nAccept: */*\r\nHost: {host}\r\n\r\n"
        self.record("request", [*target, ("Content-Type", "application/http; msgtype=request")], request.encode())
        fields = [*fields, ("Date", "Mon, 10 Aug 2026 00:00:00 GMT"), ("Server", "nginx"), ("Vary", "Accept-Encoding"),
                  ("ETag", f'"{self.rng.getrandbits(64):x}"'), ("Content-Length", len(body))]
        head = "HTTP/1.1 200 OK\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields) + "\r\n"
        about = self.record("response", [*target, ("WARC-IP-Address", "192.0.2.1"),
                                         ("Content-Type", "application/http; msgtype=response")], head.encode() + body)
        language = '{"reliable":true,"languages":[{"code":"%s","code-iso-639-3":"%s"}]}' % (("en", "eng"), ("de", "deu"))[self.second % 2]
        self.record("metadata", [*target, ("WARC-Concurrent-To", about), ("Content-Type", "application/warc-fields")],
                    f"fetchTimeMs: {self.rng.randint(20, 900)}\r\nlanguages-cld2: {language}\r\n\r\n".encode())


def page(rng, words, weights):
    size = min(int(rng.lognormvariate(11.08, 1.1)), LONGEST_PAGE)
    metas = "".join(f'<meta property="og:{name}" content="{" ".join(rng.choices(words, k=8))}">\n'
                    for name in ("title", "description", "site_name"))
    if rng.random() < 0.2:
        metas += f'<meta name="robots" content="{rng.choice(["noindex", "index, follow", "max-image-preview:large"])}">\n'
    scripts = "".join(f'<link rel="stylesheet" href="/assets/{rng.getrandbits(64):x}.css">\n' for _ in range(12))
    parts = [f"<!doctype html>\n<html><head><title>{words[0]}</title>\n{metas}{scripts}</head>\n<body>\n"]
    length = len(parts[0])
    while length < size:
        text = " ".join(rng.choices(words, cum_weights=weights, k=60))
        link = f'<a class="item" href="/{rng.choice(words)}/{rng.getrandbits(40):x}">{rng.choice(words)}</a>'
        parts.append(f'<div class="row" id="r{len(parts)}"><p>{text}</p>{link}</div>\n')
        length += len(parts[-1])
    return ("".join(parts) + "</body></html>\n").encode()


def robots(rng):
    lines = ["User-agent: *", *(f"Disallow: /{name}/" for name in rng.sample(FOLDERS, rng.randint(1, 8)))]
    for agent in rng.sample(AGENTS, rng.choice([0, 0, 1, 3, 8])):
        lines += ["", f"User-agent: {agent}", rng.choice(["Disallow: /", "Disallow: /*?*sort=", "Allow: /\nDisallow: /x$"])]
    if rng.random() < 0.05:
        lines += [f"Disallow: /{rng.getrandbits(40):x}" for _ in range(rng.randint(50, 2000))]
    return ("\n".join([*lines, f"Sitemap: https://h{rng.getrandbits(32):x}.example/sitemap.xml"]) + "\n").encode()


def segment(rng, layout, folder, count, hosts):
    names = sorted(f"h{number}" for number in range(hosts))
    pages = [[] for _ in range(25)]
    for place, name in enumerate(names):
        for page_of_host in range(count // hosts):
            archive = rng.randrange(len(pages)) if layout == "spread" else place * len(pages) // hosts
            pages[archive].append(f"https://{name}.example/a/{page_of_host}.html")
    files = [("robotstxt", [f"https://{name}.example/robots.txt" for name in names[first : first + 1500]])
             for first in range(0, hosts, 1500)]
    for number, (subset, urls) in enumerate([*files, *(("warc", urls) for urls in pages)]):
        number -= len(files) if subset == "warc" else 0
        path = pathlib.Path(folder, "crawl-data/CC-MAIN-2026-99/segments/1.1", subset)
        path.mkdir(parents=True, exist_ok=True)
        name = f"CC-MAIN-20260801000000-20260801030000-{number:05}.{'robotstxt.' if subset == 'robotstxt' else ''}warc.gz"
        with open(path / name, "wb") as file:
            writer = Writer(file, rng)
            for url in urls:
                if subset == "robotstxt":
                    writer.capture(url, [("Content-Type", "text/plain")], robots(rng))
                    continue
                meta = "<meta name=robots content=noindex>" if rng.random() < 0.1 else ""
                body = f"<!doctype html><html><head><title>a</title>{meta}</head><body>{'text ' * 100}</body></html>"
                writer.capture(url, [("Content-Type", "text/html")], body.encode())


def main():
    kind, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    rng = random.Random(13)
    if kind in ("spread", "grouped"):
        segment(rng, kind, name, count, int(sys.argv[4]))
        return
    words, weights = vocabulary(rng)
    with open(name, "wb") as file:
        writer = Writer(file, rng)
        for number in range(count):
            if kind == "robots":
                writer.capture(f"https://h{number}.example/robots.txt", [("Content-Type", "text/plain")], robots(rng))
                continue
            fields = [("Content-Type", "text/html; charset=utf-8")]
            if rng.random() < 0.05:
                fields.append(("X-Robots-Tag", "noai"))
            url = f"https://h{number % 500}.example/{rng.choice(words)}/{number}"
            writer.capture(url, fields, page(rng, words, weights))


main()
