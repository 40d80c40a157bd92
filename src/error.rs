//! Why a job could not run, as values that callers can act on.
//!
//! Three things are separate. What stops the job is an [`Error`] here. A fault of an input is a row in `archives` or
//! `failures`, and the job goes on. A fault of a signal is a finding in the tables.

use std::io;

/// Why a job could not run, or could not go on.
///
/// `location` is an input, an output or a folder as given, `file` the file that shows it. `source` and `detail` say why,
/// `difference` what is there and what would be in this call, `next` and `remedy` how to go on. `example` is one of the
/// `archives`; `first` and `second` are what one `name` would belong to.
#[allow(missing_docs)] // the fields: see above
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A named input does not exist.
    #[error("{location}: no such file or folder; {}", instead_of(location))]
    InputMissing { location: String },
    /// A named input, or a list of inputs, cannot be read.
    #[error("{location}: cannot be read: {source}")]
    InputUnreadable { location: String, source: io::Error },
    /// A glob or a folder gives no archive.
    #[error(
        "{location}: no archives there; expected *.warc, *.arc, *.wat (also with .gz or .zst) or *.wacz; give another file by its name"
    )]
    NoArchives { location: String },
    /// A list of inputs has no lines.
    #[error("{location}: an empty list; expected one path per line")]
    EmptyList { location: String },
    /// A line of a list is neither a path nor a URL.
    #[error(
        "{location}: line {line}: {detail}; expected a path or URL, or a comment that begins with #"
    )]
    BadLine {
        location: String,
        line: usize,
        detail: String,
    },
    /// A list exceeds a limit.
    #[error(
        "{location}: more than {limit}, the limit for one list; split it, and make several calls"
    )]
    ListTooLong { location: String, limit: String },
    /// A glob cannot be parsed.
    #[error("{location}: not a glob: {detail}")]
    BadGlob { location: String, detail: String },
    /// Two archives would have the same name in the tables.
    #[error(
        "two inputs would have the name {name} in the tables: {first} and {second}; give the folder above both, or --base"
    )]
    SameName {
        name: String,
        first: String,
        second: String,
    },
    /// A server wants no more requests.
    #[error("{detail}")]
    Refused { detail: String },
    /// A folder has no documents.
    #[error(
        "{location}: no documents there; expected *.parquet, *.jsonl, *.json, *.ndjson or *.txt (the last four also with .gz or .zst); give another file by its name"
    )]
    NoDocuments { location: String },
    /// Two files of documents would have the same output.
    #[error(
        "two inputs would be written to {name}: {first} and {second}; name the folder above both"
    )]
    SameOutput {
        name: String,
        first: String,
        second: String,
    },
    /// None of the documents that an earlier judgement kept is among the documents.
    #[error(
        "{location}: none of the documents that were kept then ({kept}) is among these; documents are known by their ids, else by their URLs"
    )]
    NothingCompared { location: String, kept: u64 },
    /// A record would be read in another way in one file with records of other archives.
    #[error(
        "{location}: it would be read in another way in one file with records of other archives; give a folder for a file for each archive (-o DIR/)"
    )]
    ExtractDiffers { location: String },
    /// The output cannot be written.
    #[error("{location}: cannot be written: {source}")]
    OutputUnwritable { location: String, source: io::Error },
    /// The output holds files that are not ours.
    #[error(
        "{location}: not empty, and nothing in it says that crawlprefs wrote it; choose another folder"
    )]
    OutputForeign { location: String },
    /// The output holds another run.
    #[error("{file}: from another run ({difference}); {remedy}")]
    OutputOfAnotherRun {
        file: String,
        difference: String,
        remedy: &'static str,
    },
    /// A newer version of crawlprefs wrote the output.
    #[error(
        "{file}: written by a newer version of crawlprefs ({difference}); use that version, or choose another folder"
    )]
    OutputOfNewerVersion { file: String, difference: String },
    /// There is no evidence to resolve.
    #[error(
        "{location}: no evidence there; expected a folder that crawlprefs scan or run wrote: check the name, and whether its file system is mounted"
    )]
    NoEvidence { location: String },
    /// Tables were made of more archives than there are now.
    #[error(
        "{file}: made from archives without evidence now ({archives}, such as {example}); name every folder of evidence, or resolve with --drop-missing to make the tables without them"
    )]
    ArchivesMissing {
        file: String,
        archives: usize,
        example: String,
    },
    /// A segment lacks archives that are required.
    #[error(
        "{archives} archives of the list of --require are not read to their end, such as {example}; scan them first (crawlprefs status OUT --paths-from LIST lists them), or leave out --require"
    )]
    SegmentIncomplete { archives: usize, example: String },
    /// There is no evidence of a named segment, or of a crawl to leave out.
    #[error("no evidence of {segment}; found {found}")]
    SegmentUnknown { segment: String, found: String },
    /// The call would remove tables that cannot be made again.
    #[error(
        "{location}: --overwrite would remove the tables of {crawls}, whose evidence is not in the folders given; {next}, or add --drop-missing to remove these tables"
    )]
    TablesWithoutEvidence {
        location: String,
        crawls: String,
        next: String,
    },
    /// A part of the tables is missing.
    #[error(
        "{location}: its tables are not complete ({detail}); run crawlprefs resolve to make them again"
    )]
    TablesIncomplete { location: String, detail: String },
    /// There is no site index.
    #[error(
        "{location}: no site index there; expected a folder that crawlprefs index wrote, with _index.json"
    )]
    NoIndex { location: String },
    /// A site index cannot be read.
    #[error("{location}: its site index cannot be read: {source}")]
    IndexUnreadable { location: String, source: io::Error },
    /// The folder has a site index already.
    #[error(
        "{location}: has a site index already; choose another folder, or --overwrite to replace it"
    )]
    IndexExists { location: String },
    /// A site index, its sources, or tables lack archives or records.
    #[error("{location}: {detail}; read them again, or give --allow-incomplete")]
    Incomplete { location: String, detail: String },
    /// Another call writes an index into the folder.
    #[error(
        "{location}: another call of crawlprefs index has been at work there for {seconds} s; wait for its end, or, where its machine is gone, remove _index_unfinished from the folder"
    )]
    IndexBusy { location: String, seconds: i64 },
    /// A site index is to be made from itself.
    #[error("{location}: both an input and the output; choose another folder for the output")]
    IndexIsInput { location: String },
    /// There are no tables to judge by.
    #[error("{location}: no tables there; expected a folder that crawlprefs run or resolve wrote")]
    NoTables { location: String },
    /// Tables cannot be read.
    #[error("{location}: its tables cannot be read: {source}")]
    TablesUnreadable { location: String, source: io::Error },
    /// Tables were made with lists that are not part of them.
    #[error(
        "{location}: resolved with files that its tables do not have; give the same files again: {flags}"
    )]
    ListsMissing { location: String, flags: String },
    /// The evidence cannot be read.
    #[error("{location}: its evidence cannot be read: {source}")]
    EvidenceUnreadable { location: String, source: io::Error },
    /// The evidence of tables is at a URL that only the tables name.
    #[error(
        "{location}: its evidence is at {url}, which only the tables say; a URL is asked only if you name it: --evidence {url}"
    )]
    EvidenceElsewhere { location: String, url: String },
    /// A file of the evidence is damaged.
    #[error("{fault}")]
    EvidenceDamaged { fault: String },
    /// Two folders of evidence have different archives of one name.
    #[error("{first} and {second}: both have evidence of {name}, of different files; {next}")]
    EvidenceDiffers {
        name: String,
        first: String,
        second: String,
        next: String,
    },
    /// The machine cannot start threads.
    #[error("cannot start {jobs} workers: {detail}; try fewer with --jobs")]
    Workers { jobs: usize, detail: String },
}

