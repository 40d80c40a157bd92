//! The command line: flags to a job, a summary to text, errors to exit statuses.
//!
//! [`command`] is the whole command. [`called`] has its jobs for a program that calls them in its own process, such as the
//! Python package: the same options and words, with events and results as JSON.

mod about;
mod args;
mod call;
pub mod called;
mod counts;
mod demo;
mod dry_run;
mod event;
mod explain;
mod extract;
mod history;
mod index;
mod judge;
mod log;
mod metrics;
mod output;
mod progress;
mod report;
mod requests;
mod resolve;
mod status;
mod summary;
mod watched;

use args::{
    Cli, Command, ExplainArgs, ExtractArgs, RemoteArgs, ResolveArgs, RunArgs, ScanArgs, SchemaArgs, WatchArgs,
};
use call::{Call, CallHost, Ended};
use clap::FromArgMatches;
use crawlprefs::error::Error;
use crawlprefs::job::{self, Missing, ResolveOptions, ResolveTally, Unit};
use crawlprefs::runs::{Existing, Look};
use crawlprefs::store::{Places, Store};
use crawlprefs::tables::{TABLES, Table, describe, markdown};
use event::Failure;
use log::Log;
use report::{CallResults, GivenOptions};
use requests::Requests;
use resolve::scan_options;
use std::ffi::OsString;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use watched::Watched;

/// The job could not run.
const COULD_NOT_RUN: u8 = 1;
/// The arguments cannot be used.
const WRONG_USAGE: u8 = 2;
/// Done, but more inputs failed than were allowed.
const INPUTS_FAILED: u8 = 3;

/// What is printed if the arguments ask for nothing.
const FIRST_STEPS: &str = "\
crawlprefs reads web archives and writes, for every page, who may crawl it and what may be done with it.

  crawlprefs demo                               a first answer, from small archives in the binary
  crawlprefs run INPUT... -o OUT                archives to tables
  crawlprefs explain --tables OUT --url URL     why a page is open or closed
  crawlprefs report OUT -o report.html          the tables as a page with plots

crawlprefs --help lists all commands, crawlprefs COMMAND --help the options of one.
";

/// How to get the report, which this binary lacks.
const NO_REPORT: &str = "report: is in the Python package: pip install './python[report]'";

/// Runs the command with its arguments (the first is its name); returns the exit status.
///
/// Until the process ends, SIGINT and SIGTERM ask the work to stop.
pub fn command(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let outcome = match arguments.get(1..) {
        None | Some([]) => output::print(FIRST_STEPS).map(|()| WRONG_USAGE),
        Some(given) if about::asks_for_documents(given) => output::print(&about::documents()).map(|()| 0),
        Some(_) => match parsed(arguments.iter().cloned()) {
            Ok((cli, given)) => carry_out(cli.command, &given),
            Err(error) => {
                call::refuse_usage(&arguments, &error);
                output::print_usage(&error)
            }
        },
    };
    match outcome {
        Ok(status) => status,
        // The reader of the output is gone.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(error) => {
            let detail = format!("standard output: cannot be written: {error}");
            Log::plain().error(Failure { kind: "output_unwritable", detail, retry: true });
            COULD_NOT_RUN
        }
    }
}

/// Reads arguments; the first is the command's name.
fn parsed(arguments: impl IntoIterator<Item = OsString>) -> Result<(Cli, GivenOptions), clap::Error> {
    let mut command = args::command();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let matches = command.try_get_matches_from_mut(&arguments)?;
    let given = report::given(&command, &matches);
    let mut cli = Cli::from_arg_matches(&matches)?;
    if let Command::Judge(args) = &mut cli.command {
        let words = arguments.iter().skip(1);
        args.words = words.map(|word| word.to_string_lossy().into_owned()).collect();
    }
    Ok((cli, given))
}

fn carry_out(command: Command, given: &GivenOptions) -> io::Result<u8> {
    match command {
        Command::Scan(args) => logged(&args.talk.log(), scan(&args, given, &CallHost::Terminal)),
        Command::Resolve(args) => {
            logged(&args.talk.log(), resolve_command(&args, given, &CallHost::Terminal))
        }
        Command::Run(args) => logged(&args.scan.talk.log(), run(&args, given, &CallHost::Terminal)),
        Command::Status(args) => logged(&status::log(&args), status::print(&args)),
        Command::Sites(args) => logged(&args.talk.log(), index::sites(&args, given, &CallHost::Terminal)),
        Command::Index(args) => logged(&args.talk.log(), index::make(&args, given, &CallHost::Terminal)),
        Command::Explain(args) => explain_command(&args),
        Command::History(args) => history::print(&args),
        Command::Extract(args) => extract_command(&args),
        Command::Judge(args) => logged(&args.log(), judge::judge(&args)),
        Command::Schema(args) => schema(&args),
        // The package handles it before it calls the command.
        Command::Report { arguments: _ } => {
            Log::plain().error(Failure::bad_option(NO_REPORT.to_owned()));
            Ok(COULD_NOT_RUN)
        }
        Command::Demo(args) => demo::demo(&args),
        Command::Completions { shell } => {
            // It panics if it cannot write.
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut args::command(), "crawlprefs", &mut text);
            output::print_bytes(&text).map(|()| 0)
        }
        Command::Man { out: Some(folder) } => Ok(about::write(&folder)),
        Command::Man { out: None } => about::print(),
    }
}

