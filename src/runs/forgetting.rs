//! The mark of a crawl that is being removed from a folder, `_forget.json`: it is written first, and removed last.
//!
//! Example: a process that removed CC-MAIN-2026-30 was killed, and half of its evidence is left, of which no tables may be
//! made. Whoever reads evidence is refused until `forget` was called again. Left out: what is removed, see `job::forget`.

use super::identity::write_json;
use crate::error::Error;
use crate::store::Store;
use serde::{Deserialize, Serialize};
use std::io;

/// What the mark is called.
const MARK: &str = "_forget.json";

/// What becomes of the tables of a crawl whose evidence is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForgottenTables {
    /// They are removed, too.
    Removed,
    /// They stay as they are.
    Kept,
}

/// The crawl that is removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgetting {
    /// The crawl.
    pub crawl: String,
    /// What becomes of its tables.
    pub tables: ForgottenTables,
}

impl Forgetting {
    /// Returns what is being removed from a folder.
    pub(crate) fn read(store: &dyn Store) -> io::Result<Option<Self>> {
        let Some(mark) = store.read(MARK)? else { return Ok(None) };
        let unreadable = |error| io::Error::other(format!("{MARK} cannot be read: {error}"));
        serde_json::from_slice(&mark).map(Some).map_err(unreadable)
    }

    /// Marks the folder.
    pub(crate) fn begin(&self, store: &dyn Store) -> io::Result<()> {
        write_json(store, MARK, self)
    }

    /// Removes the mark.
    pub(crate) fn end(store: &dyn Store) -> io::Result<()> {
        store.remove(MARK)
    }

    /// Returns the error that it was not ended.
    pub(crate) fn unfinished(&self, store: &dyn Store) -> Error {
        let keep = match self.tables {
            ForgottenTables::Removed => "",
            ForgottenTables::Kept => " --keep-tables",
        };
        let location = store.location();
        let next = format!("crawlprefs forget {location} --crawl {}{keep}", self.crawl);
        Error::ForgetUnfinished { location, crawl: self.crawl.clone(), next }
    }
}

/// Refuses a folder of which a part of a crawl was removed.
///
/// # Errors
/// [`Error::ForgetUnfinished`], [`Error::EvidenceUnreadable`].
pub fn refuse_forgetting(store: &dyn Store) -> Result<(), Error> {
    let read = Forgetting::read(store);
    match read.map_err(|source| Error::EvidenceUnreadable { location: store.location(), source })? {
        Some(forgetting) => Err(forgetting.unfinished(store)),
        None => Ok(()),
    }
}
