//! Why a job could not run, as values that callers can act on.
//!
//! Three things are separate. What stops the job is an [`Error`] here. A fault of an input is a row in `archives` or
//! `failures`, and the job goes on. A fault of a signal is a finding in the tables.

use std::io;

/// Why a job could not run, or could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A named input does not exist.
    #[error("{location}: no such file or folder; {}", instead_of(location))]
    InputMissing {
        /// The name as given.
        location: String,
    },
    /// A named input, or a list of inputs, cannot be read.
    #[error("{location}: cannot be read: {source}")]
    InputUnreadable {
        /// The name as given.
        location: String,
        /// Why.
        source: io::Error,
    },
    /// A glob or a folder gives no archive.
    #[error(
        "{location}: no archives there; expected *.warc, *.arc, *.wat (also with .gz or .zst) or *.wacz; give another file by its name"
    )]
    NoArchives {
        /// The folder or glob as given.
        location: String,
    },
    /// A list of inputs has no lines.
    #[error("{location}: an empty list; expected one path per line")]
    EmptyList {
        /// The list as given.
        location: String,
    },
    /// A line of a list is neither a path nor a URL.
    #[error("{location}: line {line}: {detail}; expected a path or URL, or a comment that begins with #")]
    BadLine {
        /// The list as given.
        location: String,
        /// The line, from 1.
        line: usize,
        /// What was found.
        detail: String,
    },
    /// A list exceeds a limit.
    #[error("{location}: more than {limit}, the limit for one list; split it, and make several calls")]
    ListTooLong {
        /// The list as given.
        location: String,
        /// The limit that it exceeds.
        limit: String,
    },
    /// A glob cannot be parsed.
    #[error("{location}: not a glob: {detail}")]
    BadGlob {
        /// The glob as given.
        location: String,
        /// What is wrong with it.
        detail: String,
    },
    /// Two archives would have the same name in the tables.
    #[error(
        "two inputs would have the name {name} in the tables: {first} and {second}; give the folder above both, or --base"
    )]
    SameName {
        /// The name.
        name: String,
        /// Where the first one is.
        first: String,
        /// Where the second one is.
        second: String,
    },
    /// A server wants no more requests.
    #[error("{detail}")]
    Refused {
        /// Which one, and how to go on.
        detail: String,
    },
    /// A folder has no documents.
    #[error(
        "{location}: no documents there; expected *.parquet, *.jsonl, *.json, *.ndjson or *.txt (the last four also with .gz or .zst); give another file by its name"
    )]
    NoDocuments {
        /// The folder as given.
        location: String,
    },
    /// Two files of documents would have the same output.
    #[error("two inputs would be written to {name}: {first} and {second}; name the folder above both")]
    SameOutput {
        /// The name.
        name: String,
        /// The first one.
        first: String,
        /// The second one.
        second: String,
    },
    /// None of the documents that an earlier judgement kept is among the documents.
    #[error(
        "{location}: none of the documents that were kept then ({kept}) is among these; documents are known by their ids, else by their URLs"
    )]
    NothingCompared {
        /// The list or folder of the earlier judgement.
        location: String,
        /// How many were kept then.
        kept: u64,
    },
    /// The output cannot be written.
    #[error("{location}: cannot be written: {source}")]
    OutputUnwritable {
        /// The output.
        location: String,
        /// Why.
        source: io::Error,
    },
    /// The output holds files that are not ours.
    #[error("{location}: not empty, and nothing in it says that crawlprefs wrote it; choose another folder")]
    OutputForeign {
        /// The output.
        location: String,
    },
    /// The output holds another run.
    #[error("{file}: from another run ({difference}); {remedy}")]
    OutputOfAnotherRun {
        /// The file that shows it.
        file: String,
        /// What differs: there, and in this call.
        difference: String,
        /// How to go on.
        remedy: &'static str,
    },
    /// A newer version of crawlprefs wrote the output.
    #[error(
        "{file}: written by a newer version of crawlprefs ({difference}); use that version, or choose another folder"
    )]
    OutputOfNewerVersion {
        /// The file that shows it.
        file: String,
        /// What differs: there, and in this version.
        difference: String,
    },
    /// There is no evidence to resolve.
    #[error(
        "{location}: no evidence there; expected a folder that crawlprefs scan or run wrote: check the name, and whether its file system is mounted"
    )]
    NoEvidence {
        /// The folder.
        location: String,
    },
    /// Tables were made of more archives than there are now.
    #[error(
        "{file}: made from archives without evidence now ({archives}, such as {example}); name every folder of evidence, or resolve with --drop-missing to make the tables without them"
    )]
    ArchivesMissing {
        /// The manifest that names them.
        file: String,
        /// How many.
        archives: usize,
        /// One of them.
        example: String,
    },
    /// A segment lacks archives that are required.
    #[error(
        "{archives} archives of the list of --require are not read to their end, such as {example}; scan them first (crawlprefs status OUT --paths-from LIST lists them), or leave out --require"
    )]
    SegmentIncomplete {
        /// How many.
        archives: usize,
        /// One of them.
        example: String,
    },
    /// There is no evidence of a named segment, or of a crawl to leave out.
    #[error("no evidence of {segment}; found {found}")]
    SegmentUnknown {
        /// The segment or the crawl.
        segment: String,
        /// Some of those with evidence.
        found: String,
    },
    /// The call would remove tables that cannot be made again.
    #[error(
        "{location}: --overwrite would remove the tables of {crawls}, whose evidence is not in the folders given; {next}, or add --drop-missing to remove these tables"
    )]
    TablesWithoutEvidence {
        /// The folder of the tables.
        location: String,
        /// The crawls.
        crawls: String,
        /// How to go on without a loss.
        next: String,
    },
    /// A part of the tables is missing.
    #[error("{location}: its tables are not complete ({detail}); run crawlprefs resolve to make them again")]
    TablesIncomplete {
        /// The folder.
        location: String,
        /// What is missing.
        detail: String,
    },
    /// There is no site index.
    #[error(
        "{location}: no site index there; expected a folder that crawlprefs index wrote, with _index.json"
    )]
    NoIndex {
        /// The folder.
        location: String,
    },
    /// A site index cannot be read.
    #[error("{location}: its site index cannot be read: {source}")]
    IndexUnreadable {
        /// The folder.
        location: String,
        /// Why.
        source: io::Error,
    },
    /// The folder has a site index already.
    #[error("{location}: has a site index already; choose another folder, or --overwrite to replace it")]
    IndexExists {
        /// The folder.
        location: String,
    },
    /// A site index, its sources, or tables lack archives or records.
    #[error("{location}: {detail}; read them again, or give --allow-incomplete")]
    Incomplete {
        /// The index, the tables, or the folder of a new index.
        location: String,
        /// What it lacks.
        detail: String,
    },
    /// Another call writes an index into the folder.
    #[error(
        "{location}: another call of crawlprefs index has been at work there for {seconds} s; wait for its end, or, where its machine is gone, remove _index_unfinished from the folder"
    )]
    IndexBusy {
        /// The folder.
        location: String,
        /// For how many seconds.
        seconds: i64,
    },
    /// A site index is to be made from itself.
    #[error("{location}: both an input and the output; choose another folder for the output")]
    IndexIsInput {
        /// The folder.
        location: String,
    },
    /// There are no tables to judge by.
    #[error("{location}: no tables there; expected a folder that crawlprefs run or resolve wrote")]
    NoTables {
        /// The folder.
        location: String,
    },
    /// Tables cannot be read.
    #[error("{location}: its tables cannot be read: {source}")]
    TablesUnreadable {
        /// The folder.
        location: String,
        /// Why.
        source: io::Error,
    },
    /// Tables were made with lists that are not part of them.
    #[error(
        "{location}: resolved with files that its tables do not have; give the same files again: {flags}"
    )]
    ListsMissing {
        /// The folder.
        location: String,
        /// The flags that take them.
        flags: String,
    },
    /// The evidence cannot be read.
    #[error("{location}: its evidence cannot be read: {source}")]
    EvidenceUnreadable {
        /// The folder.
        location: String,
        /// Why.
        source: io::Error,
    },
    /// The evidence of tables is at a URL that only the tables name.
    #[error(
        "{location}: its evidence is at {url}, which only the tables say; a URL is asked only if you name it: --evidence {url}"
    )]
    EvidenceElsewhere {
        /// The folder of the tables.
        location: String,
        /// The URL.
        url: String,
    },
    /// A file of the evidence is damaged.
    #[error("{fault}")]
    EvidenceDamaged {
        /// The file, what is wrong with it, and how to repair it.
        fault: String,
    },
    /// Two folders of evidence have different archives of one name.
    #[error("{first} and {second}: both have evidence of {name}, of different files; {next}")]
    EvidenceDiffers {
        /// The archive's name.
        name: String,
        /// The first folder.
        first: String,
        /// The second folder.
        second: String,
        /// How to go on, with the next command.
        next: String,
    },
    /// The machine cannot start threads.
    #[error("cannot start {jobs} workers: {detail}; try fewer with --jobs")]
    Workers {
        /// How many.
        jobs: usize,
        /// Why.
        detail: String,
    },
}

