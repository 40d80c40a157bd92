//! Descriptions of the tables: for people, and as SQL for engines.

use super::Table;
use super::agent_sets::{AGENT_SETS, LISTS, NUMBER};
use super::layout::{filtered, order};
use super::sites::SITES;
use crate::web::column::{Column, Kind, Nulls};
use std::fmt::Write;

/// The maximum number of characters of a column's comment in the catalogues of Hive and Glue.
const LONGEST_COMMENT: usize = 255;

const ORDER: &str = "
Files of `sites` are sorted by host. Rows of `pages`, `robots` and `statements` come host by host over the archives of a file, where
each archive is sorted by host, as those of Common Crawl are: it spreads the pages of a host over all archives of a segment. The
captures of other archives stay in their order. An engine skips row groups and pages by the hosts in them, and Bloom filters do the
same for domains and record ids.";

/// The SQL engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// DuckDB: a view over the files.
    DuckDb,
    /// Spark: an external table.
    Spark,
    /// Trino, its Hive connector: an external table.
    Trino,
    /// Amazon Athena: an external table.
    Athena,
    /// Apache Hive 4, which reads timestamps of microseconds: an external table.
    Hive,
}

/// Describes tables for people: path, rows, and each column's name, type and meaning.
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
pub fn markdown(tables: &[&Table]) -> String {
    let mut text = String::new();
    line(&mut text, "# The tables\n");
    line(&mut text, "`crawlprefs schema --markdown` prints this page.");
    line(
        &mut text,
        "NULL means that a value does not exist or was not read. Timestamps are in microseconds, UTC.",
    );
    line(&mut text, "Every table has the partition `crawl`, which is not a column of its files.");
    line(&mut text, ORDER);
    for table in tables {
        line(&mut text, &format!("\n## {}\n", table.name));
        line(&mut text, &format!("One row per {}.{}\n", table.row, layout_in_words(table)));
        line(&mut text, &format!("`{}`\n", table.path()));
        text.push_str(&markdown_columns(table));
    }
    text
}

fn layout_in_words(table: &Table) -> String {
    let quoted = |columns: &[&str], between| {
        columns.iter().map(|column| format!("`{column}`")).collect::<Vec<_>>().join(between)
    };
    let (order, filtered) = (quoted(order(table), ", then "), quoted(filtered(table), ", "));
    let sorted = format!(" Rows of a file are sorted by {order} (`sorting_columns` in its footer).");
    let filters = format!(" Bloom filters: {filtered}.");
    let texts = [(order, sorted), (filtered, filters)];
    texts.into_iter().filter(|(columns, _)| !columns.is_empty()).map(|(_, text)| text).collect()
}

/// Describes the columns of a table in Markdown.
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

/// Returns the statements that declare `tables`, written below `out`, in an engine. `sites` is a view in each engine; it has
/// the lists of its sets of agents as columns.
pub fn sql(tables: &[&Table], dialect: Dialect, out: &str) -> String {
    let out = out.trim_end_matches('/');
    let has = |wanted: &Table| tables.iter().any(|table| table.name == wanted.name);
    let sets = (has(&SITES) && !has(&AGENT_SETS)).then_some(&AGENT_SETS);
    let mut text = String::new();
    let tables = || tables.iter().copied().chain(sets);
    for table in tables() {
        line(&mut text, &format!("-- {}: one row per {}", table.name, table.row));
        match dialect {
            Dialect::DuckDb => duckdb_view(&mut text, table, out),
            Dialect::Spark | Dialect::Trino => external_table(&mut text, table, dialect, out),
            Dialect::Athena | Dialect::Hive => hive_table(&mut text, table, dialect, out),
        }
        text.push('\n');
    }
    if has(&SITES) {
        text.push_str(&sites_view(dialect));
    }
    if dialect == Dialect::DuckDb {
        tables().for_each(|table| add_comments(&mut text, table));
    }
    text
}

/// Returns the name that the files of a table have in an engine.
fn stored_name(table: &Table) -> String {
    if table.name == SITES.name { format!("{}_table", table.name) } else { table.name.to_owned() }
}

