#!/usr/bin/env python3
"""Runs queries in Spark SQL (3.5 or newer; `pip install pyspark`, Java 17). Start it in the folder of the run:

    python ../queries/spark.py ../queries/adoption/systems.sql
    python ../queries/spark.py agent=CCBot unit=website ../queries/agents/closed-interval.sql

In a notebook, `open_run(spark, "out")` gives a session the tables and views, and `answer(spark, text, key="tld")` asks a query.
A view is left out where the folder does not have its tables; a query that needs it then fails by the name of the view.
"""
import logging
import pathlib
import re
import sys

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.functions import lit

HERE = pathlib.Path(__file__).resolve().parent
TABLES = {
    "captures": "evidence/captures",
    "site_files": "evidence/site_files",
    "failures": "evidence/failures",
    "archives": "evidence/archives",
    "pages_table": "pages",
    "sites_table": "sites",
    "agent_sets": "agent_sets",
    "robots": "robots",
    "robots_agents": "robots_agents",
    "robots_lines": "robots_lines",
    "robots_lints": "robots_lints",
    "statements_table": "statements",
    "corpus": "corpus",
    "study_classes": "study_classes",
}
ADDED = {  # what older tables do not have
    "pages_table": {"content_languages": "string", "viewpoint": "string"},
    "statements_table": {"doubt": "boolean"},
}
RANKS = {
    "ranks": ("ranks.csv", "rank BIGINT, domain STRING", {}),
    "lists": ("lists.csv", "list STRING, domain STRING", {"header": "true"}),
    "host_ranks_table": (
        "host-ranks.txt.gz",
        "harmonicc_pos BIGINT, harmonicc_val DOUBLE, pr_pos BIGINT, pr_val DOUBLE, host_rev STRING",
        {"header": "true", "sep": "\t", "enforceSchema": "true"},
    ),
}


def new_session(**options):
    """Returns a session with the settings that the queries need, and these options."""
    builder = SparkSession.builder.appName("crawlprefs")
    for name, value in options.items():
        builder = builder.config(name.replace("__", "."), value)
    return builder.getOrCreate()


def statements(text):
    """Returns the statements of a file, without comments: each ends with a semicolon at the end of a line."""
    code = "".join(line + "\n" for line in text.splitlines() if not line.startswith("--"))
    return [part for part in code.split(";\n") if part.strip()]


def expanded(statement):
    """Returns a query with the macros of duckdb.sql that it calls as their text."""
    macros = (HERE / "duckdb.sql").read_text(encoding="utf-8").partition("-- The 95 % interval")[2].partition("\nSET VARIABLE")[0]
    for name, names, text in re.findall(r"TEMP MACRO (\w+)\((.*?)\) AS\n(.*?);\n", macros, re.S):
        def called(found):
            values = dict(zip(names.split(", "), found[1].split(", "), strict=True))
            return f"({re.sub(r'[a-z_]+', lambda word: values.get(word[0], word[0]), text)})"

        statement = re.sub(rf"\b{name}\(([a-z_, ]+|getvariable\('\w+'\))\)", called, statement)
    return statement


def variables_of(text):
    """Returns the names of the variables that queries have."""
    return set(re.findall(r"getvariable\('(\w+)'\)", text))


def answer(spark, statement, **variables):
    """Returns what a query answers; its variables, which DuckDB has by getvariable, are parameters here."""
    statement = expanded(statement)
    names = variables_of(statement)
    if unknown := variables.keys() - names:
        raise ValueError(f"no such variable: {', '.join(sorted(unknown))}; the query has {', '.join(sorted(names)) or 'none'}")
    return spark.sql(re.sub(r"getvariable\('(\w+)'\)", r":\1", statement), args={name: variables.get(name) for name in names})


