//! The rows of a batch's archives in `archives` and `failures`, which the manifests keep.

use super::Work;
use super::part::Part;
use crate::runs::Batch;
use crate::tables::Rows;
use crate::tables::archives::{self, ARCHIVES};
use crate::tables::failures::{self, FAILURES};
use std::io;

/// Writes both parts; they are to be committed with the batch.
pub fn write_inputs(batch: &Batch<'_>, work: &Work<'_>) -> io::Result<[Part; 2]> {
    let mut failures_part = Part::always(&FAILURES, &batch.name, work)?;
    let mut archives_part = Part::always(&ARCHIVES, &batch.name, work)?;
    let (mut failure_rows, mut archive_rows) = (Rows::new(&FAILURES), Rows::new(&ARCHIVES));
    for archive in &batch.archives {
        let name = archive.manifest.name();
        archives::append(&mut archive_rows, &name, &archive.manifest.row);
        for damage in archive.failures()? {
            failures::append(&mut failure_rows, &name, &damage);
        }
        failures_part.write(&failure_rows.finish()?)?;
    }
    archives_part.write(&archive_rows.finish()?)?;
    Ok([failures_part, archives_part])
}
