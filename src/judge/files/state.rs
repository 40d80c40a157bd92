//! The state of an output folder, in the folder beside it, so that the same call goes on where it stopped and no two are mixed.
//!
//! `_judge.json` identifies the tables, the options and the policy, and says who judged when and by what; `files/<name>.json`
//! says that the output of a file is whole, which bytes it was made from, and what was counted; `inputs` has the names of the
//! inputs of each call, and `calls` has each call, as two that begin or end at one moment may overwrite `_judge.json`. An output is written before its state. A call begins by claiming its folders: what it replaces is removed.
//!
//! Example: documents go to `kept`, and what a policy costs to `_kept.judge`. The folder of documents holds documents alone, as
//! loaders differ in which names inside of a folder they skip.

use super::counts::Counts;
use super::{DocumentsFile, FilesOptions};
use crate::error::Error;
use crate::judge::{At, Judge, Policy};
use crate::plan::{Missing, Why};
use crate::runs::{
    Existing, Fingerprint, Identity, MANIFESTS, RESOLVED, RunFile, absolute, write_json,
};
use crate::store::{FolderStore, Store, folder_by_file, has_scheme};
use data_encoding::{BASE32, HEXLOWER};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha1::{Digest, Sha1};
use sha2::Sha256;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder for documents, and the folder beside it.
#[derive(Clone, Copy)]
pub struct OutputFolder<'o> {
    /// The folder that holds documents alone.
    pub documents: &'o dyn Store,
    /// What is known of them.
    pub about: &'o dyn Store,
}

/// Returns the folder beside a folder of documents.
pub fn about_folder(out: &Path) -> Result<PathBuf, String> {
    let shown = out.display();
    let none = || {
        format!(
            "{shown}: it has no folder above it, in which what is known of the documents could be"
        )
    };
    if let Some(url) = out.to_str().filter(|text| has_scheme(text)) {
        let parts = url
            .trim_end_matches('/')
            .rsplit_once('/')
            .filter(|(above, _)| !above.ends_with(":/"));
        let (above, name) = parts.ok_or_else(none)?;
        return Ok(format!("{above}/_{name}.judge").into());
    }
    let named = if out.file_name().is_some() {
        Ok(out.to_owned())
    } else {
        out.canonicalize()
    };
    let named = named.map_err(|error| format!("{shown}: {error}"))?;
    let name = named.file_name().ok_or_else(none)?.to_string_lossy();
    Ok(named.with_file_name(format!("_{name}.judge")))
}

/// The folder of what is known of each output.
const FILES: &str = "files";
/// The folder of the names of the inputs, a file for each different call.
const INPUTS: &str = "inputs";
/// The folder of the calls, a file for each, of which `_judge.json` has a list.
const CALLS: &str = "calls";
/// The ending of the file that says that an output is whole.
pub const DONE: &str = "json";
/// That of the file with the counts of a file's sites.
pub const SITES: &str = "sites.csv";
/// That of the file with the changes among a file's documents.
pub const CHANGES: &str = "changes.jsonl";
/// That of the file with the keys that a file has of a list of documents kept earlier.
pub const MATCHED: &str = "matched";
/// The files that are summed over all outputs.
pub const SUMS: [&str; 6] = [
    "removed.txt",
    "changes.jsonl",
    "changes.parquet",
    "cost.json",
    "cost_sites.csv",
    "cost_sites.parquet",
];

/// Returns the name of what is known of an output, by the ending.
pub fn about_file(name: &str, ending: &str) -> String {
    format!("{FILES}/{name}.{ending}")
}

/// Returns the names of the outputs that are recorded as whole.
pub fn outputs(about: &dyn Store) -> io::Result<Vec<String>> {
    Ok(about
        .list(FILES)?
        .iter()
        .filter_map(|file| {
            file.strip_prefix(FILES)?
                .strip_prefix('/')?
                .strip_suffix(".json")
                .map(str::to_owned)
        })
        .collect())
}

