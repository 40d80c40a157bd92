//! The command's jobs, called by a program in its own process: arguments in, events and a report as values out.
//!
//! Example: `["run", "archives", "-o", "out"]` gives the events of `--log-format json` one by one, and then the same keys as
//! `--report` writes. Nothing is printed, no signal is handled and the process does not end.
//! Left out: the commands that write to a terminal or a file of their own, such as `demo`, `extract` and `status`.

use super::args::{Command, JudgeArgs};
use super::call::{CallHost, Ended, Program};
use super::event::{Detail, Failure};
use super::history::NoHistory;
use super::{
    COULD_NOT_RUN, INPUTS_FAILED, explain, index, judge, parsed, resolve_command, run, scan, scan_options,
};
use crawlprefs::explain::history::HistoryItem;
use crawlprefs::job::Unit;
use crawlprefs::judge::files::FilesOptions;
use crawlprefs::judge::{Added, Judge};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock, mpsc};

/// The result of a job.
#[derive(Debug)]
pub struct Called {
    /// The exit status that the command would have.
    pub status: u8,
    /// The report, as `--report` writes it.
    pub report: Value,
}

/// Why a call could not run.
#[derive(Debug)]
pub struct Refused {
    /// The kind of error; `usage` if the arguments are wrong.
    pub kind: &'static str,
    /// What was found and expected.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retry: bool,
}

/// An archive that a scan would read.
#[derive(Debug)]
pub struct Listed {
    /// Its name in the tables.
    pub name: String,
    /// Its location.
    pub location: String,
    pub crawl: String,
    /// Its segment, if it belongs to one.
    pub segment: Option<String>,
}

/// Runs `scan`, `resolve`, `run` or `sites`. Events go to `events`. Soon after `stop` is not 0, the work stops with the status
/// 128 plus that number.
pub fn job(
    arguments: Vec<OsString>,
    events: mpsc::Sender<Value>,
    stop: Arc<AtomicUsize>,
) -> Result<Called, Refused> {
    let talk = ["--log-format=json", "--verbose"].map(OsString::from);
    let mut arguments = arguments.into_iter();
    let arguments = arguments.next().into_iter().chain(talk).chain(arguments);
    let (cli, given) = parsed(named(arguments)).map_err(|error| usage(&error))?;
    let host = CallHost::Program(Program { stop, events, report: OnceLock::new() });
    let status = match &cli.command {
        Command::Scan(args) => scan(args, &given, &host),
        Command::Resolve(args) => resolve_command(args, &given, &host),
        Command::Run(args) => run(args, &given, &host),
        Command::Sites(args) => index::sites(args, &given, &host),
        Command::Status(_)
        | Command::Index(_)
        | Command::Explain(_)
        | Command::History(_)
        | Command::Extract(_)
        | Command::Judge(_)
        | Command::Schema(_)
        | Command::Report { .. }
        | Command::Demo(_)
        | Command::Completions { .. }
        | Command::Man { .. } => {
            return Err(no_such_call("scan, resolve, run or sites"));
        }
    };
    let status = status.map_err(Refused::from)?;
    let report = match host {
        CallHost::Program(program) => program.report.into_inner(),
        CallHost::Terminal => None,
    };
    Ok(Called { status, report: report.unwrap_or_default() })
}

/// Returns the archives that `scan` with these arguments would read, in the order of their names.
pub fn archives(arguments: Vec<OsString>) -> Result<Vec<Listed>, Refused> {
    let (cli, _) = parsed(named(arguments)).map_err(|error| usage(&error))?;
    let Command::Scan(args) = cli.command else { return Err(no_such_call("scan")) };
    let archives = scan_options(&args, Unit::Archive, &args.remote.watched_places(None))
        .and_then(|options| options.archives());
    let archives = archives.map_err(|error| Refused::from(Failure::from(&error)))?;
    let listed = archives.into_iter().map(|archive| Listed {
        name: archive.input.name.filename().to_owned(),
        location: archive.input.source.location(),
        segment: archive.input.name.segment().map(str::to_owned),
        crawl: archive.crawl,
    });
    Ok(listed.collect())
}

