"""Looks for a made-up system in all that the program says. check.py BINARY FOLDER"""

import json
import pathlib
import subprocess
import sys

import duckdb

ROBOTS = b"User-agent: *\nAllow: /\nMade-Up: yes\n"


def record(url: str, headers: list[str], body: bytes) -> bytes:
    """Returns a WARC record of a response."""
    http = "\r\n".join(["HTTP/1.1 200 OK", *headers, "", ""]).encode() + body
    head = [
        "WARC/1.0",
        "WARC-Type: response",
        f"WARC-Target-URI: {url}",
        "WARC-Date: 2026-08-10T06:00:00Z",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(http)}",
        "",
        "",
    ]
    return "\r\n".join(head).encode() + http + b"\r\n\r\n"


def main() -> int:
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])

    def crawlprefs(*arguments: str, given: str | None = None) -> str:
        command = [binary, *arguments]
        return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout

    archive = folder / "made-up.warc"
    pages = [("https://a.example/yes", []), ("https://a.example/no", ["Made-Up: no"])]
    records = [record("https://a.example/robots.txt", ["Content-Type: text/plain"], ROBOTS)]
    records += [record(url, ["Content-Type: text/html", *own], b"<p>x</p>") for url, own in pages]
    archive.write_bytes(b"".join(records))
    out = folder / "out"
    crawlprefs("run", "-q", str(archive), "-o", str(out))

    def query(table: str, text: str) -> list[tuple]:
        return duckdb.sql(f"SELECT {text} FROM read_parquet('{out}/{table}/*/*.parquet') ORDER BY ALL").fetchall()

    expected = [("/no", "disallow", "disallow", ["made_up header"]), ("/yes", "allow", "allow", ["made_up robots"])]
    assert query("pages", "url_path, made_up_training, train_ai, train_ai_from") == expected
    stated = [("header", "training", "disallow", None), ("robots", "training", "allow", 3)]
    assert query("statements", "carrier, category, preference, line") == stated
    assert query("robots", "has_made_up") == [(True,)]
    documents = duckdb.sql(f"SELECT value FROM parquet_kv_metadata('{out}/pages/*/*.parquet') WHERE key = 'crawlprefs.drafts'")
    assert b"draft-nobody-made-up-00" in documents.fetchall()[0][0]

    assert "made_up_training" in crawlprefs("schema", "pages")
    assert "has_made_up" in crawlprefs("schema", "robots")
    assert "| Made-Up | draft-nobody-made-up-00 | header, robots.txt |" in crawlprefs("schema", "--systems")
    assert "| made_up | training | train_ai | yes and no | always |" in crawlprefs("schema", "--labels")

    scenario = {
        "id": "x",
        "url": "https://a.example/p",
        "robots_txt": ROBOTS.decode(),
        "headers": [["Made-Up", "no"]],
    }
    answer = json.loads(crawlprefs("explain", "--json", given=json.dumps(scenario) + "\n"))
    assert answer["columns"]["made_up_training"] == "disallow", answer["columns"]
    assert answer["labels"]["train_ai"] == "disallow"
    text = crawlprefs("explain", "--tables", str(out), "--url", "https://a.example/no")
    assert "Made-Up" in text and "training disallow" in text, text
    print("the made-up system is in pages, statements, robots, labels, schema and explain")
    return 0


if __name__ == "__main__":
    sys.exit(main())
