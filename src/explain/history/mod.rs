//! What a host said over time: when its site files changed, and the effects of each change.
//!
//! Input: a site index, a host or a URL, and a viewpoint. Output, one after the other: the files of the host, and for each its
//! runs of equal answers with the changes that the first of them brought for crawlers, for labels and for the page. Example: in
//! June a group for `GPTBot` came, which may not fetch anything any more; in July only comments changed. Memory: two versions of
//! a file, about 300 bytes per fetch, and before that the row group of the index with the host's bodies, which is read as a
//! whole. Left out: signals in pages themselves.

mod agents;
mod changes;
mod rule_numbers;
mod runs;
mod understood;
mod verdicts;

pub use agents::{AgentAccess, AgentChange, AgentNames, NamedAgents};
pub use changes::{AccessChange, Effect, FileEntry, LineChanges};
pub use runs::{AnswerRun, Gap, HopAnswer, Observed};
pub use understood::NotUnderstood;
pub use verdicts::{LabelChange, LabelState};

use super::robots_lines::RobotsLine;
use crate::error::Error;
use crate::robots::VendorTexts;
use crate::sites::{LoadedBodies, SiteLayers};
use crate::systems::Viewpoint;
use crate::tables::site_index::SiteHost;
use crate::verdict::{AgentsTable, FilesOfSites, Resolver};
use crate::web::url::PageUrl;
use crate::web::{
    capture_kind::CaptureKind, host::surt_host_name, origin::Origin, timestamp::Timestamp,
};
use changes::Comparing;
use runs::{AllCaptures, UrlCaptures};
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};
use std::hash::Hash;
use std::io;
use std::time::Duration;

/// The most bytes of compiled site files that are kept.
const CACHE_BYTES: usize = 16 << 20;
/// The most bytes that are shown of text from others; any number of this size.
const CLIPPED_BYTES: usize = 300;
/// The most lines in a list: a file may have any number of them.
const MAX_LINES: usize = 10;

/// The subject of a history: a host, or the site of a page.
#[derive(Clone, Debug)]
pub struct HistorySubject {
    /// The page; for a host, `/`.
    url: PageUrl<'static>,
    is_host: bool,
}

pub struct HistoryQuestion<'q> {
    pub subject: HistorySubject,
    pub viewpoint: Viewpoint,
    pub agents: &'q AgentsTable,
    /// A longer time without a fetch is a gap.
    pub gap: Duration,
    /// Runs that end before it are left out.
    pub since: Option<Timestamp>,
    /// Runs that begin after it are left out.
    pub until: Option<Timestamp>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "item", rename_all = "snake_case")]
pub enum HistoryItem {
    /// The subject of the history: the first item.
    About(HistoryHead),
    /// A file: its entries follow.
    File(FileHead),
    /// Equal answers, and the changes that they brought.
    Entry(Box<FileEntry>),
}

/// The subject of a history and the data behind it.
#[derive(Debug, Serialize)]
pub struct HistoryHead {
    pub host: String,
    /// The page of the labels; `None`: the root of each origin.
    pub url: Option<String>,
    pub product_token: String,
    pub vocabulary: String,
    pub index: String,
    /// The SHA-256 of its `_index.json`.
    pub index_sha256: String,
    pub archives_read: u64,
    /// Archives that could not be read: their content may be missing.
    pub archives_failed: u64,
    /// Archives that end inside a record: the rest may be missing.
    pub archives_cut: u64,
    pub records_lost: u64,
    /// A gap is a time without a fetch of more than this many seconds.
    pub gap_s: u64,
    /// The kinds of site files of which the index has no capture (KNOW-11).
    pub not_asked: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
pub struct FileHead {
    pub origin: String,
    pub file: &'static str,
    pub url: String,
    /// Fetches with a time.
    pub fetches: usize,
    /// Fetches without a usable time, which are in no entry.
    pub undated: usize,
    /// Answers that were replaced by others of the same time.
    pub replaced: usize,
    pub runs: usize,
    /// The number of these that are outside the requested time.
    pub left_out: usize,
}

/// Lines that only one of two versions of a file has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CameAndWent {
    /// The first of the lines that the earlier version does not have.
    pub came: Vec<RobotsLine>,
    pub came_count: usize,
    /// The first of the lines that the later version does not have.
    pub went: Vec<RobotsLine>,
    pub went_count: usize,
}

