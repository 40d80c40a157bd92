//! WAT files: the data that their writer took from the records of another archive, as JSON.
//!
//! Format: the metadata records of Common Crawl's WAT files, written by ia-web-commons: `Container` (the record's place),
//! `Envelope` with `WARC-Header-Metadata` and `Payload-Metadata`. No document describes it.
//! Example: `{"Container":{"Offset":"847"},"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response"},...}}`.
//! A record that describes a response is given as that response: its block is an HTTP head with the WAT's fields, and an HTML
//! head with the WAT's metas and links. [`Unread`] says what a WAT does not keep: bodies; with an older writer, all but one
//! of several fields of a name, which shows in the length of the head; the text of scripts, and where the HTML head ends:
//! metas and links of the body are also listed. The records of an ARC have `ARC-Header-Metadata` instead (FRAME-8).
//! Left out: links that are not licences, metas without a name, texts.
//! Names may come in any order: until 2019 writers used that of a hash table. If a name comes twice, the last one counts.

mod json;
mod rebuild;
mod skip;

pub use json::{Json, decode as decode_json};

use super::damage::{Damage, DamageKind};
use super::record::{Kind, Place, Record};
use super::{format::Format, head::number};
use memchr::memmem;

/// How much of a block is searched for its first name.
const START_BYTES: usize = 64;

/// The decoded texts of a described record, kept between records to save allocations.
#[derive(Default)]
pub struct Described {
    head: Vec<u8>,
    block: Vec<u8>,
}

/// Returns whether a record describes one of another archive.
pub fn is_envelope(record: &Record<'_>) -> bool {
    let start = record.block.get(..START_BYTES).unwrap_or(record.block);
    let is_json = record
        .media_type
        .is_some_and(|media_type| media_type.starts_with(b"application/json"));
    let named = |name: &[u8]| memmem::find(start, name).is_some();
    record.kind == Kind::Metadata && is_json && (named(b"\"Container\"") || named(b"\"Envelope\""))
}

impl Described {
    pub fn read<'a>(&'a mut self, record: &Record<'a>) -> Result<Record<'a>, Damage> {
        let envelope = Some(record.block)
            .filter(|_| record.block_is_whole)
            .and_then(Envelope::parse);
        // Without the head of a record, its subject is unknown: judged by the type or, in an ARC, by the URL.
        let has_head = |envelope: &Envelope<'_>| {
            envelope
                .field(if envelope.is_arc {
                    b"WARC-Target-URI"
                } else {
                    b"WARC-Type"
                })
                .is_some()
        };
        let Some(envelope) = envelope.filter(has_head) else {
            let detail = "found a metadata record whose JSON cannot be read".to_owned();
            return Err(Damage::lost(
                record.place.offset,
                DamageKind::Envelope,
                detail,
            ));
        };
        self.head.clear();
        self.block.clear();
        let ends = envelope.warc.map(|written| {
            json::decode(written?, &mut self.head);
            Some(self.head.len())
        });
        let (not_kept, length) = rebuild::block(&envelope, &mut self.block);
        let mut described = Record::new(Format::Wat, &self.block);
        let mut start = 0;
        for (name, end) in WARC.iter().zip(ends) {
            let Some(end) = end else { continue };
            described.take(name, self.head.get(start..end).unwrap_or_default());
            start = end;
        }
        described.kind = match envelope.field(b"WARC-Target-URI") {
            _ if !envelope.is_arc => described
                .type_name
                .map_or(Kind::Other, Kind::from_type_name),
            Some(target) if !target.starts_with(b"filedesc:") => Kind::Response,
            Some(_) | None => Kind::Info,
        };
        (described.described, described.length) = (envelope.place(), length);
        let Record {
            place,
            type_name,
            version,
            is_strict,
            ..
        } = *record;
        Ok(Record {
            place,
            type_name,
            not_kept,
            version,
            is_strict,
            ..described
        })
    }
}

/// The fields of a record's head that are read.
const WARC: [&[u8]; 10] = [
    b"WARC-Target-URI",
    b"WARC-Date",
    b"WARC-Type",
    b"WARC-Record-ID",
    b"WARC-Payload-Digest",
    b"WARC-Truncated",
    b"WARC-Segment-Number",
    b"WARC-Refers-To",
    b"WARC-Concurrent-To",
    b"Content-Length",
];

