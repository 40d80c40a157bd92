//! What an audit found in a sample of documents, and how certain that is for all of them.
//!
//! Example: 148 of 2,000 drawn documents are violations, 600 are unknown. Each finding has a row: what is unknown is neither a
//! violation nor conforming. A share is printed only if each drawn document was judged: without a file that failed after the
//! draw, a part of the sample is missing.

use super::sample::{DocumentSample, Drawn, SampledFile};
use super::share::{Clustered, ShareInterval, clustered, simple};
use crate::judge::finding::Finding;
use crate::web::host::HostParts;
use crate::web::url::PageUrl;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was found, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditCounts {
    /// How many documents of each registered domain have each finding, in the order of [`Finding::ALL`].
    domains: BTreeMap<String, [u64; Finding::ALL.len()]>,
    /// Violations by the first rule that they break.
    rules: BTreeMap<String, u64>,
}

impl AuditCounts {
    /// Counts a document. Hosts that have no registered domain are their own, and documents without a host are one.
    pub fn count(&mut self, url: Option<&[u8]>, finding: Finding, rule: Option<&str>) {
        let url = url.and_then(|url| PageUrl::new(url).ok());
        let host = url.as_ref().map_or("", PageUrl::host_name);
        let domain = HostParts::split(host)
            .registered_domain
            .unwrap_or_else(|| host.into());
        if let (Finding::Violation, Some(rule)) = (finding, rule) {
            *self.rules.entry(rule.to_owned()).or_default() += 1;
        }
        let counts = self.domains.entry(domain.into()).or_default();
        if let Some(count) = counts.get_mut(finding as usize) {
            *count += 1;
        }
    }

    pub fn add(&mut self, other: &Self) {
        for (rule, count) in &other.rules {
            *self.rules.entry(rule.clone()).or_default() += count;
        }
        for (domain, others) in &other.domains {
            let own = self.domains.entry(domain.clone()).or_default();
            own.iter_mut()
                .zip(others)
                .for_each(|(own, other)| *own += other);
        }
    }

    /// Returns how many documents of each domain have a finding, and how many there are.
    fn of(&self, finding: Finding) -> Vec<(u64, u64)> {
        let hits = |counts: &[u64; 3]| counts.get(finding as usize).copied().unwrap_or_default();
        self.domains
            .values()
            .map(|counts| (hits(counts), counts.iter().sum()))
            .collect()
    }
}

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditReport {
    /// How the documents were drawn.
    pub sample: DocumentSample,
    /// The documents that they were drawn from.
    pub population: u64,
    /// The files of these documents.
    pub files: Vec<SampledFile>,
    /// The inputs that could not be read, whose documents are not among them.
    pub failed: Vec<String>,
    /// The documents that were drawn.
    pub drawn: u64,
    /// The documents that were judged; fewer if a file failed after the draw.
    pub judged: u64,
    /// The registered domains of the judged documents.
    pub domains: usize,
    /// Violations by the first rule that they break.
    pub violations_by_rule: BTreeMap<String, u64>,
    /// The findings with their shares; none if none was drawn, or fewer were judged than drawn.
    pub findings: Vec<FoundShare>,
}

/// A finding, and the share of documents that have it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundShare {
    /// What was found.
    pub finding: Finding,
    /// The drawn documents that have it.
    pub documents: u64,
    /// Their share.
    pub share: f64,
    /// The share of all documents that the sample was drawn from.
    pub interval: ShareInterval,
    /// That of other documents of such sites; `None` for few domains.
    pub by_domains: Option<Clustered>,
}

impl AuditReport {
    pub(super) fn new(drawn: &Drawn, counts: &AuditCounts, failed: Vec<String>) -> Self {
        let population = drawn.population();
        let judged = counts.domains.values().flatten().sum();
        let found = |finding: Finding| {
            let domains = counts.of(finding);
            let documents = domains.iter().map(|(hits, _)| hits).sum();
            #[allow(clippy::cast_precision_loss)] // counts of documents
            let share = documents as f64 / judged as f64;
            let interval = simple(documents, judged, population);
            FoundShare {
                finding,
                documents,
                share,
                interval,
                by_domains: clustered(&domains),
            }
        };
        let is_whole = judged == drawn.count() && judged > 0;
        let findings = Finding::ALL.into_iter().rev().filter(|_| is_whole);
        Self {
            sample: drawn.sample,
            population,
            files: drawn.files.clone(),
            failed,
            drawn: drawn.count(),
            judged,
            domains: counts.domains.len(),
            violations_by_rule: counts.rules.clone(),
            findings: findings.map(found).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AuditCounts, Finding};
    use std::collections::BTreeMap;

    #[test]
    fn local_hosts_of_a_registered_domain_are_one() {
        let mut counts = AuditCounts::default();
        for url in [
            "https://a.example.co.uk/1",
            "https://b.example.co.uk/",
            "http://[::1]/",
            "x",
            "https://127.0.0.1/",
        ] {
            counts.count(
                Some(url.as_bytes()),
                Finding::Unknown,
                Some("access_unknown"),
            );
        }
        counts.count(None, Finding::Violation, Some("access_disallow"));
        let domains: Vec<(&str, u64)> = counts
            .domains
            .iter()
            .map(|(domain, counts)| (domain.as_str(), counts.iter().sum()))
            .collect();
        assert_eq!(
            domains,
            [
                ("", 2),
                ("127.0.0.1", 1),
                ("[::1]", 1),
                ("example.co.uk", 2)
            ]
        );
        assert_eq!(
            counts.of(Finding::Violation),
            [(1, 2), (0, 1), (0, 1), (0, 2)]
        );
        let mut sum = counts.clone();
        sum.add(&counts);
        assert_eq!(
            sum.rules,
            BTreeMap::from([("access_disallow".to_owned(), 2)])
        );
        assert_eq!(sum.of(Finding::Unknown), [(2, 4), (2, 2), (2, 2), (4, 4)]);
    }
}
