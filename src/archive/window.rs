//! A window on a source of bytes: the bytes that were read and not yet consumed.
//!
//! The source is read once, in sequence, in pieces of 1 MiB, without seeking or a known length, so a pipe does as well as a
//! file. Offsets are absolute: bytes since the start of the source.
//! Ours: if the source fails, the bytes read before are used like the text of a source that ends there;
//! [`Window::error`] then says that it did not end.

use std::io::{self, ErrorKind, Read};

/// How much is read at once of a long source; any number of this size.
const PIECE_BYTES: usize = 1 << 20;
/// And of a short one, such as a file in a ZIP: a page of memory.
const SHORTEST_PIECE_BYTES: usize = 4 << 10;

/// The unconsumed bytes of a source, and where in it they lie.
pub struct Window<R> {
    pub source: R,
    buffer: Vec<u8>,
    /// How much is read at once.
    piece_bytes: usize,
    start: usize,
    end: usize,
    /// The offset of the first byte of [`Window::bytes`] in the source.
    pub offset: u64,
    ended: bool,
    pub error: Option<io::Error>,
}

impl<R: Read> Window<R> {
    /// Makes an empty window at the start of `source`, which has at most `bytes` bytes; its offsets count from `offset` on.
    pub fn at(source: R, offset: u64, bytes: u64) -> Self {
        // A ZIP may hold many short files, and a long buffer costs more than they do.
        let piece_bytes = usize::try_from(bytes).unwrap_or(PIECE_BYTES);
        let piece_bytes = piece_bytes.clamp(SHORTEST_PIECE_BYTES, PIECE_BYTES);
        Self {
            source,
            buffer: Vec::new(),
            piece_bytes,
            start: 0,
            end: 0,
            offset,
            ended: false,
            error: None,
        }
    }

    /// Returns the bytes that were read and not consumed.
    pub fn bytes(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Drops the first `count` bytes, or all if there are fewer.
    pub fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// Reads until the window has `wanted` bytes or the source has ended; returns how many it has.
    pub fn ensure(&mut self, wanted: usize) -> usize {
        while self.end - self.start < wanted && self.more() {}
        self.end - self.start
    }

    /// Reads one more piece; returns whether any bytes came. `Interrupted` is tried again.
    pub fn more(&mut self) -> bool {
        if self.ended {
            return false;
        }
        self.make_room();
        let outcome = loop {
            match self
                .source
                .read(self.buffer.get_mut(self.end..).unwrap_or_default())
            {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                outcome => break outcome,
            }
        };
        let count = outcome.unwrap_or_else(|error| {
            self.error = Some(error);
            0
        });
        self.end += count;
        self.ended = count == 0;
        !self.ended
    }

    /// Asks the source, without reading, whether it has failed: a lot may be inflated from few bytes of it.
    pub fn poll(&mut self) {
        if let Err(error) = self.source.read(&mut [])
            && error.kind() != ErrorKind::Interrupted
        {
            (self.ended, self.error) = (true, Some(error));
            self.end = self.start;
        }
    }

    /// Moves the remaining bytes to the front and lets the buffer grow if that is not enough.
    fn make_room(&mut self) {
        if self.start > 0 && self.buffer.len() - self.end < self.piece_bytes {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.is_empty() {
            // Two pieces, so that sources that give few bytes at a time do not make it grow with each read.
            self.buffer = vec![0; 2 * self.piece_bytes];
        } else if self.buffer.len() - self.end < self.piece_bytes {
            self.buffer.resize(self.end + self.piece_bytes, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Window;
    use std::io::Read;

    /// Gives one byte at a time, as a slow pipe does.
    struct Dripping(&'static [u8]);

    impl Read for Dripping {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = buffer.len().min(1);
            self.0.read(&mut buffer[..count])
        }
    }

    #[test]
    fn local_offsets_count_from_the_start_of_the_source() {
        let mut window = Window::at(Dripping(b"abcdef"), 0, u64::MAX);
        assert_eq!(window.ensure(3), 3);
        window.consume(2);
        assert_eq!((window.bytes(), window.offset), (&b"c"[..], 2));
        assert_eq!(window.ensure(100), 4);
        assert_eq!(window.bytes(), b"cdef");
        window.consume(100);
        assert_eq!((window.offset, window.more()), (6, false));
    }
}
