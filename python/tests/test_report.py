"""`crawlprefs report`: the page's numbers are the queries', and text from the Web stays text."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, barriers, command

import crawlprefs

pytest.importorskip("altair")
duckdb = pytest.importorskip("duckdb")

SLOW_MS = 180_000
"""A browser on a busy machine."""

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\u202e&lt;b&gt;.warc".replace("/", "\u2044")


class Page(HTMLParser):
    """The tables of a page: by query, rows of cells."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: dict[str, list[list[str]]] = {}
        self.tags: list[str] = []
        self.article, self.in_cell = "", False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "article":
            self.article = dict(attrs)["id"] or ""
        elif tag == "table":
            self.tables[self.article] = []
        elif tag == "tr":
            self.tables[self.article].append([])
        elif tag in ("td", "th"):
            self.tables[self.article][-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self.in_cell = self.in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.in_cell:
            self.tables[self.article][-1][-1] += data


def test_each_state_of_robots_txt_has_a_colour() -> None:
    from crawlprefs._report import _plots

    row = next(line for line in command("schema", "sites", "--markdown").stdout.splitlines() if line.startswith("| `robots_state`"))
    states = re.sub(r".*as in pages: |unknown: | \|$", "", row.replace(";", ",")).split(", ")
    assert set(_plots.STATES) == set(states)


def shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


@pytest.fixture(scope="module")
def crawls(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two runs, of two crawls; among the inputs of the first is one with a hostile name, which cannot be read."""
    root = tmp_path_factory.mktemp("report")
    (root / "in").mkdir()
    (root / "in" / HOSTILE).write_bytes(b"")
    before, after = root / "before", root / "after"
    common_crawl = sample / "crawl-data/CC-MAIN-2026-34"
    crawlprefs.run([common_crawl, root / "in"], before, crawl="CC-MAIN-2026-30", max_failed=1)
    crawlprefs.run(common_crawl, after, crawl="CC-MAIN-2026-34")
    (root / "ranks.csv").write_text("1,aipref-robots.example\n2,cloudflare.example\n")
    return before, after


@pytest.fixture(scope="module")
def page(crawls: tuple[Path, Path]) -> Path:
    """The page about both."""
    before, after = crawls
    path = before.parent / "report.html"
    crawlprefs.report(after, path, compare=before, ranks=before.parent / "ranks.csv")
    return path


@pytest.fixture(scope="module")
def answers(by_command: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What the queries of the repository answer over the sample, by each key where they have one: columns, then rows."""
    found = {}
    with duckdb.connect() as connection:
        connection.execute(f"SET file_search_path = '{by_command}'")
        for file in ("duckdb.sql", "views.sql"):
            connection.execute((REPOSITORY / "queries" / file).read_text())
        for path in sorted((REPOSITORY / "queries").glob("*/*.sql")):
            text = path.read_text()
            for key in ("all", "tld", "rank") if "getvariable('key')" in text else ("all",):
                connection.execute("SET VARIABLE key = ?", [key])
                try:
                    answer = connection.sql(text)
                    rows = [tuple(answer.columns), *answer.fetchall()]
                except duckdb.InvalidInputException:
                    continue
                found[f"{path.parent.name}-{path.stem}" + (f"-by-{key}" if key != "all" else "")] = rows
    return found


def test_the_tables_of_the_page_are_what_the_queries_answer(by_command: Path, answers: dict[str, list[tuple[Any, ...]]], tmp_path: Path) -> None:
    ran = command("report", by_command, "-o", tmp_path / "page.html")
    assert (ran.returncode, ran.stdout) == (0, f"{tmp_path}/page.html\n"), ran.stderr
    tables = Page((tmp_path / "page.html").read_text()).tables
    assert len(tables) >= 17
    for query, rows in tables.items():
        columns, *values = answers[query]
        assert rows == [[it.replace("_", " ") for it in columns], *([shown(value) for value in row] for row in values)], query


def test_the_figures_of_the_overview_are_what_the_queries_answer(
    by_command: Path, answers: dict[str, list[tuple[Any, ...]]], tmp_path: Path
) -> None:
    crawlprefs.report(by_command, tmp_path / "page.html")
    text = html.unescape((tmp_path / "page.html").read_text())
    overview = text[text.index('<section id="overview"') : text.index("</section>")]
    crawl = re.search("Overview of ([^<]+)", overview)[1]  # type: ignore[index]
    of_crawl = {name: [dict(zip(columns, row)) for row in rows if row[0] == crawl] for name, (columns, *rows) in answers.items()}

    def counted(query: str, name: str, part: str, whole: str, **only: str) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        for row in of_crawl[query]:
            count = row[part] if all(row[column] == value for column, value in only.items()) else 0
            found[row[name]] = (found.get(row[name], (0, 0))[0] + count, row[whole])
        return found

    kept: dict[str, list[int]] = {}
    for row in of_crawl["filtering-policy-cost"]:
        kept.setdefault(row["policy"], [0, 0])
        kept[row["policy"]][0] += row["pages"] if row["reason"] == "(kept)" else 0
        kept[row["policy"]][1] += row["pages"]
    vendors = {row["system"]: [0, row["hosts_stating"]] for row in of_crawl["adoption-managed-or-own"]}
    for row in of_crawl["adoption-managed-or-own"]:
        vendors[row["system"]][0] += row["hosts"] if row["author"] != "(own)" else 0
    wanted = [
        counted("agents-closed", "agent", "by_name", "hosts_answering"),
        counted("filtering-labels", "label", "pages", "pages_all", value="disallow"),
        counted("adoption-systems", "system", "in_site_files", "hosts_answering"),
        counted("outcomes-robots-status", "robots_state", "hosts", "hosts_asked"),
        {name: tuple(counts) for name, counts in kept.items()},
        {name: tuple(counts) for name, counts in vendors.items()},
    ]
    smalls = [re.findall(r'class="name">([^<]*)<.*?class="figure">([^<]*)<', small, re.DOTALL) for small in overview.split("<h3>")[1:]]
    assert len(smalls) == len(wanted)
    for bars, of_all in zip(smalls, wanted):
        figures = [f"{part:,} of {whole:,}" if whole < 100 else f"{100 * part / whole:.1f} %" for part, whole in of_all.values()]
        shown = [figure for _, figure in bars]
        assert 0 < len(shown) <= 5 and not Counter(shown) - Counter(figures), (shown, figures)
    gptbot = next(row for row in of_crawl["agents-share-closed"] if row["recommended"])
    training = counted("filtering-labels", "label", "pages", "pages_all", value="disallow")["train_ai"]
    read = of_crawl["quality-read"][0]
    any_agent = next(row for row in of_crawl["agents-closed-any"] if row["kind"] == "any")
    states = of_crawl["outcomes-pages-by-state"]
    unknown = sum(row["pages"] for row in states if row["access"] == "unknown")
    for said in (
        f"whether {unknown} of {states[0]['pages_all']} pages may be fetched",
        f"{any_agent['by_name']} of {any_agent['units']} hosts that answer close everything to some agent of AI by name; {any_agent['only_by_star']} more",
        f"{gptbot['by_name']:,} of {gptbot['hosts']:,} hosts that answer close everything to GPTBot by name; {gptbot['by_star']:,} more do so through *, and {gptbot['by_error']:,}",
        f"no on {training[0]:,} and yes on ",
        f"{read['captures']:,} captures in {read['archives']:,} archive",
        f"{read['captures_of_pages']:,} of them of pages; {read['records_lost']:,} of {read['records']:,} records were lost",
    ):
        assert said in " ".join(overview.split()), said


def test_two_crawls_are_compared_and_ranks_are_used(page: Path) -> None:
    tables = Page(page.read_text()).tables
    assert [row[:3] for row in tables["change-summary"][1:3]] == [
        ["CC-MAIN-2026-30", "CC-MAIN-2026-34", "CCBot"],
        ["CC-MAIN-2026-30", "CC-MAIN-2026-34", "ClaudeBot"],
    ]
    assert {row[-2] for row in tables["agents-closed-by-rank"][1:]} == {"top 1000", "top 10000", "top 100000", "top 1000000"}


def ranked(top: int, known: int) -> dict[str, Any]:
    """A row of agents/closed by rank."""
    counts = {"by_name": known // 4, "by_star": 1, "by_error": 0, "partly_by_name": 2, "hosts_answering": known}
    return {"crawl": "CC-MAIN-2026-34", "which": f"top {top}", "agent": "GPTBot", **counts}


def test_the_agents_are_drawn_by_the_ways_in_which_they_are_shut_out(page: Path) -> None:
    from crawlprefs._report import _plots

    plots = json.loads(re.search('id="plots">(.*?)</script>', page.read_text())[1])  # type: ignore[index]
    ways = {"all, by name", "all, through *", "a part, by name"}
    every_host = plots["agents/closed"]["datasets"][plots["agents/closed"]["data"]["name"]]
    by_rank = _plots.agents_closed_by_rank([ranked(1_000, 400), ranked(10_000, 900), ranked(100_000, 900)]).to_dict()
    rows = by_rank["datasets"][by_rank["data"]["name"]]
    assert {row["way"] for row in every_host} == {row["way"] for row in rows} == ways
    # A list with the domains of a shorter one has no bar of its own.
    assert {row["among"].replace("\u00a0", " ") for row in rows} == {"GPTBot: top 1k, n 400", "GPTBot: top 10k, n 900"}
    parts = [row for row in every_host if row["way"] == "a part, by name"]
    assert [row["percent"] for row in parts] == [100 * row["partly_by_name"] / row["hosts_answering"] for row in parts]


def test_cards_have_one_scale_and_a_host_of_two_authors_is_in_no_sum() -> None:
    from crawlprefs._report import _plots
    from crawlprefs._report._overview import _bars

    assert [bar.length for bar in _bars([("a", 56, 1_000), ("b", 851, 1_000), ("c", 9, 10)])] == [5.6, 85.1, 0.0]
    crawl = {"crawl": "CC-MAIN-2026-34", "system": "content_signal", "hosts_stating": 3, "hosts_of_both": 1}
    rows = [{**crawl, "author": author, "hosts": hosts, "percent_of_stating": 100 * hosts / 3} for author, hosts in (("(own)", 2), ("cloudflare", 2))]
    encoding = _plots.managed(rows).to_dict()["encoding"]
    assert encoding["x"]["field"] == "percent_of_stating" and "yOffset" in encoding and "stack" not in encoding["x"]


def test_any_agent_is_drawn_by_purpose_and_operator() -> None:
    from crawlprefs._report import _plots

    crawl = {"crawl": "CC-MAIN-2026-34", "own": 1, "vendor": 0, "both": 0, "units": 200, "only_by_star": 4}
    operators = [("operator", f"operator {number:02}", number) for number in range(20)]
    rows = [{**crawl, "kind": kind, "which": which, "by_name": by_name} for kind, which, by_name in (*operators, ("purpose", "training", 30), ("any", "any agent of AI", 50))]
    made = _plots.closed_any(rows).to_dict()
    drawn = made["datasets"][made["data"]["name"]]
    groups = list(dict.fromkeys(row["group"] for row in sorted(drawn, key=lambda row: row["place"])))
    assert groups[:3] == ["any agent of AI", "for training", "of operator 19"] and len(groups) == 2 + 12
    assert {(row["way"], row["percent"]) for row in drawn if row["group"] == "any agent of AI"} == {("all, by name", 25.0), ("all, through *", 2.0)}


def test_a_figure_is_as_high_as_the_one_crawl_that_it_draws() -> None:
    from crawlprefs._report import _plots
    from crawlprefs._report._figures import _height

    def rows(crawl: str, first: int) -> list[dict[str, Any]]:
        return [{**ranked(1_000, 400), "which": "all", "crawl": crawl, "agent": f"agent {number}"} for number in range(first, first + 25)]

    one, five = rows("CC-MAIN-2026-34", 0), [row for number in range(5) for row in rows(f"CC-MAIN-202{2 + number}-34", 25 * number)]
    assert _height(_plots.agents_closed(five).to_dict()) == _height(_plots.agents_closed(one).to_dict()) < 1_200


def test_what_closes_pages_is_drawn_by_its_way() -> None:
    from crawlprefs._report import _plots

    ways = {"by_name": 3, "by_star": 2, "by_error": 0}
    closed = {"crawl": "CC-MAIN-2026-34", "pages": 5, "pages_all": 20, **ways}
    opened = {**closed, "pages": 15, "by_name": 0, "by_star": 0}
    by_state = _plots.pages_by_state([{**closed, "robots_state": "parsed", "access": "disallow"}, {**opened, "robots_state": "parsed", "access": "allow"}])
    cost = _plots.policy_cost([{**closed, "policy": "robots", "reason": "access_disallow"}, {**opened, "policy": "robots", "reason": "(kept)"}])
    for drawn, names in ((by_state, ("may not", "may fetch")), (cost, ("access: no", "kept"))):
        made = drawn.to_dict()
        rows = [(row.get("answer") or row.get("why"), row["percent"]) for row in made["datasets"][made["data"]["name"]]]
        assert sorted(rows) == sorted([(f"{names[0]}, by name", 15.0), (f"{names[0]}, through *", 10.0), (names[1], 75.0)])


def test_the_head_of_each_query_is_below_its_plot(page: Path) -> None:
    for article in page.read_text().split("<article ")[1:]:
        if "<table>" in article:
            heads = re.findall("<p><b>([^<]*)</b>: ", article)
            assert heads[:4] == ["Unit", "Denominator", "By name", "Not for"], article[:60]


def test_lists_of_fewer_than_100_domains_are_not_drawn(page: Path) -> None:
    from crawlprefs._report._sections import SECTIONS

    plots = json.loads(re.search('id="plots">(.*?)</script>', page.read_text())[1])  # type: ignore[index]
    by_rank = [plot for section in SECTIONS for plot in section.plots if plot.key == "rank"]
    assert len(by_rank) == 2 and not {plot.name for plot in by_rank} & set(plots)
    assert page.read_text().count("Not drawn: hosts answering below 100.") == 2
    assert all(plot.drawn([ranked(1_000, 99), ranked(10_000, 100)]) == [ranked(10_000, 100)] for plot in by_rank)


def test_each_system_has_a_name_for_readers() -> None:
    from crawlprefs._report import _names, _systems

    declared = {line.split("|")[1].strip() for line in command("schema", "--systems").stdout.splitlines() if line.startswith("| ")}
    assert set(_systems.SYSTEMS.values()) == declared - {"system"}
    assert _names.source("aipref header") == "AIPREF, header"
    assert _names.source("tdmrep tdmrep") == "TDMRep, tdmrep.json"


def test_a_share_of_few_is_shown_as_counts_and_no_share_is_rounded_to_nothing() -> None:
    from crawlprefs._report._overview import share

    assert [share(0, 1), share(1, 99), share(0, 100), share(1, 100), share(1, 9_999)] == ["0 of 1", "1 of 99", "0.0 %", "1.0 %", "< 0.1 %"]


@pytest.mark.parametrize(("pages", "said"), [(50, "no on 10 and yes on 5 of 50 pages"), (200, "no on 5.0 % and yes on 2.5 % of 200 pages")])
def test_a_finding_names_its_denominator_once(pages: int, said: str) -> None:
    from crawlprefs._report._overview import _training

    rows = [{"label": "train_ai", "value": value, "pages": count, "pages_all": pages} for value, count in (("disallow", 10), ("allow", 5))]
    found = _training(lambda query: rows)
    assert found is not None and found.sentence == f"Training AI: {said}. What the others want is not known."


@pytest.mark.parametrize(
    ("changed", "missing", "said"),
    [(0, 0, ""), (2, 1, " In WACZ files, 2 archives are not those of datapackage.json, and 1 are missing.")],
)
def test_the_overview_counts_archives_of_wacz_files_that_changed_or_are_missing(changed: int, missing: int, said: str) -> None:
    from crawlprefs._report._overview import _lost

    row = {"archives": 1, "captures": 3, "captures_of_pages": 2, "records": 4, "records_lost": missing}
    row |= {"wacz_archives_changed": changed, "wacz_archives_missing": missing}
    found = _lost(lambda query: [row])
    assert found is not None
    assert found.sentence == f"Read: 3 captures in 1 archive, 2 of them of pages; {missing} of 4 records were lost.{said}"


def many_domains(folder: Path) -> Path:
    """Tables of 60 hosts of as many domains: every third closes GPTBot by name, every fourth CCBot."""
    records = []
    for number in range(60):
        text = "User-agent: GPTBot\nDisallow: /\n" * (number % 3 == 0) + "User-agent: CCBot\nDisallow: /\n" * (number % 4 == 0)
        for path, media, body in (("robots.txt", "text/plain", f"{text}User-agent: *\nDisallow:\nContent-Signal: search=yes\n"), ("", "text/html", "<p>")):
            block = f"HTTP/1.1 200 OK\r\nContent-Type: {media}\r\n\r\n{body}"
            head = f"WARC-Type: response\r\nWARC-Date: 2026-08-10T06:00:0{len(path) // 10}Z\r\nWARC-Target-URI: https://site{number}.example/{path}\r\n"
            head += f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}"
            records.append(f"WARC/1.0\r\n{head}\r\n\r\n{block}\r\n\r\n")
    (folder / "made.warc").write_text("".join(sorted(records, key=lambda it: "robots.txt" not in it)), newline="")
    crawlprefs.run(folder / "made.warc", folder / "out", crawl="CC-MAIN-2026-34")
    (folder / "ranks.csv").write_text("".join(f"{number + 1},site{number}.example\n" for number in range(60)))
    return folder / "out"


def test_each_share_that_is_an_estimate_has_an_interval_around_the_share_of_its_query(tmp_path: Path) -> None:
    from crawlprefs._report._results import results
    from crawlprefs._report._sections import SECTIONS
    from crawlprefs._report._uncertain import SHARES
    from crawlprefs._views import database

    compared = 0
    out = many_domains(tmp_path)
    with database([os.fspath(out)], os.fspath(tmp_path / "ranks.csv")) as connection:
        answers = results(connection, lambda _: None)
    plots = [plot for section in SECTIONS for plot in section.plots]
    assert SHARES.keys() <= {plot.query for plot in plots}
    for query, shares in ((plot.name, SHARES.get(plot.query, ())) for plot in plots):
        for share, row in ((share, row) for share in shares for row in answers[query].records() if share.percent and row[share.percent]):
            if row[f"{share.name}_low"] is None:  # of fewer than 30 domains
                assert row.get("hosts", 60) < 30 or row.get("pages_of_value", 60) < 30, (query, row)
                continue
            _, _, counted = answers[query].intervals[share.name][1][row["crawl"], *(row[key] for key in share.keys)]
            assert round(counted, 2) == pytest.approx(row[share.percent], abs=0.011), (query, row)
            assert row[f"{share.name}_low"] <= row[share.percent] <= row[f"{share.name}_high"], (query, row)
            compared += 1
    assert compared > 20
    gptbot = next(row for row in answers["agents/closed"].records() if row["agent"] == "GPTBot")
    assert gptbot["by_name_percent"] == 33.33 and 18 < gptbot["by_name_low"] < 27 and 40 < gptbot["by_name_high"] < 49


def test_a_share_of_few_domains_has_no_interval() -> None:
    from crawlprefs._report._uncertain import _ends

    assert _ends(Counter({(1, 1): 5}), Counter({(0, 1): 29})) is None
    few, many = _ends(Counter({(1, 1): 5}), Counter({(0, 1): 30})), _ends(Counter({(1, 1): 500}), Counter({(0, 1): 3_000}))
    assert few is not None and many is not None and few[2] == many[2] and few[1] - few[0] > 5 * (many[1] - many[0])


def test_intervals_are_drawn_and_explained(tmp_path: Path) -> None:
    crawlprefs.report(many_domains(tmp_path), tmp_path / "page.html", figures=tmp_path / "figures")
    text = (tmp_path / "page.html").read_text()
    plots = json.loads(re.search('id="plots">(.*?)</script>', text)[1])  # type: ignore[index]
    assert [layer["mark"]["type"] for layer in plots["agents/closed"]["layer"]] == ["bar", "rule", "tick"]
    assert "by the differences between registered domains" in text.partition("<script")[0]
    assert "differences between registered domains" in (tmp_path / "figures/agents-closed.svg").read_text()


def test_a_cell_says_its_n_and_is_pale_under_100() -> None:
    from crawlprefs._report import _plots

    rows = [
        {"crawl": "c", "which": tld, "system": "sup", "in_site_files": 5, "site_files_percent": 5.0, "hosts_answering": known}
        for tld, known in {"org": 99, "com": 100}.items()
    ]
    made = _plots.systems_by_tld(rows).to_dict()
    cells = {row["tld"]: (row["size"], row["is_pale"]) for row in made["datasets"][made["data"]["name"]]}
    assert cells == {"org": ("n 99", True), "com": ("n 100", False)}
    pale = made["layer"][0]["encoding"]["opacity"]
    assert (pale["condition"]["test"], pale["condition"]["value"]) == ("datum.is_pale", 0.05)
    assert made["layer"][2]["encoding"]["text"]["field"] == "size"


def test_three_crawls_have_a_row_for_each_transition() -> None:
    from crawlprefs._report import _change

    crawls = ["CC-MAIN-2026-30", "CC-MAIN-2026-34", "CC-MAIN-2026-38"]
    rows = [
        {"crawl": first, "next_crawl": then, "agent": "GPTBot", "survivors": 200, "by_name_before_percent": 1.0, "by_name_after_percent": 2.0}
        for first, then in zip(crawls, crawls[1:])
    ]
    made = _change.change(rows).to_dict()
    assert [row["which"] for row in made["datasets"][made["data"]["name"]]] == ["GPTBot, 2026-30 to 2026-34", "GPTBot, 2026-34 to 2026-38"]


def test_the_page_begins_with_an_overview_and_says_what_it_was_made_from(page: Path, crawls: tuple[Path, Path]) -> None:
    text = page.read_text()
    overview = text[text.index('<section id="overview"') : text.index("</section>")]
    assert overview.count("<h3>") == 6
    links = re.findall('href="#([^"]+)"', text)
    assert len(links) >= 6 + 10 and {f'id="{link}"' for link in links} <= set(re.findall('id="[^"]+"', text))
    sections = re.findall('<section id="([^"]+)"', text)
    assert sections[:4] == ["overview", "agents", "labels", "adoption"] and sections[-1] == "read"
    read = text[text.index('<section id="read"') :]
    assert "<details open>" not in read
    for part in (text[: text.index("<main")], text[text.index("<footer") :]):
        assert all(it in part for it in ("agent CCBot", "vocabulary 03", "agents version ", "robots.txt fetched 20"))
    assert re.search(r"This page has [1-9]\.\d MB", text) and "agents digest " in text
    levels = [int(level) for level in re.findall("<h([1-6])", text)]
    assert levels[0] == 1 and all(then <= before + 1 for before, then in zip(levels, levels[1:]))
    # The command of the footer works where only the package is installed.
    code = html.unescape(re.search("python -c &#39;(.*?)&#39;</code>|python -c '(.*?)'</code>", text).group(0))  # type: ignore[union-attr]
    program = code.removesuffix("</code>").removeprefix("python -c ").strip("'")
    ran = subprocess.run([sys.executable, "-c", program], cwd=crawls[0].parent, capture_output=True, text=True)
    assert ran.returncode == 0 and "by_name_percent" in ran.stdout, ran.stderr
    with pytest.raises(crawlprefs.Error, match="no such query"):
        crawlprefs.open(crawls[0]).query("views")


def test_each_plot_says_its_unit_and_its_n(page: Path) -> None:
    articles = re.findall(r"<article id.*?</article>", page.read_text(), re.DOTALL)
    drawn = [article for article in articles if "data-plot" in article]
    assert len(drawn) >= 10
    for article in drawn:
        assert re.search(r'<p class="n">[^<]*\bn = [\d,]+', article), article[:200]
        assert "Unit: a" in article


@pytest.fixture(scope="module")
def years(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page about five invented crawls, as of six dates, from their site index alone."""
    root = tmp_path_factory.mktemp("years")
    subprocess.run([sys.executable, REPOSITORY / "tests/years/world.py", root], check=True)
    crawlprefs.run(root / "crawl-data", root / "out")
    assert command("index", "-q", root / "out", "-o", root / "index").returncode == 0
    dates = [*(f"{year}-06-01" for year in range(2022, 2027)), "2026-10-01"]
    report = crawlprefs.sites(root / "index", root / "dates", at=",".join(dates))
    assert report["resolve"]["sites"]["sites"] > 400
    crawlprefs.report(root / "dates", root / "page.html")
    return root / "page.html"


def test_the_panel_is_drawn_with_the_dated_events_between_its_times(years: Path) -> None:
    from crawlprefs._report._events import day_of

    text = years.read_text()
    plot = json.loads(re.search('id="plots">(.*?)</script>', text)[1])["change/panel"]  # type: ignore[index]
    rows, marks, *_ = (plot["datasets"][layer.get("data", plot.get("data"))["name"]] for layer in plot["layer"])
    columns, *table = Page(text).tables["change-panel"]
    shares = {tuple(row[columns.index(it)] for it in ("crawl", "panel", "agent")): row for row in table}
    assert {row["way"] for row in rows} == {"by name", "through *"} and {row["panel"] for row in rows} == {"balanced", "all hosts"}
    assert all(row["hosts"] >= 30 for row in rows)
    for row in rows:
        column = columns.index("by name percent" if row["way"] == "by name" else "through star percent")
        assert shown(row["percent"]) == shares[row["crawl"], row["panel"], row["agent"]][column]
        assert shares[row["crawl"], row["panel"], row["agent"]][columns.index("left out")] == "", "no source lists it by then"
    # One is known since August 2023, the other was listed by March 2024.
    for agent in ("GPTBot", "ClaudeBot"):
        assert min(row["day"] for row in rows if row["agent"] == agent) == "2024-06-01"
    events = [line.split("\t") for line in (REPOSITORY / "data/events.tsv").read_text().splitlines() if not line.startswith("#")][1:]
    assert [[it["when"], it["event"], it["changes"], it["source"]] for it in marks] == events
    assert all(f"Source: {html.escape(it['source'], quote=False)}" in text.replace("&#34;", '"').replace("&#39;", "'") for it in marks)
    assert [str(day_of(*it)) for it in [("CC-MAIN-2024-18", "2024-04"), ("2024-01-01T060000Z", "2023-02"), ("local", "2024-04")]] == [
        "2024-04-29",
        "2024-01-01",
        "2024-04-01",
    ]


def test_the_plots_are_valid(page: Path) -> None:
    """They are made without being validated, which takes long."""
    import altair as alt
    from jsonschema import ValidationError

    plots = json.loads(re.search('id="plots">(.*?)</script>', page.read_text())[1])  # type: ignore[index]
    assert len(plots) > 10
    for plot in plots.values():
        del plot["config"]["legend"]["layout"]  # Vega knows it, and the schema of Vega-Lite does not.
        alt.Chart.from_dict(plot)
    spoilt = json.loads(json.dumps(plots["agents/closed"]).replace('"nominal"', '"nominol"'))
    with pytest.raises(ValidationError):
        alt.Chart.from_dict(spoilt)


def test_a_report_says_on_a_terminal_what_it_does(by_command: Path, tmp_path: Path) -> None:
    """And nothing where its errors go to a file."""
    from crawlprefs._report import write_report

    steps: list[str] = []
    write_report([os.fspath(by_command)], os.fspath(tmp_path / "page.html"), None, None, steps.append)
    assert steps[0] == "reading the tables" and steps[-1] == "drawing the plots" and "query 2 of 24: agents/closed" in steps
    assert command("report", by_command, "-o", tmp_path / "page.html").stderr == ""


def test_the_script_of_the_plots_is_kept_for_the_next_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from crawlprefs._report import _vega

    bundled = []
    monkeypatch.setattr(_vega.vl_convert, "javascript_bundle", lambda: bundled.append(1) or "a</script>b")
    for cache in (tmp_path / "cache", tmp_path / "file"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
        (tmp_path / "file").write_text("")
        assert [_vega.javascript(), _vega.javascript()] == ["a<\\/script>b"] * 2
    assert len(bundled) == 3, "kept once, and each time anew where nothing can be kept"
    assert len(list((tmp_path / "cache/crawlprefs").iterdir())) == 1


def test_names_from_others_are_text(page: Path) -> None:
    text = page.read_text()
    name = HOSTILE.replace("\u202e", "\\u{202e}")
    assert any(name in row for row in Page(text).tables["quality-trust"])
    assert "\u202e" not in text
    tags = Page(text).tags
    assert tags.count("img") == 0
    assert tags.count("script") == 3  # the data of the plots, Vega, and the page's own


def test_the_data_of_plots_cannot_end_their_script() -> None:
    from crawlprefs._report._page import _json

    value = {"name": "</script><script>alert(1)</script><!-- &amp; \u2028"}
    assert json.loads(_json(value)) == value
    assert not re.search("[<>&\u2028]", _json(value))


def test_figures_are_written_in_three_formats(by_command: Path, tmp_path: Path) -> None:
    crawlprefs.report(by_command, tmp_path / "page.html", figures=tmp_path / "figures")
    for name, begins in {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}.items():
        assert (tmp_path / f"figures/agents-closed.{name}").read_bytes().startswith(begins)


def test_runs_with_other_agents_tables_are_not_compared(crawls: tuple[Path, Path], tmp_path: Path) -> None:
    """An agent that one table lacks would look as if hosts had closed it since."""
    before, after = crawls
    (tmp_path / "agents.tsv").write_text("# Version: mine 7\ntoken\nGPTBot\n")
    crawlprefs.resolve(before, tmp_path / "few", agents=tmp_path / "agents.tsv")
    with pytest.raises(crawlprefs.UsageError, match=r"CC-MAIN-2026-30: .*agents_version mine 7.*CC-MAIN-2026-34: ") as refused:
        crawlprefs.report(after, tmp_path / "page.html", compare=tmp_path / "few")
    assert "resolve them again" in str(refused.value)
    assert not (tmp_path / "page.html").exists()
    # The queries refuse what was put into one folder by hand, too.
    run = tmp_path / "both"
    for folder in (after, tmp_path / "few"):
        for crawl in (*folder.glob("sites/crawl=*"), *folder.glob("agent_sets/crawl=*")):
            (run / crawl.parent.name).mkdir(parents=True, exist_ok=True)
            (run / crawl.parent.name / crawl.name).symlink_to(crawl)
    with duckdb.connect() as connection:
        connection.execute(f"SET file_search_path = '{run}'")
        for text in ("duckdb.sql", "views.sql"):
            connection.execute((REPOSITORY / "queries" / text).read_text())
        for query in ("change/summary", "agents/closed"):
            with pytest.raises(duckdb.Error, match="mine 7"):
                connection.sql((REPOSITORY / f"queries/{query}.sql").read_text()).fetchall()


def test_what_cannot_be_shown_is_said(crawls: tuple[Path, Path], tmp_path: Path) -> None:
    ran = command("report", tmp_path, "-o", tmp_path / "page.html")
    assert (ran.returncode, ran.stderr) == (
        2,
        f"crawlprefs: error: {tmp_path}: no tables there; expected a folder that crawlprefs run or resolve wrote\n",
    )
    with pytest.raises(crawlprefs.UsageError, match="expected another crawl to compare with"):
        crawlprefs.report(crawls[0], tmp_path / "page.html", compare=crawls[0])
    crawlprefs.resolve(crawls[1], tmp_path / "few", tables="pages")
    crawlprefs.report(tmp_path / "few", tmp_path / "page.html")
    assert "Not shown: sites" in re.sub(r"\s+", " ", (tmp_path / "page.html").read_text())
    ran = command("report", crawls[1], "-o", tmp_path / "none/page.html")
    assert ran.returncode == 1 and "No such file or directory" in ran.stderr


CLIPPED = """[...document.querySelectorAll('.plot svg.marks')].flatMap((svg) => {
  const box = svg.getBoundingClientRect();
  const isOut = (it) => it.left < box.left - 1 || it.right > box.right + 1 || it.top < box.top - 1 || it.bottom > box.bottom + 1;
  const texts = [...svg.querySelectorAll('text')].filter((it) => it.textContent.trim() && it.getBoundingClientRect().width);
  return texts.filter((it) => isOut(it.getBoundingClientRect()) || it.textContent.includes('\u2026')).map((it) => it.textContent);
})"""
"""The texts of plots that are not wholly in their plot, or cut with an ellipsis."""


OVERLAPPING = """(id) => {
  const texts = [...document.querySelectorAll(`${id} svg .mark-text.role-mark text`)].map((it) => [it.textContent, it.getBoundingClientRect()]);
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
  return texts.flatMap(([text, box], at) => texts.slice(at + 1).filter(([, other]) => meet(box, other)).map(([other]) => `${text}, ${other}`));
}"""
"""The texts in the cells of a plot that lie on each other."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 375])
def test_a_browser_draws_every_plot_and_asks_for_nothing(page: Path, browser: Any, scheme: str, width: int) -> None:
    tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    said: list[str] = []
    asked: list[str] = []
    tab.on("console", lambda message: said.extend([message.text] if message.type == "error" else []))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(page.as_uri())
    tab.wait_for_function("document.documentElement.dataset.drawn !== undefined", timeout=SLOW_MS)
    plots = tab.locator(".plot").count()
    assert plots >= 10
    assert tab.locator(".plot svg.marks").count() == plots
    assert said == []
    assert asked == [page.as_uri()]
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.evaluate(CLIPPED) == []
    for matrix in ("#filtering-deciding-systems", "#adoption-systems-by-tld"):
        assert tab.locator(f"{matrix} svg .mark-text.role-mark text").count() > 4
        assert tab.evaluate(OVERLAPPING, matrix) == []
        assert tab.evaluate("(id) => { const it = document.querySelector(`${id} .plot`); return it.scrollWidth - it.clientWidth; }", matrix) <= 0
    words = tab.evaluate("[...document.querySelectorAll('.plot svg text')].map((it) => it.textContent)")
    agents = {line.split("\t")[0] for line in (REPOSITORY / "data/agents.tsv").read_text().splitlines()}
    assert [it for it in words if "_" in it and it not in agents] == []
    assert tab.locator(".plot[aria-label*='The table below']").count() == plots
    if (scheme, width) in (("light", 1200), ("dark", 375)):
        tab.evaluate("for (const it of document.querySelectorAll('#agents details, #robots details')) it.open = true")
        assert barriers(tab) == []
    if width == 1200:
        assert tab.locator("#overview").bounding_box()["y"] + tab.locator("#overview").bounding_box()["height"] <= 800
    tab.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 375)])
