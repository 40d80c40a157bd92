//! The evidence in groups: archives whose robots.txt captures and pages belong together, and their batches.
//!
//! Several folders of evidence are one; an archive that two of them have must be the same archive in both.

use super::batch_manifest::BatchName;
use super::crawl_input::Segment;
use super::forgetting::refuse_forgetting;
use super::identity::{Identity, MANIFESTS, RunFile};
use super::made_of::MadeOf;
use super::manifest::{Failures, Manifest, PartEntry};
use super::names::{LOCAL_CRAWL, batch_id};
use super::table_options::Scope;
use crate::archive::Damage;
use crate::error::Error;
use crate::evidence::Depth;
use crate::store::{Store, StoredFile};
use crate::tables::{EVIDENCE_FORMATS, Slices, Table};
use crate::web::capture_kind::CaptureKind;
use crate::web::suffix_list;
use arrow_array::RecordBatch;
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::OnceLock;

/// A folder of evidence, of somebody else or shared with others.
#[derive(Clone)]
pub enum Folder<'e> {
    /// It is somebody else's.
    Borrowed(&'e dyn Store),
    /// It is kept as long as what was found in it.
    Shared(Arc<dyn Store>),
}

impl<'e> From<&'e dyn Store> for Folder<'e> {
    fn from(store: &'e dyn Store) -> Self {
        Self::Borrowed(store)
    }
}

impl From<Arc<dyn Store>> for Folder<'_> {
    fn from(store: Arc<dyn Store>) -> Self {
        Self::Shared(store)
    }
}

impl<'e> Deref for Folder<'e> {
    type Target = dyn Store + 'e;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Borrowed(store) => *store,
            Self::Shared(store) => store.as_ref(),
        }
    }
}

/// The evidence of one archive.
pub struct ArchiveEvidence<'e> {
    /// What is known of the archive.
    pub manifest: Manifest,
    /// SHA-1 of the manifest's file.
    digest: [u8; 20],
    file: String,
    store: Folder<'e>,
    /// Which of its files have been compared with their digests, in the order of the manifest.
    verified: Vec<OnceLock<()>>,
}

/// Evidence cannot be read: the error names the file.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {detail}")]
pub struct EvidenceFault {
    file: String,
    detail: String,
}

impl ArchiveEvidence<'_> {
    /// Reads its file of a table of evidence; the first time, the file is compared with the manifest.
    ///
    /// # Errors
    /// An [`EvidenceFault`], which names a file that is not the one in the manifest.
    pub fn slices<S: Iterator<Item = io::Result<RecordBatch>>>(
        &self,
        table: &Table,
        open: impl FnOnce(Box<dyn StoredFile>) -> io::Result<S>,
    ) -> io::Result<impl Iterator<Item = io::Result<RecordBatch>>> {
        let parts = self.manifest.parts.iter().zip(&self.verified);
        let is_left =
            |(part, verified): &(&PartEntry, &OnceLock<()>)| part.is_of(table) && verified.get().is_none();
        for (part, verified) in parts.filter(is_left) {
            if !part.is_unchanged(&*self.store).map_err(|error| self.fault(&part.file, &error))? {
                let manifest = self.store.location_of(&self.file);
                return Err(self.fault(&part.file, &format!("it is not the file that {manifest} describes")));
            }
            verified.get_or_init(|| ());
        }
        self.unverified_slices(table, open)
    }

    /// Returns the numbers of the rows of a table of evidence that are wanted, in ascending order; `wanted` is given some
    /// columns of a slice. The file is not compared with the manifest: whoever reads these rows by [`Self::slices`] does it.
    ///
    /// # Errors
    /// An [`EvidenceFault`].
    pub fn rows(
        &self,
        table: &Table,
        columns: &[&str],
        wanted: impl Fn(&RecordBatch) -> io::Result<Vec<usize>>,
    ) -> io::Result<Vec<usize>> {
        let (mut rows, mut first) = (Vec::new(), 0);
        for slice in self.unverified_slices(table, |file| Slices::of_columns(file, columns))? {
            let slice = slice?;
            rows.extend(wanted(&slice)?.into_iter().map(|row| first + row));
            first += slice.num_rows();
        }
        Ok(rows)
    }

    fn unverified_slices<S: Iterator<Item = io::Result<RecordBatch>>>(
        &self,
        table: &Table,
        open: impl FnOnce(Box<dyn StoredFile>) -> io::Result<S>,
    ) -> io::Result<impl Iterator<Item = io::Result<RecordBatch>>> {
        let no_part = || self.fault(&self.file, &format!("it has no {}", table.name));
        let file = &self.manifest.part(table).ok_or_else(no_part)?.file;
        let slices = self.store.open(file).and_then(open).map_err(|error| self.fault(file, &error))?;
        Ok(slices.map(|slice| slice.map_err(|error| self.fault(file, &error))))
    }

    fn fault(&self, file: &str, detail: &dyn std::fmt::Display) -> io::Error {
        let detail = format!("{detail}; scan {} again with --verify", self.manifest.warc_filename);
        io::Error::other(EvidenceFault { file: self.store.location_of(file), detail })
    }

    /// Returns the rows of the archive in `failures`.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub fn failures(&self) -> io::Result<Vec<Damage>> {
        if self.manifest.row.failures == 0 {
            return Ok(Vec::new());
        }
        let fault = |error: &dyn std::fmt::Display| self.fault(&self.file, error);
        let bytes = self.store.read(&self.file).map_err(|error| fault(&error))?.unwrap_or_default();
        let failures: Failures = serde_json::from_slice(&bytes).map_err(|error| fault(&error))?;
        Ok(failures.rows().to_vec())
    }

    /// Returns where it is.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Returns whether there is evidence of the archive: one that could not be read has only a manifest.
    pub fn is_read(&self) -> bool {
        self.manifest.fingerprint.is_some()
    }

    /// Returns whether it may be taken for what another folder has of the archive.
    fn agrees(&self, other: &Self) -> bool {
        let fingerprints = self.manifest.fingerprint.as_ref().zip(other.manifest.fingerprint.as_ref());
        fingerprints.is_none_or(|(one, other)| one == other)
    }

    /// Returns which of two is the better one: with evidence, and deeper.
    fn rank(&self) -> (bool, Option<Depth>) {
        (self.manifest.fingerprint.is_some(), self.manifest.row.depth)
    }
}

