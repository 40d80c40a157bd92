//! `status`: whether a run is complete, for people, as JSON and as metrics.
//!
//! Example: `out: not complete`, a line per crawl and subset, what is missing, and the next command.
//! The exit status is 0 only if it is complete, and 3 otherwise.

use super::args::StatusArgs;
use super::call::Ended;
use super::event::{Detail, Failure};
use super::log::Log;
use super::metrics::MetricsText;
use super::output::{self, WholeFile};
use super::{INPUTS_FAILED, index, resolve};
use crawlprefs::error::Error;
use crawlprefs::job::{Share, Status, StatusOptions, SubsetStatus, status, unread};
use crawlprefs::runs::{CrawlInput, Look, evidence_of};
use crawlprefs::sites::{INDEX_FILE, SiteLayers};
use crawlprefs::store::{Places, Store};
use crawlprefs::web::shown::visible;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// How many archives or batches the text names.
const SHOWN: usize = 20;

pub fn log(args: &StatusArgs) -> Log {
    Log::new(args.log_format.into(), Detail::Problems)
}

pub fn print(args: &StatusArgs) -> Result<u8, Ended> {
    let places = args.remote.watched_places(None);
    let store = resolve::input(&args.out, &places)?;
    let has_index = store.bytes(INDEX_FILE);
    let unreadable = |source| Error::IndexUnreadable { location: store.location(), source };
    let indexes = || SiteLayers::open(std::slice::from_ref(&args.out), &places);
    if has_index.map_err(unreadable)?.is_some() {
        return index::print_index_status(args, &indexes()?, list(args, &places)?);
    }
    let file = args.metrics.as_deref().map(WholeFile::new).transpose()?;
    let looked = look(args);
    // If there is nothing, there may be folders with an index each.
    if looked.as_ref().is_ok_and(|(status, _)| status.subsets.is_empty() && status.batches.is_empty()) {
        match indexes() {
            Err(Error::NoIndex { .. }) => {}
            opened => return index::print_index_status(args, &opened?, list(args, &places)?),
        }
    }
    let (exit_status, error) = match &looked {
        Ok((status, _)) => (if status.complete { 0 } else { INPUTS_FAILED }, None),
        Err(error) => (super::COULD_NOT_RUN, Some(Failure::from(error))),
    };
    if let Some(file) = file {
        let status = looked.as_ref().ok().map(|(status, _)| status);
        file.write(&metrics(status, exit_status, error.as_ref()))?;
    }
    let (status, list) = looked?;
    if args.unread {
        let names = unread(&status, list.as_deref().unwrap_or_default());
        let names: String =
            names.iter().map(|archive| archive.input.name.filename().to_owned() + "\n").collect();
        output::print_bytes(names.as_bytes())?;
    } else if args.json {
        // Texts and numbers always serialise.
        output::print(&(serde_json::to_string_pretty(&status).unwrap_or_default() + "\n"))?;
    } else {
        output::print(&text(args, &status))?;
    }
    Ok(exit_status)
}

fn look(args: &StatusArgs) -> Result<(Status, Option<Vec<CrawlInput>>), Error> {
    let places = args.remote.watched_places(None);
    let list = list(args, &places)?;
    let open = |folder: &_| resolve::input(folder, &places).map(Arc::<dyn Store>::from);
    let tables = open(&args.out)?;
    let given = args.evidence.iter().map(|folder| open(folder)).collect::<Result<_, Error>>()?;
    let evidence = evidence_of(&tables, given)?;
    let status = status(&StatusOptions {
        tables: tables.as_ref(),
        evidence: evidence.iter().map(AsRef::as_ref).collect(),
        list: list.clone(),
        look: if args.verify { Look::Bytes } else { Look::Lengths },
    })?;
    Ok((status, list))
}

fn list(args: &StatusArgs, places: &Places) -> Result<Option<Vec<CrawlInput>>, Error> {
    if args.paths_from.is_empty() {
        return Ok(None);
    }
    let share = Share { slice: args.slice, ..Share::ALL };
    let of_crawl = (args.crawl.as_deref(), &share);
    resolve::listed(&args.paths_from, args.base.as_deref(), of_crawl, places).map(Some)
}

