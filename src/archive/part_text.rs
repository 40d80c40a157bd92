//! A part of a compressed source, a gzip member or a zstd frame: its place, and its text that is inflated but not consumed.
//!
//! Example: a member at byte 4,711, with 300 bytes of text consumed and 1,000 in the buffer. Left out: how a part is inflated
//! (`gzip`, `zstd`), and where the next one is (`behind`).
//!
//! Bytes that are inflated again without a result, as in members nested in a damaged one, have a limit.

use super::damage::Damage;
use super::warcinfo::Warcinfo;
use super::window::Window;
use std::io::{self, Read};

/// The longest text of a part that is held whole; also the guard against decompression bombs.
pub const WHOLE_PART_BYTES: usize = 64 << 20;

/// What comes next in the source.
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
    /// There is no part.
    Nothing,
    /// All of it.
    Whole,
    /// Its beginning; the rest was skipped.
    Skipped,
    /// As much of it as exists: the source ends inside the part.
    Cut,
    /// Its beginning; the rest is inflated on demand.
    Beginning,
}

/// The current part of a compressed source.
pub struct PartText<R> {
    /// The source behind the inflated part.
    pub(super) window: Window<R>,
    pub(super) text: Vec<u8>,
    start: usize,
    pub(super) end: usize,
    offset: u64,
    consumed: u64,
    pub(super) held: HeldPart,
    pub(super) again: Again,
    /// Number of places examined for a part.
    pub(super) tried: usize,
}

impl<R: Read> PartText<R> {
    /// Starts before the first part of `window`.
    pub fn new(window: Window<R>) -> Self {
        let (text, held, again) = (Vec::new(), HeldPart::Nothing, Again::default());
        Self { window, text, start: 0, end: 0, offset: 0, consumed: 0, held, again, tried: 0 }
    }

    /// Begins a part at the current place of the source.
    pub fn begin(&mut self) {
        (self.offset, self.consumed, self.held) = (self.window.offset(), 0, HeldPart::Nothing);
        self.clear();
    }

    /// Drops all text.
    pub fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
    }

    /// Moves the text that is not consumed to the start of the buffer.
    pub fn move_to_start(&mut self) {
        self.text.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
    }

    /// Appends the next part, which is at the window's start, with its text behind this one's, unless it begins with a record;
    /// returns whether it did.
    pub fn join(&mut self, compressed_bytes: usize, bytes: usize, warcinfo: &Warcinfo) -> bool {
        let end = self.end + bytes;
        if self.text.get(self.end..end).is_none_or(|text| warcinfo.starts_record(text)) {
            return false;
        }
        self.window.consume(compressed_bytes);
        self.end = end;
        true
    }

    /// Returns how many bytes of the source the current part takes, if its end is known.
    pub fn source_bytes(&self) -> Option<u64> {
        matches!(self.held, HeldPart::Whole | HeldPart::Skipped).then(|| self.window.offset() - self.offset)
    }

    /// Returns whether the rest of the current part was skipped.
    pub fn skips_rest(&self) -> bool {
        self.held == HeldPart::Skipped
    }

    /// Returns whether the source ends inside the current part.
    pub fn is_cut(&self) -> bool {
        self.held == HeldPart::Cut
    }

    pub fn into_source(self) -> R {
        self.window.into_source()
    }

    /// Returns the text that is inflated but not consumed.
    pub fn bytes(&self) -> &[u8] {
        self.text.get(self.start..self.end).unwrap_or_default()
    }

    /// Drops the first `count` bytes of the text.
    pub fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.consumed += count as u64;
    }

    /// Drops all text in the buffer.
    pub fn consume_all(&mut self) {
        self.consume(self.end - self.start);
    }

    /// Returns the offset of the current part in the source.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns how many bytes of the current part's text have been consumed.
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Returns how far the source has been read.
    pub fn source_offset(&self) -> u64 {
        self.window.offset()
    }

    /// Returns the error that ended the source early, once.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.window.take_error()
    }
}

/// The limit in bytes: this and four times the bytes of the source already passed.
const AGAIN_BYTES: u64 = 64 << 20;

/// Counts these bytes: members may be nested in a damaged one, and each may reach to its end.
#[derive(Default)]
pub struct Again {
    /// The furthest end of a member that was inflated without a result.
    to: u64,
    /// Bytes before `to`, of the source and of text, that were inflated without a result.
    bytes: u64,
}

impl Again {
    /// Notes a member at `offset` that was inflated without a result; returns whether members inside it may be tried.
    pub fn may_go_on(&mut self, offset: u64, compressed_bytes: usize, bytes: usize) -> bool {
        if offset < self.to {
            self.bytes = self.bytes.saturating_add((compressed_bytes + bytes) as u64);
        }
        self.to = self.to.max(offset.saturating_add(compressed_bytes as u64));
        self.bytes <= AGAIN_BYTES.saturating_add(offset.saturating_mul(4))
    }
}
