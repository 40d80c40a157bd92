//! Which run an output folder holds, so that no two runs are mixed.
//!
//! `_crawlprefs.json` identifies the evidence by its format, `_resolved.json` the tables by the rules and the viewpoint; the
//! version of the program is in neither, so that a patch release continues. A new folder is claimed in one step: if several
//! calls start at once, one writes the file, and the others compare theirs.

use crate::error::Error;
use crate::plan::Existing;
use crate::store::{Claim, Store, has_scheme};
use crate::tables::TABLES;
use crate::tables::origins::ORIGINS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::{io, iter};

/// The folder of the manifests of archives.
pub const MANIFESTS: &str = "_manifest";
/// The folder of notes about archives for which another file was found.
pub const CHANGED: &str = "_changed";
/// The folder of remembered manifests and archives, which may be removed at any time.
pub const KNOWN: &str = "_known";
/// The folder of the manifests of batches.
pub const RESOLVED: &str = "_resolved";

/// The files that identify a run: of a scan, of `resolve`, or of `judge`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunFile {
    Scan,
    /// Of `resolve`, which may write beside the evidence or elsewhere.
    Resolve,
    /// Of `judge`, which writes documents.
    Judge,
}

impl RunFile {
    pub fn name(self) -> &'static str {
        match self {
            Self::Scan => "_crawlprefs.json",
            Self::Resolve => "_resolved.json",
            Self::Judge => "_judge.json",
        }
    }

    /// Returns the files of a run of this kind in an output: its manifests and Parquet files.
    pub fn files(self, store: &dyn Store) -> io::Result<Vec<String>> {
        let manifests = match self {
            Self::Scan => &[RESOLVED, MANIFESTS, KNOWN, CHANGED][..],
            Self::Resolve => &[RESOLVED],
            // Its files have the names of their inputs, and are replaced one by one.
            Self::Judge => return Ok(Vec::new()),
        };
        let tables = TABLES
            .iter()
            .filter(|table| self == Self::Scan || !table.is_evidence());
        let tables = tables.map(|table| table.folder).chain([ORIGINS.folder]);
        // Manifests come first: files that no manifest names are ignored, so a killed call leaves nothing half-removed.
        let manifests = manifests.iter().map(|folder| (*folder, ".json"));
        let mut files = Vec::new();
        for (folder, ending) in manifests.chain(tables.map(|folder| (folder, ".parquet"))) {
            let is_ours = |name: &String| {
                in_crawl(name, folder)
                    .is_some_and(|(_, file)| !file.contains('/') && file.ends_with(ending))
            };
            files.extend(store.list(folder)?.into_iter().filter(is_ours));
        }
        Ok(files)
    }

    /// Returns the error that an output holds another run, as one of its files shows.
    pub fn other(self, store: &dyn Store, file: &str, difference: String) -> Error {
        let remedy = match self {
            Self::Scan => "choose another folder, or remove this one and read its archives again",
            Self::Resolve => {
                "choose another folder, or resolve with --overwrite to resolve again, which reads no archive"
            }
            Self::Judge => "choose another folder, or --overwrite to judge all files again",
        };
        Error::OutputOfAnotherRun {
            file: store.location_of(file),
            difference,
            remedy,
        }
    }
}

/// Options whose values are numbers that grow with the versions of the program.
const NUMBERED: [&str; 3] = ["evidence_format", "rules_version", "schema_version"];

/// Options that another version of the program changes. The digest of a user's own agents table also has another key.
const OF_VERSION: [&str; 6] = [
    "rules_version",
    "schema_version",
    "drafts",
    "agents_digest",
    "tables",
    JUDGED_BY,
];

/// The digest of what documents are judged by.
pub const JUDGED_BY: &str = "digest of tables or index";

/// What makes two runs the same run; the inputs may differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// `crawlprefs`.
    pub tool: String,
    /// The versions, options and lists that change rows.
    pub options: BTreeMap<String, String>,
    /// The folders of evidence as they were given, if tables are not beside their evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// Where each of them was then, as an absolute path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence_at: Vec<String>,
}

