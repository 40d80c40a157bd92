"""Hostile archives for `run`: what one site file, or the fields of one page, may cost with 3,000 pages of the host.

`lines.json` has what the systems declare: the names of their lines in robots.txt, their site files and categories; and
the headers and metas of the vectors. A test (tests/job/limits.rs) holds it, so that a new system is covered here."""

import functools
import itertools
import json
import pathlib
from collections.abc import Callable, Iterator

import warc
from case import Case

PAGES = 3000
BYTES = 500_000
DECLARED = json.loads((pathlib.Path(__file__).parent / "lines.json").read_text())
LETTERS = "BCDEFGHIJKLMNOPQRSTUVWXYZ"

#: Returns the unit of a number; units are repeated until the limit is reached.
Unit = Callable[[int], str]


def wildcard(number: int) -> str:
    """Returns a path of letters between stars, another one for each number."""
    letters = []
    while number or not letters:
        letters.append(LETTERS[number % len(LETTERS)])
        number //= len(LETTERS)
    return "/*" + "*".join(reversed(letters))


def filled(unit: Unit, head: str = "", tail: str = "", size: int = BYTES) -> bytes:
    """Returns as many units as fit."""
    left = size - len(head) - len(tail)
    units: list[str] = []
    for number in itertools.count():
        text = unit(number)
        left -= len(text)
        if left < 0:
            return (head + "".join(units) + tail).encode()
        units.append(text)
    raise AssertionError


def of_line(name: str, category: str) -> Iterator[tuple[str, Unit]]:
    """Gives the shapes of a line of robots.txt."""
    said = f"{category}=n"
    yield "equal", lambda _: f"{name}: {said}\n"
    yield "yes", lambda _: f"{name}: {category}=yes\n"
    yield "equal with a path", lambda _: f"{name}: /p {said}\n"
    yield "paths", lambda n: f"{name}: /{n:x} {said}\n"
    yield "wildcards", lambda n: f"{name}: {wildcard(n)} {said}\n"
    yield "wildcards alone", lambda n: f"{name}: {wildcard(n)}\n"
    yield "keys", lambda n: f"{name}: x{n:x}=n\n"
    yield "members", lambda n: f"{name}: {said}" if n % 5000 == 0 else f",{said}" if n % 5000 < 4999 else "\n"
    yield "empty", lambda _: f"{name}:\n"
    yield "parameters", lambda n: f"{name}: /p a;x{n:x}=1\n"
    yield "applications", lambda n: f"{name}: a{n:x};x=1\n"
    yield "groups", lambda n: f"User-agent: a{n:x}\n{name}: {said}\n"
    yield "groups of all", lambda _: f"User-agent: *\n{name}: {said}\n"
    yield "groups with paths", lambda n: f"User-agent: *\n{name}: /{n:x} {said}\n"


OF_ROBOTS: dict[str, Unit] = {
    "paths": lambda n: f"Disallow: /{n:x}\n",
    "wildcards": lambda n: f"Disallow: {wildcard(n)}\n",
    "agents": lambda n: f"User-agent: a{n:x}\n",
    "groups": lambda n: f"User-agent: a{n:x}\nDisallow: /\n",
    "unknown lines": lambda n: f"X-{n:x}: y\n",
    "no colon": lambda _: "a\n",
    "comments": lambda _: "# all rights reserved: text and data mining\n",
    "crawl delays": lambda n: f"Crawl-delay: {n}\n",
}

