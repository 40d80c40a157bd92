//! Counts of documents: what they were judged by, what was decided, what changed, and what the policy costs.

use super::audit::AuditCounts;
use super::cost::Costs;
use crate::judge::verdict::{BY_TWIN, LATER, Source, UNDATED, Verdict};
use crate::systems::Label;
use crate::web::preference::Preference;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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

/// Adds some fields of one value to those of another.
macro_rules! add_fields {
    ($own:ident, $other:ident: $($field:ident)+) => { $($own.$field += $other.$field;)+ };
}

impl ChangeCounts {
    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        add_fields!(self, other: kept removed added dropped new unknown gone);
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
    /// Those judged by a record of another URL or time and by their site's files.
    pub by_other_url: u64,
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
    /// Those whose date is longer than a second, such as a day: judged by the strictest answer within it.
    pub intervals: u64,
    /// Of the unknown ones, those without a date that were to be judged at their date.
    pub undated: u64,
    /// Of the unknown ones, those whose site's robots.txt was only archived after their date.
    pub later: u64,
    /// Of the unknown ones, those that could not be judged: too long, or with two members of one name.
    pub unjudged: u64,
    /// By [`Label::ALL`], at the first time: documents that it is allowed for, disallowed, and of which it is not known.
    pub labels: [[u64; 3]; Label::ALL.len()],
    /// Documents of which something was not received, such as their headers, at the first time.
    pub unseen: u64,
    /// Documents by what was received and not read in full, as in the column `prefs_unread`, at the first time.
    pub unread: BTreeMap<String, u64>,
    /// Documents by where something may be a no and is not understood, as in the column `prefs_doubt`, at the first time.
    pub doubt: BTreeMap<String, u64>,
    /// Documents that a newer robots.txt of a twin of their origin closes, at any time.
    pub by_twin: u64,
    /// Access at the further times: the numbers of documents that may be fetched, that may not, and for which it is not known.
    pub further: Vec<[u64; 3]>,
    /// By the times: documents whose robots.txt was fetched up to 30 days before, up to 365, or earlier, and those without one.
    pub robots_ages: Vec<[u64; 4]>,
    /// What changed since an earlier judgement, if there is one to compare with.
    pub changes: Option<ChangeCounts>,
    /// What the policy costs.
    pub costs: Costs,
    /// What an audit found in a sample of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<AuditCounts>,
}

impl Counts {
    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        add_fields!(self, other: documents by_record by_other_url by_site by_url unknown_site);
        add_fields!(self, other: allow disallow unknown intervals undated later unjudged unseen by_twin);
        self.further
            .resize(self.further.len().max(other.further.len()), [0; 3]);
        self.robots_ages
            .resize(self.robots_ages.len().max(other.robots_ages.len()), [0; 4]);
        let further = self
            .further
            .iter_mut()
            .flatten()
            .zip(other.further.iter().flatten());
        let ages = self
            .robots_ages
            .iter_mut()
            .flatten()
            .zip(other.robots_ages.iter().flatten());
        let labels = self
            .labels
            .iter_mut()
            .flatten()
            .zip(other.labels.iter().flatten());
        further
            .chain(ages)
            .chain(labels)
            .for_each(|(own, other)| *own += other);
        for (own, other) in [
            (&mut self.unread, &other.unread),
            (&mut self.doubt, &other.doubt),
        ] {
            for (name, count) in other {
                *own.entry(name.clone()).or_default() += count;
            }
        }
        if let Some(audit) = &other.audit {
            self.audit.get_or_insert_default().add(audit);
        }
        if let Some(changes) = &other.changes {
            self.changes.get_or_insert_default().add(changes);
        }
        self.costs.add(&other.costs);
    }

    /// Counts a document.
    pub fn count(&mut self, verdict: &Verdict) {
        self.documents += 1;
        match verdict.source {
            Source::Record => self.by_record += 1,
            Source::OtherUrl => self.by_other_url += 1,
            Source::Site => self.by_site += 1,
            Source::RecordByUrl => {
                self.by_site += 1;
                self.by_url += 1;
            }
            Source::None => self.unknown_site += 1,
        }
        self.further
            .resize(self.further.len().max(verdict.further.len()), [0; 3]);
        let further = self
            .further
            .iter_mut()
            .map(|[allow, disallow, unknown]| [allow, disallow, unknown]);
        let own = [&mut self.allow, &mut self.disallow, &mut self.unknown];
        for (time, [allow, disallow, unknown]) in std::iter::once(own).chain(further).enumerate() {
            match verdict.at(time).access {
                Preference::Allow => *allow += 1,
                Preference::Disallow => *disallow += 1,
                Preference::Unknown => *unknown += 1,
            }
        }
        self.robots_ages.resize(
            self.robots_ages.len().max(verdict.further.len() + 1),
            [0; 4],
        );
        for (time, [month, year, more, none]) in self.robots_ages.iter_mut().enumerate() {
            match verdict.at(time).robots_age_days {
                Some(..=30) => *month += 1,
                Some(31..=365) => *year += 1,
                Some(_) => *more += 1,
                None => *none += 1,
            }
        }
        self.count_unread(verdict);
        let mut times = (0..=verdict.further.len()).map(|time| verdict.at(time));
        self.by_twin += u64::from(times.any(|at| &*at.reason == BY_TWIN));
        self.intervals += u64::from(verdict.is_of_interval);
        self.undated += u64::from(&*verdict.reason == UNDATED);
        self.later += u64::from(&*verdict.reason == LATER);
        self.unjudged += u64::from(verdict.is_unjudged());
    }

    /// Counts the labels, and what was not received, read or understood that they rest on.
    fn count_unread(&mut self, verdict: &Verdict) {
        for (counts, value) in self.labels.iter_mut().zip(verdict.labels) {
            let [allow, disallow, unknown] = counts;
            *match value {
                Preference::Allow => allow,
                Preference::Disallow => disallow,
                Preference::Unknown => unknown,
            } += 1;
        }
        for (counts, names) in [
            (&mut self.unread, &verdict.unread),
            (&mut self.doubt, &verdict.doubt),
        ] {
            for name in names {
                *counts.entry(name.to_string()).or_default() += 1;
            }
        }
        self.unseen += u64::from(!verdict.not_seen.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;
    use serde_json::Value;

    fn each(value: &mut Value, act: &dyn Fn(u64) -> u64) {
        match value {
            Value::Number(number) => *value = act(number.as_u64().unwrap()).into(),
            Value::Array(values) => values.iter_mut().for_each(|value| each(value, act)),
            Value::Object(members) => members.values_mut().for_each(|value| each(value, act)),
            _ => {}
        }
    }

    #[test]
    fn local_every_count_is_added() {
        let changes = Some(super::ChangeCounts::default());
        let mut ones = serde_json::to_value(Counts {
            changes,
            ..Counts::default()
        })
        .unwrap();
        ones["unread"] = serde_json::json!({"header": 0});
        ones["doubt"] = serde_json::json!({"robots": 0});
        ones["audit"] = serde_json::json!({"domains": {"a.example": [0, 0, 0]}, "rules": {"access_disallow": 0}});
        ones["further"] = vec![[0; 3]].into();
        ones["robots_ages"] = vec![[0; 4], [0; 4]].into();
        each(&mut ones, &|_| 1);
        let one: Counts = serde_json::from_value(ones.clone()).unwrap();
        let mut sum = Counts::default();
        sum.add(&one);
        assert_eq!(sum, one);
        sum.add(&one);
        each(&mut ones, &|one| 2 * one);
        assert_eq!(serde_json::to_value(sum).unwrap(), ones);
    }
}
