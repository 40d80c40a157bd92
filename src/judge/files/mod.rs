//! Files of documents, judged: every row comes out once, in its order, with the columns of its verdict after its own.
//!
//! Each worker reads documents until its share of memory is full; all of them are judged together, site by site; then each
//! worker writes their rows. A file that cannot be read is left out; the others go on. An output is whole, or does not exist.

mod audit;
mod cdx;
mod changes;
mod columns;
mod cost;
mod counts;
mod dates;
mod dialect;
mod earlier;
mod foreign;
mod input;
mod int96;
mod judged_rows;
mod kind;
mod lines;
mod long_line;
mod members;
mod parquet;
mod parquet_output;
mod sample;
mod share;
mod sorter;
mod state;
mod summary;
mod sums;
mod work;

#[doc(hidden)]
pub use audit::{AuditReport, FoundShare};
#[doc(hidden)]
pub use cost::{Amount, Costs, SiteCost};
pub use counts::{ChangeCounts, Counts};
pub use dates::DateNames;
pub use dialect::{ColumnNames, DIALECTS, DocumentDialect, DocumentNames};
#[doc(hidden)]
pub use earlier::EarlierPlace;
pub use input::{DocumentsFile, OutputFormat};
#[doc(hidden)]
pub use input::{ListedDocuments, list};
#[doc(hidden)]
pub use judged_rows::{JudgedDocument, find_judged};
pub use kind::{Codec, FileFault};
#[doc(hidden)]
pub use parquet::documents_of;
#[doc(hidden)]
pub use sample::DocumentSample;
#[doc(hidden)]
pub use state::{JudgeCall, Judgement, OutputFolder, about_folder, fingerprint, tables_sha256};
#[doc(hidden)]
pub use sums::Sums;

use super::{Added, At, Judge, Policy};
use crate::error::Error;
use crate::runs::{Existing, Identity, JUDGED_BY};
use crate::store::StoreFile;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use sums::Summing;
use work::FilesWork;

/// How files of documents are judged.
#[derive(Clone, Debug)]
pub struct FilesOptions {
    /// The names of their columns.
    pub names: DocumentNames,
    /// The names of the columns that are added.
    pub added: Added,
    /// Whether lists of URLs, which have no dates, are judged by the newest files instead of at their dates.
    pub urls_are_newest: bool,
    /// What to do with the outputs of another call.
    pub existing: Existing,
    /// What to do with outputs of inputs that this call does not name.
    pub leftovers: Leftovers,
    /// Which documents are kept; `None`: all.
    pub policy: Option<Policy>,
    /// The format that the outputs must have; `None`: that of their files.
    pub format: Option<OutputFormat>,
    /// An earlier judgement to compare this one with.
    pub diff: Option<EarlierPlace>,
    /// If a mask with a line for each document is written instead of the documents, its codec.
    pub mask: Option<Codec>,
    /// How many documents are drawn for an audit, which judges these alone; `None`: all are judged.
    pub sample: Option<DocumentSample>,
    /// What the output folder says of this call.
    pub call: JudgeCall,
    /// How far the work is, for whoever shows it.
    pub progress: Arc<FilesProgress>,
}

/// How far the work on files is, while it goes on.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct FilesProgress {
    files: AtomicU64,
    documents: AtomicU64,
}

impl FilesProgress {
    /// Returns how many files have ended, and how many documents were judged.
    pub fn counts(&self) -> (u64, u64) {
        (
            self.files.load(Ordering::Relaxed),
            self.documents.load(Ordering::Relaxed),
        )
    }

    fn judged(&self, documents: usize, tally: &FilesTally) {
        self.documents
            .fetch_add(documents as u64, Ordering::Relaxed);
        let files = tally.judged + tally.known + tally.failed.len();
        self.files.store(files as u64, Ordering::Relaxed);
    }
}

/// What to do with outputs of inputs that a call does not name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leftovers {
    /// They stay; if all files are judged again, the call is refused.
    #[default]
    Kept,
    /// They are removed.
    Removed,
}

/// Where the outputs go.
pub enum Outputs<'o> {
    /// To a folder, each under its file's name; and dropped documents to another folder, if that is wanted.
    Folder(OutputFolder<'o>, Option<OutputFolder<'o>>),
    /// To a stream, for one file.
    Stream(&'o (dyn Fn() -> io::Result<Box<dyn StoreFile>> + Sync)),
}

impl<'o> Outputs<'o> {
    fn folders(&self) -> impl Iterator<Item = OutputFolder<'o>> {
        let folders = if let Self::Folder(kept, dropped) = self {
            [Some(*kept), *dropped]
        } else {
            [None; 2]
        };
        folders.into_iter().flatten()
    }
}