fn logged(log: &Log, outcome: Result<u8, Ended>) -> io::Result<u8> {
    match outcome {
        Ok(status) => Ok(status),
        Err(Ended::Stdout(error)) => Err(error),
        Err(Ended::Failed(failure)) => {
            log.error(failure);
            Ok(COULD_NOT_RUN)
        }
    }
}

fn explain_command(args: &ExplainArgs) -> io::Result<u8> {
    if let (Some(folder), Some(document)) = (&args.judged, &args.subject) {
        let explained = |places: &Places| explain::judged(args, folder, document, places);
        return watching("explain", &args.watch, &args.remote, explained);
    }
    let Some(url) = args.url.as_ref().or(args.subject.as_ref()) else {
        let errors = explain::lines()?;
        return Ok(if errors == 0 { 0 } else { COULD_NOT_RUN });
    };
    // Each text of others is escaped already; between them may be colours.
    watching("explain", &args.watch, &args.remote, |places| explain::one(args, url, places))
}

/// Watches the requests of a command that gives a text, and prints the text.
fn watching(
    command: &'static str,
    args: &WatchArgs,
    remote: &RemoteArgs,
    text: impl FnOnce(&Places) -> Result<String, resolve::Refusal>,
) -> io::Result<u8> {
    let log = args.log(event::Detail::Problems);
    let watched = match Watched::begin(command, args, log.clone()) {
        Ok(watched) => watched,
        Err(error) => {
            log.error(&error);
            return Ok(COULD_NOT_RUN);
        }
    };
    match text(&watched.places(remote)) {
        Ok(text) => {
            watched.end(0);
            output::print_bytes(text.as_bytes()).map(|()| 0)
        }
        Err(message) => {
            log.error(Failure::bad_option(message));
            watched.end(COULD_NOT_RUN);
            Ok(COULD_NOT_RUN)
        }
    }
}

fn extract_command(args: &ExtractArgs) -> io::Result<u8> {
    watching("extract", &args.watch, &args.remote, |places| extract::extract(args, places))
}

fn schema(args: &SchemaArgs) -> io::Result<u8> {
    let mut tables: Vec<&'static Table> = TABLES.to_vec();
    if !args.tables.is_empty() {
        tables.retain(|table| args.tables.iter().any(|name| name == table.name));
    }
    let text = match args.sql {
        _ if args.systems => about::systems(),
        _ if args.labels => about::labels(),
        Some(engine) => engine.text(&tables, &args.out),
        None if args.markdown => markdown(&tables),
        None => describe(&tables),
    };
    output::print(&text).map(|()| 0)
}

fn scan(args: &ScanArgs, given: &GivenOptions, host: &CallHost) -> Result<u8, Ended> {
    let requests = Arc::new(Requests::new(host.log(&args.talk)));
    let places = args.remote().places_of(&args.talk, &requests);
    if args.dry_run {
        let out = resolve::store(&args.out, &places)?;
        return dry_run::of_scan(&scan_options(args, Unit::Archive, &places)?, out.as_ref());
    }
    let call = Call::begin(&args.talk, given, host, &requests)?;
    let scanned = scan_options(args, Unit::Archive, &places).and_then(|options| {
        let store = resolve::store(&args.out, &places)?;
        job::scan(&options, store.as_ref(), call.progress())
    });
    let summary = match scanned {
        Ok(summary) => summary,
        Err(error) => return Err(call.fail(error)),
    };
    call.finish(&CallResults { scan: Some(&summary), ..CallResults::default() }, |log, seconds| {
        let text = summary::of_scan(&summary, seconds, &args.out);
        (call::status(log, &summary, args.max_failed), text)
    })
}

fn resolve_command(args: &ResolveArgs, given: &GivenOptions, host: &CallHost) -> Result<u8, Ended> {
    let requests = Arc::new(Requests::new(host.log(&args.talk)));
    let places = args.store.with_defaults().places_of(&args.talk, &requests);
    if args.dry_run {
        let (out, options) = resolve_options(args, &places)?;
        let folders = ResolveFolders::open(out, args, &places)?;
        let plan = job::plan(&folders.evidence(), folders.out.as_ref(), &options)?;
        return dry_run::of_resolve(&plan);
    }
    let call = Call::begin(&args.talk, given, host, &requests)?;
    let (out, options) = match resolve_options(args, &places) {
        Ok(read) => read,
        Err(failure) => return Err(call.fail(failure)),
    };
    let resolved = ResolveFolders::open(out, args, &places).and_then(|folders| {
        let evidence = folders.evidence();
        job::resolve(&evidence, folders.out.as_ref(), &options, call.progress())
    });
    let tally = match resolved {
        Ok(tally) => tally,
        Err(error) => return Err(call.fail(error)),
    };
    call.finish(&CallResults { resolve: Some(&tally), ..CallResults::default() }, |_, _| {
        (resolve_status(&tally), summary::of_resolve(&tally, &args.view, out))
    })
}

