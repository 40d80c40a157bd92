//! A call of `scan`, `resolve`, `run`, `index` or `sites`: what is checked before its work, and what is written at its end. Also
//! what `judge`, `explain`, `extract` and `history` report of their requests, which end with the command.

use super::args::{RemoteArgs, TalkArgs, WatchArgs};
use super::event::Failure;
use super::log::{Log, Requests};
use super::metrics::{MetricsSource, MetricsText};
use super::output::{self, WholeFile};
use super::progress::Observer;
use super::report::{AskedCommand, CallResults};
use super::{COULD_NOT_RUN, INPUTS_FAILED, WRONG_USAGE};
use crawlprefs::error::Error;
use crawlprefs::job::Progress;
use crawlprefs::store::Places;
use crawlprefs::tables::archives::Outcome;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Why a call ends without a result.
pub enum Ended {
    Failed(Failure),
    Stdout(io::Error),
}

impl<F: Into<Failure>> From<F> for Ended {
    fn from(failure: F) -> Self {
        Self::Failed(failure.into())
    }
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::Stdout(error)
    }
}

impl Ended {
    pub fn status(&self) -> u8 {
        match self {
            // The reader of the output is gone.
            Self::Stdout(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::Stdout(_) | Self::Failed(_) => COULD_NOT_RUN,
        }
    }

    pub fn into_failure(self) -> Failure {
        match self {
            Self::Failed(failure) => failure,
            Self::Stdout(source) => Error::OutputUnwritable {
                location: "standard output".to_owned(),
                source,
            }
            .into(),
        }
    }
}

/// What a command that works for long has from its start.
pub struct Call<'c> {
    asked: &'c AskedCommand,
    talk: &'c TalkArgs,
    requests: Arc<Requests>,
    pub places: Places,
}

impl<'c> Call<'c> {
    pub fn new(asked: &'c AskedCommand, talk: &'c TalkArgs, remote: &RemoteArgs) -> Self {
        let log = talk.log();
        let (log, signal) = if let Some(program) = &asked.program {
            (log.to(program.events.clone()), Arc::clone(&program.stop))
        } else {
            log.report_panics();
            (log, Arc::default())
        };
        let requests = Arc::new(Requests::new(log, signal));
        let places = remote.watched_places(Some(Arc::<Requests>::clone(&requests)));
        Self {
            asked,
            talk,
            requests,
            places: places.with_files_beside(talk.files()),
        }
    }

    pub fn log(&self) -> &Log {
        &self.requests.log
    }

