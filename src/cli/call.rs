//! A call of `scan`, `resolve`, `run`, `index` or `sites`: what is checked before its work, and what is written at its end.

use super::args::TalkArgs;
use super::counts::Tally;
use super::event::{Event, Failure};
use super::log::Log;
use super::metrics::Metrics;
use super::output::{self, WholeFile};
use super::progress::{Observer, Outlook};
use super::report::{Asked, CallEnd, CallResults, GivenOptions, JobOutcome, Report};
use super::requests::Requests;
use super::{COULD_NOT_RUN, INPUTS_FAILED, WRONG_USAGE};
use crawlprefs::error::Error;
use crawlprefs::job::{Progress, Summary};
use crawlprefs::tables::archives::Outcome;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

pub enum CallHost {
    /// From a shell: signals ask to stop, messages are on standard error, the summary on standard output.
    Terminal,
    /// From a program that runs the job in its own process.
    Program(Program),
}

/// What a program gives to a call and gets from it.
pub struct Program {
    /// Becomes the number of a signal when the work is to stop.
    pub stop: Arc<AtomicUsize>,
    /// Gets each event, as in the JSON log.
    pub events: mpsc::Sender<Value>,
    /// The report, once the work has ended.
    pub report: OnceLock<Value>,
}

/// Why a call ends without a result.
pub enum Ended {
    /// The job could not run.
    Failed(Failure),
    /// Standard output cannot be written.
    Stdout(io::Error),
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Self::Failed(Failure::from(&error))
    }
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::Stdout(error)
    }
}

pub struct Call<'c> {
    talk: &'c TalkArgs,
    host: &'c CallHost,
    asked: Asked,
    signal: Arc<AtomicUsize>,
    observer: Observer,
}

impl<'c> Call<'c> {
    /// Checks the files that the call is to write beside the output, and begins it.
    pub fn begin(
        talk: &'c TalkArgs,
        given: &GivenOptions,
        host: &'c CallHost,
        requests: &Arc<Requests>,
    ) -> Result<Self, Ended> {
        let log = host.log(talk);
        let asked = Asked::now(given.clone());
        let (report, metrics) = match Beside::open(talk.report.as_deref(), talk.metrics.as_deref()) {
            Beside { report, metrics, fault: None } => (report, metrics),
            Beside { report, metrics, fault: Some(fault) } => {
                let metrics = metrics.map(|file| metrics_of(file, given, requests));
                let ending = CallEnding { log, tally: Arc::new(Tally::begin()), report, metrics };
                return Err(ending.fail(host, &asked, fault, COULD_NOT_RUN));
            }
        };
        let metrics = metrics.map(|file| metrics_of(file, given, requests));
        let unable = |error: io::Error| Error::Workers { jobs: 1, detail: error.to_string() };
        let signal = host.stop_signal().map_err(unable)?;
        let outlook = Outlook { period: host.period(talk), report, metrics };
        let observer = Observer::begin(outlook, log, Arc::clone(&signal)).map_err(unable)?;
        requests.set_log(observer.log());
        requests.stop_at(&signal);
        Ok(Self { talk, host, asked, signal, observer })
    }

    pub fn progress(&self) -> &dyn Progress {
        &self.observer
    }

    pub fn fail(self, error: impl Into<Failure>) -> Ended {
        CallEnding::of(self.observer).fail(self.host, &self.asked, error.into(), COULD_NOT_RUN)
    }

    /// Ends a call; `summed` makes the exit status and the summary for people from the seconds that the call took.
    pub fn finish(
        self,
        results: &CallResults<'_>,
        summed: impl FnOnce(&Log, f64) -> (u8, String),
    ) -> Result<u8, Ended> {
        let ending = CallEnding::of(self.observer);
        let seconds = ending.tally.state().totals.counts.seconds;
        if results.is_stopped() {
            let signal = self.signal.load(Ordering::Relaxed);
            let result = (JobOutcome::Stopped, stopped_status(signal));
            return Ok(ending.write(self.host, &self.asked, result, None, results));
        }
        let (status, text) = summed(&ending.log, seconds);
        let status = ending.write(self.host, &self.asked, (JobOutcome::Finished, status), None, results);
        if matches!(self.host, CallHost::Terminal) && !self.talk.quiet {
            match output::print(&text) {
                // The reader of the summary is gone; the work is done.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
                printed => printed?,
            }
        }
        Ok(status)
    }
}

