#!/usr/bin/env python3
"""Writes two made-up crawls, for queries about change, duplicates and what a host is: made_up.py FOLDER.

Every host and text is invented. CC-MAIN-2026-38 has two segments, CC-MAIN-2026-43 one. Hosts are named after what they show.
"""
import pathlib
import sys
import uuid

OPEN = "User-agent: *\nDisallow: /private/\n"
CLOSED = "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: *\nDisallow:\n"
# No system reads the last line.
WELCOME = "User-agent: GPTBot\nAllow: /\n\nUser-agent: *\nDisallow: /private/\nAI-Contact: a@a.example\n"
SIGNAL = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n"
MANAGED = "# BEGIN Cloudflare Managed content\n\n" + SIGNAL + "\n# END Cloudflare Managed Content\n"
LICENSED = "License: https://licences.example/terms.xml\n" + OPEN
EVERYTHING = "User-agent: *\nDisallow: /\n"
DEAL = "User-agent: GPTBot\nAllow: /\n\n" + EVERYTHING
TWICE = "<urn:uuid:00000000-0000-4000-8000-000000000001>"
SECOND, THIRD = 8, 9


class Segment:
    """One segment: records of each subset, in the order in which they are added."""

    def __init__(self, crawl, number, day):
        self.path = f"crawl-data/{crawl}/segments/{number}"
        self.day = day
        self.records = {"robotstxt": [], "warc": []}

    def add(self, subset, url, body, status=200, hour=6, media="text/plain", fields=(), record_id=None):
        record_id = record_id or f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{self.path} {url} {hour}')}>"
        head = "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status} Answer", f"Content-Type: {media}", *fields))
        block = f"{head}\r\n{body}".encode()
        names = {
            "WARC-Type": "response",
            "WARC-Date": f"{self.day}T{hour:02}:00:00Z",
            "WARC-Record-ID": record_id,
            "WARC-Target-URI": url,
            "Content-Type": "application/http; msgtype=response",
            "Content-Length": len(block),
        }
        self.record(subset, names, block)

    def record(self, subset, names, block):
        named = "".join(f"{name}: {value}\r\n" for name, value in names.items())
        self.records[subset].append(f"WARC/1.0\r\n{named}\r\n".encode() + block + b"\r\n\r\n")

    def languages(self, record_id, *codes):
        """The metadata record of the page that was added last."""
        found = ",".join(f'{{"code":"x","code-iso-639-3":"{code}"}}' for code in codes)
        block = f'languages-cld2: {{"reliable":true,"languages":[{found}]}}\r\n\r\n'.encode()
        names = {
            "WARC-Type": "metadata",
            "WARC-Concurrent-To": record_id,
            "Content-Type": "application/warc-fields",
            "Content-Length": len(block),
        }
        self.record("warc", names, block)

    def robots(self, origin, body, status=200, hour=6, fields=()):
        self.add("robotstxt", f"{origin}/robots.txt", body, status, hour, "text/plain", fields)

    def page(self, url, body="<html><head></head><body>Text.</body></html>", hour=7, fields=(), record_id=None):
        self.add("warc", url, body, 200, hour, "text/html", fields, record_id)

    def write(self, folder):
        for subset, records in self.records.items():
            target = folder / self.path / subset
            target.mkdir(parents=True)
            (target / f"{target.parts[-2]}-00000.warc").write_bytes(b"".join(records))


def shared(segments, robots):
    """Hosts that are in every crawl: robots.txt by name, and a page each."""
    for name, body in robots.items():
        for segment in segments:
            segment.robots(f"https://{name}", body)
            segment.page(f"https://{name}/")


def before():
    one, two = Segment("CC-MAIN-2026-38", "1", "2026-09-18"), Segment("CC-MAIN-2026-38", "2", "2026-09-18")
    shared([one], {
        "closes.example": OPEN, "opens.example": CLOSED, "welcomes.example": CLOSED, "signals.example": OPEN,
        "stays.example": CLOSED, "leaves.example": CLOSED, "fails.example": OPEN, "loses.example": OPEN,
        "unsigns.example": SIGNAL, "licensed.example": LICENSED, "relaxes.example": EVERYTHING,
        "deals.example": EVERYTHING, "ends.example": DEAL,
    })
    # One host with two origins that say different things: https counts.
    one.robots("http://both.example", EVERYTHING)
    one.robots("https://both.example", OPEN)
    one.page("http://both.example/old")
    one.page("https://both.example/new", record_id=TWICE)
    one.languages(TWICE, "deu", "eng")
    # A robots.txt over http alone, pages over https.
    one.robots("http://plain.example", CLOSED)
    one.page("https://plain.example/")
    # One origin in two segments: the newer robots.txt counts, pages are summed.
    one.robots("https://segments.example", OPEN, hour=5)
    one.page("https://segments.example/a")
    two.robots("https://segments.example", CLOSED, hour=SECOND)
    two.page("https://segments.example/b", hour=THIRD)
    # Ten origins that share one managed body, in two segments.
    for number in range(10):
        host = f"https://managed{number}.example.{('com', 'net', 'org')[number % 3]}"
        (one if number < 5 else two).robots(host, MANAGED)
    # A site file that is no longer there, one that is, one on two paths.
    one.add("warc", "https://tdm-old.example/.well-known/tdmrep.json", '[{"location": "/", "tdm-reservation": 1}]', hour=5)
    one.add("warc", "https://tdm-old.example/.well-known/tdmrep.json", "", 404, hour=SECOND)
    one.add("warc", "https://tdm-new.example/.well-known/tdmrep.json", '[{"location": "/", "tdm-reservation": 1}]')
    # A domain and its www, a refusal, an address.
    one.robots("https://ranked.example", "", 301, fields=["Location: https://www.ranked.example/robots.txt"])
    one.robots("https://www.ranked.example", CLOSED)
    one.robots("https://refuses.example", "", 403)
    one.robots("http://192.0.2.1", OPEN)
    one.page("http://192.0.2.1/", fields=["X-LLM-Contact: somebody"])
    # An id that two captures have: one may be fetched, one may not.
    two.page("https://segments.example/b", record_id=TWICE, hour=THIRD)
    # Files of which only the presence is counted: one is there, one is a page of HTML, one is missing.
    one.add("warc", "https://closes.example/llms.txt", "# closes.example")
    one.add("warc", "https://stays.example/llms.txt", "<html></html>", media="text/html")
    one.add("warc", "https://stays.example/agents.txt", "", 404)
    # Signals that contradict each other.
    one.robots("https://contradicts.example", SIGNAL)
    one.page("https://contradicts.example/", fields=["Content-Usage: train-ai=y", "X-Robots-Tag: noindex"])
    return one, two


def after():
    one = Segment("CC-MAIN-2026-43", "3", "2026-10-23")
    shared([one], {
        "closes.example": CLOSED, "opens.example": OPEN, "welcomes.example": WELCOME, "signals.example": SIGNAL,
        "stays.example": CLOSED, "new.example": CLOSED, "unsigns.example": OPEN, "relaxes.example": OPEN,
        "deals.example": DEAL, "ends.example": EVERYTHING,
    })
    one.robots("https://fails.example", "", 503)
    one.page("https://fails.example/")
    one.robots("https://loses.example", "", 302, fields=["Location: https://loses.example/elsewhere"])
    # Fields about AI that no system knows: one may be a no.
    one.page("https://loses.example/", fields=["X-AI-Training: no", "X-LLM-Contact: somebody"])
    return (one,)


def main():
    folder = pathlib.Path(sys.argv[1])
    for segment in (*before(), *after()):
        segment.write(folder)


main()
