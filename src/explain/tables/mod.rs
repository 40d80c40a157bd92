//! A page in the tables of a run as a scenario: the inputs of `resolve`, read from the evidence again.
//!
//! Input: the folder that `scan` or `run` wrote, and a URL as in the column `url`. Output: a scenario with the page's header
//! fields and metas, the copies of robots.txt and of other site files of its segment, and the viewpoint of the run, with the
//! locations of all these records. A page that was never captured is judged by its site's files alone, over all segments: its
//! own signals were not seen.

mod records;

pub use records::{RowPlace, RowRecords, originals, records};

use super::scenario::Scenario;
use crate::error::Error;
use crate::runs::{
    ArchiveEvidence, ArchiveGroup, MadeWith, Scope, TableOptions, all_archives, check_tables,
    find as find_files, groups, join_originals, pool,
};
use crate::sites::SiteLayers;
use crate::store::Store;
use crate::systems::Viewpoint;
use crate::tables::Slices;
use crate::tables::captures::Captures;
use crate::verdict::{Request, UNSEEN};
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use crate::web::url::{PageUrl, redirect_target};
use records::FoundPage;
use std::collections::{BTreeSet, HashSet};
use std::io;

#[derive(Clone, Debug, Default)]
pub struct WantedPage<'a> {
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
    #[error("{url}: expected an http or https URL, such as https://a.example/page")]
    NotWeb { url: String },
    #[error("{url}: not fetched at {fetched}, but at {times}")]
    NoSuchTime {
        url: String,
        fetched: Timestamp,
        times: String,
    },
    /// The URL is that of a site file.
    #[error("{url}: a site file there ({kind}), which is not a page; ask for a page of its site")]
    SiteFile { url: String, kind: String },
    /// A row belongs to other tables.
    #[error(
        "{location}: no record of {warc_filename} at {offset} in its evidence; expected rows of these tables"
    )]
    NoSuchRow {
        location: String,
        warc_filename: String,
        offset: u64,
    },
    /// The tables were made with lists that are not part of them.
    #[error("{location}: resolved with files of its own; give them again: {flags}")]
    ListsMissing { location: String, flags: String },
    #[error(transparent)]
    Evidence(#[from] Error),
    #[error("{location}: its evidence cannot be read: {source}")]
    Unreadable { location: String, source: io::Error },
}

fn unreadable(tables: &dyn Store) -> impl Fn(io::Error) -> LookupError {
    |source| LookupError::Unreadable {
        location: tables.location(),
        source,
    }
}

/// Returns the scenario of a page in the tables of a run with its evidence in some folders; see
/// [`evidence_of`](crate::runs::evidence_of).
pub fn scenario(
    tables: &dyn Store,
    evidence: &[&dyn Store],
    wanted: &WantedPage<'_>,
) -> Result<Scenario, LookupError> {
    let (made_with, options) = made_with(tables)?;
    let missing = made_with
        .as_ref()
        .map(|made_with| made_with.lists_missing(&wanted.lists));
    let flags: Vec<String> = missing
        .iter()
        .flatten()
        .map(|flag| format!("{flag} FILE"))
        .collect();
    if !flags.is_empty() {
        return Err(LookupError::ListsMissing {
            location: tables.location(),
            flags: flags.join(" "),
        });
    }
    let groups = run_groups(tables, evidence, made_with.is_some())?;
    let TableOptions {
        viewpoint,
        slack,
        max_age,
        scope,
        ..
    } = options;
    let mut scenario = Scenario {
        viewpoint,
        slack,
        max_age,
        is_history: true,
        ..Scenario::default()
    };
    pool("look-up", 0)?.install(|| fill(tables, (&groups, scope), wanted, &mut scenario))?;
    Ok(scenario)
}

/// Returns what the tables were made with.
fn made_with(tables: &dyn Store) -> Result<(Option<MadeWith>, TableOptions), LookupError> {
    let made_with = MadeWith::read(tables).map_err(unreadable(tables))?;
    let options = made_with
        .as_ref()
        .map(MadeWith::table_options)
        .transpose()
        .map_err(unreadable(tables))?;
    Ok((
        made_with,
        options.unwrap_or_else(|| TableOptions::new(Viewpoint::default())),
    ))
}

/// Returns the evidence of a run, in groups with complete tables.
fn run_groups<'e>(
    tables: &dyn Store,
    evidence: &[&'e dyn Store],
    has_tables: bool,
) -> Result<Vec<ArchiveGroup<'e>>, LookupError> {
    let groups = groups(evidence.iter().copied())?;
    if has_tables {
        check_tables(tables, &groups)?;
    }
    Ok(groups)
}

