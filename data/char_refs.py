#!/usr/bin/env python3
"""Writes char_refs.tsv: the named character references of HTML, sorted by the bytes of their names.

Each line has a name and the code points of its characters, in hexadecimal. A name ends with its semicolon; those without
one are the names that need none.

Source: the table in "Named character references" of the HTML Living Standard
(https://html.spec.whatwg.org/entities.json), which Python carries as html.entities.html5. The
standard promises that it never changes.
"""
import html.entities
import pathlib


def row(name, characters):
    return f"{name}\t{' '.join(f'{ord(character):X}' for character in characters)}\n"


rows = "".join(row(*item) for item in sorted(html.entities.html5.items()))
pathlib.Path(__file__).with_suffix(".tsv").write_text(rows)
