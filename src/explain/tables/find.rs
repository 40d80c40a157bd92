//! Finding a page in the evidence by its URL.
//!
//! Example: of three captures of a URL in two segments the newest is taken, and the times of all are returned.
//! Left out: URLs that are the same to a browser and not in the column `url`; they are named.

use super::{LookupError, Wanted};
use crate::job::resolve::{ArchiveEvidence, Group};
use crate::store::Store;
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, Captures, REQUEST_COLUMNS};
use crate::web::capture_kind::CaptureKind;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use std::cmp::Reverse;
use std::io;

/// How many URLs are named where none is the wanted one.
const NAMED: usize = 3;

/// A capture of the page.
#[derive(Clone, Debug)]
pub struct Found {
    /// The number of its group.
    pub group: usize,
    /// The place of its archive in the group.
    pub archive: usize,
    /// Its row in the archive's file of `captures`.
    pub row: usize,
    fetched_at: Option<Timestamp>,
    kind: String,
}

/// Everything that was seen on the way.
#[derive(Default)]
struct Search {
    found: Vec<Found>,
    /// Pages of the same host.
    of_host: usize,
    /// Those whose URLs begin most alike: how many bytes, and the URL.
    near: Vec<(Reverse<usize>, String)>,
}

/// Returns the capture that is wanted, and the times of all.
pub fn page(
    evidence: &dyn Store,
    groups: &[Group<'_>],
    wanted: &Wanted<'_>,
) -> Result<(Found, Vec<Option<Timestamp>>), LookupError> {
    let search = Search::of(groups, wanted.url)
        .map_err(|source| LookupError::Unreadable { location: evidence.location(), source })?;
    let url = || wanted.url.to_owned();
    let (pages, files): (Vec<&Found>, Vec<&Found>) =
        search.found.iter().partition(|found| found.kind == CaptureKind::Page.as_str());
    let mut times: Vec<Option<Timestamp>> = pages.iter().map(|found| found.fetched_at).collect();
    times.sort_by_key(|at| Reverse(*at));
    let is_wanted = |found: &&&Found| wanted.fetched.is_none() || found.fetched_at == wanted.fetched;
    // Of two at one time the last one, as everywhere.
    let newest = pages.iter().filter(is_wanted).max_by_key(|found| found.fetched_at);
    match (newest, wanted.fetched, files.first()) {
        (Some(found), ..) => Ok(((*found).clone(), times)),
        (None, Some(fetched), _) if !pages.is_empty() => {
            let times = times.iter().flatten().map(ToString::to_string).collect::<Vec<_>>();
            Err(LookupError::NoSuchTime { url: url(), fetched, times: times.join(", ") })
        }
        (None, _, Some(file)) => Err(LookupError::SiteFile { url: url(), kind: file.kind.clone() }),
        (None, _, None) => {
            let (location, near) = (evidence.location(), search.near(wanted.url));
            Err(LookupError::NoPage { url: url(), location, near })
        }
    }
}

impl Search {
    fn of(groups: &[Group<'_>], url: &str) -> io::Result<Self> {
        let host = PageUrl::new(url.as_bytes()).map(|url| url.host_name().to_owned()).ok();
        let mut search = Self::default();
        for (number, group) in groups.iter().enumerate() {
            let archives = group.archives.iter().enumerate();
            for (place, archive) in archives.filter(|(_, archive)| !archive.manifest.captures.is_empty()) {
                search.archive(archive, (number, place), (url, host.as_deref()))?;
            }
        }
        Ok(search)
    }

    fn archive(
        &mut self,
        evidence: &ArchiveEvidence<'_>,
        (group, archive): (usize, usize),
        (url, host): (&str, Option<&str>),
    ) -> io::Result<()> {
        let mut first_row = 0;
        for slice in evidence.slices(&CAPTURES, |file| Slices::of_columns(file, REQUEST_COLUMNS))? {
            let slice = slice?;
            let captures = Captures::new(&slice)?;
            for row in 0..captures.count() {
                let (other, kind) = (captures.url(row), captures.kind(row));
                if other == url {
                    let fetched_at = captures.fetched_at(row);
                    let kind = kind.to_owned();
                    self.found.push(Found { group, archive, row: first_row + row, fetched_at, kind });
                } else if kind == CaptureKind::Page.as_str() && host.is_some_and(|host| other.contains(host))
                {
                    self.beside(url, other, host);
                }
            }
            first_row += captures.count();
        }
        Ok(())
    }

    /// Takes note of a page that may be of the same host.
    fn beside(&mut self, url: &str, other: &str, host: Option<&str>) {
        let of_host = PageUrl::new(other.as_bytes()).is_ok_and(|other| Some(other.host_name()) == host);
        if !of_host {
            return;
        }
        self.of_host += 1;
        let alike =
            url.bytes().rev().zip(other.bytes().rev()).take_while(|(one, other)| one == other).count();
        let alike = alike + url.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
        let near = (Reverse(alike), other.to_owned());
        if !self.near.contains(&near) {
            self.near.push(near);
            self.near.sort();
            self.near.truncate(NAMED);
        }
    }

    /// Returns which pages there are instead.
    fn near(&self, url: &str) -> String {
        let named: Vec<&str> = self.near.iter().map(|(_, url)| url.as_str()).collect();
        match (self.of_host, PageUrl::new(url.as_bytes())) {
            (0, Ok(url)) => format!("it has no page of the host {}", url.host_name()),
            (0, Err(_)) => "that is no http or https URL".to_owned(),
            (1, _) => format!("it has one page of that host: {}", named.join(", ")),
            (count, _) => format!(
                "it has {count} pages of that host, such as {}; give the URL as the column url of pages has it",
                named.join(", ")
            ),
        }
    }
}
