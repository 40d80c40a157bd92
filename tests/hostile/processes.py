"""Processes that are forked after a `Judge` was made, as datasets and multiprocessing do it: they must end."""

import functools
import pathlib
import sys

from case import Case

SCRIPT = """
import multiprocessing, sys
import crawlprefs, pyarrow
judge = crawlprefs.Judge(sys.argv[1], jobs=2, memory_limit=200_000_000)
def count(first):
    urls = [f"http://a.example/{number}" for number in range(first, first + 200)]
    return judge.documents(pyarrow.table({"url": urls, "date": ["2026-08-11"] * len(urls)})).num_rows
assert count(0) == 200
processes = int(open(sys.argv[2]).read())
if processes:
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        assert sum(pool.map(count, range(0, 2000, 200))) == 2000
else:
    assert sum(map(count, range(0, 2000, 200))) == 2000
"""


def count(folder: pathlib.Path, processes: int) -> None:
    """Says how many processes there are."""
    (folder / "processes").write_text(str(processes))


def forked(processes: int) -> Case:
    """A case of so many processes, against none."""
    return Case(
        f"processes: {processes} forked",
        functools.partial(count, processes=processes),
        functools.partial(count, processes=0),
        argv=(sys.executable, "-c", SCRIPT, "{tables}", "{in}/processes"),
        plus_seconds=10 * processes,
        packages=("crawlprefs", "pyarrow"),
    )


CASES = [forked(2)]
