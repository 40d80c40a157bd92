//! What a command shows while it works: log events, a bar on a terminal or else a line a minute (a second for a program), and
//! metrics every few seconds. A thread of its own does so, so that it is visible if a source gives nothing for minutes.

use super::COULD_NOT_RUN;
use super::counts::{ReadCounts, Tally, seconds};
use super::event::{ArchiveEnd, BUG, CommandEvent, Failure, JobEnd, beside_bar};
use super::log::{self, Form, Log, Requests};
use super::metrics;
use super::output::WholeFile;
use super::report::{AskedCommand, CallResults, Report, ReportDocument};
use crawlprefs::archive::ArchiveName;
use crawlprefs::job::{FailedInput, Plan, Progress, Scanned, When};
use crawlprefs::store::RequestWatch;
use crawlprefs::tables::archives::Outcome;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::io::{self, IsTerminal, stderr};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two checks of what is due; any number of this size.
const TICK: Duration = Duration::from_millis(250);
const METRICS_PERIOD: Duration = Duration::from_secs(5);

/// Observes a job, and passes on the user's wish to stop.
pub struct Observer<'o> {
    asked: &'o AskedCommand,
    start: String,
    requests: Arc<Requests>,
    pub tally: Tally,
    report: Option<Report>,
    metrics: Option<WholeFile>,
}

impl<'o> Observer<'o> {
    /// Opens the files that are written beside the output; also returns why one of them cannot be written.
    pub fn begin(
        asked: &'o AskedCommand,
        requests: &Arc<Requests>,
        report: Option<&Path>,
        metrics: Option<&Path>,
    ) -> (Self, Option<Failure>) {
        let mut faults = Vec::new();
        let report = report.and_then(|path| {
            Report::begin(path)
                .map_err(|it| faults.push(it.into()))
                .ok()
        });
        let mut metrics = metrics.and_then(|path| {
            WholeFile::new(path)
                .map_err(|it| faults.push(it.into()))
                .ok()
        });
        let is_of_report =
            |file: &mut WholeFile| report.as_ref().is_some_and(|it| it.is_written_to(file));
        if let Some(file) = metrics.take_if(is_of_report) {
            let detail = format!(
                "--metrics {}: --report writes that file",
                file.path.display()
            );
            faults.push(Failure::bad_option(detail));
        }
        let requests = Arc::clone(requests);
        let tally = Tally::begin();
        let observer = Self {
            asked,
            start: log::now(),
            requests,
            tally,
            report,
            metrics,
        };
        (observer, faults.into_iter().next())
    }

    pub fn fail(self, failure: Failure) -> Failure {
        self.end(COULD_NOT_RUN, Some(&failure), &CallResults::default());
        failure
    }

    /// Writes report, metrics and the last event; returns the exit status.
    pub fn end(mut self, mut status: u8, error: Option<&Failure>, results: &CallResults) -> u8 {
        let outcome = match (error, results.is_stopped()) {
            (Some(_), _) => "failed",
            (None, true) => "stopped",
            (None, false) => "finished",
        };
        let report = self.report.take();
        let log = self.log();
        let state = self.tally.state();
        let totals = state.totals;
        let document = ReportDocument {
            version: env!("CARGO_PKG_VERSION"),
            asked: self.asked,
            start: &self.start,
            end: log::now(),
            seconds: totals.counts.seconds,
            outcome,
            stopped: outcome == "stopped",
            status,
            error: error
                .map(|it| json!({ "kind": it.kind, "message": it.detail, "retry": it.retry })),
            totals,
            results,
        };
        if let Some(program) = &self.asked.program {
            // Texts and numbers always serialise.
            program.report.get_or_init(|| json!(document));
        }
        if let Some(Err(error)) = report.map(|report| report.write(&document)) {
            log.error(error);
            status = COULD_NOT_RUN;
        }
        self.write_metrics(Some((status, error)));
        let end = JobEnd {
            status,
            totals,
            work: state.work,
        };
        match outcome {
            "finished" => log.write(&CommandEvent::Finished(end)),
            "stopped" => log.write(&CommandEvent::Stopped(end)),
            // The error itself comes last.
            _ => {}
        }
        status
    }

    fn log(&self) -> &Log {
        &self.requests.log
    }

    /// Does the work, and shows meanwhile how far it is. `period`: the time between two lines if there is no terminal for a bar;
    /// `None`: no progress is shown.
    pub fn watch<T>(&self, period: Option<Duration>, work: impl FnOnce() -> T) -> io::Result<T> {
        let has_bar = period.is_some() && stderr().is_terminal() && self.log().form == Form::Text;
        let bar = has_bar.then(|| self.log().bar.get_or_init(ProgressBar::no_length));
        let lines = period.filter(|_| !has_bar);
        let is_shown = has_bar || lines.is_some() || self.metrics.is_some();
        let done = if is_shown {
            ticking(self.shown(bar, lines), work)?
        } else {
            work()
        };
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        Ok(done)
    }

    /// Returns what shows how far the work is, and writes metrics, whenever they are due.
    fn shown(&self, bar: Option<&ProgressBar>, lines: Option<Duration>) -> impl FnMut() + Send {
        let begun = Instant::now();
        let mut line = lines.map(|period| (period, begun + period));
        let mut metrics_at = Some(begun);
        move || {
            let state = self.tally.state();
            let now = Instant::now();
            // Nothing is known before the work begins.
            if state.work.is_none() {
                return;
            }
            if let Some(bar) = bar {
                bar.set_position(state.position);
                bar.set_message(beside_bar(&state));
                bar.tick();
            }
            if let Some((period, at)) = &mut line
                && now >= *at
            {
                *at = now + *period;
                self.log().write(&CommandEvent::Progress(state));
            }
            if metrics_at.is_some_and(|at| now >= at) {
                // Once an error is enough; the end of the work tries again.
                metrics_at = self.write_metrics(None).then_some(now + METRICS_PERIOD);
            }
        }
    }

