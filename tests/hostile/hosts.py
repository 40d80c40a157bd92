"""Site files of many hosts, each as long as is read: what all of them together may cost."""

import functools
import pathlib
from collections.abc import Callable

import warc
from case import Case, ordinary_pages

SIZE = 512_000


def files(folder: pathlib.Path, count: int, path: str, file: Callable[[int], bytes]) -> None:
    """A site file and a page for each host, beside an ordinary host."""
    records = [warc.site_file("ordinary.example", b"User-agent: *\nDisallow: /private\n"), *warc.pages(100)]
    for number in range(count):
        records.append(warc.site_file(f"h{number}.example", file(number), path))
        records.append(warc.page(f"http://h{number}.example/"))
    warc.write(folder / "a.warc.gz", records)


def lines(number: int, first: str, line: bytes, size: int = SIZE) -> bytes:
    """Returns a file of one line repeated, whose first line distinguishes it."""
    start = f"{first}{number}\n".encode()
    return start + warc.repeated(line, size - len(start))


def distinct(number: int) -> bytes:
    """Returns an ordinary long robots.txt."""
    rules = "".join(f"Disallow: /{number}/{at:06}\n" for at in range(SIZE // 20))
    return f"User-agent: *\n{rules}".encode()[:SIZE]


def ordinary(folder: pathlib.Path, count: int) -> None:
    """Hosts with long and ordinary files."""
    files(folder, count, "/robots.txt", distinct)


def case(name: str, count: int, line: bytes, first: str = "User-agent:", **limits) -> Case:
    """A case of files of one line, against as many ordinary ones, or an ordinary host's; `path` is that of the files."""
    path = limits.pop("path", "/robots.txt")
    size = limits.pop("size", SIZE)
    file = functools.partial(lines, first=first, line=line, size=size)
    write = functools.partial(files, count=count, path=path, file=file)
    limits.setdefault("ordinary", functools.partial(ordinary, count=count))
    return Case(name, write, command="run", **limits)


CASES = [
    case("lists of members", 32, b"Content-Usage:" + b"train-ai=n," * 5454 + b"train-ai=n\n"),
    case("comments", 150, b"a" * 100, "#", size=(1 << 20) - 100, ordinary=ordinary_pages),
    # Compiled rules are kept up to an eighth of `--memory-limit`.
    case("rules of few bytes", 300, b"Allow:a\n", "User-agent:*\nDisallow:/", options=("--memory-limit", "256M"), is_long=True),
    case("methods", 6, b"allowed-methods: " + b"a," * 200_000 + b"\n", "scope: /", path="/automation-preferences.txt", size=1 << 20, times=8),
]
