//! How documents are judged: for which times, and by which lists.

use super::at::At;
use super::unreadable;
use crate::error::Error;
use crate::runs::{MadeWith, TableOptions, default_memory_bytes};
use crate::store::Store;
use crate::systems::{aipref_vocab::Vocabulary, app_directives::Applications};
use crate::verdict::AgentsTable;
pub use crate::verdict::Twins;
use crate::web::timestamp::Timestamp;
use std::num::NonZeroUsize;
use std::time::Duration;

/// How documents are judged.
#[derive(Clone, Debug)]
pub struct JudgeOptions {
    /// The times that documents are judged for, in the order of `Verdict::at`.
    pub times: Vec<At>,
    /// Whether verdicts say what they rest on.
    pub is_audited: bool,
    /// Whether the noes of twins of an origin count.
    pub twins: Twins,
    /// The time from which the age of the newest copies is counted; `None`: it is not.
    pub now: Option<Timestamp>,
    /// The most time between the date of a document without a record and a capture of its URL whose noes count; `None`: none.
    pub match_within: Option<Duration>,
    /// The agents table of the tables, if it is not the bundled one.
    pub agents: Option<AgentsTable>,
    /// The vocabulary of the tables, if it is a file.
    pub vocabulary: Option<Vocabulary>,
    /// The crawlers of applications, if the tables have some.
    pub applications: Option<Applications>,
    /// The number of workers.
    pub jobs: NonZeroUsize,
    /// About how many bytes of memory to use at most; `None`: [`crate::runs::default_memory_bytes`].
    pub memory_bytes: Option<u64>,
}

impl Default for JudgeOptions {
    fn default() -> Self {
        Self {
            times: vec![At::Page],
            is_audited: false,
            twins: Twins::Count,
            now: None,
            match_within: None,
            agents: None,
            vocabulary: None,
            applications: None,
            jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            memory_bytes: None,
        }
    }
}

impl JudgeOptions {
    pub(super) fn memory_bytes(&self) -> u64 {
        self.memory_bytes.unwrap_or_else(default_memory_bytes)
    }
}

/// Returns the options of tables, with the lists that the user gives again.
pub fn options_of_tables(tables: &dyn Store, given: &JudgeOptions) -> Result<TableOptions, Error> {
    let location = || tables.location();
    let unreadable = unreadable(tables);
    let made_with = MadeWith::read(tables).map_err(&unreadable)?;
    let made_with = made_with.ok_or_else(|| Error::NoTables {
        location: location(),
    })?;
    let mut kept = made_with.table_options().map_err(unreadable)?;
    kept.agents = given.agents.clone().unwrap_or_else(AgentsTable::bundled);
    kept.viewpoint.applications = given.applications.clone().unwrap_or_default();
    if let Some(vocabulary) = &given.vocabulary {
        kept.viewpoint.vocabulary = vocabulary.clone();
    }
    let other = made_with.lists_other_than(&kept);
    if other.is_empty() {
        return Ok(kept);
    }
    let flags = other
        .iter()
        .map(|flag| format!("{flag} FILE"))
        .collect::<Vec<_>>()
        .join(" ");
    Err(Error::ListsMissing {
        location: location(),
        flags,
    })
}