impl Error {
    /// Returns the kind of error, a word for programs that read the log.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::InputMissing { .. } => "input_missing",
            Self::NoArchives { .. } => "no_archives",
            Self::NoDocuments { .. } => "no_documents",
            Self::SameOutput { .. } => "same_output",
            Self::NothingCompared { .. } => "nothing_compared",
            Self::EmptyList { .. } => "empty_list",
            Self::BadLine { .. } => "bad_line",
            Self::ListTooLong { .. } => "list_too_long",
            Self::BadGlob { .. } => "bad_glob",
            Self::SameName { .. } => "same_name",
            Self::OutputForeign { .. } => "output_foreign",
            Self::ExtractDiffers { .. } => "extract_differs",
            Self::OutputOfAnotherRun { .. } => "output_of_another_run",
            Self::OutputOfNewerVersion { .. } => "output_of_newer_version",
            Self::NoEvidence { .. } => "no_evidence",
            Self::ArchivesMissing { .. } => "archives_missing",
            Self::SegmentIncomplete { .. } => "segment_incomplete",
            Self::SegmentUnknown { .. } => "segment_unknown",
            Self::TablesWithoutEvidence { .. } => "tables_without_evidence",
            Self::TablesIncomplete { .. } => "tables_incomplete",
            Self::NoTables { .. } => "no_tables",
            Self::NoIndex { .. } => "no_index",
            Self::IndexExists { .. } => "index_exists",
            Self::IndexIsInput { .. } => "index_is_input",
            Self::Incomplete { .. } => "incomplete",
            Self::ListsMissing { .. } => "lists_missing",
            Self::EvidenceElsewhere { .. } => "evidence_elsewhere",
            Self::EvidenceDamaged { .. } => "evidence_damaged",
            Self::EvidenceDiffers { .. } => "evidence_differs",
            Self::InputUnreadable { .. } => "input_unreadable",
            Self::Refused { .. } => "refused",
            Self::OutputUnwritable { .. } => "output_unwritable",
            Self::IndexUnreadable { .. } => "index_unreadable",
            Self::IndexBusy { .. } => "index_busy",
            Self::TablesUnreadable { .. } => "tables_unreadable",
            Self::EvidenceUnreadable { .. } => "evidence_unreadable",
            Self::Workers { .. } => "workers",
        }
    }

    /// Returns whether the same call may succeed later without a change to it.
    pub fn may_be_retried(&self) -> bool {
        matches!(
            self,
            Self::InputUnreadable { .. }
                | Self::Refused { .. }
                | Self::OutputUnwritable { .. }
                | Self::IndexUnreadable { .. }
                | Self::IndexBusy { .. }
                | Self::TablesUnreadable { .. }
                | Self::EvidenceUnreadable { .. }
                | Self::Workers { .. }
        )
    }
}

/// Returns what to do about a name without a file: it may be a URL without its scheme.
fn instead_of(location: &str) -> &'static str {
    let (first, rest) = location.split_once('/').unwrap_or((location, ""));
    let is_letters =
        |text: &str| text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_host = first
        .rsplit_once('.')
        .is_some_and(|(name, last)| !name.is_empty() && is_letters(last));
    if !rest.is_empty() && (is_host || first.ends_with(':')) {
        "check the name; a URL begins with https:// or s3://"
    } else {
        "check the name, or quote a glob for the shell"
    }
}
