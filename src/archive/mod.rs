//! Web archives: bytes to records, each with its place in the file.
//!
//! Documents: ISO 28500, WARC 1.1 (and 1.0, 0.18, 0.17, which do not differ in anything that matters here); ARC 1.0 and 1.1
//! (`arc`); WAT files (`wat`). A text of records is plain or compressed (`gzip`, `zstd`), which its first bytes show (`sniff`).
//! Every format gives the same [`Record`], so a reader of records does not need to know the format.
//! Example: `for every gzip member: WARC/1.0 CRLF fields CRLF CRLF block CRLF CRLF`.
//!
//! The archive is read once, in sequence, and damage costs one record: [`Archive::next`] gives a [`Damage`] and goes on
//! behind it. Nothing is copied: a record borrows the reader's buffer.
//!
//! RULES FRAME: a record's Content-Length is believed if the bytes behind the block confirm it; the record says so ([`LengthProof`]).
//! If they do not, the block ends where another record may begin, and the next record is searched for (`search`), because a page may
//! hold what looks like a record (see `warcinfo`). Left out: LZ4 archives, which [`Format`] recognises.

mod arc;
mod behind;
mod crawl_id;
mod damage;
mod datapackage;
mod format;
mod frame;
mod framing;
#[doc(hidden)]
pub mod gzip;
mod head;
mod input;
mod libdeflate;
mod name;
#[doc(hidden)]
pub mod page_lists;
mod part_text;
mod record;
mod search;
mod sniff;
mod text;
mod two_heads;
#[doc(hidden)]
pub mod wacz;
mod warcinfo;
mod wat;
mod window;
mod zip_part;
mod zstd;

pub use crawl_id::{CrawlId, LOCAL_CRAWL};
pub use damage::{Damage, DamageKind};
pub use format::{Codec, Format};
#[doc(hidden)]
pub use gzip::{Decide, Wanted};
pub use head::{Head, HeadFields};
pub use input::{ArchiveSource, FileSource, Input, StreamSource, open_named, unix_ms};
pub use name::{ArchiveName, Subset};
pub use record::{IN_DOUBT, KeptRecord, Kind, LengthProof, Place, Record, Unread};
pub(crate) use sniff::{SNIFF_BYTES, described};
pub(crate) use wat::{Json, decode_json};

use framing::Framing;
use gzip::{GzipText, MemberHeads};
use part_text::{HeldPart, MemberPart, PartText};
use sniff::format_of;
use std::collections::VecDeque;
use std::io::{self, Read};
use text::Packing;
use warcinfo::Warcinfo;
use wat::Described;
use window::Window;

const HEAD_BYTES: usize = 1 << 20;
/// How much of a block is held if the text is a stream; a page's preferences are well before that.
const STREAMED_BLOCK_BYTES: usize = 8 << 20;

/// What the reader found.
#[allow(clippy::large_enum_variant)] // a box would be an allocation per record
pub enum Event<'a> {
    /// A record.
    Record(Record<'a>),
    /// Damage that was skipped.
    Damage(Damage),
}

/// A reader of one archive.
pub struct Archive<R> {
    packing: Packing,
    part: PartText<R>,
    fields: HeadFields,
    warcinfo: Warcinfo,
    /// Parts seen: gzip members or zstd frames, or one of a plain archive.
    parts: u64,
    part_records: u64,
    /// Whether a record may begin here: at the start of a part or of a line, or behind a record with a confirmed length.
    may_begin: bool,
    doubt: Doubt,
    rest: Rest,
    queued: VecDeque<Damage>,
    records: u64,
    /// Whether the records describe those of another archive, as in a WAT; `None` before one that is not about the archive.
    is_wat: Option<bool>,
    described: Described,
}

/// The rest of the record that was returned last.
#[derive(Default)]
struct Rest {
    offset: u64,
    /// Bytes of its head in the text buffer.
    head_bytes: usize,
    /// Bytes of head and block in the text buffer.
    held: usize,
    /// Bytes of its block that are still to come.
    to_come: u64,
    /// Where its block ends by its length, see [`PartText::position`].
    end: u64,
    /// Whether records inside its block are not proved: the text of its part ends before the block does, so that the part may be
    /// cut, or they may as well be what a page quotes.
    is_undecided: bool,
    proof: LengthProof,
}

/// Which records may have been written by a page, because they were searched for behind a false length and nothing says that
/// they are the archive's (FRAME-11).
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Doubt {
    #[default]
    None,
    /// The next one.
    OfNext,
    /// Those that begin before this place, see [`PartText::position`].
    Before(u64),
    /// All that follow in the part: the length of the page that may hold them is not known.
    OfPart,
}

impl<R: Read> Archive<R> {
    /// Opens an archive by its first bytes. A source in another format is `Ok(Err(format))`.
    pub fn open(source: R) -> io::Result<Result<Self, Format>> {
        Self::open_at(source, 0, u64::MAX)
    }

