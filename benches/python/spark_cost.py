#!/usr/bin/env python3
"""What Spark adds to an archive: the time of the tasks of `crawlprefs.spark.run` beyond that of the engine in them.

spark_cost.py ARCHIVES OUT    an archive a task, on a cluster of two executors on this machine

Needs the wheel, pyspark, pyarrow and pandas, and Java 17. OUT must not be there.
"""
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession

import crawlprefs.spark


def tasks_of(log, count):
    """Returns executor, launch and seconds of each task of the stage with so many tasks, in the order of their numbers."""
    stages = {}
    for line in log.read_text().splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerTaskEnd":
            task = event["Task Info"]
            seconds = (task["Finish Time"] - task["Launch Time"]) / 1000
            stages.setdefault(event["Stage ID"], {})[task["Index"]] = (task["Executor ID"], task["Launch Time"], seconds)
    (tasks,) = (found for found in stages.values() if len(found) == count)
    return [tasks[number] for number in range(count)]


def main(archives, out):
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory() as logs:
        builder = SparkSession.builder.master("local-cluster[2,1,1024]")
        for name, value in {
            "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "spark.ui.enabled": "false",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": logs,
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
        }.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        spark.range(2).count()
        begun = time.monotonic()
        rows = crawlprefs.spark.run(spark, archives, out, robotstxt_per_task=1).collect()
        wall = time.monotonic() - begun
        spark.stop()
        (log,) = (path for path in Path(logs).rglob("*") if path.is_file() and path.stat().st_size)
        engine = [row.seconds for row in rows if row.stage == "scan"]
        tasks = tasks_of(log, len(engine))
    first = {executor: min(launch for of, launch, _ in tasks if of == executor) for executor, _, _ in tasks}
    added = {True: [], False: []}
    for (executor, launch, seconds), of_engine in zip(tasks, engine, strict=True):
        added[launch == first[executor]].append(seconds - of_engine)
    print(f"{len(tasks)} archives, {wall:.1f} s in all; engine: {sum(engine):.1f} s, {statistics.median(engine):.3f} s in the median")
    for is_first, name in ((True, "first tasks of the executors"), (False, "other tasks")):
        found = sorted(added[is_first])
        print(f"Spark adds to the {name}: {statistics.mean(found):.3f} s, median {statistics.median(found):.3f}, {found[0]:.3f} to {found[-1]:.3f}")


main(*sys.argv[1:])
