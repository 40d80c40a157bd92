//! The flags.

mod explain;
mod extract;
mod judge;
mod remote;
mod schema;
mod share;
mod values;

pub use explain::{Colour, ExplainArgs};
pub use extract::ExtractArgs;
pub use judge::JudgeArgs;
pub use remote::RemoteArgs;
pub use schema::SchemaArgs;
pub use share::ShareArgs;

use super::event::Detail;
use super::log::{Form, Log};
use clap::{Args, Parser, Subcommand, ValueEnum};
use crawlprefs::job::Segment;
use crawlprefs::tables::ChosenTables;
use crawlprefs::web::product_token::TokenMatch;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use values::{parse_bytes, parse_crawl, parse_duration, parse_segment, parse_tables};

/// Reads web archives and writes, for every page in them, who may crawl it and what may be done
/// with it, as Parquet tables for SQL.
#[derive(Parser)]
#[command(version, after_help = EXIT_STATUS)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_STATUS: &str = "\
Exit status:
  0        done
  1        the job could not run
  2        wrong usage
  3        done, but more inputs failed or were cut than --max-failed allows
  130 143  stopped by SIGINT or SIGTERM; finished archives and batches are whole
Damage inside an archive is rows in the table failures, not a status.";

#[derive(Subcommand)]
pub enum Command {
    /// Scan archives to evidence: what each record says that may be a signal, uninterpreted
    ///
    /// Writes the tables captures and `site_files` below OUT/evidence, one file of each per archive. An archive can be
    /// deleted after it was scanned. A scan is never repeated when a draft, an agents list or a policy changes.
    #[command(after_help = EXIT_STATUS)]
    Scan(ScanArgs),
    /// Resolve evidence to tables: may this crawler fetch each page, and what do preferences say
    ///
    /// Reads what scan wrote in DIR and writes pages and statements. Another crawler or vocabulary is
    /// another resolve of the same evidence, which is cheap.
    #[command(after_help = EXIT_STATUS)]
    Resolve(ResolveArgs),
    /// Scan and resolve: the main job
    #[command(after_help = EXIT_STATUS)]
    Run(RunArgs),
    /// Explain one decision with its reasons
    ///
    /// By the functions that resolve calls: what each system says of a page, the lines that decided and
    /// what would have decided otherwise. The page's site is read from files, or with --tables from the
    /// tables of a run. With --json and without --url, each line of standard input is a scenario.
    Explain(ExplainArgs),
    /// Copy the records behind a decision out of their archives, as a small WARC
    ///
    /// What scan makes of it is what it made of them, but for the archive's name and their places in it; so others
    /// can check a figure without the archives.
    Extract(ExtractArgs),
    /// Judge documents by the tables of a run: their rows come out with the columns of their verdicts
    ///
    /// A document whose record id is in the tables has the verdict of that page. Every other one is judged by its URL
    /// and date, by the robots.txt and the other files of its site; what the page itself says was not seen then, so
    /// that no label is allow.
    #[command(after_help = EXIT_STATUS)]
    Judge(JudgeArgs),
    /// Describe the tables and their columns
    Schema(SchemaArgs),
    /// Write one HTML page about the tables, with plots and the SQL behind each (needs the Python package)
    Report {
        /// OUT -o PAGE and others, see the package's --help
        #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // independent switches of the command line
pub struct ScanArgs {
    /// Files, folders (their *.warc, *.arc, *.wat, also .gz or .zst, and *.wacz), globs, @LIST (see --paths-from), - (standard input);
    /// also URLs: https of an archive, s3 of archives, folders and globs
    #[arg(value_name = "INPUT", required_unless_present = "paths_from")]
    pub inputs: Vec<String>,

    /// Folder for the tables, also a prefix of a bucket (`s3://BUCKET/PREFIX`); the same command goes on where it was left
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,

    /// List of inputs, one path or URL a line, plain or gzipped (a warc.paths.gz works as it is), or its URL; - is
    /// standard input; blank lines and lines that begin with # are skipped
    #[arg(help_heading = "Inputs", long, value_name = "FILE|URL")]
    pub paths_from: Vec<String>,

    /// Where the paths of lists start; names in the tables are relative to it [default: of a list with a URL, the
    /// root of its host or bucket]
    #[arg(help_heading = "Inputs", long, value_name = "DIR|URL")]
    pub base: Option<PathBuf>,

    /// What the archive on standard input is called in the tables
    #[arg(help_heading = "Inputs", long, value_name = "NAME")]
    pub stdin_name: Option<String>,

    /// Name of the crawl, a partition of the tables [default: from the path crawl-data/<crawl>/,
    /// else local]
    #[arg(help_heading = "Inputs", long, value_name = "NAME", value_parser = parse_crawl)]
    pub crawl: Option<String>,

    /// Do not read the metas of pages; every HTML page says so in unread
    #[arg(help_heading = "Inputs", long)]
    pub no_meta: bool,

    /// Inflate only the heads of pages and skip the rest, where the archive makes that safe; the CRC of what is
    /// skipped is not checked
    #[arg(help_heading = "Inputs", long)]
    pub heads: bool,

    /// Number of workers [default: one per core]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,

    /// How many archives to read at once where they come over a network and that is slower than the workers
    /// [default: as many as there are workers]
    #[arg(long, value_name = "N")]
    pub downloads: Option<NonZeroUsize>,

    /// About how much memory to use at most, such as 500M or 4G [default: half of what the machine has or
    /// its control group allows]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory_limit: Option<u64>,

    #[command(flatten)]
    pub share: ShareArgs,

    /// How many inputs may fail or be cut before the exit status says so
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub max_failed: usize,

    /// Read an archive that is not the one of which the output folder has evidence, and replace its evidence
    #[arg(long)]
    pub replace_changed: bool,

    /// Remove an earlier run from the output folder, with the evidence of all archives; calls with --slice would
    /// remove each other's
    #[arg(long, conflicts_with = "slice")]
    pub overwrite: bool,

    /// Print the batches and their inputs, and do nothing
    #[arg(long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub talk: TalkArgs,

    #[command(flatten)]
    pub remote: RemoteArgs,
}

#[derive(Args)]
pub struct ResolveArgs {
    /// Folders that scan or run wrote, also in a store, which are resolved as one
    #[arg(value_name = "DIR", required = true)]
    pub evidence: Vec<PathBuf>,

    /// Folder for the tables [default: beside the evidence, where it is one folder]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub view: ViewArgs,

    /// Number of workers [default: one per core]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,

    /// About how much memory to use at most, such as 500M or 4G [default: half of what the machine has or
    /// its control group allows]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory_limit: Option<u64>,

    #[command(flatten)]
    pub share: ShareArgs,

    /// Work on this segment alone, or, with `other`, on the archives that are of none; can be given several times
    #[arg(long, value_name = "CRAWL/SEGMENT", value_parser = parse_segment, conflicts_with = "one_index")]
    pub segment: Vec<Segment>,

    /// Replace tables of another viewpoint in the output folder; calls with --slice would remove each other's
    #[arg(long, conflicts_with = "slice")]
    pub overwrite: bool,

    #[command(flatten)]
    pub talk: TalkArgs,

    #[command(flatten)]
    pub remote: RemoteArgs,
}

#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub scan: ScanArgs,

    #[command(flatten)]
    pub view: ViewArgs,
}

/// For whom and in which words the verdict columns are.
#[derive(Args)]
#[command(next_help_heading = "Verdicts")]
pub struct ViewArgs {
    /// Product token that access and preferences are for
    #[arg(long, value_name = "TOKEN", default_value = "CCBot")]
    pub agent: String,

