//! The flags.

mod arranged;
mod explain;
mod judge;
mod lint;
mod others;
mod remote;
mod values;
mod view;

pub use arranged::command;
pub use explain::{Colour, ExplainArgs};
pub use judge::JudgeArgs;
pub use lint::{LintArgs, LintFormat, LintKind, site_file_names};
pub use others::{
    DemoArgs, ExtractArgs, HistoryArgs, IndexArgs, SchemaArgs, SitesArgs, StatusArgs,
};
pub use remote::{RemoteArgs, StoreArgs, WatchArgs};
pub use view::{ResolveArgs, ShareArgs, ViewArgs, ViewpointArgs, WorkerArgs};

use super::event::Detail;
use super::log::{Form, Log};
use clap::{Args, Parser, Subcommand, ValueEnum};
use crawlprefs::archive::CrawlId;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use values::{parse_bytes, parse_count, parse_crawl, parse_duration, parse_number};

/// Reads web archives and writes, for every page in them, who may crawl it and what may be done
/// with it, as Parquet tables for SQL.
#[derive(Parser)]
#[command(version, after_help = exit_status(), after_long_help = exit_status())]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// What an exit status means.
pub const EXIT_STATUS: [(&str, &str); 5] = [
    ("0", "done"),
    ("1", "the job could not run"),
    ("2", "wrong usage"),
    (
        "3",
        "done, but more inputs failed or were cut than --max-failed allows",
    ),
    (
        "130 143",
        "stopped by SIGINT or SIGTERM; finished archives and batches are complete",
    ),
];

/// What is after the exit statuses.
pub const AFTER_EXIT_STATUS: &str =
    "Damage inside an archive does not change the status; the table failures lists it.";

/// Returns the exit statuses as the end of a help text.
fn exit_status() -> String {
    let lines = EXIT_STATUS.map(|(status, meaning)| format!("  {status:<8} {meaning}\n"));
    format!("Exit status:\n{}{AFTER_EXIT_STATUS}", lines.concat())
}

