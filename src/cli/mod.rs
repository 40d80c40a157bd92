//! The command line: flags to a job, a summary to text, errors to exit statuses.
//!
//! [`command`] is the whole command. [`called`] has its jobs for a program that calls them in its own process, such as the
//! Python package: the same options and words, with events and results as JSON.

mod about;
mod args;
mod call;
pub mod called;
mod checked;
mod counts;
mod demo;
mod event;
mod explain;
mod extract;
mod history;
mod index;
mod judge;
mod lint;
mod log;
mod metrics;
mod output;
mod progress;
mod report;
mod resolve;
mod status;
mod summary;

use args::{
    Cli, Command, ExplainArgs, RemoteArgs, ResolveArgs, ScanArgs, SchemaArgs, ViewArgs, WatchArgs,
};
use call::{Call, Ended, watching};
use clap::FromArgMatches;
use clap::error::ErrorKind;
use crawlprefs::error::Error;
use crawlprefs::job::{
    self, Missing, PartPlan, Progress, ResolveOptions, ScanOptions, Share, Unit,
};
use crawlprefs::runs::{Comparison, Existing, batch_id};
use crawlprefs::store::{Places, Store};
use crawlprefs::tables::{TABLES, Table, describe, markdown, sql};
use crawlprefs::web::shown::visible;
use event::{Detail, Failure};
use log::Log;
use report::{AskedCommand, CallResults};
use resolve::{Refusal, scan_options};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const COULD_NOT_RUN: u8 = 1;
const WRONG_USAGE: u8 = 2;
/// Done, but more inputs failed than were allowed.
const INPUTS_FAILED: u8 = 3;

/// What is printed if the arguments ask for nothing.
const FIRST_STEPS: &str = "\
crawlprefs reads web archives and writes, for every page, who may crawl it and
what may be done with it.

  crawlprefs demo                            a first answer, from small archives
  crawlprefs run INPUT... -o OUT             archives to tables
  crawlprefs explain URL --tables OUT        why a page is open or closed
  crawlprefs judge DOCS --tables OUT -o DIR  which documents may be kept
  crawlprefs lint robots.txt                 what is read of a site's own files
  crawlprefs report OUT -o report.html       the tables as a page with plots

crawlprefs --help lists all commands, crawlprefs COMMAND --help the options of
one.
";

/// How to get the report, which this binary lacks.
const NO_REPORT: &str = "report: is in the Python package: pip install './python[report]'";

/// Runs the command with its arguments (the first is its name); returns the exit status.
///
/// Until the process ends, SIGINT and SIGTERM ask the work to stop.
pub fn command(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let outcome = match arguments.get(1..) {
        None | Some([]) => output::print(FIRST_STEPS).map(|_| WRONG_USAGE),
        Some(given) if about::asks_for_documents(given) => output::print(&about::documents()),
        Some(_) => match parsed(arguments.iter().cloned()) {
            Ok((command, asked)) => carry_out(&command, &asked),
            Err(error) => {
                call::refuse_usage(&arguments, &error);
                output::print_usage(&error)
            }
        },
    };
    outcome.map_err(Ended::from).unwrap_or_else(|ended| {
        let status = ended.status();
        if status != 0 {
            Log::plain().error(ended.into_failure());
        }
        status
    })
}

