//! Documents that are judged by evidence: the site files of all origins, or, where they do not fit in memory, of some at a time.

use super::sites::{DocumentPlace, Judging, site_hash};
use super::verdict::Verdict;
use crate::error::Error;
use crate::runs::{Bodies, Group, Sites, WantedSites, load};
use crate::verdict::SiteIndex;
use crate::web::url::PageUrl;
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What a capture of a site file needs in memory, with its URL and its body's place.
const CAPTURE_BYTES: u64 = 300;

/// The site files of evidence.
pub struct EvidenceSites {
    groups: Vec<Group<'static>>,
    location: String,
    memory_bytes: u64,
    temp_dir: PathBuf,
    /// The captures of site files are loaded in this many passes.
    passes: u64,
    loaded: Mutex<Option<Arc<SiteIndex<Bodies>>>>,
}

impl EvidenceSites {
    /// Returns those of groups; nothing is read yet.
    pub fn new(groups: Vec<Group<'static>>, location: String, memory_bytes: u64, temp_dir: &Path) -> Self {
        let captures: u64 = groups.iter().map(Group::site_captures).sum();
        let passes = (captures * CAPTURE_BYTES).div_ceil((memory_bytes / 4).max(1)).max(1);
        let (temp_dir, loaded) = (temp_dir.to_owned(), Mutex::default());
        Self { groups, location, memory_bytes, temp_dir, passes, loaded }
    }

    /// Returns the groups.
    pub fn groups(&self) -> &[Group<'static>] {
        &self.groups
    }

    /// Returns about how many bytes of memory are needed to read the evidence once, where fewer are allowed.
    pub fn memory_needed(&self) -> Option<u64> {
        (self.passes > 1).then_some(self.memory_bytes.saturating_mul(self.passes))
    }

    /// Returns the verdicts of documents, and their places in the same order.
    pub fn verdicts(
        &self,
        judging: &Judging<'_>,
        mut places: Vec<DocumentPlace>,
    ) -> Result<(Vec<DocumentPlace>, Vec<Arc<Verdict>>), Error> {
        let pass = |place: &DocumentPlace| (place.origin >> 32) % self.passes;
        places.par_sort_unstable_by_key(|place| (pass(place), *place));
        let mut judged = Vec::with_capacity(places.len());
        for pass in places.chunk_by(|one, other| pass(one) == pass(other)) {
            let sites = self.sites(pass)?;
            let unreadable = |source| Error::EvidenceUnreadable { location: self.location.clone(), source };
            judged.extend(judging.verdicts(&sites, pass).map_err(unreadable)?);
        }
        Ok((places, judged))
    }

    /// Returns the site files of all origins, or, where they do not fit in memory, of those of some documents.
    fn sites(&self, places: &[DocumentPlace]) -> Result<Arc<SiteIndex<Bodies>>, Error> {
        if self.passes > 1 {
            let wanted: HashSet<u64> = places.iter().map(|place| place.origin >> 32).collect();
            let is_wanted = |url: &PageUrl<'_>| wanted.contains(&site_hash(url));
            let sites = WantedSites { have: &is_wanted, hosts: None };
            return self.load(Sites::Some(sites)).map(Arc::new);
        }
        let mut known = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sites) = known.as_ref() {
            return Ok(Arc::clone(sites));
        }
        let sites = Arc::new(self.load(Sites::All)?);
        Ok(Arc::clone(known.insert(sites)))
    }

    fn load(&self, sites: Sites<'_>) -> Result<SiteIndex<Bodies>, Error> {
        let archives: Vec<_> = self.groups.iter().flat_map(|group| &group.archives).collect();
        let cache_bytes = usize::try_from(self.memory_bytes / 8).unwrap_or(usize::MAX);
        load(&archives, sites, (&self.temp_dir, cache_bytes), &|| Ok(()))
            .map_err(|source| Error::EvidenceUnreadable { location: self.location.clone(), source })
    }
}