#[derive(Subcommand)]
pub enum Command {
    /// Try the command: write small archives, which are in the binary, and run on them
    ///
    /// Writes DIR/archives, runs `run` on them with the tables in DIR/out, and prints what to try next. Every host in
    /// the archives is invented.
    Demo(DemoArgs),
    /// Scan archives and resolve the evidence: the main job
    Run(RunArgs),
    /// Explain the verdict about one page, with the lines that decided
    ///
    /// Shows what each system says about the page, the lines that decided, and the answers that did not. The files of
    /// the page's site are read from the given files, or with --tables from the tables of a run. The verdict is
    /// computed by the same code as in resolve.
    Explain(ExplainArgs),
    /// Judge documents by the tables of a run: add the columns of the verdicts, keep or drop by a policy
    ///
    /// If the record id of a document is in the tables, the document has the verdict of that page. Otherwise it is
    /// judged by its URL and date, with robots.txt and the other files of its site. The headers and metas of such a
    /// page are not known, so that no label is allow.
    Judge(JudgeArgs),
    /// Check the files that a site writes: what is read of each line, and how to write what was meant
    ///
    /// Prints each line of a robots.txt or of another file in which sites state preferences, each header field and each meta
    /// of a page that nobody reads, or not everyone, or that says something else than it seems to; then who is shut out, and
    /// what the files say about search and AI. Exit status: 0 without errors, 1 with errors, 2 if a file cannot be read.
    Lint(LintArgs),
    /// Show what a host said over time: when its robots.txt and other site files changed, and what each change did
    ///
    /// Reads a site index. Fetches of the same answer are one entry, with the first and the last time. Each entry has the
    /// crawlers that may fetch something else than before, the labels that changed, and the lines that decided. Exit status: 3
    /// if the index has nothing of the host, 1 if it could not be read.
    History(HistoryArgs),
    /// Say whether a run is complete: archives of a list that are not read, tables that are not made, and what to do next
    ///
    /// Of a site index: whether its files are as they were written, and which archives it lacks.
    ///
    /// Exit status: 0 only if every archive is read to its end, its evidence is there, and the tables are made of it; 3 if
    /// anything is missing; 1 if that could not be found out. Nothing is written.
    Status(StatusArgs),
    /// Write one HTML page about the tables, with plots and the SQL behind each (needs the Python package)
    Report {
        /// OUT -o PAGE and other options, see --help of the Python package
        #[arg(
            value_name = "ARGUMENT",
            trailing_var_arg = true,
            allow_hyphen_values = true
        )]
        arguments: Vec<OsString>,
    },
    /// Scan archives to evidence: copy from each record whatever may be a signal, without interpreting it
    ///
    /// Writes the tables captures, `site_files`, failures and archives below OUT/evidence, one file of each per
    /// archive. Afterwards the archives are not needed any more: if a draft, an agents table or a policy changes,
    /// resolve the same evidence again.
    Scan(ScanArgs),
    /// Resolve evidence to tables: may a crawler fetch each page, and what may be done with it
    ///
    /// Reads the evidence that scan wrote in DIR and writes the tables of pages, sites, robots.txt files and
    /// statements. For another crawler or vocabulary, resolve the same evidence again; no archive is read.
    Resolve(ResolveArgs),
    /// Make a site index: what each site's robots.txt and other files were, and when, in a few files to publish and ask
    ///
    /// Reads evidence, other indexes, or both, in any order: the same archives give the same bytes. The index has all that
    /// judge and explain need of site files, so that they work without the archives and the evidence.
    Index(IndexArgs),
    /// Make the table sites at some dates, from a site index: no archive and no evidence is read
    ///
    /// Each date is a crawl of the table, with a row for each origin by the files that were its newest at that time.
    Sites(SitesArgs),
    /// Copy the records behind a verdict into a small WARC
    ///
    /// A scan of the small WARC gives the same rows as a scan of the archives, except for the archive's name and the
    /// offsets. So others can check a figure without the archives. The records to which revisits refer are copied with them, and
    /// records of ARC and zstd archives in a form that is read as they are. A record whose length is false, or that shares a
    /// gzip member with others, is refused.
    Extract(ExtractArgs),
    /// Describe the tables and their columns
    Schema(SchemaArgs),
    /// Print a completion script for a shell
    Completions {
        /// Name of the shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands
    Man {
        /// Folder for the pages of all commands, such as ~/.local/share/man/man1
        #[arg(short, long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // independent switches of the command line
pub struct ScanArgs {
    /// Files, folders (their *.warc, *.arc, *.wat, also with .gz or .zst, and *.wacz), globs, @LIST (see --paths-from),
    /// - (standard input; NAME=- gives it a name for the tables), https URLs of archives, s3 URLs of archives, folders and globs
    #[arg(value_name = "INPUT", required_unless_present = "paths_from")]
    pub inputs: Vec<String>,
    /// Folder for the tables, or a prefix of a bucket (`s3://BUCKET/PREFIX`). If you repeat the command, it continues
    /// where it stopped
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// List of inputs, or its URL: one path or URL per line, plain or gzipped, such as Common Crawl's warc.paths.gz.
    /// Blank lines and lines that begin with # are skipped. - is standard input; can be given several times
    #[arg(long, value_name = "FILE|URL")]
    pub paths_from: Vec<String>,
    /// Folder or URL that the paths of lists are relative to, and the names in the tables too [default: for a list with
    /// a URL, the root of its host or bucket]
    #[arg(long, value_name = "DIR|URL")]
    pub base: Option<PathBuf>,
    /// Name of the crawl, by which the tables are partitioned [default: the folder below crawl-data/ in an archive's path, else local]
    #[arg(long, value_name = "NAME", value_parser = parse_crawl)]
    pub crawl: Option<CrawlId>,
    /// How much of each archive is read, less than all of it: `heads` decompresses only the heads of pages and skips the rest,
    /// if the archive makes that safe (the CRC of a record that is skipped is not checked); `no-meta` leaves out the metas of
    /// pages (the column unread of every HTML page then has meta); `heads,no-meta` does both
    #[arg(
        long,
        value_name = "LIST",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub depth: Vec<ReadLess>,
    /// Number of workers [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = parse_count)]
    pub jobs: Option<NonZeroUsize>,
    /// How many archives to read at once over a network that is slower than the workers, and how many requests to send to one
    /// web server at once [default: the number of workers, and 4 requests]
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub downloads: Option<NonZeroUsize>,
    /// Limit of memory, approximately, such as 500M or 4G [default: half of the memory of the machine or its control
    /// group]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory_limit: Option<u64>,
    /// How many inputs may fail or be cut before the exit status is 3
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>, default_value_t = 0)]
    pub max_failed: usize,
    /// Read archives again although there is evidence of them: NAME as in the tables; `damaged` for all that have damaged
    /// places or were cut, where there may be repaired copies; `changed` for all whose file is another one now and whose
    /// evidence replaces that of the earlier one; can be given several times
    #[arg(long, value_name = "NAME|damaged|changed")]
    pub again: Vec<String>,
    /// How long an undamaged archive behind a URL counts as unchanged after it was last compared, such as 7d, 12h; 0 compares
    /// it in each call. If a listing of a store has its size and `ETag`, they are compared in each call
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "7d", allow_hyphen_values = true)]
    pub recheck: Duration,
    /// Compare every file of the evidence with its manifest, and read the archives again whose evidence has changed, or
    /// which are damaged
    #[arg(long)]
    pub verify: bool,
    /// Print the batches and their inputs, with what is done already, and stop
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub share: ShareArgs,
    #[command(flatten)]
    pub talk: TalkArgs,
    #[command(flatten)]
    pub remote: RemoteArgs,
}