/// The archives of one part of each table.
pub struct Batch<'g> {
    /// Its name.
    pub name: BatchName,
    /// The archives, by name.
    pub archives: Vec<&'g ArchiveEvidence<'g>>,
}

impl Batch<'_> {
    /// Returns what its parts are made of, by the evidence of its group.
    pub fn made_of(&self, evidence: &str) -> MadeOf {
        let read = self.archives.iter().filter(|archive| archive.is_read());
        let archives = read.map(|archive| archive.manifest.warc_filename.clone()).collect();
        MadeOf { evidence: evidence.to_owned(), archives: Some(archives), ..MadeOf::default() }
    }

    /// Returns how many captures there are in it.
    pub fn captures(&self) -> u64 {
        self.archives.iter().flat_map(|archive| archive.manifest.captures.values()).sum()
    }
}

/// Archives of one segment, or all that have none.
pub struct Group<'e> {
    /// The crawl of its site tables; always `local` where it has no segment, for it may span crawls.
    pub crawl: String,
    /// The segment.
    pub segment: Option<String>,
    /// The archives, by crawl and name.
    pub archives: Vec<ArchiveEvidence<'e>>,
    /// What identifies this evidence: it changes with every archive.
    pub fingerprint: String,
}

impl Group<'_> {
    /// Makes its fingerprint change with other evidence, too.
    pub fn depend_on<'g>(&mut self, others: impl Iterator<Item = &'g Group<'g>>) {
        let mut digest = Sha1::new();
        digest.update(&self.fingerprint);
        let mut any = false;
        for other in others {
            digest.update(&other.fingerprint);
            any = true;
        }
        if any {
            self.fingerprint = BASE32.encode(&digest.finalize());
        }
    }

    /// Returns what the parts of its site files are made of.
    pub fn made_of(&self) -> MadeOf {
        let batches = self.batches().iter().map(|batch| batch.name.manifest_file()).collect();
        MadeOf { evidence: self.fingerprint.clone(), batches: Some(batches), ..MadeOf::default() }
    }

    /// Returns the segment that it is of.
    pub fn key(&self) -> Segment {
        self.segment.clone().map(|segment| (self.crawl.clone(), segment))
    }

    /// Returns the name of the parts with rows of its site files.
    pub fn site_part(&self) -> BatchName {
        BatchName::of_site_files(&self.crawl, self.segment.as_deref())
    }

    /// Returns how many captures of site files there are in it.
    pub fn site_captures(&self) -> u64 {
        let captures = self.archives.iter().flat_map(|archive| &archive.manifest.captures);
        captures.filter(|(kind, _)| *kind != CaptureKind::Page.as_str()).map(|(_, count)| count).sum()
    }

    /// Returns its batches, in the order of their names.
    pub fn batches(&self) -> Vec<Batch<'_>> {
        let mut batches = BTreeMap::<BatchName, Vec<&ArchiveEvidence<'_>>>::new();
        for archive in &self.archives {
            let (crawl, id) = (archive.manifest.crawl.clone(), batch_id(&archive.manifest.name()));
            batches.entry(BatchName { crawl, id }).or_default().push(archive);
        }
        batches.into_iter().map(|(name, archives)| Batch { name, archives }).collect()
    }
}

