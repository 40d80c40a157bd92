//! What an output folder holds, so that the same call goes on where it was left and no two are mixed.
//!
//! `_judge.json` identifies the tables, the options and the policy, and says who judged when and by what; `_judge/<name>.json` says that the output of a file
//! is whole, from which bytes it was made, and what was counted. The outputs come before it.

use super::sorter::Counts;
use crate::error::Error;
use crate::judge::{Judge, Policy};
use crate::runs::{Existing, Fingerprint, Identity, MANIFESTS, RESOLVED, RunFile, absolute, write_json};
use crate::store::{FolderStore, Store};
use data_encoding::BASE32;
use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of what is known of each output.
const DONE: &str = "_judge";

/// Returns the name of the file of what was counted of the sites of a file.
pub fn sites_file(name: &str) -> String {
    format!("{DONE}/{name}.sites.csv")
}

/// Returns the name of the file of what changed among the documents of a file.
pub fn changes_file(name: &str) -> String {
    format!("{DONE}/{name}.changes.jsonl")
}

/// What is known of the output of a file, which is whole.
#[derive(Debug, Serialize, Deserialize)]
pub struct Done {
    /// The bytes of the file.
    pub input: Fingerprint,
    /// How long the output is.
    pub output_bytes: u64,
    /// How long the output of what is dropped is, where there is one.
    pub dropped_bytes: Option<u64>,
    /// What was counted.
    pub counts: Counts,
}

impl Done {
    fn file(name: &str) -> String {
        format!("{DONE}/{name}.json")
    }

    /// Returns what is known of the output of a file, where that is whole and the file is the same.
    pub fn read(
        store: &dyn Store,
        dropped: Option<&dyn Store>,
        name: &str,
        input: &Fingerprint,
    ) -> io::Result<Option<Self>> {
        let Some(text) = store.read(&Self::file(name))? else { return Ok(None) };
        let Ok(done) = serde_json::from_slice::<Self>(&text) else { return Ok(None) };
        let dropped_bytes = dropped.map_or(Ok(None), |dropped| dropped.bytes(name))?;
        let is_whole = store.bytes(name)? == Some(done.output_bytes) && dropped_bytes == done.dropped_bytes;
        Ok(Some(done).filter(|done| is_whole && done.input == *input))
    }

    /// Writes it.
    pub fn write(&self, store: &dyn Store, name: &str) -> io::Result<()> {
        write_json(store, &Self::file(name), self)
    }
}

/// A call of `judge`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeCall {
    /// When it began, in UTC.
    pub time: String,
    /// The version of crawlprefs.
    pub version: String,
    /// The arguments, without the name of the program.
    pub command: Vec<String>,
}

/// By what documents were judged.
#[derive(Clone, Debug, Default)]
pub struct JudgedBy {
    /// The last call.
    pub call: JudgeCall,
    /// The digest of the policy, and the policy as it was written.
    pub policy: Option<(String, String)>,
    /// Where the tables are.
    pub tables: Option<String>,
    /// Where the site index is, and its digest.
    pub index: Option<(String, String)>,
    /// For whom the verdicts are.
    pub viewpoint: BTreeMap<String, String>,
}

/// What an output folder says of its judgement, so that somebody can make it again years later.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Judgement {
    #[serde(flatten)]
    identity: Identity,
    /// The calls that wrote documents, but for repetitions of the one before.
    calls: Vec<JudgeCall>,
    policy: Option<WrittenPolicy>,
    /// For whom the verdicts are: token, vocabulary, digest of the agents table.
    viewpoint: BTreeMap<String, String>,
    /// The tokens of the agents table, in its order.
    agents: Vec<String>,
    /// Where the tables are.
    tables: Option<String>,
    /// Where the ids, URLs and reasons of what was dropped are.
    dropped: Option<String>,
    index: Option<JudgedIndex>,
}

/// A policy as it was written.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WrittenPolicy {
    sha256: String,
    written: String,
}

/// The site index of a judgement.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct JudgedIndex {
    location: String,
    sha256: String,
}

