//! `status`: whether a run is complete, a line per crawl and subset, what is missing, and the next command, for people, as JSON
//! and as metrics. Of a site index, or of a folder of them: whether its files are as they were written, and what it lacks.

use super::args::StatusArgs;
use super::call::Ended;
use super::event::Failure;
use super::metrics::{MetricsSource, MetricsText};
use super::output::{self, WholeFile, grouped};
use super::{INPUTS_FAILED, index, resolve};
use crawlprefs::error::Error;
use crawlprefs::job::{Share, Status, StatusOptions, SubsetStatus, status, unread};
use crawlprefs::runs::{Comparison, CrawlInput};
use crawlprefs::sites::{INDEX_FILE, IndexReader, SiteLayers};
use crawlprefs::store::Places;
use crawlprefs::web::shown::visible;
use serde::Serialize;
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::io;

/// How many archives, batches or files the text names; any number of this size.
const SHOWN: usize = 20;

pub fn print(args: &StatusArgs) -> Result<u8, Ended> {
    let places = args.remote.watched_places(None);
    let store = resolve::input(&args.out, &places)?;
    let has_index = store.bytes(INDEX_FILE);
    let unreadable = |source| Error::IndexUnreadable {
        location: store.location(),
        source,
    };
    let indexes = || SiteLayers::open(std::slice::from_ref(&args.out), &places);
    if has_index.map_err(unreadable)?.is_some() {
        return print_index_status(args, &indexes()?, list(args, &places)?);
    }
    let file = args.metrics.as_deref().map(WholeFile::new).transpose()?;
    let looked = look(args, &places);
    // If there is nothing, there may be folders with an index each.
    if looked
        .as_ref()
        .is_ok_and(|(status, _)| status.subsets.is_empty() && status.batches.is_empty())
    {
        match indexes() {
            Err(Error::NoIndex { .. }) => {}
            opened => return print_index_status(args, &opened?, list(args, &places)?),
        }
    }
    let exit_status = match &looked {
        Ok((status, _)) if status.complete => 0,
        Ok(_) => INPUTS_FAILED,
        Err(_) => super::COULD_NOT_RUN,
    };
    if let Some(file) = file {
        let status = looked.as_ref().ok().map(|(status, _)| status);
        let out = args.out.to_string_lossy();
        let label = args.metrics_label.as_deref();
        let source = MetricsSource::new("status", Some(&out), label);
        file.write(metrics(&source, status, exit_status, looked.as_ref().err()))?;
    }
    let (status, list) = looked?;
    let unread = || {
        let archives = unread(&status, list.as_deref().unwrap_or_default());
        archives
            .iter()
            .flat_map(|archive| [archive.input.name.filename(), "\n"])
            .collect()
    };
    answer(args, unread, &status, || text(args, &status))?;
    Ok(exit_status)
}

/// Prints the answer in the form that was asked for. `unread` returns a list of paths, an input of other calls.
fn answer(
    args: &StatusArgs,
    unread: impl FnOnce() -> String,
    json: &impl Serialize,
    text: impl FnOnce() -> String,
) -> io::Result<u8> {
    match (args.unread, args.json) {
        (true, _) => output::print_list(&unread()),
        // Texts and numbers always serialise.
        (false, true) => {
            output::print_json(&serde_json::to_string_pretty(json).unwrap_or_default())
        }
        (false, false) => output::print(&text()),
    }
}

fn look(args: &StatusArgs, places: &Places) -> Result<(Status, Option<Vec<CrawlInput>>), Failure> {
    let list = list(args, places)?;
    let (tables, evidence) = resolve::with_evidence(&args.out, &args.evidence, places)?;
    let status = status(&StatusOptions {
        tables: tables.as_ref(),
        evidence: evidence.iter().map(AsRef::as_ref).collect(),
        list: list.clone(),
        comparison: Comparison::of(args.verify),
    })?;
    Ok((status, list))
}