/// Gives each error its kind, and whether the same call may succeed later without a change to it.
macro_rules! kinds {
    (lasting { $($lasting:ident => $name:literal),+ $(,)? } passing { $($passing:ident => $passing_name:literal),+ $(,)? }) => {
        impl Error {
            /// Returns the kind of error, a word for programs that read the log.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$lasting { .. } => $name,)+
                    $(Self::$passing { .. } => $passing_name,)+
                }
            }

            /// Returns whether the same call may succeed later without a change to it.
            pub fn may_be_retried(&self) -> bool {
                match self {
                    $(Self::$lasting { .. } => false,)+
                    $(Self::$passing { .. } => true,)+
                }
            }
        }
    };
}

kinds! {
    lasting {
        InputMissing => "input_missing",
        NoArchives => "no_archives",
        NoDocuments => "no_documents",
        SameOutput => "same_output",
        NothingCompared => "nothing_compared",
        EmptyList => "empty_list",
        BadLine => "bad_line",
        ListTooLong => "list_too_long",
        BadGlob => "bad_glob",
        SameName => "same_name",
        OutputForeign => "output_foreign",
        OutputOfAnotherRun => "output_of_another_run",
        OutputOfNewerVersion => "output_of_newer_version",
        NoEvidence => "no_evidence",
        ArchivesMissing => "archives_missing",
        SegmentIncomplete => "segment_incomplete",
        SegmentUnknown => "segment_unknown",
        TablesWithoutEvidence => "tables_without_evidence",
        TablesIncomplete => "tables_incomplete",
        NoTables => "no_tables",
        NoIndex => "no_index",
        IndexExists => "index_exists",
        IndexIsInput => "index_is_input",
        Incomplete => "incomplete",
        ListsMissing => "lists_missing",
        EvidenceElsewhere => "evidence_elsewhere",
        EvidenceDamaged => "evidence_damaged",
        EvidenceDiffers => "evidence_differs",
    }
    passing {
        InputUnreadable => "input_unreadable",
        Refused => "refused",
        OutputUnwritable => "output_unwritable",
        IndexUnreadable => "index_unreadable",
        IndexBusy => "index_busy",
        TablesUnreadable => "tables_unreadable",
        EvidenceUnreadable => "evidence_unreadable",
        Workers => "workers",
    }
}

/// Returns what to do about a name without a file: it may be a URL without its scheme.
fn instead_of(location: &str) -> &'static str {
    let (first, rest) = location.split_once('/').unwrap_or((location, ""));
    let is_letters = |text: &str| text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_host = first.rsplit_once('.').is_some_and(|(name, last)| !name.is_empty() && is_letters(last));
    if !rest.is_empty() && (is_host || first.ends_with(':')) {
        "check the name; a URL begins with https:// or s3://"
    } else {
        "check the name, or quote a glob for the shell"
    }
}
