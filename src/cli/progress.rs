//! What a command shows while it works: log events, a bar on a terminal or else a line a minute (a second for a program), and metrics every few seconds.
//!
//! A thread of its own shows progress, so that it is visible if a source gives nothing for minutes.

use super::counts::{ReadCounts, Tally, seconds};
use super::event::{Event, Failure, beside_bar};
use super::log::{Form, Log};
use super::metrics::Metrics;
use super::report::{ArchiveLine, Report};
use crawlprefs::archive::ArchiveName;
use crawlprefs::job::{Plan, Progress, Scanned, When};
use crawlprefs::runs::Manifest;
use crawlprefs::tables::archives::Outcome;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time between two looks at what is due.
const TICK: Duration = Duration::from_millis(250);
/// Time between two versions of the metrics file.
const METRICS_PERIOD: Duration = Duration::from_secs(5);

/// Observes a job, and passes on the user's wish to stop.
pub struct Observer {
    log: Log,
    signal: Arc<AtomicUsize>,
    tally: Arc<Tally>,
    bar: Option<ProgressBar>,
    report: Option<Report>,
    metrics: Option<Arc<Metrics>>,
    ticker: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

/// What is shown and written while a job runs.
pub struct Outlook {
    /// Time between two lines if there is no terminal for a bar; `None`: no progress is shown.
    pub period: Option<Duration>,
    pub report: Option<Report>,
    pub metrics: Option<Arc<Metrics>>,
}

impl Observer {
    /// `signal` becomes the number of a signal that asks to stop.
    pub fn begin(outlook: Outlook, mut log: Log, signal: Arc<AtomicUsize>) -> io::Result<Self> {
        let has_bar = outlook.period.is_some() && stderr().is_terminal() && log.form() == Form::Text;
        let bar = has_bar.then(ProgressBar::no_length);
        if let Some(bar) = &bar {
            log.set_bar(bar);
        }
        let mut observer = Self {
            log,
            signal,
            tally: Arc::new(Tally::begin()),
            bar,
            report: outlook.report,
            metrics: outlook.metrics,
            ticker: None,
        };
        let lines = outlook.period.filter(|_| !has_bar);
        if has_bar || lines.is_some() || observer.metrics.is_some() {
            observer.ticker = Some(observer.ticker(lines)?);
        }
        Ok(observer)
    }

    pub fn log(&self) -> &Log {
        &self.log
    }

    fn ticker(&self, lines: Option<Duration>) -> io::Result<(mpsc::Sender<()>, JoinHandle<()>)> {
        let (stop, stopped) = mpsc::channel::<()>();
        let mut ticker = Ticker {
            tally: Arc::clone(&self.tally),
            log: self.log.clone(),
            bar: self.bar.clone(),
            lines: lines.map(Due::after),
            metrics: self.metrics.clone().map(|metrics| (metrics, Due::now(METRICS_PERIOD))),
        };
        let tick = move || {
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                ticker.tick();
            }
        };
        Ok((stop, std::thread::Builder::new().name("progress".to_owned()).spawn(tick)?))
    }

