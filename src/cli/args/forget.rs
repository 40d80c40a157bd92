//! The flags of `forget`.

use super::values::parse_crawl;
use super::{LogFormat, RemoteArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct ForgetArgs {
    /// Folder that scan, run or resolve wrote, or its URL in a store
    #[arg(value_name = "DIR")]
    pub out: PathBuf,

    /// Name of the crawl
    #[arg(long, value_name = "NAME", value_parser = parse_crawl)]
    pub crawl: String,

    /// Keep the tables of the crawl, for SQL; judge, explain and extract need the evidence, too
    #[arg(long)]
    pub keep_tables: bool,

    /// Print the names of the files that would be removed, one per line, and stop
    #[arg(long)]
    pub dry_run: bool,

    /// Format of messages on standard error
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub log_format: LogFormat,

    #[command(flatten)]
    pub remote: RemoteArgs,
}
