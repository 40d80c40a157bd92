"""Runs crawlprefs over segments of a crawl on EMR, or on any Spark cluster.

    spark-submit spark_emr.py --base s3://commoncrawl --out s3://mine/crawlprefs robotstxt.paths.gz warc.paths.gz

Every node needs the wheel, pyarrow and pandas, may read the archives below --base and write the output, in a store or on a shared file
system, and has 4 GB for each task beside the memory of the JVM; docs/spark.md has the settings of a cluster.
"""

import argparse

from pyspark.sql import SparkSession

import crawlprefs.spark


def main(spark: SparkSession, arguments: list[str] | None = None) -> int:
    """Scans and resolves the archives of the lists; returns 3 where some could not be read, as the command does."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="+", help="lists of archives, one path a line, plain or gzipped")
    parser.add_argument("--base", required=True, help="where the paths start, as executors see it")
    parser.add_argument("--out", required=True, help="folder for the tables, as executors see it")
    parser.add_argument("--agent", default="CCBot", help="product token that the verdicts are for")
    given = parser.parse_args(arguments)

    reports = crawlprefs.spark.run(
        spark,
        [],
        given.out,
        paths_from=given.lists,
        base=given.base,
        agent=given.agent,
    )
    reports.groupBy("stage", "outcome").agg({"*": "count", "seconds": "sum", "bytes": "sum", "pages": "sum"}).show()
    failed = reports.where("outcome NOT IN ('read', 'known', 'resolved')")
    failed.select("unit", "outcome", "detail").show(100, truncate=False)
    return 3 if failed.count() else 0


if __name__ == "__main__":
    raise SystemExit(main(SparkSession.builder.appName("crawlprefs").getOrCreate()))
