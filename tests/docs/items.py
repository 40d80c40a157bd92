#!/usr/bin/env python3
"""Counts the items of the crate that `cargo doc` shows: what a Rust user is promised (docs/versions.md).

  tests/docs/items.py FOLDER-OF-THE-CRATE [MOST]

Prints them by module, and fails where there are more than MOST (200 by default).
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

ITEM = re.compile(r'href="((?:[a-z_0-9]+/)*)([a-z]+)\.([A-Za-z0-9_]+)\.html"')


def main():
    folder, most = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    modules = defaultdict(list)
    for module, _, name in ITEM.findall((folder / "all.html").read_text(encoding="utf-8")):
        modules[module.rstrip("/") or "the crate"].append(name)
    for module, names in sorted(modules.items()):
        print(f"{len(names):4} {module}: {' '.join(sorted(names))}")
    count = sum(map(len, modules.values()))
    print(f"{count:4} public items, at most {most}")
    if not 0 < count <= most or "decide" not in modules["the crate"]:
        sys.exit("what is not for a Rust user is pub(crate), or doc(hidden): see docs/versions.md")


if __name__ == "__main__":
    main()
