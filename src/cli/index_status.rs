//! `status` of a site index, or of a folder of them: whether its files are as they were written, and which archives it lacks.
//!
//! Example: `index: not complete`, a line for each crawl, and what is wrong. The exit status is 0 only where nothing is.

use super::args::StatusArgs;
use super::call::Ended;
use super::event::Failure;
use super::index::percent;
use super::messages::grouped;
use super::{INPUTS_FAILED, output};
use crawlprefs::error::Error;
use crawlprefs::runs::{CrawlInput, Look};
use crawlprefs::sites::{INDEX_FILE, IndexReader, SiteLayers};
use serde_json::json;
use std::collections::HashSet;
use std::fmt::Write;

/// How many files or archives are named in the text.
const SHOWN: usize = 20;

/// What was found in all of them.
struct FoundIndex {
    /// Files that are not as they were written.
    faults: Vec<String>,
    /// Archives of the list that were not read, with their crawls.
    missing: Vec<(String, String)>,
    /// The share of hosts for which an answer may be missing.
    share: f64,
}

/// Prints how complete an index is, or several are that are asked as one; returns the exit status.
pub fn print(args: &StatusArgs, indexes: &SiteLayers, list: Option<Vec<CrawlInput>>) -> Result<u8, Ended> {
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
        output::print(&text(args, indexes, &found, is_complete))?;
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

fn text(args: &StatusArgs, indexes: &SiteLayers, found: &FoundIndex, is_complete: bool) -> String {
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
