//! Pages in the tables that flags name, with its evidence.

use super::resolve::{Refusal, input};
use crawlprefs::explain::Scenario;
use crawlprefs::explain::tables::{self, RowPlace, RowRecords, Wanted};
use crawlprefs::runs::evidence_of;
use crawlprefs::store::{Places, Store};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the scenario of a page in the tables of a folder; their evidence is in the folders of `--evidence`, by
/// default in those that the tables name.
pub fn scenario(
    folder: &Path,
    evidence: &[PathBuf],
    wanted: &Wanted<'_>,
    places: &Places,
) -> Result<Scenario, Refusal> {
    let (tables, evidence) = open(folder, evidence, places)?;
    let evidence: Vec<&dyn Store> = evidence.iter().map(AsRef::as_ref).collect();
    tables::scenario(tables.as_ref(), &evidence, wanted).map_err(|error| error.to_string())
}

/// Returns the records behind rows of the tables of a folder, likewise.
pub fn records(
    folder: &Path,
    evidence: &[PathBuf],
    rows: &BTreeSet<RowPlace>,
    places: &Places,
) -> Result<RowRecords, Refusal> {
    let (tables, evidence) = open(folder, evidence, places)?;
    let evidence: Vec<&dyn Store> = evidence.iter().map(AsRef::as_ref).collect();
    tables::records(tables.as_ref(), &evidence, rows).map_err(|error| error.to_string())
}

/// A folder.
type SharedStore = Arc<dyn Store>;

/// Opens the folder of the tables, and the folders of their evidence.
fn open(
    folder: &Path,
    evidence: &[PathBuf],
    places: &Places,
) -> Result<(SharedStore, Vec<SharedStore>), Refusal> {
    let open =
        |folder: &Path| input(folder, places).map(SharedStore::from).map_err(|error| error.to_string());
    let tables = open(folder)?;
    let given = evidence.iter().map(|folder| open(folder)).collect::<Result<_, Refusal>>()?;
    let evidence = evidence_of(&tables, given).map_err(|error| error.to_string())?;
    Ok((tables, evidence))
}
