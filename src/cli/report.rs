//! `--report FILE`: what a command was asked to do and what it did, as JSON, and beside it a line for each archive.
//!
//! Example: `--report night.json` writes `night.json` and `night.json.archives.jsonl`. Both appear at the end of the call,
//! whatever its status is: a call that is refused says why. After a call that is killed, the earlier report stays.

use super::counts::{ReadCounts, Totals};
use super::event::Failure;
use super::log::now;
use super::output::WholeFile;
use clap::{ArgAction, ArgMatches, Command};
use crawlprefs::error::Error;
use crawlprefs::job::{ResolveTally, Summary};
use crawlprefs::sites::IndexedCrawl;
use crawlprefs::store::StoreFile;
use crawlprefs::web::shown::{visible_json, without_credentials};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The command and its options, as the user gave them.
#[derive(Clone, Debug, Serialize)]
pub struct GivenOptions {
    pub command: String,
    /// Each option's value by its name, defaults included.
    pub options: Map<String, Value>,
}

/// Returns the command and its options as given, defaults included. URLs lose user and query, as signed URLs have keys there.
pub fn given(command: &Command, matches: &ArgMatches) -> GivenOptions {
    let Some((name, matches)) = matches.subcommand() else {
        return GivenOptions { command: String::new(), options: Map::new() };
    };
    let arguments = command.find_subcommand(name).into_iter().flat_map(Command::get_arguments);
    let mut options = Map::new();
    for argument in arguments {
        let id = argument.get_id().as_str();
        let Ok(Some(values)) = matches.try_get_raw(id) else { continue };
        let mut values: Vec<Value> =
            values.map(|value| without_credentials(&value.to_string_lossy()).into()).collect();
        let value = match argument.get_action() {
            ArgAction::SetTrue => matches.get_flag(id).into(),
            ArgAction::Append => Value::from(values),
            _ => values.pop().unwrap_or_default(),
        };
        options.insert(argument.get_long().unwrap_or(id).to_owned(), value);
    }
    GivenOptions { command: name.to_owned(), options }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobOutcome {
    Finished,
    /// A signal stopped it.
    Stopped,
    /// It could not go on.
    Failed,
}

/// The results of the job, if there are any.
#[derive(Clone, Copy, Default, Serialize)]
pub struct CallResults<'r> {
    /// Of the scan, evidence of earlier calls included.
    #[serde(flatten)]
    pub scan: Option<&'r Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolve: Option<&'r ResolveTally>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<&'r IndexResult>,
    /// Whether the writing of a site index was stopped.
    #[serde(skip)]
    pub index_stopped: bool,
}

/// The figures of a site index.
#[derive(Clone, Debug, Serialize)]
pub struct IndexResult {
    /// Whether it was written; else it existed, made of the same archives.
    pub is_new: bool,
    /// The SHA-256 of its `_index.json`.
    pub sha256: String,
    pub hosts: u64,
    pub captures: u64,
    /// Its crawls, each with its archives.
    pub crawls: Vec<IndexedCrawl>,
    /// Bytes of its parts.
    pub bytes: u64,
    pub files: usize,
}

impl CallResults<'_> {
    pub fn is_stopped(&self) -> bool {
        self.scan.is_some_and(|summary| summary.stopped)
            || self.resolve.is_some_and(|tally| tally.stopped)
            || self.index_stopped
    }
}

/// How a command ended, and with which result.
pub struct CallEnd<'r> {
    pub outcome: JobOutcome,
    pub status: u8,
    pub error: Option<&'r Failure>,
    /// What this call did.
    pub totals: Totals,
    pub results: CallResults<'r>,
}

pub struct Asked {
    given: GivenOptions,
    start: String,
}

impl Asked {
    pub fn now(given: GivenOptions) -> Self {
        Self { given, start: now() }
    }

    /// Returns the report of a call that ends now.
    pub fn document<'r>(&'r self, end: &'r CallEnd<'r>) -> ReportDocument<'r> {
        ReportDocument {
            version: env!("CARGO_PKG_VERSION"),
            given: &self.given,
            start: &self.start,
            end: now(),
            seconds: end.totals.counts.seconds,
            outcome: end.outcome,
            stopped: end.outcome == JobOutcome::Stopped,
            status: end.status,
            error: end.error.map(error),
            totals: end.totals,
            results: end.results,
        }
    }
}

