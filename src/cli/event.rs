//! The events of a command: a closed set, rendered as a line of text or as a JSON object.
//!
//! Example: `crawlprefs: warning: a.warc: missing: No such file or directory (os error 2)`, or
//! `{"time":"...","level":"warning","event":"archive_failed","archive":"a.warc","kind":"missing","retry":true,...}`.
//! `log` decides when and where a line is written.

use super::counts::{ReadCounts, Totals, WorkState};
use super::output::{grouped, megabytes, waiting};
use crawlprefs::error::Error;
use crawlprefs::job::{FailedInput, Plan};
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The work goes on as it should.
    Info,
    /// The work goes on, and something is missing from its result.
    Warning,
    /// The work ends, or its result needs a look.
    Error,
}

/// Which events are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Warnings and errors.
    Problems,
    /// Also how far the work is.
    Work,
    /// Also each archive and each batch.
    Archives,
}

/// Why something failed.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    pub kind: &'static str,
    /// What was found.
    #[serde(skip)]
    pub detail: String,
    /// Whether another attempt may help.
    pub retry: bool,
}

impl Failure {
    /// The value of a flag, or a file that it names, cannot be used.
    pub fn bad_option(detail: String) -> Self {
        Self { kind: "bad_option", detail, retry: false }
    }

    /// A bug of this program.
    pub fn bug(detail: &str) -> Self {
        Self { kind: "bug", detail: detail.to_owned(), retry: false }
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        Self { kind: error.kind(), detail: error.to_string(), retry: error.may_be_retried() }
    }
}

impl From<&FailedInput> for Failure {
    fn from(failed: &FailedInput) -> Self {
        let detail = failed.detail.clone().unwrap_or_default();
        Self { kind: failed.outcome, detail, retry: failed.retry }
    }
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'e> {
    /// The work is known and begins.
    Started(Plan),
    ArchiveRead {
        archive: &'e str,
        #[serde(flatten)]
        counts: ReadCounts,
    },
    /// An earlier call has read this archive to evidence.
    ArchiveKnown {
        archive: &'e str,
        #[serde(flatten)]
        counts: ReadCounts,
    },
    /// An archive ends inside a record; everything before it was read.
    ArchiveCut {
        archive: &'e str,
        #[serde(flatten)]
        failure: Failure,
        #[serde(flatten)]
        counts: ReadCounts,
    },
    ArchiveFailed {
        archive: &'e str,
        #[serde(flatten)]
        failure: Failure,
        #[serde(flatten)]
        counts: ReadCounts,
    },
    BatchResolved {
        batch: &'e str,
        captures: u64,
        seconds: f64,
    },
    BatchFailed {
        batch: &'e str,
        #[serde(flatten)]
        failure: Failure,
    },
    /// A request is sent again, after a wait.
    RequestRepeated {
        host: &'e str,
        attempt: u32,
        wait_seconds: f64,
        cause: &'e str,
    },
    /// A host gets no requests for some time, or in this call.
    HostLeftAlone(Failure),
    Progress(WorkState),
    /// The work is done; the status is the command's exit status.
    Finished {
        status: u8,
        #[serde(flatten)]
        totals: Totals,
    },
    /// A signal stopped the work; the status is 128 and the signal's number.
    Stopped {
        status: u8,
        #[serde(flatten)]
        totals: Totals,
        #[serde(skip)]
        work: Option<Plan>,
    },
    /// Something else that does not end the work.
    Warning(Failure),
    /// What ends the work, or makes the exit status that of a failure.
    Error(Failure),
}

