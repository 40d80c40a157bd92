//! `index`: evidence and site indexes to one site index.
//!
//! `status` of a site index, or of a folder of them: whether its files are as they were written, and which archives it lacks.
//! Example: `index: not complete`, a line for each crawl, and what is wrong. The exit status is 0 only if nothing is wrong.
//!
//! `sites`: the table `sites` as of some times, from a site index.

use super::args::{IndexArgs, SitesArgs, StatusArgs};
use super::call::{Call, CallHost, Ended};
use super::event::{Event, Failure};
use super::log::Log;
use super::output::{self, grouped};
use super::report::{CallResults, GivenOptions, IndexResult};
use super::requests::Requests;
use super::{INPUTS_FAILED, jobs, resolve};
use crawlprefs::error::Error;
use crawlprefs::job::{self, AsOf, AsOfVocabulary, Plan, Progress, ResolveOptions, ResolveTally};
use crawlprefs::runs::{CrawlInput, Existing, Look, default_memory_bytes};
use crawlprefs::sites::{
    INDEX_FILE, IfIncomplete, IndexInput, IndexMade, IndexManifest, IndexOptions, IndexReader, IndexStep,
    OldParts, SiteLayers, index,
};
use crawlprefs::store::{Places, Store};
use serde_json::json;
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::Arc;

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

/// Makes the index; `None` if it was stopped.
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

fn warn_of(args: &IndexArgs, places: &Places, made: &IndexResult, log: &Log) {
    let opened = SiteLayers::open(std::slice::from_ref(&args.out), places);
    let found = opened.ok().and_then(|index| lacking(&index));
    let detail = || IndexManifest::lacking_of(&made.crawls).detail("");
    let location = args.out.display().to_string();
    warn(found.or_else(|| Some(Error::Incomplete { location, detail: detail()? })), log);
}

/// Works with indexes; if that fails because one was replaced meanwhile, works once more with the new ones.
pub fn by<T, E>(
    open: impl Fn() -> Result<SiteLayers, E>,
    mut work: impl FnMut(SiteLayers) -> (Result<T, E>, bool),
) -> Result<T, E> {
    match work(open()?) {
        (Err(_), true) => work(open()?).0,
        (done, _) => done,
    }
}

/// Refuses an index that lacks archives or parts of them, unless the user allows it; warns of folders without an index.
pub fn check_complete(index: &SiteLayers, is_allowed: bool, log: &Log) -> Result<(), Failure> {
    for place in index.without_index() {
        let detail = format!("{place}: it has no _index.json, and is passed over");
        log.write(&Event::Warning(Failure { kind: "index_passed_over", detail, retry: false }));
    }
    check(lacking(index), is_allowed, log)
}

/// Refuses what lacks archives or parts of them, unless the user allows it.
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

pub fn lacking(index: &SiteLayers) -> Option<Error> {
    let lacking = index.lacking();
    let detail = if lacking.is_nothing() { None } else { lacking.detail(&of_hosts(index)) };
    detail.map(|detail| Error::Incomplete { location: index.location(), detail })
}

/// Returns the share of hosts for which an answer may be missing; nothing if it cannot be read.
fn of_hosts(index: &SiteLayers) -> String {
    match index.share_lacking([]) {
        Ok(share) if share > 0.0 => format!(" ({} of the hosts)", percent(share)),
        _ => String::new(),
    }
}

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

/// How many files or archives the text names.
const SHOWN: usize = 20;

/// What was found in all indexes.
struct FoundIndex {
    /// Files that are not as they were written.
    faults: Vec<String>,
    /// Archives of the list that were not read, with their crawls.
    missing: Vec<(String, String)>,
    /// The share of hosts for which an answer may be missing.
    share: f64,
}

pub fn print_index_status(
    args: &StatusArgs,
    indexes: &SiteLayers,
    list: Option<Vec<CrawlInput>>,
) -> Result<u8, Ended> {
    if args.metrics.is_some() || !args.evidence.is_empty() {
        let detail = "a site index: --metrics and --evidence are for tables";
        return Err(Failure::bad_option(detail.to_owned()).into());
    }
    let found = find(args, indexes, list)
        .map_err(|source| Error::IndexUnreadable { location: indexes.location(), source })?;
    let missing: Vec<&str> = found.missing.iter().map(|(_, name)| name.as_str()).collect();
    let is_complete = found.faults.is_empty() && found.missing.is_empty() && indexes.lacking().is_nothing();
    if args.unread {
        output::print(&(missing.join("\n") + if missing.is_empty() { "" } else { "\n" }))?;
    } else if args.json {
        let index = |index: &IndexReader| {
            let (manifest, location) = (index.manifest(), index.location());
            json!({ "location": location, "sha256": index.digest(), "hosts": manifest.hosts, "captures": manifest.captures })
        };
        let status = json!({
            "complete": is_complete,
            "sha256": indexes.digest(),
            "crawls": indexes.crawls(),
            "hosts": indexes.most_hosts(),
            "captures": indexes.captures(),
            "indexes": indexes.layers().iter().map(index).collect::<Vec<_>>(),
            "without_index": indexes.without_index(),
            "faults": found.faults,
            "missing": missing,
            "hosts_lacking_share": found.share,
        });
        output::print(&(serde_json::to_string_pretty(&status).unwrap_or_default() + "\n"))?;
    } else {
        output::print(&index_status_text(args, indexes, &found, is_complete))?;
    }
    Ok(if is_complete { 0 } else { INPUTS_FAILED })
}

