//! A page in the tables of a run as a scenario: the inputs of `resolve`, read from the evidence again.
//!
//! Input: the folder that `scan` or `run` wrote, and a URL as in the column `url`. Output: a scenario with the page's header
//! fields and metas, the copies of robots.txt and of other site files of its segment, and the viewpoint of the run, with the
//! locations of all these records. A page that was never captured is judged by its site's files alone, over all segments: its
//! own signals were not seen.

mod records;

pub use records::{RowPlace, RowRecords, records};

use super::requests::site_index;
use super::scenario::{RecordLocation, Request, Scenario};
use crate::error::Error;
use crate::runs::{
    ArchiveEvidence, FoundFile, Group, MadeWith, TableOptions, check_tables, find as find_files, groups, pool,
};
use crate::sites::SiteLayers;
use crate::store::Store;
use crate::systems::Viewpoint;
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, Captures};
use crate::verdict::decide::UNSEEN;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use records::FoundPage;
use std::io;

/// The page to look up.
#[derive(Clone, Debug, Default)]
pub struct Wanted<'a> {
    pub url: &'a str,
    /// When it was fetched; `None`: the newest capture.
    pub fetched: Option<Timestamp>,
    /// The lists that replace those of the run: `agents_table`, `vocabulary_file`, `applications_file`.
    pub lists: Vec<&'static str>,
}

/// Why there is no scenario of a page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// It is not a URL of a page.
    #[error("{url}: expected an http or https URL, such as https://a.example/page")]
    NotWeb {
        /// The given text.
        url: String,
    },
    /// The page was not fetched at that time.
    #[error("{url}: not fetched at {fetched}, but at {times}")]
    NoSuchTime {
        url: String,
        /// The requested time.
        fetched: Timestamp,
        /// The times at which it was fetched.
        times: String,
    },
    /// The URL is that of a site file.
    #[error("{url}: a site file there ({kind}), which is not a page; ask for a page of its site")]
    SiteFile {
        url: String,
        /// The kind of capture.
        kind: String,
    },
    /// A row belongs to other tables.
    #[error(
        "{location}: no record of {warc_filename} at {offset} in its evidence; expected rows of these tables"
    )]
    NoSuchRow {
        /// The folder.
        location: String,
        /// The archive of the row.
        warc_filename: String,
        offset: u64,
    },
    /// The tables were made with lists that are not part of them.
    #[error("{location}: resolved with files of its own; give them again: {flags}")]
    ListsMissing {
        /// The folder.
        location: String,
        /// The flags that take them.
        flags: String,
    },
    /// The evidence cannot be read, or is damaged.
    #[error(transparent)]
    Evidence(#[from] Error),
    /// The evidence cannot be read.
    #[error("{location}: its evidence cannot be read: {source}")]
    Unreadable {
        /// The folder.
        location: String,
        /// Why.
        source: io::Error,
    },
}

/// Returns the scenario of a page in the tables of a run with its evidence in some folders; see
/// [`evidence_of`](crate::runs::evidence_of).
///
/// # Errors
/// [`LookupError`]
pub fn scenario(
    tables: &dyn Store,
    evidence: &[&dyn Store],
    wanted: &Wanted<'_>,
) -> Result<Scenario, LookupError> {
    let location = || tables.location();
    let unreadable = |source| LookupError::Unreadable { location: location(), source };
    let made_with = MadeWith::read(tables).map_err(unreadable)?;
    let default = || Ok(TableOptions::new(Viewpoint::default()));
    let options = made_with.as_ref().map_or_else(default, MadeWith::table_options).map_err(unreadable)?;
    let missing = made_with.map(|made_with| made_with.lists_missing(&wanted.lists)).unwrap_or_default();
    if !missing.is_empty() {
        let flags: Vec<String> = missing.iter().map(|flag| format!("{flag} FILE")).collect();
        return Err(LookupError::ListsMissing { location: location(), flags: flags.join(" ") });
    }
    let TableOptions { viewpoint, slack, .. } = options;
    let groups = run_groups(tables, evidence)?;
    let (captures, is_history) = (Some(Vec::new()), true);
    let mut scenario = Scenario { viewpoint, captures, is_history, slack, ..Scenario::default() };
    pool("look-up", 0)?.install(|| fill(tables, &groups, wanted, &mut scenario))?;
    Ok(scenario)
}

/// Returns the evidence of a run, in groups with complete tables.
fn run_groups<'e>(tables: &dyn Store, evidence: &[&'e dyn Store]) -> Result<Vec<Group<'e>>, LookupError> {
    let unreadable = |source| LookupError::Unreadable { location: tables.location(), source };
    let made_with = MadeWith::read(tables).map_err(unreadable)?;
    let options = made_with.as_ref().map(MadeWith::table_options).transpose().map_err(unreadable)?;
    let scope = options.map_or(TableOptions::new(Viewpoint::default()).scope, |options| options.scope);
    let groups = groups(evidence.iter().copied(), scope)?;
    if made_with.is_some() {
        check_tables(tables, &groups, scope)?;
    }
    Ok(groups)
}