/// What is known of a file's output, which is whole.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// The bytes of the file.
    pub input: Fingerprint,
    /// The length of the output; `None` for a file of lines of which nothing is kept.
    pub output_bytes: Option<u64>,
    /// The length of the output of dropped documents, if there is one.
    pub dropped_bytes: Option<u64>,
    pub counts: Counts,
}

impl Done {
    /// Returns what is known of an output that is whole, or why its file is judged.
    pub fn read(folder: OutputFolder<'_>, name: &str) -> io::Result<Result<Self, Why>> {
        let file = about_file(name, DONE);
        let Some(text) = folder.about.read(&file)? else {
            return Ok(Err(Why::New));
        };
        let Ok(done) = serde_json::from_slice::<Self>(&text) else {
            return Ok(Err(Why::Damaged(format!("{file} cannot be read"))));
        };
        if folder.documents.bytes(name)? == done.output_bytes {
            return Ok(Ok(done));
        }
        let fault = "its output is missing or has another length";
        Ok(Err(Why::Damaged(fault.to_owned())))
    }

    /// Returns the number of documents in the output.
    pub fn kept(&self) -> u64 {
        let Counts {
            costs, documents, ..
        } = &self.counts;
        if costs.reasons.is_empty() {
            *documents
        } else {
            costs.kept.documents
        }
    }
}

/// A call of `judge`; calls are in the order of their times.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JudgeCall {
    /// When it began, in UTC.
    pub time: String,
    /// The version of crawlprefs.
    pub version: String,
    /// The arguments, without the name of the program.
    pub command: Vec<String>,
}

/// What an output folder says of its judgement, so that it can be repeated years later.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Judgement {
    /// What must be the same for two calls to count as one.
    #[serde(flatten)]
    pub identity: Identity,
    /// The calls that wrote documents, except repetitions of the one before.
    pub calls: Vec<JudgeCall>,
    /// The policy, if there is one.
    pub policy: Option<WrittenPolicy>,
    /// Whom the verdicts are for: token, vocabulary, digest of the agents table.
    pub viewpoint: BTreeMap<String, String>,
    /// The tokens of the agents table, in its order.
    pub agents: Vec<String>,
    /// Where the tables are.
    pub tables: Option<String>,
    /// The SHA-256 of the manifests of the tables, which have the digests of their parts.
    #[serde(default)]
    pub tables_sha256: Option<String>,
    /// Where the ids, URLs and reasons of dropped documents are.
    pub dropped: Option<String>,
    /// The site indexes.
    pub index: Option<JudgedIndex>,
    /// What is known of all documents of the folder, in numbers, once a call has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<Value>,
    /// What an audit of a sample found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<Value>,
}

/// A policy as it was written, and its digest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WrittenPolicy {
    /// Its digest.
    pub sha256: String,
    /// The policy.
    pub written: String,
}

/// Where site indexes are, and the digest of all of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JudgedIndex {
    /// Where they are.
    pub locations: Vec<String>,
    /// The digest of all.
    pub sha256: String,
}

impl Judgement {
    /// Returns what a folder of this machine says of its judgement, and the folder beside it.
    pub fn read(out: &Path) -> Result<(Self, FolderStore), String> {
        let about = about_folder(out)?;
        let file = about.join(RunFile::Judge.name());
        let text = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let judgement = serde_json::from_slice(&text)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        Ok((judgement, FolderStore::of_input(about)))
    }

    /// Returns the beginning of the names of added columns, if its documents are a sample, of which none was dropped.
    pub fn sample_prefix(&self) -> Option<&str> {
        let options = &self.identity.options;
        let added = options.get("sample").and_then(|_| options.get("added"))?;
        added
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .next()
    }

    /// Returns the times that documents were judged for.
    pub fn times(&self) -> Vec<At> {
        self.identity
            .options
            .get("at")
            .and_then(|at| At::list(at).ok())
            .unwrap_or_default()
    }

    /// Returns the folder of dropped documents, if it is on this machine.
    pub fn dropped_folder(&self) -> Option<PathBuf> {
        let dropped = folder_by_file(self.dropped.as_deref()?).ok()?;
        dropped.is_dir().then(|| dropped.to_owned())
    }

