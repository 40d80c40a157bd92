"""`crawlprefs report`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .._errors import Error, UsageError
from .._options import HistoryOptions
from . import report_history, write_report


def report_command(arguments: Sequence[str]) -> int:
    """Runs `crawlprefs report`; returns the exit status, which is 2 for wrong options as in the command."""
    parser = argparse.ArgumentParser(
        prog="crawlprefs report",
        description="Writes one HTML page about the tables of a run: plots, tables, and the SQL behind each.",
        allow_abbrev=False,
    )
    parser.add_argument("out", metavar="OUT", nargs="?", help="folder that run or resolve wrote")
    parser.add_argument("-o", "--out", dest="page", metavar="PAGE", default="report.html", help="the page [default: report.html]")
    parser.add_argument("--compare", metavar="OTHER", help="folder of another crawl's run, to show what changed")
    parser.add_argument("--ranks", metavar="FILE", help="Tranco list (lines of rank,domain), for shares among the top domains")
    parser.add_argument("--figures", metavar="DIR", help="folder for each plot as SVG, PNG and PDF")
    parser.add_argument("--host", metavar="HOST|URL", help="a page about what this host said over time, instead of OUT")
    parser.add_argument("--sites", metavar="INDEX", action="append", help="site index, or its URL, with the files of --host; can be given several times")
    parser.add_argument("--agent", metavar="TOKEN", help="crawler that access and labels of --host are for [default: CCBot]")
    given = parser.parse_args(arguments)
    of_tables = (given.out, given.compare, given.ranks, given.figures)
    if given.host is None and (given.out is None or given.sites or given.agent):
        parser.error("expected OUT, or --host with --sites")
    if given.host is not None and (given.sites is None or any(it is not None for it in of_tables)):
        parser.error("--host: expected --sites, and neither OUT nor its options")
    try:
        if given.host is not None:
            options: HistoryOptions = {} if given.agent is None else {"agent": given.agent}
            report_history(given.host, given.sites, given.page, **options)
        else:
            folders = [given.out, *([] if given.compare is None else [given.compare])]
            try:
                write_report(folders, given.page, given.ranks, given.figures, _shown)
            finally:
                _shown("")
    except Error as error:
        print(f"crawlprefs: error: {error}", file=sys.stderr)
        status = {"host_unknown": 3}.get(error.kind, 1)
        return 2 if isinstance(error, UsageError) else status
    except KeyboardInterrupt:
        return 130
    print(given.page)
    return 0


def _shown(step: str) -> None:
    """Shows the step that begins in place of the one before, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{step}", end="", file=sys.stderr, flush=True)