#[derive(Serialize)]
pub struct ReportDocument<'r> {
    version: &'static str,
    #[serde(flatten)]
    given: &'r GivenOptions,
    start: &'r str,
    end: String,
    seconds: f64,
    outcome: JobOutcome,
    stopped: bool,
    status: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
    totals: Totals,
    #[serde(flatten)]
    results: CallResults<'r>,
}

/// A line of the file with archives.
#[derive(Serialize)]
pub struct ArchiveLine<'l> {
    /// The archive's name in the tables.
    pub archive: &'l str,
    /// Its outcome; see the metric `crawlprefs_archives_total`.
    pub outcome: &'static str,
    /// What was found, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<&'l str>,
    /// Whether another attempt may end differently.
    pub retry: bool,
    /// What was read, by an earlier call if the outcome is `known`.
    #[serde(flatten)]
    pub counts: ReadCounts,
}

/// A report that is being made.
pub struct Report {
    file: WholeFile,
    archives: WholeFile,
    /// The lines, or why they cannot be written.
    lines: Mutex<std::io::Result<BufWriter<Box<dyn StoreFile>>>>,
}

impl Report {
    /// Begins a report; no file is left behind unless it is written.
    pub fn begin(path: &Path) -> Result<Self, Error> {
        let file = WholeFile::new(path)?;
        let archives = WholeFile::new(&archives_beside(path))?;
        let lines = archives.begin().map_err(|source| archives.unwritable(source))?;
        Ok(Self { file, archives, lines: Mutex::new(Ok(BufWriter::new(lines))) })
    }

    /// Returns whether a file is one of the two of the report.
    pub fn is_written_to(&self, file: &WholeFile) -> bool {
        self.file.is_same(file) || self.archives.is_same(file)
    }

    pub fn add_archive(&self, line: &ArchiveLine<'_>) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(writer) = lines.as_mut() else { return };
        let text = serde_json::to_string(line).map_err(std::io::Error::from);
        if let Err(error) = text.and_then(|text| writeln!(writer, "{}", visible_json(&text))) {
            *lines = Err(error);
        }
    }

    pub fn write(self, document: &ReportDocument<'_>) -> Result<(), Error> {
        let lines = self.lines.into_inner().unwrap_or_else(PoisonError::into_inner);
        let committed = lines.and_then(|lines| {
            let file = lines.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            file.commit()
        });
        committed.map_err(|source| self.archives.unwritable(source))?;
        let unwritable = |error: serde_json::Error| self.file.unwritable(error.into());
        let text = serde_json::to_string_pretty(document).map_err(unwritable)?;
        let lines: String = text.lines().map(|line| visible_json(line).into_owned() + "\n").collect();
        self.file.write(&lines)
    }
}

/// Returns the file with a line for each archive.
pub fn archives_beside(report: &Path) -> PathBuf {
    let mut beside = report.as_os_str().to_owned();
    beside.push(".archives.jsonl");
    beside.into()
}

fn error(failure: &Failure) -> Value {
    serde_json::json!({ "kind": failure.kind, "message": failure.detail, "retry": failure.retry })
}

#[cfg(test)]
mod tests {
    use super::{Asked, CallEnd, CallResults, GivenOptions, JobOutcome};
    use crate::cli::counts::Tally;
    use crawlprefs::job::{ResolveTally, Summary};
    use serde_json::{Map, to_value};

    #[test]
    fn local_outcome_and_stopped_agree_whichever_half_was_stopped() {
        let given = GivenOptions { command: "run".to_owned(), options: Map::new() };
        for (scan_stopped, resolve_stopped) in [(true, None), (false, Some(true)), (false, Some(false))] {
            let scan = Summary { stopped: scan_stopped, ..Summary::default() };
            let resolve = resolve_stopped.map(|stopped| ResolveTally { stopped, ..ResolveTally::default() });
            let results =
                CallResults { scan: Some(&scan), resolve: resolve.as_ref(), ..CallResults::default() };
            let outcome = if results.is_stopped() { JobOutcome::Stopped } else { JobOutcome::Finished };
            let totals = Tally::begin().state().totals;
            let end = CallEnd { outcome, status: 143, error: None, totals, results };
            let report = to_value(Asked::now(given.clone()).document(&end)).expect("JSON");
            let is_stopped = report["outcome"] == "stopped";
            assert_eq!(report["stopped"], is_stopped);
            assert_eq!(is_stopped, scan_stopped || resolve_stopped == Some(true));
        }
    }
}
