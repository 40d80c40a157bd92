//! The start of a call: it claims its folders, removes what it replaces, and writes down its inputs.

use super::about::OutputFolder;
use super::state::{Done, JudgeCall, Judgement, SUMS, changes_file, matched_file, outputs, sites_file};
use super::{DocumentsFile, Leftovers};
use crate::error::Error;
use crate::runs::{Existing, RunFile, write_json};
use sha1::{Digest, Sha1};
use std::collections::BTreeSet;
use std::io;

/// The folder of the names of the inputs, a file for each different call.
const INPUTS: &str = "inputs";

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

    fn remove_sums(&self) -> io::Result<()> {
        SUMS.iter().try_for_each(|name| self.about.remove(name))
    }
}

/// Returns the inputs that have outputs and that a call does not name.
fn leftovers(folder: OutputFolder<'_>, files: &[DocumentsFile]) -> io::Result<Vec<String>> {
    let named: BTreeSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let left = outputs(folder.about)?.into_iter().chain(folder.inputs()?).collect::<BTreeSet<String>>();
    Ok(left.into_iter().filter(|name| !named.contains(name.as_str())).collect())
}

/// Refuses to judge all files again if outputs of an earlier judgement would stay among the new ones.
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
        Some(first) => Err(Error::OutputOfAnotherRun {
            file: folder.documents.location(),
            difference: format!(
                "it has outputs of {} inputs that this call does not name, such as {first}",
                left.len()
            ),
            remedy: "name all inputs, or remove these outputs with --drop-missing",
        }),
        None => Ok(()),
    }
}

/// Begins a call: claims its folders, removes what it replaces, and writes down its inputs.
///
/// # Errors
/// [`Error::OutputForeign`], [`Error::OutputOfAnotherRun`], [`Error::OutputUnwritable`].
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
        // A list of documents to remove is whole, or does not exist.
        folder.remove_sums().map_err(&unwritable)?;
    }
    Ok(())
}

/// Claims an output folder. Any call may claim one without judged files, such as after a call whose inputs all failed.
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
        identity.replace(about, RunFile::Judge, |_| false)?;
    } else {
        identity.claim(about, RunFile::Judge)?;
        calls = Judgement::read_from(about).map(Judgement::into_calls).unwrap_or_default();
    }
    let judgement = judgement.after(calls);
    judgement
        .map_or(Ok(()), |judgement| write_json(about, RunFile::Judge.name(), &judgement))
        .map_err(unwritable)
}
