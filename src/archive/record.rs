//! A record, in the same form for every format of archive.
//!
//! Example: `http://a.example/ 192.0.2.1 20080430204825 text/html 215` (ARC) and `WARC-Type: response`,
//! `WARC-Target-URI: http://a.example/` ... (WARC) give the same record. Left out: the fields of a head that no caller needs.

use super::arc::{ArcLine, version};
use super::{Format, Head};

/// The kind of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// About the archive itself: `warcinfo`, or the version block of an ARC.
    Info,
    /// A server's answer.
    Response,
    /// A server's answer, stored elsewhere or unchanged.
    Revisit,
    /// Data that another program made from a record or stored beside it.
    Metadata,
    /// A file or page that a tool stored without a server's answer.
    Resource,
    /// Anything else: requests, conversions.
    #[default]
    Other,
}

/// Where a record is in its archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Offset in the archive, in bytes, of the record or of its gzip member or zstd frame.
    pub offset: u64,
    /// Bytes of the member's text before the record; 0 in plain archives.
    pub member_skip: u64,
    /// Bytes of the archive that the record takes: the member, or record and empty lines. `None` if a member holds more than
    /// this record, is too long to be held whole, or ends in damage.
    pub length: Option<u64>,
}

/// The parts of a record that are missing, because the format of its archive does not keep them, or that could not be read in
/// full (RULES LABEL-3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent facts, one per carrier
pub struct Unread {
    /// Header fields.
    pub header: bool,
    /// Metas, licence links or RSL scripts of the HTML head.
    pub meta: bool,
    /// The body.
    pub body: bool,
    /// The record itself: a page may have written it (FRAME-11).
    pub archive: bool,
}

impl Unread {
    /// Returns the names that the tables use.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let carriers = [
            (self.header, "header"),
            (self.meta, "meta"),
            (self.body, "body"),
            (self.archive, IN_DOUBT),
        ];
        carriers
            .into_iter()
            .filter_map(|(unread, name)| unread.then_some(name))
    }
}

/// The name in `unread` of a record that a page may have written (FRAME-11).
pub const IN_DOUBT: &str = "archive";

/// Whether the bytes behind a record's block prove its length (FRAME-1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LengthProof {
    /// Line ends, and then a record's head, the end of its member or frame, or the end of the input.
    #[default]
    Confirmed,
    /// Those bytes were not examined: the block is longer than the reader holds at once.
    NotSeen,
    /// Something else, or the block ends before its declared length: the length is false.
    False,
}

/// A record.
#[derive(Clone, Copy, Default)]
pub struct Record<'a> {
    /// Its place in the archive that is read.
    pub place: Place,
    /// The place in another archive of the record that it describes, if it is from a WAT file.
    pub described: Option<Place>,
    /// The format of the archive.
    pub format: Format,
    /// Its kind.
    pub kind: Kind,
    /// Its type as the archive names it.
    pub type_name: Option<&'a [u8]>,
    /// The URL.
    pub target: Option<&'a [u8]>,
    /// When it was fetched, as written.
    pub date: Option<&'a [u8]>,
    /// The record's id.
    pub id: Option<&'a [u8]>,
    /// The media type of the block.
    pub media_type: Option<&'a [u8]>,
    /// The digest of the payload, as the archive claims it.
    pub payload_digest: Option<&'a [u8]>,
    /// Why the archive does not hold all of it.
    pub truncated: Option<&'a [u8]>,
    /// Its number as a segment of a longer record, if it is one.
    pub segment_number: Option<&'a [u8]>,
    /// The id of the record that holds what a revisit leaves out.
    pub refers_to: Option<&'a [u8]>,
    /// The URL of that record.
    pub refers_to_target: Option<&'a [u8]>,
    /// When that record was fetched, as written.
    pub refers_to_date: Option<&'a [u8]>,
    /// The id of the record with which this one was made: for metadata, the record that it is about.
    pub concurrent_to: Option<&'a [u8]>,
    /// The block's length in bytes: the declared one, or the actual one if that is less.
    pub length: u64,
    /// The block or its beginning. It ends where another record may begin, unless its length is confirmed (FRAME-2).
    pub block: &'a [u8],
    /// Whether `block` holds all of the declared block.
    pub block_is_whole: bool,
    /// Whether its length was proved.
    pub length_proof: LengthProof,
    /// Whether a page may have written it: it was found behind a false length, and nothing says that it is the archive's (FRAME-11).
    pub is_in_doubt: bool,
    /// The parts that the format does not keep.
    pub not_kept: Unread,
    /// The version of the format that the record states.
    pub version: Option<&'a [u8]>,
    /// Whether its head is written as the document says, without our leniency.
    pub is_strict: bool,
}

