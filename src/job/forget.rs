//! Removes a crawl from an output: its evidence, its manifests, and its tables unless they are kept.
//!
//! Example: of `crawl=CC-MAIN-2026-30` and `crawl=CC-MAIN-2026-34`, everything of the first one goes. A mark is written
//! before and removed after (`runs::Forgetting`), and manifests go before the files that they name, so that after a kill
//! nobody takes for complete what is not. Only files of a run are removed. Left out: evidence in other folders.

use crate::error::Error;
use crate::runs::{
    BatchManifest, BatchName, Forgetting, ForgottenTables, LOCAL_CRAWL, MANIFESTS, RESOLVED, RunFile,
    write_json,
};
use crate::store::Store;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io;

/// What is removed, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Manifests of batches, and of site files.
    batches: Vec<String>,
    /// Manifests of archives.
    pub archives: Vec<String>,
    /// Files of evidence.
    pub evidence: Vec<String>,
    /// Parts of tables.
    pub tables: Vec<String>,
    /// Manifests of batches of which the parts stay.
    kept: Vec<String>,
    /// Whether tables of other crawls have to be made again.
    pub makes_stale: bool,
}

impl Forgotten {
    /// Returns the names of all files that are removed.
    pub fn files(&self) -> impl Iterator<Item = &String> {
        [&self.batches, &self.archives, &self.evidence, &self.tables].into_iter().flatten()
    }
}

/// Returns what [`forget`] would remove.
///
/// # Errors
/// [`Error::NoEvidence`] where the folder is not an output, [`Error::CrawlUnknown`], [`Error::ForgetCrosses`],
/// [`Error::ForgetUnfinished`] of another crawl, [`Error::OutputUnwritable`].
pub fn to_forget(store: &dyn Store, forgetting: &Forgetting) -> Result<Forgotten, Error> {
    let failed = |source| Error::OutputUnwritable { location: store.location(), source };
    let marks = [RunFile::Scan, RunFile::Resolve].map(|file| store.bytes(file.name()));
    let mut has_mark = false;
    for mark in marks {
        has_mark |= mark.map_err(failed)?.is_some();
    }
    if !has_mark {
        return Err(Error::NoEvidence { location: store.location() });
    }
    let begun = Forgetting::read(store).map_err(failed)?;
    if let Some(begun) = begun.as_ref().filter(|begun| *begun != forgetting) {
        return Err(begun.unfinished(store));
    }
    let all = RunFile::Scan.files(store).map_err(failed)?;
    let (files, others): (Vec<String>, Vec<String>) =
        all.into_iter().partition(|file| crawl_of(file) == Some(&*forgetting.crawl));
    if files.is_empty() && begun.is_none() {
        let found: BTreeSet<&str> = others.iter().filter_map(|file| crawl_of(file)).collect();
        let found = if found.is_empty() { "none".into() } else { Vec::from_iter(found).join(", ") };
        let (location, crawl) = (store.location(), forgetting.crawl.clone());
        return Err(Error::CrawlUnknown { location, crawl, found });
    }
    let mut forgotten = sorted(files, store, forgetting.tables).map_err(failed)?;
    match (shared(store, &forgetting.crawl).map_err(failed)?, forgetting.tables) {
        (None, _) => {}
        (Some(_), ForgottenTables::Kept) => {
            let (location, crawl) = (store.location(), forgetting.crawl.clone());
            return Err(Error::ForgetCrosses { location, crawl });
        }
        (Some(shared), ForgottenTables::Removed) => forgotten.add(shared),
    }
    Ok(forgotten)
}

/// Removes a crawl from an output. A call that was ended is continued by the same call.
///
/// # Errors
/// As [`to_forget`].
pub fn forget(store: &dyn Store, forgetting: &Forgetting) -> Result<Forgotten, Error> {
    let forgotten = to_forget(store, forgetting)?;
    let remove = || {
        forgetting.begin(store)?;
        for manifest in &forgotten.kept {
            note(store, manifest)?;
        }
        forgotten.files().try_for_each(|name| store.remove(name))?;
        Forgetting::end(store)
    };
    remove().map_err(|source| Error::OutputUnwritable { location: store.location(), source })?;
    Ok(forgotten)
}

