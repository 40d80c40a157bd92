#!/usr/bin/env python3
"""Checks this package with the installed crawlprefs; nothing of the package is executed.

Needs `pip install crawlprefs[duckdb]`, in the version that package.json names. The file is the same in every package:
`crawlprefs extract --verify DIR` prints its SHA-256, and checks the records without Python.
"""
import pathlib
import sys

from crawlprefs import _verify

if __name__ == "__main__":
    sys.exit(_verify.main(pathlib.Path(__file__).resolve().parent, sys.argv[1:]))
