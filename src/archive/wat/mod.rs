//! WAT files: the data that their writer took from the records of another archive, as JSON.
//!
//! Format: the metadata records of Common Crawl's WAT files, written by ia-web-commons: `Container` (the record's place),
//! `Envelope` with `WARC-Header-Metadata` and `Payload-Metadata`. No document describes it.
//! Example: `{"Container":{"Offset":"847"},"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response"},...}}`.
//! A record that describes a response is given as that response: its block is an HTTP head with the WAT's fields, and an HTML
//! head with the WAT's metas and links. [`NotKept`] says what a WAT does not keep: bodies; with an older writer, all but one
//! of several fields of a name, which shows in the length of the head; the text of scripts, and where the HTML head ends:
//! metas and links of the body are also listed. The records of an ARC have `ARC-Header-Metadata` instead (FRAME-8).
//! Left out: links that are not licences, metas without a name, texts.
//! Names may come in any order: until 2019 writers used that of a hash table. If a name comes twice, the last one counts.

mod json;
mod rebuild;
mod skip;

pub use json::{Json, decode as decode_json};

use super::damage::{Damage, DamageKind};
use super::format::Format;
use super::record::{Kind, NotKept, Place, Record};
use memchr::memmem;

/// How much of a block is searched for its first name.
const START_BYTES: usize = 64;

