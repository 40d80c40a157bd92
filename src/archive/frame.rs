//! The framing of records: where a record starts, how long it is, and what it is.
//!
//! Example: a head of 300 bytes with `Content-Length: 43`, the 43 bytes, two empty lines.

use super::part_text::{HeldPart, WHOLE_PART_BYTES};
use super::search::{RecordStart, places};
use super::{
    Archive, Codec, Damage, DamageKind, Doubt, Event, Framing, HeadFields, Kind, LengthProof, Place,
};
use super::{Rest, STREAMED_BLOCK_BYTES, two_heads::SecondHead, wat::is_envelope};
use std::io::Read;

/// How much text shows the framing of compressed text.
const FIRST_BYTES: usize = 64 << 10;

/// Whose record a block hides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hides {
    /// It has the archive's id.
    Ours,
    /// The archive's, or nobody's.
    Perhaps,
}

pub(super) struct Frame {
    head_bytes: usize,
    block_bytes: u64,
    block_held: usize,
    is_declared: bool,
}

impl<R: Read> Archive<R> {
    pub(super) fn starts_record(&mut self) -> bool {
        // The framing of compressed text shows in its first record.
        if self.records == 0 && self.codec() == Codec::Zstd {
            self.ensure(FIRST_BYTES);
            if let Some(framing) = Framing::of_text(self.part.bytes()) {
                self.warcinfo.framing = framing;
            }
        }
        self.ensure(self.warcinfo.framing.start_bytes());
        // Ours: a block that is longer than its line says must not go on as a record.
        let may_begin = self.may_begin || !self.warcinfo.framing.is_line();
        may_begin && self.warcinfo.framing.starts_record(self.part.bytes())
    }

    /// Returns whether a record is searched for in the current part behind a false length. A page may hold what looks like a
    /// record, and if each record is a part of its own, the next record is the next part (FRAME-7).
    pub(super) fn searches_part(&self) -> bool {
        self.codec() == Codec::Plain || self.part_records > 1 || self.parts == 1
    }

    pub(super) fn frame(&mut self, head_bytes: usize) -> Result<Frame, Damage> {
        let head_text = self.part.bytes().get(..head_bytes).unwrap_or_default();
        let declared = self
            .warcinfo
            .framing
            .block_bytes(head_text, &mut self.fields);
        if let Some(second) = self.warcinfo.framing.second_head(head_text, &self.fields) {
            return Err(self.leave_first_head(head_bytes, second));
        }
        // Ours: without a Content-Length, a block goes to the end of its gzip member or zstd frame.
        let by_member = || {
            self.part
                .source_bytes()
                .map(|_| (self.part.bytes().len() - head_bytes) as u64)
        };
        let Some(block_bytes) = declared.or_else(by_member) else {
            let offset = self.part.offset_at(0);
            self.warcinfo.see(self.part.bytes(), &self.fields);
            self.part.consume(head_bytes);
            self.part_records += 1;
            let detail =
                "no Content-Length that is a number, and no gzip member to tell the record's end";
            return Err(Damage::lost(
                offset,
                DamageKind::ContentLength,
                detail.to_owned(),
            ));
        };
        let end = usize::try_from(block_bytes)
            .map_or(usize::MAX, |block| head_bytes.saturating_add(block));
        let mut held = self
            .ensure(end.min(head_bytes + STREAMED_BLOCK_BYTES))
            .min(end);
        // FRAME-7: a record may be several parts.
        while held < end && end <= WHOLE_PART_BYTES && self.join_part() {
            held = self.part.bytes().len().min(end);
        }
        Ok(Frame {
            head_bytes,
            block_bytes,
            block_held: held - head_bytes,
            is_declared: declared.is_some(),
        })
    }

