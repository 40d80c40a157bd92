//! The contents of a run's folder: evidence with its manifests, tables with theirs, and which run they belong to.
//!
//! `groups` finds the evidence of some folders, `load` the site files in it; `check_tables` says whether tables are complete.
//! `job`, which works on a run, and `judge` and `explain`, which answer by one, use it.

mod archive_evidence;
mod awaited;
mod batch_manifest;
mod bodies;
mod complete;
mod duplicates;
mod evidence_folders;
mod find_originals;
mod fingerprint;
mod found_files;
mod group;
mod identity;
mod lacking;
mod layer_row;
mod manifest;
mod memory;
mod names;
mod originals;
mod proved_originals;
mod remembered;
mod rests_on;
mod same_archive;
mod site_files;
mod site_layers;
mod table_options;

pub(crate) use archive_evidence::{ArchiveEvidence, EvidenceFault, JoinedCaptures};
pub(crate) use awaited::{Awaited, SegmentNumbers};
pub use duplicates::Duplicate;
pub use evidence_folders::evidence_of;
pub(crate) use evidence_folders::{is_there, segments_of};
pub use fingerprint::Fingerprint;
pub use lacking::Lacking;
pub(crate) use lacking::is_of_pages;
pub use manifest::{CrawlInput, Found, Manifest, NoEvidence, PartEntry, Segment};
pub use memory::default_memory_bytes;
pub use names::batch_id;
pub use table_options::{Scope, TableOptions};

pub use crate::plan::{Comparison, Existing};

pub(crate) use batch_manifest::{BatchManifest, BatchName, ListedFiles, parts_fault};
pub(crate) use bodies::{Bodies, BodyBytes, BodyKey, StoredBody, WantedBodies};
pub(crate) use complete::{IfNoEvidence, KnownEvidence, TableManifests, check_parts, check_tables};
pub(crate) use find_originals::join_originals;
pub(crate) use fingerprint::{FingerprintReader, Identified, Relation};
pub(crate) use found_files::find;
pub(crate) use group::{ArchiveGroup, Batch, GroupsFound, all_archives, groups, groups_of};
pub(crate) use identity::{
    Identity, JUDGED_BY, MANIFESTS, RESOLVED, RunFile, absolute, write_json,
};
pub(crate) use manifest::{ChangedNote, Failures, add_all, add_one, add_some, segment_unknown};
pub(crate) use memory::{fitting, many_requests, pool};
pub(crate) use remembered::{LastComparison, Remembered, sha1_text};
pub(crate) use rests_on::{RestsOn, SiteFileSources};
pub(crate) use site_files::{
    FoundRow, GoOn, Keep, ROUNDS, Sites, WantedSites, archive_of, bodies, capture_order, followed,
    read, row_of, sent,
};
pub(crate) use site_layers::{IndexOf, SiteLayer, SitesOfGroup, index, load};
pub(crate) use table_options::{MadeWith, in_words};
