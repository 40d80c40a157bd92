"""The pictures of the documents are of the pages as they are: `docs/images/make.py` makes them, and leaves the words in them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY

pytest.importorskip("altair")
Image = pytest.importorskip("PIL.Image")


def test_the_picture_of_the_report_says_what_the_page_says(browser: Any, tmp_path: Path) -> None:
    specification = importlib.util.spec_from_file_location("make", REPOSITORY / "docs/images/make.py")
    assert specification is not None and specification.loader is not None
    make = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(make)
    tab = browser.new_page(viewport={"width": make.WIDTH, "height": make.HEIGHT})
    _, words = make.shown(tab, make.report(tmp_path))
    tab.close()
    with Image.open(REPOSITORY / "docs/images/report.png") as picture:
        found = {name: picture.text[name] for name in words}
    assert found == words, "docs/images/make.py makes the picture anew"
