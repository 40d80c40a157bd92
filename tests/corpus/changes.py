"""Compares the verdicts of two output folders of the same archives, and counts what changed by class and cause.

    changes.py BEFORE AFTER [--examples N]

Rows are joined by the record (pages, robots, captures) or the origin (sites). Compared are the columns that hold states,
verdicts, preferences, labels and `unread`; columns that only one folder has are not. A class is a column with its value before
and after; its cause is what the row after says of itself: the state of robots.txt, why access is as it is, and what
is unread. Exit status 0, whatever is found: the reader of the list decides what a change should be.
"""

import argparse
import pathlib

import duckdb

RECORD = ["warc_filename", "warc_record_offset", "warc_member_skip", "url"]
# Table: the columns that name a row, columns that are compared, columns that say why.
TABLES = {
    "evidence/captures": (RECORD, ["unread", "fetch_status", "content_mime_type"], ["kind", "unread"]),
    "pages": (
        RECORD,
        "robots_state robots_cut access access_reason disallowed_agents automation_get automation_methods tag_noindex"
        " tag_nosnippet tag_none tag_rules sup_tdm sup_ai sup_genai sup_search content_signal_search"
        " content_signal_ai_input content_signal_ai_train ai_training tdm_reservation tdm_policy trust_txt_training"
        " ai_txt aipref_search aipref_train_ai aipref_train_genai search train_ai train_genai ai_input tdm unread doubt not_seen"
        " rsl_license".split(),
        ["robots_state", "access_reason", "unread", "doubt", "content_mime_type"],
    ),
    "sites": (
        ["warc_segment", "origin"],
        "robots_state agent_set search train_ai train_genai ai_input tdm systems".split(),
        ["robots_state"],
    ),
}


def columns(db: duckdb.DuckDBPyConnection, source: str) -> list[str]:
    return [row[0] for row in db.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]


def shown(column: str) -> str:
    """Returns an expression for a value as short text: of a long list its length."""
    text = f"coalesce(CAST({column} AS VARCHAR), 'NULL')"
    return f"CASE WHEN length({text}) > 60 THEN left({text}, 40) || '...' ELSE {text} END"


def compare(db: duckdb.DuckDBPyConnection, table: str, before: pathlib.Path, after: pathlib.Path, examples: int) -> None:
    """Prints what changed in one table."""
    key, compared, causes = TABLES[table]
    sources = [f"read_parquet('{folder}/{table}/crawl=*/*.parquet')" for folder in (before, after)]
    names = [columns(db, source) for source in sources]
    join = " AND ".join(f"b.{name} IS NOT DISTINCT FROM a.{name}" for name in key)
    joined = f"{sources[0]} b FULL JOIN {sources[1]} a ON {join}"
    for side, other in (("b", "a"), ("a", "b")):
        query = f"SELECT count(*) FROM {joined} WHERE {other}.{key[-1]} IS NULL AND {side}.{key[-1]} IS NOT NULL"
        count = db.execute(query).fetchone()[0]
        if count:
            print(f"{table}: {count} rows only {'before' if side == 'b' else 'after'}")
    print(f"{table}: {db.execute(f'SELECT count(*) FROM {sources[1]}').fetchone()[0]} rows")
    cause = " || ' ' || ".join(f"coalesce(CAST(a.{name} AS VARCHAR), '-')" for name in causes if name in names[1])
    for column in compared:
        if column not in names[0] or column not in names[1]:
            continue
        where = f"b.{column} IS DISTINCT FROM a.{column} AND a.{key[-1]} IS NOT NULL AND b.{key[-1]} IS NOT NULL"
        query = f"""
            SELECT {shown(f"b.{column}")}, {shown(f"a.{column}")}, {cause}, count(*),
                list(coalesce(a.{key[0]}, '-') || ' ' || a.{key[-1]} ORDER BY a.{key[-1]})[:{examples}]
            FROM {joined} WHERE {where} GROUP BY ALL ORDER BY 4 DESC, 1, 2, 3"""
        for was, now, why, count, places in db.execute(query).fetchall():
            print(f"  {column}: {was} -> {now}, {count} rows ({why})")
            for place in places:
                print(f"      {place}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--examples", type=int, default=3)
    arguments = parser.parse_args()
    db = duckdb.connect()
    for table in TABLES:
        if (arguments.before / table).exists() and (arguments.after / table).exists():
            compare(db, table, arguments.before, arguments.after, arguments.examples)


if __name__ == "__main__":
    main()
