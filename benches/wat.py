#!/usr/bin/env python3
"""Makes a WAT of a WARC, in the form of Common Crawl's (ia-web-commons since October 2024), for measuring and tests.

wat.py WARC.gz WAT.gz [LINKS]

A metadata record per record of the WARC. Of a response: its header fields, and what the tags of its HTML say (metas,
links of the head, links of the body). Pages that are generated have few links; with LINKS, each page gets so many
invented ones, as real pages have about 80.
"""
import gzip
import html.parser
import json
import random
import sys
import uuid
import zlib


def records(path):
    """Yields offset, length and text of each gzip member."""
    data = memoryview(open(path, "rb").read())
    at = 0
    while at < len(data):
        inflater, texts, end = zlib.decompressobj(31), [], at
        while not inflater.eof:
            piece = data[end : end + (1 << 16)]
            if not piece:
                return
            texts.append(inflater.decompress(piece))
            end += len(piece)
        end -= len(inflater.unused_data)
        yield at, end - at, b"".join(texts)
        at = end


class Head(html.parser.HTMLParser):
    """Collects what the tags say."""

    KEPT = {"meta": ("name", "rel", "content", "http-equiv", "property"), "link": ("rel", "type", "href")}

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.metas, self.links_of_head, self.links = [], [], []

    def handle_starttag(self, tag, attributes):
        attributes = {name: value or "" for name, value in attributes}
        if tag == "meta":
            meta = {name: attributes[name] for name in self.KEPT[tag] if name in attributes}
            if len(meta) > 1:
                self.metas.append(meta)
        elif tag == "link" and "href" in attributes:
            link = {"path": "LINK@/href", "url": attributes["href"]}
            link.update({name: attributes[name] for name in ("rel", "type") if name in attributes})
            self.links_of_head.append(link)
        elif tag in ("a", "img"):
            name = "href" if tag == "a" else "src"
            if name in attributes:
                self.links.append({"path": f"{tag.upper()}@/{name}", "url": attributes[name]})


def fields(lines):
    found = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if name in found:
            known = found[name]
            found[name] = (known if isinstance(known, list) else [known]) + [value]
        else:
            found[name] = value
    return found


def envelope(text, rng, links):
    head, _, block = text.partition(b"\r\n\r\n")
    warc = fields(head.decode().split("\r\n")[1:])
    payload = {"Actual-Content-Type": warc.get("Content-Type", "")}
    if warc["WARC-Type"] == "response":
        payload["HTTP-Response-Metadata"] = response(block[: int(warc["Content-Length"])], rng, links)
    payload.update({"Actual-Content-Length": warc["Content-Length"], "Trailing-Slop-Length": "4"})
    return warc, {"Payload-Metadata": payload, "Format": "WARC/1.0", "WARC-Header-Length": str(len(head) + 4),
                  "WARC-Header-Metadata": warc}


def response(block, rng, links):
    head, _, body = block.partition(b"\r\n\r\n")
    status, *lines = head.decode("utf-8", "replace").split("\r\n")
    version, code, reason = (status.split(" ", 2) + ["", ""])[:3]
    found = {"Response-Message": {"Version": version, "Status": code, "Reason": reason},
             "Headers-Length": str(len(head) + 4), "Headers": fields(lines)}
    if "html" in str(found["Headers"].get("Content-Type", found["Headers"].get("content-type", ""))):
        parser = Head()
        parser.feed(body.decode("utf-8", "replace"))
        parts = {"Metas": parser.metas, "Link": parser.links_of_head}
        all_links = parser.links + [
            {"path": "A@/href", "url": f"https://www.{rng.getrandbits(48):x}.example/{rng.getrandbits(64):x}/{i}",
             "text": f"{rng.choice(WORDS)} {rng.choice(WORDS)} {i}"} for i in range(links)]
        found["HTML-Metadata"] = {"Head": {name: part for name, part in parts.items() if part}, "Links": all_links}
    found.update({"Entity-Length": str(len(body)), "Entity-Digest": "sha1:" + "A" * 32, "Entity-Trailing-Slop-Length": "0"})
    return found


WORDS = "about contact privacy news products search help more home next archive category article video".split()


def record(kind, extra, block):
    lines = [f"WARC-Type: {kind}", f"WARC-Record-ID: <urn:uuid:{uuid.uuid4()}>", *extra, f"Content-Length: {len(block)}"]
    return ("WARC/1.0\r\n" + "\r\n".join(lines) + "\r\n\r\n").encode() + block + b"\r\n\r\n"


def main():
    source, target = sys.argv[1:3]
    links = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    rng = random.Random(7)
    with open(target, "wb") as out:
        info = b"Software-Info: ia-web-commons.1.1.10-SNAPSHOT-20241001000000\r\n"
        out.write(gzip.compress(record("warcinfo", ["Content-Type: application/warc-fields"], info), 6, mtime=0))
        for offset, length, text in records(source):
            warc, described = envelope(text, rng, links)
            container = {"Filename": source.rsplit("/", 1)[-1], "Compressed": True, "Offset": str(offset),
                         "Gzip-Metadata": {"Deflate-Length": str(length - 18), "Header-Length": "10",
                                           "Footer-Length": "8", "Inflated-CRC": "0", "Inflated-Length": str(len(text))}}
            block = json.dumps({"Container": container, "Envelope": described}, separators=(",", ":"), ensure_ascii=False)
            extra = [f"WARC-Target-URI: {warc.get('WARC-Target-URI', source)}", f"WARC-Date: {warc['WARC-Date']}",
                     f"WARC-Refers-To: {warc['WARC-Record-ID']}", "Content-Type: application/json"]
            out.write(gzip.compress(record("metadata", extra, block.encode()), 6, mtime=0))


main()
