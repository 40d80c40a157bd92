"""Compares the tables of two output folders row for row: EXCEPT ALL, both ways.

    same.py BEFORE AFTER [--but TABLE.COLUMN]...

Every table that either folder has is compared over all of its files, however they are cut into parts. A column
that only one folder has counts as a difference. What is declared to differ is named with --but, as TABLE.COLUMN or
as TABLE; struct fields cannot be named. Exit status 0: the rows are the same; 1: they are not.
"""

import argparse
import pathlib
import sys

import duckdb


def tables(folder: pathlib.Path) -> dict[str, str]:
    """Returns each table with the glob of its files."""
    found = {}
    for file in folder.rglob("crawl=*/*.parquet"):
        table = file.parent.parent.relative_to(folder).as_posix()
        found[table] = f"{folder}/{table}/crawl=*/*.parquet"
    return found


def columns(db: duckdb.DuckDBPyConnection, glob: str) -> list[str]:
    """Returns the names of a table's columns, its partition included."""
    rows = db.execute(f"DESCRIBE SELECT * FROM read_parquet('{glob}', hive_partitioning = true)").fetchall()
    return [row[0] for row in rows]


def compare(db: duckdb.DuckDBPyConnection, table: str, globs: tuple[str, str], but: set[str]) -> list[str]:
    """Returns what differs in one table, in sentences."""
    before, after = (columns(db, glob) for glob in globs)
    wanted = [name for name in before if name in after and f"{table}.{name}" not in but]
    faults = [
        f"{table}.{name}: only {side}"
        for side, own, other in (("before", before, after), ("after", after, before))
        for name in own
        if name not in other and f"{table}.{name}" not in but
    ]
    listed = ", ".join(f'"{name}"' for name in wanted)
    select = [f"SELECT {listed} FROM read_parquet('{glob}', hive_partitioning = true)" for glob in globs]
    count = [db.execute(f"SELECT count(*) FROM ({query})").fetchone()[0] for query in select]
    for side, first, second in (("before", 0, 1), ("after", 1, 0)):
        query = f"({select[first]}) EXCEPT ALL ({select[second]})"
        lost = db.execute(f"SELECT count(*) FROM ({query})").fetchone()[0]
        if lost:
            faults.append(f"{table}: {lost} of {count[first]} rows only {side}, {differing(db, select, wanted)}")
            for (row,) in db.execute(f"SELECT t::VARCHAR FROM ({query}) t ORDER BY ALL LIMIT 2").fetchall():
                faults.append("  " + row[:1500])
    print(f"{table:22} {count[0]:>9} rows before, {count[1]:>9} after, {len(wanted):>3} columns")
    return faults


def differing(db: duckdb.DuckDBPyConnection, select: list[str], names: list[str]) -> str:
    """Returns the columns whose values, taken alone, differ."""
    found = []
    for name in names:
        one, other = (f'SELECT "{name}" FROM ({query})' for query in select)
        either = f"(({one}) EXCEPT ALL ({other})) UNION ALL (({other}) EXCEPT ALL ({one}))"
        if db.execute(f"SELECT count(*) FROM ({either})").fetchone()[0]:
            found.append(name)
    return "in the columns " + ", ".join(found) if found else "in no column alone"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--but", action="append", default=[], metavar="TABLE.COLUMN")
    arguments = parser.parse_args()
    before, after = tables(arguments.before), tables(arguments.after)
    if not before:
        print(f"{arguments.before}: no tables there")
        return 1
    but = set(arguments.but)
    faults = [f"{table}: only on one side" for table in sorted(set(before) ^ set(after)) if table not in but]
    db = duckdb.connect()
    for table in sorted(set(before) & set(after) - but):
        faults += compare(db, table, (before[table], after[table]), but)
    print("\n".join(faults) or "the same rows")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
