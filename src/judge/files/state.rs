//! The state of an output folder, in the folder beside it, so that the same call goes on where it stopped and no two are mixed.
//!
//! `_judge.json` identifies the tables, the options and the policy, and says who judged when and by what; `files/<name>.json`
//! says that the output of a file is whole, which bytes it was made from, and what was counted; `inputs` has the names of the
//! inputs of each call. An output is written before its state.

use super::about::{OutputFolder, about_folder};
use super::counts::Counts;
use crate::judge::{At, Judge, Policy};
use crate::runs::{Fingerprint, Identity, MANIFESTS, RESOLVED, RunFile, absolute, write_json};
use crate::store::{FolderStore, Store};
use data_encoding::BASE32;
use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of what is known of each output.
const DONE: &str = "files";
/// The files that are summed over all outputs.
pub const SUMS: [&str; 6] =
    ["removed.txt", "changes.jsonl", "changes.parquet", "cost.json", "cost_sites.csv", "cost_sites.parquet"];

/// Returns the name of the file with the counts of a file's sites.
pub fn sites_file(name: &str) -> String {
    format!("{DONE}/{name}.sites.csv")
}

/// Returns the name of the file with the changes among a file's documents.
pub fn changes_file(name: &str) -> String {
    format!("{DONE}/{name}.changes.jsonl")
}

/// Returns the name of the file with the keys that a file has of a list of documents kept earlier.
pub fn matched_file(name: &str) -> String {
    format!("{DONE}/{name}.matched")
}

/// Returns the names of the outputs that are recorded as whole.
pub fn outputs(about: &dyn Store) -> io::Result<Vec<String>> {
    let name =
        |file: &String| file.strip_prefix(DONE)?.strip_prefix('/')?.strip_suffix(".json").map(str::to_owned);
    Ok(about.list(DONE)?.iter().filter_map(name).collect())
}

/// What is known of a file's output, which is whole.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// The bytes of the file.
    pub input: Fingerprint,
    /// The length of the output.
    pub output_bytes: u64,
    /// The length of the output of dropped documents, if there is one.
    pub dropped_bytes: Option<u64>,
    pub counts: Counts,
}

impl Done {
    pub fn file(name: &str) -> String {
        format!("{DONE}/{name}.json")
    }

    /// Returns what is known of an output that exists.
    pub fn of(folder: OutputFolder<'_>, name: &str) -> io::Result<Option<Self>> {
        let Some(text) = folder.about.read(&Self::file(name))? else { return Ok(None) };
        let Ok(done) = serde_json::from_slice::<Self>(&text) else { return Ok(None) };
        Ok((folder.documents.bytes(name)? == Some(done.output_bytes)).then_some(done))
    }

    /// Returns what is known of a file's output, if it is whole and the file is the same.
    pub fn read(
        folder: OutputFolder<'_>,
        dropped: Option<OutputFolder<'_>>,
        name: &str,
        input: &Fingerprint,
    ) -> io::Result<Option<Self>> {
        let Some(done) = Self::of(folder, name)? else { return Ok(None) };
        let dropped_bytes = dropped.map_or(Ok(None), |dropped| dropped.documents.bytes(name))?;
        Ok(Some(done).filter(|done| dropped_bytes == done.dropped_bytes && done.input == *input))
    }

    /// Writes it.
    pub fn write(&self, about: &dyn Store, name: &str) -> io::Result<()> {
        write_json(about, &Self::file(name), self)
    }

