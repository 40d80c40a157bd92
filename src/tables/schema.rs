//! Descriptions of the tables: for people, and as SQL for engines.

use super::Table;
use super::agent_sets::{AGENT_SETS, LISTS, NUMBER};
use super::layout::{filtered, order};
use super::sites::SITES;
use crate::web::column::{Column, ColumnKind, Nulls};
use itertools::Itertools;

/// The maximum number of characters of a column's comment in the catalogues of Hive and Glue.
const LONGEST_COMMENT: usize = 255;

const HEAD: &str = "# The tables

`crawlprefs schema --markdown` prints this page.
NULL means that a value does not exist or was not read. Timestamps are in microseconds, UTC.
Every table has the partition `crawl`, which is not a column of its files.

Files of `sites` are sorted by host. Rows of `pages`, `robots` and `statements` come host by host over the archives of a file, where
each archive is sorted by host, as those of Common Crawl are: it spreads the pages of a host over all archives of a segment. The
captures of other archives stay in their order. An engine skips row groups and pages by the hosts in them, and Bloom filters do the
same for domains and record ids.
";

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
    let table = |table: &&Table| {
        let columns: String = table.columns().map(|column| described(column, 2)).collect();
        format!(
            "{}\n  one row per {}\n  {}\n{columns}\n",
            table.name,
            table.row,
            table.path()
        )
    };
    tables.iter().map(table).collect()
}

/// Describes every table in Markdown, the content of `docs/tables.md`.
pub fn markdown(tables: &[&Table]) -> String {
    let table = |table: &&Table| {
        let (name, row, layout, path) =
            (table.name, table.row, layout_in_words(table), table.path());
        format!(
            "\n## {name}\n\nOne row per {row}.{layout}\n\n`{path}`\n\n{}",
            markdown_columns(table)
        )
    };
    format!("{HEAD}{}", tables.iter().map(table).collect::<String>())
}

fn layout_in_words(table: &Table) -> String {
    let quoted = |columns: &[&str], between| {
        columns
            .iter()
            .map(|column| format!("`{column}`"))
            .join(between)
    };
    let (order, filtered) = (
        quoted(order(table), ", then "),
        quoted(filtered(table), ", "),
    );
    let sorted =
        format!(" Rows of a file are sorted by {order} (`sorting_columns` in its footer).");
    let filters = format!(" Bloom filters: {filtered}.");
    let texts = [(order, sorted), (filtered, filters)];
    texts
        .into_iter()
        .filter(|(columns, _)| !columns.is_empty())
        .map(|(_, text)| text)
        .collect()
}

/// Describes the columns of a table in Markdown.
pub fn markdown_columns(table: &Table) -> String {
    let columns: String = table
        .columns()
        .map(|column| markdown_column(column, ""))
        .collect();
    format!("| column | type | meaning |\n|---|---|---|\n{columns}")
}

fn markdown_column(column: &Column, parent: &str) -> String {
    let name = format!("{parent}{}", column.name);
    let meaning = column
        .meaning
        .replace('|', "\\|")
        .replace('<', "&lt;")
        .replace('*', "\\*");
    let fields = fields(column)
        .iter()
        .map(|field| markdown_column(field, &format!("{name}[].")));
    format!(
        "| `{name}` | {} | {meaning} |\n{}",
        type_in_words(column),
        fields.collect::<String>()
    )
}

fn described(column: &Column, indent: usize) -> String {
    let (kind, width) = (type_in_words(column), 28 - indent);
    let fields = fields(column)
        .iter()
        .map(|field| described(field, indent + 2))
        .collect::<String>();
    format!(
        "{:indent$}{:<width$} {kind:<18} {}\n{fields}",
        "", column.name, column.meaning
    )
}

fn fields(column: &Column) -> &'static [Column] {
    if let ColumnKind::Structs(fields) = column.kind {
        fields
    } else {
        &[]
    }
}

fn type_in_words(column: &Column) -> String {
    let null = if column.nulls == Nulls::Allowed {
        " or NULL"
    } else {
        ""
    };
    format!("{}{null}", plain(column.kind))
}

fn plain(kind: ColumnKind) -> String {
    let word = match kind {
        ColumnKind::Text => "text",
        ColumnKind::Binary => "binary",
        ColumnKind::Boolean => "boolean",
        ColumnKind::Int16 => "int16",
        ColumnKind::Int32 => "int32",
        ColumnKind::Int64 => "int64",
        ColumnKind::Timestamp => "timestamp",
        ColumnKind::List(element) => return format!("list of {}", plain(*element)),
        ColumnKind::Structs(_) => "list of struct",
    };
    word.to_owned()
}