impl Identity {
    pub fn new(options: BTreeMap<String, String>, evidence: Vec<String>) -> Self {
        let evidence_at = evidence.iter().map(|place| absolute(place)).collect();
        Self {
            tool: env!("CARGO_PKG_NAME").to_owned(),
            options,
            evidence,
            evidence_at,
        }
    }

    /// Returns how each folder of evidence was given, and where it was then.
    pub fn places(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let at = self
            .evidence_at
            .iter()
            .map(|place| Some(place.as_str()))
            .chain(iter::repeat(None));
        self.evidence.iter().map(String::as_str).zip(at)
    }

    /// Whether it names a folder of evidence, given as in [`Self::places`].
    pub fn has_place(&self, named: &str, at: Option<&str>) -> bool {
        let (places, place) = at.map_or((&self.evidence, named), |at| (&self.evidence_at, at));
        places.iter().any(|own| own == place)
    }

    /// Also names the folders of evidence that another call has named.
    pub fn name_folders_of(&mut self, other: &Self) {
        for (named, at) in other.places() {
            let at = at.map_or_else(|| absolute(named), str::to_owned);
            if !self.evidence_at.contains(&at) {
                self.evidence.push(named.to_owned());
                self.evidence_at.push(at);
            }
        }
    }

    /// Returns the identity of the run that the output holds, if any.
    pub fn read(store: &dyn Store, file: RunFile) -> io::Result<Option<Self>> {
        let Some(found) = store.read(file.name())? else {
            return Ok(None);
        };
        serde_json::from_slice(&found)
            .map(Some)
            .map_err(|error| io::Error::other(format!("{} cannot be read: {error}", file.name())))
    }

    /// Refuses an output that may not be written: that of another run, unless it is replaced, and a folder that is not ours. Returns
    /// whether the output has a mark of a run already; writes nothing.
    pub fn check(
        &self,
        store: &dyn Store,
        file: RunFile,
        existing: Existing,
    ) -> Result<bool, Error> {
        let unwritable = |source| Error::OutputUnwritable {
            location: store.location(),
            source,
        };
        let has_mark = || match existing {
            Existing::Continue => self.is_there(store, file),
            Existing::Replace => Ok(store.bytes(file.name()).map_err(unwritable)?.is_some()),
        };
        if has_mark()? {
            return Ok(true);
        }
        let beside = store.bytes(RunFile::Scan.name()).map_err(unwritable)?;
        // A call that has claimed it since has written this file first.
        if beside.is_none() && !store.is_empty().map_err(unwritable)? && !has_mark()? {
            return Err(Error::OutputForeign {
                location: store.location(),
            });
        }
        Ok(false)
    }

    /// Claims the output for this run: marks a new folder, or joins one of the same run.
    pub fn claim(&self, store: &dyn Store, file: RunFile) -> Result<(), Error> {
        let unwritable = |source| Error::OutputUnwritable {
            location: store.location(),
            source,
        };
        if !self.check(store, file, Existing::Continue)? {
            let mark = json(self).map_err(unwritable)?;
            if store.claim(file.name(), &mark).map_err(unwritable)? == Claim::Created {
                return Ok(());
            }
            self.is_there(store, file)?;
        }
        let found = Self::read(store, file).map_err(unwritable)?;
        if found.is_some_and(|found| {
            found.evidence != self.evidence || found.evidence_at != self.evidence_at
        }) {
            write_json(store, file.name(), self).map_err(unwritable)?;
        }
        Ok(())
    }

