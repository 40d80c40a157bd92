//! Finds a document in the output of a judgement, by its id or URL, and what it was judged by.
//!
//! Example: `<urn:uuid:5a1b...>` was dropped for `access_disallow@newest`, by the index with this digest.

use super::dialect::DocumentNames;
use super::earlier::key_of;
use super::judged_rows::{FileOf, JudgedRow, dropped_names, each};
use super::kind::kind;
use super::parquet::parquet_schema;
use super::state::{JudgedBy, Judgement, outputs};
use crate::web::timestamp::Timestamp;
use std::path::Path;

/// A document that was judged.
#[derive(Clone, Debug)]
pub struct JudgedDocument {
    /// The file that it is in.
    pub file: String,
    /// Its id.
    pub id: Option<String>,
    /// Its URL.
    pub url: Option<String>,
    /// Its date.
    pub date: Option<Timestamp>,
    /// Why it was dropped; `None` if it was kept.
    pub reason: Option<String>,
}

/// Finds a document in an output folder of `judge`, also among the dropped ones: the first with the id, else with the URL.
pub fn find_judged(folder: &Path, wanted: &str) -> Result<(JudgedDocument, JudgedBy), String> {
    let (judgement, about) = Judgement::read(folder)?;
    let (by, dropped) = (judgement.by(), judgement.dropped());
    let keys = [key_of(Some(wanted.as_bytes()), None), key_of(None, Some(wanted.as_bytes()))];
    for name in outputs(&about).map_err(|error| format!("{}: {error}", folder.display()))? {
        let of_dropped = dropped.as_ref().map(|dropped| (dropped.join(&name), FileOf::Dropped));
        let files = [(folder.join(&name), FileOf::Kept)].into_iter().chain(of_dropped);
        for (path, of) in files.filter(|(path, _)| path.exists()) {
            if let Some(found) = find_in(&path, &name, of, &keys)? {
                return Ok((found, by));
            }
        }
    }
    let hint = match dropped {
        Some(_) => "",
        None => "; what was dropped is known where judge was called with --dropped",
    };
    Err(format!("{}: no document {wanted} in it{hint}", folder.display()))
}

fn find_in(
    path: &Path,
    name: &str,
    of: FileOf,
    keys: &[Option<u128>],
) -> Result<Option<JudgedDocument>, String> {
    let fault = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let names = DocumentNames::default();
    let own = dropped_names();
    let names = match of {
        FileOf::Dropped => &own,
        FileOf::Kept | FileOf::List => {
            let kind = kind(path).map_err(|error| fault(&error))?;
            names.of_file(path, kind, || parquet_schema(path)).map_err(|error| fault(&error))?.0
        }
    };
    let mut found = None;
    let mut visit = |row: &JudgedRow<'_>| {
        let is_it = |key: Option<u128>| key.is_some() && keys.contains(&key);
        if found.is_none() && (is_it(key_of(row.id, None)) || is_it(key_of(None, row.url))) {
            let text = |text: Option<&[u8]>| text.map(|text| String::from_utf8_lossy(text).into_owned());
            let (id, url, reason) = (text(row.id), text(row.url), text(row.reason));
            found = Some(JudgedDocument { file: name.to_owned(), id, url, date: row.date, reason });
        }
    };
    each(path, names, of, &mut visit).map_err(|error| fault(&error))?;
    Ok(found)
}
