#!/usr/bin/env python3
"""Writes the view `agents` of queries/views.sql from data/agents.tsv; with --check the status is 1 where it is another one."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VIEWS = ROOT / "queries/views.sql"
BEGIN = "-- The agents table of this version"


def view():
    """The view as text."""
    lines = (ROOT / "data/agents.tsv").read_text(encoding="utf-8").splitlines()
    version = next(line for line in lines if line.startswith("# Version: ")).removeprefix("# Version: ")
    head, *rows = [line.split("\t") for line in lines if not line.startswith("#")]
    rows = [dict(zip(head, row)) for row in rows]

    def literal(text):
        return "'" + text.replace("'", "''") + "'" if text else "NULL"

    for row in rows:
        listed = re.search(r"listed by (\d{4}-\d{2})", row["source"])
        row["known_by"] = row.get("since") or (listed.group(1) if listed else "")
    names = ("token", "operator", "purpose", "since", "known_by")
    values = ",\n".join("        (" + ", ".join(literal(row.get(name, "")) for name in names) + ")" for row in rows)
    return f"""{BEGIN} ({version}): who runs an agent, for which purpose, since which month it is
-- known (NULL: not known), and by which month it was known (`known_by`; older than the list that has it first, where `since`
-- is NULL). A run with --agents had a table of its own. Made from data/agents.tsv by tests/queries/agents_view.py.
CREATE OR REPLACE TEMPORARY VIEW agents AS
SELECT agent, operator, purpose, since, known_by
FROM (
    VALUES
{values}
) AS listed (agent, operator, purpose, since, known_by);
"""


def main():
    text = VIEWS.read_text(encoding="utf-8")
    wanted = text.partition(BEGIN)[0].rstrip("\n") + "\n\n" + view()
    if "--check" in sys.argv:
        return int(text != wanted)
    VIEWS.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
