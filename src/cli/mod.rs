//! The command line: flags to a job, a summary to text, errors to exit statuses.

mod args;
mod inputs;
mod summary;

use crate::progress::Shown;
use crate::voice::Voice;
use args::{Cli, Command, ScanArgs, SchemaArgs};
use clap::{CommandFactory, Parser};
use crawlprefs::error::Error;
use crawlprefs::job::{Existing, Job, Options, Summary};
use crawlprefs::records::MetaReading;
use crawlprefs::tables::{FolderSink, TABLES, Table, describe, markdown, sql};
use std::io::{self, Write};
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

fn schema(args: &SchemaArgs) -> io::Result<u8> {
    let mut tables: Vec<&'static Table> = TABLES.to_vec();
    if !args.tables.is_empty() {
        tables.retain(|table| args.tables.iter().any(|name| name == table.name));
    }
    let text = match args.sql {
        Some(dialect) => sql(&tables, dialect.into(), &args.out),
        None if args.markdown => markdown(&tables),
        None => describe(&tables),
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

fn scan(args: &ScanArgs) -> io::Result<u8> {
    let voice = Voice::new(args.talk.log_format.into());
    let options = match options(args) {
        Ok(options) => options,
        Err(error) => return Ok(refuse(&voice, &error)),
    };
    if args.dry_run {
        return dry_run(&voice, &options);
    }
    let signal = stop_signals()?;
    let begun = Instant::now();
    let progress = Shown::new(args.talk.looks(), voice.clone(), Arc::clone(&signal));
    let result = Job::run(&options, &FolderSink::new(args.out.clone()), &progress);
    progress.end();
    let summary = match result {
        Ok(summary) => summary,
        Err(error) => return Ok(refuse(&voice, &error)),
    };
    let seconds = begun.elapsed().as_secs_f64();
    if let Some(file) = &args.report
        && let Err(error) = summary::report(file, &summary, seconds)
    {
        return Ok(refuse(
            &voice,
            &Error::OutputUnwritable { location: file.display().to_string(), source: error },
        ));
    }
    if summary.stopped {
        voice.warn(
            "stopped; the batches that were finished are whole, and the same command goes on from there",
        );
        return Ok(stopped_status(signal.load(Ordering::Relaxed)));
    }
    if !args.talk.quiet {
        io::stdout().write_all(summary::text(&summary, args, seconds).as_bytes())?;
    }
    Ok(status(&voice, &summary, args.max_failed))
}

fn status(voice: &Voice, summary: &Summary, max_failed: usize) -> u8 {
    for (batch, detail) in &summary.failed_batches {
        voice.error(&format!("batch {batch} was given up, which is a bug of crawlprefs: {detail}"));
    }
    if !summary.failed_batches.is_empty() {
        return INPUTS_FAILED;
    }
    let failed = summary.failed_inputs.len();
    if failed <= max_failed {
        return 0;
    }
    voice.error(&format!("{failed} of {} inputs failed, --max-failed allows {max_failed}", summary.inputs));
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

fn options(args: &ScanArgs) -> Result<Options, Error> {
    let named = inputs::Named {
        inputs: &args.inputs,
        lists: &args.paths_from,
        base: args.base.as_deref(),
        stdin_name: args.stdin_name.as_deref(),
    };
    let mut options = Options::new(inputs::find(&named)?);
    options.crawl.clone_from(&args.crawl);
    options.metas = if args.no_meta { MetaReading::Skip } else { MetaReading::Read };
    options.jobs = args.jobs.unwrap_or(options.jobs);
    options.memory_bytes = args.memory_limit;
    options.slice = args.slice;
    options.limit = args.limit;
    options.existing = if args.overwrite { Existing::Replace } else { Existing::Continue };
    Ok(options)
}

/// Prints each batch, and under it its inputs.
fn dry_run(voice: &Voice, options: &Options) -> io::Result<u8> {
    let batches = match Job::batches(options) {
        Ok(batches) => batches,
        Err(error) => return Ok(refuse(voice, &error)),
    };
    let mut out = io::stdout().lock();
    for batch in batches {
        writeln!(out, "crawl={} {}", batch.crawl, batch.id)?;
        for input in &batch.inputs {
            writeln!(out, "  {}", input.name)?;
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
