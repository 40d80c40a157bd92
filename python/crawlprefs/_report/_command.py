"""`crawlprefs report`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .._errors import Error, UsageError
from . import report


def report_command(arguments: Sequence[str]) -> int:
    """Runs `crawlprefs report`; returns the exit status, which is 2 for wrong options as in the command."""
    parser = argparse.ArgumentParser(
        prog="crawlprefs report",
        description="Writes one HTML page about the tables of a run: plots, tables, and the SQL behind each.",
        allow_abbrev=False,
    )
    parser.add_argument("out", metavar="OUT", help="folder that run or resolve wrote")
    parser.add_argument("-o", "--out", dest="page", metavar="PAGE", default="report.html", help="the page [default: report.html]")
    parser.add_argument("--compare", metavar="OTHER", help="folder of another crawl's run, to show what changed")
    parser.add_argument("--ranks", metavar="FILE", help="Tranco list (lines of rank,domain), for shares among the top domains")
    parser.add_argument("--figures", metavar="DIR", help="folder for each plot as SVG, PNG and PDF")
    given = parser.parse_args(arguments)
    try:
        report(given.out, given.page, compare=given.compare, ranks=given.ranks, figures=given.figures)
    except Error as error:
        print(f"crawlprefs: error: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        return 130
    print(given.page)
    return 0