fn fill(
    tables: &dyn Store,
    groups: &[Group<'_>],
    wanted: &Wanted<'_>,
    scenario: &mut Scenario,
) -> Result<(), LookupError> {
    let unreadable = |source| LookupError::Unreadable { location: tables.location(), source };
    let (found, captures) = records::page(tables, groups, wanted)?;
    scenario.captures = Some(captures);
    let Some(found) = found else { return unseen(groups, wanted, scenario, &unreadable) };
    let Some(group) = groups.get(found.group) else { return Ok(()) };
    if let Some(archive) = group.archives.get(found.archive) {
        page(archive, &found, scenario).map_err(unreadable)?;
    }
    add_site(&group.archives.iter().collect::<Vec<_>>(), scenario).map_err(unreadable)
}

/// Makes the scenario of an unseen page by its site's files at the wanted time, else the newest, over all segments, like
/// `judge`.
fn unseen(
    groups: &[Group<'_>],
    wanted: &Wanted<'_>,
    scenario: &mut Scenario,
    unreadable: &dyn Fn(io::Error) -> LookupError,
) -> Result<(), LookupError> {
    let mut archives: Vec<_> = groups.iter().flat_map(|group| &group.archives).collect();
    archives.sort_by_key(|archive| (&archive.manifest.crawl, &archive.manifest.warc_filename));
    fill_unseen(wanted, scenario, &|url| site_files(&archives, url).map_err(unreadable))
}

/// Returns the scenario of an unseen page, by its site's files in a site index: at the wanted time, else the newest.
///
/// # Errors
/// [`LookupError`]
pub fn scenario_by_index(index: &SiteLayers, wanted: &Wanted<'_>) -> Result<Scenario, LookupError> {
    let mut scenario = Scenario { captures: Some(Vec::new()), is_history: true, ..Scenario::default() };
    fill_unseen(wanted, &mut scenario, &|url| {
        let unreadable = |source| Error::IndexUnreadable { location: index.location(), source };
        Ok(index.find(url).map_err(unreadable)?)
    })?;
    Ok(scenario)
}

/// Takes a page that was not seen, and its site's files from `find`, also those of another origin that count for `judge`.
fn fill_unseen(
    wanted: &Wanted<'_>,
    scenario: &mut Scenario,
    find: &dyn Fn(&PageUrl<'_>) -> Result<Vec<FoundFile>, LookupError>,
) -> Result<(), LookupError> {
    let url = PageUrl::new(wanted.url.as_bytes());
    let url = url.map_err(|_| LookupError::NotWeb { url: wanted.url.to_owned() })?;
    scenario.media_type = None;
    scenario.unread = UNSEEN.map(str::to_owned).to_vec();
    take_files(find(&url)?, wanted, scenario);
    let index = site_index(scenario);
    if let Some(other) = index.other_origin(&url.origin(), scenario.fetched_at, scenario.slack)
        && let Ok(root) = PageUrl::new(format!("{other}/").as_bytes())
    {
        take_files(find(&root)?, wanted, scenario);
        scenario.site = Some(other);
    }
    scenario.url = Some(url.into_owned());
    Ok(())
}

/// Takes the files of the site of an unseen page; without a time, the page is judged as of the newest file.
fn take_files(files: Vec<FoundFile>, wanted: &Wanted<'_>, scenario: &mut Scenario) {
    replace_files(files, scenario);
    let requests = scenario.robots.iter().chain(&scenario.site_files);
    scenario.fetched_at = wanted.fetched.or_else(|| requests.filter_map(|request| request.fetched_at).max());
}

/// Adds the requests for the files of the page's site; a URL that cannot be read has no site.
fn add_site(archives: &[&ArchiveEvidence<'_>], scenario: &mut Scenario) -> io::Result<()> {
    let files = scenario.url.as_ref().map(|url| site_files(archives, url)).transpose()?;
    replace_files(files.unwrap_or_default(), scenario);
    Ok(())
}

fn site_files(archives: &[&ArchiveEvidence<'_>], url: &PageUrl<'_>) -> io::Result<Vec<FoundFile>> {
    let origin = url.origin();
    find_files(archives, &|url| origin.is_of(url), &[url.host_name()])
}

fn replace_files(files: Vec<FoundFile>, scenario: &mut Scenario) {
    scenario.robots.clear();
    scenario.site_files.clear();
    for file in files {
        let (filename, offset) = file.record;
        let location = RecordLocation {
            warc_filename: Some(filename),
            warc_record_offset: offset.and_then(|offset| u64::try_from(offset).ok()),
            warc_record_length: file.record_bytes,
        };
        let request = Request {
            answer: file.answer,
            redirect: file.redirect,
            body: file.body,
            extent: file.extent,
            location,
            segment: file.segment,
            ..Request::new(file.kind, file.url, file.fetched_at)
        };
        let requests =
            if request.kind.is_beside_robots() { &mut scenario.site_files } else { &mut scenario.robots };
        requests.push(request);
    }
}

fn page(archive: &ArchiveEvidence<'_>, found: &FoundPage, scenario: &mut Scenario) -> io::Result<()> {
    for slice in archive.slices(&CAPTURES, |file| Slices::of_rows(file, &[found.row], None))? {
        let slice = slice?;
        let captures = Captures::new(&slice)?;
        let mut fields = Vec::new();
        captures.fields(0, &mut fields)?;
        for field in &fields {
            scenario.add_field(field.carrier, field.name, field.value);
        }
        scenario.url = PageUrl::new(captures.url(0).as_bytes()).map(PageUrl::into_owned).ok();
        scenario.fetched_at = captures.fetched_at(0);
        scenario.media_type = captures.media_type(0).map(str::to_ascii_lowercase);
        scenario.unread = captures.unread(0).map(str::to_owned).collect();
        scenario.location = location(&captures, 0)?;
    }
    Ok(())
}

fn location(captures: &Captures<'_>, row: usize) -> io::Result<RecordLocation> {
    let (filename, offset) = captures.place(row)?;
    let (warc_filename, warc_record_offset) = (Some(filename.to_owned()), u64::try_from(offset).ok());
    Ok(RecordLocation { warc_filename, warc_record_offset, warc_record_length: captures.length(row)? })
}