fn list(args: &StatusArgs, places: &Places) -> Result<Option<Vec<CrawlInput>>, Error> {
    if args.paths_from.is_empty() {
        return Ok(None);
    }
    let share = Share {
        slice: args.slice,
        ..Share::ALL
    };
    let of_crawl = (args.crawl.as_ref(), &share);
    resolve::listed(&args.paths_from, args.base.as_deref(), of_crawl, places).map(Some)
}

fn text(args: &StatusArgs, status: &Status) -> String {
    if status.subsets.is_empty() && status.batches.is_empty() && status.faults.is_empty() {
        return nothing_there(args, status);
    }
    let mut text = String::new();
    let complete = if status.complete {
        "complete"
    } else {
        "not complete"
    };
    // Writing to a String does not fail.
    let _ = writeln!(text, "{}: {complete}", args.out.display());
    for subset in &status.subsets {
        let counts: Vec<String> = counts(subset)
            .into_iter()
            .filter(|(name, count)| *count > 0 || *name == "read")
            .map(|(name, count)| format!("{count} {}", name.replace('_', " ")))
            .collect();
        let SubsetStatus {
            crawl,
            subset,
            archives,
            ..
        } = subset;
        add(
            &mut text,
            &format!(
                "{crawl} {subset}: {}: {}",
                of_archives(*archives),
                counts.join(", ")
            ),
        );
    }
    let mut by_state = BTreeMap::<&str, usize>::new();
    for batch in &status.batches {
        *by_state.entry(batch.step.state()).or_default() += 1;
    }
    let counted: Vec<String> = by_state
        .iter()
        .map(|(state, count)| format!("{count} {}", state.replace('_', " ")))
        .collect();
    let counted = if counted.is_empty() {
        "none".to_owned()
    } else {
        counted.join(", ")
    };
    add(&mut text, &format!("batches of tables: {counted}"));
    for folder in &status.evidence {
        let archives = || {
            format!(
                "{}: {}",
                folder.location,
                of_archives(folder.archives as u64)
            )
        };
        add(
            &mut text,
            &format!(
                "evidence in {}",
                folder.fault.clone().unwrap_or_else(archives)
            ),
        );
    }
    let not_read = status.archives.iter();
    let not_read = not_read.map(|it| described(&it.archive, it.state, it.detail.as_deref()));
    let not_done = status.batches.iter().filter(|batch| !batch.step.is_done());
    let not_done = not_done.map(|it| {
        described(
            &format!("crawl={} {}", it.crawl, it.batch),
            it.step.state(),
            it.step.detail(),
        )
    });
    list_some(
        &mut text,
        "Archives that are not read to their end:",
        &not_read.collect::<Vec<_>>(),
    );
    list_some(
        &mut text,
        "Batches that are not done:",
        &not_done.collect::<Vec<_>>(),
    );
    let duplicates = status.duplicates.iter();
    let duplicates = duplicates.map(|it| {
        format!(
            "crawl={} {}: the same as {}",
            it.crawl, it.archive, it.same_as
        )
    });
    let head = "Archives that are there under another name, and count for nothing:";
    list_some(&mut text, head, &duplicates.collect::<Vec<_>>());
    list_some(&mut text, "Also:", &status.faults);
    list_some(&mut text, "Next:", &status.next);
    let mut text = output::fitted(&text);
    if args.paths_from.is_empty() {
        let unlisted = "Archives that no call has read to an end are not known here; --paths-from LIST finds them.";
        text += &output::wrapped(unlisted, output::width(), "", "");
    }
    text
}

/// Adds a line below a heading.
fn add(text: &mut String, line: &str) {
    text.extend(["  ", &visible(line), "\n"]);
}

/// Says that a folder has neither evidence nor tables.
fn nothing_there(args: &StatusArgs, status: &Status) -> String {
    let folders: Vec<&str> = status
        .evidence
        .iter()
        .map(|folder| folder.location.as_str())
        .collect();
    let evidence = match folders.as_slice() {
        [] => String::new(),
        folders => format!(" (looked for evidence in {})", folders.join(", ")),
    };
    let what = format!(
        "{}: nothing there{evidence}; expected a folder that run, scan, resolve or index wrote: check the name, and whether its \
         file system is mounted",
        args.out.display()
    );
    output::wrapped(&visible(&what), output::width(), "", "  ")
}

