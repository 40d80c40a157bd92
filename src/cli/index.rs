//! `index`: evidence and site indexes to one site index.

use super::args::IndexArgs;
use super::call::{Call, CallHost, Ended};
use super::event::{Event, Failure};
use super::log::Log;
use super::messages::grouped;
use super::report::{CallResults, GivenOptions, IndexResult};
use super::requests::Requests;
use super::{jobs, resolve};
use crawlprefs::error::Error;
use crawlprefs::job::{Plan, Progress};
use crawlprefs::runs::{Existing, default_memory_bytes};
use crawlprefs::sites::{
    IfIncomplete, IndexInput, IndexMade, IndexManifest, IndexOptions, IndexStep, OldParts, SiteLayers, index,
};
use crawlprefs::store::{Places, Store};
use std::sync::Arc;

/// Makes the index; returns the exit status.
pub fn make(args: &IndexArgs, given: &GivenOptions, host: &CallHost) -> Result<u8, Ended> {
    let requests = Arc::new(Requests::new(host.log(&args.talk)));
    let places = args.remote.places_of(&args.talk, &requests);
    let call = Call::begin(&args.talk, given, host, &requests)?;
    let made = match made(args, &places, call.progress()) {
        Ok(made) => made,
        Err(error) => return Err(call.fail(error)),
    };
    let results =
        CallResults { index: made.as_ref(), index_stopped: made.is_none(), ..CallResults::default() };
    call.finish(&results, |log, _| {
        if let Some(made) = made.as_ref().filter(|made| !IndexManifest::lacking_of(&made.crawls).is_nothing())
        {
            warn_of(args, &places, made, log);
        }
        (0, made.as_ref().map(|made| text(args, made)).unwrap_or_default())
    })
}

/// Makes the index; `None` where it was stopped.
fn made(args: &IndexArgs, places: &Places, progress: &dyn Progress) -> Result<Option<IndexResult>, Error> {
    let store: Arc<dyn Store> = resolve::store(&args.out, places)?.into();
    let mut inputs = Vec::new();
    for folder in &args.inputs {
        let input: Arc<dyn Store> = resolve::input(folder, places)?.into();
        inputs.push(IndexInput::of(input)?);
    }
    let options = IndexOptions {
        segments: args.segment.clone(),
        without: args.without.clone(),
        existing: if args.replace.overwrite { Existing::Replace } else { Existing::Continue },
        old_parts: if args.replace.keep_old { OldParts::Keep } else { OldParts::Remove },
        incomplete: if args.allow_incomplete { IfIncomplete::Use } else { IfIncomplete::Refuse },
        jobs: jobs(args.jobs),
        memory_bytes: args.memory_limit.unwrap_or_else(default_memory_bytes),
        temp_dir: args.temp_dir.clone().unwrap_or_else(std::env::temp_dir),
    };
    let watch = |step| {
        match step {
            IndexStep::Begun { inputs, captures } => progress.started(&Plan::Index { inputs, captures }),
            IndexStep::Written(captures) => progress.advanced(0, captures),
        }
        !progress.should_stop()
    };
    let made = index(inputs, &store, &options, &watch)?;
    Ok(made.map(|IndexMade { manifest, sha256, is_new, .. }| IndexResult {
        is_new,
        sha256,
        hosts: manifest.hosts,
        captures: manifest.captures,
        bytes: manifest.parts().map(|part| part.bytes).sum(),
        files: manifest.parts().count() + 1,
        crawls: manifest.crawls,
    }))
}

/// Says what the index lacks.
fn warn_of(args: &IndexArgs, places: &Places, made: &IndexResult, log: &Log) {
    let opened = SiteLayers::open(std::slice::from_ref(&args.out), places);
    let found = opened.ok().and_then(|index| lacking(&index));
    let detail = || IndexManifest::lacking_of(&made.crawls).detail("");
    let location = args.out.display().to_string();
    warn(found.or_else(|| Some(Error::Incomplete { location, detail: detail()? })), log);
}

/// Works by indexes, and, where that fails as one was replaced meanwhile, once more by the new ones.
pub fn by<T, E>(
    open: impl Fn() -> Result<SiteLayers, E>,
    mut work: impl FnMut(SiteLayers) -> (Result<T, E>, bool),
) -> Result<T, E> {
    match work(open()?) {
        (Err(_), true) => work(open()?).0,
        (done, _) => done,
    }
}

/// Refuses an index that lacks archives or a part of them, unless the user takes it; says which folders beside indexes have none.
pub fn check_complete(index: &SiteLayers, is_allowed: bool, log: &Log) -> Result<(), Failure> {
    for place in index.without_index() {
        let detail = format!("{place}: it has no _index.json, and is passed over");
        log.write(&Event::Warning(Failure { kind: "index_passed_over", detail, retry: false }));
    }
    check(lacking(index), is_allowed, log)
}

/// Refuses what lacks archives or a part of them, unless the user takes it.
pub fn check(lacking: Option<Error>, is_allowed: bool, log: &Log) -> Result<(), Failure> {
    match lacking {
        Some(error) if !is_allowed => Err(Failure::from(&error)),
        lacking => {
            warn(lacking, log);
            Ok(())
        }
    }
}

fn warn(lacking: Option<Error>, log: &Log) {
    if let Some(Error::Incomplete { location, detail }) = lacking {
        let detail = format!("{location}: {detail}");
        log.write(&Event::Warning(Failure { kind: "index_incomplete", detail, retry: false }));
    }
}

/// Returns what an index lacks, where that is anything.
pub fn lacking(index: &SiteLayers) -> Option<Error> {
    let lacking = index.lacking();
    let detail = if lacking.is_nothing() { None } else { lacking.detail(&of_hosts(index)) };
    detail.map(|detail| Error::Incomplete { location: index.location(), detail })
}

/// Returns the share of hosts for which an answer may be missing; nothing where that cannot be read.
fn of_hosts(index: &SiteLayers) -> String {
    match index.share_lacking([]) {
        Ok(share) if share > 0.0 => format!(" ({} of the hosts)", percent(share)),
        _ => String::new(),
    }
}

/// Returns a share that is an estimate.
pub fn percent(share: f64) -> String {
    if share < 0.001 { "less than 0.1 %".to_owned() } else { format!("about {:.1} %", share * 100.0) }
}

fn text(args: &IndexArgs, made: &IndexResult) -> String {
    let archives = made.crawls.iter().map(|crawl| crawl.archives_read).sum();
    let crawls = match made.crawls.as_slice() {
        [crawl] => crawl.crawl.clone(),
        crawls => format!("{} crawls", crawls.len()),
    };
    format!(
        "{}: {} hosts, {} captures of {} archives ({crawls}), {} bytes in {} files{}\n",
        args.out.display(),
        grouped(made.hosts),
        grouped(made.captures),
        grouped(archives),
        grouped(made.bytes),
        made.files,
        if made.is_new { "" } else { "; nothing to do: it was made of these archives" },
    )
}
