//! What the parts of tables rest on: they are made again exactly if that has changed.
//!
//! KNOW-2: a page may rest on the site files of any archive, but on none that was fetched after it. So the parts of a batch rest
//! on its own archives, and on each archive of all inputs with a site file that is not later than its newest page. Later archives
//! do not change it; if an earlier one is scanned afterwards, the batch is made again.

use super::archive_evidence::ArchiveEvidence;
use super::batch_manifest::{BatchName, MadeOf};
use super::group::{ArchiveGroup, Batch};
use super::table_options::Scope;
use crate::web::capture_kind::CaptureKind;
use crate::web::suffix_list;
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// How much later than a page, without the slack, the captures may be that it rests on: the target of each of five redirects is
/// at most ten minutes later.
const TARGETS_WITHIN_MICROS: i64 = 50 * 60 * 1_000_000;

/// The digests of some manifests by crawl; the order of the manifests does not matter.
type ByCrawl = BTreeMap<String, [u8; 20]>;

/// The archives with site files of all inputs, and when the first of these was fetched.
pub struct SiteFileSources<'g> {
    archives: Vec<SourceArchive<'g>>,
    slack_us: i64,
    crawls: Arc<BTreeSet<String>>,
}

struct SourceArchive<'g> {
    first_us: i64,
    crawl: &'g str,
    digest: [u8; 20],
}

/// What the parts of a batch, or those of a group's site files, rest on.
pub struct RestsOn {
    pub name: BatchName,
    pub made_of: MadeOf,
    /// When the last capture that counts for them was fetched, in microseconds since 1970.
    pub until: i64,
    /// The crawls with evidence: of others nothing is known.
    crawls: Arc<BTreeSet<String>>,
}

impl<'g> SiteFileSources<'g> {
    /// Returns the sources among some groups, which are all inputs.
    pub fn from_groups(groups: &'g [ArchiveGroup<'_>], scope: Scope, slack: Duration) -> Self {
        let all = || groups.iter().flat_map(|group| &group.archives);
        let archives = all().filter(|archive| archive.is_source(scope, i64::MAX));
        let source = |archive: &'g ArchiveEvidence<'_>| SourceArchive {
            first_us: archive.first_site_file(),
            crawl: archive.manifest.crawl.as_str(),
            digest: archive.joined_digest(),
        };
        let slack_us = i64::try_from(slack.as_micros()).unwrap_or(i64::MAX);
        let crawls = all()
            .map(|archive| archive.manifest.crawl.as_str().to_owned())
            .collect();
        Self {
            archives: archives.map(source).collect(),
            slack_us,
            crawls: Arc::new(crawls),
        }
    }

    /// Leaves out crawls of which nothing is known, as their evidence was read in part.
    pub fn without(mut self, crawls: &BTreeSet<String>) -> Self {
        self.crawls = Arc::new(self.crawls.difference(crawls).cloned().collect());
        self
    }

    /// Returns what the parts of a group rest on: those of its batches in their order, then those of its site files.
    pub fn of_parts(&self, group: &ArchiveGroup<'_>) -> Vec<RestsOn> {
        let batches = group.batches();
        let manifests = batches
            .iter()
            .map(|batch| batch.name.manifest_file())
            .collect();
        let of_batches = batches.iter().map(|batch| self.of_batch(group, batch));
        let until = self.until(group.archives.iter());
        let originals = group
            .archives
            .iter()
            .filter_map(ArchiveEvidence::originals_digest);
        let originals = originals.map(|digest| format!(" {}", BASE32.encode(digest)));
        let evidence = std::iter::once(group.fingerprint.clone())
            .chain(originals)
            .collect();
        let made_of = MadeOf {
            evidence,
            batches: manifests,
            sources: self.digests(until),
            ..MadeOf::default()
        };
        let site = RestsOn {
            name: group.site_part(),
            made_of,
            until,
            crawls: Arc::clone(&self.crawls),
        };
        of_batches.chain([site]).collect()
    }

    fn of_batch(&self, group: &ArchiveGroup<'_>, batch: &Batch<'_>) -> RestsOn {
        let until = self.until(batch.archives.iter().copied());
        let mut evidence = Sha1::new();
        for archive in &batch.archives {
            evidence.update(archive.joined_digest());
            // The captures of a WAT count until its WARC is read, and those of an archive until it is read under a name that
            // counts instead; its row in `archives` has that name.
            let manifest = &archive.manifest;
            evidence.update([u8::from(manifest.captures.is_empty())]);
            evidence.update(
                manifest
                    .row
                    .detail
                    .as_deref()
                    .filter(|_| manifest.captures.is_empty())
                    .unwrap_or_default(),
            );
        }
        // It is in the footers of its parts.
        evidence.update(group.design());
        // A redirect leads to any page of its own segment.
        let mut pages = [0; 20];
        for archive in &group.archives {
            let is_known_later = archive
                .manifest
                .times
                .is_some_and(|times| times.first > until);
            if !is_known_later && !archive.manifest.captures.is_empty() {
                join(&mut pages, &archive.joined_digest());
            }
        }
        evidence.update(pages);
        // Domains are computed by it, so a new one makes the tables again.
        evidence.update(suffix_list::version());
        let read = batch.archives.iter().filter(|archive| archive.is_read());
        let made_of = MadeOf {
            evidence: BASE32.encode(&evidence.finalize()),
            archives: read
                .map(|archive| archive.manifest.warc_filename.clone())
                .collect(),
            sources: self.digests(until),
            ..MadeOf::default()
        };
        RestsOn {
            name: batch.name.clone(),
            made_of,
            until,
            crawls: Arc::clone(&self.crawls),
        }
    }

    /// When the last capture was fetched that counts for the captures of some archives.
    fn until<'a>(&self, archives: impl Iterator<Item = &'a ArchiveEvidence<'a>>) -> i64 {
        let with_captures = archives.filter(|archive| !archive.manifest.captures.is_empty());
        let last = |archive: &ArchiveEvidence<'_>| {
            archive.manifest.times.map_or(i64::MAX, |times| times.last)
        };
        let last = with_captures.map(last).max().unwrap_or(i64::MIN);
        if last == i64::MIN {
            last
        } else {
            last.saturating_add(self.slack_us)
                .saturating_add(TARGETS_WITHIN_MICROS)
        }
    }

    fn digests(&self, until: i64) -> BTreeMap<String, String> {
        let mut digests = ByCrawl::new();
        for archive in self
            .archives
            .iter()
            .filter(|archive| archive.first_us <= until)
        {
            if !digests.contains_key(archive.crawl) {
                digests.insert(archive.crawl.to_owned(), [0; 20]);
            }
            if let Some(digest) = digests.get_mut(archive.crawl) {
                join(digest, &archive.digest);
            }
        }
        digests
            .into_iter()
            .map(|(crawl, digest)| (crawl, BASE32.encode(&digest)))
            .collect()
    }
}

