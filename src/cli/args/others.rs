//! The flags of the commands that have few: `demo`, `extract`, `history`, `index`, `schema`, `sites` and `status`.

use super::explain::Colour;
use super::values::{
    FlagWords, parse_bytes, parse_count, parse_crawl, parse_duration, parse_segment, parse_slice,
    parse_time, words,
};
use super::{RemoteArgs, TalkArgs, ViewpointArgs, WatchArgs, WorkerArgs};
use crate::cli::log::Form;
use clap::Args;
use clap::builder::ArgPredicate;
use crawlprefs::archive::CrawlId;
use crawlprefs::job::{AsOf, Slice};
use crawlprefs::runs::Segment;
use crawlprefs::tables::{Dialect, TABLES};
use crawlprefs::web::timestamp::Timestamp;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub struct DemoArgs {
    /// Folder for the archives and the tables
    #[arg(short, long, value_name = "DIR", default_value = "crawlprefs-demo")]
    pub out: PathBuf,
}

#[derive(Args)]
pub struct ExtractArgs {
    /// Folder that scan or run wrote, or its URL in a store: copy the record of the page, or the records of --from, and
    /// all captures of their sites' files and of the targets of their redirects
    #[arg(long, value_name = "DIR", requires = "wanted", required_unless_present_any = ["from", "verify", "sites"])]
    pub tables: Option<PathBuf>,
    /// Site index that index wrote, or its URL, or a folder of indexes; can be given several times: name the captures that its
    /// answer about the page of --url rests on; with -o, find their records in the archives at --base, and copy them
    #[arg(long, value_name = "INDEX", requires = "url", conflicts_with_all = ["tables", "from"])]
    pub sites: Vec<PathBuf>,
    /// Use a site index although archives could not be read, or not to their end, or records were lost
    #[arg(long, requires = "sites")]
    pub allow_incomplete: bool,
    /// Folder with the evidence of the tables; can be given several times [default: the folder of the tables, or the
    /// folders that they name]
    #[arg(long, value_name = "DIR", requires = "tables")]
    pub evidence: Vec<PathBuf>,
    /// URL of the page, as in the column url
    #[arg(long, value_name = "URL", group = "wanted", conflicts_with = "verify")]
    pub url: Option<String>,
    /// `fetch_time` of the capture, if the tables have several of the page [default: the newest]
    #[arg(long, value_name = "TIME", requires = "tables", value_parser = parse_time)]
    pub fetched: Option<Timestamp>,
    /// Parquet or CSV file with the columns `warc_filename`, `warc_record_offset` and `warc_record_length`: copy the
    /// records that it lists; with --tables also the files of their sites, so that a run has the same verdicts
    #[arg(long, value_name = "FILE", group = "wanted")]
    pub from: Option<PathBuf>,
    /// Folder or URL of the archives, such as `s3://commoncrawl/`: their names are paths below it
    #[arg(
        long,
        value_name = "DIR|URL",
        default_value = ".",
        default_value_if("verify", ArgPredicate::IsPresent, None)
    )]
    pub base: Option<PathBuf>,
    /// Check a file that extract wrote, or a package of the Python package: that its records are those that it lists, and
    /// digests. With --base, compare each record with its original
    #[arg(long, value_name = "FILE|DIR", conflicts_with_all = ["tables", "from", "out", "sites"])]
    pub verify: Option<PathBuf>,
    /// WARC to write, or its URL in a store; each record is a gzip member. A folder, where it ends with `/`: the records of
    /// each archive in a WARC of its name, so that a run of them knows crawls and segments
    #[arg(short, long, value_name = "FILE|DIR/", required_unless_present_any = ["verify", "sites"])]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub remote: RemoteArgs,
    #[command(flatten)]
    pub watch: WatchArgs,
}