    /// Returns what a folder says of a call.
    ///
    /// # Errors
    /// [`Error::TablesUnreadable`].
    pub fn from_options(
        identity: Identity,
        judge: &Judge,
        options: &FilesOptions,
        dropped: Option<String>,
    ) -> Result<Self, Error> {
        let written = |of: &Policy| WrittenPolicy {
            sha256: of.digest.clone(),
            written: of.written.clone(),
        };
        let index = judge.index().map(|index| JudgedIndex {
            locations: index
                .layers
                .iter()
                .map(|layer| absolute(&layer.location()))
                .collect(),
            sha256: index.digest.clone(),
        });
        Ok(Self {
            identity,
            calls: vec![options.call.clone()],
            policy: options.policy.as_ref().map(written),
            viewpoint: judge.viewpoint.clone(),
            agents: judge
                .resolver
                .tokens
                .iter()
                .map(|token| token.as_str().to_owned())
                .collect(),
            tables: judge.tables().map(|place| absolute(&place)),
            tables_sha256: judge.tables_sha256()?.map(str::to_owned),
            dropped: dropped.map(|place| absolute(&place)),
            index,
            documents: None,
            audit: None,
        })
    }
}

/// Returns the SHA-256 of the manifests of tables, each after its name.
///
/// # Errors
/// Why one cannot be read.
pub fn tables_sha256(tables: &dyn Store) -> io::Result<String> {
    let mut digest = Sha256::new();
    for file in tables
        .list(RESOLVED)?
        .iter()
        .chain(&tables.list(MANIFESTS)?)
    {
        digest.update(file);
        digest.update(tables.read(file)?.unwrap_or_default());
    }
    Ok(HEXLOWER.encode(&digest.finalize()))
}

/// Returns the identity of tables, of the evidence or the index, by their digests.
pub fn fingerprint(tables: Option<&str>, digests: &[&str]) -> String {
    let mut digest = Sha1::new();
    for found in tables.iter().chain(digests) {
        digest.update(found);
    }
    BASE32.encode(&digest.finalize())
}