    /// Returns the number of documents in the output.
    pub fn kept(&self) -> u64 {
        let Counts { costs, documents, .. } = &self.counts;
        if costs.reasons.is_empty() { *documents } else { costs.kept.documents }
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

/// What documents were judged by.
#[derive(Clone, Debug, Default)]
pub struct JudgedBy {
    /// The last call.
    pub call: JudgeCall,
    /// The digest of the policy, and the policy as it was written.
    pub policy: Option<(String, String)>,
    /// Where the tables are.
    pub tables: Option<String>,
    /// Where the site indexes are, and the digest of all of them.
    pub index: Option<(Vec<String>, String)>,
    /// Whom the verdicts are for.
    pub viewpoint: BTreeMap<String, String>,
    /// The times that documents were judged for.
    pub times: Vec<At>,
}

/// What an output folder says of its judgement, so that it can be repeated years later.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Judgement {
    #[serde(flatten)]
    identity: Identity,
    /// The calls that wrote documents, except repetitions of the one before.
    calls: Vec<JudgeCall>,
    policy: Option<WrittenPolicy>,
    /// Whom the verdicts are for: token, vocabulary, digest of the agents table.
    viewpoint: BTreeMap<String, String>,
    /// The tokens of the agents table, in its order.
    agents: Vec<String>,
    tables: Option<String>,
    /// Where the ids, URLs and reasons of dropped documents are.
    dropped: Option<String>,
    index: Option<JudgedIndex>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct WrittenPolicy {
    sha256: String,
    written: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct JudgedIndex {
    locations: Vec<String>,
    sha256: String,
}

impl Judgement {
    /// Returns what a folder of this machine says of its judgement, and the folder beside it.
    pub fn read(out: &Path) -> Result<(Self, FolderStore), String> {
        let about = about_folder(out)?;
        let file = about.join(RunFile::Judge.name());
        let text = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let judgement =
            serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok((judgement, FolderStore::of_input(about)))
    }

    /// Returns what a folder says, if it can be read.
    pub fn read_from(about: &dyn Store) -> Option<Self> {
        serde_json::from_slice(&about.read(RunFile::Judge.name()).ok()??).ok()
    }

    /// Returns its identity.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    pub fn into_calls(self) -> Vec<JudgeCall> {
        self.calls
    }

    /// Returns it with earlier calls before its own; `None` if all of its calls repeat the last one.
    pub fn after(&self, mut calls: Vec<JudgeCall>) -> Option<Self> {
        let same = |last: &JudgeCall, call: &JudgeCall| {
            (&last.version, &last.command) == (&call.version, &call.command)
        };
        let new = |call: &&JudgeCall| !calls.last().is_some_and(|last| same(last, call));
        let new: Vec<JudgeCall> = self.calls.iter().filter(new).cloned().collect();
        if new.is_empty() {
            return None;
        }
        calls.extend(new);
        Some(Self { calls, ..self.clone() })
    }

    /// Returns what documents were judged by: tables or indexes.
    pub fn by(&self) -> JudgedBy {
        JudgedBy {
            call: self.calls.last().cloned().unwrap_or_default(),
            policy: self.policy.as_ref().map(|policy| (policy.sha256.clone(), policy.written.clone())),
            tables: self.tables.clone(),
            index: self.index.as_ref().map(|index| (index.locations.clone(), index.sha256.clone())),
            viewpoint: self.viewpoint.clone(),
            times: self.identity.options.get("at").and_then(|at| At::list(at).ok()).unwrap_or_default(),
        }
    }

    /// Returns the folder of dropped documents, if it is on this machine.
    pub fn dropped(&self) -> Option<PathBuf> {
        self.dropped.as_ref().map(PathBuf::from).filter(|dropped| dropped.is_dir())
    }

    /// Returns what a folder says of a call.
    pub fn of(
        identity: &Identity,
        judge: &Judge,
        policy: Option<&Policy>,
        (call, dropped): (&JudgeCall, Option<String>),
    ) -> Self {
        let policy = policy
            .map(|policy| WrittenPolicy { sha256: policy.digest.clone(), written: policy.written.clone() });
        let index = judge.index().map(|index| JudgedIndex {
            locations: index.layers().iter().map(|layer| absolute(&layer.location())).collect(),
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

/// Returns the identity of tables and, by their digests, of the evidence or the index.
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
