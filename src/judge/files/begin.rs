//! The start of a call: it claims its folders, removes what it replaces, and writes down its inputs.

use super::state::{
    CHANGES, DONE, JudgeCall, Judgement, MATCHED, OutputFolder, SITES, SUMS, about_file, outputs,
};
use super::{DocumentsFile, FilesOptions, Leftovers};
use crate::error::Error;
use crate::runs::{Existing, RunFile, write_json};
use data_encoding::HEXLOWER;
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

    /// Removes the output of an input, and what is known of it.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        for ending in [DONE, SITES, CHANGES, MATCHED] {
            self.about.remove(&about_file(name, ending))?;
        }
        self.documents.remove(name)
    }

    /// Returns the inputs that have outputs or were named, except those that a call names.
    fn others(&self, files: &[DocumentsFile]) -> io::Result<BTreeSet<String>> {
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

    /// Refuses to judge all files again if outputs of an earlier judgement would stay among the new ones.
    pub fn check(&self, files: &[DocumentsFile], options: &FilesOptions) -> Result<(), Error> {
        if options.existing == Existing::Continue || options.leftovers == Leftovers::Removed {
            return Ok(());
        }
        let left = self.others(files).map_err(self.unwritable())?;
        let Some(first) = left.first() else { return Ok(()) };
        let count = left.len();
        Err(Error::OutputOfAnotherRun {
            file: self.documents.location(),
            difference: format!(
                "it has outputs of {count} inputs that this call does not name, such as {first}"
            ),
            remedy: "name all inputs, or remove these outputs with --drop-missing",
        })
    }

    /// Begins a call: claims the folder, removes what it replaces, and writes down its inputs.
    ///
    /// # Errors
    /// [`Error::OutputForeign`], [`Error::OutputOfAnotherRun`], [`Error::OutputUnwritable`].
    pub fn begin(
        &self,
        judgement: &Judgement,
        files: &[DocumentsFile],
        options: &FilesOptions,
    ) -> Result<(), Error> {
        self.claim(judgement, options.existing)?;
        let begin = || -> io::Result<()> {
            if options.leftovers == Leftovers::Removed {
                self.remove_all(&self.others(files)?)?;
            }
            let names: BTreeSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
            let digest = Sha1::digest(serde_json::to_string(&names).map_err(io::Error::other)?);
            write_json(self.about, &format!("{INPUTS}/{}.json", HEXLOWER.encode(&digest)), &names)?;
            // A list of documents to remove is whole, or does not exist.
            SUMS.iter().try_for_each(|name| self.about.remove(name))
        };
        begin().map_err(self.unwritable())
    }

    /// Claims the folder. Any call may claim one without judged files, such as after a call whose inputs all failed.
    fn claim(&self, judgement: &Judgement, existing: Existing) -> Result<(), Error> {
        let (unwritable, Self { documents, about }) = (self.unwritable(), self);
        let has_documents = !documents.is_empty().map_err(&unwritable)?;
        if has_documents && about.bytes(RunFile::Judge.name()).map_err(&unwritable)?.is_none() {
            return Err(Error::OutputForeign { location: documents.location() });
        }
        let identity = &judgement.identity;
        let there = identity.is_there(*about, RunFile::Judge);
        let is_other = matches!(there, Err(Error::OutputOfAnotherRun { .. }));
        let is_unused = || Ok(is_other && outputs(*about)?.is_empty());
        let mut calls: Vec<JudgeCall> = Vec::new();
        if existing == Existing::Replace || is_unused().map_err(&unwritable)? {
            self.others(&[]).and_then(|all| self.remove_all(&all)).map_err(&unwritable)?;
            identity.replace(*about, RunFile::Judge, |_| false)?;
        } else {
            identity.claim(*about, RunFile::Judge)?;
            calls = Judgement::read_from(*about).map(|known| known.calls).unwrap_or_default();
        }
        let Some(judgement) = judgement.after(calls) else { return Ok(()) };
        write_json(*about, RunFile::Judge.name(), &judgement).map_err(unwritable)
    }
}