    /// FRAME-10: leaves a head that is two. The second one is read, if it is known where it begins.
    fn leave_first_head(&mut self, head_bytes: usize, second: SecondHead) -> Damage {
        let offset = self.part.offset_at(0);
        let (count, detail) = match second {
            SecondHead::At(at) => (
                at,
                format!("the head breaks off after {at} bytes, and another one begins"),
            ),
            SecondHead::Somewhere => (
                head_bytes,
                "the head has the fields of two records".to_owned(),
            ),
        };
        self.part.consume(count);
        self.part_records += 1;
        let is_ours =
            self.warcinfo.carried_id().is_some() && self.warcinfo.may_be_ours(self.part.bytes());
        self.may_begin = second != SecondHead::Somewhere;
        self.doubt = if is_ours {
            Doubt::None
        } else {
            self.doubt.max(Doubt::OfNext)
        };
        Damage::lost(offset, DamageKind::HeadCut, detail)
    }

    pub(super) fn record(&mut self, frame: &Frame) -> Event<'_> {
        let in_buffer = frame.head_bytes + frame.block_held;
        let to_come = frame.block_bytes - frame.block_held as u64;
        self.records += 1;
        self.part_records += 1;
        // More text shows whether the block goes on.
        let skips_rest = self.part.held == HeldPart::Skipped;
        let ends_in_block = to_come > 0 && !skips_rest && self.ensure(in_buffer + 1) == in_buffer;
        // FRAME-1: the bytes behind a record prove its length.
        let mut proof = match () {
            () if ends_in_block => LengthProof::False,
            () if skips_rest => LengthProof::Confirmed,
            () if to_come > 0 => LengthProof::NotSeen,
            () if self.goes_on(in_buffer) => LengthProof::Confirmed,
            () => LengthProof::False,
        };
        let hides = self.hides_record(frame, in_buffer, proof);
        if hides.is_some() {
            proof = LengthProof::False;
        }
        let block_end = self.block_end(frame, in_buffer, proof);
        if block_end < in_buffer {
            proof = LengthProof::False;
        }
        let place = self.place(in_buffer, proof);
        let (to_come, missing) = if ends_in_block {
            (0, to_come)
        } else {
            (to_come, 0)
        };
        let (offset, head_bytes) = (place.offset, frame.head_bytes);
        let is_undecided = ends_in_block || !frame.is_declared || hides == Some(Hides::Perhaps);
        let head_end = self.part.position().saturating_add(frame.head_bytes as u64);
        let end = head_end.saturating_add(frame.block_bytes);
        self.rest = Rest {
            offset,
            head_bytes,
            held: in_buffer,
            to_come,
            end,
            is_undecided,
            proof,
        };
        self.queued
            .extend(self.defect(frame, place.offset, missing));
        self.may_begin = false;
        let is_in_doubt = self.take_doubt();
        let bytes = self.part.bytes().get(..block_end).unwrap_or_default();
        let (head_text, block) = bytes.split_at(frame.head_bytes);
        self.warcinfo.see(head_text, &self.fields);
        let mut record = self.warcinfo.framing.record(head_text, &self.fields, block);
        (record.place, record.length_proof, record.is_in_doubt) = (place, proof, is_in_doubt);
        let is_as_declared = block_end == in_buffer && !ends_in_block;
        record.length = if is_as_declared {
            frame.block_bytes
        } else {
            block.len() as u64
        };
        record.block_is_whole = block.len() as u64 == frame.block_bytes;
        // The first record that is not about the archive decides.
        if self.is_wat.is_none() && record.kind != Kind::Info {
            self.is_wat = Some(is_envelope(&record));
        }
        if self.is_wat == Some(true) && record.kind == Kind::Metadata {
            return match self.described.read(&record) {
                Ok(described) => Event::Record(described),
                Err(damage) => Event::Damage(damage),
            };
        }
        Event::Record(record)
    }

    /// Returns whether the record at hand may have been written by a page (FRAME-11).
    fn take_doubt(&mut self) -> bool {
        let at = self.part.position();
        self.doubt = match self.doubt {
            Doubt::Before(end) if end <= at => Doubt::None,
            doubt => doubt,
        };
        let is_in_doubt = self.doubt != Doubt::None;
        if self.doubt == Doubt::OfNext {
            self.doubt = Doubt::None;
        }
        is_in_doubt
    }

    /// FRAME-2: returns whether a block hides a record although what is behind it confirms its length: a record may have been cut
    /// by just as much as the next ones have. What carries the archive's id is no page's. Without ids, a page that ends in what
    /// looks like a record is the same bytes.
    fn hides_record(&self, frame: &Frame, held: usize, proof: LengthProof) -> Option<Hides> {
        if proof != LengthProof::Confirmed || !frame.is_declared || !self.searches_part() {
            return None;
        }
        let text = self.part.bytes().get(frame.head_bytes..)?;
        let block = text.get(..held.checked_sub(frame.head_bytes)?)?;
        let has_ids = self.warcinfo.carried_id().is_some();
        let mut fields = HeadFields::default();
        let mut ends_with_block = |start: &RecordStart| {
            let inner = block.get(start.at..start.head_end).unwrap_or_default();
            let length = self.warcinfo.framing.block_bytes(inner, &mut fields);
            let end =
                length.and_then(|length| usize::try_from(length).ok()?.checked_add(start.head_end));
            // Its last bytes may be line ends.
            let between = end.and_then(|end| text.get(end.min(block.len())..end.max(block.len())));
            between.is_some_and(|rest| rest.iter().all(|byte| matches!(byte, b'\r' | b'\n')))
        };
        let mut starts = places(block, true, &self.warcinfo).peekable();
        while let Some(start) = starts.next() {
            // Only the last of several heads that end together is tried.
            let is_tried = starts
                .peek()
                .is_none_or(|next| next.head_end != start.head_end);
            if start.is_ours {
                return Some(Hides::Ours);
            } else if !has_ids && is_tried && ends_with_block(&start) {
                return Some(Hides::Perhaps);
            }
        }
        None
    }

    /// FRAME-2: returns where the block ends. If its length is missing or unconfirmed, it ends where another record may begin.
    fn block_end(&self, frame: &Frame, held: usize, proof: LengthProof) -> usize {
        if proof == LengthProof::Confirmed && frame.is_declared {
            return held;
        }
        let block = self
            .part
            .bytes()
            .get(frame.head_bytes..held)
            .unwrap_or_default();
        places(block, true, &self.warcinfo)
            .next()
            .map_or(held, |start| frame.head_bytes + start.at)
    }

    /// Returns the place of a record with `held` bytes in the buffer: all of them, if its length is confirmed.
    fn place(&self, held: usize, proof: LengthProof) -> Place {
        let after = self.part.bytes().get(held..).unwrap_or_default();
        let ends = after
            .iter()
            .take_while(|byte| matches!(byte, b'\r' | b'\n'))
            .count();
        let is_confirmed = proof == LengthProof::Confirmed;
        let is_alone = is_confirmed && self.part_records == 1 && ends == after.len();
        let length = (held + ends.min(4)) as u64;
        self.part.place(is_confirmed.then_some(length), is_alone)
    }

    fn defect(&self, frame: &Frame, offset: u64, missing: u64) -> Option<Damage> {
        let Frame {
            block_held,
            block_bytes,
            is_declared,
            ..
        } = frame;
        // A cut member is reported when it is left.
        let (kind, detail) = if missing > 0 && self.part.held != HeldPart::Cut {
            let detail =
                format!("the block has {block_held} bytes, its Content-Length says {block_bytes}");
            (DamageKind::BlockShort, detail)
        } else if *is_declared {
            return None;
        } else {
            let what = "no Content-Length that is a number; the block was taken to end with its gzip member";
            (
                DamageKind::ContentLength,
                format!("{what}, {block_bytes} bytes"),
            )
        };
        Some(Damage::harmless(offset, kind, detail))
    }
}
