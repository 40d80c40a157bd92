"""The files of a site index, as other programs read them."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

FETCHES = ["surt_host_name", "url_host_name", "kind", "fetch_status", "body", "fetch_unix_s", "archives"]


def in_order(rows: list[dict[str, Any]]) -> list[str]:
    """Returns rows in an order that depends on their values alone."""
    return sorted(json.dumps(row) for row in rows)


def test_pyarrow_polars_and_duckdb_read_the_same_rows(index: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    counted = json.loads((index / "_index.json").read_text())
    by_pyarrow = pq.read_table(index / "fetches", columns=FETCHES).to_pylist()
    assert len(by_pyarrow) == sum(part["rows"] for part in counted["fetches"]) > 50
    fetches = pl.read_parquet(index / "fetches/*.parquet")
    assert in_order(fetches.select(FETCHES).to_dicts()) == in_order(by_pyarrow)
    query = f"FROM '{index}/fetches/*.parquet' SELECT {', '.join(FETCHES)}"
    rows = [dict(zip(FETCHES, row, strict=True)) for row in duckdb.sql(query).fetchall()]
    assert in_order(rows) == in_order(by_pyarrow)


def test_polars_finds_what_a_host_said(index: Path) -> None:
    pl = pytest.importorskip("polars")
    bodies = pl.read_parquet(index / "bodies/*.parquet")
    digests = [base64.b32encode(hashlib.sha1(content).digest()).decode() for content in bodies["content"]]
    assert bodies["body_digest"].to_list() == digests
    said = (
        pl.scan_parquet(index / "fetches/*.parquet")
        .filter(pl.col("surt_host_name") == "example,twice", pl.col("kind") == "robots")
        .join(bodies.lazy(), on="body", how="left")
        .sort(pl.col("fetch_unix_s").list.first())
        .collect()
    )
    assert [content.decode().splitlines()[-1] for content in said["content"]] == ["Disallow: /shop/", "Content-Usage: train-ai=n"]
