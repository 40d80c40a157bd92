//! The events of a command: a closed set, rendered as a line of text or as a JSON object, such as
//! `crawlprefs: warning: a.warc: missing: No such file or directory (os error 2)`, or
//! `{"time":"...","level":"warning","event":"archive_failed","archive":"a.warc","kind":"missing","retry":true,...}`.

use super::counts::{JudgeState, ReadCounts, Totals, WorkState};
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Warnings and errors.
    Problems,
    /// Also how far the work is.
    Work,
    /// Also each archive and each batch.
    Archives,
}

pub const BUG: &str = "bug";

/// Why something failed, or why a call could not run.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// The kind of error; `usage` if the arguments are wrong.
    pub kind: &'static str,
    /// What was found and expected.
    #[serde(skip)]
    pub detail: String,
    /// Whether the same call may succeed later.
    pub retry: bool,
}

impl Failure {
    /// The value of a flag, or a file that it names, cannot be used.
    pub fn bad_option(detail: impl Into<String>) -> Self {
        Self::lasting("bad_option", detail)
    }

    /// Another attempt does not help.
    pub fn lasting(kind: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            retry: false,
        }
    }
}

impl From<String> for Failure {
    fn from(detail: String) -> Self {
        Self::bad_option(detail)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            kind: error.kind(),
            detail: error.to_string(),
            retry: error.may_be_retried(),
        }
    }
}

impl From<&FailedInput> for Failure {
    fn from(failed: &FailedInput) -> Self {
        let detail = failed.detail.clone().unwrap_or_default();
        Self {
            kind: failed.outcome,
            detail,
            retry: failed.retry,
        }
    }
}

#[derive(Serialize)]
pub struct ArchiveEnd<'e> {
    pub archive: &'e str,
    /// Why it was not read to its end.
    #[serde(flatten)]
    pub failure: Option<&'e Failure>,
    #[serde(flatten)]
    pub counts: ReadCounts,
}

#[derive(Serialize)]
pub struct JobEnd {
    pub status: u8,
    #[serde(flatten)]
    pub totals: Totals,
    #[serde(skip)]
    pub work: Option<Plan>,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum CommandEvent<'e> {
    Started(Plan),
    ArchiveRead(ArchiveEnd<'e>),
    /// An earlier call has read this archive to evidence.
    ArchiveKnown(ArchiveEnd<'e>),
    /// An archive ends inside a record; everything before it was read.
    ArchiveCut(ArchiveEnd<'e>),
    ArchiveFailed(ArchiveEnd<'e>),
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
    /// How far `judge` is.
    Judging(JudgeState),
    Finished(JobEnd),
    /// A signal stopped the work; the status is 128 and the signal's number.
    Stopped(JobEnd),
    /// Something else that does not end the work.
    Warning(Failure),
    /// What ends the work, or makes the exit status that of a failure.
    Error(Failure),
}

impl CommandEvent<'_> {
    /// Returns its level, and the lowest detail of a log that has it.
    pub fn level(&self) -> (Level, Detail) {
        match self {
            Self::ArchiveRead(_)
            | Self::ArchiveKnown(_)
            | Self::BatchResolved { .. }
            | Self::RequestRepeated { .. } => (Level::Info, Detail::Archives),
            Self::Started(_) | Self::Progress(_) | Self::Judging(_) | Self::Finished(_) => {
                (Level::Info, Detail::Work)
            }
            Self::ArchiveFailed(end) if end.failure.is_some_and(|it| it.kind == BUG) => {
                (Level::Error, Detail::Problems)
            }
            Self::ArchiveCut(_)
            | Self::ArchiveFailed(_)
            | Self::HostLeftAlone(_)
            | Self::Stopped(_)
            | Self::Warning(_) => (Level::Warning, Detail::Problems),
            Self::BatchFailed { .. } | Self::Error(_) => (Level::Error, Detail::Problems),
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
            Self::ArchiveRead(end) | Self::ArchiveCut(end) | Self::ArchiveFailed(end) => ended(end),
            Self::ArchiveKnown(end) => ended(end) + " by an earlier call",
            Self::BatchFailed { batch, failure } => failed(batch, failure),
            Self::BatchResolved { batch, captures, seconds } => {
                format!("{batch}: {} captures resolved in {seconds:.1} s", grouped(*captures))
            }
            Self::Progress(state) => match state.work {
                Some(Plan::Scan { .. }) => {
                    format!("{}, {:.0} MB", beside_bar(state), megabytes(state.totals.counts.bytes))
                }
                _ => beside_bar(state),
            },
            Self::Judging(state) => {
                let [files, of_files, documents, rate] =
                    [state.files, state.of_files, state.documents, state.per_second].map(grouped);
                format!("{files}/{of_files} files, {documents} documents, {rate}/s")
            }
            Self::Finished(JobEnd { status, totals, .. }) => {
                format!("finished in {:.1} s with exit status {status}", totals.counts.seconds)
            }
            Self::Stopped(end) => match end.work {
                Some(Plan::Index { .. }) => {
                    "stopped; the folder has the index that it had before, and the same command makes the new one"
                }
                _ => {
                    "stopped; finished archives and batches are complete, and the same command continues \
                     from there"
                }
            }
            .to_owned(),
            Self::RequestRepeated { host, attempt, wait_seconds, cause } => {
                format!("{host}: sent again in {wait_seconds:.1} s, after attempt {attempt}: {cause}")
            }
            Self::HostLeftAlone(why) | Self::Warning(why) | Self::Error(why) => why.detail.clone(),
        }
    }
}

fn ended(
    ArchiveEnd {
        archive,
        failure,
        counts,
    }: &ArchiveEnd<'_>,
) -> String {
    let records = grouped(counts.records);
    let captures = grouped(counts.captures);
    failure.map_or_else(
        || {
            format!(
                "{archive}: {records} records, {captures} captures, {} failures",
                counts.failures
            )
        },
        |failure| failed(archive, failure),
    )
}

fn failed(name: &str, Failure { kind, detail, .. }: &Failure) -> String {
    match *kind {
        BUG => {
            format!("{name}: nothing was written of it because of a bug of crawlprefs: {detail}")
        }
        kind => format!("{name}: {kind}: {detail}"),
    }
}

/// Returns how far the work is, beside a bar.
pub fn beside_bar(state: &WorkState) -> String {
    let left = state
        .seconds_left
        .map_or_else(String::new, |left| format!(", {} left", waiting(left)));
    let rate = grouped(state.per_second);
    match state.work {
        Some(Plan::Scan { archives, .. }) => {
            let done = state.totals.archives_done;
            let records = grouped(state.totals.counts.records);
            format!("{done}/{archives} archives, {records} records, {rate}/s{left}")
        }
        Some(Plan::Resolve { captures, .. } | Plan::Index { captures, .. }) => {
            format!(
                "{}/{} captures, {rate}/s{left}",
                grouped(state.position),
                grouped(captures)
            )
        }
        None => "preparing".to_owned(),
    }
}
