//! The evidence in groups: archives whose robots.txt captures and pages belong together, and their batches.
//!
//! Several folders of evidence are treated as one; an archive in two of them must be the same archive in both.

use super::archive_evidence::{ArchiveEvidence, Folder};
use super::batch_manifest::BatchName;
use super::duplicates::{Duplicate, leave_out_duplicates};
use super::evidence_folders::{UnreadEvidence, archives};
use super::manifest::{Manifest, Segment};
use super::names::batch_id;
use super::remembered::Remembered;
use crate::archive::LOCAL_CRAWL;
use crate::error::Error;
use crate::plan::Comparison;
use crate::tables::archives::{Design, Outcome};
use crate::web::capture_kind::CaptureKind;
use crate::web::suffix_list;
use data_encoding::BASE32;
use itertools::Itertools;
use sha1::{Digest, Sha1};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The archives of one part of each table.
pub struct Batch<'g> {
    pub name: BatchName,
    /// The archives, by name.
    pub archives: Vec<&'g ArchiveEvidence<'g>>,
}

impl Batch<'_> {
    pub fn captures(&self) -> u64 {
        self.archives
            .iter()
            .flat_map(|archive| archive.manifest.captures.values())
            .sum()
    }
}

/// Archives of one segment, or all without a segment.
pub struct ArchiveGroup<'e> {
    /// The crawl of its site tables; always `local` if it has no segment, because it may span crawls.
    pub crawl: String,
    pub segment: Option<String>,
    /// The archives, by crawl and name.
    pub archives: Vec<ArchiveEvidence<'e>>,
    /// Identifies this evidence: it changes with every archive.
    pub fingerprint: String,
}

impl ArchiveGroup<'_> {
    /// Whether all of its segment was read: no archive failed or was cut, no call chose a part of it, and no file number is
    /// missing before the last one; `None`: it has no segment.
    pub fn is_whole(&self) -> Option<bool> {
        self.segment.as_ref()?;
        let (mut chosen, mut numbers) = (BTreeMap::<&Design, u64>::new(), BTreeMap::new());
        for archive in &self.archives {
            let row = &archive.manifest.row;
            if row.outcome != Outcome::Read {
                return Some(false);
            }
            if let Some(design) = &row.design {
                *chosen.entry(design).or_default() += 1;
            }
            let name = archive.manifest.name();
            if let (Some(subset), Some(number)) = (name.subset(), name.number()) {
                numbers
                    .entry(subset.as_str())
                    .or_insert_with(BTreeSet::new)
                    .insert(number);
            }
        }
        let read = self.archives.len() as u64;
        let is_chosen_whole = chosen
            .keys()
            .any(|design| design.segment_archives == Some(read));
        let has_all_numbers = numbers
            .values()
            .all(|numbers| (0..).zip(numbers).all(|(at, number)| at == *number));
        Some(has_all_numbers && (chosen.is_empty() || is_chosen_whole))
    }

    /// Returns the lists from which its archives were chosen, in words, each once.
    pub fn design(&self) -> String {
        let designs = self
            .archives
            .iter()
            .filter_map(|archive| archive.manifest.row.design.as_ref());
        let words: BTreeSet<String> = designs.map(ToString::to_string).collect();
        if words.is_empty() {
            "all inputs".to_owned()
        } else {
            words.iter().join("; ")
        }
    }

    pub fn key(&self) -> Segment {
        self.segment
            .clone()
            .map(|segment| (self.crawl.clone(), segment))
    }

    pub fn site_part(&self) -> BatchName {
        BatchName::of_site_files(&self.crawl, self.segment.as_deref())
    }

    /// Returns the names of its batches in their order, then that of the parts of its site files.
    pub fn parts(&self) -> impl Iterator<Item = BatchName> + use<> {
        let site = self.site_part();
        self.batches()
            .into_iter()
            .map(|batch| batch.name)
            .chain([site])
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Returns the number of captures of site files in it.
    pub fn site_captures(&self) -> u64 {
        let captures = self
            .archives
            .iter()
            .flat_map(|archive| &archive.manifest.captures);
        captures
            .filter(|(kind, _)| *kind != CaptureKind::Page.as_str())
            .map(|(_, count)| count)
            .sum()
    }

    /// Returns its batches, in the order of their names.
    pub fn batches(&self) -> Vec<Batch<'_>> {
        let mut batches = BTreeMap::<BatchName, Vec<&ArchiveEvidence<'_>>>::new();
        for archive in &self.archives {
            let (crawl, id) = (
                archive.manifest.crawl.to_string(),
                batch_id(&archive.manifest.name()),
            );
            batches
                .entry(BatchName { crawl, id })
                .or_default()
                .push(archive);
        }
        batches
            .into_iter()
            .map(|(name, archives)| Batch { name, archives })
            .collect()
    }
}