/// Returns the groups of some folders of evidence, in the order of their names.
///
/// # Errors
/// [`Error::NoEvidence`] for each folder that has none, [`Error::EvidenceUnreadable`], [`Error::EvidenceDiffers`].
pub fn groups<'e, F: Into<Folder<'e>>>(
    folders: impl IntoIterator<Item = F>,
    scope: Scope,
) -> Result<Vec<Group<'e>>, Error> {
    let folders: Vec<Folder<'e>> = folders.into_iter().map(Into::into).collect();
    let mut groups = BTreeMap::<(Option<String>, Option<String>), (Vec<ArchiveEvidence<'e>>, Sha1)>::new();
    for ((crawl, _), archive) in archives(&folders)? {
        let segment = match scope {
            Scope::Segment => archive.manifest.name().segment().map(str::to_owned),
            Scope::All => None,
        };
        let crawl = segment.is_some().then_some(crawl);
        let (archives, digest) = groups.entry((crawl, segment)).or_default();
        digest.update(archive.digest);
        archives.push(archive);
    }
    for (archives, digest) in groups.values_mut() {
        leave_out_described(archives);
        // Domains are computed by it, so that tables are made again by a new one.
        digest.update(suffix_list::version());
    }
    let group = |((crawl, segment), (archives, digest)): ((Option<String>, _), (Vec<_>, Sha1))| Group {
        crawl: crawl.unwrap_or_else(|| LOCAL_CRAWL.to_owned()),
        segment,
        fingerprint: BASE32.encode(&digest.finalize()),
        archives,
    };
    Ok(groups.into_iter().map(group).collect())
}

/// Takes the captures out of WAT files whose WARC is there, too: it has more of them.
fn leave_out_described(archives: &mut [ArchiveEvidence<'_>]) {
    let is_wat =
        |manifest: &Manifest| manifest.row.format.as_ref().is_some_and(|format| format.starts_with("wat"));
    let read = archives.iter().map(|archive| &archive.manifest);
    let read = read.filter(|manifest| !is_wat(manifest) && !manifest.captures.is_empty());
    let read: HashSet<(String, String)> =
        read.map(|manifest| (manifest.crawl.clone(), manifest.warc_filename.clone())).collect();
    for ArchiveEvidence { manifest, .. } in archives {
        let described = || manifest.name().described().filename().to_owned();
        if is_wat(manifest) && read.contains(&(manifest.crawl.clone(), described())) {
            manifest.captures.clear();
        }
    }
}

/// The evidence of archives, by crawl and name.
type Archives<'e> = BTreeMap<(String, String), ArchiveEvidence<'e>>;

fn archives<'e>(folders: &[Folder<'e>]) -> Result<Archives<'e>, Error> {
    let mut found = Archives::new();
    for store in folders {
        let unreadable = |source| Error::EvidenceUnreadable { location: store.location(), source };
        check_format(&**store)?;
        refuse_forgetting(&**store)?;
        let files = store.list(MANIFESTS).map_err(unreadable)?;
        // An empty folder may be a place where a file system is not mounted.
        if files.is_empty() {
            return Err(Error::NoEvidence { location: store.location() });
        }
        for file in files {
            let archive = load(store, file).map_err(unreadable)?;
            let key = (archive.manifest.crawl.clone(), archive.manifest.warc_filename.clone());
            match found.entry(key) {
                Entry::Vacant(vacant) => {
                    vacant.insert(archive);
                }
                Entry::Occupied(known) if !known.get().agrees(&archive) => {
                    return Err(Error::EvidenceDiffers {
                        name: archive.manifest.warc_filename.clone(),
                        first: known.get().store.location(),
                        second: store.location(),
                    });
                }
                Entry::Occupied(mut known) => {
                    if known.get().rank() < archive.rank() {
                        known.insert(archive);
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Refuses evidence of another format.
fn check_format(store: &dyn Store) -> Result<(), Error> {
    let unreadable = |source| Error::EvidenceUnreadable { location: store.location(), source };
    let Some(identity) = Identity::read(store, RunFile::Scan).map_err(unreadable)? else { return Ok(()) };
    let found = identity.options.get("evidence_format").map_or("1", String::as_str);
    if EVIDENCE_FORMATS.contains(&found) {
        return Ok(());
    }
    let read = EVIDENCE_FORMATS.join(", ");
    let detail = format!(
        "its format is {found}, this version reads {read}; scan the archives again into another folder"
    );
    Err(unreadable(io::Error::other(detail)))
}

fn load<'e>(folder: &Folder<'e>, file: String) -> io::Result<ArchiveEvidence<'e>> {
    let store = folder.clone();
    let of_file = |error: &dyn std::fmt::Display| {
        io::Error::other(format!(
            "{}: not a manifest: {error}; scan its archive again",
            store.location_of(&file)
        ))
    };
    let bytes = store.read(&file)?.unwrap_or_default();
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|error| of_file(&error))?;
    let digest = Sha1::digest(&bytes).into();
    let verified = manifest.parts.iter().map(|_| OnceLock::new()).collect();
    Ok(ArchiveEvidence { manifest, digest, file, store, verified })
}
