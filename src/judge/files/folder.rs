//! The folder of an output, and the one beside it for what is known of its documents.
//!
//! Example: documents go to `kept`, and what a policy costs to `_kept.judge`. The folder of documents holds documents alone, so
//! that each loader that is given it, or a glob below it, reads them and nothing else: pyarrow, pandas, Polars, DuckDB, datasets,
//! datatrove and Spark differ in which names inside of a folder they pass over.

use super::state::{Done, JudgeCall, Judgement, SUMS, changes_file, matched_file, outputs, sites_file};
use super::{DocumentsFile, Leftovers};
use crate::error::Error;
use crate::runs::{Existing, RunFile, write_json};
use crate::store::{Store, has_scheme};
use sha1::{Digest, Sha1};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of the names of the inputs, a file for each different call.
const INPUTS: &str = "inputs";

/// A folder for documents, and the one beside it.
#[derive(Clone, Copy)]
pub struct OutputFolder<'o> {
    /// What holds documents alone.
    pub documents: &'o dyn Store,
    /// What is known of them.
    pub about: &'o dyn Store,
}

/// Returns the folder beside a folder of documents.
pub fn about_folder(out: &Path) -> Result<PathBuf, String> {
    let none = || {
        format!(
            "{}: it has no folder above it, in which what is known of the documents could be",
            out.display()
        )
    };
    if let Some(url) = out.to_str().filter(|text| has_scheme(text)) {
        let (above, name) = url.trim_end_matches('/').rsplit_once('/').ok_or_else(none)?;
        return if above.ends_with(":/") {
            Err(none())
        } else {
            Ok(format!("{above}/{}", about_name(name)).into())
        };
    }
    let named = if out.file_name().is_some() { Ok(out.to_owned()) } else { out.canonicalize() };
    let named = named.map_err(|error| format!("{}: {error}", out.display()))?;
    let name = named.file_name().ok_or_else(none)?.to_string_lossy();
    Ok(named.with_file_name(about_name(&name)))
}

fn about_name(name: &str) -> String {
    format!("_{name}.judge")
}

impl OutputFolder<'_> {
    fn unwritable(&self) -> impl Fn(io::Error) -> Error {
        |source| Error::OutputUnwritable { location: self.about.location(), source }
    }

    /// Returns the names of the inputs of all calls.
    pub fn inputs(&self) -> io::Result<BTreeSet<String>> {
        let mut inputs = BTreeSet::new();
        for file in self.about.list(INPUTS)? {
            let names = self.about.read(&file)?.unwrap_or_default();
            let names: Vec<String> = serde_json::from_slice(&names)
                .map_err(|error| io::Error::other(format!("{}: {error}", self.about.location_of(&file))))?;
            inputs.extend(names);
        }
        Ok(inputs)
    }

    /// Writes down the inputs of a call, before any of them is judged.
    fn name_inputs(&self, files: &[DocumentsFile]) -> io::Result<()> {
        let names: BTreeSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let text = serde_json::to_string(&names).map_err(io::Error::other)?;
        let name = data_encoding::HEXLOWER.encode(&Sha1::digest(&text));
        write_json(self.about, &format!("{INPUTS}/{name}.json"), &names)
    }

    /// Removes the output of an input, and what is known of it.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        for file in [Done::file(name), sites_file(name), changes_file(name), matched_file(name)] {
            self.about.remove(&file)?;
        }
        self.documents.remove(name)
    }

    /// Removes what is summed over all inputs.
    fn remove_sums(&self) -> io::Result<()> {
        SUMS.iter().try_for_each(|name| self.about.remove(name))
    }
}

/// Returns the inputs whose outputs are there and that a call does not name.
fn leftovers(folder: OutputFolder<'_>, files: &[DocumentsFile]) -> io::Result<Vec<String>> {
    let named: BTreeSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let left = outputs(folder.about)?.into_iter().chain(folder.inputs()?).collect::<BTreeSet<String>>();
    Ok(left.into_iter().filter(|name| !named.contains(name.as_str())).collect())
}

