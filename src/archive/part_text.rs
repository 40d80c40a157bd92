//! A part of a compressed source, a gzip member or a zstd frame: its place, and what is inflated of it and not consumed.
//!
//! Example: a member at byte 4,711 of which 300 bytes of text were consumed and 1,000 are here. Left out: how a part is
//! inflated, and where the next one is.

use super::again::Again;
use super::window::Window;
use std::io::{self, Read};

/// The current part of a compressed source.
pub struct PartText<R> {
    /// The source behind what was inflated.
    pub(super) window: Window<R>,
    /// The buffer for text.
    pub(super) text: Vec<u8>,
    start: usize,
    /// The end of the text in the buffer.
    pub(super) end: usize,
    offset: u64,
    consumed: u64,
    /// What was inflated without a result.
    pub(super) again: Again,
}

impl<R: Read> PartText<R> {
    /// Returns the text of `window`, before its first part.
    pub fn new(window: Window<R>) -> Self {
        let (text, again) = (Vec::new(), Again::default());
        Self { window, text, start: 0, end: 0, offset: 0, consumed: 0, again }
    }

    /// Begins a part where the source is.
    pub fn begin(&mut self) {
        (self.offset, self.consumed) = (self.window.offset(), 0);
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

    /// Returns the source.
    pub fn into_source(self) -> R {
        self.window.into_source()
    }

    /// Returns the text that is inflated and not consumed.
    pub fn bytes(&self) -> &[u8] {
        self.text.get(self.start..self.end).unwrap_or_default()
    }

    /// Drops the first `count` bytes of the text.
    pub fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.consumed += count as u64;
    }

    /// Drops the text that is there.
    pub fn consume_all(&mut self) {
        self.consume(self.end - self.start);
    }

    /// Returns the offset in the source of the current part.
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

    /// Returns, once, why the source ended early.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.window.take_error()
    }
}