/// The decoded texts of a described record, kept between records to save allocations.
#[derive(Default)]
pub struct Described {
    head: Vec<u8>,
    /// The fields of the record's head: their names in the JSON, and the ends of their values in `head`.
    fields: Vec<(&'static [u8], usize)>,
    block: Vec<u8>,
    declared: u64,
    /// The kind of the record, if it is from an ARC.
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
        // Without the head of a record, its subject is unknown.
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

    /// Returns the record that was read last, described by `record`.
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

const WARC: [&[u8]; 10] = [
    b"WARC-Type",
    b"WARC-Target-URI",
    b"WARC-Date",
    b"WARC-Record-ID",
    b"WARC-Payload-Digest",
    b"WARC-Truncated",
    b"WARC-Segment-Number",
    b"WARC-Refers-To",
    b"WARC-Concurrent-To",
    b"Content-Length",
];

/// The fields of an ARC's line that are read, and their names in a WARC.
const ARC: [(&[u8], &[u8]); 2] = [(b"Target-URI", b"WARC-Target-URI"), (b"Date", b"WARC-Date")];

/// The parts of a WAT record that are read. Values are raw, strings without their quotes.
#[derive(Default)]
struct Envelope<'a> {
    /// The fields of the record's head.
    pub warc: [(&'static [u8], Option<&'a [u8]>); 10],
    /// Whether it describes a record of an ARC.
    pub is_arc: bool,
    /// The array of fields of a metadata record.
    pub metadata: Option<&'a [u8]>,
    offset: Option<&'a [u8]>,
    lengths: [Option<&'a [u8]>; 3],
    /// The status line: version, status, reason.
    pub status_line: [Option<&'a [u8]>; 3],
    /// The object of header fields.
    pub headers: Option<&'a [u8]>,
    /// The length of the HTTP head in bytes.
    pub headers_length: Option<&'a [u8]>,
    /// Whether the writer read the body as HTML.
    pub is_html: bool,
    /// The arrays of metas and of links of the HTML head.
    pub head: [Option<&'a [u8]>; 2],
}

impl<'a> Envelope<'a> {
    /// Reads the JSON of a WAT record; `None` if it is not a WAT record.
    pub fn parse(text: &'a [u8]) -> Option<Self> {
        let mut found = Self { warc: WARC.map(|name| (name, None)), ..Self::default() };
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

    /// Returns whether the record has a head, judged by the type or, in an ARC, by the URL.
    pub fn has_head(&self) -> bool {
        self.field(if self.is_arc { b"WARC-Target-URI" } else { b"WARC-Type" }).is_some()
    }

    /// Returns the record's place in its archive.
    pub fn place(&self) -> Option<Place> {
        let lengths = self.lengths.map(|length| length.and_then(number));
        let length = lengths.iter().try_fold(0_u64, |sum, length| sum.checked_add((*length)?));
        Some(Place { offset: number(self.offset?)?, member_skip: 0, length })
    }

    /// Returns a field of the record's head.
    pub fn field(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.warc.iter().find(|(known, _)| *known == name)?.1
    }

    fn take(&mut self, name: &[u8], written: &'a [u8]) {
        if let Some((_, slot)) = self.warc.iter_mut().find(|(known, _)| *known == name) {
            *slot = Some(written);
        }
    }

    fn container(&mut self, json: &mut Json<'a>) -> Option<()> {
        json.object(&mut |json, name| match name {
            b"Offset" => json.value().map(|value| self.offset = Some(value)),
            b"Gzip-Metadata" => json.object(&mut |json, name| {
                let [header, deflate, footer] = &mut self.lengths;
                let slot = match name {
                    b"Header-Length" => header,
                    b"Deflate-Length" => deflate,
                    b"Footer-Length" => footer,
                    _ => return json.skip(),
                };
                json.value().map(|value| *slot = Some(value))
            }),
            _ => json.skip(),
        })
    }

    fn envelope(&mut self, json: &mut Json<'a>) -> Option<()> {
        json.object(&mut |json, name| match name {
            b"WARC-Header-Metadata" => json.object(&mut |json, name| match self
                .warc
                .iter_mut()
                .find(|(known, _)| name.eq_ignore_ascii_case(known))
            {
                Some((_, slot)) if json.peek()? == b'"' => json.string().map(|value| *slot = Some(value)),
                Some(_) | None => json.skip(),
            }),
            // FRAME-8: the record of an ARC has no type and no id.
            b"ARC-Header-Metadata" => {
                self.is_arc = true;
                json.object(
                    &mut |json, name| match ARC.iter().find(|(arc, _)| name.eq_ignore_ascii_case(arc)) {
                        Some((_, warc)) if json.peek()? == b'"' => {
                            let written = json.string()?;
                            self.take(warc, written);
                            Some(())
                        }
                        Some(_) | None => json.skip(),
                    },
                )
            }
            b"Payload-Metadata" => json.object(&mut |json, name| match name {
                b"HTTP-Response-Metadata" => self.response(json),
                b"WARC-Metadata-Metadata" => json.object(&mut |json, name| match name {
                    b"Metadata-Records" => json.value().map(|value| self.metadata = Some(value)),
                    _ => json.skip(),
                }),
                _ => json.skip(),
            }),
            _ => json.skip(),
        })
    }

    fn response(&mut self, json: &mut Json<'a>) -> Option<()> {
        json.object(&mut |json, name| match name {
            b"Response-Message" => json.object(&mut |json, name| {
                let [version, status, reason] = &mut self.status_line;
                let slot = match name {
                    b"Version" => version,
                    b"Status" => status,
                    b"Reason" => reason,
                    _ => return json.skip(),
                };
                json.value().map(|value| *slot = Some(value))
            }),
            b"Headers" => json.value().map(|value| self.headers = Some(value)),
            b"Headers-Length" => json.value().map(|value| self.headers_length = Some(value)),
            b"HTML-Metadata" => {
                self.is_html = true;
                json.object(&mut |json, name| match name {
                    b"Head" => self.html_head(json),
                    _ => json.skip(),
                })
            }
            _ => json.skip(),
        })
    }

    fn html_head(&mut self, json: &mut Json<'a>) -> Option<()> {
        json.object(&mut |json, name| {
            let [metas, links] = &mut self.head;
            let slot = match name {
                b"Metas" => metas,
                b"Link" => links,
                _ => return json.skip(),
            };
            json.value().map(|value| *slot = Some(value))
        })
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()
}
