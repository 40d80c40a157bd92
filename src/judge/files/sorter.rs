//! Which documents are kept, and what is counted of them.

use super::changes::{ChangeCounts, Changes};
use super::cost::{Amount, Costs, KEPT};
use super::fault::FileFault;
use super::site_costs::{LONGEST_SITE, SiteCosts};
use crate::judge::documents::Unjudged;
use crate::judge::policy::{Policy, PolicyRule};
use crate::judge::verdict::{LATER, Source, UNDATED, Verdict};
use crate::web::preference::Preference;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use serde::{Deserialize, Serialize};

/// What is counted of the documents of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Those of whose site nothing is known.
    pub unknown_site: u64,
    /// Those that may be fetched.
    pub allow: u64,
    /// Those that may not.
    pub disallow: u64,
    /// Those of which that is not known.
    pub unknown: u64,
    /// Of the unknown ones, those that have no date and were to be judged at it.
    pub undated: u64,
    /// Of the unknown ones, those whose site's robots.txt was only archived after their date.
    pub later: u64,
    /// Of the unknown ones, those that could not be judged: too long, or with two members of one name.
    pub unjudged: u64,
    /// Access at the further times: how many may be fetched, may not, and of how many that is not known.
    pub further: Vec<[u64; 3]>,
    /// What changed since an earlier judgement, where it is compared with one.
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
        for (own, other) in self.further.iter_mut().flatten().zip(further.iter().flatten()) {
            *own += other;
        }
        if let Some(changes) = changes {
            self.changes.get_or_insert_default().add(changes);
        }
        self.costs.add(costs);
    }

    fn count(&mut self, verdict: &Verdict) {
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
        self.undated += u64::from(&*verdict.reason == UNDATED);
        self.later += u64::from(&*verdict.reason == LATER);
        let is_unjudged = |unjudged: Unjudged| &*verdict.reason == unjudged.as_str();
        self.unjudged += u64::from(Unjudged::ALL.into_iter().any(is_unjudged));
    }
}

/// What a policy needs to know of a document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'f> {
    /// Its id.
    pub id: Option<&'f [u8]>,
    /// Its URL.
    pub url: Option<&'f [u8]>,
    /// Its date.
    pub date: Option<Timestamp>,
    /// Bytes of its text.
    pub text_bytes: u64,
    /// Tokens of its text.
    pub tokens: Option<u64>,
}

/// Sorts and counts the documents of one file.
pub struct Sorter<'s> {
    /// The counts.
    pub counts: Counts,
    policy: Option<&'s Policy>,
    sites: Option<SiteCosts>,
    changes: Option<Changes>,
}

impl<'s> Sorter<'s> {
    /// Returns a sorter by a policy, with the files for what is counted of sites and for what changed; without a policy all
    /// are kept.
    pub fn new(policy: Option<&'s Policy>, sites: Option<SiteCosts>, changes: Option<Changes>) -> Self {
        let costs = policy.map_or_else(Costs::default, |policy| Costs::new(policy.rules().len()));
        Self { counts: Counts { costs, ..Counts::default() }, policy, sites, changes }
    }

    /// Returns whether documents are sorted by a policy.
    pub fn has_policy(&self) -> bool {
        self.policy.is_some()
    }

    /// Counts a document; returns the reason to drop it, where there is one.
    pub fn sort(&mut self, verdict: &Verdict, facts: &Facts<'_>) -> Result<Option<&'s str>, FileFault> {
        self.counts.count(verdict);
        let Some(policy) = self.policy else { return Ok(None) };
        let amount = Amount { documents: 1, text_bytes: facts.text_bytes, tokens: facts.tokens };
        let rules: Vec<usize> = policy.reasons(verdict).collect();
        self.counts.costs.count(&amount, &rules);
        let reason = rules.first().and_then(|first| policy.rules().get(*first)).map(PolicyRule::name);
        if let Some(changes) = &mut self.changes {
            changes.compare(facts.id, facts.url, reason).map_err(FileFault::Output)?;
        }
        if let Some(sites) = &mut self.sites {
            let url = facts.url.and_then(|url| PageUrl::new(url).ok());
            let host = url.as_ref().map(PageUrl::host_name).filter(|host| host.len() <= LONGEST_SITE);
            let site = host.unwrap_or("(no host)");
            sites.count(site, reason.unwrap_or(KEPT), &amount).map_err(FileFault::Output)?;
        }
        Ok(reason)
    }

    /// Ends the files of the sites and changes; returns the counts.
    pub fn finish(self) -> Result<Counts, FileFault> {
        if let Some(sites) = self.sites {
            sites.finish().map_err(FileFault::Output)?;
        }
        let changes = self.changes.map(Changes::finish).transpose()?;
        Ok(Counts { changes, ..self.counts })
    }
}