impl Judgement {
    /// Returns what an output folder says of its judgement.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let file = folder.join(RunFile::Judge.name());
        let text = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", file.display()))
    }

    /// Returns the names of the outputs that are whole.
    pub fn files(folder: &Path) -> io::Result<Vec<String>> {
        let store = FolderStore::of_input(folder.to_owned());
        let files = store.list(DONE)?;
        let name = |file: &String| {
            file.strip_prefix(DONE)?.strip_prefix('/')?.strip_suffix(".json").map(str::to_owned)
        };
        Ok(files.iter().filter_map(name).collect())
    }

    /// Returns by what documents were judged.
    pub fn by(&self) -> JudgedBy {
        JudgedBy {
            call: self.calls.last().cloned().unwrap_or_default(),
            policy: self.policy.as_ref().map(|policy| (policy.sha256.clone(), policy.written.clone())),
            tables: self.tables.clone(),
            index: self.index.as_ref().map(|index| (index.location.clone(), index.sha256.clone())),
            viewpoint: self.viewpoint.clone(),
        }
    }

    /// Returns the folder of what was dropped, where it is on this machine.
    pub fn dropped(&self) -> Option<PathBuf> {
        self.dropped.as_ref().map(PathBuf::from).filter(|dropped| dropped.is_dir())
    }

    /// Returns what is said of a call.
    pub fn of(
        identity: &Identity,
        judge: &Judge,
        policy: Option<&Policy>,
        (call, dropped): (&JudgeCall, Option<String>),
    ) -> Self {
        let policy = policy.map(|policy| WrittenPolicy {
            sha256: policy.digest().to_owned(),
            written: policy.written().to_owned(),
        });
        let index = judge.index().map(|index| JudgedIndex {
            location: absolute(&index.location()),
            sha256: index.digest().to_owned(),
        });
        Self {
            identity: identity.clone(),
            calls: vec![call.clone()],
            policy,
            viewpoint: judge.viewpoint().clone(),
            agents: judge.resolver().tokens().iter().map(|token| token.as_str().to_owned()).collect(),
            tables: judge.tables().map(|place| absolute(&place)),
            dropped: dropped.map(|place| absolute(&place)),
            index,
        }
    }
}

/// Claims an output folder.
///
/// # Errors
/// [`Error::OutputForeign`], [`Error::OutputOfAnotherRun`], [`Error::OutputUnwritable`].
pub fn claim(judgement: &Judgement, store: &dyn Store, existing: Existing) -> Result<(), Error> {
    let unwritable = |source| Error::OutputUnwritable { location: store.location(), source };
    let mut calls = match existing {
        Existing::Continue => {
            judgement.identity.claim(store, RunFile::Judge)?;
            let found = store.read(RunFile::Judge.name()).map_err(unwritable)?.unwrap_or_default();
            serde_json::from_slice(&found).map_or_else(|_| Vec::new(), |found: Judgement| found.calls)
        }
        Existing::Replace => {
            judgement.identity.replace(store, RunFile::Judge)?;
            store.remove(DONE).map_err(unwritable)?;
            Vec::new()
        }
    };
    let same =
        |last: &JudgeCall, call: &JudgeCall| (&last.version, &last.command) == (&call.version, &call.command);
    let new = |call: &&JudgeCall| !calls.last().is_some_and(|last| same(last, call));
    let new: Vec<JudgeCall> = judgement.calls.iter().filter(new).cloned().collect();
    if new.is_empty() {
        return Ok(());
    }
    calls.extend(new);
    write_json(store, RunFile::Judge.name(), &Judgement { calls, ..judgement.clone() }).map_err(unwritable)
}

/// Returns what identifies tables, and by their digests the evidence or the index.
pub fn fingerprint<'d>(
    tables: Option<&dyn Store>,
    digests: impl Iterator<Item = &'d str>,
) -> io::Result<String> {
    let mut digest = Sha1::new();
    if let Some(tables) = tables {
        for file in tables.list(RESOLVED)?.iter().chain(&tables.list(MANIFESTS)?) {
            digest.update(file);
            digest.update(tables.read(file)?.unwrap_or_default());
        }
    }
    for found in digests {
        digest.update(found);
    }
    Ok(BASE32.encode(&digest.finalize()))
}