fn fill(
    tables: &dyn Store,
    (groups, scope): (&[ArchiveGroup<'_>], Scope),
    wanted: &WantedPage<'_>,
    scenario: &mut Scenario,
) -> Result<(), LookupError> {
    let archives = all_archives(groups);
    join(&archives, [wanted.url]).map_err(unreadable(tables))?;
    let (found, captures) = records::page(tables, groups, wanted)?;
    scenario.captures = Some(captures);
    let Some(found) = found else {
        // The files of all segments count, like in `judge`.
        return fill_unseen(wanted, scenario, &|url| {
            site_files(&archives, url).map_err(unreadable(tables))
        });
    };
    let Some(group) = groups.get(found.group) else {
        return Ok(());
    };
    if let Some(archive) = group.archives.get(found.archive) {
        page(archive, &found, scenario).map_err(unreadable(tables))?;
    }
    // A URL that cannot be read has no site.
    let files = scenario
        .url
        .as_ref()
        .map(|url| site_files(&archives, url))
        .transpose();
    let mut files = files.map_err(unreadable(tables))?.unwrap_or_default();
    let is_of_segment = |request: &Request| {
        let archive = request.location.warc_filename.as_deref();
        group
            .archives
            .iter()
            .any(|own| archive == Some(own.manifest.warc_filename.as_str()))
    };
    files.retain(|request| {
        scope == Scope::All || request.kind.is_beside_robots() || is_of_segment(request)
    });
    scenario.take_files(files);
    Ok(())
}

/// Returns the scenario of an unseen page, by its site's files in a site index: at the wanted time, else the newest.
pub fn scenario_by_index(
    index: &SiteLayers,
    wanted: &WantedPage<'_>,
) -> Result<Scenario, LookupError> {
    let mut scenario = Scenario {
        captures: Some(Vec::new()),
        is_history: true,
        ..Scenario::default()
    };
    fill_unseen(wanted, &mut scenario, &|url| {
        let unreadable = |source| Error::IndexUnreadable {
            location: index.location(),
            source,
        };
        Ok(index.find(url).map_err(unreadable)?)
    })?;
    Ok(scenario)
}

/// Takes a page that was not seen, and its site's files from `find`.
fn fill_unseen(
    wanted: &WantedPage<'_>,
    scenario: &mut Scenario,
    find: &dyn Fn(&PageUrl<'_>) -> Result<Vec<Request>, LookupError>,
) -> Result<(), LookupError> {
    let url = PageUrl::new(wanted.url.as_bytes());
    let url = url.map_err(|_| LookupError::NotWeb {
        url: wanted.url.to_owned(),
    })?;
    scenario.media_type = None;
    scenario.not_seen = UNSEEN.map(str::to_owned).to_vec();
    scenario.take_files(find(&url)?);
    // Without a time, the page is judged as of the newest file.
    scenario.fetched_at = wanted.fetched.or_else(|| scenario.newest_file());
    scenario.url = Some(url.into_owned());
    Ok(())
}

/// Joins the revisits at some URLs, and those of their sites' files and of their redirects, with their originals (KNOW-4).
fn join<'u>(
    archives: &[&ArchiveEvidence<'_>],
    urls: impl IntoIterator<Item = &'u str>,
) -> io::Result<()> {
    if archives
        .iter()
        .all(|archive| archive.manifest.revisits == 0)
    {
        return Ok(());
    }
    let urls = urls
        .into_iter()
        .filter_map(|url| PageUrl::new(url.as_bytes()).ok());
    let origins: HashSet<Origin> = urls.flat_map(|url| url.origin().with_twins()).collect();
    let mut hosts: BTreeSet<String> = origins
        .iter()
        .map(|origin| origin.host_name().to_owned())
        .collect();
    let of_sites: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let files = find_files(archives, &|url| origins.contains(&url.origin()), &of_sites)?;
    let leads_to = |file: &Request| {
        let target = redirect_target(&file.url, file.redirect.as_deref()?)?;
        Some(target.host_name().to_owned())
    };
    hosts.extend(files.iter().filter_map(leads_to));
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    join_originals(archives, Some(&hosts))
}

fn site_files(archives: &[&ArchiveEvidence<'_>], url: &PageUrl<'_>) -> io::Result<Vec<Request>> {
    // KNOW-8: the files of twins, too.
    let origins = url.origin().with_twins();
    let hosts: BTreeSet<&str> = origins.iter().map(Origin::host_name).collect();
    let hosts: Vec<&str> = hosts.into_iter().collect();
    find_files(
        archives,
        &|url| origins.iter().any(|origin| origin.is_of(url)),
        &hosts,
    )
}

fn page(
    archive: &ArchiveEvidence<'_>,
    found: &FoundPage,
    scenario: &mut Scenario,
) -> io::Result<()> {
    let rows = [found.row];
    for slice in archive.captures(Some(&rows), |file| Slices::of_rows(file, &rows, None))? {
        let slice = slice?;
        let captures = Captures::new(&slice)?;
        let mut fields = Vec::new();
        captures.fields(0, &mut fields)?;
        for field in &fields {
            scenario.add_field(field.carrier, field.name, field.value);
        }
        scenario.url = PageUrl::new(captures.url(0).as_bytes())
            .map(PageUrl::into_owned)
            .ok();
        scenario.fetched_at = captures.fetched_at(0);
        scenario.media_type = captures.media_type(0).map(str::to_ascii_lowercase);
        let gaps = captures.unread_and_not_seen(0);
        let owned = |carriers: Vec<&str>| carriers.into_iter().map(str::to_owned).collect();
        (scenario.unread, scenario.not_seen) = (owned(gaps.0), owned(gaps.1));
        scenario.location = captures.location(0)?;
    }
    Ok(())
}
