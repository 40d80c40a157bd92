"""`RobotsTxt`, `decide` and `explain`: the answers of the command, as typed values."""

from __future__ import annotations

import base64
import dataclasses
import doctest
import json
from pathlib import Path

import pytest
from conftest import REPOSITORY, command

import crawlprefs

ROBOTS = "User-agent: *\nAllow: /\nDisallow: /private/\nContent-Signal: search=yes, ai-train=no\n"


def test_robots_txt_answers_with_the_line_that_decided() -> None:
    robots = crawlprefs.RobotsTxt("User-agent: GPTBot\nDisallow: /private/ # closed\n\nUser-agent: *\nDisallow:\n")
    closed, open_ = robots.access("gptbot", "/private/a?b"), robots.access("CCBot", "/private/a")
    assert (closed.verdict, closed.reason, closed.line, closed.rule) == ("disallow", "rule", 2, "Disallow: /private/")
    assert closed.is_disallowed and not closed.is_allowed
    assert open_.is_allowed and (open_.reason, open_.line) == ("no_rule", None)
    assert robots.groups() == [["GPTBot"], ["*"]]
    assert crawlprefs.RobotsTxt(b"user-agent: *\ndisallow: /\xff").access("CCBot", "/%FF").is_disallowed
    assert crawlprefs.RobotsTxt(b"a:\n" * 200_000).is_cut and not robots.is_cut


def test_an_explanation_has_the_lints_of_the_lines_that_matter() -> None:
    lints = crawlprefs.explain("https://a.example/b", robots="User-agent: *\nDisallow: /x\nDeny: /a\n\nUser-agent: GPTBot\nDisallow: /x\nDeny: /b\n").lints
    assert [(lint["line"], lint["code"], lint["write"]) for lint in lints] == [(3, "unknown_name", "Disallow: /a")]


def test_a_robots_txt_has_the_same_answer_everywhere() -> None:
    for line in (REPOSITORY / "tests/differential/readings.jsonl").read_text().splitlines():
        file = json.loads(line)
        body = base64.b64decode(file["base64"]) if "base64" in file else file["text"]
        for robots in [body, body.encode()] if isinstance(body, str) else [body]:
            decided = crawlprefs.decide("https://a.example/news/1", robots=robots).access
            assert (decided, crawlprefs.RobotsTxt(robots).access("CCBot", "/news/1").verdict) == (file["access"],) * 2, line


def test_decide_gives_access_and_labels() -> None:
    page = crawlprefs.decide("https://a.example/b", robots=ROBOTS, headers={"X-Robots-Tag": "noindex"})
    assert (page.access, page.access_line, page.access_rule) == ("allow", 2, "Allow: /")
    assert (page.labels["search"], page.labels["train_ai"]) == ("disallow", "disallow")
    assert page.labels_from["search"] == ["robots_tag header"]
    assert page.columns["content_signal_search"] == "allow"
    assert page.disallowed_agents == []


@pytest.mark.parametrize(
    ("robots", "state", "access"),
    [(None, "not_archived", "unknown"), (404, "unavailable", "allow"), (503, "unreachable", "disallow"), (b"", "parsed", "allow"), (b"\x89PNG\r\n\x1a\n", "unreadable", "unknown")],
)
def test_what_is_not_known_is_never_allowed(robots: bytes | int | None, state: str, access: str) -> None:
    page = crawlprefs.decide("https://a.example:8080/b?c", robots=robots)
    assert (page.robots_state, page.access) == (state, access)


def test_fields_can_come_several_times_and_be_bytes() -> None:
    fields = [("X-Robots-Tag", "noarchive"), ("x-robots-tag", b"noai\xff, noai")]
    page = crawlprefs.decide("https://a.example/", headers=fields, metas={"robots": "noimageai"})
    assert page.columns["tag_rules"] == ["*:noai", "*:noai\\xFF", "*:noarchive", "*:noimageai"]


def test_another_crawler_and_vocabulary_have_other_answers() -> None:
    robots = "User-agent: GPTBot\nDisallow: /\n"
    assert crawlprefs.decide("https://a.example/", robots=robots, agent="GPTBot").access == "disallow"
    assert crawlprefs.explain("https://a.example/", vocab="01").answer["vocabulary"] == "01"


def test_values_that_cannot_be_used_are_refused_in_the_words_of_the_command() -> None:
    with pytest.raises(crawlprefs.UsageError, match="found ftp://a.example/, expected an http or https URL"):
        crawlprefs.decide("ftp://a.example/")
    with pytest.raises(crawlprefs.UsageError, match="robot: unknown key; the keys are"):
        crawlprefs.explain("https://a.example/", robot="")
    # It would be compared as Mozilla, which no file closes by name.
    with pytest.raises(crawlprefs.UsageError, match="found a full user-agent string, expected a product token"):
        crawlprefs.decide("https://a.example/", agent="Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)")
    for value in (object(), 2**70, "\ud800", {1: ""}, b""):
        with pytest.raises(crawlprefs.UsageError) as refused:
            crawlprefs.explain("https://a.example/", unread=[value])
        assert refused.value.kind == "scenario", value


def test_explain_gives_the_reasons() -> None:
    page = crawlprefs.explain("https://a.example/private/b", robots=ROBOTS, fetched="2026-08-10T06:00:00Z")
    assert (page.access, page.access_line) == ("disallow", 3)
    assert page.robots["also"][0]["line"] == 2
    by_history = crawlprefs.explain(
        "https://a.example/private/b",
        fetched="2026-08-10T06:00:00Z",
        robots_history=[
            {"url": "https://a.example/robots.txt", "fetched": "2026-08-10T06:00:00Z", "status": 200, "robots_txt": ROBOTS}
        ],
    )
    assert dataclasses.replace(by_history, answer=page.answer) == page
    # Which capture of robots.txt it is, and how old, is known of a history alone.
    differing = {name for name, value in by_history.answer.items() if page.answer.get(name) != value}
    assert differing == {"fetch_time", "robots_copy"}
    decided = crawlprefs.decide("https://a.example/private/b", robots=ROBOTS)
    assert all(getattr(page, name) == value for name, value in vars(decided).items())


def test_a_page_of_a_run_is_explained(by_command: Path) -> None:
    rows = crawlprefs.open(by_command).pages.to_table(columns=["url", "fetch_time", "access", "train_ai"]).to_pylist()
    for row in rows[::10]:
        fetched = row["fetch_time"].strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        page = crawlprefs.explain_page(by_command, row["url"], fetched=fetched)
        assert (page.access, page.labels["train_ai"]) == (row["access"], row["train_ai"]), row
    ran = command("explain", "--json", "--tables", by_command, "--url", rows[0]["url"])
    assert crawlprefs.explain_page(by_command, rows[0]["url"]).answer == json.loads(ran.stdout)
    # Never captured: by the files of its site, of which there are none.
    unknown = crawlprefs.explain_page(by_command, "https://nowhere.example/")
    assert (unknown.access, set(unknown.labels.values())) == ("unknown", {"unknown"})


def test_the_examples_of_the_documentation_are_true() -> None:
    shown = doctest.DocTestParser().get_doctest(crawlprefs.__doc__ or "", {}, "crawlprefs", None, None)
    assert doctest.DocTestRunner().run(shown) == (0, 5)
    assert "decide(" in (REPOSITORY / "python/README.md").read_text()
