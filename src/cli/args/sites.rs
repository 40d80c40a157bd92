//! The flags of `sites`.

use super::values::{parse_as_of, parse_bytes, parse_count};
use super::{RemoteArgs, TalkArgs, ViewpointArgs};
use clap::Args;
use crawlprefs::job::AsOf;
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Args)]
// A report names the values that count.
#[command(mut_args(super::view::with_default))]
pub struct SitesArgs {
    /// Site indexes that index wrote, or their URLs, or a folder of indexes. With #sha256=DIGEST behind it, only the index whose
    /// _index.json has that SHA-256
    #[arg(value_name = "INDEX", required = true)]
    pub indexes: Vec<PathBuf>,

    /// The times, separated by commas, such as 2024-01-01,2025-01-01: each is a crawl of the table, with the newest files of
    /// each origin at or before it. Or each-crawl: each crawl of the index by its own captures
    #[arg(long, value_name = "DATES", value_parser = parse_as_of)]
    pub at: AsOf,

    /// Folder for the table
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,

    /// Use a site index although archives could not be read, or not to their end, or records were lost: what their sites said
    /// may be missing
    #[arg(long)]
    pub allow_incomplete: bool,

    #[command(flatten)]
    pub viewpoint: ViewpointArgs,

    /// Number of workers [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = parse_count)]
    pub jobs: Option<NonZeroUsize>,

    /// Limit of memory, approximately, such as 500M or 4G [default: half of the memory of the machine or its control
    /// group]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory_limit: Option<u64>,

    /// Replace a table in the output folder that was made of another index or with other options
    #[arg(long)]
    pub overwrite: bool,

    /// Compare every file of the table with its manifest, and make again what has changed
    #[arg(long)]
    pub verify: bool,

    #[command(flatten)]
    pub talk: TalkArgs,

    #[command(flatten)]
    pub remote: RemoteArgs,
}
