#!/usr/bin/env python3
"""Runs every query of queries/ in one engine over the folder of a run, and compares the results with expected/.

check.py prepare OUT                 puts ranks, lists and a corpus into OUT
check.py duckdb|spark OUT            status 1, with a diff, where a result is another than expected/<folder>/<query>.tsv
check.py duckdb|spark OUT --write    writes the results to expected/ instead
check.py duckdb|spark OUT FOLDER=VIEW,VIEW...    and in FOLDER these views cannot be read, and every other one can

OUT is a run over sample-data and the two crawls of made_up.py; facts.sql has numbers of these, counted by hand.
"""
import concurrent.futures
import difflib
import gzip
import importlib.metadata
import importlib.util
import os
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
QUERIES = HERE.parents[1] / "queries"
EXPECTED = HERE / "expected"
# Rows about other agents are not compared, so that a longer agents table changes no expectation.
AGENTS = {"*", "gptbot", "claudebot", "ccbot", "google-extended", "googlebot", "perplexitybot", "bytespider"}
# Folders that .ci/queries resolved for another product token, and by another agents table.
MIXED = ("other", "fewer_agents")
# Queries over what is the same for every viewpoint; Content-Usage is counted by vocabulary.
OF_NO_VIEWPOINT = {
    "adoption/content-signal", "adoption/content-usage", "adoption/files-counted", "adoption/licences", "adoption/managed-or-own",
    "adoption/site-files", "adoption/unrecognised", "quality/media-types",
}
# The variable `key` of queries over the view hosts_by_key, but for all hosts.
KEYS = ("tld", "rank", "host-rank")
# Values that each variable does not have, and what the error names.
WRONG = {
    "key": (("tlds", "TLD", ""), KEYS),
    "unit": (("hosts", ""), ("host", "website", "domain")),
    "agent": (("gptbot", ""), ("GPTBot", "CCBot", "Googlebot")),
    "agents": (("GPTBot,gptbot", "GPTBot, CCBot", ",", "Googlebot"), ("GPTBot", "CCBot", "ClaudeBot")),
}
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def prepare(out):
    """Puts what a user brings into the folder of a run."""
    import duckdb

    for name in ("ranks.csv", "lists.csv"):
        (out / name).write_text((HERE / "brought" / name).read_text())
    with gzip.open(out / "host-ranks.txt.gz", "wt") as target:
        target.write((HERE / "brought" / "host-ranks.txt").read_text())
    (out / "corpus").mkdir()
    os.chdir(out)
    duckdb.execute(f"""
        COPY (
            FROM read_csv('{HERE}/brought/corpus.csv', header = true)
            UNION ALL
            SELECT warc_record_id, 'fr', 1 FROM 'pages/crawl=CC-MAIN-2026-34/*.parquet'
        ) TO 'corpus/part.parquet'
    """)
    for folder in MIXED:
        mixed = out.parent / f"with_{folder}"
        mixed.mkdir()
        for name in ("evidence", "corpus", "study_classes", "ranks.csv", "lists.csv", "host-ranks.txt.gz"):
            (mixed / name).symlink_to(out / name)
        for run, crawl in (("run", "CC-MAIN-2026-38"), (folder, "CC-MAIN-2026-43")):
            for table in (out.parent / run).glob(f"*/crawl={crawl}"):
                shutil.copytree(table, mixed / table.parent.name / table.name)
    older = out.parent / "older/pages/crawl=CC-MAIN-2026-38"
    older.mkdir(parents=True)
    duckdb.execute(f"""
        COPY (SELECT * EXCLUDE (crawl, content_languages, viewpoint) FROM 'pages/crawl=CC-MAIN-2026-38/*.parquet') TO '{older}/part.parquet'
    """)


class DuckDb:
    """The tables and views in DuckDB."""

    def open(self, folder):
        import duckdb

        os.chdir(folder)
        self.database = duckdb.connect()
        self.database.execute((QUERIES / "duckdb.sql").read_text())
        self.database.execute((QUERIES / "views.sql").read_text())

    def rows(self, query, **variables):
        for name, value in variables.items():
            self.database.execute(f"SET VARIABLE {name} = ?", [value])
        try:
            relation = self.database.sql(query)
            return [tuple(relation.columns), *relation.fetchall()]
        finally:
            for name in variables:
                self.database.execute(f"RESET VARIABLE {name}")


