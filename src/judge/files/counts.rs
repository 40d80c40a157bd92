//! Counts of documents: what they were judged by, what was decided, what changed, and what the policy costs.

use super::cost::Costs;
use crate::judge::documents::Unjudged;
use crate::judge::verdict::{LATER, Source, UNDATED, Verdict};
use crate::web::preference::Preference;
use serde::{Deserialize, Serialize};

/// What changed since an earlier judgement, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChangeCounts {
    /// Documents that were kept then and are now.
    pub kept: u64,
    /// Those that were kept then and are dropped now.
    pub removed: u64,
    /// Those that were dropped then and are kept now.
    pub added: u64,
    /// Those that were dropped then and are now.
    pub dropped: u64,
    /// Those that were not judged then.
    pub new: u64,
    /// Those that have neither id nor URL, and are not compared.
    pub unknown: u64,
    /// Those that were kept then and are not among the documents now.
    pub gone: u64,
}

impl ChangeCounts {
    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        let Self { kept, removed, added, dropped, new, unknown, gone } = other;
        self.kept += kept;
        self.removed += removed;
        self.added += added;
        self.dropped += dropped;
        self.new += new;
        self.unknown += unknown;
        self.gone += gone;
    }
}

/// Counts of the documents of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Counts {
    /// Documents.
    pub documents: u64,
    /// Those judged by their record.
    pub by_record: u64,
    /// Those judged by a record of another host and by their site's files.
    pub by_other_host: u64,
    /// Those judged by their site's files.
    pub by_site: u64,
    /// Of these, those whose URL was captured near their date, so that the noes of the captures count.
    pub by_url: u64,
    /// Those with neither: nothing is known of their site, or they could not be judged.
    pub unknown_site: u64,
    /// Those that may be fetched.
    pub allow: u64,
    /// Those that may not.
    pub disallow: u64,
    /// Those for which access is not known.
    pub unknown: u64,
    /// Of the unknown ones, those without a date that were to be judged at their date.
    pub undated: u64,
    /// Of the unknown ones, those whose site's robots.txt was only archived after their date.
    pub later: u64,
    /// Of the unknown ones, those that could not be judged: too long, or with two members of one name.
    pub unjudged: u64,
    /// Access at the further times: the numbers of documents that may be fetched, that may not, and for which it is not known.
    pub further: Vec<[u64; 3]>,
    /// By the times: documents whose robots.txt was fetched up to 30 days before, up to 365, or earlier, and those without one.
    pub robots_ages: Vec<[u64; 4]>,
    /// What changed since an earlier judgement, if there is one to compare with.
    pub changes: Option<ChangeCounts>,
    /// What the policy costs.
    pub costs: Costs,
}

impl Counts {
    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        let Self {
            documents,
            by_record,
            by_other_host,
            by_site,
            by_url,
            unknown_site,
            allow,
            disallow,
            unknown,
            undated,
            later,
            unjudged,
            further,
            robots_ages,
            changes,
            costs,
        } = other;
        self.documents += documents;
        self.by_record += by_record;
        self.by_other_host += by_other_host;
        self.by_site += by_site;
        self.by_url += by_url;
        self.unknown_site += unknown_site;
        self.allow += allow;
        self.disallow += disallow;
        self.unknown += unknown;
        self.undated += undated;
        self.later += later;
        self.unjudged += unjudged;
        self.further.resize(self.further.len().max(further.len()), [0; 3]);
        self.robots_ages.resize(self.robots_ages.len().max(robots_ages.len()), [0; 4]);
        let ages = self.robots_ages.iter_mut().flatten().zip(robots_ages.iter().flatten());
        for (own, other) in self.further.iter_mut().flatten().zip(further.iter().flatten()).chain(ages) {
            *own += other;
        }
        if let Some(changes) = changes {
            self.changes.get_or_insert_default().add(changes);
        }
        self.costs.add(costs);
    }

    /// Counts a document.
    pub fn count(&mut self, verdict: &Verdict) {
        self.documents += 1;
        match verdict.source {
            Source::Record => self.by_record += 1,
            Source::OtherHost => self.by_other_host += 1,
            Source::Site => self.by_site += 1,
            Source::RecordByUrl => {
                self.by_site += 1;
                self.by_url += 1;
            }
            Source::None => self.unknown_site += 1,
        }
        match verdict.access {
            Preference::Allow => self.allow += 1,
            Preference::Disallow => self.disallow += 1,
            Preference::Unknown => self.unknown += 1,
        }
        self.further.resize(self.further.len().max(verdict.further.len()), [0; 3]);
        for (place, counts) in self.further.iter_mut().enumerate() {
            let [allow, disallow, unknown] = counts;
            match verdict.at(place + 1).access {
                Preference::Allow => *allow += 1,
                Preference::Disallow => *disallow += 1,
                Preference::Unknown => *unknown += 1,
            }
        }
        self.robots_ages.resize(self.robots_ages.len().max(verdict.further.len() + 1), [0; 4]);
        for (time, [month, year, more, none]) in self.robots_ages.iter_mut().enumerate() {
            match verdict.at(time).robots_age_days {
                Some(..=30) => *month += 1,
                Some(31..=365) => *year += 1,
                Some(_) => *more += 1,
                None => *none += 1,
            }
        }
        self.undated += u64::from(&*verdict.reason == UNDATED);
        self.later += u64::from(&*verdict.reason == LATER);
        let is_unjudged = |unjudged: Unjudged| &*verdict.reason == unjudged.as_str();
        self.unjudged += u64::from(Unjudged::ALL.into_iter().any(is_unjudged));
    }
}
