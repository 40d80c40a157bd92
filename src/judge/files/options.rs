//! How files of documents are judged, where the outputs go, and what came of them.

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
    /// What their columns are called.
    pub names: DocumentNames,
    /// What the columns are called that are added.
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
    /// An earlier judgement, with which this one is compared.
    pub diff: Option<EarlierPlace>,
    /// Whether the output is a mask with a line for each document, so compressed, instead of the documents.
    pub mask: Option<Codec>,
    /// What the output folder says of this call.
    pub call: JudgeCall,
}

/// What to do with outputs of inputs that a call does not name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leftovers {
    /// They stay; where all files are judged again, the call is refused.
    #[default]
    Kept,
    /// They are removed.
    Removed,
}

/// Where the outputs go.
pub enum Outputs<'o> {
    /// To a folder, each under its file's name; and what is dropped to another one, where that is wanted.
    Folder(OutputFolder<'o>, Option<OutputFolder<'o>>),
    /// To a stream, that of one file.
    Stream(&'o (dyn Fn() -> io::Result<Box<dyn StoreFile>> + Sync)),
}

/// What came of files of documents.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FilesTally {
    /// The files that were judged now.
    pub judged: usize,
    /// Those that an earlier call has judged.
    pub known: usize,
    /// Those that could not be, with the reasons.
    pub failed: Vec<(String, String)>,
    /// How many of those that were judged now are of each dialect.
    pub dialects: BTreeMap<&'static str, usize>,
    /// What was counted over both.
    pub counts: Counts,
    /// What is summed over all files of the output folder, where there is a policy.
    pub sums: Option<Sums>,
}

/// What a call would do with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilePlan {
    /// Nothing: an earlier call has judged it.
    Done,
    /// It would be judged; the dialect, where it is of one.
    Judge(Option<&'static str>),
    /// It cannot be judged.
    Refuse(String),
}
