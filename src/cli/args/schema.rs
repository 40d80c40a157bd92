//! The flags of `schema`.

use clap::{Args, ValueEnum};
use crawlprefs::tables::{Dialect, TABLES};
use std::path::PathBuf;

#[derive(Args)]
pub struct SchemaArgs {
    /// Tables [default: all]
    #[arg(value_name = "TABLE", value_parser = clap::builder::PossibleValuesParser::new(TABLES.iter().map(|table| table.name)))]
    pub tables: Vec<String>,

    /// Write SQL that makes the tables known to an engine
    #[arg(long, value_name = "ENGINE", value_enum)]
    pub sql: Option<Engine>,

    /// Write Markdown
    #[arg(long, conflicts_with = "sql")]
    pub markdown: bool,

    /// List the systems instead: documents, carriers, columns, what is left out (Markdown)
    #[arg(long, conflicts_with_all = ["sql", "tables", "labels"])]
    pub systems: bool,

    /// List which answers of which system count for which label instead (Markdown)
    #[arg(long, conflicts_with_all = ["sql", "tables"])]
    pub labels: bool,

    /// List how the agents table differs from a list instead: JSON with a key for each token, or a token on each line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sql", "tables", "labels", "systems"])]
    pub agents_diff: Option<PathBuf>,

    /// Where the tables are, as the engine sees it
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
    /// External tables of the Hive connector
    Trino,
}

impl From<Engine> for Dialect {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::DuckDb => Self::DuckDb,
            Engine::Spark => Self::Spark,
            Engine::Trino => Self::Trino,
        }
    }
}
