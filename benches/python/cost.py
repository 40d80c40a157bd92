#!/usr/bin/env python3
"""What the Python package does, as processes whose cost can be compared with the command's.

cost.py make OUT DOCUMENTS.parquet COUNT   COUNT documents on the hosts of these tables, with dates, and some unknown hosts
cost.py judge OUT DOCUMENTS.parquet        reads the documents and judges them by one `Judge`, with one worker
cost.py run ARCHIVE OUT                    `crawlprefs.run` with one worker

Needs the wheel with duckdb and pyarrow.
"""
import sys

import crawlprefs

AT_ONCE = 100_000


def make(tables, documents, count):
    """One of 15 documents has a host that is not in the tables; the others are spread over all hosts."""
    connection = crawlprefs.open(tables).duckdb()
    connection.execute("CREATE TABLE hosts AS SELECT row_number() OVER (ORDER BY origin) - 1 AS n, origin FROM sites")
    (hosts,) = connection.execute("SELECT count(*) FROM hosts").fetchone()
    connection.execute(f"""
        COPY (
            SELECT CASE WHEN i % 15 = 0 THEN 'https://nobody-' || i || '.example' ELSE origin END
                || '/' || i % 97 || '/page-' || i || '.html?q=' || i % 7 AS url,
                TIMESTAMP '2026-12-01' - to_hours(CAST(i % 48 AS INTEGER)) AS date
            FROM range({int(count)}) AS numbers (i) JOIN hosts ON n = i % {hosts} ORDER BY i
        ) TO '{documents}' (FORMAT parquet, ROW_GROUP_SIZE 100000)
    """)


def judge(tables, documents):
    import pyarrow.parquet

    opened = crawlprefs.Judge(tables, jobs=1)
    file = pyarrow.parquet.ParquetFile(documents)
    judged = [opened.documents(batch) for batch in file.iter_batches(AT_ONCE, use_threads=False)]
    print(sum(table.num_rows for table in judged))


def run(archive, out):
    crawlprefs.run(archive, out, jobs=1, overwrite=True)


{"make": make, "judge": judge, "run": run}[sys.argv[1]](*sys.argv[2:])