/// Returns the folder of the tables, and how they are made.
fn resolve_options<'a>(
    args: &'a ResolveArgs,
    places: &Places,
) -> Result<(&'a Path, ResolveOptions), Failure> {
    let ((Some(out), _) | (None, [out])) = (&args.out, args.evidence.as_slice()) else {
        let detail = "several folders of evidence: give a folder for the tables with -o";
        return Err(Failure::bad_option(detail.to_owned()));
    };
    let mut options =
        resolve::options(&args.view, jobs(args.jobs), args.memory_limit).map_err(Failure::bad_option)?;
    options.existing = if args.overwrite { Existing::Replace } else { Existing::Continue };
    options.missing = if args.drop_missing { Missing::Drop } else { Missing::Refuse };
    options.look = if args.verify { Look::Bytes } else { Look::Lengths };
    options.required = resolve::required(&args.view, None, None, places)?;
    options.share = args.share.of(Unit::Segment);
    options.segments = (!args.segment.is_empty()).then(|| args.segment.iter().cloned().collect());
    Ok((out, options))
}

struct ResolveFolders {
    evidence: Vec<Box<dyn Store>>,
    out: Box<dyn Store>,
}

impl ResolveFolders {
    fn open(out: &Path, args: &ResolveArgs, places: &Places) -> Result<Self, Error> {
        // The output's own evidence is known by its location, however it was given.
        let same = |folder: &Path| {
            out.canonicalize().is_ok_and(|out| folder.canonicalize().is_ok_and(|it| it == out))
        };
        let folder = |folder: &PathBuf| {
            if same(folder) { resolve::store(out, places) } else { resolve::input(folder, places) }
        };
        let evidence = args.evidence.iter().map(folder).collect::<Result<_, Error>>()?;
        Ok(Self { evidence, out: resolve::store(out, places)? })
    }

    fn evidence(&self) -> Vec<&dyn Store> {
        self.evidence.iter().map(AsRef::as_ref).collect()
    }
}

fn run(args: &RunArgs, given: &GivenOptions, host: &CallHost) -> Result<u8, Ended> {
    let RunArgs { scan: ScanArgs { talk, out, max_failed, .. }, view } = args;
    let requests = Arc::new(Requests::new(host.log(talk)));
    let places = args.scan.remote().places_of(talk, &requests);
    if args.scan.dry_run {
        let out = resolve::store(out, &places)?;
        return dry_run::of_scan(&scan_options(&args.scan, Unit::Segment, &places)?, out.as_ref());
    }
    let call = Call::begin(talk, given, host, &requests)?;
    let (scanned, tally) = match run_halves(args, &places, &call) {
        Ok(ran) => ran,
        Err(failure) => return Err(call.fail(failure)),
    };
    call.finish(
        &CallResults { scan: Some(&scanned), resolve: tally.as_ref(), ..CallResults::default() },
        |log, seconds| {
            let text = match &tally {
                Some(tally) => summary::of_run(&scanned, seconds, tally, view, out),
                None => summary::of_scan(&scanned, seconds, out),
            };
            let resolve_status = tally.as_ref().map_or(0, resolve_status);
            (call::status(log, &scanned, *max_failed).max(resolve_status), text)
        },
    )
}

fn run_halves(
    args: &RunArgs,
    places: &Places,
    call: &Call<'_>,
) -> Result<(job::Summary, Option<ResolveTally>), Failure> {
    let options = scan_options(&args.scan, Unit::Segment, places)?;
    // A wrong flag of the second half must not be found after hours of the first.
    let mut resolve_options =
        resolve::options(&args.view, options.jobs, options.memory_bytes).map_err(Failure::bad_option)?;
    resolve_options.look = options.look;
    let ScanArgs { base, crawl, .. } = &args.scan;
    resolve_options.required = resolve::required(&args.view, base.as_deref(), crawl.as_deref(), places)?;
    let store = resolve::store(&args.scan.out, places)?;
    Ok(job::run(&options, &resolve_options, store.as_ref(), call.progress())?)
}

/// Returns the exit status of a resolve that went to its end.
fn resolve_status(tally: &ResolveTally) -> u8 {
    if tally.failed_batches.is_empty() { 0 } else { INPUTS_FAILED }
}

fn jobs(jobs: Option<NonZeroUsize>) -> NonZeroUsize {
    jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}
