//! The flags of `judge`.

use super::values::{parse_at, parse_bytes};
use super::{LogFormat, RemoteArgs};
use crate::cli::event::Detail;
use crate::cli::log::Log;
use clap::{Args, ValueEnum};
use crawlprefs::judge::At;
use crawlprefs::judge::files::Format;
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Args)]
pub struct JudgeArgs {
    /// Files of documents: Parquet, JSON lines or a URL a line, the last two also gzipped or zstd; folders, whose
    /// *.parquet, *.jsonl, *.json.gz and the like are taken; - (standard input)
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,

    /// Folder of the tables that run or resolve wrote
    #[arg(long, value_name = "DIR")]
    pub tables: PathBuf,

    /// Folder for the documents with their verdicts, a file for each input, of its name; the same command goes on
    /// where it was left [default: standard output, for one input that is not Parquet]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Which documents are kept: robots, labels, strict, or a TOML file (docs/filtering.md) [default: all]
    #[arg(long, value_name = "PRESET|FILE")]
    pub policy: Option<String>,

    /// Folder for the id, the URL and the reason of each document that the policy drops
    #[arg(long, value_name = "DIR", requires_all = ["policy", "out"])]
    pub dropped: Option<PathBuf>,

    /// Folder with the evidence of the tables; can be given several times [default: the tables' own, or those that
    /// they name]
    #[arg(long, value_name = "DIR")]
    pub evidence: Vec<PathBuf>,

    /// Format of the output: parquet for Parquet, jsonl for JSON lines and lists of URLs; other inputs fail, as rows are
    /// not converted [default: that of each input]
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub format: Option<DocumentsFormat>,

    /// Column or member of the URL [default: url, metadata.url]
    #[arg(long, value_name = "NAME")]
    pub url: Option<String>,

    /// Column or member of the WARC-Record-ID [default: id, `warc_record_id`, `warc_id`, `record_id`, and the same in
    /// metadata]
    #[arg(long, value_name = "NAME")]
    pub id: Option<String>,

    /// Column or member of the date [default: date, `fetch_time`, `warc_date`, metadata.date]
    #[arg(long, value_name = "NAME")]
    pub date: Option<String>,

    /// When a document that has no record in the tables is judged: page (at its date; without one it is unknown),
    /// newest, or a time such as 2026-08-10 [default: page; for URLs a line newest, as they have no dates]
    #[arg(long, value_name = "WHEN", value_parser = parse_at)]
    pub at: Option<At>,

    /// The table of tokens, if the tables were made with one
    #[arg(long, value_name = "FILE")]
    pub agents: Option<PathBuf>,

    /// The vocabulary, if the tables were made with a file of it
    #[arg(long, value_name = "FILE")]
    pub vocab: Option<String>,

    /// The crawlers of applications, if the tables were made with some
    #[arg(long, value_name = "FILE")]
    pub applications: Option<PathBuf>,

    /// Number of workers [default: one per core]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,

    /// About how much memory to use at most, such as 500M or 4G [default: half of what the machine has or
    /// its control group allows]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory_limit: Option<u64>,

    /// Folder for what does not fit in memory: the bodies of site files, and standard input; nothing stays in it
    /// [default: that of the system, which TMPDIR names]
    #[arg(long, value_name = "DIR")]
    pub temp_dir: Option<PathBuf>,

    /// Judge all files again, where the output folder holds those of other tables or options
    #[arg(long, requires = "out")]
    pub overwrite: bool,

    /// How many inputs may fail before the exit status says so
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub max_failed: usize,

    #[command(flatten)]
    pub remote: RemoteArgs,

    /// Write nothing but warnings and errors
    #[arg(short, long)]
    pub quiet: bool,

    /// How messages on standard error are written
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub log_format: LogFormat,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
pub enum DocumentsFormat {
    /// Parquet
    Parquet,
    /// A JSON object a line
    Jsonl,
}

impl From<DocumentsFormat> for Format {
    fn from(format: DocumentsFormat) -> Self {
        match format {
            DocumentsFormat::Parquet => Self::Parquet,
            DocumentsFormat::Jsonl => Self::Json,
        }
    }
}

impl JudgeArgs {
    /// Returns the log that is asked for.
    pub fn log(&self) -> Log {
        let detail = if self.quiet { Detail::Problems } else { Detail::Work };
        Log::new(self.log_format.into(), detail)
    }
}