struct CallEnding {
    log: Log,
    tally: Arc<Tally>,
    report: Option<Report>,
    metrics: Option<Arc<Metrics>>,
}

/// The files that a call writes beside the output, and why one of them cannot be written.
struct Beside {
    report: Option<Report>,
    metrics: Option<WholeFile>,
    fault: Option<Failure>,
}

impl Beside {
    fn open(report: Option<&Path>, metrics: Option<&Path>) -> Self {
        let (report, metrics) =
            (report.map(Report::begin).transpose(), metrics.map(WholeFile::new).transpose());
        match (report, metrics) {
            (Ok(Some(report)), Ok(Some(file))) if report.is_written_to(&file) => {
                let detail = format!("--metrics {}: --report writes that file", file.path().display());
                Self { report: Some(report), metrics: None, fault: Some(Failure::bad_option(detail)) }
            }
            (Ok(report), Ok(metrics)) => Self { report, metrics, fault: None },
            (Ok(report), Err(error)) => Self { report, metrics: None, fault: Some(error.into()) },
            (Err(error), metrics) => {
                Self { report: None, metrics: metrics.ok().flatten(), fault: Some(error.into()) }
            }
        }
    }
}

fn metrics_of(file: WholeFile, given: &GivenOptions, requests: &Arc<Requests>) -> Arc<Metrics> {
    Arc::new(Metrics::new(file, given.command.clone(), Arc::clone(requests)))
}

/// Writes report and metrics of a call with unusable arguments, if the arguments name these files.
pub fn refuse_usage(arguments: &[OsString], error: &clap::Error) {
    const COMMANDS: [&str; 5] = ["scan", "resolve", "run", "index", "sites"];
    let command = arguments.get(1).and_then(|name| name.to_str()).unwrap_or_default();
    if !error.use_stderr() || !COMMANDS.contains(&command) {
        return;
    }
    let Beside { report, metrics, fault } =
        Beside::open(value_of("--report", arguments).as_deref(), value_of("--metrics", arguments).as_deref());
    let log = Log::plain();
    if let Some(fault) = fault {
        log.write(&Event::Warning(fault));
    }
    let given = GivenOptions { command: command.to_owned(), options: Map::new() };
    let requests = Arc::new(Requests::new(log.clone()));
    let metrics = metrics.map(|file| metrics_of(file, &given, &requests));
    let ending = CallEnding { log, tally: Arc::new(Tally::begin()), report, metrics };
    let message = error.render().to_string();
    let detail = message.trim_start_matches("error: ").lines().next().unwrap_or_default().to_owned();
    let failure = Failure { kind: "usage", detail, retry: false };
    ending.fail(&CallHost::Terminal, &Asked::now(given), failure, WRONG_USAGE);
}

/// Returns the value of an option among arguments that could not be read.
fn value_of(option: &str, arguments: &[OsString]) -> Option<PathBuf> {
    let mut arguments = arguments.iter().take_while(|argument| *argument != "--");
    while let Some(argument) = arguments.next() {
        if argument == option {
            let value = arguments.next()?;
            return (!value.as_encoded_bytes().starts_with(b"-")).then(|| value.into());
        }
        let text = argument.to_str().and_then(|text| text.strip_prefix(option)?.strip_prefix('='));
        if let Some(value) = text {
            return Some(value.into());
        }
    }
    None
}

impl CallEnding {
    fn of(observer: Observer) -> Self {
        let (log, tally, report, metrics) = observer.end();
        Self { log, tally, report, metrics }
    }

