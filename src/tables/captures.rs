//! `evidence/captures`: one row per HTTP response or revisit record.

use super::Table;
use super::columns::{URL, UrlRows, WHAT, WHERE, WhatRows, WhereRows};
use super::values::{Offsets, TextLists};
use super::writer::rows;
use crate::archive::ArchiveName;
use crate::evidence::{Capture, Fields};
use crate::web::column::Column;
use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use data_encoding::BASE32;
use std::io;
use std::sync::Arc;

/// The fields of the column `fields`.
pub const SIGNAL: &[Column] = &[
    Column::text("carrier", "header, meta (by name) or http_equiv (meta by http-equiv)"),
    Column::text("name", "name in lower case"),
    Column::binary(
        "value",
        "value as received, without outer blanks, lines of a folded header joined by a blank, character references of a meta decoded; at most 64 KiB",
    ),
];

const OWN: &[Column] = &[
    Column::text("kind", "page, or the site file that the path names: robots, automation, tdmrep, ai_txt, trust_txt; robots_hop: anything else in a robotstxt subset, where redirects of robots.txt lead"),
    Column::text("body_digest", "SHA-1 (base32) of the decoded body, key to site_files; NULL for pages and where the body could not be read").or_null(),
    Column::text("depth", "how much of the record was read: full; no_meta: all but the HTML head of pages; heads: no body of a page"),
    Column::texts("unread", "carriers that could not be read whole: header, meta, body"),
    Column::structs("signals", SIGNAL, "every header field and every named meta of the HTML head, in order, but those on the noise list whose version the footer tells"),
];

/// `evidence/captures`
pub static CAPTURES: Table = Table {
    name: "captures",
    folder: "evidence/captures",
    row: "HTTP response or revisit record",
    columns: || vec![WHERE, URL, WHAT, OWN],
};

/// The column `fields`, being filled.
#[derive(Default)]
struct SignalLists {
    carriers: StringBuilder,
    names: StringBuilder,
    values: BinaryBuilder,
    offsets: Offsets,
}

impl SignalLists {
    fn push(&mut self, fields: &Fields) {
        for field in fields.iter() {
            self.carriers.append_value(field.carrier.as_str());
            self.names.append_value(field.name);
            self.values.append_value(field.value);
            self.offsets.element();
        }
        self.offsets.row();
    }

    fn finish(&mut self) -> ArrayRef {
        let fields: Vec<ArrayRef> = vec![
            Arc::new(self.carriers.finish()),
            Arc::new(self.names.finish()),
            Arc::new(self.values.finish()),
        ];
        self.offsets.finish_structs(SIGNAL, fields, None)
    }
}

/// Rows of `captures`, being filled.
#[derive(Default)]
pub struct CaptureRows {
    place: WhereRows,
    url: UrlRows,
    what: WhatRows,
    kind: StringBuilder,
    body_digest: StringBuilder,
    depth: StringBuilder,
    unread: TextLists,
    fields: SignalLists,
    count: usize,
}

impl CaptureRows {
    /// Adds a capture of `archive`.
    pub fn push(&mut self, archive: &ArchiveName, evidence: &Capture<'_>) {
        self.place.push(archive, evidence.place);
        self.url.push(&evidence.target);
        self.what.push(evidence);
        self.kind.append_value(evidence.kind.as_str());
        self.body_digest.append_option(evidence.body.as_ref().map(|body| BASE32.encode(&body.digest)));
        self.depth.append_value(evidence.depth.as_str());
        self.unread.push(evidence.unread.names());
        self.fields.push(evidence.fields);
        self.count += 1;
    }

    /// Returns how many rows there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the rows and starts anew.
    ///
    /// # Errors
    /// None, unless the builder does not fit the declaration, which is a bug.
    pub fn finish(&mut self) -> io::Result<RecordBatch> {
        self.count = 0;
        let mut columns = self.place.finish();
        columns.extend(self.url.finish());
        columns.extend(self.what.finish());
        columns.push(Arc::new(self.kind.finish()));
        columns.push(Arc::new(self.body_digest.finish()));
        columns.push(Arc::new(self.depth.finish()));
        columns.push(self.unread.finish());
        columns.push(self.fields.finish());
        rows(&CAPTURES, columns)
    }
}
