//! The lists with which tables were made: the user gives their own lists again, and they must be the same.

use crate::error::Error;
use crate::runs::{MadeWith, TableOptions};
use crate::store::Store;
use crate::systems::aipref_vocab::Vocabulary;
use crate::systems::app_directives::Applications;
use crate::verdict::AgentsTable;

/// The lists that the user gives.
pub struct GivenLists<'g> {
    pub agents: Option<&'g AgentsTable>,
    pub vocabulary: Option<&'g Vocabulary>,
    pub applications: Option<&'g Applications>,
}

/// Returns the options of tables, with the lists that the user gives again.
pub fn options_of_tables(tables: &dyn Store, given: &GivenLists<'_>) -> Result<TableOptions, Error> {
    let location = || tables.location();
    let unreadable = |source| Error::TablesUnreadable { location: location(), source };
    let made_with = MadeWith::read(tables).map_err(unreadable)?;
    let made_with = made_with.ok_or_else(|| Error::NoTables { location: location() })?;
    let mut kept = made_with.table_options().map_err(unreadable)?;
    kept.agents = given.agents.cloned().unwrap_or_else(AgentsTable::bundled);
    kept.viewpoint.applications = given.applications.cloned().unwrap_or_default();
    if let Some(vocabulary) = given.vocabulary {
        kept.viewpoint.vocabulary = vocabulary.clone();
    }
    let other = made_with.lists_other_than(&kept);
    if other.is_empty() {
        return Ok(kept);
    }
    let flags = other.iter().map(|flag| format!("{flag} FILE")).collect::<Vec<_>>().join(" ");
    Err(Error::ListsMissing { location: location(), flags })
}
