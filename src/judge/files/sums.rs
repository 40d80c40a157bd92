//! The sums over all files of an output folder at the end of each call, whichever call judged them: what the policy costs, what
//! changed since an earlier judgement, and which documents are to be removed.
//!
//! The last call to end sees all files. The list of documents to remove is written only when every input of every call is
//! judged: a part of it would be taken for the whole.

use super::cost::SiteCost;
use super::counts::{ChangeCounts, Counts};
use super::earlier::{EarlierJudgement, EarlierPlace};
use super::state::{CHANGES, Done, MATCHED, OutputFolder, SITES, about_file, outputs};
use super::{changes, cost};
use crate::error::Error;
use crate::judge::Policy;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The sums over an output folder.
#[derive(Debug, Default)]
pub struct Sums {
    /// The number of judged files.
    pub judged: usize,
    /// The inputs of all calls that are not judged.
    pub not_judged: Vec<String>,
    /// The sites that lose most by the policy.
    pub sites: Vec<SiteCost>,
    /// The number of sites.
    pub site_count: u64,
    /// What changed since an earlier judgement; `None` without one, and while inputs are not judged.
    pub changes: Option<ChangeCounts>,
}

/// The inputs of all calls of an output folder, and what is known of those that are judged.
#[derive(PartialEq)]
pub struct FolderState {
    inputs: BTreeSet<String>,
    done: BTreeMap<String, Done>,
}

impl FolderState {
    pub fn read(folder: OutputFolder<'_>) -> io::Result<Self> {
        let mut done = BTreeMap::new();
        for name in outputs(folder.about)? {
            done.extend(Done::read(folder, &name)?.map(|found| (name, found)));
        }
        Ok(Self {
            inputs: folder.inputs()?,
            done,
        })
    }

    pub fn judged(&self) -> usize {
        self.done.len()
    }

    /// Returns the counts over all judged files.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.done.values().for_each(|done| counts.add(&done.counts));
        counts
    }

    pub fn not_judged(&self) -> Vec<String> {
        self.inputs
            .iter()
            .filter(|name| !self.done.contains_key(*name))
            .cloned()
            .collect()
    }

    fn files(&self, ending: &str) -> Vec<String> {
        self.done
            .keys()
            .map(|name| about_file(name, ending))
            .collect()
    }
}

pub struct Summing<'s> {
    pub folder: OutputFolder<'s>,
    pub policy: &'s Policy,
    pub diff: Option<&'s EarlierPlace>,
    /// The list with which files were compared, if it was read.
    pub list: Option<Arc<EarlierJudgement>>,
    pub memory_bytes: u64,
}

impl Summing<'_> {
    /// Writes the sums, and again if other calls have judged files meanwhile.
    pub fn write(&self) -> Result<Sums, Error> {
        let unwritable = self.folder.unwritable();
        loop {
            let state = FolderState::read(self.folder).map_err(&unwritable)?;
            let sums = self.of(&state)?;
            if FolderState::read(self.folder).map_err(&unwritable)? == state {
                return Ok(sums);
            }
        }
    }

    fn of(&self, state: &FolderState) -> Result<Sums, Error> {
        let about = self.folder.about;
        let unwritable = self.folder.unwritable();
        let counts = state.counts();
        let not_judged = state.not_judged();
        let sites = (&*state.files(SITES), not_judged.len());
        let written = cost::write(
            about,
            sites,
            self.policy,
            (&counts.costs, counts.unseen),
            self.memory_bytes,
        );
        let (sites, site_count) = written.map_err(&unwritable)?;
        let changes = self.diff.filter(|_| not_judged.is_empty());
        let changes = changes
            .map(|place| self.changes(place, state))
            .transpose()?;
        if changes.is_some() {
            changes::write(about, &state.files(CHANGES)).map_err(unwritable)?;
        }
        Ok(Sums {
            judged: state.done.len(),
            not_judged,
            sites,
            site_count,
            changes,
        })
    }

    /// Returns what changed, including documents that were kept then and are in no input.
    fn changes(&self, place: &EarlierPlace, state: &FolderState) -> Result<ChangeCounts, Error> {
        let mut counts = ChangeCounts::default();
        state
            .done
            .values()
            .filter_map(|done| done.counts.changes.as_ref())
            .for_each(|own| counts.add(own));
        let unreadable = |source| Error::InputUnreadable {
            location: place.to_string(),
            source,
        };
        counts.gone += match place {
            EarlierPlace::List(list) => self.gone_from_list(list, state).map_err(unreadable)?,
            EarlierPlace::Folder(folder) => {
                let others = folder.files().map_err(unreadable)?.into_iter();
                others
                    .filter(|(name, _)| !state.done.contains_key(name))
                    .map(|(_, kept)| kept)
                    .sum()
            }
        };
        let compared = counts.kept + counts.removed;
        if compared == 0 && (counts.gone > 0 || place.is_list()) {
            return Err(Error::NothingCompared {
                location: place.to_string(),
                kept: counts.gone,
            });
        }
        Ok(counts)
    }

    fn gone_from_list(&self, list: &Path, state: &FolderState) -> io::Result<u64> {
        let list = match &self.list {
            Some(list) => Arc::clone(list),
            None => Arc::new(
                EarlierJudgement::of_list(list)
                    .map_err(|fault| io::Error::other(fault.to_string()))?,
            ),
        };
        for file in state.files(MATCHED) {
            list.see(&self.folder.about.read(&file)?.unwrap_or_default());
        }
        Ok(list.unseen())
    }
}
