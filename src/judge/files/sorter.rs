//! Which documents are kept: asks a policy about each, and counts what it costs and what changed.

use super::audit::AuditCounts;
use super::changes::Changes;
use super::cost::{Amount, Costs, KEPT, LONGEST_SITE, SiteCosts};
use super::counts::Counts;
use super::kind::{FileFault, FileResult};
use super::sample::DrawnRows;
use crate::judge::{Policy, Verdict};
use crate::web::interval::Interval;
use crate::web::url::PageUrl;

/// What a policy needs to know of a document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'f> {
    pub id: Option<&'f [u8]>,
    pub url: Option<&'f [u8]>,
    pub date: Option<Interval>,
    pub text_bytes: u64,
    pub tokens: Option<u64>,
}

/// What becomes of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentFate<'s> {
    Kept,
    /// The policy drops it, for this reason.
    Dropped(&'s str),
    /// It is not in the sample that is judged.
    NotDrawn,
}

pub struct Sorter<'s> {
    pub counts: Counts,
    policy: Option<&'s Policy>,
    sites: Option<SiteCosts>,
    changes: Option<Changes>,
    /// The documents of the file that an audit judges, of which none is dropped.
    drawn: Option<DrawnRows>,
}

impl<'s> Sorter<'s> {
    /// Returns a sorter by a policy, with the files for the counts of sites and for changes; without a policy all are kept.
    pub fn new(
        policy: Option<&'s Policy>,
        sites: Option<SiteCosts>,
        changes: Option<Changes>,
    ) -> Self {
        let costs = policy.map_or_else(Costs::default, |policy| {
            Costs::new(policy.rules.len(), policy.exceptions.names().count())
        });
        Self {
            counts: Counts {
                costs,
                ..Counts::default()
            },
            policy,
            sites,
            changes,
            drawn: None,
        }
    }

    /// Returns a sorter for an audit of drawn documents.
    pub fn of_sample(policy: Option<&'s Policy>, drawn: DrawnRows) -> Self {
        let counts = Counts {
            audit: Some(AuditCounts::default()),
            ..Counts::default()
        };
        Self {
            counts,
            policy,
            sites: None,
            changes: None,
            drawn: Some(drawn),
        }
    }

    /// Counts a document, and says what becomes of it.
    pub fn sort(&mut self, verdict: &Verdict, facts: &Facts<'_>) -> FileResult<DocumentFate<'s>> {
        if self
            .drawn
            .as_mut()
            .is_some_and(|drawn| !drawn.is_next_drawn())
        {
            return Ok(DocumentFate::NotDrawn);
        }
        self.counts.count(verdict);
        let Some(policy) = self.policy else {
            return Ok(DocumentFate::Kept);
        };
        if let Some(audit) = &mut self.counts.audit {
            audit.count(facts.url, policy.finding(verdict), policy.found_by(verdict));
            return Ok(DocumentFate::Kept);
        }
        let amount = Amount {
            documents: 1,
            text_bytes: facts.text_bytes,
            tokens: facts.tokens,
        };
        let rules: Vec<usize> = policy.reasons(verdict).collect();
        let kept_by = if rules.is_empty() {
            policy.kept_by(verdict)
        } else {
            None
        };
        self.counts.costs.count(&amount, &rules, kept_by);
        let reason = rules
            .first()
            .and_then(|first| policy.rules.get(*first))
            .map(|rule| rule.name.as_str());
        if let Some(changes) = &mut self.changes {
            changes
                .compare(facts.id, facts.url, reason)
                .map_err(FileFault::Output)?;
        }
        if let Some(sites) = &mut self.sites {
            let url = facts.url.and_then(|url| PageUrl::new(url).ok());
            let host = url
                .as_ref()
                .map(PageUrl::host_name)
                .filter(|host| host.len() <= LONGEST_SITE);
            let site = host.unwrap_or("(no host)");
            sites
                .count(site, reason.unwrap_or(KEPT), &amount)
                .map_err(FileFault::Output)?;
        }
        Ok(reason.map_or(DocumentFate::Kept, DocumentFate::Dropped))
    }

    /// Ends the files of sites and changes; returns the counts.
    pub fn finish(self) -> FileResult<Counts> {
        self.sites
            .map_or(Ok(()), SiteCosts::finish)
            .map_err(FileFault::Output)?;
        let changes = self
            .changes
            .map(Changes::finish)
            .transpose()
            .map_err(FileFault::Output)?;
        Ok(Counts {
            changes,
            ..self.counts
        })
    }
}