/// Judges files with the arguments of `judge`. The report has the counts, and the inputs that failed.
pub fn judged_files(arguments: Vec<OsString>) -> Result<Called, Refused> {
    let args = judge_args(arguments)?;
    let watched = judge::watched(&args)?;
    let judged = judge::open(&args, &watched).and_then(|opened| judge::tally(&args, &opened, &watched));
    let tally = judged.inspect_err(|_| watched.end(COULD_NOT_RUN))?;
    let failed = tally.failed.iter().map(|(name, detail)| json!({ "name": name, "detail": detail }));
    let report = json!({
        "files": tally.judged + tally.known,
        "files_of_earlier_calls": tally.known,
        "failed_inputs": failed.collect::<Vec<_>>(),
        "counts": tally.counts,
        "inputs_not_judged": tally.sums.as_ref().map(|sums| &sums.not_judged),
    });
    let status = if tally.failed.len() > args.max_failed { INPUTS_FAILED } else { 0 };
    watched.end(status);
    Ok(Called { status, report })
}

/// Opens the tables with the arguments of `judge`, to judge documents in memory.
pub fn judge(arguments: Vec<OsString>) -> Result<(Judge, FilesOptions), Refused> {
    let args = judge_args(arguments)?;
    let judge::OpenedJudge { judge, options } = judge::open(&args, &judge::watched(&args)?)?;
    Ok((judge, FilesOptions { added: judge::added_in_memory(&args)?, ..options }))
}

/// Returns the columns that rows in memory get by the arguments of `judge`; opens nothing.
pub fn judge_columns(arguments: Vec<OsString>) -> Result<Added, Refused> {
    Ok(judge::added_in_memory(&judge_args(arguments)?)?)
}

fn judge_args(arguments: Vec<OsString>) -> Result<JudgeArgs, Refused> {
    let (cli, _) = parsed(named(arguments)).map_err(|error| usage(&error))?;
    let Command::Judge(args) = cli.command else { return Err(no_such_call("judge")) };
    Ok(args)
}

/// Returns the answer of `explain --json` with these arguments.
pub fn explained(arguments: Vec<OsString>) -> Result<Value, Refused> {
    let (cli, _) = parsed(named(arguments)).map_err(|error| usage(&error))?;
    let Command::Explain(args) = &cli.command else { return Err(no_such_call("explain")) };
    let url = args.url.as_deref().unwrap_or_default();
    explain::answer(args, url, &args.remote.watched_places(None))
        .map_err(|message| Refused::from(Failure::bad_option(message)))
}

/// Returns the items of `history` with these arguments.
pub fn history(arguments: Vec<OsString>) -> Result<Vec<HistoryItem>, Refused> {
    let (cli, _) = parsed(named(arguments)).map_err(|error| usage(&error))?;
    let Command::History(args) = &cli.command else { return Err(no_such_call("history")) };
    let (places, log) = (args.remote.watched_places(None), args.watch.log(Detail::Problems));
    let mut items = Vec::new();
    let passed = super::history::pass_on(args, &places, &log, &mut |item| {
        items.push(item);
        Ok(())
    });
    match passed {
        Ok(()) => Ok(items),
        Err(NoHistory::Failed(failure) | NoHistory::NotThere(failure)) => Err(failure.into()),
        Err(NoHistory::Output(error)) => Err(Refused::from(Ended::Stdout(error))),
    }
}

/// Puts the command's name first.
fn named(arguments: impl IntoIterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    std::iter::once(OsString::from("crawlprefs")).chain(arguments)
}

fn usage(error: &clap::Error) -> Refused {
    let message = error.render().to_string();
    let message = message.trim_start_matches("error: ").trim_end().to_owned();
    Refused { kind: "usage", message, retry: false }
}

fn no_such_call(expected: &str) -> Refused {
    Refused { kind: "usage", message: format!("found another command, expected {expected}"), retry: false }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self { kind: failure.kind, message: failure.detail, retry: failure.retry }
    }
}

impl From<Ended> for Refused {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Failed(failure) => failure.into(),
            Ended::Stdout(error) => {
                let message = format!("standard output: cannot be written: {error}");
                Self { kind: "output_unwritable", message, retry: true }
            }
        }
    }
}
