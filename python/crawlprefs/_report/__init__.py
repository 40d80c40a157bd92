"""One HTML page about the tables of a run: plots, tables, and the SQL behind each.

>>> crawlprefs.report("out", "report.html")

Needs `pip install crawlprefs[report]`. The page is one file that asks for nothing: the numbers are those of the project's
queries, run by DuckDB, and the plots are Vega-Lite's.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .._errors import Error
from .._history import history

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Unpack

    from .._options import HistoryOptions, Path


def report(
    out: Path,
    page: Path,
    *,
    compare: Path | None = None,
    ranks: Path | None = None,
    figures: Path | None = None,
) -> None:
    """Writes the HTML page `page` about the tables in the folder `out`.

    `compare` is the folder of another run, of another crawl, to show what changed. `ranks` is a Tranco list (lines of
    `rank,domain`), for shares among the top domains. `figures` is a folder for each plot as SVG, PNG and PDF.

    Raises `UsageError` where a folder has no tables or both have the same crawl, and `Error` where a package is missing
    or a file cannot be read or written.
    """
    folders = [os.fspath(out), *([] if compare is None else [os.fspath(compare)])]
    write_report(folders, os.fspath(page), None if ranks is None else os.fspath(ranks), figures, lambda _: None)


def write_report(folders: Sequence[str], page: str, ranks: str | None, figures: Path | None, begins: Callable[[str], None]) -> None:
    """Writes the page about the tables in `folders`, as `report` does; `begins` is called with each step that begins."""
    begins("reading the tables")
    try:
        from .._views import database
        from ._facts import facts
        from ._figures import drawn, write_figures
        from ._page import write_page
        from ._results import results
    except ImportError as missing:
        raise Error(f"{missing.name}: not installed; pip install 'crawlprefs[report]'", "package_missing") from missing
    with database(folders, ranks) as connection:
        answers, known = results(connection, begins), facts(connection)
    begins("drawing the plots")
    charts = drawn(answers)
    try:
        write_page(page, folders, answers, charts, known)
        if figures is not None:
            begins("writing the figures")
            write_figures(os.fspath(figures), answers, charts)
    except OSError as failed:
        raise Error(f"{failed.filename}: {failed.strerror}", "output") from failed


def report_history(subject: str, sites: Path | Sequence[Path], page: Path, **options: Unpack[HistoryOptions]) -> None:
    """Writes the HTML page `page` about what a host said over time, by a site index; see `history`.

    Raises what `history` raises, and `Error` where a package is missing or the page cannot be written.
    """
    try:
        from ._history import write_history
    except ImportError as missing:
        raise Error(f"{missing.name}: not installed; pip install 'crawlprefs[report]'", "package_missing") from missing
    found = history(subject, sites, **options)
    try:
        write_history(os.fspath(page), found)
    except OSError as failed:
        raise Error(f"{failed.filename}: {failed.strerror}", "output") from failed