#[derive(Args)]
pub struct HistoryArgs {
    /// Host, such as www.example.org, for all of its origins and the labels of /; or URL of a page, for its origin and its
    /// labels
    #[arg(value_name = "HOST|URL")]
    pub subject: String,
    /// Site index that index wrote, or its URL, or a folder of indexes; can be given several times. With #sha256=DIGEST behind
    /// it, only the index whose _index.json has that SHA-256
    #[arg(long, value_name = "INDEX", required = true)]
    pub sites: Vec<PathBuf>,
    /// Use a site index although archives could not be read, or not to their end, or records were lost: what their sites said
    /// may be missing
    #[arg(long)]
    pub allow_incomplete: bool,
    /// Write JSON, one object per line
    #[arg(long)]
    pub json: bool,
    /// Leave out what ended before this time
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub since: Option<Timestamp>,
    /// Leave out what began after this time
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub until: Option<Timestamp>,
    /// Name times without a fetch of a file that are longer than this
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "100d")]
    pub gap: Duration,
    #[command(flatten)]
    pub viewpoint: ViewpointArgs,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub color: Colour,
    #[command(flatten)]
    pub remote: RemoteArgs,
    #[command(flatten)]
    pub watch: WatchArgs,
}

#[derive(Args)]
pub struct IndexArgs {
    /// Folders that scan or run wrote, and other site indexes, or their URLs in a store
    #[arg(value_name = "EVIDENCE|INDEX", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Folder for the index
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Take only this segment from the evidence, or, with `other`, the archives that belong to no segment; can be given
    /// several times [default: all]
    #[arg(long, value_name = "CRAWL/SEGMENT", value_parser = parse_segment)]
    pub segment: Vec<Segment>,
    /// Leave out the captures of this crawl; can be given several times
    #[arg(long, value_name = "CRAWL")]
    pub without: Vec<String>,
    /// Replace an index that the folder has, and that was made of other archives: at once, while others read it
    #[arg(long)]
    pub overwrite: bool,
    /// Leave the files of the index that is replaced, for readers that are still at work; the next call removes them
    #[arg(long, requires = "overwrite")]
    pub keep_old: bool,
    /// Make the index although archives could not be read, or not to their end, or records were lost: what their sites said may
    /// be missing
    #[arg(long)]
    pub allow_incomplete: bool,
    /// Number of workers that read evidence [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = parse_count)]
    pub jobs: Option<NonZeroUsize>,
    /// About how much memory may be used, such as 512M or 8G; the captures of a segment that do not fit are sorted in temporary
    /// files, and the index is the same [default: half of the machine's, or of its control group]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory_limit: Option<u64>,
    #[command(flatten)]
    pub talk: TalkArgs,
    #[command(flatten)]
    pub remote: RemoteArgs,
}

#[derive(Args)]
pub struct SchemaArgs {
    /// Names of tables [default: all]
    #[arg(value_name = "TABLE", value_parser = clap::builder::PossibleValuesParser::new(TABLES.iter().map(|table| table.name)))]
    pub tables: Vec<String>,
    /// Print SQL that creates views or external tables for an engine
    #[arg(long, value_name = "ENGINE", value_parser = words(&ENGINES))]
    pub sql: Option<Dialect>,
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

const ENGINES: FlagWords<Dialect, 5> = [
    ("duckdb", "Views", Dialect::DuckDb),
    ("spark", "External tables", Dialect::Spark),
    (
        "trino",
        "External tables of the Hive connector; times in milliseconds, its default",
        Dialect::Trino,
    ),
    (
        "athena",
        "External tables of Amazon Athena",
        Dialect::Athena,
    ),
    ("hive", "External tables of Hive 4", Dialect::Hive),
];

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
    #[arg(long, value_name = "DATES")]
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
    #[command(flatten)]
    pub workers: WorkerArgs,
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
    pub crawl: Option<CrawlId>,
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
    /// Label `out` of the metrics, which keeps those of several calls apart [default: the name of the output folder]
    #[arg(long, value_name = "TEXT", requires = "metrics")]
    pub metrics_label: Option<String>,
    /// Format of messages on standard error
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub log_format: Form,
    #[command(flatten)]
    pub remote: RemoteArgs,
}