/// Returns the groups of some folders of evidence, in the order of their names. A folder without evidence is an error.
pub fn groups<'e, F: Into<Folder<'e>>>(
    folders: impl IntoIterator<Item = F>,
) -> Result<Vec<ArchiveGroup<'e>>, Error> {
    groups_of(folders, None, Comparison::Lengths).map(|found| found.groups)
}

/// Returns the archives of some groups, by crawl and name.
pub fn all_archives<'g>(groups: &'g [ArchiveGroup<'_>]) -> Vec<&'g ArchiveEvidence<'g>> {
    let mut archives: Vec<_> = groups.iter().flat_map(|group| &group.archives).collect();
    archives.sort_by_key(|archive| archive.place);
    archives
}

pub struct GroupsFound<'e> {
    /// In the order of their names.
    pub groups: Vec<ArchiveGroup<'e>>,
    /// The archives that are there under another name, too.
    pub duplicates: Vec<Duplicate>,
    /// The evidence that was left out.
    pub unread: UnreadEvidence,
    pub remembered: Vec<Remembered>,
}

/// Returns the groups of the wanted segments, if not all are wanted, and of everything else that had to be read. Remembered
/// manifests are recognised by name, length and tag, unless everything is to be read.
pub fn groups_of<'e, F: Into<Folder<'e>>>(
    folders: impl IntoIterator<Item = F>,
    wanted: Option<&BTreeSet<Segment>>,
    comparison: Comparison,
) -> Result<GroupsFound<'e>, Error> {
    let folders: Vec<Folder<'e>> = folders.into_iter().map(Into::into).collect();
    let (archives, unread, remembered) = archives(&folders, wanted, comparison)?;
    let mut groups =
        BTreeMap::<(Option<String>, Option<String>), (Vec<ArchiveEvidence<'e>>, Sha1)>::new();
    for (place, ((crawl, _), mut archive)) in (0..).zip(archives) {
        archive.place = place;
        let segment = archive.manifest.name().segment().map(str::to_owned);
        let crawl = segment.is_some().then_some(crawl);
        let (archives, digest) = groups.entry((crawl, segment)).or_default();
        digest.update(archive.digest);
        archives.push(archive);
    }
    let mut duplicates = Vec::new();
    for (archives, digest) in groups.values_mut() {
        leave_out_described(archives);
        duplicates.extend(leave_out_duplicates(archives));
        // Domains are computed by it, so a new one makes the tables again.
        digest.update(suffix_list::version());
    }
    let group = |((crawl, segment), (archives, digest)): ((Option<String>, _), (Vec<_>, Sha1))| {
        ArchiveGroup {
            crawl: crawl.unwrap_or_else(|| LOCAL_CRAWL.to_owned()),
            segment,
            fingerprint: BASE32.encode(&digest.finalize()),
            archives,
        }
    };
    let groups = groups.into_iter().map(group).collect();
    Ok(GroupsFound {
        groups,
        duplicates,
        unread,
        remembered,
    })
}

/// Drops the captures of WAT files whose WARC also has evidence: it has more of them.
fn leave_out_described(archives: &mut [ArchiveEvidence<'_>]) {
    let is_wat = |manifest: &Manifest| {
        manifest
            .row
            .format
            .as_ref()
            .is_some_and(|format| format.starts_with("wat"))
    };
    let read = archives.iter().map(|archive| &archive.manifest);
    let read = read.filter(|manifest| !is_wat(manifest) && !manifest.captures.is_empty());
    let read: HashSet<(String, String)> = read
        .map(|manifest| (manifest.crawl.to_string(), manifest.warc_filename.clone()))
        .collect();
    for ArchiveEvidence { manifest, .. } in archives {
        let described = || manifest.name().described().filename().to_owned();
        if is_wat(manifest) && read.contains(&(manifest.crawl.to_string(), described())) {
            manifest.captures.clear();
        }
    }
}
