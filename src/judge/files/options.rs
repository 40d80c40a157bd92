//! How files of documents are judged, where the outputs go, and the results.

use super::about::OutputFolder;
use super::counts::Counts;
use super::dialect::DocumentNames;
use super::earlier::EarlierPlace;
use super::input::Format;
use super::kind::Codec;
use super::state::JudgeCall;
use super::sums::Sums;
use crate::judge::{Added, Policy};
use crate::runs::Existing;
use crate::store::StoreFile;
use std::collections::BTreeMap;
use std::io;

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
    pub format: Option<Format>,
    /// An earlier judgement to compare this one with.
    pub diff: Option<EarlierPlace>,
    /// If a mask with a line for each document is written instead of the documents, its codec.
    pub mask: Option<Codec>,
    /// What the output folder says of this call.
    pub call: JudgeCall,
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
}
