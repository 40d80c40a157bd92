//! Which documents are kept, and what is counted of them.

use crate::judge::verdict::{Source, Verdict};
use crate::web::preference::Preference;
use serde::{Deserialize, Serialize};

/// What is counted of the documents of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Documents.
    pub documents: u64,
    /// Those judged by their record.
    pub by_record: u64,
    /// Those judged by their site's files.
    pub by_site: u64,
    /// Those of whose site nothing is known.
    pub unknown_site: u64,
    /// Those that may be fetched.
    pub allow: u64,
    /// Those that may not.
    pub disallow: u64,
    /// Those of which that is not known.
    pub unknown: u64,
}

impl Counts {
    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        let Self { documents, by_record, by_site, unknown_site, allow, disallow, unknown } = other;
        self.documents += documents;
        self.by_record += by_record;
        self.by_site += by_site;
        self.unknown_site += unknown_site;
        self.allow += allow;
        self.disallow += disallow;
        self.unknown += unknown;
    }

    fn count(&mut self, verdict: &Verdict) {
        self.documents += 1;
        match verdict.source {
            Source::Record => self.by_record += 1,
            Source::Site => self.by_site += 1,
            Source::None => self.unknown_site += 1,
        }
        match verdict.access {
            Preference::Allow => self.allow += 1,
            Preference::Disallow => self.disallow += 1,
            Preference::Unknown => self.unknown += 1,
        }
    }
}

/// Counts the documents of one file.
#[derive(Default)]
pub struct Sorter<'s> {
    /// The counts.
    pub counts: Counts,
    _policy: std::marker::PhantomData<&'s ()>,
}

impl Sorter<'_> {
    /// Counts a document.
    pub fn sort(&mut self, verdict: &Verdict) {
        self.counts.count(verdict);
    }
}
