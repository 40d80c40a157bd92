//! The framing of records: where a record starts, how long it is, and what it is.
//!
//! Example: a head of 300 bytes with `Content-Length: 43`, the 43 bytes, two empty lines.

use super::arc::{self, ArcLine};
use super::damage::{Damage, DamageKind};
use super::head::Head;
use super::part_text::WHOLE_PART_BYTES;
use super::record::{LengthProof, Place, Record};
use super::search::{Search, first_place};
use super::text::Alone;
use super::warcinfo::{Framing, Warcinfo};
use super::wat::is_envelope;
use super::{Archive, Codec, Event, Format, Kind, Rest, STREAMED_BLOCK_BYTES};
use std::io::Read;

pub(super) struct Frame {
    head_bytes: usize,
    block_bytes: u64,
    block_held: usize,
    declared: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TextEnd {
    InBlock,
    Behind,
}

/// Whether the records of an archive are of interest themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Contents {
    Unknown,
    Own,
    /// They describe records of another archive, as in a WAT.
    Described,
}

impl Contents {
    /// Notes a record: the first one that is not about the archive decides.
    fn see(&mut self, record: &Record<'_>) {
        if *self == Self::Unknown && record.kind != Kind::Info {
            *self = if is_envelope(record) { Self::Described } else { Self::Own };
        }
    }
}

impl<R: Read> Archive<R> {
    pub(super) fn starts_record(&mut self) -> bool {
        // The framing of compressed text shows in its first record.
        if self.records == 0 && self.text.codec() == Codec::Zstd {
            self.text.ensure(arc::LINE_BYTES);
            if arc::starts_like_a_record(self.text.bytes()) {
                self.warcinfo = Warcinfo::new(Framing::Arc);
            }
        }
        self.text.ensure(match self.warcinfo.framing() {
            Framing::Warc => 8,
            Framing::Arc => arc::LINE_BYTES,
        });
        // Ours: a block that is longer than its line says must not go on as a record.
        let may_begin = self.may_begin || self.warcinfo.framing() == Framing::Warc;
        may_begin && self.warcinfo.starts_record(self.text.bytes())
    }

    pub(super) fn read_head(&mut self, head_bytes: usize) {
        match self.warcinfo.framing() {
            Framing::Warc => self.fields.read(self.text.bytes().get(..head_bytes).unwrap_or_default()),
            Framing::Arc => {}
        }
    }

    /// Skips to the next line of this part that begins an ARC record, if this part is searched.
    pub(super) fn skip_to_arc_line(&mut self) -> Search {
        let searched = self.searches_part();
        let mut search = Search::default();
        loop {
            let here = self.text.bytes().len();
            let line_end = memchr::memchr(b'\n', self.text.bytes()).map(|at| at + 1);
            if line_end.is_none() && here < arc::LINE_BYTES && self.text.more() {
                continue;
            }
            let count = line_end.unwrap_or(here);
            self.text.consume(count);
            search.skipped += count as u64;
            self.may_begin = line_end.is_some();
            if self.text.bytes().is_empty() && !self.text.more() {
                return search;
            }
            if self.starts_record() {
                if searched {
                    return search;
                }
                search.refused += 1;
            }
        }
    }

    /// Returns whether a record is searched for in the current part behind a false length. A page may hold what looks like a
    /// record, and if each record is a part of its own, the next record is the next part (FRAME-7).
    pub(super) fn searches_part(&self) -> bool {
        self.text.codec() == Codec::Plain || self.part_records > 1 || self.parts == 1
    }

    pub(super) fn frame(&mut self, head_bytes: usize) -> Result<Frame, Damage> {
        let declared = self.declared_bytes(head_bytes);
        let Some(wanted) = declared.or(self.length_by_member(head_bytes)) else {
            let offset = self.text.offset();
            if self.warcinfo.framing() == Framing::Warc {
                self.warcinfo.see(&Head::new(self.text.bytes(), &self.fields));
            }
            self.text.consume(head_bytes);
            self.part_records += 1;
            let detail =
                "no Content-Length that is a number, and no gzip member to tell the record's end".to_owned();
            return Err(Damage::lost(offset, DamageKind::ContentLength, detail));
        };
        let end = usize::try_from(wanted).map_or(usize::MAX, |wanted| head_bytes.saturating_add(wanted));
        let mut held = self.text.ensure(end.min(head_bytes + STREAMED_BLOCK_BYTES)).min(end);
        if held < end && end <= WHOLE_PART_BYTES {
            // FRAME-7: a record may be several parts.
            while held < end && self.text.join_part(&self.warcinfo) {
                held = self.text.bytes().len().min(end);
            }
        }
        Ok(Frame { head_bytes, block_bytes: wanted, block_held: held - head_bytes, declared })
    }