fn find(
    args: &StatusArgs,
    indexes: &SiteLayers,
    list: Option<Vec<CrawlInput>>,
) -> std::io::Result<FoundIndex> {
    let look = if args.verify { Look::Bytes } else { Look::Lengths };
    let faults =
        indexes.layers().iter().map(|index| index.faults(look)).collect::<std::io::Result<Vec<_>>>()?;
    let faults = faults.concat();
    let list = list.unwrap_or_default();
    if list.is_empty() && indexes.lacking().is_nothing() {
        return Ok(FoundIndex { faults, missing: Vec::new(), share: 0.0 });
    }
    let archives = indexes.archives()?;
    let read = archives.iter().filter(|archive| archive.fingerprint.is_some());
    let read: HashSet<(&str, &str)> =
        read.map(|archive| (archive.crawl.as_str(), archive.warc_filename.as_str())).collect();
    let named = list.iter().map(|archive| (archive.crawl.as_str(), archive.input.name.filename()));
    let missing = named.filter(|archive| !read.contains(archive));
    let missing: Vec<(String, String)> =
        missing.map(|(crawl, name)| (crawl.to_owned(), name.to_owned())).collect();
    let share = indexes.share_lacking(missing.iter().map(|(crawl, name)| (&**crawl, &**name)))?;
    Ok(FoundIndex { faults, missing, share })
}

fn index_status_text(
    args: &StatusArgs,
    indexes: &SiteLayers,
    found: &FoundIndex,
    is_complete: bool,
) -> String {
    let complete = if is_complete { "complete" } else { "not complete" };
    let mut text = format!("{}: {complete}\n", args.out.display());
    // Writing to a String does not fail.
    for index in indexes.layers() {
        let (manifest, is_one) = (index.manifest(), indexes.layers().len() == 1);
        let what = if is_one { "a site index".to_owned() } else { index.location() };
        let (hosts, captures) = (grouped(manifest.hosts), grouped(manifest.captures));
        let digest = index.digest();
        let _ =
            writeln!(text, "{what}: {hosts} hosts and {captures} captures; SHA-256 of {INDEX_FILE} {digest}");
    }
    for place in indexes.without_index() {
        let _ =
            writeln!(text, "{place}: no {INDEX_FILE}: its first index is not finished, or it was retired");
    }
    for crawl in indexes.crawls() {
        let _ = writeln!(
            text,
            "{}: {} archives read, {} of them cut; {} could not be read; {} records lost",
            crawl.crawl,
            grouped(crawl.archives_read),
            grouped(crawl.archives_cut),
            grouped(crawl.archives_failed),
            grouped(crawl.records_lost)
        );
    }
    if found.share > 0.0 {
        let _ = writeln!(text, "an answer of {} of the hosts may be lost", percent(found.share));
    }
    let missing: Vec<String> = found.missing.iter().map(|(_, name)| name.clone()).collect();
    for (names, what) in [(&found.faults, ""), (&missing, "missing: ")] {
        for name in names.iter().take(SHOWN) {
            let _ = writeln!(text, "{what}{name}");
        }
        if names.len() > SHOWN {
            let _ = writeln!(text, "... and {} more", grouped((names.len() - SHOWN) as u64));
        }
    }
    if !found.faults.is_empty() {
        let _ = writeln!(text, "Next: copy the index again, or make it anew with crawlprefs index");
    } else if !is_complete {
        let _ = writeln!(text, "Next: scan what is missing, and make the index anew from all evidence");
    }
    text
}

pub fn sites(args: &SitesArgs, given: &GivenOptions, host: &CallHost) -> Result<u8, Ended> {
    let log = host.log(&args.talk);
    let requests = Arc::new(Requests::new(log.clone()));
    let places = args.remote.places_of(&args.talk, &requests);
    let call = Call::begin(&args.talk, given, host, &requests)?;
    match make_sites(args, &log, &places, call.progress()) {
        Ok(tally) => call.finish(&CallResults { resolve: Some(&tally), ..CallResults::default() }, |_, _| {
            (0, sites_text(args, &tally))
        }),
        Err(failure) => Err(call.fail(failure)),
    }
}

fn make_sites(
    args: &SitesArgs,
    log: &Log,
    places: &Places,
    progress: &dyn Progress,
) -> Result<ResolveTally, Failure> {
    let mut viewpoint = args.viewpoint.clone();
    let dated = viewpoint.vocab.take_if(|name| name == AsOfVocabulary::DATED);
    let vocabulary = match dated {
        Some(_) => AsOfVocabulary::OfItsTime,
        None => AsOfVocabulary::Viewpoint,
    };
    let options = ResolveOptions {
        jobs: jobs(args.jobs),
        existing: if args.overwrite { Existing::Replace } else { Existing::Continue },
        memory_bytes: args.memory_limit,
        look: if args.verify { Look::Bytes } else { Look::Lengths },
        ..ResolveOptions::new(resolve::table_options(&viewpoint).map_err(Failure::bad_option)?)
    };
    let index = SiteLayers::open(&args.indexes, places)?;
    check_complete(&index, args.allow_incomplete, log)?;
    let store = resolve::store(&args.out, places)?;
    Ok(job::resolve_index(&index, (&args.at, vocabulary), store.as_ref(), &options, progress)?)
}

fn sites_text(args: &SitesArgs, tally: &ResolveTally) -> String {
    let times = match &args.at {
        AsOf::EachCrawl => "crawls",
        AsOf::Dates(_) => "times",
    };
    let (sites, known) = (grouped(tally.sites.sites), grouped(tally.sites.known));
    let out = args.out.display();
    format!("{out}: {sites} rows of sites for {} {times}; robots.txt is known in {known}\n", tally.segments)
}