    /// Returns whether the output already holds this run; another run is an error.
    pub fn is_there(&self, store: &dyn Store, file: RunFile) -> Result<bool, Error> {
        let unwritable = |source| Error::OutputUnwritable {
            location: store.location(),
            source,
        };
        let Some(found) = store.read(file.name()).map_err(unwritable)? else {
            return Ok(false);
        };
        let other = |difference| file.other(store, file.name(), difference);
        let found: Self = serde_json::from_slice(&found)
            .map_err(|error| other(format!("the file cannot be read: {error}")))?;
        if let Some(difference) = self.newer(&found) {
            return Err(Error::OutputOfNewerVersion {
                file: store.location_of(file.name()),
                difference,
            });
        }
        self.difference(&found)
            .map_or(Ok(true), |difference| Err(other(difference)))
    }

    /// Claims the output for this run, and removes an earlier run's marks, manifests and Parquet files, except those that are
    /// to stay. Other files also stay. A folder without a mark is claimed only if empty; a refused folder is unchanged.
    pub fn replace(
        &self,
        store: &dyn Store,
        file: RunFile,
        stays: impl Fn(&str) -> bool,
    ) -> Result<(), Error> {
        let unwritable = |source| Error::OutputUnwritable {
            location: store.location(),
            source,
        };
        if !self.check(store, file, Existing::Replace)? {
            return self.claim(store, file);
        }
        // All are listed before any is removed, so that a refused folder is unchanged.
        for name in file
            .files(store)
            .map_err(unwritable)?
            .into_iter()
            .filter(|name| !stays(name))
        {
            store.remove(&name).map_err(unwritable)?;
        }
        // The folder always has a mark.
        write_json(store, file.name(), self).map_err(unwritable)
    }

    /// What shows that a newer version wrote the run that was found, if one did.
    fn newer(&self, found: &Self) -> Option<String> {
        NUMBERED.into_iter().find_map(|key| {
            let (found, this) = (found.options.get(key)?, self.options.get(key)?);
            is_newer(found, this).then(|| format!("{key} is {found}, this one writes {this}"))
        })
    }

    /// Whether the run that was found differs only by the version of the program.
    pub fn is_other_version_of(&self, found: &Self) -> bool {
        let differs = |key: &&String| found.options.get(*key) != self.options.get(*key);
        let mut others = found
            .options
            .keys()
            .chain(self.options.keys())
            .filter(differs);
        found.tool == self.tool && others.all(|key| OF_VERSION.contains(&key.as_str()))
    }

    /// Returns the first difference to the run that was found.
    pub fn difference(&self, found: &Self) -> Option<String> {
        if found.tool != self.tool {
            return Some(format!("written by {}, this is {}", found.tool, self.tool));
        }
        let value = |of: &Self, key| {
            of.options
                .get(key)
                .cloned()
                .unwrap_or_else(|| "none".to_owned())
        };
        let mut keys = found.options.keys().chain(self.options.keys());
        let key = keys.find(|key| found.options.get(*key) != self.options.get(*key))?;
        Some(format!(
            "{key} is {}, not {}",
            value(found, key),
            value(self, key)
        ))
    }
}

/// Whether the number of a format or of rules is that of a newer version of the program.
pub fn is_newer(found: &str, this: &str) -> bool {
    let number = |text: &str| text.parse::<u64>().ok();
    number(found)
        .zip(number(this))
        .is_some_and(|(found, this)| found > this)
}

/// Returns a folder by its absolute path; a URL as it is.
pub fn absolute(place: &str) -> String {
    let path = if has_scheme(place) {
        None
    } else {
        std::path::absolute(place).ok()
    };
    path.map_or_else(
        || place.to_owned(),
        |path| path.to_string_lossy().into_owned(),
    )
}

/// Returns the crawl of a file below a folder of ours, and its name in the folder of the crawl.
pub fn in_crawl<'f>(file: &'f str, folder: &str) -> Option<(&'f str, &'f str)> {
    file.strip_prefix(folder)?
        .strip_prefix("/crawl=")?
        .split_once('/')
}

pub fn json(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value).map_err(io::Error::other)?;
    text.push(b'\n');
    Ok(text)
}

pub fn write_json(store: &dyn Store, name: &str, value: &impl Serialize) -> io::Result<()> {
    store.put(name, &json(value)?)
}
