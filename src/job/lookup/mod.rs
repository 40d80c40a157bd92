//! A page of a run's tables as a scenario: what resolving had of it, taken from the evidence again.
//!
//! Input: the folder that `scan` or `run` wrote, and a URL as the column `url` has it. Output: a
//! scenario with the page's header fields and metas, the copies of robots.txt and other site files of
//! its segment, and the viewpoint of the run, with the places of all these records.
//! Left out: the verdict by a later crawl (`resolve --later`).

mod find;
mod site;

use super::manifest::{Identity, RunFile};
use super::resolve::{Scope, groups};
use crate::store::Store;
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, Captures};
use crate::web::field::{Carrier, Field};
use crate::web::timestamp::Timestamp;
use data_encoding::BASE64;
use find::Found;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io;

/// Which page is asked for.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// Its URL.
    pub url: &'a str,
    /// When it was fetched; the newest capture where that is not told.
    pub fetched: Option<Timestamp>,
    /// The lists that the asker has: `agents_table`, `vocabulary_file`, `applications_file`.
    pub lists: Vec<&'static str>,
}

/// Why a page's scenario cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// There is no evidence.
    #[error(
        "{location}: no evidence there; expected a folder that crawlprefs scan or run wrote (tables that resolve -o wrote elsewhere have none)"
    )]
    NoEvidence {
        /// The folder.
        location: String,
    },
    /// No page has that URL.
    #[error("{url}: no page of that URL in {location}; {near}")]
    NoPage {
        /// The URL.
        url: String,
        /// The folder.
        location: String,
        /// Which pages there are instead.
        near: String,
    },
    /// The page was not fetched then.
    #[error("{url}: not fetched at {fetched}, but at {times}")]
    NoSuchTime {
        /// The URL.
        url: String,
        /// What was asked for.
        fetched: Timestamp,
        /// When it was.
        times: String,
    },
    /// The URL is that of a site file.
    #[error("{url}: a site file there ({kind}), which is no page; ask for a page of its site")]
    SiteFile {
        /// The URL.
        url: String,
        /// The kind of capture.
        kind: String,
    },
    /// The tables were made with files that are not among them.
    #[error("{location}: resolved with files of its own; give them again: {flags}")]
    ListsMissing {
        /// The folder.
        location: String,
        /// The flags that take them.
        flags: String,
    },
    /// The evidence cannot be read.
    #[error("{location}: its evidence cannot be read: {source}")]
    Unreadable {
        /// The folder.
        location: String,
        /// Why.
        source: io::Error,
    },
}

/// Returns the scenario of a page in the tables of a run.
///
/// # Errors
/// [`LookupError`]
pub fn scenario(evidence: &dyn Store, asked: &Asked<'_>) -> Result<Map<String, Value>, LookupError> {
    let location = || evidence.location();
    let unreadable = |source| LookupError::Unreadable { location: location(), source };
    let identity = Identity::read(evidence, RunFile::Resolve).map_err(unreadable)?;
    let options = identity.map(|identity| identity.options).unwrap_or_default();
    refuse_missing_lists(&options, asked, &location)?;
    let scope = match options.get("index").map(String::as_str) {
        Some("all") => Scope::All,
        Some(_) | None => Scope::Segment,
    };
    let groups = groups(evidence, scope).map_err(unreadable)?;
    if groups.is_empty() {
        return Err(LookupError::NoEvidence { location: location() });
    }
    let (found, captures) = find::page(evidence, &groups, asked)?;
    let mut scenario = viewpoint(&options);
    scenario.insert("captures".to_owned(), captures);
    let Some(group) = groups.get(found.group) else { return Ok(scenario) };
    let file = group.manifests.get(found.manifest).map(|manifest| manifest.part(&CAPTURES));
    let page = file.map(|file| page(evidence, &file, &found)).transpose().map_err(unreadable)?;
    scenario.extend(page.unwrap_or_default());
    scenario.extend(site::of_page(evidence, &group.manifests, asked.url).map_err(unreadable)?);
    Ok(scenario)
}

/// Lists are told by their digests only.
fn refuse_missing_lists(
    options: &BTreeMap<String, String>,
    asked: &Asked<'_>,
    location: &dyn Fn() -> String,
) -> Result<(), LookupError> {
    let flags = [
        ("agents_table", "--agents"),
        ("vocabulary_file", "--vocab"),
        ("applications_file", "--applications"),
    ];
    let missing = flags.iter().filter(|(list, _)| options.contains_key(*list) && !asked.lists.contains(list));
    let flags: Vec<String> = missing.map(|(_, flag)| format!("{flag} FILE")).collect();
    if flags.is_empty() {
        return Ok(());
    }
    Err(LookupError::ListsMissing { location: location(), flags: flags.join(" ") })
}

/// The viewpoint of the run; where there was none, that of everybody who asks for nothing.
fn viewpoint(options: &BTreeMap<String, String>) -> Map<String, Value> {
    let keys = [("product_token", "agent"), ("vocabulary", "vocabulary"), ("token_match", "token_match")];
    let told = keys
        .into_iter()
        .filter_map(|(key, option)| Some((key.to_owned(), Value::from(options.get(option)?.as_str()))));
    let mut viewpoint: Map<String, Value> = told.collect();
    let slack_s = options.get("robots_slack_s").and_then(|seconds| seconds.parse::<u64>().ok());
    viewpoint.insert("robots_slack".to_owned(), slack_s.unwrap_or(0).into());
    viewpoint
}

/// Reads the page's row.
fn page(evidence: &dyn Store, file: &str, found: &Found) -> io::Result<Map<String, Value>> {
    let mut page = Map::new();
    for slice in Slices::of_row(evidence.open(file)?, found.row)? {
        let slice = slice?;
        let captures = Captures::new(&slice)?;
        let mut fields = Vec::new();
        captures.fields(0, &mut fields)?;
        let (filename, offset) = captures.place(0)?;
        let (headers, metas): (Vec<&Field<'_>>, Vec<&Field<'_>>) =
            fields.iter().partition(|field| field.carrier == Carrier::Header);
        let headers: Vec<Value> = headers.iter().map(|field| json!([field.name, value_of(field)])).collect();
        let metas: Vec<Value> = metas.iter().map(|field| meta(field)).collect();
        let row = json!({
            "url": captures.url(0), "fetched": time(captures.fetched_at(0)), "headers": headers,
            "meta": metas, "content_type": captures.media_type(0),
            "unread": captures.unread(0).collect::<Vec<_>>(),
            "warc_filename": filename, "warc_record_offset": offset,
        });
        page.extend(row.as_object().cloned().unwrap_or_default());
    }
    Ok(page)
}

fn meta(field: &Field<'_>) -> Value {
    json!({ "name": field.name, "content": value_of(field), "in": "head", "carrier": field.carrier.as_str() })
}

/// Returns a value as text, where it is UTF-8.
fn value_of(field: &Field<'_>) -> Value {
    match std::str::from_utf8(field.value) {
        Ok(text) => text.into(),
        Err(_) => json!({ "base64": BASE64.encode(field.value) }),
    }
}

/// Returns a time as scenarios have it; none is an empty one, for a missing one would be some time.
fn time(at: Option<Timestamp>) -> Value {
    at.map(|at| at.to_string()).unwrap_or_default().into()
}
