"""The parts of a site index that a stranger sends: Parquet files named by their digests, whose row groups `_index.json` lists.

Each part of the small index has one row group. What names a changed part is made to fit: `_index.json`, and the list of bodies beside fetches.
"""

import base64
import hashlib
import json
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from sent_parquet import texts, with_texts

Files = dict[str, bytes]
MANIFEST = "index/_index.json"
#: The text in the footer of a row group of fetches: the row groups of bodies that its rows need.
ABOUT = b"crawlprefs.about_group"
#: The bytes in front of the first row group.
MAGIC = 4


def listed(files: Files, name: str) -> dict:
    """Returns the entry of a part in `_index.json`."""
    parts = json.loads(files[MANIFEST])[name.split("/")[1]]
    return parts[0] if isinstance(parts, list) else parts


def about(files: Files, name: str) -> bytes:
    """Returns the text in the footer of a part's row group, which is a footer of its own."""
    for group in listed(files, name).get("groups", []):
        end = group["start"] + group["bytes"]
        pairs = pq.read_metadata(pa.BufferReader(files[name][:end])).metadata
        return (pairs or {}).get(ABOUT, b"")
    return b""


def places(files: Files, name: str) -> Iterator[str]:
    """Gives the columns of text of a part, and the text in the footer of its row group."""
    yield from texts(files[name])
    if about(files, name):
        yield ABOUT.decode()


def with_place(files: Files, name: str, place: str, text: str) -> Files:
    """Returns the files that change when a text of a part does."""
    table, beside = pq.read_table(pa.BufferReader(files[name])), about(files, name)
    if place == ABOUT.decode():
        beside = text.encode()
    else:
        table = with_texts(table, place, text)
    if place == "content":
        digest = base64.b32encode(hashlib.sha1(text.encode()).digest()).decode()
        table = with_texts(table, "body_digest", digest)
    return replaced(files, name, table, beside)


def replaced(files: Files, name: str, table: pa.Table, beside: bytes) -> Files:
    """Returns a part under its new name, and what names it."""
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata({ABOUT: beside}), sink, compression="zstd")
    content = sink.getvalue().to_pybytes()
    digest, group = hashlib.sha256(content).hexdigest(), content[MAGIC:]
    kind = name.split("/")[1]
    entry = listed(files, name) | {"file": f"{kind}/{digest[:32]}.parquet", "bytes": len(content), "sha256": digest}
    place = {"start": MAGIC, "bytes": len(group), "sha256": hashlib.sha256(group).hexdigest()[:32]}
    if kind == "fetches":
        first, last = ([table.column(column)[row].as_py() for column in ("surt_host_name", "url_host_name")] for row in (0, -1))
        entry |= {"groups": [place | {"first": first, "is_continued": False}], "last": last}
    elif kind == "archives":
        entry |= {"groups": [place]}
    manifest = json.loads(files[MANIFEST])
    manifest[kind] = [entry] if isinstance(manifest[kind], list) else entry
    change = {f"index/{entry['file']}": content, MANIFEST: json.dumps(manifest).encode()}
    if kind != "bodies":
        return change
    fetches = next(other for other in files if other.startswith("index/fetches/"))
    line = f"0 {table.num_rows} 0 {place['start']} {place['bytes']} {place['sha256']}\n"
    return change | replaced(files | change, fetches, pq.read_table(pa.BufferReader(files[fetches])), line.encode())
