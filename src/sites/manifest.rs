//! `_index.json`: the content of a site index, and the digests of its parts. It is written last and switches indexes at once.

use crate::archive::CrawlId;
use crate::runs::Lacking;
use crate::tables::Table;
use crate::tables::site_index::{
    BODIES, FETCHES, GroupRange, INDEX_ARCHIVES, INDEX_FORMAT, IndexPart, part_file,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The name of the file.
pub const INDEX_FILE: &str = "_index.json";

/// The content of a site index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexManifest {
    /// `crawlprefs`.
    pub tool: String,
    /// The version of the format.
    pub format: String,
    /// The crawls, by name.
    pub crawls: Vec<IndexedCrawl>,
    /// The number of hosts.
    pub hosts: u64,
    /// The number of captures of all answers.
    pub captures: u64,
    /// The table of archives.
    pub archives: ArchivePart,
    /// The parts of `fetches`, in the order of their hosts.
    pub fetches: Vec<FetchPart>,
    /// The parts of `bodies`, in the order of their numbers.
    pub bodies: Vec<BodyPart>,
    /// Archives of which two inputs had other answers, although both claimed to have read the same file: the answers of all count.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub differing: BTreeSet<ArchiveKey>,
}

/// The crawl and the name of an archive.
pub type ArchiveKey = (CrawlId, String);

/// The field that is read before anything else, whatever the other fields are.
#[derive(Deserialize)]
struct IndexFormat {
    format: Option<serde_json::Value>,
}

/// A crawl, and how complete it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedCrawl {
    /// Its name.
    pub crawl: CrawlId,
    /// Archives that were read, wholly or in part.
    pub archives_read: u64,
    /// Of these, archives that end inside a record.
    pub archives_cut: u64,
    /// Archives that could not be read.
    pub archives_failed: u64,
    /// Records that were lost in archives that may have site files: not in archives of pages, by Common Crawl's names.
    pub records_lost: u64,
}

/// The table of archives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivePart {
    /// The file.
    #[serde(flatten)]
    pub part: IndexPart,
    /// Its row groups, of 1,024 archives each except the last one.
    pub groups: Vec<GroupRange>,
}

/// How many archives are in a row group.
pub const ARCHIVES_IN_GROUP: usize = 1024;

/// A part of `fetches`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchPart {
    /// The file.
    #[serde(flatten)]
    pub part: IndexPart,
    /// Its row groups.
    pub groups: Vec<FetchGroup>,
    /// The last host of the part.
    pub last: HostKey,
}

/// A host in the order of `fetches`: `surt_host_name` and `url_host_name`.
pub type HostKey = (String, String);

/// A row group of `fetches`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchGroup {
    /// Its first host.
    pub first: HostKey,
    /// Whether the previous row group also has rows of its first host.
    pub is_continued: bool,
    /// Its place in the file.
    #[serde(flatten)]
    pub range: GroupRange,
}

/// A part of `bodies`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyPart {
    /// The file.
    #[serde(flatten)]
    pub part: IndexPart,
    /// The number of its first body.
    pub first_body: u64,
}

impl IndexManifest {
    /// Reads the file and checks it.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let unfit = |error| format!("not a site index: {error}");
        let found: IndexFormat = serde_json::from_slice(bytes).map_err(unfit)?;
        let format = found
            .format
            .as_ref()
            .and_then(serde_json::Value::as_str)
            .unwrap_or("none");
        if format != INDEX_FORMAT {
            return Err(format!(
                "its format is {format}, this version reads {INDEX_FORMAT}"
            ));
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(unfit)?;
        let groups = manifest.fetches.iter().flat_map(|part| &part.groups);
        let hosts = groups.map(|group| &group.first);
        if !hosts.is_sorted()
            || !manifest
                .bodies
                .iter()
                .map(|part| part.first_body)
                .is_sorted()
        {
            return Err("its parts are not sorted".to_owned());
        }
        // A look-up would end there and find no host behind it.
        if manifest.fetches.iter().any(|part| part.groups.is_empty()) {
            return Err("a part of its fetches has no row groups".to_owned());
        }
        if let Some(part) = manifest.repeated() {
            return Err(format!(
                "the row groups of {part} do not follow each other, or the part is there twice"
            ));
        }
        // Another name could lead out of the folder.
        let is_digest =
            |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_right = |(table, part): &(&Table, &IndexPart)| {
            is_digest(&part.sha256) && part.file == part_file(table, &part.sha256)
        };
        if let Some((_, part)) = manifest.named().find(|named| !is_right(named)) {
            return Err(format!(
                "a part is called `{}`, which is not by its digest",
                part.file
            ));
        }
        Ok(manifest)
    }

    /// Returns a part that is named twice, or whose row groups do not ascend: a group that is named often would be read as often.
    fn repeated(&self) -> Option<&str> {
        let mut known = BTreeSet::new();
        if let Some(twice) = self.parts().find(|part| !known.insert(part.file.as_str())) {
            return Some(&twice.file);
        }
        let fetches = self.fetches.iter().map(|part| {
            (
                &part.part,
                part.groups.iter().map(|group| &group.range).collect(),
            )
        });
        let archives = [(
            &self.archives.part,
            self.archives.groups.iter().collect::<Vec<_>>(),
        )];
        let ascend = |part: &IndexPart, groups: &[&GroupRange]| {
            let mut end = 0;
            groups.iter().all(|range| {
                let is_behind = range.start >= end;
                end = range.start.saturating_add(range.bytes);
                is_behind && end <= part.bytes
            })
        };
        let mut all = archives.into_iter().chain(fetches);
        all.find(|(part, groups)| !ascend(part, groups))
            .map(|(part, _)| part.file.as_str())
    }

    fn named(&self) -> impl Iterator<Item = (&'static Table, &IndexPart)> {
        let fetches = self.fetches.iter().map(|part| (&FETCHES, &part.part));
        let bodies = self.bodies.iter().map(|part| (&BODIES, &part.part));
        [(&INDEX_ARCHIVES, &self.archives.part)]
            .into_iter()
            .chain(fetches)
            .chain(bodies)
    }

    /// Returns what the archives of crawls lack.
    pub fn lacking_of(crawls: &[IndexedCrawl]) -> Lacking {
        let sum = |count: fn(&IndexedCrawl) -> u64| {
            crawls
                .iter()
                .fold(0_u64, |sum, crawl| sum.saturating_add(count(crawl)))
        };
        let failed = sum(|crawl| crawl.archives_failed);
        Lacking {
            archives: failed.saturating_add(sum(|crawl| crawl.archives_read)),
            failed,
            cut: sum(|crawl| crawl.archives_cut),
            records_lost: sum(|crawl| crawl.records_lost),
        }
    }

    /// Returns the parts.
    pub fn parts(&self) -> impl Iterator<Item = &IndexPart> {
        self.named().map(|(_, part)| part)
    }
}
