#!/usr/bin/env python3
"""Makes the pictures of the documents by the commands that they show: make.py [FOLDER]

report.png: the overview that `crawlprefs report out` writes after `crawlprefs run` has read an invented crawl. The picture has the words
of the page and the digest of its style in it, so that a test (python/tests/test_pictures.py) notices when it is of an older page.
Needs the Python package with `report`, Playwright, Pillow and Chromium.
"""
import hashlib
import io
import pathlib
import random
import shutil
import sys
import tempfile

import crawlprefs

WIDTH, HEIGHT = 1012, 800
HOSTS, PAGES = 600, 4
OPEN = "User-agent: *\nDisallow: /private/\n"
"""Answers to robots.txt, each with its share in percent; None: the server fails."""
ROBOTS = [
    (OPEN, 52),
    ("User-agent: GPTBot\nDisallow: /\n\n" + OPEN, 5),
    ("User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: ClaudeBot\nUser-agent: Google-Extended\nDisallow: /\n\n" + OPEN, 6),
    ("User-agent: Bytespider\nUser-agent: CCBot\nDisallow: /\n\n" + OPEN, 4),
    ("User-agent: *\nDisallow: /\n", 3),
    ("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n", 5),
    ("# BEGIN Cloudflare Managed content\n\nUser-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n\n# END Cloudflare Managed Content\n", 6),
    ("User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n", 6),
    ("not found", 9),
    (None, 4),
]
FIELDS = [((), 70), (("X-Robots-Tag: noai",), 8), (("TDM-Reservation: 1",), 8), (("X-Robots-Tag: noindex",), 6), (("Content-Usage: train-ai=y",), 8)]


def chosen(random_of, weighted):
    values, weights = zip(*weighted)
    return random_of.choices(values, weights)[0]


def record(url, day, status, media, body, fields=()):
    head = "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status} Answer", f"Content-Type: {media}", *fields))
    block = f"{head}\r\n{body}".encode()
    names = {
        "WARC-Type": "response",
        "WARC-Date": f"2026-08-{day:02}T06:00:00Z",
        "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{hashlib.sha1(url.encode()).hexdigest()[:12]}>",
        "WARC-Target-URI": url,
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block)),
    }
    return b"WARC/1.0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in names.items()).encode() + b"\r\n" + block + b"\r\n\r\n"


def invented_crawl(path):
    """Writes an archive of invented hosts, always the same."""
    random_of, records = random.Random(1), []
    for number in range(HOSTS):
        site = f"https://www.invented-{number}.example"
        robots = chosen(random_of, ROBOTS)
        status = 503 if robots is None else 404 if robots == "not found" else 200
        records.append(record(f"{site}/robots.txt", 10, status, "text/plain", robots or ""))
        for page in range(PAGES):
            fields = chosen(random_of, FIELDS)
            records.append(record(f"{site}/{page}.html", 11, 200, "text/html", "<html><title>Invented</title></html>", fields))
    path.write_bytes(b"".join(records))


def report(folder):
    """Writes the page by the commands, and returns its path."""
    invented_crawl(folder / "invented.warc")
    crawlprefs.run([folder / "invented.warc"], folder / "out", crawl="AN-INVENTED-CRAWL")
    crawlprefs.report(folder / "out", folder / "report.html")
    return folder / "report.html"


def shown(tab, page):
    """Opens the page; returns its overview, and what it says with the digest of its style."""
    tab.goto(page.as_uri())
    tab.wait_for_function("document.documentElement.dataset.drawn !== undefined", timeout=180_000)
    overview = tab.locator("#overview")
    style = hashlib.sha256(tab.locator("style").first.inner_text().encode()).hexdigest()
    return overview, {"Description": overview.inner_text(), "Source": f"page.css, SHA-256 {style}"}


def main():
    from PIL import Image, PngImagePlugin
    from playwright.sync_api import sync_playwright

    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        overview, words = shown(tab, report(pathlib.Path(folder)))
        image = Image.open(io.BytesIO(overview.screenshot())).convert("RGB").quantize(64)
        browser.close()
    texts = PngImagePlugin.PngInfo()
    for name, text in words.items():
        texts.add_itxt(name, text)
    image.save(target / "report.png", pnginfo=texts, optimize=True)
    print(target / "report.png")


if __name__ == "__main__":
    main()