    /// Does the job, and ends the call; `summed` makes the exit status and the summary from the seconds that the call took.
    pub fn carry_out(
        &self,
        job: impl FnOnce(&dyn Progress) -> Result<CallResults, Failure>,
        summed: impl FnOnce(&CallResults, f64) -> (u8, String),
    ) -> Result<u8, Ended> {
        let report = self.talk.report.as_deref();
        let metrics = self.talk.metrics.as_deref();
        let (observer, fault) = Observer::begin(self.asked, &self.requests, report, metrics);
        if let Some(fault) = fault {
            return Err(observer.fail(fault).into());
        }
        let unable = |error: io::Error| Error::Workers {
            jobs: 1,
            detail: error.to_string(),
        };
        let is_in_shell = self.asked.program.is_none();
        if is_in_shell {
            stop_at_signals(&self.requests.signal).map_err(unable)?;
        }
        // Lines of progress, where no terminal has a bar.
        let period = if is_in_shell {
            Duration::from_mins(1)
        } else {
            Duration::from_secs(1)
        };
        let period = (!self.talk.quiet).then_some(period);
        let results = match observer.watch(period, || job(&observer)).map_err(unable)? {
            Ok(results) => results,
            Err(failure) => return Err(observer.fail(failure).into()),
        };
        let seconds = observer.tally.state().totals.counts.seconds;
        let (status, text) = if results.is_stopped() {
            // 128 and the signal's number, as shells have it.
            let signal = u8::try_from(self.requests.signal.load(Ordering::Relaxed)).ok();
            (
                signal
                    .and_then(|signal| signal.checked_add(128))
                    .unwrap_or(COULD_NOT_RUN),
                None,
            )
        } else {
            let (status, text) = summed(&results, seconds);
            (status, Some(text))
        };
        let status = observer.end(status, None, &results);
        match text
            .filter(|_| is_in_shell && !self.talk.quiet)
            .map(|text| output::print(&text))
        {
            // If the reader of the summary is gone, the work is done.
            Some(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(status),
        }
    }
}

/// The places of a command, what is known of requests to them, and the file for their metrics, which can be written.
type Watched = (Places, Arc<Requests>, Option<WholeFile>);

pub fn watched(args: &WatchArgs, remote: &RemoteArgs, log: Log) -> Result<Watched, Error> {
    let file = args.metrics.as_deref().map(WholeFile::new).transpose()?;
    let requests = Arc::new(Requests::new(log, Arc::default()));
    let places = remote.watched_places(Some(Arc::<Requests>::clone(&requests)));
    Ok((
        places.with_files_beside(args.metrics.iter().cloned().collect()),
        requests,
        file,
    ))
}

/// Does what a command does at some places, and writes the metrics of its requests.
pub fn watching(
    command: &str,
    out: Option<&str>,
    args: &WatchArgs,
    remote: &RemoteArgs,
    log: Log,
    work: impl FnOnce(&Places) -> Result<u8, Ended>,
) -> Result<u8, Ended> {
    let (places, requests, file) = watched(args, remote, log)?;
    let ended = work(&places);
    let status = ended.as_ref().map_or_else(Ended::status, |status| *status);
    let mut text = MetricsText::of_command(&MetricsSource::new(
        command,
        out,
        args.metrics_label.as_deref(),
    ));
    text.add_requests(*requests.counts());
    if let Some(Err(error)) = file.map(|file| file.write(text.ended(status, None))) {
        requests.log.warn(error);
    }
    ended
}

/// Writes report and metrics of a call with unusable arguments, if the arguments name these files.
pub fn refuse_usage(arguments: &[OsString], error: &clap::Error) {
    const COMMANDS: [&str; 5] = ["scan", "resolve", "run", "index", "sites"];
    let command = arguments
        .get(1)
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    if !error.use_stderr() || !COMMANDS.contains(&command) {
        return;
    }
    let given = ["--out", "--metrics-label"].map(|option| (option, value_of(option, arguments)));
    let mut asked = AskedCommand {
        command: command.to_owned(),
        ..AskedCommand::default()
    };
    for (option, value) in given {
        if let Some(value) = value {
            let name = option.trim_start_matches('-').to_owned();
            asked
                .options
                .insert(name, value.to_string_lossy().into_owned().into());
        }
    }
    let requests = Arc::new(Requests::new(Log::plain(), Arc::default()));
    let [report, metrics] = ["--report", "--metrics"].map(|option| value_of(option, arguments));
    let (observer, fault) =
        Observer::begin(&asked, &requests, report.as_deref(), metrics.as_deref());
    if let Some(fault) = fault {
        requests.log.warn(fault);
    }
    let message = error.render().to_string();
    let detail = message
        .trim_start_matches("error: ")
        .lines()
        .next()
        .unwrap_or_default();
    let failure = Failure::lasting("usage", detail);
    observer.end(WRONG_USAGE, Some(&failure), &CallResults::default());
}

/// Returns the value of an option among arguments that could not be read.
fn value_of(option: &str, arguments: &[OsString]) -> Option<PathBuf> {
    let mut arguments = arguments.iter().take_while(|argument| *argument != "--");
    while let Some(argument) = arguments.next() {
        if argument == option {
            let value = arguments.next()?;
            return (!value.as_encoded_bytes().starts_with(b"-")).then(|| value.into());
        }
        let text = argument
            .to_str()
            .and_then(|text| text.strip_prefix(option)?.strip_prefix('='));
        if let Some(value) = text {
            return Some(value.into());
        }
    }
    None
}

/// Returns the exit status of a scan, a resolve or both, and reports why the scan's is not 0.
pub fn status(log: &Log, results: &CallResults, max_failed: usize) -> u8 {
    let is_resolved = results
        .resolve
        .as_ref()
        .is_none_or(|tally| tally.failed_batches.is_empty());
    let status = if is_resolved { 0 } else { INPUTS_FAILED };
    let Some(summary) = &results.scan else {
        return status;
    };
    if !summary.panicked.is_empty() {
        return INPUTS_FAILED;
    }
    let failed = summary.failed_inputs.len();
    if failed <= max_failed {
        return status;
    }
    let are_all = |outcome: Outcome| {
        summary
            .failed_inputs
            .iter()
            .all(|it| it.outcome == outcome.as_str())
    };
    let hint = if are_all(Outcome::Missing) {
        "--base names the folder or URL that the paths of a list are relative to"
    } else if are_all(Outcome::NotAnArchive) {
        "what is no archive can be left out"
    } else {
        "the same command reads these again, and no others"
    };
    let inputs = summary.inputs;
    let detail = format!(
        "{failed} of {inputs} inputs failed or were cut, --max-failed allows {max_failed}; {hint}"
    );
    let retry = summary.failed_inputs.iter().any(|input| input.retry);
    log.error(Failure {
        kind: "inputs_failed",
        detail,
        retry,
    });
    INPUTS_FAILED
}

/// Puts the number of a signal to stop into the cell. A second signal ends the process at once.
fn stop_at_signals(received: &Arc<AtomicUsize>) -> io::Result<()> {
    let again = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let number = usize::try_from(signal).unwrap_or(0);
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&again))?;
        signal_hook::flag::register(signal, Arc::clone(&again))?;
        signal_hook::flag::register_usize(signal, Arc::clone(received), number)?;
    }
    Ok(())
}