/// Returns the statements that declare `tables`, written below `out`, in an engine. `sites` is a view in each engine; it has
/// the lists of its sets of agents as columns.
pub fn sql(tables: &[&Table], dialect: Dialect, out: &str) -> String {
    let out = out.trim_end_matches('/');
    let has = |wanted: &Table| tables.iter().any(|table| table.name == wanted.name);
    let sets = (has(&SITES) && !has(&AGENT_SETS)).then_some(&AGENT_SETS);
    let tables = || tables.iter().copied().chain(sets);
    let declared = tables().map(|table| {
        let statements = match dialect {
            Dialect::DuckDb => duckdb_view(table, out),
            Dialect::Spark | Dialect::Trino => external_table(table, dialect, out),
            Dialect::Athena | Dialect::Hive => hive_table(table, dialect, out),
        };
        format!(
            "-- {}: one row per {}\n{statements}\n",
            table.name, table.row
        )
    });
    let mut text: String = declared.collect();
    if has(&SITES) {
        text.push_str(&sites_view(dialect));
    }
    if dialect == Dialect::DuckDb {
        text.extend(tables().flat_map(comments));
    }
    text
}

fn stored_name(table: &Table) -> String {
    if table.name == SITES.name {
        format!("{}_table", table.name)
    } else {
        table.name.to_owned()
    }
}

