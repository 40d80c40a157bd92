//! `--report FILE`: what a command was asked to do and what it did, as JSON, and beside it a line for each archive.
//!
//! Example: `--report night.json` writes `night.json` and `night.json.archives.jsonl`. Both appear at the end of the call,
//! whatever its status is: a call that is refused says why. After a call that is killed, the earlier report stays.

use super::counts::{ReadCounts, Totals};
use super::event::{ArchiveEnd, Failure};
use super::metrics::MetricsSource;
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
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};

/// The command and its options, as the user gave them.
#[derive(Default, Serialize)]
pub struct AskedCommand {
    pub command: String,
    /// Each option's value by its name, defaults included.
    pub options: Map<String, Value>,
    /// The agent, if the agents table does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_unknown: Option<String>,
    /// The program that runs the job in its own process. `None`: a shell, from where signals ask to stop; messages are on
    /// standard error, the summary on standard output.
    #[serde(skip)]
    pub program: Option<Program>,
}

/// What a program gives to a call and gets from it.
pub struct Program {
    /// Becomes the number of a signal when the work is to stop.
    pub stop: Arc<AtomicUsize>,
    /// Gets each event, as in the JSON log.
    pub events: mpsc::Sender<Value>,
    pub report: OnceLock<Value>,
}

impl AskedCommand {
    /// Reads the command and its options as given, defaults included. URLs lose user and query, as signed URLs have keys there.
    pub fn from_matches(command: &Command, matches: &ArgMatches) -> Self {
        let Some((name, matches)) = matches.subcommand() else {
            return Self::default();
        };
        let arguments = command
            .find_subcommand(name)
            .into_iter()
            .flat_map(Command::get_arguments);
        let mut options = Map::new();
        for argument in arguments {
            let id = argument.get_id().as_str();
            let Ok(Some(values)) = matches.try_get_raw(id) else {
                continue;
            };
            let mut values: Vec<Value> = values
                .map(|value| without_credentials(&value.to_string_lossy()).into())
                .collect();
            let value = match argument.get_action() {
                ArgAction::SetTrue => matches.get_flag(id).into(),
                ArgAction::Append => Value::from(values),
                _ => values.pop().unwrap_or_default(),
            };
            options.insert(argument.get_long().unwrap_or(id).to_owned(), value);
        }
        Self {
            command: name.to_owned(),
            options,
            agent_unknown: None,
            program: None,
        }
    }
}

impl AskedCommand {
    /// Returns the labels of its metrics.
    pub fn metrics_source(&self) -> MetricsSource {
        let text = |name: &str| self.options.get(name).and_then(Value::as_str);
        MetricsSource::new(&self.command, text("out"), text("metrics-label"))
    }

    /// Returns the warning that the agent is not known: it may be a slip, and then `*` answers for it.
    pub fn unknown_agent(&self) -> Option<Failure> {
        let agent = self.agent_unknown.as_ref()?;
        let detail = format!(
            "--agent {agent}: not in the agents table; where no robots.txt names it, the groups for * count"
        );
        Some(Failure::lasting("agent_unknown", detail))
    }
}

#[derive(Default, Serialize)]
pub struct CallResults {
    /// Of the scan, evidence of earlier calls included.
    #[serde(flatten)]
    pub scan: Option<Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolve: Option<ResolveTally>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<IndexResult>,
    /// Whether the writing of a site index was stopped.
    #[serde(skip)]
    pub index_stopped: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct IndexResult {
    /// Whether it was written; else it existed, made of the same archives.
    pub is_new: bool,
    pub sha256: String,
    pub hosts: u64,
    pub captures: u64,
    pub crawls: Vec<IndexedCrawl>,
    /// Archives of which inputs had different answers.
    pub differing: Vec<String>,
    pub bytes: u64,
    pub files: usize,
}

impl CallResults {
    pub fn is_stopped(&self) -> bool {
        self.scan.as_ref().is_some_and(|summary| summary.stopped)
            || self.resolve.as_ref().is_some_and(|tally| tally.stopped)
            || self.index_stopped
    }
}

#[derive(Serialize)]
pub struct ReportDocument<'r> {
    pub version: &'static str,
    #[serde(flatten)]
    pub asked: &'r AskedCommand,
    pub start: &'r str,
    pub end: String,
    pub seconds: f64,
    /// `finished`, `stopped` by a signal, or `failed`: it could not go on.
    pub outcome: &'static str,
    pub stopped: bool,
    pub status: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
    /// What this call did.
    pub totals: Totals,
    #[serde(flatten)]
    pub results: &'r CallResults,
}