    /// Table of tokens for `disallowed_agents`, with tabs and a column token [default: the one that
    /// comes with the program]
    #[arg(long, value_name = "FILE")]
    pub agents: Option<PathBuf>,

    /// AI preference vocabulary: 01 to 08 by draft-ietf-aipref-vocab, or a file of lines "label parent"
    #[arg(long, value_name = "VERSION|FILE", default_value = "03")]
    pub vocab: String,

    /// Crawlers of the applications to which App-Directives are addressed: a file of lines "application
    /// token"; every other application is taken to be of --agent
    #[arg(long, value_name = "FILE")]
    pub applications: Option<PathBuf>,

    /// How group names are compared with tokens: whole, or cut as Google's parser does
    #[arg(long, value_name = "HOW", value_enum, default_value = "exact")]
    pub token_match: TokenComparison,

    /// Where a page has no earlier robots.txt, let the first later one within this time serve, such as
    /// 3h, 90m, 86400
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "0", allow_hyphen_values = true)]
    pub robots_slack: Duration,

    /// Evidence of a later crawl, whose newest robots.txt gives `access_later` and `disallowed_agents_later`
    #[arg(long, value_name = "DIR")]
    pub later: Option<PathBuf>,

    /// Tables to write, with commas between them: names choose these alone, `-name` leaves one out of all;
    /// `+robots_lines_full` has every line of robots.txt in `robots_lines`, `+studies` the classes of two
    /// published studies in `robots_agents`
    #[arg(long, value_name = "LIST", value_parser = parse_tables, default_value_t, hide_default_value = true, allow_hyphen_values = true)]
    pub tables: ChosenTables,

    /// One index of robots.txt over all segments, instead of one per segment of Common Crawl's
    #[arg(long)]
    pub one_index: bool,

    /// Folder for the bodies of site files while a segment is resolved, as large as they are; nothing stays
    /// in it [default: that of the system, which TMPDIR names]
    #[arg(long, value_name = "DIR")]
    pub temp_dir: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
