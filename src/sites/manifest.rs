//! `_index.json`: what a site index holds, and how each of its parts is known again. It is written last of all.

use crate::tables::site_index::{GroupRange, INDEX_FORMAT, IndexPart};
use serde::{Deserialize, Serialize};

/// What the file is called.
pub const INDEX_FILE: &str = "_index.json";

/// What a site index holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexManifest {
    /// `crawlprefs`.
    pub tool: String,
    /// The version of the format.
    pub format: String,
    /// The crawls, by name.
    pub crawls: Vec<IndexedCrawl>,
    /// Hosts, by `surt_host_name`.
    pub hosts: u64,
    /// Times at which an answer was captured.
    pub captures: u64,
    /// The table of archives.
    pub archives: ArchivePart,
    /// The parts of `fetches`, in the order of their hosts.
    pub fetches: Vec<FetchPart>,
    /// The parts of `bodies`, in the order of their numbers.
    pub bodies: Vec<BodyPart>,
}

/// A crawl, and how complete it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedCrawl {
    /// Its name.
    pub crawl: String,
    /// Archives that were read, to their end or a part of them.
    pub archives_read: u64,
    /// Of these, archives with damaged places, and those that end inside a record.
    pub archives_damaged: u64,
    /// Archives that could not be read.
    pub archives_failed: u64,
}

/// The table of archives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivePart {
    /// The file.
    #[serde(flatten)]
    pub part: IndexPart,
    /// Its row groups, of 1,024 archives each but for the last one.
    pub groups: Vec<GroupRange>,
}

/// So many archives are in a row group.
pub const ARCHIVES_IN_GROUP: usize = 1024;

/// A part of `fetches`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchPart {
    /// The file.
    #[serde(flatten)]
    pub part: IndexPart,
    /// Its row groups.
    pub groups: Vec<FetchGroup>,
    /// The last `surt_host_name` of the part.
    pub last_host: String,
}

/// A row group of `fetches`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchGroup {
    /// Its first `surt_host_name`.
    pub first_host: String,
    /// Where it is.
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
    /// Reads it.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let found: serde_json::Value =
            serde_json::from_slice(bytes).map_err(|error| format!("not a site index: {error}"))?;
        let format = found.get("format").and_then(serde_json::Value::as_str).unwrap_or("none");
        if format != INDEX_FORMAT {
            return Err(format!("its format is {format}, this version reads {INDEX_FORMAT}"));
        }
        let manifest: Self =
            serde_json::from_value(found).map_err(|error| format!("not a site index: {error}"))?;
        let groups = manifest.fetches.iter().flat_map(|part| &part.groups);
        let hosts = groups.map(|group| &group.first_host);
        let is_sorted = hosts.is_sorted() && manifest.bodies.iter().map(|part| part.first_body).is_sorted();
        if is_sorted { Ok(manifest) } else { Err("its parts are not sorted".to_owned()) }
    }

    /// Returns how many archives could not be read.
    #[must_use]
    pub fn archives_failed(&self) -> u64 {
        self.crawls.iter().map(|crawl| crawl.archives_failed).sum()
    }

    /// Returns the parts.
    pub fn parts(&self) -> impl Iterator<Item = &IndexPart> {
        let fetches = self.fetches.iter().map(|part| &part.part);
        let bodies = self.bodies.iter().map(|part| &part.part);
        [&self.archives.part].into_iter().chain(fetches).chain(bodies)
    }
}