impl CameAndWent {
    /// Compares lines by their keys; of those with one key, the first is listed.
    fn between<T, K: Eq + Hash>(
        before: &[T],
        after: &[T],
        key: impl Fn(&T) -> K,
        listed: impl Fn(&T) -> RobotsLine,
    ) -> Self {
        let without = |lines: &[T], others: &[T]| {
            let others: HashSet<K> = others.iter().map(&key).collect();
            let mut known = HashSet::new();
            let own = lines
                .iter()
                .filter(|line| !others.contains(&key(line)) && known.insert(key(line)));
            let own: Vec<&T> = own.collect();
            (
                own.iter()
                    .take(MAX_LINES)
                    .map(|line| clipped(listed(line)))
                    .collect(),
                own.len(),
            )
        };
        let ((went, went_count), (came, came_count)) =
            (without(before, after), without(after, before));
        Self {
            came,
            came_count,
            went,
            went_count,
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    #[error("{given}: expected a host, such as www.example.org, or an http or https URL")]
    NoSubject { given: String },
    /// `others` are names that the index has instead, as the end of the sentence.
    #[error("{location}: nothing of {subject} is in the index{others}")]
    NotThere {
        location: String,
        subject: String,
        others: String,
    },
    #[error(transparent)]
    Index(#[from] Error),
    #[error(transparent)]
    Output(io::Error),
}

impl HistorySubject {
    /// Reads a host or a URL.
    pub fn new(given: &str) -> Result<Self, HistoryError> {
        let refused = || HistoryError::NoSubject {
            given: given.to_owned(),
        };
        let is_host = !given.contains("://");
        let text = if is_host {
            format!("https://{given}/")
        } else {
            given.to_owned()
        };
        let url = PageUrl::new(text.as_bytes())
            .map_err(|_| refused())?
            .into_owned();
        let has_more = url.port().is_some()
            || url.path() != "/"
            || url.query().is_some()
            || given.contains('@');
        if is_host && has_more {
            Err(refused())
        } else {
            Ok(Self { url, is_host })
        }
    }

    fn is_of(&self, url: &PageUrl<'_>) -> bool {
        if self.is_host {
            self.url.host_name() == url.host_name()
        } else {
            self.url.origin() == url.origin()
        }
    }
}

/// Gives the history of a host or of a page's site to `take`, item by item.
pub fn history(
    index: &SiteLayers,
    question: &HistoryQuestion<'_>,
    take: &mut dyn FnMut(HistoryItem) -> io::Result<()>,
) -> Result<(), HistoryError> {
    let unreadable = |source| Error::IndexUnreadable {
        location: index.location(),
        source,
    };
    let subject = &question.subject;
    let hosts = SiteHost::of_page(subject.url.host_name()).collect();
    let mut loaded = index.load_fetches(&hosts, None).map_err(unreadable)?;
    // Equal bodies become one, so that equal answers do.
    let bodies = index.load_bodies(&mut loaded).map_err(unreadable)?;
    let all = AllCaptures::from_fetches(&loaded);
    let is_own = |kind: CaptureKind| !matches!(kind, CaptureKind::Page | CaptureKind::RobotsHop);
    let mut files: Vec<_> = all
        .0
        .values()
        .filter(|file| is_own(file.kind) && subject.is_of(&file.url))
        .collect();
    if files.is_empty() {
        return Err(not_there(index, subject, &all));
    }
    files.sort_by_key(|file| (file.url.origin(), file.kind, file.url.as_str().to_owned()));
    let captures = bodies.captures(&loaded, |_| true);
    let site_index = FilesOfSites::new(captures, bodies, CACHE_BYTES);
    take(HistoryItem::About(head(index, question, &files))).map_err(HistoryError::Output)?;
    let resolver = Resolver::new(question.viewpoint.clone(), question.agents);
    let vendors = VendorTexts::bundled();
    for file in files {
        let origin = file.url.origin();
        let root = PageUrl::new(format!("{origin}/").as_bytes()).map(PageUrl::into_owned);
        let url = if subject.is_host {
            root.as_ref().unwrap_or(&subject.url)
        } else {
            &subject.url
        };
        let (index, gap) = (&site_index, question.gap);
        SiteHistory {
            index,
            all: &all,
            resolver: &resolver,
            vendors: &vendors,
            origin: &origin,
            url,
            gap,
        }
        .pass_on(file, question, &unreadable, take)?;
    }
    Ok(())
}

/// The files of a site over time, and a page of it, to be decided about.
struct SiteHistory<'h> {
    /// The captures and bodies, as decisions use them.
    index: &'h FilesOfSites<LoadedBodies>,
    all: &'h AllCaptures<'h>,
    resolver: &'h Resolver,
    vendors: &'h VendorTexts,
    origin: &'h Origin,
    url: &'h PageUrl<'static>,
    gap: Duration,
}

impl SiteHistory<'_> {
    fn pass_on(
        &self,
        file: &UrlCaptures<'_>,
        question: &HistoryQuestion<'_>,
        unreadable: &dyn Fn(io::Error) -> Error,
        take: &mut dyn FnMut(HistoryItem) -> io::Result<()>,
    ) -> Result<(), HistoryError> {
        let runs = self.runs(file);
        let head = FileHead {
            origin: self.origin.as_str().to_owned(),
            file: file.kind.as_str(),
            url: clip(file.url.as_str().to_owned()),
            fetches: file.captures.len(),
            undated: file.undated,
            replaced: file.others.len(),
            runs: runs.len(),
            left_out: runs.iter().filter(|run| question.leaves_out(run)).count(),
        };
        take(HistoryItem::File(head)).map_err(HistoryError::Output)?;
        let mut comparing = Comparing::new(self, file.kind);
        for (number, run) in runs.iter().enumerate() {
            if question.leaves_out(run) {
                comparing.pass_over(run);
                continue;
            }
            let before = number.checked_sub(1).and_then(|before| runs.get(before));
            let entry = comparing.entry(before, run).map_err(unreadable)?;
            take(HistoryItem::Entry(Box::new(entry))).map_err(HistoryError::Output)?;
        }
        Ok(())
    }
}

impl HistoryQuestion<'_> {
    fn leaves_out(&self, run: &AnswerRun) -> bool {
        self.since.is_some_and(|since| run.last < since)
            || self.until.is_some_and(|until| run.first > until)
    }
}

