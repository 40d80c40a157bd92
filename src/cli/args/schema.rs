//! The flags of `schema`.

use clap::{Args, ValueEnum};
use crawlprefs::tables::{Dialect, TABLES, Table, sql};

#[derive(Args)]
pub struct SchemaArgs {
    /// Names of tables [default: all]
    #[arg(value_name = "TABLE", value_parser = clap::builder::PossibleValuesParser::new(TABLES.iter().map(|table| table.name)))]
    pub tables: Vec<String>,

    /// Print SQL that creates views or external tables for an engine
    #[arg(long, value_name = "ENGINE", value_enum)]
    pub sql: Option<Engine>,

    /// Print Markdown
    #[arg(long, conflicts_with = "sql")]
    pub markdown: bool,

    /// Print the systems that are read: documents, carriers, columns, and what is left out (Markdown)
    #[arg(long, conflicts_with_all = ["sql", "tables", "labels"])]
    pub systems: bool,

    /// Print the answers of each system that count for each label (Markdown)
    #[arg(long, conflicts_with_all = ["sql", "tables"])]
    pub labels: bool,

    /// Path or URL of the tables, as the engine sees it
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub out: String,
}

#[derive(ValueEnum, Clone, Copy)]
#[value(rename_all = "lower")]
pub enum Engine {
    /// Views
    DuckDb,
    /// External tables
    Spark,
    /// External tables of the Hive connector; times in milliseconds, its default
    Trino,
    /// External tables of Amazon Athena
    Athena,
    /// External tables of Hive 4
    Hive,
}

impl Engine {
    /// Returns what makes tables known to the engine.
    pub fn text(self, tables: &[&Table], out: &str) -> String {
        let dialect = match self {
            Self::DuckDb => Dialect::DuckDb,
            Self::Spark => Dialect::Spark,
            Self::Trino => Dialect::Trino,
            Self::Athena => Dialect::Athena,
            Self::Hive => Dialect::Hive,
        };
        sql(tables, dialect, out)
    }
}
