#!/usr/bin/env python3
"""Writes five invented crawls over five years, and what is true of them: world.py FOLDER.

FOLDER/crawl-data has the archives; FOLDER/captures.json lists each capture of a robots.txt (host, origin, crawl, time, and status
with body or target), FOLDER/pages.json each captured page. Hosts are named after how their robots.txt changes; the others are drawn
from a seed. Nothing of the project is used: check.py reads both files, so that its reference is a second opinion.
"""
import json
import pathlib
import random
import sys
import uuid

# name, segment, day
CRAWLS = (
    ("CC-MAIN-2022-05", "1642000000000.1", "2022-01-20"),
    ("CC-MAIN-2023-14", "1679000000000.1", "2023-03-25"),
    ("CC-MAIN-2024-18", "1713000000000.1", "2024-04-15"),
    ("CC-MAIN-2025-21", "1747000000000.1", "2025-05-15"),
    ("CC-MAIN-2026-34", "1786000000000.1", "2026-08-10"),
)
OPEN = "User-agent: *\nDisallow:\n"
PART = "User-agent: *\nDisallow: /private/\n"
STAR = "User-agent: *\nDisallow: /\n"
GPT = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow:\n"
AI = "User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: Google-Extended\nUser-agent: ClaudeBot\nDisallow: /\n\n" + PART
CCBOT = "User-agent: CCBot\nDisallow: /\n\n" + PART
LICENSED = "User-agent: GPTBot\nDisallow:\n\n" + STAR
GPT_PART = "User-agent: GPTBot\nDisallow: /private/\n\n" + OPEN
SIGNAL = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n"
BODIES = {
    "open": OPEN, "part": PART, "star": STAR, "gpt": GPT, "ai": AI, "ccbot": CCBOT, "licensed": LICENSED, "gpt_part": GPT_PART,
    "signal": SIGNAL,
}
# What each of the five crawls has of a host: a body, a status, a target after `>`, or `-` for no capture.
NAMED = {
    "closes.example": "open open gpt ai ai",
    "closes-late.example": "part part part part ai",
    "opens.example": "open ai ai licensed open",
    "licenses.example": "star star gpt licensed licensed",
    "signals.example": "open open open signal signal",
    "unsigns.example": "open signal signal open open",
    "returns.example": "gpt - - - gpt",
    "leaves.example": "ccbot ccbot ccbot - -",
    "arrives.example": "- - - gpt gpt",
    "last.example": "- - - - ai",
    "fails.example": "open 503 open 503 503",
    "missing.example": "404 404 gpt 404 404",
    "moves.example": "open open >www.target.example >www.target.example >www.target.example",
    "www.target.example": "open open gpt ai open",
    "lost.example": "open >nowhere.example - >nowhere.example ai",
    "steady.example": "ai ai ai ai ai",
}
CHOICES = "open open part part star gpt gpt ai ai ccbot licensed gpt_part signal 404 404 503 - -".split()


def schedules():
    """Returns for each origin what each crawl has of it."""
    draw = random.Random(5)
    found = {f"https://{host}": schedule.split() for host, schedule in NAMED.items()}
    for number in range(60):
        now = draw.choice(CHOICES)
        schedule = []
        for _ in CRAWLS:
            now = draw.choice(CHOICES) if draw.random() < 0.4 else now
            schedule.append(now)
        if set(schedule) != {"-"}:
            found[f"https://h{number}.example"] = schedule
    # Hosts with two origins that say different things: https counts where both were asked.
    found["http://closes.example"] = "star star star star star".split()
    found["http://arrives.example"] = "- - open open open".split()
    found["http://plain.example"] = "open gpt gpt gpt open".split()
    return found


def capture(origin, what, number, minute):
    """Returns a capture of a robots.txt."""
    crawl, _, day = CRAWLS[number]
    found = {"origin": origin, "host": origin.split("//")[1], "crawl": crawl}
    found["time"] = f"{day}T{6 + minute // 60:02}:{minute % 60:02}:00Z"
    if what.startswith(">"):
        return {**found, "status": 302, "target": f"https://{what[1:]}"}
    return {**found, "status": int(what)} if what.isdigit() else {**found, "status": 200, "body": BODIES[what]}


def pages(captures):
    """Returns pages of some hosts: each a day after the crawl began; some say noai in a header."""
    found = []
    for one in captures:
        if one["crawl"] in (CRAWLS[1][0], CRAWLS[3][0]) and one["origin"].startswith("https://h") and "7" not in one["host"]:
            noai = "3" in one["host"]
            day = one["time"][:8] + f"{int(one['time'][8:10]) + 1:02}"
            page_id = f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, one['crawl'] + one['origin'])}>"
            found.append({"url": f"{one['origin']}/page", "time": f"{day}T08:00:00Z", "id": page_id, "noai": noai, "crawl": one["crawl"]})
    return found


def record(url, time, head, body, record_id):
    block = "".join(f"{line}\r\n" for line in head).encode() + b"\r\n" + body.encode()
    names = {
        "WARC-Type": "response", "WARC-Date": time, "WARC-Record-ID": record_id, "WARC-Target-URI": url,
        "Content-Type": "application/http; msgtype=response", "Content-Length": len(block),
    }
    named = "".join(f"{name}: {value}\r\n" for name, value in names.items())
    return f"WARC/1.0\r\n{named}\r\n".encode() + block + b"\r\n\r\n"


def robots_record(one):
    head = [f"HTTP/1.1 {one['status']} Answer", "Content-Type: text/plain"]
    if "target" in one:
        head.append(f"Location: {one['target']}/robots.txt")
    record_id = f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_DNS, one['crawl'] + one['origin'])}>"
    return record(f"{one['origin']}/robots.txt", one["time"], head, one.get("body", ""), record_id)


def page_record(one):
    head = ["HTTP/1.1 200 OK", "Content-Type: text/html"] + ["X-Robots-Tag: noai"] * one["noai"]
    return record(one["url"], one["time"], head, "<html><head></head><body>Text.</body></html>", one["id"])


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    captures = [
        capture(origin, what, number, minute)
        for minute, (origin, schedule) in enumerate(schedules().items())
        for number, what in enumerate(schedule)
        if what != "-"
    ]
    captured_pages = pages(captures)
    for crawl, segment, day in CRAWLS:
        for subset, make, found in (("robotstxt", robots_record, captures), ("warc", page_record, captured_pages)):
            records = [make(one) for one in found if one["crawl"] == crawl]
            if records:
                target = folder / "crawl-data" / crawl / "segments" / segment / subset
                target.mkdir(parents=True)
                name = f"CC-MAIN-{day.replace('-', '')}060000-{day.replace('-', '')}090000-00000.warc"
                (target / name).write_bytes(b"".join(records))
    (folder / "captures.json").write_text(json.dumps(captures, indent=1))
    (folder / "pages.json").write_text(json.dumps(captured_pages, indent=1))


main()