pub enum TokenComparison {
    /// As wholes, without case, up to a slash or blank
    Exact,
    /// Group names cut at the first byte that is no letter, hyphen or underscore
    Prefix,
}

impl From<TokenComparison> for TokenMatch {
    fn from(how: TokenComparison) -> Self {
        match how {
            TokenComparison::Exact => Self::Exact,
            TokenComparison::Prefix => Self::Prefix,
        }
    }
}

/// How much is said, and how.
#[derive(Args, Clone)]
#[command(next_help_heading = "Messages and reports")]
pub struct TalkArgs {
    /// Show progress: a bar on a terminal, a line a minute elsewhere
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub progress: ShowProgress,

    /// Write nothing but warnings and errors
    #[arg(short, long)]
    pub quiet: bool,

    /// Write a line for every archive and batch as it ends
    #[arg(short, long)]
    pub verbose: bool,

    /// How messages on standard error are written
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub log_format: LogFormat,

    /// Write a report as JSON when the work ends: options, times, totals; and beside it FILE.archives.jsonl with
    /// a line for every archive
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Write metrics for Prometheus every five seconds and at the end, such as for the textfile collector
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
}

impl TalkArgs {
    /// Returns the log that is asked for.
    pub fn log(&self) -> Log {
        let detail = if self.verbose {
            Detail::Archives
        } else if self.quiet {
            Detail::Problems
        } else {
            Detail::Work
        };
        Log::new(self.log_format.into(), detail)
    }

    /// Returns the time between two lines of progress; `None` where no progress is to be shown.
    pub fn period(&self) -> Option<Duration> {
        match self.progress {
            _ if self.quiet => None,
            ShowProgress::Auto => Some(Duration::from_mins(1)),
            ShowProgress::Always => Some(Duration::from_secs(1)),
            ShowProgress::Never => None,
        }
    }
}

impl From<LogFormat> for Form {
    fn from(format: LogFormat) -> Self {
        match format {
            LogFormat::Text => Self::Text,
            LogFormat::Json => Self::Json,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
pub enum ShowProgress {
    /// A bar on a terminal, else a line a minute
    Auto,
    /// A bar on a terminal, else a line a second
    Always,
    /// Nothing
    Never,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// A line of text
    Text,
    /// A JSON object a line
    Json,
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn local_the_flags_are_sound() {
        Cli::command().debug_assert();
    }
}
