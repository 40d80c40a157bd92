//! The command line: flags to a job, a summary to text, errors to exit statuses.

mod about;
mod args;
mod explain;
mod messages;
mod progress;
mod resolve;
mod summary;

use args::{Cli, Command, ExplainArgs, ResolveArgs, RunArgs, ScanArgs, SchemaArgs, TalkArgs, ViewArgs};
use clap::{CommandFactory, Parser};
use crawlprefs::error::Error;
use crawlprefs::evidence::Depth;
use crawlprefs::job::{
    self, Changed, Existing, Named, ResolveOptions, ResolveTally, ScanOptions, Summary, Unit, batch_id,
};
use crawlprefs::store::{FolderStore, Store};
use crawlprefs::tables::{TABLES, Table, describe, markdown, sql};
use messages::{Form, Voice};
use progress::Shown;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The job could not run.
const COULD_NOT_RUN: u8 = 1;
/// Done, but more inputs failed than were allowed.
const INPUTS_FAILED: u8 = 3;

/// Runs the command.
pub fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Scan(args) => scan(&args),
        Command::Resolve(args) => resolve_command(&args),
        Command::Run(args) => run(&args),
        Command::Explain(args) => explain_command(&args),
        Command::Schema(args) => schema(&args),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "crawlprefs", &mut io::stdout());
            Ok(0)
        }
        Command::Man => clap_mangen::Man::new(Cli::command()).render(&mut io::stdout()).map(|()| 0),
    };
    match outcome {
        Ok(status) => ExitCode::from(status),
        // Whoever reads our output has enough of it.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("crawlprefs: {error}");
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

fn explain_command(args: &ExplainArgs) -> io::Result<u8> {
    let Some(url) = &args.url else {
        let errors = explain::lines()?;
        return Ok(if errors == 0 { 0 } else { COULD_NOT_RUN });
    };
    match explain::one(args, url) {
        Ok(text) => io::stdout().write_all(text.as_bytes()).map(|()| 0),
        Err(message) => {
            Voice::new(Form::Text).error(&message);
            Ok(COULD_NOT_RUN)
        }
    }
}

fn schema(args: &SchemaArgs) -> io::Result<u8> {
    let mut tables: Vec<&'static Table> = TABLES.to_vec();
    if !args.tables.is_empty() {
        tables.retain(|table| args.tables.iter().any(|name| name == table.name));
    }
    let text = match args.sql {
        _ if args.systems => about::systems(),
        _ if args.labels => about::labels(),
        Some(dialect) => sql(&tables, dialect.into(), &args.out),
        None if args.markdown => markdown(&tables),
        None => describe(&tables),
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

fn scan(args: &ScanArgs) -> io::Result<u8> {
    let voice = Voice::new(args.talk.log_format.into());
    let options = match options(args, Unit::Archive) {
        Ok(options) => options,
        Err(error) => return Ok(refuse(&voice, &error)),
    };
    if args.dry_run {
        return dry_run(&voice, &options);
    }
    let clock = Clock::start(&args.talk, &voice)?;
    let progress = clock.shown();
    let scanned = job::scan(&options, &FolderStore::new(args.out.clone()), &progress);
    progress.end();
    let summary = match scanned {
        Ok(summary) => summary,
        Err(error) => return Ok(refuse(&voice, &error)),
    };
    let report = summary::Report { scan: Some(&summary), resolve: None, seconds: clock.seconds() };
    finish(args.report.as_deref(), &report, &clock, || {
        let after = if summary.inputs == 0 { String::new() } else { summary::after_scan(&args.out) };
        let text = summary::of_scan(&summary, clock.seconds()) + "\n" + &after;
        (text, status(&voice, &summary, args.max_failed))
    })
}

fn resolve_command(args: &ResolveArgs) -> io::Result<u8> {
    let voice = Voice::new(args.talk.log_format.into());
    let existing = if args.overwrite { Existing::Replace } else { Existing::Continue };
    let clock = Clock::start(&args.talk, &voice)?;
    let out = match (&args.out, args.evidence.as_slice()) {
        (Some(out), _) | (None, [out]) => out,
        (None, _) => {
            return Ok(clock.refuse("several folders of evidence: give a folder for the tables with -o"));
        }
    };
    let tally = match resolve::options(&args.view, jobs(args.jobs), existing)
        .map_err(|message| clock.refuse(&message))
        .and_then(|mut options| {
            options.share = args.share.of(Unit::Segment);
            clock.resolve(&args.view, &options, (&args.evidence, out))
        }) {
        Ok(tally) => tally,
        Err(status) => return Ok(status),
    };
    let report = summary::Report { scan: None, resolve: Some(&tally), seconds: clock.seconds() };
    finish(args.report.as_deref(), &report, &clock, || {
        let status = stopped_by_bug(&voice, &tally.failed_batches).unwrap_or(0);
        (summary::of_resolve(&tally, &args.view, out), status)
    })
}

fn run(args: &RunArgs) -> io::Result<u8> {
    let voice = Voice::new(args.scan.talk.log_format.into());
    let options = match options(&args.scan, Unit::Segment) {
        Ok(options) => options,
        Err(error) => return Ok(refuse(&voice, &error)),
    };
    if args.scan.dry_run {
        return dry_run(&voice, &options);
    }
    let clock = Clock::start(&args.scan.talk, &voice)?;
    // A wrong flag of the second half must not be found after hours of the first.
    let resolve_options = match resolve::options(&args.view, options.jobs, options.existing) {
        Ok(options) => options,
        Err(message) => return Ok(clock.refuse(&message)),
    };
    let (out, later) = (&args.scan.out, args.view.later.clone().map(FolderStore::new));
    let later = later.as_ref().map(|later| later as &dyn Store);
    let progress = clock.shown();
    let ran = job::run(&options, &resolve_options, later, &FolderStore::new(out.clone()), &progress);
    progress.end();
    let (scanned, tally) = match ran {
        Ok(ran) => ran,
        Err(error) => return Ok(refuse(&voice, &error)),
    };
    let report = summary::Report { scan: Some(&scanned), resolve: tally.as_ref(), seconds: clock.seconds() };
    finish(args.scan.report.as_deref(), &report, &clock, || {
        let resolved = tally.as_ref().map(|tally| summary::of_resolve(tally, &args.view, out));
        let text = summary::of_scan(&scanned, clock.seconds()) + "\n" + &resolved.unwrap_or_default();
        let resolved = tally.as_ref().and_then(|tally| stopped_by_bug(&voice, &tally.failed_batches));
        (text, status(&voice, &scanned, args.scan.max_failed).max(resolved.unwrap_or(0)))
    })
}

/// A command under way: what it shows, and whether it is to stop.
struct Clock<'c> {
    voice: &'c Voice,
    talk: &'c TalkArgs,
    signal: Arc<AtomicUsize>,
    begun: Instant,
}

impl<'c> Clock<'c> {
    fn start(talk: &'c TalkArgs, voice: &'c Voice) -> io::Result<Self> {
        Ok(Self { voice, talk, signal: stop_signals()?, begun: Instant::now() })
    }

    fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    fn shown(&self) -> Shown {
        Shown::new(self.talk.looks(), self.voice.clone(), Arc::clone(&self.signal))
    }

    fn refuse(&self, message: &str) -> u8 {
        self.voice.error(message);
        COULD_NOT_RUN
    }

    fn resolve(
        &self,
        view: &ViewArgs,
        options: &ResolveOptions,
        (evidence, out): (&[PathBuf], &Path),
    ) -> Result<ResolveTally, u8> {
        let later = view.later.clone().map(FolderStore::new);
        let later = later.as_ref().map(|later| later as &dyn Store);
        // The output's own evidence is known by its location, however it was given.
        let same = |folder: &Path| {
            out.canonicalize().is_ok_and(|out| folder.canonicalize().is_ok_and(|it| it == out))
        };
        let folder = |folder: &PathBuf| FolderStore::new(if same(folder) { out } else { folder }.to_owned());
        let folders: Vec<FolderStore> = evidence.iter().map(folder).collect();
        let folders: Vec<&dyn Store> = folders.iter().map(|folder| folder as &dyn Store).collect();
        let progress = self.shown();
        let result = job::resolve(&folders, later, &FolderStore::new(out.to_owned()), options, &progress);
        progress.end();
        result.map_err(|error| refuse(self.voice, &error))
    }
}

/// Writes the report and the summary; returns the exit status.
fn finish(
    file: Option<&Path>,
    report: &summary::Report<'_>,
    clock: &Clock<'_>,
    text_and_status: impl FnOnce() -> (String, u8),
) -> io::Result<u8> {
    if let Some(file) = file
        && let Err(source) = report.write(file)
    {
        let error = Error::OutputUnwritable { location: file.display().to_string(), source };
        return Ok(refuse(clock.voice, &error));
    }
    if report.is_stopped() {
        clock.voice.warn(
            "stopped; archives and batches that were finished are whole, and the same command goes on from there",
        );
        return Ok(stopped_status(clock.signal.load(Ordering::Relaxed)));
    }
    let (text, status) = text_and_status();
    if !clock.talk.quiet {
        io::stdout().write_all(text.as_bytes())?;
    }
    Ok(status)
}

fn jobs(jobs: Option<NonZeroUsize>) -> NonZeroUsize {
    jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// Reports archives or batches that a bug stopped, and returns the exit status then.
fn stopped_by_bug(voice: &Voice, failed: &[(String, String)]) -> Option<u8> {
    for (name, detail) in failed {
        voice.error(&format!("{name}: nothing was written of it because of a bug of crawlprefs: {detail}"));
    }
    (!failed.is_empty()).then_some(INPUTS_FAILED)
}

fn status(voice: &Voice, summary: &Summary, max_failed: usize) -> u8 {
    if let Some(status) = stopped_by_bug(voice, &summary.panicked) {
        return status;
    }
    let failed = summary.failed_inputs.len();
    if failed <= max_failed {
        return 0;
    }
    voice.error(&format!(
        "{failed} of {} inputs failed or were cut, --max-failed allows {max_failed}",
        summary.inputs
    ));
    INPUTS_FAILED
}

/// 128 and the signal's number, as shells have it.
fn stopped_status(signal: usize) -> u8 {
    u8::try_from(signal).ok().and_then(|signal| signal.checked_add(128)).unwrap_or(COULD_NOT_RUN)
}

fn refuse(voice: &Voice, error: &Error) -> u8 {
    voice.error(&error.to_string());
    COULD_NOT_RUN
}

fn options(args: &ScanArgs, unit: Unit) -> Result<ScanOptions, Error> {
    let named = Named {
        inputs: &args.inputs,
        lists: &args.paths_from,
        base: args.base.as_deref(),
        stdin_name: args.stdin_name.as_deref(),
    };
    let mut options = ScanOptions::new(job::discover(&named)?);
    options.crawl.clone_from(&args.crawl);
    options.depth = if args.no_meta { Depth::NoMeta } else { Depth::Full };
    options.changed = if args.replace_changed { Changed::Replace } else { Changed::Refuse };
    options.jobs = args.jobs.unwrap_or(options.jobs);
    options.memory_bytes = args.memory_limit;
    options.share = args.share.of(unit);
    options.existing = if args.overwrite { Existing::Replace } else { Existing::Continue };
    Ok(options)
}

/// Prints each batch, and under it its inputs.
fn dry_run(voice: &Voice, options: &ScanOptions) -> io::Result<u8> {
    let archives = match options.archives() {
        Ok(archives) => archives,
        Err(error) => return Ok(refuse(voice, &error)),
    };
    let mut batches = BTreeMap::<(String, String), Vec<String>>::new();
    for archive in archives {
        let name = &archive.input.name;
        batches.entry((archive.crawl, batch_id(name))).or_default().push(name.filename().to_owned());
    }
    let mut out = io::stdout().lock();
    for ((crawl, batch), names) in batches {
        writeln!(out, "crawl={crawl} {batch}")?;
        for name in names {
            writeln!(out, "  {name}")?;
        }
    }
    Ok(0)
}

/// Returns where the number of a signal that asks to stop will stand. A second one ends at once.
fn stop_signals() -> io::Result<Arc<AtomicUsize>> {
    let received = Arc::new(AtomicUsize::new(0));
    let again = Arc::new(std::sync::atomic::AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let number = usize::try_from(signal).unwrap_or(0);
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&again))?;
        signal_hook::flag::register(signal, Arc::clone(&again))?;
        signal_hook::flag::register_usize(signal, Arc::clone(&received), number)?;
    }
    Ok(received)
}
