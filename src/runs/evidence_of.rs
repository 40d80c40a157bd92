//! The folders of the evidence of tables: given by the user, the tables' own, or named in `_resolved.json`.
//!
//! Example: after `resolve /mnt/a b -o tables`, the tables name `/mnt/a` and `b`, and where `b` was. A folder that was moved is
//! found by the name as it was given. A URL is never opened because a file names it: requests with the user's credentials go
//! where the user says. Left out: whether the folders have evidence, which their reader finds out.

use super::identity::{Identity, MANIFESTS, RunFile};
use crate::error::Error;
use crate::store::{Places, Store, is_remote};
use std::io;
use std::iter;
use std::sync::Arc;

/// Returns the folders of evidence of tables: those `given`, else the tables' own and those that they name.
///
/// # Errors
/// [`Error::TablesUnreadable`], [`Error::EvidenceElsewhere`], [`Error::EvidenceUnreadable`].
pub fn evidence_of(
    tables: &Arc<dyn Store>,
    given: Vec<Arc<dyn Store>>,
) -> Result<Vec<Arc<dyn Store>>, Error> {
    if !given.is_empty() {
        return Ok(given);
    }
    let unreadable = |source| Error::TablesUnreadable { location: tables.location(), source };
    let identity = Identity::read(tables.as_ref(), RunFile::Resolve).map_err(unreadable)?;
    let mut found = Vec::new();
    for (named, absolute) in identity.iter().flat_map(named_places) {
        if let Some(url) = [Some(named), absolute].into_iter().flatten().find(|place| is_remote(place)) {
            return Err(Error::EvidenceElsewhere { location: tables.location(), url: url.to_owned() });
        }
        found.push(of_either(named, absolute).map_err(|source| {
            let location = absolute.unwrap_or(named).to_owned();
            Error::EvidenceUnreadable { location, source }
        })?);
    }
    if found.is_empty() || !tables.list(MANIFESTS).map_err(unreadable)?.is_empty() {
        found.push(Arc::clone(tables));
    }
    Ok(found)
}

/// How each folder was given, and where it was then.
fn named_places(identity: &Identity) -> impl Iterator<Item = (&str, Option<&str>)> {
    let absolute = identity.evidence_at.iter().map(|place| Some(place.as_str())).chain(iter::repeat(None));
    identity.evidence.iter().map(String::as_str).zip(absolute)
}

/// Whether a folder that tables name has evidence now; a URL is not asked.
pub fn is_there(named: &str, absolute: Option<&str>) -> bool {
    let is_url = [Some(named), absolute].into_iter().flatten().any(is_remote);
    is_url || of_either(named, absolute).is_ok_and(|store| has_evidence(store.as_ref()).unwrap_or(true))
}

fn has_evidence(store: &dyn Store) -> io::Result<bool> {
    store.bytes(RunFile::Scan.name()).map(|bytes| bytes.is_some())
}

/// The folder at its earlier place, or, if that has no evidence now but the name as given has some, that one.
fn of_either(named: &str, absolute: Option<&str>) -> io::Result<Arc<dyn Store>> {
    let places = Places::default();
    let given = places.input(named.as_ref())?;
    let Some(absolute) = absolute else { return Ok(given.into()) };
    let there = places.input(absolute.as_ref())?;
    let is_moved = !has_evidence(there.as_ref())? && has_evidence(given.as_ref())?;
    Ok(if is_moved { given } else { there }.into())
}