/// Joins the lists to each row of `sites`. Every part has the sets of its rows, so most sets occur several times.
fn sites_view(dialect: Dialect) -> String {
    let (view, table, sets, lists) = (SITES.name, stored_name(&SITES), AGENT_SETS.name, LISTS.join(", "));
    let once = match dialect {
        Dialect::DuckDb => format!("SELECT DISTINCT ON ({NUMBER}) {NUMBER} AS number, {lists} FROM {sets}"),
        Dialect::Spark | Dialect::Trino | Dialect::Athena | Dialect::Hive => format!(
            "SELECT number, {lists} FROM (SELECT {NUMBER} AS number, {lists}, \
             row_number() OVER (PARTITION BY {NUMBER} ORDER BY crawl) AS place FROM {sets}) AS placed WHERE place = 1"
        ),
    };
    format!(
        "-- {view}: the rows of {table} with the lists of their sets of agents\n\
         CREATE OR REPLACE VIEW {view} AS\n  SELECT {table}.*, {lists} FROM {table}\n  \
         LEFT JOIN ({once}) AS once\n  ON once.number = {table}.{NUMBER};\n\n"
    )
}

fn duckdb_view(text: &mut String, table: &Table, out: &str) {
    let (files, name) = (literal(&format!("{out}/{}/*/*.parquet", table.folder)), stored_name(table));
    line(text, &format!("CREATE OR REPLACE VIEW {name} AS"));
    line(
        text,
        &format!(
            "  SELECT * FROM read_parquet({files}, hive_partitioning = true, hive_types = {{'crawl': 'VARCHAR'}}, union_by_name = true);"
        ),
    );
}

/// Comments on the columns of a view of DuckDB.
fn add_comments(text: &mut String, table: &Table) {
    let lists = AGENT_SETS.columns().filter(|column| table.name == SITES.name && column.name != NUMBER);
    for column in table.columns().chain(lists) {
        let meaning = literal(column.meaning);
        line(text, &format!("COMMENT ON COLUMN {}.{} IS {meaning};", table.name, column.name));
    }
}

fn external_table(text: &mut String, table: &Table, dialect: Dialect, out: &str) {
    let name = stored_name(table);
    line(text, &format!("CREATE TABLE {name} ("));
    for column in table.columns() {
        let kind = sql_type(column.kind, dialect);
        line(text, &format!("  {} {kind} COMMENT {},", column.name, text_literal(column.meaning, dialect)));
    }
    let crawl = sql_type(Kind::Text, dialect);
    line(text, &format!("  crawl {crawl} COMMENT 'crawl, from the folder''s name'"));
    let location = text_literal(&format!("{out}/{}", table.folder), dialect);
    match dialect {
        Dialect::DuckDb | Dialect::Spark | Dialect::Athena | Dialect::Hive => {
            line(text, &format!(") USING parquet PARTITIONED BY (crawl) LOCATION {location};"));
            line(text, &format!("MSCK REPAIR TABLE {name};"));
        }
        Dialect::Trino => {
            line(
                text,
                &format!(
                    ") WITH (format = 'PARQUET', partitioned_by = ARRAY['crawl'], external_location = {location});"
                ),
            );
            line(text, &format!("CALL system.sync_partition_metadata(CURRENT_SCHEMA, '{name}', 'ADD');"));
        }
    }
}

/// The statements of Hive, which Athena also accepts. The metastores of Hive and Glue accept no longer comments.
fn hive_table(text: &mut String, table: &Table, dialect: Dialect, out: &str) {
    let name = stored_name(table);
    line(text, &format!("CREATE EXTERNAL TABLE {name} ("));
    let columns: Vec<String> = table
        .columns()
        .map(|column| {
            let kind = sql_type(column.kind, dialect);
            let meaning = text_literal(&shortened(column.meaning), dialect);
            format!("  `{}` {kind} COMMENT {meaning}", column.name)
        })
        .collect();
    line(text, &columns.join(",\n"));
    let location = text_literal(&format!("{out}/{}/", table.folder), dialect);
    line(text, &format!(") PARTITIONED BY (`crawl` STRING) STORED AS PARQUET LOCATION {location};"));
    line(text, &format!("MSCK REPAIR TABLE {name};"));
}

/// Returns the start of a text of more than 255 characters, up to the end of a word.
fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST_COMMENT {
        return text.to_owned();
    }
    let start: String = text.chars().take(LONGEST_COMMENT - 3).collect();
    let words = start.rsplit_once(' ').map_or(start.as_str(), |(words, _)| words);
    format!("{words}...")
}

