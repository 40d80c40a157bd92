"""`crawlprefs extract --package`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ._errors import Error, UsageError
from ._tables import open as open_tables


def package_command(arguments: Sequence[str]) -> int:
    """Runs `crawlprefs extract --package`; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="crawlprefs extract",
        description="Writes a folder with which others check the answer of a query, without the archives: python DIR/verify.py.",
        allow_abbrev=False,
    )
    parser.add_argument("--package", metavar="QUERY", required=True, help="query of the project, such as agents/closed-interval")
    parser.add_argument("--tables", metavar="OUT", required=True, help="folder that run wrote")
    parser.add_argument("--base", metavar="DIR|URL", default=".", help="where the archives are [default: .]")
    parser.add_argument("-o", "--out", metavar="DIR", required=True, help="folder to write")
    parser.add_argument("--agent", metavar="TOKEN", help="variable of the query")
    parser.add_argument("--agents", metavar="TOKEN,TOKEN", help="variable of the query")
    parser.add_argument("--unit", choices=("host", "website", "domain"), help="variable of the query")
    parser.add_argument("--key", choices=("all", "tld", "rank", "host-rank"), help="variable of the query")
    given = parser.parse_args(arguments)
    agents = None if given.agents is None else given.agents.split(",")
    try:
        tables = open_tables(given.tables)
        which = tables.package(given.package, given.out, base=given.base, agent=given.agent, agents=agents, unit=given.unit, key=given.key)
    except Error as error:
        print(f"crawlprefs: error: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    print(f"{given.out}: {which}; verified by {given.out}/verify.py")
    return 0