/// Reads arguments; the first is the command's name.
fn parsed(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<(Command, AskedCommand), clap::Error> {
    let mut command = args::command();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let matches = command.try_get_matches_from_mut(&arguments)?;
    let mut asked = AskedCommand::from_matches(&command, &matches);
    let mut usage = command;
    let mut command = Cli::from_arg_matches(&matches)?.command;
    match &mut command {
        Command::Judge(args) => {
            let words = arguments.iter().skip(1);
            args.words = words
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
        }
        Command::Explain(args) => args.settle(),
        _ => {}
    }
    asked.agent_unknown = checked::check(&command).map_err(|detail| {
        let of_command = matches
            .subcommand_name()
            .and_then(|name| usage.find_subcommand_mut(name));
        match of_command {
            Some(usage) => usage.error(ErrorKind::ValueValidation, detail),
            None => clap::Error::raw(ErrorKind::ValueValidation, detail),
        }
    })?;
    Ok((command, asked))
}

/// Does what a command says, and logs why it could not; returns the exit status.
fn carry_out(command: &Command, asked: &AskedCommand) -> io::Result<u8> {
    let printed = |printed: io::Result<u8>| (Log::plain(), printed.map_err(Ended::from));
    let warn = |log: Log| {
        if let Some(warning) = asked.unknown_agent() {
            log.warn(warning);
        }
        log
    };
    let (log, outcome) = match command {
        Command::Scan(args) => (args.talk.log(), scan(args, None, asked)),
        Command::Resolve(args) => (warn(args.talk.log()), resolve_command(args, asked)),
        Command::Run(args) => (
            warn(args.scan.talk.log()),
            scan(&args.scan, Some(&args.view), asked),
        ),
        Command::Status(args) => (
            Log::new(args.log_format, Detail::Problems),
            status::print(args),
        ),
        Command::Sites(args) => (warn(args.talk.log()), index::sites(args, asked)),
        Command::Index(args) => (args.talk.log(), index::make(args, asked)),
        Command::Explain(args) => (
            warn(args.watch.log(Detail::Problems)),
            explain_command(args),
        ),
        Command::History(args) => (warn(args.watch.log(Detail::Problems)), history::print(args)),
        Command::Lint(args) => (Log::plain(), lint::lint(args)),
        Command::Extract(args) => {
            let text = |places: &Places| extract::extract(args, places);
            (
                args.watch.log(Detail::Problems),
                print_text("extract", &args.watch, &args.remote, text),
            )
        }
        Command::Judge(args) => (warn(args.log()), judge::judge(args)),
        Command::Schema(args) => printed(output::print(&schema(args))),
        // The package handles it before it calls the command.
        Command::Report { arguments: _ } => {
            (Log::plain(), Err(Failure::bad_option(NO_REPORT).into()))
        }
        Command::Demo(args) => (Log::plain(), demo::demo(args)),
        Command::Completions { shell } => {
            // It panics if it cannot write.
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut args::command(), "crawlprefs", &mut text);
            printed(output::print_bytes(&text))
        }
        Command::Man { out: Some(folder) } => (Log::plain(), about::write(folder)),
        Command::Man { out: None } => printed(about::print()),
    };
    match outcome {
        Ok(status) => Ok(status),
        Err(Ended::Stdout(error)) => Err(error),
        Err(Ended::Failed(failure)) => {
            log.error(failure);
            Ok(COULD_NOT_RUN)
        }
    }
}

fn explain_command(args: &ExplainArgs) -> Result<u8, Ended> {
    let Some(url) = args.url.as_ref().or(args.subject.as_ref()) else {
        return Ok(if explain::lines()? == 0 {
            0
        } else {
            COULD_NOT_RUN
        });
    };
    print_text("explain", &args.watch, &args.remote, |places| {
        match (&args.judged, &args.subject) {
            (Some(folder), Some(document)) => explain::judged(args, folder, document, places),
            _ => explain::one(args, url, places),
        }
    })
}

fn print_text(
    command: &str,
    args: &WatchArgs,
    remote: &RemoteArgs,
    text: impl FnOnce(&Places) -> Result<String, Refusal>,
) -> Result<u8, Ended> {
    watching(
        command,
        None,
        args,
        remote,
        args.log(Detail::Problems),
        |places| {
            // Each text of others is escaped already; between them may be colours.
            Ok(output::print_bytes(text(places)?.as_bytes())?)
        },
    )
}

fn schema(args: &SchemaArgs) -> String {
    let is_named =
        |table: &&&Table| args.tables.is_empty() || args.tables.iter().any(|it| it == table.name);
    let tables: Vec<&'static Table> = TABLES.iter().filter(is_named).copied().collect();
    match args.sql {
        _ if args.systems => about::systems(),
        _ if args.labels => about::labels(),
        Some(engine) => sql(&tables, engine, &args.out),
        None if args.markdown => markdown(&tables),
        None => describe(&tables),
    }
}

/// Scans archives, and with a view resolves the evidence.
fn scan(args: &ScanArgs, view: Option<&ViewArgs>, asked: &AskedCommand) -> Result<u8, Ended> {
    let call = Call::new(asked, &args.talk, &args.remote());
    let places = &call.places;
    let unit = if view.is_some() {
        Unit::Segment
    } else {
        Unit::Archive
    };
    if args.dry_run {
        let out = resolve::store(&args.out, places)?;
        let view = view.map(resolve::options).transpose()?;
        let plan = scan_plan(
            &scan_options(args, unit, places)?,
            view.as_ref(),
            out.as_ref(),
        )?;
        return Ok(output::print(&plan)?);
    }
    let job = |progress: &dyn Progress| {
        let options = scan_options(args, unit, places)?;
        let Some(view) = view else {
            let store = resolve::store(&args.out, places)?;
            let scan = Some(job::scan(&options, store.as_ref(), progress)?);
            return Ok(CallResults {
                scan,
                ..CallResults::default()
            });
        };
        // A wrong flag of the second half must not be found after hours of the first.
        let mut resolve_options = resolve::options(view)?;
        (resolve_options.jobs, resolve_options.memory_bytes) = (options.jobs, options.memory_bytes);
        resolve_options.comparison = options.comparison;
        let base = args.base.as_deref();
        let of_crawl = (args.crawl.as_ref(), &Share::ALL);
        resolve_options.required = resolve::listed(&view.require, base, of_crawl, places)?;
        let store = resolve::store(&args.out, places)?;
        let (scan, resolve) = job::run(&options, &resolve_options, store.as_ref(), progress)?;
        Ok(CallResults {
            scan: Some(scan),
            resolve,
            ..CallResults::default()
        })
    };
    call.carry_out(job, |results, seconds| {
        let text = summary::render(results, seconds, view, &args.out);
        (call::status(call.log(), results, args.max_failed), text)
    })
}

