//! What is read of the JSON of a WAT record, as it is written there.
//!
//! Example: `"WARC-Header-Metadata":{"WARC-Type":"response",...}`. Names may come in any order, as writers
//! until 2019 put them in that of a hash table. Of a name that comes twice the last counts.

use super::json::Json;
use crate::archive::record::Place;

/// The fields of the record's head that are asked for.
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

/// The fields of an ARC's line that are asked for, and the names that they have in a WARC.
const ARC: [(&[u8], &[u8]); 2] = [(b"Target-URI", b"WARC-Target-URI"), (b"Date", b"WARC-Date")];

/// A WAT record, as far as it is asked for. Values are as written, strings without their quotes.
#[derive(Default)]
pub struct Envelope<'a> {
    /// The fields of the record's head.
    pub warc: [(&'static [u8], Option<&'a [u8]>); 10],
    /// Whether it describes a record of an ARC.
    pub is_arc: bool,
    /// The array of fields of a metadata record.
    pub metadata: Option<&'a [u8]>,
    offset: Option<&'a [u8]>,
    lengths: [Option<&'a [u8]>; 3],
    /// Of the status line: version, status, reason.
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
    /// Reads the JSON of a WAT record; `None` where it is not a WAT record.
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

    /// Returns whether the head of the record is there, by the type or, in an ARC, by the URL.
    pub fn has_head(&self) -> bool {
        self.field(if self.is_arc { b"WARC-Target-URI" } else { b"WARC-Type" }).is_some()
    }

    /// Returns where the record is in its archive.
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

/// Returns the number that a string of digits writes.
pub fn number(digits: &[u8]) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()
}