impl OutputFolder<'_> {
    pub(super) fn unwritable(&self) -> impl Fn(io::Error) -> Error {
        |source| Error::OutputUnwritable {
            location: self.about.location(),
            source,
        }
    }

    /// Returns the names of the inputs of all calls.
    pub fn inputs(&self) -> io::Result<BTreeSet<String>> {
        let mut inputs = BTreeSet::new();
        for file in self.about.list(INPUTS)? {
            let names = self.about.read(&file)?.unwrap_or_default();
            let names: Vec<String> = serde_json::from_slice(&names).map_err(|error| {
                io::Error::other(format!("{}: {error}", self.about.location_of(&file)))
            })?;
            inputs.extend(names);
        }
        Ok(inputs)
    }

    /// Returns the calls that wrote documents. Those of `_judge.json` are among them, as an earlier version wrote no others.
    pub(super) fn calls(&self) -> io::Result<Vec<JudgeCall>> {
        let known = self.about.read(RunFile::Judge.name())?.unwrap_or_default();
        let known = serde_json::from_slice::<Judgement>(&known);
        let mut calls = known.map_or_else(|_| Vec::new(), |known| known.calls);
        for file in self.about.list(CALLS)? {
            let call = self.about.read(&file)?.unwrap_or_default();
            calls.extend(serde_json::from_slice::<JudgeCall>(&call));
        }
        calls.sort_unstable();
        calls.dedup();
        Ok(calls)
    }

    /// Adds a call, unless it repeats the last one.
    fn add_call(&self, call: &JudgeCall) -> io::Result<()> {
        let is_repeated =
            |last: &JudgeCall| (&last.version, &last.command) == (&call.version, &call.command);
        if self.calls()?.last().is_some_and(is_repeated) {
            return Ok(());
        }
        let digest = Sha1::digest(serde_json::to_string(call).map_err(io::Error::other)?);
        let file = format!("{CALLS}/{}.json", HEXLOWER.encode(&digest));
        write_json(self.about, &file, call)
    }

    /// Removes the output of an input, and what is known of it.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        for ending in [DONE, SITES, CHANGES, MATCHED] {
            self.about.remove(&about_file(name, ending))?;
        }
        self.documents.remove(name)
    }

    /// Returns the inputs that have outputs or were named, except those that a call names.
    pub fn others(&self, files: &[DocumentsFile]) -> io::Result<BTreeSet<String>> {
        let mut others = self.inputs()?;
        others.extend(outputs(self.about)?);
        for file in files {
            others.remove(&file.name);
        }
        Ok(others)
    }

    /// Removes the outputs of some inputs, and the names of all inputs.
    fn remove_all(&self, names: &BTreeSet<String>) -> io::Result<()> {
        names.iter().try_for_each(|name| self.remove(name))?;
        self.about.remove(INPUTS)
    }

    /// Refuses to judge all files again if outputs of an earlier judgement would stay among the new ones. A sample is judged again
    /// as a whole: which documents are in it depends on all files.
    pub fn check(&self, files: &[DocumentsFile], options: &FilesOptions) -> Result<(), Error> {
        let is_continued = options.existing == Existing::Continue && options.sample.is_none();
        if is_continued || options.missing == Missing::Drop {
            return Ok(());
        }
        let left = self.others(files).map_err(self.unwritable())?;
        let Some(first) = left.first() else {
            return Ok(());
        };
        let count = left.len();
        let difference = format!(
            "it has outputs of {count} inputs that this call does not name, such as {first}"
        );
        Err(Error::OutputOfAnotherRun {
            file: self.documents.location(),
            difference,
            remedy: "name all inputs, or remove these outputs with --drop-missing",
        })
    }

    /// Begins a call: claims the folder, removes what it replaces, and writes down its inputs.
    pub fn begin(
        &self,
        judgement: &Judgement,
        files: &[DocumentsFile],
        options: &FilesOptions,
    ) -> Result<(), Error> {
        self.claim(judgement, options.existing)?;
        let begin = || -> io::Result<()> {
            if options.missing == Missing::Drop {
                self.remove_all(&self.others(files)?)?;
            }
            let names: BTreeSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
            let digest = Sha1::digest(serde_json::to_string(&names).map_err(io::Error::other)?);
            write_json(
                self.about,
                &format!("{INPUTS}/{}.json", HEXLOWER.encode(&digest)),
                &names,
            )?;
            // A list of documents to remove is whole, or does not exist.
            SUMS.iter().try_for_each(|name| self.about.remove(name))
        };
        begin().map_err(self.unwritable())
    }

    /// Returns what happens to the judgement of an earlier call: one of other tables or options that has no judged files, such as
    /// after a call whose inputs all failed, is replaced. Fails if it has any, and is to be continued, and if the folder has files that
    /// are not ours.
    pub fn existing(&self, identity: &Identity, wanted: Existing) -> Result<Existing, Error> {
        let (unwritable, Self { documents, about }) = (self.unwritable(), self);
        // In this order: another call that begins meanwhile writes the mark before any documents.
        let has_documents = !documents.is_empty().map_err(&unwritable)?;
        let mark = about.bytes(RunFile::Judge.name()).map_err(&unwritable)?;
        if has_documents && mark.is_none() {
            return Err(Error::OutputForeign {
                location: documents.location(),
            });
        }
        if wanted == Existing::Replace {
            return Ok(wanted);
        }
        match identity.is_there(*about, RunFile::Judge) {
            Err(Error::OutputOfAnotherRun { .. })
                if outputs(*about).map_err(unwritable)?.is_empty() =>
            {
                Ok(Existing::Replace)
            }
            there => there.map(|_| Existing::Continue),
        }
    }

    /// Claims the folder. Any call may claim one without judged files, such as after a call whose inputs all failed.
    fn claim(&self, judgement: &Judgement, existing: Existing) -> Result<(), Error> {
        let (unwritable, Self { about, .. }) = (self.unwritable(), self);
        let identity = &judgement.identity;
        if self.existing(identity, existing)? == Existing::Replace {
            self.others(&[])
                .and_then(|all| self.remove_all(&all))
                .and_then(|()| about.remove(CALLS))
                .map_err(&unwritable)?;
            identity.replace(*about, RunFile::Judge, |_| false)?;
        } else {
            identity.claim(*about, RunFile::Judge)?;
        }
        // What it says of all documents is written again when the call ends.
        let mut calls = judgement.calls.iter();
        calls
            .try_for_each(|call| self.add_call(call))
            .and_then(|()| self.write(judgement.clone()))
            .map_err(unwritable)
    }

    /// Writes `_judge.json`, with all calls.
    pub(super) fn write(&self, judgement: Judgement) -> io::Result<()> {
        let calls = self.calls()?;
        let judgement = Judgement { calls, ..judgement };
        write_json(self.about, RunFile::Judge.name(), &judgement)
    }
}

