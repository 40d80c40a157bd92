//! The rows of a batch's archives in `archives` and `failures`, which the manifests keep.

use super::Work;
use super::batch::Part;
use super::group::Batch;
use crate::tables::archives::{ARCHIVES, ArchiveRows};
use crate::tables::failures::{FAILURES, FailureRows};
use std::io;

/// Writes both parts; they are to be committed with the batch.
pub fn write_inputs(batch: &Batch<'_>, work: &Work<'_>) -> io::Result<[Part; 2]> {
    let mut failures = Part::always(&FAILURES, &batch.name, work)?;
    let mut archives = Part::always(&ARCHIVES, &batch.name, work)?;
    let (mut failure_rows, mut archive_rows) = (FailureRows::default(), ArchiveRows::default());
    for archive in &batch.archives {
        let name = archive.manifest.name();
        archive_rows.push(&name, &archive.manifest.row);
        for damage in archive.failures()? {
            failure_rows.push(&name, &damage);
        }
        failures.write(&failure_rows.finish()?)?;
    }
    archives.write(&archive_rows.finish()?)?;
    Ok([failures, archives])
}