fn of_archives(count: u64) -> String {
    format!(
        "{count} {}",
        if count == 1 { "archive" } else { "archives" }
    )
}

fn described(name: &str, state: &str, detail: Option<&str>) -> String {
    let parts = [name, &state.replace('_', " "), detail.unwrap_or_default()];
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(": ")
}

fn list_some(text: &mut String, head: &str, lines: &[String]) {
    if !lines.is_empty() {
        let _ = writeln!(text, "{head}");
    }
    lines.iter().take(SHOWN).for_each(|line| add(text, line));
    if lines.len() > SHOWN {
        let _ = writeln!(
            text,
            "  and {} more, which --json lists",
            lines.len() - SHOWN
        );
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
fn metrics(
    source: &MetricsSource,
    status: Option<&Status>,
    exit_status: u8,
    error: Option<&Failure>,
) -> String {
    let mut text = MetricsText::new("crawlprefs_status", source);
    if let Some(status) = status {
        let of_subset = |subset: &SubsetStatus| {
            let SubsetStatus {
                crawl,
                subset: name,
                ..
            } = subset;
            counts(subset).map(|(state, count)| {
                (
                    format!("{{crawl=\"{crawl}\",subset=\"{name}\",state=\"{state}\"}}"),
                    count,
                )
            })
        };
        let help = "Archives by crawl, subset and state; damaged and older_rules are among read.";
        text.add_samples("archives", help, status.subsets.iter().flat_map(of_subset));
        let by_state = ["done", "new", "stale", "damaged", "without_evidence"].map(|state| {
            let count = status
                .batches
                .iter()
                .filter(|batch| batch.step.state() == state)
                .count();
            (format!("{{state=\"{state}\"}}"), count)
        });
        text.add_samples("batches", "Batches of tables by state.", by_state);
        let gone = status
            .evidence
            .iter()
            .filter(|folder| folder.fault.is_some())
            .count();
        text.add(
            "evidence_folders_missing",
            "Folders of evidence that have none.",
            gone,
        );
        text.add(
            "complete",
            "1 where nothing is missing.",
            u8::from(status.complete),
        );
    }
    text.ended(exit_status, error)
}

#[derive(Default)]
struct FoundIndex {
    /// Files that are not as they were written.
    faults: Vec<String>,
    /// Archives of the list that were not read.
    missing: Vec<String>,
    /// The share of hosts for which an answer may be missing.
    share: f64,
}

fn print_index_status(
    args: &StatusArgs,
    indexes: &SiteLayers,
    list: Option<Vec<CrawlInput>>,
) -> Result<u8, Ended> {
    if args.metrics.is_some() || !args.evidence.is_empty() {
        let detail = "a site index: --metrics and --evidence are for tables";
        return Err(Failure::bad_option(detail).into());
    }
    let found = find(args, indexes, list).map_err(|source| Error::IndexUnreadable {
        location: indexes.location(),
        source,
    })?;
    let is_complete =
        found.faults.is_empty() && found.missing.is_empty() && indexes.lacking().is_nothing();
    let index = |index: &IndexReader| {
        let manifest = &index.manifest;
        let location = index.location();
        json!({ "location": location, "sha256": index.digest, "hosts": manifest.hosts, "captures": manifest.captures, "differing": index::differing_names(manifest) })
    };
    let json = json!({
        "complete": is_complete,
        "sha256": indexes.digest,
        "crawls": indexes.crawls,
        "hosts": indexes.most_hosts(),
        "captures": indexes.captures(),
        "indexes": indexes.layers.iter().map(index).collect::<Vec<_>>(),
        "without_index": indexes.without_index,
        "faults": found.faults,
        "missing": found.missing,
        "hosts_lacking_share": found.share,
    });
    let unread = || found.missing.iter().flat_map(|name| [name, "\n"]).collect();
    answer(args, unread, &json, || {
        output::fitted(&index_status_text(args, indexes, &found, is_complete))
    })?;
    Ok(if is_complete { 0 } else { INPUTS_FAILED })
}

fn find(
    args: &StatusArgs,
    indexes: &SiteLayers,
    list: Option<Vec<CrawlInput>>,
) -> io::Result<FoundIndex> {
    let comparison = Comparison::of(args.verify);
    let faults = indexes.layers.iter().map(|index| index.faults(comparison));
    let faults = faults.collect::<io::Result<Vec<_>>>()?.concat();
    let list = list.unwrap_or_default();
    if list.is_empty() && indexes.lacking().is_nothing() {
        return Ok(FoundIndex {
            faults,
            ..FoundIndex::default()
        });
    }
    let archives = indexes.archives()?;
    let read = archives
        .iter()
        .filter(|archive| archive.fingerprint.is_some());
    let read: HashSet<(&str, &str)> = read
        .map(|archive| (archive.crawl.as_str(), archive.warc_filename.as_str()))
        .collect();
    let named = list
        .iter()
        .map(|archive| (archive.crawl.as_str(), archive.input.name.filename()));
    let missing: Vec<(&str, &str)> = named.filter(|archive| !read.contains(archive)).collect();
    let share = indexes.share_lacking(missing.iter().copied())?;
    Ok(FoundIndex {
        faults,
        missing: missing.iter().map(|(_, name)| (*name).to_owned()).collect(),
        share,
    })
}

fn index_status_text(
    args: &StatusArgs,
    indexes: &SiteLayers,
    found: &FoundIndex,
    is_complete: bool,
) -> String {
    let complete = if is_complete {
        "complete"
    } else {
        "not complete"
    };
    let mut text = format!("{}: {complete}\n", args.out.display());
    // Writing to a String does not fail.
    for index in &indexes.layers {
        let is_one = indexes.layers.len() == 1;
        let what = if is_one {
            "a site index".to_owned()
        } else {
            index.location()
        };
        let [hosts, captures] = [index.manifest.hosts, index.manifest.captures].map(grouped);
        let digest = &index.digest;
        let _ = writeln!(
            text,
            "{what}: {hosts} hosts and {captures} captures; SHA-256 of {INDEX_FILE} {digest}"
        );
    }
    let differing: Vec<String> = indexes
        .layers
        .iter()
        .flat_map(|layer| index::differing_names(&layer.manifest))
        .collect();
    if !differing.is_empty() {
        let _ = writeln!(text, "{}", index::differing(&differing));
    }
    let unfinished = "its first index is not finished, or it was retired";
    let without = indexes.without_index.iter();
    text.extend(without.map(|place| format!("{place}: no {INDEX_FILE}: {unfinished}\n")));
    for it in &indexes.crawls {
        let counts = [
            it.archives_read,
            it.archives_cut,
            it.archives_failed,
            it.records_lost,
        ];
        let ([read, cut, failed, lost], crawl) = (counts.map(grouped), &it.crawl);
        let _ = writeln!(
            text,
            "{crawl}: {read} archives read, {cut} of them cut; {failed} could not be read; {lost} records lost"
        );
    }
    if found.share > 0.0 {
        let _ = writeln!(
            text,
            "an answer of {} of the hosts may be lost",
            index::percent(found.share)
        );
    }
    for (names, what) in [(&found.faults, ""), (&found.missing, "missing: ")] {
        text.extend(
            names
                .iter()
                .take(SHOWN)
                .map(|name| format!("{what}{name}\n")),
        );
        if names.len() > SHOWN {
            let _ = writeln!(
                text,
                "... and {} more",
                grouped((names.len() - SHOWN) as u64)
            );
        }
    }
    if !found.faults.is_empty() {
        text.push_str("Next: copy the index again, or make it anew with crawlprefs index\n");
    } else if !is_complete {
        text.push_str("Next: scan what is missing, and make the index anew from all evidence\n");
    }
    text
}