class Spark:
    """The tables and views in Spark SQL, with settings that suit a few rows."""

    def __init__(self):
        found = importlib.util.spec_from_file_location("spark", QUERIES / "spark.py")
        self.module = importlib.util.module_from_spec(found)
        found.loader.exec_module(self.module)
        self.session = self.module.new_session(
            spark__master="local[2]",
            spark__ui__enabled="false",
            spark__ui__showConsoleProgress="false",
            spark__sql__shuffle__partitions="1",
            spark__sql__adaptive__enabled="false",
            spark__sql__codegen__wholeStage="false",
            spark__sql__codegen__factoryMode="NO_CODEGEN",
            spark__sql__catalogImplementation="in-memory",
        )
        self.session.sparkContext.setLogLevel("OFF")

    def open(self, folder):
        self.session.catalog.clearCache()
        self.module.open_run(self.session, folder)

    def keep_views(self):
        """Computes the views once for all queries."""
        for name in ("pages", "origins", "hosts", "hosts_of_websites", "hosts_answered", "crawl_times", "statements", "robots_agents_distinct", "page_policies"):
            self.session.catalog.cacheTable(name)

    def rows(self, query, **variables):
        found = self.module.answer(self.session, query.rstrip().removesuffix(";"), **variables)
        return [tuple(found.columns), *map(tuple, found.collect())]


def cell(value):
    if isinstance(value, bool):
        return str(value).lower()
    return "NULL" if value is None else str(value).translate(ESCAPES)


def asked(files):
    """What is asked: each query, and one with the variable `key` by each key, with the name under which its result is kept."""
    for file in files:
        name = file.relative_to(QUERIES).with_suffix("")
        yield file, name, {}
        if "getvariable('key')" in file.read_text(encoding="utf-8"):
            yield from ((file, name.with_name(f"{name.name}-by-{key}"), {"key": key}) for key in KEYS)


def result(engine, file, variables):
    """The result as lines of tab-separated cells, names of columns first."""
    columns, *rows = engine.rows(file.read_text(encoding="utf-8"), **variables)
    if "agent" in columns:
        rows = [row for row in rows if str(row[columns.index("agent")]).lower() in AGENTS]
    return ["\t".join(map(cell, row)) for row in (columns, *rows)]


HEAD = ["Unit", "Denominator", "By name", "Not for"]
"""The lines with which a query begins after its question, in this order; what it needs in the folder of the run may follow."""
BY_NAME = ("all of it", "apart", "not about agents", "not asked")
"""How the line "By name" begins: agents are counted by name alone, in each way apart, not at all, or in any way at once."""


def head_of(text):
    """The question of a query, and the lines of its head by their names."""
    question, lines, *_ = text.partition("\n\n")[0].split("\n--\n")
    _, *found = re.split(r"(?:^|\n)-- (Unit|Denominator|By name|Not for|Needs): ", lines)
    names, texts = found[::2], [" ".join(value.split("\n-- ")) for value in found[1::2]]
    assert names in (HEAD, [*HEAD, "Needs"]), names
    assert all(value.endswith(".") for value in texts), texts
    assert re.fullmatch(r"-- [A-Z][^\n]*(\n-- [^\n]+)*\?", question), question
    head = dict(zip(names, texts))
    assert head["By name"].startswith(BY_NAME), head["By name"]
    return question.replace("\n-- ", " ").removeprefix("-- "), head


def check_heads_are_held(text):
    """A query without one of the lines of its head, or with two of them in another order, is found."""
    lines = re.findall(r"(?m)^-- (?:Unit|Denominator|By name|Not for): .*\n(?:-- (?!Unit|Denominator|By name|Not for|Needs).*\n)*", text)
    assert len(lines) == len(HEAD), lines
    for damaged in (*(text.replace(line, "") for line in lines), text.replace(lines[0] + lines[1], lines[1] + lines[0])):
        try:
            head_of(damaged)
        except AssertionError:
            continue
        raise AssertionError(f"nobody misses a line of this head:\n{damaged}")


def check_text(file):
    """A query has a head, an order, and is written for both engines; it is listed in README.md."""
    text = file.read_text(encoding="utf-8")
    name = file.relative_to(QUERIES)
    question, _ = head_of(text)
    check_heads_are_held(text)
    listed = f"| [{name.with_suffix('')}]({name}) | {question} |"
    assert listed in (QUERIES / "README.md").read_text(encoding="utf-8"), f"README.md lacks: {listed}"
    assert "closed_percent" not in text or "by_name" in text, f"{name}: a share of closed that is not by name"
    assert re.search(r"\nORDER BY [^()]*", text), f"{name}: the result has no order"
    code = text.partition("\n\n")[2]
    assert code.count(";") == 1 and code.endswith(";\n"), f"{name}: more than one statement"
    assert '"' not in code and "BLOB" not in code.upper(), f"{name}: a quoted name or a BLOB"
    assert max(map(len, text.splitlines())) <= 120, f"{name}: a line of more than 120 characters"


def check_denominator(file, columns):
    """The head names the column that has the denominator, or says that there is none; shares are not without one."""
    denominator = head_of(file.read_text(encoding="utf-8"))[1]["Denominator"]
    named = set(re.findall(r"[a-z]\w*", " ".join(re.findall(r"\(([^()]*)\)", denominator)))) & set(columns)
    if denominator.startswith("none"):
        shares = [column for column in columns if "percent" in column]
        assert not shares, f"{file}: no denominator, and {shares}"
    else:
        assert named, f"{file}: the denominator ({denominator}) is in no column of {columns}"