/// The names that an ARC has for the first of them.
const ARC: [&[u8]; 2] = [b"Target-URI", b"Date"];

/// The parts of a WAT record that are read. Values are raw, strings without their quotes.
#[derive(Default)]
struct Envelope<'a> {
    /// The fields of the record's head, in the order of [`WARC`].
    pub warc: [Option<&'a [u8]>; 10],
    pub is_arc: bool,
    /// The array of fields of a metadata record.
    pub metadata: [Option<&'a [u8]>; 1],
    offset: Option<&'a [u8]>,
    lengths: [Option<&'a [u8]>; 3],
    /// The status line: version, status, reason.
    pub status_line: [Option<&'a [u8]>; 3],
    pub headers: Option<&'a [u8]>,
    pub headers_length: Option<&'a [u8]>,
    /// Whether the writer read the body as HTML.
    pub is_html: bool,
    /// The arrays of metas and of links of the HTML head.
    pub head: [Option<&'a [u8]>; 2],
}

impl<'a> Envelope<'a> {
    /// Reads the JSON of a WAT record; `None` if it is not a WAT record.
    pub fn parse(text: &'a [u8]) -> Option<Self> {
        let mut found = Self::default();
        let mut json = Json::new(text);
        let mut has_envelope = false;
        json.object(&mut |json, name| match name {
            b"Container" => found.container(json),
            b"Envelope" => {
                has_envelope = true;
                found.envelope(json)
            }
            _ => json.skip(),
        })?;
        (has_envelope && json.is_at_end()).then_some(found)
    }

    pub fn place(&self) -> Option<Place> {
        let lengths = self.lengths.map(|length| length.and_then(number));
        let length = lengths
            .iter()
            .try_fold(0_u64, |sum, length| sum.checked_add((*length)?));
        Some(Place {
            offset: number(self.offset?)?,
            member_skip: 0,
            length,
        })
    }

    pub fn field(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.warc
            .get(WARC.iter().position(|known| *known == name)?)
            .copied()
            .flatten()
    }

    /// Reads the strings of a head's members, whose names are in the order of [`WARC`].
    fn head(&mut self, json: &mut Json<'a>, names: &[&[u8]]) -> Option<()> {
        json.object(&mut |json, name| {
            let known = names
                .iter()
                .position(|known| name.eq_ignore_ascii_case(known));
            match known.and_then(|at| self.warc.get_mut(at)) {
                Some(slot) if json.peek()? == b'"' => {
                    json.string().map(|value| *slot = Some(value))
                }
                Some(_) | None => json.skip(),
            }
        })
    }

    fn container(&mut self, json: &mut Json<'a>) -> Option<()> {
        json.object(&mut |json, name| match name {
            b"Offset" => json.value().map(|value| self.offset = Some(value)),
            b"Gzip-Metadata" => json.values(
                [b"Header-Length", b"Deflate-Length", b"Footer-Length"],
                &mut self.lengths,
            ),
            _ => json.skip(),
        })
    }

    fn envelope(&mut self, json: &mut Json<'a>) -> Option<()> {
        json.object(&mut |json, name| match name {
            b"WARC-Header-Metadata" => self.head(json, &WARC),
            // FRAME-8: the record of an ARC has no type and no id.
            b"ARC-Header-Metadata" => {
                self.is_arc = true;
                self.head(json, &ARC)
            }
            b"Payload-Metadata" => json.object(&mut |json, name| match name {
                b"HTTP-Response-Metadata" => self.response(json),
                b"WARC-Metadata-Metadata" => json.values([b"Metadata-Records"], &mut self.metadata),
                _ => json.skip(),
            }),
            _ => json.skip(),
        })
    }

    fn response(&mut self, json: &mut Json<'a>) -> Option<()> {
        json.object(&mut |json, name| match name {
            b"Response-Message" => {
                json.values([b"Version", b"Status", b"Reason"], &mut self.status_line)
            }
            b"Headers" => json.value().map(|value| self.headers = Some(value)),
            b"Headers-Length" => json.value().map(|value| self.headers_length = Some(value)),
            b"HTML-Metadata" => {
                self.is_html = true;
                json.object(&mut |json, name| match name {
                    b"Head" => json.values([b"Metas", b"Link"], &mut self.head),
                    _ => json.skip(),
                })
            }
            _ => json.skip(),
        })
    }
}
