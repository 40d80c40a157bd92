"""A crawl in Airflow: the slices of its archives are scanned on as many workers as there are, then the tables are made.

Put this file into the folder of DAGs and start it with the name of a crawl: `{"crawl": "CC-MAIN-2026-43"}`. Needs Airflow 3 and
crawlprefs on the workers, and a folder or a bucket that all of them see. A task that is tried again continues where it stopped.
"""

from datetime import timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, Param

SLICES = 8

with DAG(
    "crawlprefs",
    description="Who may crawl a page, and what may be done with it",
    schedule=None,
    params={
        "crawl": Param("CC-MAIN-2026-43", type="string", pattern=r"^[A-Za-z0-9-]+$", description="name of the crawl"),
        "base": Param("https://data.commoncrawl.org", type="string", pattern=r"^[\w./:-]+$", description="where its files are"),
        "out": Param("/shared/crawlprefs", type="string", pattern=r"^[\w./:-]+$", description="folder or prefix of a bucket"),
        "subset": Param("robotstxt", enum=["robotstxt", "warc"], description="robotstxt: some 2 MB each; warc: pages, some 1 GB each"),
    },
    default_args={"retries": 3, "retry_delay": timedelta(minutes=5)},
    # A web server of archives wants few requests: as many slices at once as it allows.
    max_active_tasks=4,
) as dag:
    # Values come by the environment, and not as text of the command.
    environment = {
        "CRAWL": "{{ params.crawl }}",
        "BASE": "{{ params.base }}",
        "OUT": "{{ params.out }}/{{ params.crawl }}",
        "SUBSET": "{{ params.subset }}",
    }
    scan = BashOperator.partial(
        task_id="scan",
        # Status 3: some archives failed. The next try reads these alone.
        bash_command='crawlprefs scan -q --paths-from "$BASE/crawl-data/$CRAWL/$SUBSET.paths.gz" --base "$BASE/" --slice "$SLICE" -o "$OUT"',
        append_env=True,
    ).expand(env=[{**environment, "SLICE": f"{number}/{SLICES}"} for number in range(1, SLICES + 1)])

    resolve = BashOperator(
        task_id="resolve",
        bash_command='crawlprefs resolve -q "$OUT"',
        env=environment,
        append_env=True,
    )
    scan >> resolve