impl ArchiveEvidence<'_> {
    /// Returns whether its site files count for pages of other groups that are not later than `until`.
    pub fn is_source(&self, scope: Scope, until: i64) -> bool {
        let counts = |kind: CaptureKind| match scope {
            Scope::All => kind != CaptureKind::Page,
            Scope::Segment => kind.is_beside_robots(),
        };
        let mut kinds = self.manifest.captures.keys();
        kinds.any(|kind| CaptureKind::named(kind).is_none_or(counts))
            && self.first_site_file() <= until
    }

    /// Identifies its evidence, and what its revisits have from records of other archives.
    fn joined_digest(&self) -> [u8; 20] {
        let mut digest = self.digest;
        if let Some(originals) = self.originals_digest() {
            join(&mut digest, originals);
        }
        digest
    }

    /// When its first site file was fetched, in microseconds since 1970; if it is not known, before all others.
    fn first_site_file(&self) -> i64 {
        self.manifest
            .times
            .and_then(|times| times.first_site_file)
            .unwrap_or(i64::MIN)
    }
}

impl RestsOn {
    /// Returns parts that rest only on what a text identifies.
    pub fn alone(name: BatchName, evidence: String) -> Self {
        let made_of = MadeOf {
            evidence,
            ..MadeOf::default()
        };
        Self {
            name,
            made_of,
            until: i64::MAX,
            crawls: Arc::default(),
        }
    }

    /// Returns whether the parts of a manifest are made of the same archives of their own.
    pub fn has_evidence_of(&self, made_of: &MadeOf) -> bool {
        made_of.evidence == self.made_of.evidence
    }

    /// Returns whether they rest on the same site files. A crawl that has no evidence now counts as unchanged.
    pub fn has_sources_of(&self, made_of: &MadeOf) -> bool {
        let now = &self.made_of.sources;
        let is_there = |(crawl, _): &(&String, &String)| self.crawls.contains(crawl.as_str());
        made_of
            .sources
            .iter()
            .filter(is_there)
            .eq(now.iter().filter(is_there))
    }
}

/// Adds a digest to others, in any order.
fn join(all: &mut [u8; 20], digest: &[u8; 20]) {
    all.iter_mut()
        .zip(digest)
        .for_each(|(one, other)| *one ^= other);
}
