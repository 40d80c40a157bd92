//! The command's jobs, called by a program in its own process: arguments in, events and a report as values out.
//!
//! Example: `["run", "archives", "-o", "out"]` gives the events of `--log-format json` one by one, and then the same keys as
//! `--report` writes. Nothing is printed, no signal is handled and the process does not end.

pub use super::event::Failure;

use super::args::{Command, JudgeArgs};
use super::call::{Ended, watched, watching};
use super::event::Detail;
use super::report::{AskedCommand, Program};
use super::{INPUTS_FAILED, explain, index, judge, parsed, resolve_command, scan, scan_options};
use crawlprefs::explain::history::HistoryItem;
use crawlprefs::job::Unit;
use crawlprefs::judge::files::FilesOptions;
use crawlprefs::judge::{Added, Judge};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock, mpsc};

#[derive(Debug)]
pub struct Called {
    /// The exit status that the command would have.
    pub status: u8,
    /// The report, as `--report` writes it.
    pub report: Value,
}

/// An archive that a scan would read.
#[derive(Debug)]
pub struct Listed {
    /// Its name in the tables.
    pub name: String,
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
) -> Result<Called, Failure> {
    let talk = ["--log-format=json", "--verbose"].map(OsString::from);
    let mut arguments = arguments.into_iter();
    let arguments = arguments.next().into_iter().chain(talk).chain(arguments);
    let (command, mut asked) = command(arguments)?;
    asked.program = Some(Program {
        stop,
        events,
        report: OnceLock::new(),
    });
    let status = match &command {
        Command::Scan(args) => scan(args, None, &asked),
        Command::Resolve(args) => resolve_command(args, &asked),
        Command::Run(args) => scan(&args.scan, Some(&args.view), &asked),
        Command::Sites(args) => index::sites(args, &asked),
        _ => return Err(no_such_call("scan, resolve, run or sites")),
    };
    let status = status.map_err(Ended::into_failure)?;
    let report = asked
        .program
        .and_then(|program| program.report.into_inner());
    Ok(Called {
        status,
        report: report.unwrap_or_default(),
    })
}

/// Returns the archives that `scan` with these arguments would read, in the order of their names.
pub fn archives(arguments: Vec<OsString>) -> Result<Vec<Listed>, Failure> {
    let (Command::Scan(args), _) = command(arguments)? else {
        return Err(no_such_call("scan"));
    };
    let options = scan_options(&args, Unit::Archive, &args.remote.watched_places(None))?;
    let archives = options.archives()?;
    let listed = archives.into_iter().map(|archive| Listed {
        name: archive.input.name.filename().to_owned(),
        location: archive.input.source.location(),
        segment: archive.input.name.segment().map(str::to_owned),
        crawl: archive.crawl.into(),
    });
    Ok(listed.collect())
}

/// Judges files with the arguments of `judge`. The report has the counts, and the inputs that failed.
pub fn judged_files(arguments: Vec<OsString>) -> Result<Called, Failure> {
    let args = judge_args(arguments)?;
    let mut report = Value::default();
    let ended = watching(
        "judge",
        args.out.as_deref().and_then(Path::to_str),
        &args.watch,
        &args.remote,
        args.log(),
        |places| {
            let tally = judge::tally(&args, &judge::open(&args, places)?, places, None)?;
            let failed = tally
                .failed
                .iter()
                .map(|(name, detail)| json!({ "name": name, "detail": detail }));
            report = json!({
                "files": tally.judged + tally.known,
                "files_of_earlier_calls": tally.known,
                "failed_inputs": failed.collect::<Vec<_>>(),
                "counts": tally.counts,
                "audit": tally.audit,
                "inputs_not_judged": tally.sums.as_ref().map(|sums| &sums.not_judged),
            });
            Ok(if tally.failed.len() > args.max_failed {
                INPUTS_FAILED
            } else {
                0
            })
        },
    );
    Ok(Called {
        status: ended.map_err(Ended::into_failure)?,
        report,
    })
}

/// Opens the tables with the arguments of `judge`, to judge documents in memory.
pub fn judge(arguments: Vec<OsString>) -> Result<(Judge, FilesOptions), Failure> {
    let args = judge_args(arguments)?;
    let (places, ..) = watched(&args.watch, &args.remote, args.log())?;
    let (judge, options) = judge::open(&args, &places).map_err(Ended::into_failure)?;
    Ok((
        judge,
        FilesOptions {
            added: judge::added_in_memory(&args)?,
            ..options
        },
    ))
}

/// Returns the columns that rows in memory get by the arguments of `judge`; opens nothing.
pub fn judge_columns(arguments: Vec<OsString>) -> Result<Added, Failure> {
    judge::added_in_memory(&judge_args(arguments)?)
}

fn judge_args(arguments: Vec<OsString>) -> Result<JudgeArgs, Failure> {
    let (Command::Judge(args), _) = command(arguments)? else {
        return Err(no_such_call("judge"));
    };
    Ok(args)
}

/// Returns the answer of `explain --json` with these arguments.
pub fn explained(arguments: Vec<OsString>) -> Result<Value, Failure> {
    let (Command::Explain(args), _) = command(arguments)? else {
        return Err(no_such_call("explain"));
    };
    let url = args.url.as_deref().unwrap_or_default();
    Ok(explain::answer(
        &args,
        url,
        &args.remote.watched_places(None),
    )?)
}

/// Returns the items of `history` with these arguments.
pub fn history(arguments: Vec<OsString>) -> Result<Vec<HistoryItem>, Failure> {
    let (Command::History(args), _) = command(arguments)? else {
        return Err(no_such_call("history"));
    };
    let places = args.remote.watched_places(None);
    let log = args.watch.log(Detail::Problems);
    let mut items = Vec::new();
    let passed = super::history::pass_on(&args, &places, &log, &mut |item| {
        items.push(item);
        Ok(())
    });
    passed.map(|()| items).map_err(Ended::into_failure)
}

/// Reads arguments without the command's name.
fn command(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<(Command, AskedCommand), Failure> {
    parsed(std::iter::once(OsString::from("crawlprefs")).chain(arguments)).map_err(|error| {
        let message = error.render().to_string();
        Failure::lasting("usage", message.trim_start_matches("error: ").trim_end())
    })
}

fn no_such_call(expected: &str) -> Failure {
    Failure::lasting(
        "usage",
        format!("found another command, expected {expected}"),
    )
}