/// A line of the file with archives.
#[derive(Serialize)]
struct ArchiveLine<'l> {
    /// Its name in the tables.
    archive: &'l str,
    /// Its outcome; see the metric `crawlprefs_archives_total`.
    outcome: &'static str,
    /// What was found, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'l str>,
    /// Whether another attempt may end differently.
    retry: bool,
    /// What was read, by an earlier call if the outcome is `known`.
    #[serde(flatten)]
    counts: ReadCounts,
}

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
        let lines = archives
            .begin()
            .map_err(|source| archives.unwritable(source))?;
        Ok(Self {
            file,
            archives,
            lines: Mutex::new(Ok(BufWriter::new(lines))),
        })
    }

    /// Returns whether a file is one of the two of the report.
    pub fn is_written_to(&self, file: &WholeFile) -> bool {
        self.file.is_same(file) || self.archives.is_same(file)
    }

    pub fn add_archive(&self, outcome: &'static str, end: &ArchiveEnd<'_>) {
        let ArchiveEnd {
            archive,
            failure,
            counts,
        } = *end;
        let detail = failure.map(|failure| failure.detail.as_str());
        let retry = failure.is_some_and(|failure| failure.retry);
        let line = ArchiveLine {
            archive,
            outcome,
            detail,
            retry,
            counts,
        };
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(writer) = lines.as_mut() else { return };
        let text = serde_json::to_string(&line).map_err(std::io::Error::from);
        if let Err(error) = text.and_then(|text| writeln!(writer, "{}", visible_json(&text))) {
            *lines = Err(error);
        }
    }

    pub fn write(self, document: &ReportDocument<'_>) -> Result<(), Error> {
        let lines = self
            .lines
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let committed = lines.and_then(|lines| {
            let file = lines
                .into_inner()
                .map_err(std::io::IntoInnerError::into_error)?;
            file.commit()
        });
        committed.map_err(|source| self.archives.unwritable(source))?;
        let text = serde_json::to_string_pretty(document)
            .map_err(|error| self.file.unwritable(error.into()))?;
        let lines: String = text
            .lines()
            .map(|line| visible_json(line).into_owned() + "\n")
            .collect();
        self.file.write(&lines)
    }
}

pub fn archives_beside(report: &Path) -> PathBuf {
    let mut beside = report.as_os_str().to_owned();
    beside.push(".archives.jsonl");
    beside.into()
}

#[cfg(test)]
mod tests {
    use super::CallResults;
    use crawlprefs::job::{ResolveTally, Summary};

    #[test]
    fn local_a_call_is_stopped_whichever_half_was_stopped() {
        for (scan_stopped, resolve_stopped) in
            [(true, None), (false, Some(true)), (false, Some(false))]
        {
            let scan = Some(Summary {
                stopped: scan_stopped,
                ..Summary::default()
            });
            let resolve = resolve_stopped.map(|stopped| ResolveTally {
                stopped,
                ..ResolveTally::default()
            });
            let results = CallResults {
                scan,
                resolve,
                ..CallResults::default()
            };
            assert_eq!(
                results.is_stopped(),
                scan_stopped || resolve_stopped == Some(true)
            );
        }
    }
}
