//! `index`: evidence and site indexes to one site index.

use super::args::IndexArgs;
use super::call::Ended;
use super::event::{Detail, Event, Failure};
use super::log::Log;
use super::messages::grouped;
use super::{jobs, output, resolve};
use crawlprefs::error::Error;
use crawlprefs::runs::{Existing, default_memory_bytes};
use crawlprefs::sites::{
    IfIncomplete, IndexInput, IndexMade, IndexManifest, IndexOptions, IndexReader, OldParts, index,
};
use crawlprefs::store::{Places, Store};
use crawlprefs::web::shown::without_credentials;
use std::path::Path;
use std::sync::Arc;

/// Returns where messages go.
pub fn log(args: &IndexArgs) -> Log {
    Log::new(args.log_format.into(), if args.quiet { Detail::Problems } else { Detail::Work })
}

/// Makes the index; returns the exit status.
pub fn make(args: &IndexArgs) -> Result<u8, Ended> {
    let places = args.remote.watched_places(None);
    let store: Arc<dyn Store> = resolve::store(&args.out, &places)?.into();
    let mut inputs = Vec::new();
    for folder in &args.inputs {
        let input: Arc<dyn Store> = resolve::input(folder, &places)?.into();
        inputs.push(IndexInput::of(input)?);
    }
    let options = IndexOptions {
        segments: args.segment.clone(),
        existing: if args.replace.overwrite { Existing::Replace } else { Existing::Continue },
        old_parts: if args.replace.keep_old { OldParts::Keep } else { OldParts::Remove },
        incomplete: if args.allow_incomplete { IfIncomplete::Use } else { IfIncomplete::Refuse },
        jobs: jobs(args.jobs),
        memory_bytes: args.memory_limit.unwrap_or_else(default_memory_bytes),
        temp_dir: args.temp_dir.clone().unwrap_or_else(std::env::temp_dir),
    };
    let IndexMade { manifest, is_new } = index(inputs, &store, &options)?;
    if !manifest.lacking().is_nothing() {
        let made = IndexReader::open(resolve::input(&args.out, &places)?.into(), None)?;
        warn(lacking(&made), &log(args));
    }
    if !args.quiet {
        output::print(&text(args, &manifest, is_new))?;
    }
    Ok(0)
}

/// Opens an index by its folder or URL, which may end with the digest that it must have.
pub fn reader(place: &Path, places: &Places) -> Result<IndexReader, Error> {
    let text = place.to_string_lossy();
    let (folder, digest) = match text.rsplit_once("#sha256=") {
        Some((folder, digest)) => (Path::new(folder), Some(digest)),
        None => (place, None),
    };
    let unreadable =
        |source| Error::IndexUnreadable { location: without_credentials(&folder.to_string_lossy()), source };
    IndexReader::open(places.files(folder).map_err(unreadable)?.into(), digest)
}

/// Works by an index, and, where that fails as the index was replaced meanwhile, once more by the new one.
pub fn by<T, E>(
    open: impl Fn() -> Result<IndexReader, E>,
    mut work: impl FnMut(IndexReader) -> (Result<T, E>, bool),
) -> Result<T, E> {
    match work(open()?) {
        (Err(_), true) => work(open()?).0,
        (done, _) => done,
    }
}

/// Refuses an index that lacks archives or a part of them, unless the user takes it.
pub fn check_complete(index: &IndexReader, is_allowed: bool, log: &Log) -> Result<(), Failure> {
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
pub fn lacking(index: &IndexReader) -> Option<Error> {
    let lacking = index.manifest().lacking();
    let detail = if lacking.is_nothing() { None } else { lacking.detail(&of_hosts(index)) };
    detail.map(|detail| Error::Incomplete { location: index.location(), detail })
}

/// Returns of how many hosts an answer may be lost; nothing where that cannot be read.
fn of_hosts(index: &IndexReader) -> String {
    match index.share_lacking([]) {
        Ok(share) if share > 0.0 => format!(" ({} of the hosts)", percent(share)),
        _ => String::new(),
    }
}

/// Returns a share that is an estimate.
pub fn percent(share: f64) -> String {
    if share < 0.001 { "less than 0.1 %".to_owned() } else { format!("about {:.1} %", share * 100.0) }
}

fn text(args: &IndexArgs, manifest: &IndexManifest, is_new: bool) -> String {
    let archives = manifest.archives_read();
    let bytes: u64 = manifest.parts().map(|part| part.bytes).sum();
    let crawls = match manifest.crawls.as_slice() {
        [crawl] => crawl.crawl.clone(),
        crawls => format!("{} crawls", crawls.len()),
    };
    format!(
        "{}: {} hosts, {} captures of {} archives ({crawls}), {} bytes in {} files{}\n",
        args.out.display(),
        grouped(manifest.hosts),
        grouped(manifest.captures),
        grouped(archives),
        grouped(bytes),
        manifest.parts().count() + 1,
        if is_new { "" } else { "; nothing to do: it was made of these archives" },
    )
}