impl Event<'_> {
    pub fn level(&self) -> Level {
        match self {
            Self::Started(_)
            | Self::ArchiveRead { .. }
            | Self::ArchiveKnown { .. }
            | Self::BatchResolved { .. }
            | Self::RequestRepeated { .. }
            | Self::Progress(_)
            | Self::Finished { .. } => Level::Info,
            Self::ArchiveFailed { failure, .. } if failure.kind == "bug" => Level::Error,
            Self::ArchiveCut { .. }
            | Self::ArchiveFailed { .. }
            | Self::HostLeftAlone(_)
            | Self::Stopped { .. }
            | Self::Warning(_) => Level::Warning,
            Self::BatchFailed { .. } | Self::Error(_) => Level::Error,
        }
    }

    /// Returns the lowest detail of a log that has it.
    pub fn detail(&self) -> Detail {
        match self {
            Self::ArchiveRead { .. }
            | Self::ArchiveKnown { .. }
            | Self::BatchResolved { .. }
            | Self::RequestRepeated { .. } => Detail::Archives,
            Self::Started(_) | Self::Progress(_) | Self::Finished { .. } => Detail::Work,
            Self::ArchiveCut { .. }
            | Self::ArchiveFailed { .. }
            | Self::BatchFailed { .. }
            | Self::HostLeftAlone(_)
            | Self::Stopped { .. }
            | Self::Warning(_)
            | Self::Error(_) => Detail::Problems,
        }
    }

    pub fn message(&self) -> String {
        match self {
            Self::Started(work) => match work {
                Plan::Scan { archives, .. } => format!("scanning {archives} archives"),
                Plan::Resolve { batches, captures } => {
                    format!("resolving {batches} batches, {} captures", grouped(*captures))
                }
                Plan::Index { inputs, captures } => {
                    format!("indexing {inputs} segments and indexes, {} captures", grouped(*captures))
                }
            },
            Self::ArchiveRead { archive, counts } => format!("{archive}: {}", counted(counts)),
            Self::ArchiveKnown { archive, counts } => {
                format!("{archive}: {} by an earlier call", counted(counts))
            }
            Self::ArchiveCut { archive: name, failure, .. }
            | Self::ArchiveFailed { archive: name, failure, .. }
            | Self::BatchFailed { batch: name, failure } => failed(name, failure),
            Self::BatchResolved { batch, captures, seconds } => {
                format!("{batch}: {} captures resolved in {seconds:.1} s", grouped(*captures))
            }
            Self::Progress(state) => progress(state),
            Self::Finished { status, totals } => {
                format!("finished in {:.1} s with exit status {status}", totals.counts.seconds)
            }
            Self::Stopped { work: Some(Plan::Index { .. }), .. } => {
                "stopped; the folder has the index that it had before, and the same command makes the new one"
                    .to_owned()
            }
            Self::Stopped { .. } => {
                "stopped; finished archives and batches are complete, and the same command continues \
                 from there"
                    .to_owned()
            }
            Self::RequestRepeated { host, attempt, wait_seconds, cause } => {
                format!("{host}: sent again in {wait_seconds:.1} s, after attempt {attempt}: {cause}")
            }
            Self::HostLeftAlone(failure) | Self::Warning(failure) | Self::Error(failure) => {
                failure.detail.clone()
            }
        }
    }
}

fn counted(counts: &ReadCounts) -> String {
    let (records, captures) = (grouped(counts.records), grouped(counts.captures));
    format!("{records} records, {captures} captures, {} failures", counts.failures)
}

fn failed(name: &str, failure: &Failure) -> String {
    if failure.kind == "bug" {
        return format!(
            "{name}: nothing was written of it because of a bug of crawlprefs: {}",
            failure.detail
        );
    }
    format!("{name}: {}: {}", failure.kind, failure.detail)
}

/// Returns how far the work is, on a line of its own.
fn progress(state: &WorkState) -> String {
    match state.work {
        Some(Plan::Scan { .. }) => {
            format!("{}, {:.0} MB", beside_bar(state), megabytes(state.totals.counts.bytes))
        }
        Some(Plan::Resolve { .. } | Plan::Index { .. }) | None => beside_bar(state),
    }
}

/// Returns how far the work is, beside a bar.
pub fn beside_bar(state: &WorkState) -> String {
    let WorkState { work, totals, per_second, seconds_left, .. } = state;
    let left = seconds_left.map_or_else(String::new, |left| format!(", {} left", waiting(left)));
    let rate = grouped(*per_second);
    match work {
        Some(Plan::Scan { archives, .. }) => {
            let (done, records) = (totals.archives_done, grouped(totals.counts.records));
            format!("{done}/{archives} archives, {records} records, {rate}/s{left}")
        }
        Some(Plan::Resolve { captures, .. }) => {
            format!("{}/{} captures, {rate}/s{left}", grouped(totals.captures_resolved), grouped(*captures))
        }
        Some(Plan::Index { captures, .. }) => {
            format!("{}/{} captures, {rate}/s{left}", grouped(totals.captures_indexed), grouped(*captures))
        }
        None => "preparing".to_owned(),
    }
}
