//! Web archives: bytes to WARC records, each with its place in the file.
//!
//! Document: ISO 28500, WARC 1.1 (and 1.0, 0.18, 0.17, which differ in nothing that matters here).
//! Example: `for every gzip member: WARC/1.0 CRLF fields CRLF CRLF block CRLF CRLF`.
//!
//! The archive is read once, in sequence, and damage costs one record: [`Archive::next`] gives a
//! [`Damage`] and goes on behind it. Nothing is copied: a record borrows the reader's buffer.
//!
//! Ours: a record's Content-Length is believed as long as it fits. Where it does not, the next
//! record is searched for from the block's end on, never inside the block, for a page may hold what
//! looks like a record (see `warcinfo`). A record whose block is shorter than declared is given
//! with what is there. Left out: ARC, WACZ, zstd and lz4 archives, which [`Format`] recognises.

mod damage;
mod format;
pub mod gzip;
mod head;
mod input;
mod libdeflate;
mod name;
mod text;
mod warcinfo;
mod window;

pub use damage::{Damage, DamageKind};
pub use format::Format;
pub use head::Head;
pub use input::{FileSource, Input, Source, StreamSource};
pub use name::{ArchiveName, Subset, crawl_id};
pub use text::Place;

use gzip::{GzipText, Part};
use head::{HeadFields, end_of_head};
use memchr::memmem;
use std::io::{self, Read};
use text::{Alone, Text};
use warcinfo::{Warcinfo, starts_like_a_record};
use window::Window;

/// The longest head that is read.
const HEAD_BYTES: usize = 1 << 20;
/// So much of a block is held where the text is a stream; a page's preferences stand well before.
const STREAMED_BLOCK_BYTES: usize = 8 << 20;

/// What the reader came upon.
pub enum Event<'a> {
    /// A record.
    Record(Record<'a>),
    /// Damage, left behind.
    Damage(Damage),
}

/// A WARC record.
pub struct Record<'a> {
    /// Where it stands.
    pub place: Place,
    /// Its head.
    pub head: Head<'a>,
    /// Its block, or the beginning of it.
    pub block: &'a [u8],
    /// The block's length in bytes: Content-Length, or what is there where that is less.
    pub block_bytes: u64,
    /// Whether all of the block that was declared is in `block`.
    pub block_is_whole: bool,
}

/// A reader of one archive.
pub struct Archive<R> {
    text: Text<R>,
    fields: HeadFields,
    warcinfo: Warcinfo,
    /// Records seen in the current part.
    part_records: u64,
    /// What is left of the current record.
    rest: Rest,
    queued: Option<Damage>,
    records: u64,
}

/// What is left of the record that was given last.
#[derive(Default)]
struct Rest {
    offset: u64,
    /// Bytes of it in the text buffer.
    held: usize,
    /// Bytes of its block that are still to come.
    to_come: u64,
}

/// How a search for a record went.
struct Search {
    /// Bytes passed over.
    skipped: u64,
    /// Places among them that look like a record and were not believed.
    refused: u64,
}

/// The measures of a record's head and block.
struct Frame {
    head_bytes: usize,
    block_bytes: u64,
    block_held: usize,
    declared: Option<u64>,
}

impl<R: Read> Archive<R> {
    /// Opens an archive by its first bytes.
    ///
    /// # Errors
    /// What the source's `read` reports. A source in another format is `Ok(Err(format))`.
    pub fn open(source: R) -> io::Result<Result<Self, Format>> {
        let mut window = Window::new(source);
        if window.ensure(format::SNIFF_BYTES) == 0
            && let Some(error) = window.take_error()
        {
            return Err(error);
        }
        let text = match Format::of(window.bytes()) {
            Format::Warc => Text::Plain { window, begun: false },
            Format::WarcGzip => Text::Gzip(Box::new(GzipText::new(window))),
            other => return Ok(Err(other)),
        };
        Ok(Ok(Self {
            text,
            fields: HeadFields::default(),
            warcinfo: Warcinfo::default(),
            part_records: 0,
            rest: Rest::default(),
            queued: None,
            records: 0,
        }))
    }

    /// Returns the format.
    pub fn format(&self) -> Format {
        match &self.text {
            Text::Plain { .. } => Format::Warc,
            Text::Gzip(_) => Format::WarcGzip,
        }
    }

    /// Returns the source, which has been read to its end where [`Archive::next`] said so.
    pub fn into_source(self) -> R {
        self.text.into_source()
    }

    /// Returns how many records have been read, those lost to damage included.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Returns how many bytes of the source lie behind.
    pub fn source_offset(&self) -> u64 {
        self.text.source_offset()
    }