    fn fail(self, host: &CallHost, asked: &Asked, failure: Failure, status: u8) -> Ended {
        self.write(host, asked, (JobOutcome::Failed, status), Some(&failure), &CallResults::default());
        Ended::Failed(failure)
    }

    /// Writes report, metrics and the last event; returns the exit status.
    fn write(
        self,
        host: &CallHost,
        asked: &Asked,
        result: (JobOutcome, u8),
        error: Option<&Failure>,
        results: &CallResults<'_>,
    ) -> u8 {
        let (outcome, mut status) = result;
        let state = self.tally.state();
        let totals = state.totals;
        let end = CallEnd { outcome, status, error, totals, results: *results };
        if let CallHost::Program(program) = host {
            // Texts and numbers always serialise.
            program.report.get_or_init(|| serde_json::to_value(asked.document(&end)).unwrap_or_default());
        }
        if let Some(report) = self.report
            && let Err(error) = report.write(&asked.document(&end))
        {
            self.log.error(&error);
            status = COULD_NOT_RUN;
        }
        if let Some(metrics) = &self.metrics
            && let Err(error) = metrics.write(&self.tally, Some((status, error)))
        {
            self.log.write(&Event::Warning(Failure::from(&error)));
        }
        match outcome {
            JobOutcome::Finished => self.log.write(&Event::Finished { status, totals }),
            JobOutcome::Stopped => self.log.write(&Event::Stopped { status, totals, work: state.work }),
            // The error itself comes last.
            JobOutcome::Failed => {}
        }
        status
    }
}

/// Returns the exit status of a scan, and reports why it is not 0.
pub fn status(log: &Log, summary: &Summary, max_failed: usize) -> u8 {
    if !summary.panicked.is_empty() {
        return INPUTS_FAILED;
    }
    let failed = summary.failed_inputs.len();
    if failed <= max_failed {
        return 0;
    }
    log.error(Failure {
        kind: "inputs_failed",
        detail: format!(
            "{failed} of {} inputs failed or were cut, --max-failed allows {max_failed}; {}",
            summary.inputs,
            after_failures(summary)
        ),
        retry: summary.failed_inputs.iter().any(|input| input.retry),
    });
    INPUTS_FAILED
}

fn after_failures(summary: &Summary) -> &'static str {
    if summary.failed_inputs.iter().all(|input| input.outcome == Outcome::Missing.as_str()) {
        "--base names the folder or URL that the paths of a list are relative to"
    } else {
        "the same command reads these again, and no others"
    }
}

/// 128 and the signal's number, as shells have it.
fn stopped_status(signal: usize) -> u8 {
    u8::try_from(signal).ok().and_then(|signal| signal.checked_add(128)).unwrap_or(COULD_NOT_RUN)
}

impl CallHost {
    pub fn log(&self, talk: &TalkArgs) -> Log {
        let log = talk.log();
        match self {
            Self::Terminal => {
                log.report_panics();
                log
            }
            Self::Program(program) => log.to(program.events.clone()),
        }
    }

    /// Returns the time between two lines of progress, if there is no terminal for a bar; `None`: no progress is shown.
    fn period(&self, talk: &TalkArgs) -> Option<Duration> {
        let period = match self {
            Self::Terminal => Duration::from_mins(1),
            Self::Program(_) => Duration::from_secs(1),
        };
        (!talk.quiet).then_some(period)
    }

    fn stop_signal(&self) -> io::Result<Arc<AtomicUsize>> {
        match self {
            Self::Terminal => stop_signals(),
            Self::Program(program) => Ok(Arc::clone(&program.stop)),
        }
    }
}

/// Returns the cell that gets the number of a signal to stop. A second signal ends the process at once.
fn stop_signals() -> io::Result<Arc<AtomicUsize>> {
    let received = Arc::new(AtomicUsize::new(0));
    let again = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let number = usize::try_from(signal).unwrap_or(0);
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&again))?;
        signal_hook::flag::register(signal, Arc::clone(&again))?;
        signal_hook::flag::register_usize(signal, Arc::clone(&received), number)?;
    }
    Ok(received)
}