    pub fn end(mut self) -> (Log, Arc<Tally>, Option<Report>, Option<Arc<Metrics>>) {
        if let Some((stop, thread)) = self.ticker.take() {
            drop(stop);
            // A panic there is a bug in what is shown, and has been reported.
            drop(thread.join());
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        (self.log, self.tally, self.report, self.metrics)
    }

    /// Counts an archive by what this call or an earlier one has read of it, and writes its line.
    fn count(&self, line: &ArchiveLine<'_>, when: When) {
        match when {
            When::Now => self.tally.count_archive(line.outcome, &line.counts),
            When::Earlier => self.tally.count_known_archive(line.outcome, line.counts.bytes),
        }
        if let Some(report) = &self.report {
            report.add_archive(line);
        }
    }

    fn archive_failed(&self, archive: &str, failure: Failure, counts: ReadCounts, when: When) {
        let (outcome, retry) = (failure.kind, failure.retry);
        self.count(&ArchiveLine { archive, outcome, detail: Some(&failure.detail), retry, counts }, when);
        self.log.write(&match outcome {
            "cut" => Event::ArchiveCut { archive, failure, counts },
            _ => Event::ArchiveFailed { archive, failure, counts },
        });
    }

    fn archive_read(&self, archive: &str, counts: ReadCounts, when: When) {
        let (outcome, event) = match when {
            When::Now => ("read", Event::ArchiveRead { archive, counts }),
            When::Earlier => ("known", Event::ArchiveKnown { archive, counts }),
        };
        self.count(&ArchiveLine { archive, outcome, detail: None, retry: false, counts }, when);
        self.log.write(&event);
    }
}

impl Progress for Observer {
    fn started(&self, plan: &Plan) {
        self.tally.started(*plan);
        self.log.write(&Event::Started(*plan));
        if let Some(bar) = &self.bar {
            let (template, length) = template(plan);
            bar.set_position(0);
            length.map_or_else(|| bar.unset_length(), |length| bar.set_length(length));
            // Our templates are sound; if not, the default style is good enough.
            bar.set_style(
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
        }
    }

    fn advanced(&self, bytes: u64, records: u64) {
        self.tally.advanced(bytes, records);
    }

    fn archive_ended(&self, name: &ArchiveName, scanned: &Scanned, took: Duration) {
        let (name, when) = (name.filename(), scanned.when);
        if let Some(failed) = &scanned.failed {
            let counts = ReadCounts { seconds: seconds(took), ..ReadCounts::default() };
            return self.archive_failed(name, Failure::from(failed), counts, when);
        }
        let Some(manifest) = &scanned.manifest else { return };
        let counts = ReadCounts::of(manifest, took);
        match manifest.row.outcome {
            Outcome::Read => self.archive_read(name, counts, when),
            Outcome::Cut
            | Outcome::Missing
            | Outcome::Unreadable
            | Outcome::Empty
            | Outcome::NotAnArchive
            | Outcome::UnsupportedFormat => self.archive_failed(name, incomplete(manifest), counts, when),
        }
    }

    fn batch_resolved(&self, batch: &str, captures: u64, took: Duration) {
        self.tally.count_batch("resolved");
        self.log.write(&Event::BatchResolved { batch, captures, seconds: seconds(took) });
    }

    fn failed(&self, name: &str, detail: &str) {
        let failure = Failure::bug(detail);
        match self.tally.state().work {
            Some(Plan::Resolve { .. }) => {
                self.tally.count_batch("bug");
                self.log.write(&Event::BatchFailed { batch: name, failure });
            }
            Some(Plan::Scan { .. } | Plan::Index { .. }) | None => {
                self.archive_failed(name, failure, ReadCounts::default(), When::Now);
            }
        }
    }

    fn noted(&self, kind: &'static str, detail: &str) {
        self.log.write(&Event::Warning(Failure { kind, detail: detail.to_owned(), retry: false }));
    }

    fn should_stop(&self) -> bool {
        self.signal.load(Ordering::Relaxed) != 0
    }
}

/// Returns why an archive was not read to its end.
fn incomplete(manifest: &Manifest) -> Failure {
    let row = &manifest.row;
    let detail = row.detail.clone().unwrap_or_default();
    Failure { kind: row.outcome.as_str(), detail, retry: row.outcome.may_be_retried() }
}

/// Returns the template of a bar, and its length if known.
fn template(work: &Plan) -> (&'static str, Option<u64>) {
    match work {
        Plan::Scan { bytes: Some(bytes), .. } => ("{bar:20} {percent:>3}%  {wide_msg}", Some(*bytes)),
        Plan::Scan { bytes: None, .. } => ("{spinner} {bytes}  {wide_msg}", None),
        Plan::Resolve { captures, .. } | Plan::Index { captures, .. } => {
            ("{bar:20} {percent:>3}%  {wide_msg}", Some(*captures))
        }
    }
}

struct Due {
    period: Duration,
    next: Instant,
}

impl Due {
    fn now(period: Duration) -> Self {
        Self { period, next: Instant::now() }
    }

    fn after(period: Duration) -> Self {
        Self { period, next: Instant::now() + period }
    }

    /// Returns whether it is due; if so, puts it off by its period.
    fn is_now(&mut self) -> bool {
        let is_now = Instant::now() >= self.next;
        if is_now {
            self.next = Instant::now() + self.period;
        }
        is_now
    }
}

struct Ticker {
    tally: Arc<Tally>,
    log: Log,
    bar: Option<ProgressBar>,
    lines: Option<Due>,
    metrics: Option<(Arc<Metrics>, Due)>,
}

impl Ticker {
    fn tick(&mut self) {
        let state = self.tally.state();
        // Nothing is known before the work begins.
        if state.work.is_none() {
            return;
        }
        if let Some(bar) = &self.bar {
            bar.set_position(state.position);
            bar.set_message(beside_bar(&state));
            bar.tick();
        }
        if self.lines.as_mut().is_some_and(Due::is_now) {
            self.log.write(&Event::Progress(state));
        }
        if let Some((metrics, due)) = &mut self.metrics
            && due.is_now()
            && let Err(error) = metrics.write(&self.tally, None)
        {
            self.log.write(&Event::Warning(Failure::from(&error)));
            // Once is enough; the end of the work tries again.
            self.metrics = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Plan, ProgressStyle, template};

    #[test]
    fn local_the_bars_have_sound_templates() {
        for work in [
            Plan::Scan { archives: 1, bytes: Some(1) },
            Plan::Scan { archives: 1, bytes: None },
            Plan::Resolve { batches: 1, captures: 1 },
        ] {
            assert!(ProgressStyle::with_template(template(&work).0).is_ok());
        }
    }
}
