//! The files of a site that count for a document, at each instant of its date.

use super::verdict::Verdict;
use crate::verdict::SiteCopies;
use crate::web::interval::Interval;
use std::sync::Arc;

/// The files of a site within an interval.
pub struct SeenFiles {
    pub interval: Option<Interval>,
    /// At its beginning, and then wherever other files count: the strictest verdict by any of them counts (KNOW-7).
    pub instants: Vec<SeenAt>,
    /// The last verdicts by these files: of documents without a record, and with one.
    pub last: [Option<Arc<Verdict>>; 2],
}

/// The files of a site at a moment.
pub struct SeenAt {
    pub site: SiteCopies,
    /// The digest of the robots.txt that counts, if it is asked for.
    pub robots_digest: Option<String>,
    /// The kinds of its files of which there is no capture, if they are asked for.
    pub not_asked: Vec<&'static str>,
    /// The twins whose robots.txt is newer, each with its digest.
    pub twins: Vec<(SiteCopies, Option<String>)>,
    pub age_days: Option<u32>,
}

impl SeenFiles {
    /// Returns the only files of the interval, if there are no others and no twins.
    pub fn alone(&self) -> Option<&SeenAt> {
        let [only] = self.instants.as_slice() else {
            return None;
        };
        Some(only).filter(|only| self.interval.is_some() && only.twins.is_empty())
    }

    pub fn is_long(&self) -> bool {
        self.interval.is_some_and(Interval::is_long)
    }

    /// Returns whether all pages of the site have the same verdict, because no file is read.
    pub fn is_without_files(&self) -> bool {
        self.instants
            .iter()
            .all(|seen| !seen.site.has_files() && seen.twins.is_empty())
    }
}
