//! The flags of `schema`.

use clap::{Args, ValueEnum};
use crawlprefs::tables::{Dialect, TABLES};
use std::path::PathBuf;

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

    /// Print how the agents table differs from a list: JSON with one key for each token, or one token per line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sql", "tables", "labels", "systems"])]
    pub agents_diff: Option<PathBuf>,

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

impl From<Engine> for Dialect {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::DuckDb => Self::DuckDb,
            Engine::Spark => Self::Spark,
            Engine::Trino => Self::Trino,
            Engine::Athena => Self::Athena,
            Engine::Hive => Self::Hive,
        }
    }
}