/// Returns a line for each archive, below its batch.
fn scan_plan(
    options: &ScanOptions,
    view: Option<&ResolveOptions>,
    out: &dyn Store,
) -> Result<String, Error> {
    let archives = options.archives()?;
    let steps = job::plan_scan(&archives, options, view, out)?;
    let mut batches = BTreeMap::<_, String>::new();
    for (archive, step) in archives.iter().zip(steps) {
        let name = &archive.input.name;
        let text = batches
            .entry((archive.crawl.to_string(), batch_id(name)))
            .or_insert_with_key(|(crawl, batch)| format!("crawl={crawl} {}\n", visible(batch)));
        let line = format!("  {}: {}\n", visible(name.filename()), step.words("read"));
        text.push_str(&line);
    }
    Ok(batches.into_values().collect())
}

/// Returns a line such as `crawl=CC-MAIN-2026-34 17.1-warc-0000: to make from 50 archives (new)`.
fn part_line(part: &PartPlan) -> String {
    let from = match part.archives {
        0 => "make".to_owned(),
        archives => format!("make from {archives} archives"),
    };
    format!(
        "crawl={} {}: {}\n",
        part.crawl,
        visible(&part.batch),
        part.step.words(&from)
    )
}

fn resolve_command(args: &ResolveArgs, asked: &AskedCommand) -> Result<u8, Ended> {
    let call = Call::new(asked, &args.talk, &args.store.with_defaults());
    let places = &call.places;
    let opened = || -> Result<_, Failure> {
        let (out, options) = resolve_options(args, places)?;
        Ok((
            evidence_of(args, places)?,
            resolve::store(out, places)?,
            options,
        ))
    };
    if args.dry_run {
        let (evidence, store, options) = opened()?;
        let evidence: Vec<&dyn Store> = evidence.iter().map(AsRef::as_ref).collect();
        let plan = job::plan(&evidence, store.as_ref(), &options)?;
        let text: String = plan.iter().map(part_line).collect();
        return Ok(output::print(&text)?);
    }
    let job = |progress: &dyn Progress| {
        let (evidence, store, options) = opened()?;
        let evidence: Vec<&dyn Store> = evidence.iter().map(AsRef::as_ref).collect();
        let resolve = Some(job::resolve(&evidence, store.as_ref(), &options, progress)?);
        Ok(CallResults {
            resolve,
            ..CallResults::default()
        })
    };
    call.carry_out(job, |results, seconds| {
        let text = |out: &PathBuf| summary::render(results, seconds, Some(&args.view), out);
        let text = args.out.as_ref().or(args.evidence.first()).map(text);
        (
            call::status(call.log(), results, 0),
            text.unwrap_or_default(),
        )
    })
}

fn resolve_options<'a>(
    args: &'a ResolveArgs,
    places: &Places,
) -> Result<(&'a Path, ResolveOptions), Failure> {
    let ((Some(out), _) | (None, [out])) = (&args.out, args.evidence.as_slice()) else {
        let detail = "several folders of evidence: give a folder for the tables with -o";
        return Err(Failure::bad_option(detail));
    };
    let mut options = resolve::options(&args.view)?;
    (options.jobs, options.memory_bytes) = (jobs(args.workers.jobs), args.workers.memory_limit);
    options.existing = Existing::of(args.overwrite);
    options.missing = Missing::of(args.drop_missing);
    options.comparison = Comparison::of(args.verify);
    options.required = resolve::listed(&args.view.require, None, (None, &Share::ALL), places)?;
    options.share = args.share.of(Unit::Segment);
    options.segments = (!args.segment.is_empty()).then(|| args.segment.iter().cloned().collect());
    Ok((out, options))
}

fn evidence_of(args: &ResolveArgs, places: &Places) -> Result<Vec<Arc<dyn Store>>, Error> {
    let folders = args.evidence.iter();
    folders
        .map(|folder| resolve::input(folder, places))
        .collect()
}

fn jobs(jobs: Option<NonZeroUsize>) -> NonZeroUsize {
    jobs.or_else(|| std::thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN)
}