fn head(
    index: &SiteLayers,
    question: &HistoryQuestion<'_>,
    files: &[&UrlCaptures<'_>],
) -> HistoryHead {
    let (subject, lacking) = (&question.subject, index.lacking());
    HistoryHead {
        host: subject.url.host_name().to_owned(),
        url: (!subject.is_host).then(|| clip(subject.url.as_str().to_owned())),
        product_token: question.viewpoint.token.as_str().to_owned(),
        vocabulary: question.viewpoint.vocabulary.name().to_owned(),
        index: index.location(),
        index_sha256: index.digest.clone(),
        archives_read: lacking.archives.saturating_sub(lacking.failed),
        archives_failed: lacking.failed,
        archives_cut: lacking.cut,
        records_lost: lacking.records_lost,
        gap_s: question.gap.as_secs(),
        not_asked: CaptureKind::names_not_among(&files.iter().map(|file| file.kind)),
    }
}

/// Returns the error that the index has no such file, with its origins of nearly the same name.
fn not_there(index: &SiteLayers, subject: &HistorySubject, all: &AllCaptures<'_>) -> HistoryError {
    const NAMED: usize = 5;
    let surt = surt_host_name(subject.url.host_name());
    let near = all
        .0
        .values()
        .filter(|file| surt_host_name(file.url.host_name()) == surt);
    let near: BTreeSet<String> = near
        .map(|file| file.url.origin().as_str().to_owned())
        .collect();
    let named: Vec<&str> = near.iter().take(NAMED).map(String::as_str).collect();
    let more = if near.len() > NAMED { ", ..." } else { "" };
    let others = if named.is_empty() {
        String::new()
    } else {
        format!("; it has {}{more}", named.join(", "))
    };
    let url = &subject.url;
    let subject = if subject.is_host {
        url.host_name().to_owned()
    } else {
        url.origin().to_string()
    };
    HistoryError::NotThere {
        location: index.location(),
        subject,
        others,
    }
}

fn clip(mut text: String) -> String {
    if text.len() > CLIPPED_BYTES {
        text.truncate(text.floor_char_boundary(CLIPPED_BYTES));
        text.push_str(" ...");
    }
    text
}

fn clipped(line: RobotsLine) -> RobotsLine {
    RobotsLine {
        text: clip(line.text),
        ..line
    }
}