def open_run(spark, folder="."):
    """Makes the tables and views of a run known to the session, and returns the views that its tables do not allow."""
    folder = pathlib.Path(folder).resolve()
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)  # what is not there is returned, not logged
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    # A view is analysed once, and not again in each query and view that reads it.
    spark.conf.set("spark.sql.legacy.storeAnalyzedPlanForView", "true")
    spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    for name, path in TABLES.items():
        spark.catalog.dropTempView(name)
        if (folder / path).is_dir():
            table = spark.read.option("mergeSchema", "true").parquet(str(folder / path))
            for column, kind in ADDED.get(name, {}).items():
                if column not in table.columns:
                    table = table.withColumn(column, lit(None).cast(kind))
            if name == "agent_sets":  # every part of the table has the sets of its own sites
                table = table.drop("crawl").dropDuplicates(["agent_set"])
            table.createTempView(name)
    none = "crawl STRING, outcome STRING, list_digest STRING, list_archives BIGINT, list_sample BIGINT, list_seed BIGINT"
    has_archives = (folder / TABLES["archives"]).is_dir()
    archives = spark.table("archives") if has_archives else spark.createDataFrame([], none)
    archives.createOrReplaceTempView("archives_or_none")  # the view designs has no rows where there is no such table
    make_times(spark, {name for name, path in TABLES.items() if (folder / path).is_dir()})
    for name, (path, columns, options) in RANKS.items():
        spark.catalog.dropTempView(name)
        if (folder / path).exists():
            spark.read.options(**options).schema(columns).csv(str(folder / path)).createTempView(name)
        else:  # Other views have it beside what is there: it fails where it is read. No value is NULL, as no join reads that.
            empty = spark.range(1).selectExpr(*(f"CAST(id AS {kind}) AS {column}" for column, kind in map(str.split, columns.split(", "))))
            empty.where(f"raise_error('{path} is not in this folder') IS NOT NULL").createTempView(name)
    return [name for name in map(lambda view: make_view(spark, view), views()) if name]


def make_times(spark, there):
    """Makes the views of the times by which crawls are ordered, of the tables that are there."""
    pages = spark.table("pages_table") if "pages_table" in there else spark.createDataFrame([], "crawl STRING, fetch_time TIMESTAMP")
    pages.select("crawl", "fetch_time").createOrReplaceTempView("page_times")
    spark.catalog.dropTempView("robots_times")
    table, column = ("robots", "fetch_time") if "robots" in there else ("sites_table", "robots_fetch_time")
    if table in there:
        spark.table(table).selectExpr("crawl", f"{column} AS fetch_time").createOrReplaceTempView("robots_times")


def views():
    """Returns the statements that make the views."""
    return statements((HERE / "views.sql").read_text(encoding="utf-8"))


def make_view(spark, statement):
    """Makes a view; returns its name if one of its tables is not there."""
    name = statement.partition("TEMPORARY VIEW ")[2].split()[0]
    spark.catalog.dropTempView(name)
    try:
        spark.sql(statement)
    except AnalysisException as error:
        if error.getCondition() != "TABLE_OR_VIEW_NOT_FOUND":
            raise
        return name
    return None


def main():
    spark = new_session(spark__ui__enabled="false", spark__ui__showConsoleProgress="false")
    missing = open_run(spark)
    if missing:
        print(f"not here, as this folder does not have their tables: {', '.join(missing)}", file=sys.stderr)
    given = dict(argument.split("=", 1) for argument in sys.argv[1:] if "=" in argument)
    texts = [pathlib.Path(argument).read_text(encoding="utf-8") for argument in sys.argv[1:] if "=" not in argument]
    known = variables_of("".join(texts))
    if unknown := given.keys() - known:
        sys.exit(f"no such variable: {', '.join(sorted(unknown))}; the queries have {', '.join(sorted(known)) or 'none'}")
    for text in texts:
        for statement in statements(text):
            result = answer(spark, statement, **{name: given[name] for name in variables_of(statement) & given.keys()})
            print("\t".join(result.columns))
            for row in result.toLocalIterator():
                print("\t".join("" if value is None else str(value) for value in row))


if __name__ == "__main__":
    main()
