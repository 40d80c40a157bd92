//! The flags of `status`.

use super::values::{parse_crawl, parse_slice};
use super::{LogFormat, RemoteArgs};
use clap::Args;
use crawlprefs::job::Slice;
use std::path::PathBuf;

#[derive(Args)]
pub struct StatusArgs {
    /// Folder that scan, run, resolve or index wrote, a folder of site indexes, or its URL in a store
    #[arg(value_name = "DIR")]
    pub out: PathBuf,

    /// List of the archives that are to be read, or its URL; see --paths-from of scan. Other crawls than those of the list are
    /// looked at only for whether they have evidence [default: those that evidence or tables name]
    #[arg(long, value_name = "FILE|URL")]
    pub paths_from: Vec<String>,

    /// Folder or URL that the paths of lists are relative to, as in the scan
    #[arg(long, value_name = "DIR|URL")]
    pub base: Option<PathBuf>,

    /// Name of the crawl, as in the scan
    #[arg(long, value_name = "NAME", value_parser = parse_crawl)]
    pub crawl: Option<String>,

    /// Look only at the I-th of N shares of the list, as in the scan
    #[arg(long, value_name = "I/N", value_parser = parse_slice, requires = "paths_from")]
    pub slice: Option<Slice>,

    /// Folder with the evidence of the tables; can be given several times [default: the folder of the tables, or the
    /// folders that they name]
    #[arg(long, value_name = "DIR")]
    pub evidence: Vec<PathBuf>,

    /// Read every file of evidence and tables, and compare it with its manifest [default: compare lengths]
    #[arg(long)]
    pub verify: bool,

    /// Print JSON
    #[arg(long, conflicts_with = "unread")]
    pub json: bool,

    /// Print only the names of the archives of the list that are not read to their end, one per line, for --paths-from -
    #[arg(long, requires = "paths_from")]
    pub unread: bool,

    /// Write metrics for Prometheus, for example for its textfile collector
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,

    /// Format of messages on standard error
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub log_format: LogFormat,

    #[command(flatten)]
    pub remote: RemoteArgs,
}