impl Forgotten {
    /// Adds the site files of archives without a segment: if other crawls have such archives, they are made again.
    fn add(&mut self, shared: Shared) {
        let add = |files: &mut Vec<String>, name: String| {
            if !files.contains(&name) {
                files.push(name);
            }
        };
        add(&mut self.batches, shared.manifest);
        self.makes_stale = shared.has_others;
        if !shared.has_others {
            shared.parts.into_iter().for_each(|part| add(&mut self.tables, part));
        }
    }
}

/// Returns the files of a crawl by what they are.
fn sorted(files: Vec<String>, store: &dyn Store, tables: ForgottenTables) -> io::Result<Forgotten> {
    let is_below = |file: &str, folder: &str| file.split('/').next() == Some(folder);
    let of_tables: BTreeSet<String> = RunFile::Resolve.files(store)?.into_iter().collect();
    let mut found = Forgotten::default();
    let (mut named, mut others) = (BTreeSet::new(), Vec::new());
    for file in files {
        if is_below(&file, RESOLVED) {
            let manifest = store.read(&file)?.unwrap_or_default();
            let manifest = serde_json::from_slice::<BatchManifest<IgnoredAny>>(&manifest);
            // Of one that cannot be read nothing is kept but what is certainly a table's.
            named.extend(manifest.into_iter().flat_map(|it| it.parts).map(|part| part.file));
            found.batches.push(file);
        } else if is_below(&file, MANIFESTS) {
            found.archives.push(file);
        } else {
            others.push(file);
        }
    }
    let is_table = |file: &String| of_tables.contains(file) || named.contains(file);
    (found.tables, found.evidence) = others.into_iter().partition(is_table);
    if tables == ForgottenTables::Kept {
        found.tables.clear();
        found.kept = std::mem::take(&mut found.batches);
    }
    Ok(found)
}

/// The site files of archives without a segment, which belong together in whatever crawl they are.
struct Shared {
    manifest: String,
    parts: Vec<String>,
    /// Whether batches of other crawls are among them.
    has_others: bool,
}

/// Returns them, if archives of a crawl are among them.
fn shared(store: &dyn Store, crawl: &str) -> io::Result<Option<Shared>> {
    let manifest = BatchName::of_site_files(LOCAL_CRAWL, None).manifest_file();
    let Some(bytes) = store.read(&manifest)? else { return Ok(None) };
    let Ok(made) = serde_json::from_slice::<BatchManifest<IgnoredAny>>(&bytes) else {
        return Ok(Some(Shared { manifest, parts: Vec::new(), has_others: true }));
    };
    // Manifests of earlier versions name no batches: any crawl may be among them.
    let batches = made.made_of.batches.unwrap_or_default();
    let is_of_crawl = |batch: &String| crawl_of(batch) == Some(crawl);
    if !batches.is_empty() && !batches.iter().any(is_of_crawl) {
        return Ok(None);
    }
    let has_others = batches.is_empty() || !batches.iter().all(is_of_crawl);
    let parts = made.parts.into_iter().map(|part| part.file).collect();
    Ok(Some(Shared { manifest, parts, has_others }))
}

/// Notes in a batch's manifest that its evidence was removed, and that its parts were to stay.
fn note(store: &dyn Store, file: &str) -> io::Result<()> {
    let bytes = store.read(file)?.unwrap_or_default();
    // One that cannot be read stays as it is: its tables are not complete.
    let Ok(mut manifest) = serde_json::from_slice::<Value>(&bytes) else { return Ok(()) };
    if let Some(fields) = manifest.as_object_mut() {
        fields.insert("forgotten".to_owned(), Value::Bool(true));
    }
    write_json(store, file, &manifest)
}

/// Returns the crawl of a file of a run.
fn crawl_of(file: &str) -> Option<&str> {
    file.split_once("/crawl=")?.1.split('/').next()
}