def test_a_browser_draws_the_panel_that_is_chosen(years: Path, browser: Any, scheme: str, width: int) -> None:
    tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    said: list[str] = []
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.goto(years.as_uri())
    tab.wait_for_function("document.documentElement.dataset.drawn !== undefined", timeout=SLOW_MS)
    article = tab.locator("#change-panel")
    points = article.locator("svg.marks path[aria-roledescription=point]")
    counts = []
    for panel in ("balanced", "all hosts"):
        article.get_by_role("combobox", name="Panel").select_option(panel)
        tab.wait_for_timeout(300)
        counts.append(points.count())
    assert counts[0] == counts[1] > 10
    # Newcomers are fewer than 30 at each time.
    assert article.get_by_role("combobox", name="Panel").locator("option").all_inner_texts() == ["balanced", "all hosts"]
    months = [it for it in article.locator("svg .role-axis-label text").all_text_contents() if re.search("[a-z]", it)]
    assert len(months) == len(set(months)) >= 4, "no label of the axis is there twice"
    assert article.locator("ol.events li").count() == 6
    # A row is as high as the lines of its name, in however many layers it is drawn.
    plot = tab.locator("#change-summary svg.marks")
    rows = plot.locator("text", has_text=" to ").count()
    assert rows >= 4 and plot.bounding_box()["height"] < 60 * rows + 100
    assert said == [] and tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.close()


