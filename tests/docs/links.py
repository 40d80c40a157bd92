#!/usr/bin/env python3
"""Checks every link and picture of a site of HTML files: the file is there, and the place in it.

  tests/docs/links.py FOLDER

Links to other hosts are counted and not followed.
"""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit


class Page(HTMLParser):
    """The names and the links of a page."""

    def __init__(self, path):
        super().__init__()
        self.names, self.links = {""}, set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.names.add(value)
            elif value is not None and (name == "href" and tag != "base" or name == "src"):
                self.links.add(value)


def main():
    root = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(root.rglob("*.html")) if path.name not in ("404.html", "print.html", "toc.html")}
    broken, inside, outside = [], 0, 0
    for path, page in pages.items():
        for link in sorted(page.links):
            if urlsplit(link).scheme or link.startswith("//"):
                outside += 1
                continue
            inside += 1
            file, place = map(unquote, urldefrag(link))
            target = (path.parent / file.split("?")[0]).resolve() if file else path
            if not target.exists() or not target.is_relative_to(root):
                broken.append(f"{path.relative_to(root)}: {link}: no such file")
            elif target in pages and place not in pages[target].names:
                broken.append(f"{path.relative_to(root)}: {link}: no such place")
    print(f"{len(pages)} pages, {inside} links within the site, {outside} to others")
    if broken or not inside:
        sys.exit("\n".join(broken) or "no links")


if __name__ == "__main__":
    main()
