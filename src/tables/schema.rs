//! The tables described: for people, and as SQL for engines.

use super::Table;
use crate::web::column::{Column, Kind, Nulls};
use std::fmt::Write;

/// The engines whose SQL is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// DuckDB: a view over the files.
    DuckDb,
    /// Spark: an external table.
    Spark,
    /// Trino, its Hive connector: an external table.
    Trino,
}

/// Describes tables for people: path, rows, and each column's name, type and meaning.
#[must_use]
pub fn describe(tables: &[&Table]) -> String {
    let mut text = String::new();
    for table in tables {
        let path = table.path();
        line(&mut text, &format!("{}\n  one row per {}\n  {path}", table.name, table.row));
        for column in table.columns() {
            describe_column(&mut text, column, 2);
        }
        text.push('\n');
    }
    text
}

/// Describes every table in Markdown, the content of `docs/tables.md`.
#[must_use]
pub fn markdown(tables: &[&Table]) -> String {
    let mut text = String::new();
    line(&mut text, "# The tables\n");
    line(&mut text, "`crawlprefs schema --markdown` prints this page.");
    line(
        &mut text,
        "NULL means that a value does not exist or was not read. Timestamps are in microseconds, UTC.",
    );
    line(&mut text, "Every table has the partition `crawl`, which is not a column of its files.");
    for table in tables {
        line(&mut text, &format!("\n## {}\n", table.name));
        line(&mut text, &format!("One row per {}.\n", table.row));
        line(&mut text, &format!("`{}`\n", table.path()));
        text.push_str(&markdown_columns(table));
    }
    text
}

/// Describes the columns of a table in Markdown.
#[must_use]
pub fn markdown_columns(table: &Table) -> String {
    let mut text = String::new();
    line(&mut text, "| column | type | meaning |\n|---|---|---|");
    for column in table.columns() {
        markdown_column(&mut text, column, "");
    }
    text
}

fn markdown_column(text: &mut String, column: &Column, parent: &str) {
    let null = match column.nulls {
        Nulls::Allowed => " or NULL",
        Nulls::Never => "",
    };
    let (name, kind) = (format!("{parent}{}", column.name), plain(column.kind));
    let meaning = column.meaning.replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*");
    line(text, &format!("| `{name}` | {kind}{null} | {meaning} |"));
    if let Kind::Structs(fields) = column.kind {
        for field in fields {
            markdown_column(text, field, &format!("{name}[]."));
        }
    }
}

fn describe_column(text: &mut String, column: &Column, indent: usize) {
    let null = match column.nulls {
        Nulls::Allowed => " or NULL",
        Nulls::Never => "",
    };
    let kind = format!("{}{null}", plain(column.kind));
    line(
        text,
        &format!("{:indent$}{:<width$} {kind:<18} {}", "", column.name, column.meaning, width = 28 - indent),
    );
    if let Kind::Structs(fields) = column.kind {
        for field in fields {
            describe_column(text, field, indent + 2);
        }
    }
}

/// Returns a type in a word.
fn plain(kind: Kind) -> String {
    match kind {
        Kind::Text => "text".to_owned(),
        Kind::Binary => "binary".to_owned(),
        Kind::Boolean => "boolean".to_owned(),
        Kind::Int16 => "int16".to_owned(),
        Kind::Int32 => "int32".to_owned(),
        Kind::Int64 => "int64".to_owned(),
        Kind::Timestamp => "timestamp".to_owned(),
        Kind::List(element) => format!("list of {}", plain(*element)),
        Kind::Structs(_) => "list of struct".to_owned(),
    }
}

/// Returns the statements that make `tables`, written below `out`, known to an engine.
#[must_use]
pub fn sql(tables: &[&Table], dialect: Dialect, out: &str) -> String {
    let out = out.trim_end_matches('/');
    let mut text = String::new();
    for table in tables {
        line(&mut text, &format!("-- {}: one row per {}", table.name, table.row));
        match dialect {
            Dialect::DuckDb => duckdb_view(&mut text, table, out),
            Dialect::Spark | Dialect::Trino => external_table(&mut text, table, dialect, out),
        }
        text.push('\n');
    }
    text
}