fn text(args: &StatusArgs, status: &Status) -> String {
    let mut text = String::new();
    let complete = if status.complete { "complete" } else { "not complete" };
    // Writing to a String does not fail.
    let _ = writeln!(text, "{}: {complete}", args.out.display());
    for subset in &status.subsets {
        let counts: Vec<String> = counts(subset)
            .into_iter()
            .filter(|(name, count)| *count > 0 || *name == "read")
            .map(|(name, count)| format!("{count} {}", name.replace('_', " ")))
            .collect();
        let SubsetStatus { crawl, subset, archives, .. } = subset;
        let _ = writeln!(text, "  {crawl} {subset}: {}: {}", of_archives(*archives), counts.join(", "));
    }
    let mut by_state = BTreeMap::<&str, usize>::new();
    for batch in &status.batches {
        *by_state.entry(batch.state).or_default() += 1;
    }
    let counted: Vec<String> =
        by_state.iter().map(|(state, count)| format!("{count} {}", state.replace('_', " "))).collect();
    let counted = if counted.is_empty() { "none".to_owned() } else { counted.join(", ") };
    let _ = writeln!(text, "  batches of tables: {counted}");
    for folder in &status.evidence {
        let found = folder
            .fault
            .clone()
            .unwrap_or_else(|| format!("{}: {}", folder.location, of_archives(folder.archives as u64)));
        let _ = writeln!(text, "  evidence in {}", visible(&found));
    }
    let not_read = status.archives.iter().map(|archive| (&archive.archive, archive.state, &archive.detail));
    let not_done = status.batches.iter().filter(|batch| !batch.is_done());
    let not_done: Vec<_> =
        not_done.map(|batch| (format!("crawl={} {}", batch.crawl, batch.batch), batch)).collect();
    let not_done = not_done.iter().map(|(name, batch)| (name, batch.state, &batch.detail));
    list_some(&mut text, "Archives that are not read to their end:", not_read);
    list_some(&mut text, "Batches that are not done:", not_done);
    let none = None;
    list_some(&mut text, "Also:", status.faults.iter().map(|fault| (fault, "", &none)));
    list_some(&mut text, "Next:", status.next.iter().map(|next| (next, "", &none)));
    if args.paths_from.is_empty() {
        text.push_str(
            "Archives that no call has read to an end are not known here; --paths-from LIST finds them.\n",
        );
    }
    text
}

fn of_archives(count: u64) -> String {
    format!("{count} {}", if count == 1 { "archive" } else { "archives" })
}

fn list_some<'l>(
    text: &mut String,
    head: &str,
    items: impl Iterator<Item = (&'l String, &'l str, &'l Option<String>)>,
) {
    let mut count = 0;
    for (name, state, detail) in items {
        if count == 0 {
            let _ = writeln!(text, "{head}");
        }
        count += 1;
        if count <= SHOWN {
            let parts = [name.as_str(), &state.replace('_', " "), detail.as_deref().unwrap_or_default()];
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            let _ = writeln!(text, "  {}", visible(&parts.join(": ")));
        }
    }
    if count > SHOWN {
        let _ = writeln!(text, "  and {} more, which --json lists", count - SHOWN);
    }
}

fn counts(subset: &SubsetStatus) -> [(&'static str, u64); 9] {
    [
        ("read", subset.read),
        ("damaged", subset.damaged),
        ("cut", subset.cut),
        ("failed", subset.failed),
        ("not_scanned", subset.not_scanned),
        ("changed", subset.changed),
        ("evidence_damaged", subset.evidence_damaged),
        ("unlisted", subset.unlisted),
        ("older_rules", subset.older_rules),
    ]
}

/// `status` is `None` if it could not be found out.
fn metrics(status: Option<&Status>, exit_status: u8, error: Option<&Failure>) -> String {
    let mut text = MetricsText::new("crawlprefs_status");
    if let Some(status) = status {
        let of_subset = |subset: &SubsetStatus| {
            let SubsetStatus { crawl, subset: name, .. } = subset;
            counts(subset).map(|(state, count)| {
                (format!("{{crawl=\"{crawl}\",subset=\"{name}\",state=\"{state}\"}}"), count)
            })
        };
        let help = "Archives by crawl, subset and state; damaged and older_rules are among read.";
        text.add_samples("archives", help, status.subsets.iter().flat_map(of_subset));
        let by_state = ["done", "new", "stale", "damaged", "without_evidence"].map(|state| {
            let count = status.batches.iter().filter(|batch| batch.state == state).count();
            (format!("{{state=\"{state}\"}}"), count)
        });
        text.add_samples("batches", "Batches of tables by state.", by_state);
        let gone = status.evidence.iter().filter(|folder| folder.fault.is_some()).count();
        text.add("evidence_folders_missing", "Folders of evidence that have none.", gone);
        text.add("complete", "1 where nothing is missing.", u8::from(status.complete));
    }
    text.ended(exit_status, error)
}