impl<'a> Record<'a> {
    pub(super) fn of_warc(head: &Head<'a>, block: &'a [u8]) -> Self {
        let mut record = Self::new(Format::Warc, block);
        record.version = Some(head.version());
        record.is_strict = head.is_strict();
        for (name, value) in head.fields() {
            record.take(name, value);
        }
        record.kind = record.type_name.map_or(Kind::Other, Kind::from_type_name);
        record
    }

    pub(super) fn of_arc(line: &'a [u8], block: &'a [u8]) -> Self {
        let mut record = Self::new(Format::Arc, block);
        let Some(ArcLine {
            target,
            date,
            is_info,
            ..
        }) = ArcLine::parse(line)
        else {
            return record;
        };
        (record.target, record.date) = (Some(target), date);
        record.kind = if is_info { Kind::Info } else { Kind::Response };
        record.type_name = Some(if is_info { b"warcinfo" } else { b"response" });
        record.version = version(block).filter(|_| is_info);
        record
    }

    /// Makes a record of which only the block is known.
    pub(super) fn new(format: Format, block: &'a [u8]) -> Self {
        let length = block.len() as u64;
        Self {
            format,
            block,
            length,
            block_is_whole: true,
            is_strict: true,
            ..Self::default()
        }
    }

    /// Takes a named field; the first of several with one name counts.
    pub(super) fn take(&mut self, name: &[u8], value: &'a [u8]) {
        let named = |(known, _): &(&str, _)| name.eq_ignore_ascii_case(known.as_bytes());
        if let Some((_, slot)) = self.fields().into_iter().find(named) {
            slot.get_or_insert(value);
        }
    }

    /// Copies the record.
    pub fn keep(mut self) -> KeptRecord {
        let block = self.block.to_vec();
        let mut frame = Record {
            place: self.place,
            ..Record::new(self.format, &[])
        };
        (frame.kind, frame.described, frame.length) = (self.kind, self.described, self.length);
        (frame.length_proof, frame.not_kept) = (self.length_proof, self.not_kept);
        frame.is_in_doubt = self.is_in_doubt;
        (frame.block_is_whole, frame.is_strict) = (self.block_is_whole, self.is_strict);
        let texts = self
            .fields()
            .map(|(_, text)| text.map(<[u8]>::to_vec))
            .to_vec();
        KeptRecord {
            texts,
            block,
            frame,
        }
    }

    /// Returns the fields of the head with their names.
    fn fields(&mut self) -> [(&'static str, &mut Option<&'a [u8]>); 12] {
        [
            ("warc-type", &mut self.type_name),
            ("warc-date", &mut self.date),
            ("content-type", &mut self.media_type),
            ("warc-refers-to", &mut self.refers_to),
            ("warc-refers-to-target-uri", &mut self.refers_to_target),
            ("warc-refers-to-date", &mut self.refers_to_date),
            ("warc-concurrent-to", &mut self.concurrent_to),
            ("warc-record-id", &mut self.id),
            ("warc-truncated", &mut self.truncated),
            ("warc-segment-number", &mut self.segment_number),
            ("warc-target-uri", &mut self.target),
            ("warc-payload-digest", &mut self.payload_digest),
        ]
    }
}

/// A copy of a record that can be used after its archive has been read further.
pub struct KeptRecord {
    texts: Vec<Option<Vec<u8>>>,
    block: Vec<u8>,
    /// The record without its texts and block.
    frame: Record<'static>,
}

impl KeptRecord {
    /// Returns the record.
    pub fn record(&self) -> Record<'_> {
        let mut record = Record {
            block: &self.block,
            ..self.frame
        };
        for ((_, slot), text) in record.fields().into_iter().zip(&self.texts) {
            *slot = text.as_deref();
        }
        record
    }

    /// Returns its approximate size in memory.
    pub fn byte_count(&self) -> usize {
        self.block.len() + self.texts.iter().flatten().map(Vec::len).sum::<usize>() + 512
    }
}

impl Kind {
    /// WARC 1.1, 5.5: the types of records, compared without case.
    pub(super) fn from_type_name(name: &[u8]) -> Self {
        let is = |known: &[u8]| name.eq_ignore_ascii_case(known);
        match () {
            () if is(b"response") => Self::Response,
            () if is(b"revisit") => Self::Revisit,
            () if is(b"metadata") => Self::Metadata,
            () if is(b"resource") => Self::Resource,
            () if is(b"warcinfo") => Self::Info,
            () => Self::Other,
        }
    }
}
