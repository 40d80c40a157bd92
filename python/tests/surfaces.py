"""Every option of `judge`, and what the command gives with it, for the tests of each surface: `Judge`, Spark, datatrove, dolma, NeMo Curator.

An option without a case fails `test_every_option_has_a_case`. A case has the options of one call; without tables where it has `sites`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, command

OPTIONS: dict[str, dict[str, Any]] = {
    "sites": {"sites": "INDEX"},
    "allow_incomplete": {"sites": "INDEX", "allow_incomplete": True},
    "agent": {"sites": "INDEX", "agent": "GPTBot"},
    "agent_unknown": {"sites": "INDEX", "agent": "OurBot", "agent_unknown": True},
    "token_match": {"sites": "INDEX", "token_match": "prefix"},
    "robots_slack": {"sites": "INDEX", "robots_slack": "3h"},
    "robots_max_age": {"sites": "INDEX", "robots_max_age": "1h"},
    "agents": {"sites": "INDEX", "agents": REPOSITORY / "data/agents.tsv"},
    "vocab": {"sites": "INDEX", "vocab": "04"},
    "applications": {"sites": "INDEX", "applications": "APPLICATIONS"},
    "policy": {"policy": "POLICY"},
    "evidence": {"evidence": "TABLES"},
    "dialect": {"dialect": "fineweb"},
    "url": {"url": "url"},
    "id": {"id": "id"},
    "date": {"date": "date"},
    "prefix": {"prefix": "later_"},
    "columns": {"columns": ["access", "train_ai", "disallowed_agents", "unread", "doubt", "not_seen", "robots_line", "decided_by"]},
    "replace_prefs": {"replace_prefs": True},
    "audit": {"audit": True},
    "at": {"at": "page,newest", "audit": True},
    "match": {"match": "1d"},
    "jobs": {"jobs": 1},
    "memory_limit": {"memory_limit": "100M"},
    "no_sign_request": {"no_sign_request": True},
    "user_agent": {"user_agent": "test"},
    "retries": {"retries": 1},
    "timeout": {"timeout": "9s"},
    "request_rate": {"request_rate": 1},
    "allow_private": {"allow_private": True},
}

POLICY = """labels = ["train_ai"]
agents = ["CCBot", "GPTBot"]
at = { access = "page, else newest", labels = "newest" }

[[except]]
name = "partners"
domains = "partners.txt"
rule = "keep"

[[except]]
name = "careful"
hosts = ["plain.example", "meta.example"]
rule = "strict"
"""
PARTNERS = "# as of May\nai-training.example\nexample.org\n"
BY_LANGUAGE = POLICY + """
[[except]]
name = "german"
columns = { language = "de", "metadata.license" = ["cc0", "cc-by"] }
rule = "keep"
"""
APPLICATIONS = "system_id\ttoken\n"

every_option = pytest.mark.parametrize("option", OPTIONS)


def case(option: str, tables: Path, index: Path, folder: Path) -> tuple[Path | None, dict[str, Any]]:
    """Returns the tables of a case, and its options; each has a policy."""
    (folder / "policy.toml").write_text(POLICY)
    (folder / "partners.txt").write_text(PARTNERS)
    (folder / "applications.tsv").write_text(APPLICATIONS)
    places = {
        "INDEX": index, "TABLES": tables, "FOLDER": folder, "POLICY": folder / "policy.toml",
        "APPLICATIONS": folder / "applications.tsv",
    }  # fmt: skip
    options = {name: places.get(value, value) if isinstance(value, str) else value for name, value in OPTIONS[option].items()}
    return None if "sites" in options else tables, {"policy": "labels", **options}


def by_command(documents: Any, tables: Path | None, options: dict[str, Any], folder: Path) -> tuple[Any, list[int]]:
    """Returns the columns that the command adds to documents, and the rows that it keeps."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    own = list(documents.column_names)
    pq.write_table(documents.append_column("row", pa.array(range(documents.num_rows))), folder / "docs.parquet")
    judged = []
    for name in ("all", "kept"):
        flags = [] if tables is None else [f"--tables={tables}"]
        for option, value in options.items():
            if option != "policy" or name == "kept":
                values = [",".join(value)] if isinstance(value, list) else [value]
                flags += [f"--{option.replace('_', '-')}" + ("" if value is True else f"={value}") for value in values]
        ran = command("judge", "-q", folder / "docs.parquet", "-o", folder / name, *flags)
        assert ran.returncode == 0, ran.stderr
        judged.append(pq.read_table(folder / name / "docs.parquet"))
    added = [name for name in judged[0].column_names if name not in {*own, "row"} or name.startswith("prefs_")]
    return judged[0].select(added), judged[1]["row"].to_pylist()


def written(documents: Any, tables: Path, kind: str, folder: Path) -> dict[str, int]:
    """Judges documents into `kept` and `dropped`, two files each, with costs and removals beside them; returns their numbers of rows."""
    import json

    import pyarrow.parquet as pq

    half = documents.num_rows // 2
    (folder / "in").mkdir()
    for name, rows in (("a", documents.slice(0, half)), ("b", documents.slice(half))):
        if kind == "parquet":
            pq.write_table(rows, folder / f"in/{name}.parquet")
        else:
            (folder / f"in/{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows.to_pylist()))
    (folder / "old.txt").write_text("".join(f"{url}\n" for url in documents["url"].to_pylist() if url))
    places = ["--tables", tables, "-o", folder / "kept", "--dropped", folder / "dropped", "--diff", folder / "old.txt"]
    ran = command("judge", "-q", folder / "in", *places, "--policy", "labels")
    assert ran.returncode == 0, ran.stderr
    cost = json.loads((folder / "_kept.judge/cost.json").read_text())
    assert (folder / "_kept.judge/removed.txt").exists()
    return {"kept": cost["kept"]["documents"], "dropped": cost["dropped"]["documents"]}