fn sql_type(kind: Kind, dialect: Dialect) -> String {
    let hive = matches!(dialect, Dialect::Spark | Dialect::Athena | Dialect::Hive);
    let word = |of_hive: &str, others: &str| if hive { of_hive.to_owned() } else { others.to_owned() };
    match kind {
        Kind::Text => word("STRING", "VARCHAR"),
        Kind::Binary => word("BINARY", "VARBINARY"),
        Kind::Boolean => "BOOLEAN".to_owned(),
        Kind::Int16 => "SMALLINT".to_owned(),
        Kind::Int32 => word("INT", "INTEGER"),
        Kind::Int64 => "BIGINT".to_owned(),
        // Trino accepts only the precision of hive.timestamp-precision, by default milliseconds.
        Kind::Timestamp => word("TIMESTAMP", "TIMESTAMP(3)"),
        Kind::List(element) => array(&sql_type(*element, dialect), dialect),
        Kind::Structs(fields) => {
            let separator = if hive { ":" } else { " " };
            let fields: Vec<String> = fields
                .iter()
                .map(|field| format!("{}{separator}{}", field.name, sql_type(field.kind, dialect)))
                .collect();
            let fields = fields.join(", ");
            array(&if hive { format!("STRUCT<{fields}>") } else { format!("ROW({fields})") }, dialect)
        }
    }
}

fn array(element: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Spark | Dialect::Athena | Dialect::Hive => format!("ARRAY<{element}>"),
        Dialect::DuckDb | Dialect::Trino => format!("ARRAY({element})"),
    }
}

/// Returns a text as a literal of an engine. In Spark SQL a backslash begins an escape
/// (`spark.sql.parser.escapedStringLiterals` is false by default). In Hive a doubled quote ends a literal and begins another.
fn text_literal(text: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Spark => literal(&text.replace('\\', "\\\\")),
        Dialect::Athena | Dialect::Hive => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        Dialect::DuckDb | Dialect::Trino => literal(text),
    }
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn line(text: &mut String, line: &str) {
    // Writing to a String does not fail.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::{Dialect, SITES, sql};
    use crate::tables::TABLES;

    #[test]
    fn local_a_backslash_is_doubled_for_spark_and_hive() {
        for (dialect, location) in [
            (Dialect::Spark, r"LOCATION 'a\\b''c/pages'"),
            (Dialect::Trino, r"external_location = 'a\b''c/pages'"),
            (Dialect::Athena, r"LOCATION 'a\\b\'c/pages/'"),
            (Dialect::Hive, r"LOCATION 'a\\b\'c/pages/'"),
            (Dialect::DuckDb, r"read_parquet('a\b''c/pages/"),
        ] {
            let text = sql(TABLES, dialect, r"a\b'c");
            assert!(text.contains(location), "{text}");
        }
    }

    #[test]
    fn local_sites_is_a_view_with_the_lists_of_its_sets() {
        for dialect in [Dialect::DuckDb, Dialect::Spark, Dialect::Trino, Dialect::Athena, Dialect::Hive] {
            for tables in [TABLES, &[&SITES]] {
                let text = sql(tables, dialect, "out");
                let place = |part: &str| text.find(part).expect(part);
                let view = place("CREATE OR REPLACE VIEW sites AS");
                assert!(place(" sites_table ") < view && place(" agent_sets ") < view, "{text}");
                assert!(!text.contains("TABLE sites "), "{text}");
            }
            assert!(!sql(&[TABLES[0]], dialect, "out").contains("sites_table"));
        }
    }

    #[test]
    fn local_hive_and_athena_take_types_and_comments() {
        for dialect in [Dialect::Athena, Dialect::Hive] {
            let text = sql(TABLES, dialect, "s3://bucket/out");
            assert!(text.contains("  `fetch_time` TIMESTAMP COMMENT '"), "{text}");
            assert!(text.contains("ARRAY<STRUCT<carrier:STRING, name:STRING, value:BINARY>>"), "{text}");
            for foreign in ["''", "VARCHAR", "(6)", ",\n)"] {
                assert!(!text.contains(foreign), "{foreign}: {text}");
            }
            for comment in text.lines().filter_map(|line| line.split_once(" COMMENT '")) {
                let comment = comment.1.replace("\\\\", "\\").replace("\\'", "'");
                let comment = comment.trim_end_matches(',').trim_end_matches('\'');
                assert!(comment.chars().count() <= 255, "{comment}");
            }
        }
        assert!(sql(TABLES, Dialect::Trino, "out").contains("fetch_time TIMESTAMP(3) COMMENT"));
    }
}
