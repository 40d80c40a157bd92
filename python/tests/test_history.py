"""`history`: what the command prints of a host, as typed values."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from conftest import command

import crawlprefs


def test_the_items_are_those_of_the_command(index: Path) -> None:
    ran = command("history", "twice.example", "--sites", index, "--json", "--gap", "1h", "--agent", "GPTBot")
    printed = [json.loads(line) for line in ran.stdout.splitlines()]
    found = crawlprefs.history("twice.example", index, gap=timedelta(hours=1), agent="GPTBot")
    assert (found.host, found.url, found.product_token, found.gap_s) == ("twice.example", None, "GPTBot", 3600)
    (file,) = found.files
    assert (file.origin, file.file, file.fetches, file.runs) == ("https://twice.example", "robots", 2, 2)
    assert file.entries == [{key: it for key, it in one.items() if key != "item"} for one in printed[2:]]
    later = file.entries[1]
    assert (later["effect"], later["gaps"][0]["from"]) == ("effects", file.entries[0]["last"])
    assert later["agent_changes"][0]["after"]["text"] == "Disallow: /"
    some = crawlprefs.history("https://twice.example/shop/1", index, until="2026-08-10T07:00:00Z")
    assert (some.url, some.files[0].left_out, len(some.files[0].entries)) == ("https://twice.example/shop/1", 1, 1)
    assert some.files[0].entries[0]["access"]["after"]["access"] == "disallow"


def test_what_is_not_there_is_an_error(index: Path) -> None:
    with pytest.raises(crawlprefs.Error, match="nothing of nobody.example is in the index") as raised:
        crawlprefs.history("nobody.example", index)
    assert (raised.value.kind, raised.value.retry) == ("host_unknown", False)
    for subject in ("ftp://twice.example/", "twice.example/x", ""):
        with pytest.raises(crawlprefs.UsageError):
            crawlprefs.history(subject, index)
    with pytest.raises(crawlprefs.Error, match="nothing of --help"):
        crawlprefs.history("--help", index)
    with pytest.raises(TypeError, match="unexpected keyword argument 'agnet'"):
        crawlprefs.history("twice.example", index, agnet="CCBot")  # type: ignore[call-arg]
    with pytest.raises(crawlprefs.Error):
        crawlprefs.history("twice.example", index / "nowhere")
