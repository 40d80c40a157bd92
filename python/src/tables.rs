//! What the tables are called, where they are, and the SQL that makes them known to an engine.

use crawlprefs::tables::{Dialect, TABLES, sql as sql_of};
use include_dir::{Dir, include_dir};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The repository's queries.
static QUERIES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../queries");

/// Returns the texts of the queries, by their paths below `queries/`.
#[pyfunction]
pub fn queries() -> BTreeMap<String, &'static str> {
    let files = QUERIES
        .find("**/*.sql")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.as_file());
    let named = |file: &'static include_dir::File<'_>| {
        Some((
            file.path().to_string_lossy().into_owned(),
            file.contents_utf8()?,
        ))
    };
    files.filter_map(named).collect()
}

/// Returns the script that is in every package, `data/verify.py`.
#[pyfunction]
pub fn verify_script() -> &'static str {
    crawlprefs::job::VERIFY_SCRIPT
}

/// Returns `data/events.tsv`: dated events that change figures without a decision of the sites.
#[pyfunction]
pub fn events() -> &'static str {
    include_str!("../../data/events.tsv")
}

/// Returns each table: its name, its folder below the output, and what a row is.
#[pyfunction]
pub fn tables() -> Vec<(&'static str, &'static str, &'static str)> {
    TABLES
        .iter()
        .map(|table| (table.name, table.folder, table.row))
        .collect()
}

/// Returns what `schema --sql` writes for these tables.
#[pyfunction]
pub fn sql(names: Vec<String>, engine: &str, out: &str) -> PyResult<String> {
    let dialect = match engine {
        "duckdb" => Dialect::DuckDb,
        "spark" => Dialect::Spark,
        "trino" => Dialect::Trino,
        "athena" => Dialect::Athena,
        "hive" => Dialect::Hive,
        _ => {
            return Err(PyValueError::new_err(format!(
                "found {engine}, expected duckdb, spark, trino, athena or hive"
            )));
        }
    };
    let names: BTreeSet<String> = names.into_iter().collect();
    let chosen: Vec<_> = TABLES
        .iter()
        .copied()
        .filter(|table| names.contains(table.name))
        .collect();
    Ok(sql_of(&chosen, dialect, out))
}
