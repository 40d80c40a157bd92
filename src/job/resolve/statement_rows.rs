//! The rows of the statements of a group's site files, read again once the number of origins with each body is known.

use super::Work;
use super::files::{File, Files, RowsOfBodies};
use super::pieces::Pieces;
use super::tally::ResolveTally;
use crate::robots::{Managed, ParseLimit, RobotsTxt, managed_of};
use crate::systems::{FileBody, Shown, Source};
use crate::tables::Rows;
use crate::tables::statements::{self, STATEMENTS};
use crate::verdict::account::each_statement;
use crate::web::capture_kind::CaptureKind;
use arrow_array::RecordBatch;
use std::io;

/// The rows of the statements of some bodies.
pub struct WrittenStatements {
    pub rows: RecordBatch,
    /// Their counts.
    pub tally: ResolveTally,
}

/// Rows of the statements of some bodies, being filled.
pub struct StatementRows<'s> {
    files: Files<'s>,
    /// The number of origins with each body as a current file, by the body's number.
    origins: &'s [u32],
    work: &'s Work<'s>,
    rows: Rows,
    tally: ResolveTally,
}

impl<'s> StatementRows<'s> {
    /// Returns no rows.
    pub fn new(files: Files<'s>, origins: &'s [u32], work: &'s Work<'s>) -> Self {
        Self { files, origins, work, rows: Rows::new(&STATEMENTS), tally: ResolveTally::default() }
    }

    fn add(&mut self, file: &File<'_>, source: &Source<'_>, managed: &[Managed<'_>]) {
        let Self { files, origins, work, rows, tally } = self;
        let origins = origins.get(file.number as usize).copied().unwrap_or(0);
        let (key, mut pieces) = (files.key(file), Pieces::default());
        each_statement(source, work.resolver.viewpoint(), &mut |accounted| {
            let statement = accounted.statement;
            if accounted.shown == Shown::Row {
                tally.count_statement(statement);
                if let Some(place) = accounted.system {
                    pieces.add(place, statement);
                }
                let text = statement.line.and_then(|line| managed_of(managed, line));
                statements::append_of_site_file(rows, key, origins, text, accounted);
            }
        });
        tally.unreadable += pieces.unreadable();
    }
}

impl RowsOfBodies for StatementRows<'_> {
    type Made = WrittenStatements;

    fn add_body(&mut self, number: u32) -> io::Result<()> {
        let Some((file, bytes)) = self.files.read(number)? else { return Ok(()) };
        let (kind, extent) = (file.body.key.kind, file.body.extent);
        if kind == CaptureKind::Robots {
            let robots = RobotsTxt::parse_text(bytes, extent, ParseLimit::default());
            let is_of_no_vendor = file.body.known_facts().is_some_and(|facts| facts.managed_by.is_none());
            let managed = if is_of_no_vendor { Vec::new() } else { self.work.vendor_texts.managed(&robots) };
            self.add(&file, &Source::Robots(&robots), &managed);
        } else {
            self.add(&file, &Source::SiteFile(kind, FileBody { bytes: &bytes, extent }), &[]);
        }
        Ok(())
    }

    fn byte_count(&self) -> usize {
        self.rows.byte_count()
    }

    fn finish(mut self) -> io::Result<WrittenStatements> {
        Ok(WrittenStatements { rows: self.rows.finish()?, tally: self.tally })
    }
}
