#!/usr/bin/env python3
"""Writes public_suffixes.txt: the rules of the ICANN part of the public suffix list, in punycode and sorted.

Usage: data/public_suffixes.py public_suffix_list.dat
The list is that of publicsuffix.org; the package `publicsuffixlist` of PyPI carries a new one every day.
"""
import pathlib
import sys

BEGIN, END = "// ===BEGIN ICANN DOMAINS===", "// ===END ICANN DOMAINS==="


def in_punycode(label):
    return label if label.isascii() else "xn--" + label.encode("punycode").decode()


lines = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
version = next(line.removeprefix("// VERSION: ") for line in lines if line.startswith("// VERSION: "))
part = (line.split()[0] for line in lines[lines.index(BEGIN) : lines.index(END)] if line and not line.startswith("//"))
rules = sorted(".".join(in_punycode(label) for label in rule.split(".")) for rule in part)
text = f"""\
// This Source Code Form is subject to the terms of the Mozilla Public
// License, v. 2.0. If a copy of the MPL was not distributed with this
// file, You can obtain one at https://mozilla.org/MPL/2.0/.

// The ICANN part of the public suffix list, in punycode and sorted; made by public_suffixes.py.
// VERSION: {version}
"""
pathlib.Path(__file__).with_suffix(".txt").write_text(text + "".join(f"{rule}\n" for rule in rules))
