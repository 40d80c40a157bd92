//! WAT files: what their writer took from the records of another archive, as JSON.
//!
//! Format: the metadata records of Common Crawl's WAT files, written by ia-web-commons: `Container` (where the
//! record is), `Envelope` with `WARC-Header-Metadata` and `Payload-Metadata`. No document describes it.
//! Example: `{"Container":{"Offset":"847"},"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response"},...}}`.
//!
//! A record that describes a response is given as that response: its block is an HTTP head with the fields that
//! the WAT has, and an HTML head with the metas and links that it has. What a WAT does not keep is in
//! [`NotKept`]: bodies; of an older writer, all but one of several fields of a name, which shows in the length of
//! the head; the text of scripts, and where the HTML head ends: metas and links of the body are listed, too.
//! The records of an ARC have `ARC-Header-Metadata` instead (FRAME-8). Left out: links that are not licences, metas without a name, texts.

mod envelope;
mod json;
mod rebuild;
mod skip;

use super::damage::{Damage, DamageKind};
use super::format::Format;
use super::record::{Kind, NotKept, Place, Record};
pub use json::{Json, decode as decode_json};

use envelope::Envelope;
use memchr::memmem;

/// How far into a block its first name is looked for.
const START_BYTES: usize = 64;

/// The texts of a record that is described, decoded; kept between records so that none costs an allocation.
#[derive(Default)]
pub struct Described {
    head: Vec<u8>,
    /// Where in `head` the values of the fields of the record's head end, and their names in the JSON.
    fields: Vec<(&'static [u8], usize)>,
    block: Vec<u8>,
    declared: u64,
    /// What the record is, where it is of an ARC.
    of_arc: Option<Kind>,
    place: Option<Place>,
    not_kept: NotKept,
}

/// Returns whether a record describes one of another archive.
pub fn is_envelope(record: &Record<'_>) -> bool {
    let start = record.block.get(..START_BYTES).unwrap_or(record.block);
    let is_json = record.media_type.is_some_and(|media_type| media_type.starts_with(b"application/json"));
    let named = |name: &[u8]| memmem::find(start, name).is_some();
    record.kind == Kind::Metadata && is_json && (named(b"\"Container\"") || named(b"\"Envelope\""))
}

impl Described {
    /// Reads the record that `record` describes.
    pub fn read(&mut self, record: &Record<'_>) -> Result<(), Damage> {
        let envelope = Some(record.block).filter(|_| record.block_is_whole).and_then(Envelope::parse);
        // Without the head of a record, it is unknown what it is about.
        let Some(envelope) = envelope.filter(Envelope::has_head) else {
            let detail = "found a metadata record whose JSON cannot be read".to_owned();
            return Err(Damage::lost(record.place.offset, DamageKind::Envelope, detail));
        };
        self.head.clear();
        self.fields.clear();
        self.block.clear();
        for (name, written) in envelope.warc {
            if let Some(written) = written {
                json::decode(written, &mut self.head);
                self.fields.push((name, self.head.len()));
            }
        }
        self.of_arc = envelope.is_arc.then(|| match envelope.field(b"WARC-Target-URI") {
            Some(target) if !target.starts_with(b"filedesc:") => Kind::Response,
            Some(_) | None => Kind::Info,
        });
        self.place = envelope.place();
        (self.not_kept, self.declared) = rebuild::block(&envelope, &mut self.block);
        Ok(())
    }

    /// Returns the record that was read last, which `record` describes.
    pub fn record<'a>(&'a self, record: &Record<'a>) -> Record<'a> {
        let mut described = Record::new(record.place, Format::Wat, &self.block);
        let mut start = 0;
        for (name, end) in &self.fields {
            described.take(name, self.head.get(start..*end).unwrap_or_default());
            start = *end;
        }
        described.kind = self.of_arc.unwrap_or(described.type_name.map_or(Kind::Other, Kind::of));
        described.type_name = record.type_name;
        described.described = self.place;
        described.length = self.declared;
        described.not_kept = self.not_kept;
        described.version = record.version;
        described.is_strict = record.is_strict;
        described
    }
}