/// Refuses to judge all files again where outputs of an earlier judgement would stay among the new ones.
pub fn check_leftovers(
    folder: OutputFolder<'_>,
    files: &[DocumentsFile],
    (existing, leftovers_are): (Existing, Leftovers),
) -> Result<(), Error> {
    if existing == Existing::Continue || leftovers_are == Leftovers::Removed {
        return Ok(());
    }
    let left = leftovers(folder, files).map_err(folder.unwritable())?;
    match left.first() {
        Some(first) => {
            let (location, first) = (folder.documents.location(), first.clone());
            Err(Error::OutputsLeft { location, first, count: left.len() })
        }
        None => Ok(()),
    }
}

/// Begins a call: claims its folders, removes what it replaces, and writes down its inputs.
///
/// # Errors
/// [`Error::OutputForeign`], [`Error::OutputOfAnotherRun`], [`Error::OutputsLeft`], [`Error::OutputUnwritable`].
pub fn begin(
    judgement: &Judgement,
    (kept, dropped): (OutputFolder<'_>, Option<OutputFolder<'_>>),
    files: &[DocumentsFile],
    (existing, leftovers_are): (Existing, Leftovers),
) -> Result<(), Error> {
    check_leftovers(kept, files, (existing, leftovers_are))?;
    for folder in [kept].into_iter().chain(dropped) {
        claim(judgement, folder, existing)?;
        let unwritable = folder.unwritable();
        if leftovers_are == Leftovers::Removed {
            for name in leftovers(folder, files).map_err(&unwritable)? {
                folder.remove(&name).map_err(&unwritable)?;
            }
            folder.about.remove(INPUTS).map_err(&unwritable)?;
        }
        folder.name_inputs(files).map_err(&unwritable)?;
        // A list of what is to be removed is whole, or not there.
        folder.remove_sums().map_err(&unwritable)?;
    }
    Ok(())
}

/// Claims an output folder. One in which no file was judged yet, such as after a call all of whose inputs failed, is anybody's.
fn claim(judgement: &Judgement, folder: OutputFolder<'_>, existing: Existing) -> Result<(), Error> {
    let unwritable = folder.unwritable();
    let OutputFolder { documents, about } = folder;
    let has_documents = !documents.is_empty().map_err(&unwritable)?;
    if has_documents && about.bytes(RunFile::Judge.name()).map_err(&unwritable)?.is_none() {
        return Err(Error::OutputForeign { location: documents.location() });
    }
    let identity = judgement.identity();
    let is_other = matches!(identity.is_there(about, RunFile::Judge), Err(Error::OutputOfAnotherRun { .. }));
    let is_unused = || Ok(is_other && outputs(about)?.is_empty());
    let mut calls: Vec<JudgeCall> = Vec::new();
    if existing == Existing::Replace || is_unused().map_err(&unwritable)? {
        let all =
            outputs(about).map_err(&unwritable)?.into_iter().chain(folder.inputs().map_err(&unwritable)?);
        for name in all.collect::<BTreeSet<String>>() {
            folder.remove(&name).map_err(&unwritable)?;
        }
        about.remove(INPUTS).map_err(&unwritable)?;
        identity.replace(about, RunFile::Judge)?;
    } else {
        identity.claim(about, RunFile::Judge)?;
        calls = Judgement::read_from(about).map(Judgement::into_calls).unwrap_or_default();
    }
    let judgement = judgement.after(calls);
    judgement
        .map_or(Ok(()), |judgement| write_json(about, RunFile::Judge.name(), &judgement))
        .map_err(unwritable)
}

#[cfg(test)]
mod tests {
    use super::about_folder;
    use std::path::Path;

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
            assert_eq!(about_folder(Path::new(out)).as_deref(), Ok(Path::new(about)), "{out}");
        }
        for out in ["s3://bucket", "s3://bucket/", "/"] {
            assert!(about_folder(Path::new(out)).is_err(), "{out}");
        }
        let here = about_folder(Path::new(".")).unwrap();
        assert!(here.is_absolute() && here.to_string_lossy().ends_with(".judge"), "{}", here.display());
    }
}
