//! Files of documents, judged: every row comes out once, in its order, with the columns of its verdict after its own.
//!
//! Each worker reads documents until its share of memory is full; all of them are judged together, site by site; then each
//! worker writes their rows. A file that cannot be read is left out; the others go on. An output is whole, or does not exist.

mod about;
mod begin;
mod changes;
mod columns;
mod cost;
mod cost_files;
mod counts;
mod dialect;
mod dropped;
mod earlier;
mod find;
mod input;
mod judged_rows;
mod kind;
mod line_reader;
mod lines;
mod long_line;
mod members;
mod names;
mod options;
mod parquet;
mod parquet_output;
mod parquet_pieces;
mod sorter;
mod state;
mod sums;
mod work;

#[doc(hidden)]
pub use about::{OutputFolder, about_folder};
#[doc(hidden)]
pub use cost::{Amount, Costs, SiteCost};
pub use counts::{ChangeCounts, Counts};
pub use dialect::{DIALECTS, Dialect, DocumentNames};
#[doc(hidden)]
pub use earlier::EarlierPlace;
#[doc(hidden)]
pub use find::{JudgedDocument, find_judged};
#[doc(hidden)]
pub use input::list;
pub use input::{DocumentsFile, Format};
pub use kind::Codec;
pub use kind::FileFault;
pub use names::ColumnNames;
pub use options::{FilePlan, FilesOptions, FilesTally, Leftovers, Outputs};
#[doc(hidden)]
pub use parquet::documents_of;
#[doc(hidden)]
pub use state::{JudgeCall, JudgedBy, fingerprint};
#[doc(hidden)]
pub use sums::Sums;

use super::{At, Judge, Policy};
use crate::error::Error;
use crate::runs::{Existing, Identity, RunFile};
use begin::{begin, check_leftovers};
use state::Judgement;
use std::collections::BTreeMap;
use sums::Summing;
use work::FilesWork;

/// Judges files of documents.
pub fn judge_files(
    judge: &Judge,
    files: &[DocumentsFile],
    outputs: &Outputs<'_>,
    options: &FilesOptions,
) -> Result<FilesTally, Error> {
    if let Outputs::Folder(kept, dropped) = outputs {
        let (policy, identity) = (options.policy.as_ref(), identity(judge, options)?);
        let reasons = dropped.map(|dropped| dropped.documents.location());
        let judgement = Judgement::of(&identity, judge, policy, (&options.call, reasons));
        begin(&judgement, (*kept, *dropped), files, (options.existing, options.leftovers))?;
    }
    let (mut tally, list) = {
        let work = FilesWork::new(judge, files, outputs, options);
        let mut workers = work.workers();
        while work.round(&mut workers)? {}
        drop(workers);
        (work.take_tally(), work.list())
    };
    tally.failed.sort();
    if let (Outputs::Folder(folder, _), Some(policy)) = (outputs, &options.policy) {
        let (diff, memory_bytes) = (options.diff.as_ref(), judge.memory_bytes / 4);
        let sums = Summing { folder: *folder, policy, diff, list, memory_bytes }.write()?;
        tally.counts.changes = sums.changes;
        tally.sums = Some(sums);
    }
    Ok(tally)
}

/// Returns what [`judge_files`] would do with each file; writes nothing.
pub fn plan_files(
    judge: &Judge,
    files: &[DocumentsFile],
    outputs: &Outputs<'_>,
    options: &FilesOptions,
) -> Result<Vec<FilePlan>, Error> {
    if let Outputs::Folder(folder, _) = outputs {
        match options.existing {
            Existing::Continue => drop(identity(judge, options)?.is_there(folder.about, RunFile::Judge)?),
            Existing::Replace => check_leftovers(*folder, files, (options.existing, options.leftovers))?,
        }
    }
    let work = FilesWork::new(judge, files, outputs, options);
    Ok(files.iter().map(|file| work.plan(file)).collect())
}

/// Returns what must be the same for two calls to count as one.
fn identity(judge: &Judge, options: &FilesOptions) -> Result<Identity, Error> {
    let times: Vec<String> = judge.options.times.iter().map(At::to_string).collect();
    let pairs = [
        ("tables", judge.fingerprint()?),
        ("at", times.join(",")),
        ("match", judge.options.match_within.map_or_else(String::new, |within| within.as_secs().to_string())),
        ("urls_are_newest", options.urls_are_newest.to_string()),
        ("columns", options.names.text()),
        ("added", options.added.text()),
        ("diff", options.diff.as_ref().map_or(Ok("none".to_owned()), EarlierPlace::fingerprint)?),
        ("policy", options.policy.as_ref().map_or_else(|| "none".to_owned(), Policy::text)),
    ];
    let pairs = pairs.into_iter().map(|(key, value)| (key.to_owned(), value));
    Ok(Identity::new(pairs.collect::<BTreeMap<_, _>>(), Vec::new()))
}