impl ScanArgs {
    /// Returns how servers are asked for archives.
    pub fn remote(&self) -> RemoteArgs {
        RemoteArgs {
            at_once: self.downloads,
            ..self.remote.clone()
        }
    }
}

#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub scan: ScanArgs,
    #[command(flatten)]
    pub view: ViewArgs,
}

/// How much is said, and how.
#[derive(Args, Clone)]
pub struct TalkArgs {
    /// Write only warnings and errors: no progress (a bar on a terminal, else a line per minute) and no summary
    #[arg(short, long)]
    pub quiet: bool,
    /// Write a line at the end of every archive and batch
    #[arg(short, long)]
    pub verbose: bool,
    /// Format of messages on standard error
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub log_format: Form,
    /// Write a report as JSON at the end (options, times, totals), and FILE.archives.jsonl with one line for every
    /// archive
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write metrics for Prometheus every five seconds and at the end, for example for its textfile collector
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
    /// Label `out` of the metrics, which keeps those of several calls apart [default: the name of the output folder]
    #[arg(long, value_name = "TEXT", requires = "metrics")]
    pub metrics_label: Option<String>,
}

impl TalkArgs {
    /// Returns the log that is asked for.
    pub fn log(&self) -> Log {
        let detail = match (self.verbose, self.quiet) {
            (true, _) => Detail::Archives,
            (false, true) => Detail::Problems,
            (false, false) => Detail::Work,
        };
        Log::new(self.log_format, detail)
    }

    /// Returns the files that are written beside the output.
    pub fn files(&self) -> Vec<PathBuf> {
        let archives = self.report.as_deref().map(super::report::archives_beside);
        self.report
            .iter()
            .chain(&archives)
            .chain(&self.metrics)
            .cloned()
            .collect()
    }
}

/// What is not read of an archive.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
pub enum ReadLess {
    /// What is behind the heads of pages
    Heads,
    /// The metas of pages
    NoMeta,
}

#[cfg(test)]
mod tests {
    #[test]
    fn local_the_flags_are_sound() {
        super::command().debug_assert();
    }
}