#[cfg(test)]
mod tests {
    use super::{JudgeCall, Judgement, OutputFolder, about_folder};
    use crate::runs::{Existing, Identity};
    use crate::store::FolderStore;
    use std::collections::BTreeMap;
    use std::path::Path;

    fn judgement(number: usize) -> Judgement {
        Judgement {
            identity: Identity::new(BTreeMap::new(), Vec::new()),
            calls: vec![JudgeCall {
                time: format!("2026-08-10T06:00:0{number}Z"),
                command: vec![number.to_string()],
                ..JudgeCall::default()
            }],
            policy: None,
            viewpoint: BTreeMap::new(),
            agents: Vec::new(),
            tables: None,
            tables_sha256: None,
            dropped: None,
            index: None,
            documents: None,
            audit: None,
        }
    }

    #[test]
    fn local_no_call_is_lost_that_begins_and_ends_beside_others() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [documents, about] =
            ["kept", "_kept.judge"].map(|name| FolderStore::new(folder.path().join(name)));
        let output = OutputFolder {
            documents: &documents,
            about: &about,
        };
        let begin = |number| output.claim(&judgement(number), Existing::Continue);
        begin(0).expect("the first call");
        std::thread::scope(|scope| {
            for number in 1..8 {
                scope.spawn(move || {
                    begin(number).expect("a call");
                    super::super::summary::write(output, None).expect("its end");
                });
            }
        });
        let (known, _) = Judgement::read(&folder.path().join("kept")).expect("_judge.json");
        let commands: Vec<String> = known
            .calls
            .iter()
            .map(|call| call.command.concat())
            .collect();
        assert_eq!(commands.concat(), "01234567");
        // A call that repeats the last one adds nothing; one that replaces all has only itself.
        begin(7).expect("the same call");
        assert_eq!(output.calls().expect("calls").len(), 8);
        let replaced = output.claim(&judgement(3), Existing::Replace);
        replaced.expect("a call");
        assert_eq!(output.calls().expect("calls").len(), 1);
    }

    #[test]
    fn local_what_is_known_of_documents_is_beside_their_folder() {
        for (out, about) in [
            ("kept", "_kept.judge"),
            ("a/kept/", "a/_kept.judge"),
            ("/a/./kept", "/a/./_kept.judge"),
            ("s3://bucket/a/kept/", "s3://bucket/a/_kept.judge"),
            ("s3://bucket/kept", "s3://bucket/_kept.judge"),
            ("file:///kept", "file:///_kept.judge"),
        ] {
            assert_eq!(
                about_folder(Path::new(out)).as_deref(),
                Ok(Path::new(about)),
                "{out}"
            );
        }
        for out in ["s3://bucket", "s3://bucket/", "/"] {
            assert!(about_folder(Path::new(out)).is_err(), "{out}");
        }
        let here = about_folder(Path::new(".")).unwrap();
        assert!(
            here.is_absolute() && here.to_string_lossy().ends_with(".judge"),
            "{}",
            here.display()
        );
    }
}