/// The results for files of documents.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FilesTally {
    /// The files that were judged now.
    pub judged: usize,
    /// Those that an earlier call judged.
    pub known: usize,
    /// Those that could not be judged, with the reasons.
    pub failed: Vec<(String, String)>,
    /// How many of the files that were judged now are of each dialect.
    pub dialects: BTreeMap<&'static str, usize>,
    /// The counts over both.
    pub counts: Counts,
    /// The sums over all files of the output folder, if there is a policy.
    pub sums: Option<Sums>,
    /// What an audit found, if a sample was judged.
    pub audit: Option<AuditReport>,
}

/// What a call would do with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilePlan {
    /// Nothing: an earlier call has judged it.
    Done,
    /// It would be judged; the dialect, if it has one.
    Judge(Option<&'static str>),
    /// It cannot be judged.
    Refuse(String),
    /// The call does not name it, and would remove its outputs.
    Remove,
}

/// Judges files of documents.
pub fn judge_files(
    judge: &Judge,
    files: &[DocumentsFile],
    outputs: &Outputs<'_>,
    options: &FilesOptions,
) -> Result<FilesTally, Error> {
    if let Outputs::Folder(kept, dropped) = outputs {
        let reasons = dropped.map(|dropped| dropped.documents.location());
        let judgement =
            Judgement::from_options(identity(judge, options)?, judge, options, reasons)?;
        kept.check(files, options)?;
        outputs
            .folders()
            .try_for_each(|folder| folder.begin(&judgement, files, options))?;
    }
    let work = FilesWork::new(judge, files, outputs, options).draw()?;
    let (mut tally, list) = work.run()?;
    tally.failed.sort();
    let failed = tally.failed.iter().map(|(name, _)| name.clone()).collect();
    let counts = tally.counts.audit.take().unwrap_or_default();
    tally.audit = work
        .drawn()
        .map(|drawn| AuditReport::new(drawn, &counts, failed));
    let Outputs::Folder(folder, _) = outputs else {
        return Ok(tally);
    };
    summary::write(*folder, tally.audit.as_ref())?;
    if let (Some(policy), None) = (&options.policy, options.sample) {
        let diff = options.diff.as_ref();
        let memory_bytes = judge.memory_bytes / 4;
        let sums = Summing {
            folder: *folder,
            policy,
            diff,
            list,
            memory_bytes,
        }
        .write()?;
        tally.counts.changes = sums.changes;
        tally.sums = Some(sums);
    }
    Ok(tally)
}

/// Returns what [`judge_files`] would do with each file, in their order, and then with the outputs of other inputs; writes nothing.
pub fn plan_files(
    judge: &Judge,
    files: &[DocumentsFile],
    outputs: &Outputs<'_>,
    options: &FilesOptions,
) -> Result<Vec<(String, FilePlan)>, Error> {
    let mut existing = Existing::Replace;
    let mut removed = BTreeSet::new();
    if let Outputs::Folder(folder, _) = outputs {
        folder.check(files, options)?;
        existing = folder.existing(&identity(judge, options)?, options.existing)?;
        if options.leftovers == Leftovers::Removed {
            removed = folder.others(files).map_err(folder.unwritable())?;
        }
    }
    let work = FilesWork::new(judge, files, outputs, options);
    let planned = files
        .iter()
        .map(|file| (file.name.clone(), work.plan(file, existing)));
    let removed = removed.into_iter().map(|name| (name, FilePlan::Remove));
    Ok(planned.chain(removed).collect())
}

/// Returns what must be the same for two calls to count as one.
fn identity(judge: &Judge, options: &FilesOptions) -> Result<Identity, Error> {
    let times: Vec<String> = judge.options.times.iter().map(At::to_string).collect();
    let pairs = [
        (JUDGED_BY, judge.fingerprint()?),
        ("at", times.join(",")),
        (
            "match",
            judge
                .options
                .match_within
                .map_or_else(String::new, |within| within.as_secs().to_string()),
        ),
        ("urls_are_newest", options.urls_are_newest.to_string()),
        ("columns", options.names.text()),
        ("added", options.added.text()),
        (
            "diff",
            options
                .diff
                .as_ref()
                .map_or(Ok("none".to_owned()), EarlierPlace::fingerprint)?,
        ),
        (
            "policy",
            options
                .policy
                .as_ref()
                .map_or_else(|| "none".to_owned(), Policy::text),
        ),
    ];
    let sample = options.sample.map(|sample| ("sample", sample.to_string()));
    let pairs = pairs
        .into_iter()
        .chain(sample)
        .map(|(key, value)| (key.to_owned(), value));
    // The digest has them, too: a message names what differs.
    let viewpoint = [
        "agent",
        "vocabulary",
        "token_match",
        "robots_slack_s",
        "robots_max_age_s",
    ];
    let viewpoint = viewpoint
        .into_iter()
        .filter_map(|key| judge.viewpoint.get_key_value(key));
    let viewpoint = viewpoint.map(|(key, value)| (key.clone(), value.clone()));
    Ok(Identity::new(pairs.chain(viewpoint).collect(), Vec::new()))
}