    /// Writes the metrics that are asked for, after the work with its exit status and why it failed; warns if it cannot.
    fn write_metrics(&self, end: Option<(u8, Option<&Failure>)>) -> bool {
        let Some(file) = &self.metrics else {
            return true;
        };
        let counts = *self.requests.counts();
        let written = file.write(metrics::of_work(
            &self.asked.metrics_source(),
            &self.tally,
            counts,
            end,
        ));
        written.map_err(|error| self.log().warn(error)).is_ok()
    }

    /// Counts an archive by what this call or an earlier one has read of it, and writes its line.
    fn count(&self, end: ArchiveEnd<'_>, when: When) {
        let outcome = match (end.failure, when) {
            (Some(failure), _) => failure.kind,
            (None, When::Now) => "read",
            (None, When::Earlier) => "known",
        };
        self.tally.count_archive(outcome, &end.counts, when);
        if let Some(report) = &self.report {
            report.add_archive(outcome, &end);
        }
        self.log().write(&match outcome {
            "read" => CommandEvent::ArchiveRead(end),
            "known" => CommandEvent::ArchiveKnown(end),
            "cut" => CommandEvent::ArchiveCut(end),
            _ => CommandEvent::ArchiveFailed(end),
        });
    }
}

impl Progress for Observer<'_> {
    fn started(&self, plan: &Plan) {
        self.tally.started(*plan);
        self.log().write(&CommandEvent::Started(*plan));
        if let Some(bar) = self.log().bar.get() {
            let (template, length) = template(plan);
            bar.set_position(0);
            length.map_or_else(|| bar.unset_length(), |length| bar.set_length(length));
            // Our templates are sound; if not, the default style is good enough.
            bar.set_style(
                ProgressStyle::with_template(template)
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
        }
    }

    fn advanced(&self, bytes: u64, records: u64) {
        self.tally.advanced(bytes, records);
    }

    fn archive_ended(&self, name: &ArchiveName, scanned: &Scanned, took: Duration) {
        let archive = name.filename();
        let mut counts = ReadCounts {
            seconds: seconds(took),
            ..ReadCounts::default()
        };
        let failure = match (&scanned.failed, &scanned.manifest) {
            (Some(failed), _) => Some(failed.into()),
            (None, Some(manifest)) => {
                let row = &manifest.row;
                let failed =
                    (row.outcome != Outcome::Read).then(|| FailedInput::of_row(archive, row));
                let bytes = row.bytes;
                let captures = row.captures();
                counts = ReadCounts {
                    bytes,
                    captures,
                    records: row.records,
                    failures: row.failures,
                    ..counts
                };
                failed.as_ref().map(Failure::from)
            }
            (None, None) => return,
        };
        self.count(
            ArchiveEnd {
                archive,
                failure: failure.as_ref(),
                counts,
            },
            scanned.when,
        );
    }

    fn batch_resolved(&self, batch: &str, captures: u64, took: Duration) {
        self.tally.count_batch("resolved");
        self.log().write(&CommandEvent::BatchResolved {
            batch,
            captures,
            seconds: seconds(took),
        });
    }

    fn failed(&self, name: &str, detail: &str) {
        let failure = Failure::lasting(BUG, detail);
        if matches!(self.tally.state().work, Some(Plan::Resolve { .. })) {
            self.tally.count_batch(BUG);
            return self.log().write(&CommandEvent::BatchFailed {
                batch: name,
                failure,
            });
        }
        let failure = Some(&failure);
        let counts = ReadCounts::default();
        self.count(
            ArchiveEnd {
                archive: name,
                failure,
                counts,
            },
            When::Now,
        );
    }

    fn noted(&self, kind: &'static str, detail: &str) {
        self.log().warn(Failure::lasting(kind, detail));
    }

    fn should_stop(&self) -> bool {
        self.requests.should_stop()
    }
}

/// Does the work; meanwhile a thread of its own calls `tick` four times a second.
pub fn ticking<T>(mut tick: impl FnMut() + Send, work: impl FnOnce() -> T) -> io::Result<T> {
    let (stop, stopped) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let show = move || {
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                tick();
            }
        };
        let thread = thread::Builder::new()
            .name("progress".to_owned())
            .spawn_scoped(scope, show)?;
        let done = work();
        drop(stop);
        // A panic there is a bug in what is shown, and has been reported.
        drop(thread.join());
        Ok(done)
    })
}

/// Of a bar; with its length, if that is known.
fn template(work: &Plan) -> (&'static str, Option<u64>) {
    let length = match work {
        Plan::Scan { bytes, .. } => *bytes,
        Plan::Resolve { captures, .. } | Plan::Index { captures, .. } => Some(*captures),
    };
    (
        if length.is_some() {
            "{bar:20} {percent:>3}%  {wide_msg}"
        } else {
            "{spinner} {bytes}  {wide_msg}"
        },
        length,
    )
}

#[cfg(test)]
mod tests {
    use super::{Plan, ProgressStyle, template};

    #[test]
    fn local_the_bars_have_sound_templates() {
        for work in [
            Plan::Scan {
                archives: 1,
                bytes: Some(1),
            },
            Plan::Scan {
                archives: 1,
                bytes: None,
            },
            Plan::Resolve {
                batches: 1,
                captures: 1,
            },
        ] {
            assert!(ProgressStyle::with_template(template(&work).0).is_ok());
        }
    }
}