def check_variables(engine, files):
    """A value of a variable that does not exist is an error that names those that do, and so is a variable that a query has not."""
    checked = set()
    for file in files:
        text = file.read_text(encoding="utf-8")
        for variable in re.findall(r"getvariable\('(\w+)'\)", text):
            checked.add(variable)
            wrong, allowed = WRONG[variable]
            for value in wrong:
                try:
                    found = engine.rows(text, **{variable: value})
                except Exception as error:
                    assert all(name in str(error) for name in allowed), f"{file}, {variable}={value}: {error}"
                else:
                    raise AssertionError(f"{file} answers {variable}={value}: {found}")
    assert checked == WRONG.keys(), checked


def compare(name, found, write):
    """The differences from what is expected; or writes it."""
    target = EXPECTED / name.with_suffix(".tsv")
    if write:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(found) + "\n", encoding="utf-8")
        return []
    known = target.read_text(encoding="utf-8").removesuffix("\n").split("\n") if target.exists() else []
    return list(difflib.unified_diff(known, found, str(target.relative_to(HERE)), "found", n=0, lineterm=""))


def check_facts(engine):
    """Numbers that follow from what the made-up crawls are, by what a reader of the README would ask."""
    with open(HERE / "facts.sql", encoding="utf-8") as text:
        facts = re.findall(r"-- (\S+): ([^\n]*)\n(.*?);\n", text.read(), re.S)
    assert facts
    for wanted, meaning, query in facts:
        found = "/".join(map(cell, engine.rows(query)[1]))
        assert found == wanted, f"{meaning}: {found}, and not {wanted}"
    return len(facts)


def check_first_questions(engine):
    """What docs/research.md asks of the views can be asked."""
    questions = (QUERIES.parent / "docs/research.md").read_text(encoding="utf-8").partition("## First questions\n")[2]
    text = questions.partition("```sql\n")[2].partition("```")[0]
    code = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    asked = [query for query in code.split(";") if query.strip()]
    assert len(asked) > 2 and all(len(engine.rows(query)) > 1 for query in asked), asked


def check_mixed(engine, folder, files):
    """Of two crawls that were resolved for two viewpoints nothing is counted together, and both are named; but for what no viewpoint changes."""
    engine.open(folder)
    texts = [text for (text,) in engine.rows("SELECT DISTINCT concat(crawl, ': ', viewpoint) FROM pages_table")[1:]]
    assert len(texts) == 2, texts
    for file in files:
        name = str(file.relative_to(QUERIES).with_suffix(""))
        try:
            engine.rows(file.read_text(encoding="utf-8"))
        except Exception as error:
            assert name not in OF_NO_VIEWPOINT and all(text in str(error) for text in texts), f"{name}: {error}"
        else:
            assert name in OF_NO_VIEWPOINT, f"{name} answers for two viewpoints"


def check_older(engine, folder):
    """Tables that were made before a column was added have NULL in it."""
    engine.open(folder)
    found = engine.rows("SELECT count(*), count(language) FROM page_policies WHERE policy = 'robots'")[1]
    assert found[0] > 0 and found[1] == 0, found


def check_views(engine, folder, without):
    """In a folder that lacks tables every view can be read but these, which fail."""
    engine.open(folder)
    names = re.findall(r"TEMPORARY VIEW (\w+)", (QUERIES / "views.sql").read_text())
    assert set(without) <= set(names), without
    for name in names:
        try:
            engine.rows(f"SELECT count(*) FROM {name}")
        except Exception as error:
            assert name in without, f"{name}: {error}"
        else:
            assert name not in without, f"{name} can be read"


def main():
    what, out, *options = sys.argv[1:]
    out = pathlib.Path(out).resolve()
    if what == "prepare":
        return prepare(out)
    files = sorted(QUERIES.glob("*/*.sql"))
    for file in files:
        check_text(file)
    folders = [option.split("=") for option in options if "=" in option]
    folders = [(pathlib.Path(folder).resolve(), without.split(",")) for folder, without in folders]
    engine = {"duckdb": DuckDb, "spark": Spark}[what]()
    engine.open(out)
    if what == "spark":
        engine.keep_views()
    facts = check_facts(engine)
    check_first_questions(engine)
    check_variables(engine, files)
    with concurrent.futures.ThreadPoolExecutor(1 if what == "duckdb" else 3) as pool:
        results = list(pool.map(lambda it: (*it, result(engine, it[0], it[2])), asked(files)))
    differences = []
    for file, name, _, found in results:
        assert len(found) > 1, f"{name} gives no row"
        check_denominator(file, found[0].split("\t"))
        differences += compare(name, found, "--write" in options)
    check_older(engine, out.parent / "older")
    for folder in MIXED:
        # Each takes Spark seconds.
        check_mixed(engine, out.parent / f"with_{folder}", files if what == "duckdb" else files[::16])
    for folder, without in folders:
        check_views(engine, folder, without)
    ran_on = f"{what} {importlib.metadata.version('pyspark' if what == 'spark' else what)}"
    print("\n".join(differences) or f"{ran_on}: {len(files)} queries and {facts} facts as expected")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