/// Joins the lists to each row of `sites`. Every part has the sets of its rows, so most sets occur several times.
fn sites_view(dialect: Dialect) -> String {
    let (view, table, sets, lists) = (
        SITES.name,
        stored_name(&SITES),
        AGENT_SETS.name,
        LISTS.join(", "),
    );
    let once = match dialect {
        Dialect::DuckDb => {
            format!("SELECT DISTINCT ON ({NUMBER}) {NUMBER} AS number, {lists} FROM {sets}")
        }
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

fn duckdb_view(table: &Table, out: &str) -> String {
    let (files, name) = (
        literal(&format!("{out}/{}/*/*.parquet", table.folder)),
        stored_name(table),
    );
    format!(
        "CREATE OR REPLACE VIEW {name} AS\n  SELECT * FROM read_parquet({files}, hive_partitioning = true, \
         hive_types = {{'crawl': 'VARCHAR'}}, union_by_name = true);\n"
    )
}

fn comments(table: &Table) -> impl Iterator<Item = String> {
    let lists = AGENT_SETS
        .columns()
        .filter(|column| table.name == SITES.name && column.name != NUMBER);
    table.columns().chain(lists).map(|column| {
        format!(
            "COMMENT ON COLUMN {}.{} IS {};\n",
            table.name,
            column.name,
            literal(column.meaning)
        )
    })
}

fn external_table(table: &Table, dialect: Dialect, out: &str) -> String {
    let column = |column: &Column| {
        let (kind, meaning) = (
            sql_type(column.kind, dialect),
            text_literal(column.meaning, dialect),
        );
        format!("  {} {kind} COMMENT {meaning},\n", column.name)
    };
    let (columns, crawl) = (
        table.columns().map(column).collect::<String>(),
        sql_type(ColumnKind::Text, dialect),
    );
    let (name, location) = (
        stored_name(table),
        text_literal(&format!("{out}/{}", table.folder), dialect),
    );
    let end = if dialect == Dialect::Trino {
        format!(
            "WITH (format = 'PARQUET', partitioned_by = ARRAY['crawl'], external_location = {location});\n\
             CALL system.sync_partition_metadata(CURRENT_SCHEMA, '{name}', 'ADD');\n"
        )
    } else {
        format!(
            "USING parquet PARTITIONED BY (crawl) LOCATION {location};\nMSCK REPAIR TABLE {name};\n"
        )
    };
    format!(
        "CREATE TABLE {name} (\n{columns}  crawl {crawl} COMMENT 'crawl, from the folder''s name'\n) {end}"
    )
}

/// The statements of Hive, which Athena also accepts. The metastores of Hive and Glue accept no longer comments.
fn hive_table(table: &Table, dialect: Dialect, out: &str) -> String {
    let column = |column: &Column| {
        let meaning = text_literal(&shortened(column.meaning), dialect);
        format!(
            "  `{}` {} COMMENT {meaning}",
            column.name,
            sql_type(column.kind, dialect)
        )
    };
    let (name, columns) = (stored_name(table), table.columns().map(column).join(",\n"));
    let location = text_literal(&format!("{out}/{}/", table.folder), dialect);
    format!(
        "CREATE EXTERNAL TABLE {name} (\n{columns}\n) PARTITIONED BY (`crawl` STRING) STORED AS PARQUET \
         LOCATION {location};\nMSCK REPAIR TABLE {name};\n"
    )
}

/// Returns the start of a text of more than 255 characters, up to the end of a word.
fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST_COMMENT {
        return text.to_owned();
    }
    let start: String = text.chars().take(LONGEST_COMMENT - 3).collect();
    let words = start
        .rsplit_once(' ')
        .map_or(start.as_str(), |(words, _)| words);
    format!("{words}...")
}

fn sql_type(kind: ColumnKind, dialect: Dialect) -> String {
    let hive = matches!(dialect, Dialect::Spark | Dialect::Athena | Dialect::Hive);
    let word = |of_hive: &str, others: &str| {
        if hive {
            of_hive.to_owned()
        } else {
            others.to_owned()
        }
    };
    let array = |element| {
        if hive {
            format!("ARRAY<{element}>")
        } else {
            format!("ARRAY({element})")
        }
    };
    match kind {
        ColumnKind::Text => word("STRING", "VARCHAR"),
        ColumnKind::Binary => word("BINARY", "VARBINARY"),
        ColumnKind::Boolean => "BOOLEAN".to_owned(),
        ColumnKind::Int16 => "SMALLINT".to_owned(),
        ColumnKind::Int32 => word("INT", "INTEGER"),
        ColumnKind::Int64 => "BIGINT".to_owned(),
        // Trino accepts only the precision of hive.timestamp-precision, by default milliseconds.
        ColumnKind::Timestamp => word("TIMESTAMP", "TIMESTAMP(3)"),
        ColumnKind::List(element) => array(sql_type(*element, dialect)),
        ColumnKind::Structs(fields) => {
            let separator = if hive { ":" } else { " " };
            let field = |field: &Column| {
                format!("{}{separator}{}", field.name, sql_type(field.kind, dialect))
            };
            let fields = fields.iter().map(field).join(", ");
            array(if hive {
                format!("STRUCT<{fields}>")
            } else {
                format!("ROW({fields})")
            })
        }
    }
}

/// Returns a text as a literal of an engine. In Spark SQL a backslash begins an escape
/// (`spark.sql.parser.escapedStringLiterals` is false by default). In Hive a doubled quote ends a literal and begins another.
fn text_literal(text: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Spark => literal(&text.replace('\\', "\\\\")),
        Dialect::Athena | Dialect::Hive => {
            format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
        }
        Dialect::DuckDb | Dialect::Trino => literal(text),
    }
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
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
        for dialect in [
            Dialect::DuckDb,
            Dialect::Spark,
            Dialect::Trino,
            Dialect::Athena,
            Dialect::Hive,
        ] {
            for tables in [TABLES, &[&SITES]] {
                let text = sql(tables, dialect, "out");
                let place = |part: &str| text.find(part).expect(part);
                let view = place("CREATE OR REPLACE VIEW sites AS");
                assert!(
                    place(" sites_table ") < view && place(" agent_sets ") < view,
                    "{text}"
                );
                assert!(!text.contains("TABLE sites "), "{text}");
            }
            assert!(!sql(&[TABLES[0]], dialect, "out").contains("sites_table"));
        }
    }

    #[test]
    fn local_hive_and_athena_take_types_and_comments() {
        for dialect in [Dialect::Athena, Dialect::Hive] {
            let text = sql(TABLES, dialect, "s3://bucket/out");
            assert!(
                text.contains("  `fetch_time` TIMESTAMP COMMENT '"),
                "{text}"
            );
            assert!(
                text.contains("ARRAY<STRUCT<carrier:STRING, name:STRING, value:BINARY>>"),
                "{text}"
            );
            for foreign in ["''", "VARCHAR", "(6)", ",\n)"] {
                assert!(!text.contains(foreign), "{foreign}: {text}");
            }
            for comment in text
                .lines()
                .filter_map(|line| line.split_once(" COMMENT '"))
            {
                let comment = comment.1.replace("\\\\", "\\").replace("\\'", "'");
                let comment = comment.trim_end_matches(',').trim_end_matches('\'');
                assert!(comment.chars().count() <= 255, "{comment}");
            }
        }
        assert!(sql(TABLES, Dialect::Trino, "out").contains("fetch_time TIMESTAMP(3) COMMENT"));
    }
}