    /// Returns the next record or damage, or `None` at the end.
    ///
    /// # Errors
    /// What the source's `read` reports; what was read before has been given.
    #[allow(clippy::should_implement_trait)] // a record borrows the reader: no Iterator can give it
    pub fn next(&mut self) -> io::Result<Option<Event<'_>>> {
        self.leave_record();
        if let Some(damage) = self.queued.take() {
            return Ok(Some(self.damaged(damage)));
        }
        loop {
            if !self.skip_line_ends() {
                match self.text.next_part(&self.warcinfo) {
                    Part::Text => self.part_records = 0,
                    Part::Damaged(damage) => return Ok(Some(self.damaged(damage))),
                    Part::End => return self.text.take_error().map_or(Ok(None), Err),
                }
                continue;
            }
            self.text.ensure(8);
            if !starts_like_a_record(self.text.bytes()) {
                let damage = self.search_record();
                return Ok(Some(self.damaged(damage)));
            }
            let Some(head_bytes) = self.find_head_end() else {
                let damage = self.leave_headless();
                return Ok(Some(self.damaged(damage)));
            };
            self.fields.read(self.text.bytes().get(..head_bytes).unwrap_or_default());
            return Ok(Some(match self.frame(head_bytes) {
                Ok(frame) => self.record(&frame),
                Err(damage) => self.damaged(damage),
            }));
        }
    }

    fn damaged(&mut self, damage: Damage) -> Event<'static> {
        self.records += u64::from(damage.record_lost);
        Event::Damage(damage)
    }

    /// Leaves the record given last behind.
    fn leave_record(&mut self) {
        self.text.consume(std::mem::take(&mut self.rest.held));
        while self.rest.to_come > 0 {
            if self.text.bytes().is_empty() && !self.text.more() {
                let missing = std::mem::take(&mut self.rest.to_come);
                let detail = format!("the block ends {missing} bytes before its Content-Length");
                self.queued = Some(Damage::harmless(self.rest.offset, DamageKind::BlockShort, detail));
                return;
            }
            let here = self.text.bytes().len();
            let count = usize::try_from(self.rest.to_come).map_or(here, |to_come| to_come.min(here));
            self.text.consume(count);
            self.rest.to_come -= count as u64;
        }
    }

    /// Skips empty lines; returns whether text follows in this part.
    fn skip_line_ends(&mut self) -> bool {
        loop {
            let bytes = self.text.bytes();
            let ends = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let found = ends < bytes.len();
            self.text.consume(ends);
            if found {
                return true;
            }
            if !self.text.more() {
                return false;
            }
        }
    }

    /// Finds the empty line that ends the head at hand.
    fn find_head_end(&mut self) -> Option<usize> {
        let mut from = 0;
        loop {
            let bytes = self.text.bytes();
            if let Some(end) = end_of_head(bytes, from) {
                return Some(end).filter(|end| *end <= HEAD_BYTES);
            }
            from = bytes.len().saturating_sub(3);
            if bytes.len() > HEAD_BYTES || !self.text.more() {
                return None;
            }
        }
    }

    /// Leaves a record behind whose head does not end.
    fn leave_headless(&mut self) -> Damage {
        let offset = self.text.offset();
        let count = self.text.bytes().len();
        if count > HEAD_BYTES {
            self.text.consume(5);
            self.skip_to_record();
            let detail = format!("no empty line within {HEAD_BYTES} bytes");
            return Damage::lost(offset, DamageKind::HeadTooLong, detail);
        }
        self.text.consume(count);
        let detail = format!("the text ends {count} bytes into the head");
        Damage::lost(offset, DamageKind::HeadCut, detail)
    }

    /// Searches for a record where one should be and is not.
    fn search_record(&mut self) -> Damage {
        let offset = self.text.offset();
        let first = self.text.bytes().get(..24).unwrap_or(self.text.bytes()).escape_ascii().to_string();
        let search = self.skip_to_record();
        let skipped = search.skipped;
        if self.part_records == 0 {
            let detail = format!("{skipped} bytes that are no record, starting with \"{first}\"");
            Damage::lost(offset, DamageKind::NotARecord, detail)
        } else if search.refused > 0 {
            let detail = format!(
                "{skipped} bytes behind a block, starting with \"{first}\"; in them {} that may be records but do not carry this archive's WARC-Warcinfo-ID",
                search.refused
            );
            Damage::lost(offset, DamageKind::Misaligned, detail)
        } else {
            let detail = format!(
                "{skipped} bytes between the end of a block and the next record, starting with \"{first}\""
            );
            Damage::harmless(offset, DamageKind::Misaligned, detail)
        }
    }

    /// Skips to the next line of this part at which a record of this archive starts.
    fn skip_to_record(&mut self) -> Search {
        let mut search = Search { skipped: 0, refused: 0 };
        let mut line_start = false;
        loop {
            let ended = self.text.ensure(HEAD_BYTES) < HEAD_BYTES;
            let bytes = self.text.bytes();
            // A head near the end of what is there is looked at when all of it is.
            let limit = if ended { bytes.len() } else { bytes.len() / 2 };
            let (mut count, mut found) = (limit, false);
            for at in memmem::find_iter(bytes, b"WARC/").take_while(|at| *at < limit) {
                let starts_line =
                    at.checked_sub(1).map_or(line_start, |before| bytes.get(before) == Some(&b'\n'));
                let candidate = bytes.get(at..).unwrap_or_default();
                if !starts_line || !starts_like_a_record(candidate) {
                    continue;
                }
                if self.warcinfo.may_be_ours(candidate) {
                    (count, found) = (at, true);
                    break;
                }
                search.refused += 1;
            }
            line_start = count.checked_sub(1).and_then(|last| bytes.get(last)) == Some(&b'\n');
            self.text.consume(count);
            search.skipped += count as u64;
            if found || ended {
                return search;
            }
        }
    }

    /// Measures the record at hand and gets its block.
    fn frame(&mut self, head_bytes: usize) -> Result<Frame, Damage> {
        let declared = Head::new(self.text.bytes(), &self.fields).content_length();
        let Some(wanted) = declared.or(self.length_by_member(head_bytes)) else {
            let offset = self.text.offset();
            self.text.consume(head_bytes);
            self.part_records += 1;
            let detail =
                "no Content-Length that is a number, and no gzip member to tell the record's end".to_owned();
            return Err(Damage::lost(offset, DamageKind::ContentLength, detail));
        };
        let end = usize::try_from(wanted).map_or(usize::MAX, |wanted| head_bytes.saturating_add(wanted));
        let held = self.text.ensure(end.min(head_bytes + STREAMED_BLOCK_BYTES)).min(end);
        Ok(Frame { head_bytes, block_bytes: wanted, block_held: held - head_bytes, declared })
    }

    /// Ours: without a Content-Length, a block goes to the end of its gzip member.
    fn length_by_member(&self, head_bytes: usize) -> Option<u64> {
        match &self.text {
            Text::Plain { .. } => None,
            Text::Gzip(gzip) => gzip.member_bytes().map(|_| (gzip.bytes().len() - head_bytes) as u64),
        }
    }

    /// Gives the record that was measured.
    fn record(&mut self, frame: &Frame) -> Event<'_> {
        let in_buffer = frame.head_bytes + frame.block_held;
        let to_come = frame.block_bytes - frame.block_held as u64;
        // Four line ends belong to the record; more text shows whether the block goes on.
        let ended = self.text.ensure(in_buffer + 4) == in_buffer && to_come > 0;
        let place = self.place(frame, in_buffer, to_come);
        self.rest = Rest { offset: place.offset, held: in_buffer, to_come };
        self.queued = self.defect(frame, place.offset, if ended { to_come } else { 0 });
        if ended {
            self.rest.to_come = 0;
        }
        self.records += 1;
        self.part_records += 1;
        let bytes = self.text.bytes().get(..in_buffer).unwrap_or_default();
        let (head_text, block) = bytes.split_at(frame.head_bytes);
        let head = Head::new(head_text, &self.fields);
        self.warcinfo.see(&head);
        Event::Record(Record {
            place,
            head,
            block,
            block_bytes: if ended { frame.block_held as u64 } else { frame.block_bytes },
            block_is_whole: to_come == 0,
        })
    }

    fn place(&self, frame: &Frame, held: usize, to_come: u64) -> Place {
        let after = self.text.bytes().get(held..).unwrap_or_default();
        let ends = after.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let alone = if self.part_records == 0 && to_come == 0 && ends == after.len() {
            Alone::Yes
        } else {
            Alone::No
        };
        let length = frame.head_bytes as u64 + frame.block_bytes + ends.min(4) as u64;
        self.text.place(length, alone)
    }

    /// Says what is wrong with a record that is given all the same.
    fn defect(&self, frame: &Frame, offset: u64, missing: u64) -> Option<Damage> {
        // That a member is cut is reported when it is left.
        if missing > 0 && !self.text.is_cut() {
            let detail = format!(
                "the block has {} bytes, its Content-Length says {}",
                frame.block_held, frame.block_bytes
            );
            return Some(Damage::harmless(offset, DamageKind::BlockShort, detail));
        }
        if frame.declared.is_none() {
            let detail = format!(
                "no Content-Length that is a number; the block was taken to end with its gzip member, {} bytes",
                frame.block_bytes
            );
            return Some(Damage::harmless(offset, DamageKind::ContentLength, detail));
        }
        None
    }
}