    /// Opens an archive that begins at `offset` of the file and has at most `bytes` bytes, see [`wacz`].
    pub fn open_at(source: R, offset: u64, bytes: u64) -> io::Result<Result<Self, Format>> {
        let mut window = Window::at(source, offset, bytes);
        if window.ensure(SNIFF_BYTES) == 0
            && let Some(error) = window.error.take()
        {
            return Err(error);
        }
        let (format, codec) = format_of(window.bytes());
        let Some(framing) = Framing::from_format(format) else {
            return Ok(Err(format));
        };
        let (packing, held) = match codec {
            Codec::Plain => (Packing::Plain, HeldPart::Plain),
            Codec::Gzip => (
                Packing::Gzip(Box::new(GzipText::new(bytes))),
                HeldPart::Nothing,
            ),
            Codec::Zstd => (
                Packing::Zstd(Box::new(zstd::ZstdText::new())),
                HeldPart::Nothing,
            ),
        };
        let part = PartText::new(window, held);
        Ok(Ok(Self {
            packing,
            part,
            fields: HeadFields::default(),
            warcinfo: Warcinfo::new(framing),
            parts: 0,
            part_records: 0,
            may_begin: true,
            doubt: Doubt::None,
            rest: Rest::default(),
            queued: VecDeque::new(),
            records: 0,
            is_wat: None,
            described: Described::default(),
        }))
    }

    /// Inflates only as much of a record as `decide` wants, if that is safe: in gzip members with the id of their warcinfo.
    pub fn skip_bodies(&mut self, decide: Decide) {
        if let Packing::Gzip(gzip) = &mut self.packing {
            gzip.heads = Some(MemberHeads::new(decide));
        }
    }

    /// Returns the number of records that were inflated only at their beginning.
    pub fn skipped_bodies(&self) -> u64 {
        if let Packing::Gzip(gzip) = &self.packing {
            gzip.skipped
        } else {
            0
        }
    }

    /// Returns the format, which is known when records have been read.
    pub fn format(&self) -> Format {
        let format = self.warcinfo.framing.format();
        if format == Format::Warc && self.is_wat == Some(true) {
            Format::Wat
        } else {
            format
        }
    }

    /// Returns how the text is compressed.
    pub fn codec(&self) -> Codec {
        match self.packing {
            Packing::Plain => Codec::Plain,
            Packing::Gzip(_) => Codec::Gzip,
            Packing::Zstd(_) => Codec::Zstd,
        }
    }

    /// Returns the source, which has been read to its end if [`Archive::next`] said so.
    pub fn into_source(self) -> R {
        self.part.window.source
    }

    /// Returns how many records have been read, those lost to damage included.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Returns how many bytes of the source have been passed.
    pub fn source_offset(&self) -> u64 {
        self.part.window.offset
    }

    /// Returns the next record or damage, or `None` at the end. Records read before an error have been returned already.
    #[allow(clippy::should_implement_trait)] // a record borrows the reader: no Iterator can give it
    pub fn next(&mut self) -> io::Result<Option<Event<'_>>> {
        self.leave_record();
        if let Some(damage) = self.queued.pop_front() {
            return Ok(Some(self.damaged(damage)));
        }
        while !self.skip_line_ends() {
            match self.next_part() {
                MemberPart::Text => {
                    (self.part_records, self.may_begin, self.doubt) = (0, true, Doubt::None);
                    self.parts += 1;
                }
                MemberPart::Damaged(damage) => return Ok(Some(self.damaged(damage))),
                MemberPart::End => return self.part.window.error.take().map_or(Ok(None), Err),
            }
        }
        let frame = if !self.starts_record() {
            Err(self.search_record())
        } else if let Some(head_bytes) = self.find_head_end() {
            self.frame(head_bytes)
        } else {
            Err(self.leave_headless())
        };
        Ok(Some(match frame {
            Ok(frame) => self.record(&frame),
            Err(damage) => self.damaged(damage),
        }))
    }

    fn damaged(&mut self, damage: Damage) -> Event<'static> {
        self.records += u64::from(damage.record_lost);
        Event::Damage(damage)
    }

    /// Skips empty lines; returns whether text follows in this part.
    fn skip_line_ends(&mut self) -> bool {
        loop {
            let bytes = self.part.bytes();
            let ends = bytes
                .iter()
                .take_while(|byte| matches!(byte, b'\r' | b'\n'))
                .count();
            let found = ends < bytes.len();
            self.part.consume(ends);
            if found || !self.more() {
                return found;
            }
        }
    }

    fn find_head_end(&mut self) -> Option<usize> {
        let mut from = 0;
        loop {
            let bytes = self.part.bytes();
            if let Some(end) = self.warcinfo.framing.head_end(bytes, from) {
                return Some(end).filter(|end| *end <= HEAD_BYTES);
            }
            from = bytes.len().saturating_sub(3);
            if bytes.len() > HEAD_BYTES || !(self.more() || self.join_part()) {
                return None;
            }
        }
    }
}