#: By path: head, unit, tail.
OF_SITE_FILES: dict[str, dict[str, tuple[str, Unit, str]]] = {
    "/robots.txt": {name: ("User-agent: *\n", unit, "") for name, unit in OF_ROBOTS.items()},
    "/automation-preferences.txt": {
        "groups": ("", lambda n: f"scope: {wildcard(n)}\n\n", ""),
        "scopes": ("", lambda n: f"scope: {wildcard(n)}\n", ""),
        "hosts": ("", lambda n: f"host: *{n:x}\nscope: /{n:x}\n\n", ""),
        "methods": ("scope: /\n", lambda n: f"allowed-methods: a{n:x}\n", ""),
        "purposes": ("scope: /\nallowed-purposes:", lambda n: f"a{n:x},", ""),
        "agents": ("scope: /\n", lambda n: f"user-agent: a{n:x}\n", ""),
    },
    "/.well-known/tdmrep.json": {
        "wildcards": ("[", lambda n: '{"location":"%s","tdm-reservation":1},\n' % wildcard(n), '{"location":"/","tdm-reservation":1}]'),
        "equal": ("[", lambda _: '{"location":"/","tdm-reservation":1},', "1]"),
        "no objects": ("[", lambda _: "1,", "1]"),
        "keys": ("[{", lambda n: f'"a{n:x}":1,', '"location":"/"}]'),
    },
    "/ai.txt": {
        "wildcards": ("User-agent: *\n", lambda n: f"Disallow: {wildcard(n)}\n", ""),
        "extensions": ("User-agent: *\n", lambda n: f"Disallow: *.a{n:x}\n", ""),
        "equal": ("User-agent: *\n", lambda _: "Disallow: *.html\n", ""),
        "groups": ("", lambda n: f"User-agent: *\nDisallow: /{n:x}\n", ""),
    },
    "/trust.txt": {
        "equal": ("", lambda _: "datatrainingallowed=no\n", ""),
        "keys": ("", lambda n: f"a{n:x}=no\n", ""),
    },
}
OF_SITE_FILES["/.well-known/trust.txt"] = OF_SITE_FILES["/trust.txt"]
OF_SITE_FILES["/.well-known/ai.txt"] = OF_SITE_FILES["/ai.txt"]

#: Units of the value of a header or a meta.
OF_FIELDS: dict[str, Unit] = {
    "equal": lambda _: "a,",
    "keys": lambda n: f"x{n:x}=n, ",
    "bots": lambda n: f"a{n:x}: noai, ",
    "links": lambda n: f'<https://a/{n:x}>; rel="license"; type="application/rsl+xml", ',
}
#: The longest value of a header that is read, about.
FIELD_BYTES = 60_000


def site(folder: pathlib.Path, path: str, head: str, unit: Unit, tail: str) -> None:
    """A host with a hostile site file, and pages whose paths hold the letters of its wildcards."""
    files = [warc.site_file("a.example", filled(unit, head, tail), path)]
    if path != "/robots.txt":
        files.insert(0, warc.site_file("a.example", b"User-agent: *\nDisallow: /private\n"))
    warc.write(folder / "a.warc.gz", [*files, *warc.pages(PAGES, path="B" * 60 + LETTERS)])


def fields(folder: pathlib.Path, header: str, meta: str, unit: Unit) -> None:
    """An ordinary host, of which one page has hostile headers or metas."""
    robots = warc.site_file("a.example", b"User-agent: *\nDisallow: /private\n")
    value = filled(unit, size=FIELD_BYTES).decode()
    if header:
        page = warc.page("http://a.example/h", fields=warc.HTML + f"{header}: {value}\r\n".encode() * 4)
    else:
        metas = f"<meta name='{meta}' content='{value}'>".encode() * (BYTES // FIELD_BYTES)
        page = warc.page("http://a.example/h", metas)
    warc.write(folder / "a.warc.gz", [robots, page, *warc.pages(PAGES)])


def cases() -> Iterator[Case]:
    """Gives a case for each shape of each carrier."""
    run = functools.partial(Case, command="run")
    for system, lines in DECLARED["lines"].items():
        category = (DECLARED["categories"].get(system) or ["a"])[0]
        for name in lines:
            for shape, unit in of_line(name, category):
                write = functools.partial(site, path="/robots.txt", head="User-agent: *\n", unit=unit, tail="")
                yield run(f"{name}: {shape}", write)
    for path in ["/robots.txt", *DECLARED["site_files"]]:
        for shape, (head, unit, tail) in OF_SITE_FILES[path].items():
            yield run(f"{path} {shape}", functools.partial(site, path=path, head=head, unit=unit, tail=tail))
    for kind in ("headers", "metas"):
        for name in DECLARED[kind]:
            for shape, unit in OF_FIELDS.items():
                header, meta = (name, "") if kind == "headers" else ("", name)
                write = functools.partial(fields, header=header, meta=meta, unit=unit)
                yield run(f"{kind[:-1]} {name}: {shape}", write)


CASES = list(cases())