fn duckdb_view(text: &mut String, table: &Table, out: &str) {
    let files = literal(&format!("{out}/{}/*/*.parquet", table.folder));
    line(text, &format!("CREATE OR REPLACE VIEW {} AS", table.name));
    line(
        text,
        &format!(
            "  SELECT * FROM read_parquet({files}, hive_partitioning = true, hive_types = {{'crawl': 'VARCHAR'}}, union_by_name = true);"
        ),
    );
    for column in table.columns() {
        let meaning = literal(column.meaning);
        line(text, &format!("COMMENT ON COLUMN {}.{} IS {meaning};", table.name, column.name));
    }
}

fn external_table(text: &mut String, table: &Table, dialect: Dialect, out: &str) {
    line(text, &format!("CREATE TABLE {} (", table.name));
    for column in table.columns() {
        let kind = sql_type(column.kind, dialect);
        line(text, &format!("  {} {kind} COMMENT {},", column.name, text_literal(column.meaning, dialect)));
    }
    let crawl = sql_type(Kind::Text, dialect);
    line(text, &format!("  crawl {crawl} COMMENT 'crawl, from the folder''s name'"));
    let location = text_literal(&format!("{out}/{}", table.folder), dialect);
    match dialect {
        Dialect::DuckDb | Dialect::Spark => {
            line(text, &format!(") USING parquet PARTITIONED BY (crawl) LOCATION {location};"));
            line(text, &format!("MSCK REPAIR TABLE {};", table.name));
        }
        Dialect::Trino => {
            line(
                text,
                &format!(
                    ") WITH (format = 'PARQUET', partitioned_by = ARRAY['crawl'], external_location = {location});"
                ),
            );
            line(
                text,
                &format!("CALL system.sync_partition_metadata(CURRENT_SCHEMA, '{}', 'ADD');", table.name),
            );
        }
    }
}

/// Returns a type in an engine's words.
fn sql_type(kind: Kind, dialect: Dialect) -> String {
    let spark = dialect == Dialect::Spark;
    let word = |of_spark: &str, others: &str| if spark { of_spark.to_owned() } else { others.to_owned() };
    match kind {
        Kind::Text => word("STRING", "VARCHAR"),
        Kind::Binary => word("BINARY", "VARBINARY"),
        Kind::Boolean => "BOOLEAN".to_owned(),
        Kind::Int16 => "SMALLINT".to_owned(),
        Kind::Int32 => word("INT", "INTEGER"),
        Kind::Int64 => "BIGINT".to_owned(),
        Kind::Timestamp => word("TIMESTAMP", "TIMESTAMP(6)"),
        Kind::List(element) => array(&sql_type(*element, dialect), dialect),
        Kind::Structs(fields) => {
            let separator = if spark { ": " } else { " " };
            let fields: Vec<String> = fields
                .iter()
                .map(|field| format!("{}{separator}{}", field.name, sql_type(field.kind, dialect)))
                .collect();
            let fields = fields.join(", ");
            array(&if spark { format!("STRUCT<{fields}>") } else { format!("ROW({fields})") }, dialect)
        }
    }
}

fn array(element: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Spark => format!("ARRAY<{element}>"),
        Dialect::DuckDb | Dialect::Trino => format!("ARRAY({element})"),
    }
}

/// Returns a text as a literal of an engine. In Spark SQL a backslash begins an escape (`spark.sql.parser.escapedStringLiterals`
/// is false by default).
fn text_literal(text: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Spark => literal(&text.replace('\\', "\\\\")),
        Dialect::DuckDb | Dialect::Trino => literal(text),
    }
}

/// Returns a text as a literal of SQL.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn line(text: &mut String, line: &str) {
    // Writing to a String does not fail.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::{Dialect, sql};
    use crate::tables::TABLES;

    #[test]
    fn local_a_backslash_is_doubled_for_spark_alone() {
        for (dialect, location) in [
            (Dialect::Spark, r"LOCATION 'a\\b''c/pages'"),
            (Dialect::Trino, r"external_location = 'a\b''c/pages'"),
            (Dialect::DuckDb, r"read_parquet('a\b''c/pages/"),
        ] {
            let text = sql(TABLES, dialect, r"a\b'c");
            assert!(text.contains(location), "{text}");
        }
    }
}