@pytest.fixture(scope="module")
def host(crawls: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a host with hostile names, lines and redirects."""
    folder = tmp_path_factory.mktemp("host")
    captures = []
    bodies = [
        "User-agent: *\nDisallow: /x\n",
        "User-agent: *\nDisallow: /x\n",
        "User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nUser-agent: <script>alert(1)</script>\nDisallow: /\n",
        None,
        f"User-agent: *\nContent-Signal: ai-train=no\nDisallow: /{'x' * 500}\nDisallow: /\u202e{'<b>' * 9}\n\nUser-agent: Bytespider\nDeny: /<i>\n",
    ]
    for number, body in enumerate(bodies):
        head = "HTTP/1.1 503 Busy" if body is None else "HTTP/1.1 200 OK\r\nContent-Type: text/plain"
        block = f"{head}\r\n\r\n{body or ''}".encode()
        fields = f"WARC-Type: response\r\nWARC-Target-URI: https://a.example/robots.txt\r\nWARC-Date: 202{number}-05-01T00:00:00Z"
        captures.append(f"WARC/1.0\r\n{fields}\r\nContent-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n")
    (folder / "a.warc").write_bytes(b"".join(captures))
    for step in (["scan", "-q", folder / "a.warc", "-o", folder / "out"], ["index", "-q", folder / "out", "-o", folder / "index"]):
        ran = command(*step)
        assert ran.returncode == 0, ran.stderr
    ran = command("report", "--host", "a.example", "--sites", folder / "index", "-o", folder / "page.html")
    assert (ran.returncode, ran.stdout) == (0, f"{folder / 'page.html'}\n"), ran.stderr
    return folder / "page.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 375])
def test_a_browser_shows_the_history_of_a_host(host: Path, browser: Any, scheme: str, width: int) -> None:
    tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    said: list[str] = []
    asked: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(host.as_uri())
    entries = tab.locator("ol.entries > li")
    assert entries.count() == tab.locator("svg.timeline rect.seen").count() == 4
    kinds = ["open", "unknown", "closed", "open"]
    assert [tab.locator(f"svg.timeline rect.seen:nth-of-type({2 * at})").get_attribute("class") for at in (1, 2, 3, 4)] == [f"{it} seen" for it in kinds]
    assert tab.locator("ol.entries .kind").all_inner_texts() == kinds
    assert [it.strip() for it in tab.locator("ul.legend li").all_inner_texts()] == ["open", "closed", "unknown", "pale: between two fetches"]
    assert "from 2022-05-01 unknown, from 2023-05-01 closed" in (tab.locator("svg.timeline").get_attribute("aria-label") or "")
    texts = entries.all_inner_texts()
    # A gap is quieter than a change.
    sizes = tab.evaluate("['.gap', '.entries ul:not(.note) li'].map((it) => parseFloat(getComputedStyle(document.querySelector(it)).fontSize))")
    assert sizes[0] < sizes[1] and tab.locator(".warning", has_text="No fetch").count() == 0
    assert barriers(tab) == []
    assert "GPTBot, <script>alert(1)</script>: closed in part through * → closed by name, by line 6: Disallow: /" in texts[1]
    assert "train_ai: unknown → disallow, by line 2: Content-Signal: ai-train=no (content_signal)" in texts[3]
    assert "Line 7 is not understood: Deny: /<i>. No crawler and no document" in texts[3]
    assert "Bytespider: closed → unknown by name, line 7 is not understood: Deny: /<i>" in texts[3]
    assert "No fetch for 365 days, from 2020-05-01 00:00:00" in texts[0]
    assert said == [] and asked == [host.as_uri()]
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.close()


def test_a_page_of_a_host_needs_an_index_and_the_host(host: Path) -> None:
    index = host.parent / "index"
    for wrong in ([], ["--host", "a.example"], ["--sites", index], ["x", "--host", "a.example", "--sites", index]):
        assert command("report", *wrong).returncode == 2
    ran = command("report", "--host", "b.example", "--sites", index, "-o", host.parent / "b.html")
    assert ran.returncode == 3 and "nothing of b.example is in the index" in ran.stderr
    crawlprefs.report_history("https://a.example/x", index, host.parent / "x.html", agent="GPTBot")
    assert "the page for GPTBot" in re.sub(r"\s+", " ", (host.parent / "x.html").read_text())


def test_the_keyboard_reaches_everything_and_shows_where_it_is(page: Path, browser: Any) -> None:
    tab = browser.new_page(viewport={"width": 1200, "height": 800})
    tab.goto(page.as_uri())
    tab.wait_for_function("document.documentElement.dataset.drawn !== undefined", timeout=SLOW_MS)
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the report"
    assert tab.locator("a.skip").bounding_box()["x"] >= 0
    reached = []
    for _ in range(60):
        tab.keyboard.press("Tab")
        reached.append(tab.evaluate("(() => { const it = document.activeElement; return [it.tagName, it.className, getComputedStyle(it).outlineStyle]; })()"))
    assert [it for it in reached if it[2] == "none"] == []
    assert {"A", "SELECT", "SUMMARY"} <= {it[0] for it in reached} and any("plot" in it[1] for it in reached)
    tab.close()


def test_tables_are_sorted_and_searched_with_the_keyboard(page: Path, browser: Any) -> None:
    tab = browser.new_page()
    tab.goto(page.as_uri())
    tab.wait_for_function("document.documentElement.dataset.drawn !== undefined", timeout=SLOW_MS)
    article = tab.locator("#agents-closed")
    article.locator("summary", has_text="Table").focus()
    tab.keyboard.press("Enter")
    article.get_by_role("button", name="agent", exact=True).focus()
    tab.keyboard.press("Enter")
    agents = article.locator("tr:not([hidden]) td:nth-child(2)")
    assert article.locator("th[aria-sort=ascending]").inner_text().startswith("agent")
    names = agents.all_inner_texts()
    assert len(names) > 100
    assert names == sorted(names, key=str.lower)
    article.get_by_role("searchbox").focus()
    tab.keyboard.type("gptbot")
    assert agents.all_inner_texts() == ["GPTBot"]
    assert article.get_by_role("status").inner_text() == "1 row"
    tab.get_by_label("Crawl", exact=True).select_option("CC-MAIN-2026-30")
    assert article.locator("tr:not([hidden]) td:nth-child(1)").all_inner_texts() == ["CC-MAIN-2026-30"]
    tab.close()
