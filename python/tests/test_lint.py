"""`crawlprefs lint --format html`: a page that opens from a file, asks for nothing, and shows each finding at its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import barriers, command

ROBOTS = """User-agent: *
Deny: /<script>alert(1)</script>
Content-Signal: ai-train=never, search=yes
Disallow: /a-path-that-is-much-longer-than-a-telephone-is-wide/a-path-that-is-much-longer-than-a-telephone-is-wide
User-agent: GTPBot
Disallow: /
"""


@pytest.fixture(scope="module")
def linted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page about a robots.txt with faults."""
    folder = tmp_path_factory.mktemp("lint")
    (folder / "robots.txt").write_text(ROBOTS)
    ran = command("lint", "--format", "html", folder / "robots.txt")
    assert ran.returncode == 1, ran.stderr
    (folder / "lint.html").write_text(ran.stdout)
    return folder


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_a_browser_shows_each_finding_at_its_line(linted: Path, browser: Any, scheme: str, width: int) -> None:
    page = linted / "lint.html"
    tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    asked: list[str] = []
    said: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.goto(page.as_uri())
    assert (asked, said) == ([page.as_uri()], [])
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    findings = json.loads(command("lint", "--format", "json", linted / "robots.txt").stdout)["files"][0]["findings"]
    shown = tab.evaluate("[...document.querySelectorAll('ol.file li p span')].map((it) => [it.closest('li').value, it.textContent])")
    assert shown == [[finding["line"], finding["code"]] for finding in findings]
    assert tab.locator("ol.file li").count() == len(ROBOTS.splitlines())
    assert barriers(tab) == []
    tab.close()
