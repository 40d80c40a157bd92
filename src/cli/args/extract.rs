//! The flags of `extract`.

use super::values::parse_time;
use super::{RemoteArgs, WatchArgs};
use clap::Args;
use crawlprefs::web::timestamp::Timestamp;
use std::path::PathBuf;

#[derive(Args)]
pub struct ExtractArgs {
    /// Folder that scan or run wrote, or its URL in a store: copy the record of the page, or the records of --from, and
    /// all captures of their sites' files and of the targets of their redirects
    #[arg(long, value_name = "DIR", requires = "wanted", required_unless_present = "from")]
    pub tables: Option<PathBuf>,

    /// Folder with the evidence of the tables; can be given several times [default: the folder of the tables, or the
    /// folders that they name]
    #[arg(long, value_name = "DIR", requires = "tables")]
    pub evidence: Vec<PathBuf>,

    /// URL of the page, as in the column url
    #[arg(long, value_name = "URL", requires = "tables", group = "wanted")]
    pub url: Option<String>,

    /// `fetch_time` of the capture, if the tables have several of the page [default: the newest]
    #[arg(long, value_name = "TIME", requires = "url", value_parser = parse_time)]
    pub fetched: Option<Timestamp>,

    /// Parquet or CSV file with the columns `warc_filename`, `warc_record_offset` and `warc_record_length`: copy the
    /// records that it lists; with --tables also the files of their sites, so that a run has the same verdicts
    #[arg(long, value_name = "FILE", group = "wanted")]
    pub from: Option<PathBuf>,

    /// Folder or URL of the archives, such as `s3://commoncrawl/`: their names are paths below it
    #[arg(long, value_name = "DIR|URL", default_value = ".")]
    pub base: PathBuf,

    /// WARC to write, or its URL in a store; each record is a gzip member. A folder, where it ends with `/`: the records of
    /// each archive in a WARC of its name, so that a run of them knows crawls and segments
    #[arg(short, long, value_name = "FILE|DIR/")]
    pub out: PathBuf,

    #[command(flatten)]
    pub remote: RemoteArgs,

    #[command(flatten)]
    pub watch: WatchArgs,
}
