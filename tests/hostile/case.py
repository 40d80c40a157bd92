"""A case of tests/hostile: a hostile archive, an ordinary one, and what the first may cost beyond the second."""

import dataclasses
import http.server
import pathlib
from collections.abc import Callable

import warc

#: Writes an archive, or several, into a folder.
Write = Callable[[pathlib.Path], None]
#: Answers a request to a server.
Answer = Callable[[http.server.BaseHTTPRequestHandler], None]


def ordinary_pages(folder: pathlib.Path) -> None:
    """An ordinary host: a robots.txt and 3,000 pages."""
    robots = warc.site_file("a.example", b"User-agent: *\nDisallow: /private\n")
    warc.write(folder / "a.warc.gz", [robots, *warc.pages(3000)])


@dataclasses.dataclass(frozen=True)
class Case:
    """One case. The hostile input may cost `times` the ordinary one's CPU time plus `plus_seconds`, and so on."""

    name: str
    hostile: Write
    ordinary: Write = ordinary_pages
    #: The command, such as `scan` or `run`.
    command: str = "scan"
    options: tuple[str, ...] = ()
    times: float = 3
    plus_seconds: float = 1
    plus_mib: int = 150
    #: Bytes of tables (for `scan`: of evidence); None where the input itself is that long.
    plus_table_bytes: int | None = 3_000_000
    #: 3 where the archive is damaged so that not all of it could be read.
    status: int = 0
    #: The whole command where it is another one, with {binary}, {in}, {out}, {tables} (of an ordinary archive) and {url}.
    argv: tuple[str, ...] = ()
    #: What the server at {url} does, where there is one; and how often it may be asked.
    serve: Answer | None = None
    most_requests: int | None = None
    #: Whether it takes more than a few seconds, so that CI leaves it to the nightly steps.
    is_long: bool = False
    #: The Python packages that it needs.
    packages: tuple[str, ...] = ()
    #: Seconds that may go by beyond `times` those of the ordinary input. Waiting is no CPU time.
    plus_wall_seconds: float = 120