    /// FRAME-1: examines the bytes behind a record with `held` bytes in the buffer and `to_come` bytes ahead.
    fn prove(&mut self, held: usize, to_come: u64, ended: TextEnd) -> LengthProof {
        match ended {
            TextEnd::Behind if self.text.skips_rest() => LengthProof::Confirmed,
            TextEnd::Behind if to_come > 0 => LengthProof::NotSeen,
            TextEnd::Behind if self.goes_on(held) => LengthProof::Confirmed,
            TextEnd::Behind | TextEnd::InBlock => LengthProof::False,
        }
    }

    fn declared_bytes(&self, head_bytes: usize) -> Option<u64> {
        match self.warcinfo.framing() {
            Framing::Warc => Head::new(self.text.bytes(), &self.fields).content_length(),
            Framing::Arc => ArcLine::parse(self.text.bytes().get(..head_bytes)?)?.length(),
        }
    }

    /// Ours: without a Content-Length, a block goes to the end of its gzip member or zstd frame.
    fn length_by_member(&self, head_bytes: usize) -> Option<u64> {
        let whole = self.text.holds_whole_part();
        whole.then(|| (self.text.bytes().len() - head_bytes) as u64)
    }

    pub(super) fn record(&mut self, frame: &Frame) -> Event<'_> {
        let in_buffer = frame.head_bytes + frame.block_held;
        let to_come = frame.block_bytes - frame.block_held as u64;
        self.records += 1;
        self.part_records += 1;
        // More text shows whether the block goes on.
        let is_more_looked_for = to_come > 0 && !self.text.skips_rest();
        let ended = is_more_looked_for && self.text.ensure(in_buffer + 1) == in_buffer;
        let ended = if ended { TextEnd::InBlock } else { TextEnd::Behind };
        let mut proof = self.prove(in_buffer, to_come, ended);
        let block_end = self.block_end(frame, in_buffer, proof);
        if block_end < in_buffer {
            proof = LengthProof::False;
        }
        let place = self.place(in_buffer, proof);
        let (to_come, missing) = if ended == TextEnd::InBlock { (0, to_come) } else { (to_come, 0) };
        let (offset, head_bytes) = (place.offset, frame.head_bytes);
        let reaches_end = ended == TextEnd::InBlock || frame.declared.is_none();
        self.rest = Rest { offset, head_bytes, held: in_buffer, to_come, reaches_end, proof };
        self.queued.extend(self.defect(frame, place.offset, missing));
        self.may_begin = false;
        let bytes = self.text.bytes().get(..block_end).unwrap_or_default();
        let (head_text, block) = bytes.split_at(frame.head_bytes);
        let mut record = match self.warcinfo.framing() {
            Framing::Warc => {
                let head = Head::new(head_text, &self.fields);
                self.warcinfo.see(&head);
                Record::of_warc(place, &head, block)
            }
            Framing::Arc => match ArcLine::parse(head_text) {
                Some(line) => Record::of_arc(place, &line, block),
                None => Record::new(place, Format::Arc, block),
            },
        };
        record.length_proof = proof;
        let is_as_declared = block_end == in_buffer && ended == TextEnd::Behind;
        record.length = if is_as_declared { frame.block_bytes } else { block.len() as u64 };
        record.block_is_whole = block.len() as u64 == frame.block_bytes;
        self.contents.see(&record);
        if self.contents == Contents::Described && record.kind == Kind::Metadata {
            return match self.described.read(&record) {
                Ok(()) => Event::Record(self.described.record(&record)),
                Err(damage) => Event::Damage(damage),
            };
        }
        Event::Record(record)
    }

    /// FRAME-2: returns where the block ends. If its length is missing or unconfirmed, it ends where another record may begin.
    fn block_end(&self, frame: &Frame, held: usize, proof: LengthProof) -> usize {
        if proof == LengthProof::Confirmed && frame.declared.is_some() {
            return held;
        }
        let block = self.text.bytes().get(frame.head_bytes..held).unwrap_or_default();
        first_place(block, &self.warcinfo).map_or(held, |at| frame.head_bytes + at)
    }

    /// Returns the place of a record with `held` bytes in the buffer: all of them, if its length is confirmed.
    fn place(&self, held: usize, proof: LengthProof) -> Place {
        let after = self.text.bytes().get(held..).unwrap_or_default();
        let ends = after.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let is_confirmed = proof == LengthProof::Confirmed;
        let is_alone = is_confirmed && self.part_records == 1 && ends == after.len();
        let length = (held + ends.min(4)) as u64;
        self.text.place(is_confirmed.then_some(length), if is_alone { Alone::Yes } else { Alone::No })
    }

    fn defect(&self, frame: &Frame, offset: u64, missing: u64) -> Option<Damage> {
        // A cut member is reported when it is left.
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
