#!/usr/bin/env python3
"""Writes char_refs.rs: the named character references of HTML, sorted by the bytes of their names.

Source: the table in "Named character references" of the HTML Living Standard
(https://html.spec.whatwg.org/entities.json), which Python carries as html.entities.html5. The
standard promises that it never changes.
"""
import html.entities
import pathlib

HEADER = """\
// The named character references of the HTML Living Standard, sorted by name; made by char_refs.py.
// A name ends with its semicolon; those without one are the names that need none.
&[
"""


def row(name, characters):
    escaped = "".join(f"\\u{{{ord(character):X}}}" for character in characters)
    return f'    ("{name}", "{escaped}"),\n'


rows = "".join(row(*item) for item in sorted(html.entities.html5.items()))
pathlib.Path(__file__).with_suffix(".rs").write_text(f"{HEADER}{rows}]\n")
