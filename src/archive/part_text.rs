//! A part of a source, a gzip member, a zstd frame or all of a plain archive: its place, and its text that is not consumed.
//!
//! Example: a member at byte 4,711, with 300 bytes of text consumed and 1,000 in the buffer. Left out: how a part is inflated
//! (`gzip`, `zstd`), and where the next one is (`behind`).
//!
//! Bytes that are inflated again without a result, as in members nested in a damaged one, have a limit.

use super::{Damage, Place, Warcinfo, Window};
use std::io::Read;

/// The longest text of a part that is held whole; also the guard against decompression bombs.
pub const WHOLE_PART_BYTES: usize = 64 << 20;

pub enum MemberPart {
    /// A stretch of text that starts where a record should.
    Text,
    /// A damaged place, which has been skipped.
    Damaged(Damage),
    /// Nothing: the source has ended.
    End,
}

/// How much of the current part is in the text buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum HeldPart {
    /// The source is plain: the text is what the window holds.
    Plain,
    Nothing,
    Whole,
    /// Its beginning; the rest was skipped.
    Skipped,
    /// As much of it as exists: the source ends inside the part.
    Cut,
    /// Its beginning; the rest is inflated on demand.
    Beginning,
}

/// The bytes that a part takes in the source, and those of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartBytes {
    pub source: usize,
    pub text: usize,
}

pub struct PartText<R> {
    /// The source behind the inflated part.
    pub window: Window<R>,
    pub text: Vec<u8>,
    start: usize,
    pub end: usize,
    pub offset: u64,
    /// Bytes of the part's text that have been consumed.
    pub consumed: u64,
    pub held: HeldPart,
    pub again: RepeatedBytes,
    /// Number of places examined for a part.
    pub tried: usize,
}

impl<R: Read> PartText<R> {
    pub fn new(window: Window<R>, held: HeldPart) -> Self {
        let (text, again) = (Vec::new(), RepeatedBytes::default());
        Self {
            window,
            text,
            start: 0,
            end: 0,
            offset: 0,
            consumed: 0,
            held,
            again,
            tried: 0,
        }
    }

    /// Begins a part at the current place of the source.
    pub fn begin(&mut self) {
        (self.offset, self.consumed, self.held) = (self.window.offset, 0, HeldPart::Nothing);
        self.clear();
    }

    pub fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
    }

    /// Moves the text that is not consumed to the start of the buffer.
    pub fn move_to_start(&mut self) {
        self.text.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
    }

    /// Takes the part at the window's start, whose text is at the start of the buffer.
    pub fn hold(&mut self, part: PartBytes, held: HeldPart) {
        self.window.consume(part.source);
        (self.end, self.held) = (part.text, held);
    }

    /// Appends the next part, which is at the window's start, with its text behind this one's, unless it begins with a record;
    /// returns whether it did.
    pub fn join(&mut self, next: PartBytes, warcinfo: &Warcinfo) -> bool {
        let end = self.end + next.text;
        let is_joined = self
            .text
            .get(self.end..end)
            .is_some_and(|text| !warcinfo.framing.starts_record(text));
        if is_joined {
            self.window.consume(next.source);
            self.end = end;
        }
        is_joined
    }

    /// Returns how many bytes of the source the current part takes, if its end is known.
    pub fn source_bytes(&self) -> Option<u64> {
        matches!(self.held, HeldPart::Whole | HeldPart::Skipped)
            .then(|| self.window.offset - self.offset)
    }

    pub fn bytes(&self) -> &[u8] {
        match self.held {
            HeldPart::Plain => self.window.bytes(),
            _ => self.text.get(self.start..self.end).unwrap_or_default(),
        }
    }

    /// Drops the first `count` bytes of the text, or all if there are fewer.
    pub fn consume(&mut self, count: usize) {
        if self.held == HeldPart::Plain {
            return self.window.consume(count);
        }
        let count = count.min(self.end - self.start);
        self.start += count;
        self.consumed += count as u64;
    }

    /// Returns the offset of a byte of [`Self::bytes`], for messages; in a compressed archive, the offset of its part.
    pub fn offset_at(&self, at: usize) -> u64 {
        if self.held == HeldPart::Plain {
            self.window.offset + at as u64
        } else {
            self.offset
        }
    }

    /// Returns how much text of the part, or of a plain source, is before [`Self::bytes`].
    pub fn position(&self) -> u64 {
        if self.held == HeldPart::Plain {
            self.window.offset
        } else {
            self.consumed
        }
    }

    /// Returns the place of the record at the start of [`Self::bytes`], whose text has `length` bytes if that is known;
    /// `is_alone` says whether its part holds nothing else except empty lines.
    pub fn place(&self, length: Option<u64>, is_alone: bool) -> Place {
        if self.held == HeldPart::Plain {
            return Place {
                offset: self.window.offset,
                member_skip: 0,
                length,
            };
        }
        let length = self.source_bytes().filter(|_| is_alone);
        Place {
            offset: self.offset,
            member_skip: self.consumed,
            length,
        }
    }
}

/// The limit in bytes: this and four times the bytes of the source already passed.
const AGAIN_BYTES: u64 = 64 << 20;

/// Counts these bytes: members may be nested in a damaged one, and each may reach to its end.
#[derive(Default)]
pub struct RepeatedBytes {
    /// The furthest end of a member that was inflated without a result.
    to: u64,
    /// Bytes before `to`, of the source and of text, that were inflated without a result.
    bytes: u64,
}

impl RepeatedBytes {
    /// Notes a member at `offset` that was inflated without a result; returns whether members inside it may be tried.
    pub fn may_go_on(&mut self, offset: u64, part: PartBytes) -> bool {
        if offset < self.to {
            self.bytes = self.bytes.saturating_add((part.source + part.text) as u64);
        }
        self.to = self.to.max(offset.saturating_add(part.source as u64));
        self.bytes <= AGAIN_BYTES.saturating_add(offset.saturating_mul(4))
    }
}
