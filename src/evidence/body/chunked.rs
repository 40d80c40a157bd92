//! The wire bytes of a body, in one piece or in chunks.
//!
//! Document: RFC 9112 7.1, Chunked Transfer Coding. Example: `5`, CR LF, `hello`, CR LF, `0`, CR LF, CR LF.
//! RULES READ-16: chunk lines also end in LF, are inside a content coding, or occur twice.
//! Left out: the meaning of extensions, the trailer fields, and bytes after the last chunk. Several crawlers store a body
//! dechunked under `Transfer-Encoding: chunked`.
//!
//! Also the result of decoding a body, and how its stream ended: a cut gzip stream gives its first bytes, and `Short`.

use memchr::memchr;

/// The pieces of a body, in order; none is empty.
#[derive(Debug, Clone)]
pub(super) struct BodyPieces<'a> {
    rest: &'a [u8],
    state: ChunkState,
}

#[derive(Debug, Clone, Copy)]
enum ChunkState {
    Unframed,
    Chunks,
    /// The rest starts with bytes that look like the line of a chunk but do not fit (READ-16).
    Disputed,
    Finished,
    /// A chunk is short or misses its line: the bytes behind it cannot be read.
    Broken,
}

struct ChunkLine<'a> {
    size: usize,
    is_crlf: bool,
    data: &'a [u8],
}

impl<'a> BodyPieces<'a> {
    pub(super) fn whole(body: &'a [u8]) -> Self {
        Self {
            rest: body,
            state: ChunkState::Unframed,
        }
    }

    /// Returns the chunks of a body, or all of it if it does not start like one. Ours: the first line is believed if it ends in
    /// CR LF or its chunk ends at its size; later lines may end in LF.
    pub(super) fn of_chunks(body: &'a [u8]) -> Self {
        let state = match ChunkLine::read(body) {
            Some(line) if line.is_crlf || line.fits() => ChunkState::Chunks,
            Some(_) => ChunkState::Disputed,
            None => ChunkState::Unframed,
        };
        Self { rest: body, state }
    }

    /// Returns the chunks inside a coding or other chunks, if the bytes begin like one.
    pub(super) fn of_inner_chunks(body: &'a [u8]) -> Option<Self> {
        let state = if ChunkLine::read(body)?.fits() {
            ChunkState::Chunks
        } else {
            ChunkState::Disputed
        };
        Some(Self { rest: body, state })
    }

    /// Returns the chunks of a body that is not declared to be chunked; `None` if it does not begin like one. Ours, READ-1: the
    /// first chunk ends at its size, and another one follows, or the body ends inside it. Otherwise a page whose first line is
    /// the size of a chunk would have no HTML head.
    pub(super) fn of_undeclared_chunks(body: &'a [u8]) -> Option<Self> {
        let first = ChunkLine::read(body)?;
        if first.size == 0 || !first.is_crlf {
            return None;
        }
        let is_framed = match first.data.get(first.size..) {
            Some(after) => ChunkLine::read(after.strip_prefix(b"\r\n")?).is_some(),
            None => !first.data.is_empty(),
        };
        is_framed.then_some(Self {
            rest: body,
            state: ChunkState::Chunks,
        })
    }

    /// Returns whether they are chunks that were not read yet.
    pub(super) fn are_chunks(&self) -> bool {
        matches!(self.state, ChunkState::Chunks)
    }

    pub(super) fn first_bytes(&self, count: usize) -> Vec<u8> {
        self.clone().flatten().take(count).copied().collect()
    }

    /// Returns how the body ended; called after every piece was taken.
    pub(super) fn ending(&self) -> Ending {
        match self.state {
            ChunkState::Finished => Ending::Complete,
            ChunkState::Unframed | ChunkState::Chunks | ChunkState::Disputed => Ending::Short,
            ChunkState::Broken => Ending::Damaged,
        }
    }

    fn next_chunk(&mut self) -> Option<&'a [u8]> {
        let Some(line) = ChunkLine::read(self.rest) else {
            self.state = ChunkState::Broken;
            return None;
        };
        if line.size == 0 {
            self.state = ChunkState::Finished;
            return None;
        }
        let (data, after) = line
            .data
            .split_at_checked(line.size)
            .unwrap_or((line.data, &[]));
        match after_line_end(after) {
            Some(rest) => self.rest = rest,
            None => self.state = ChunkState::Broken,
        }
        Some(data).filter(|data| !data.is_empty())
    }
}

impl<'a> Iterator for BodyPieces<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.state = match self.state {
            ChunkState::Chunks => return self.next_chunk(),
            ChunkState::Unframed => ChunkState::Finished,
            ChunkState::Disputed => ChunkState::Broken,
            ChunkState::Finished | ChunkState::Broken => return None,
        };
        Some(self.rest).filter(|rest| !rest.is_empty())
    }
}

/// Returns whether a body begins with the line of a chunk that is not too long, or with a part of such a line.
pub(super) fn begins_like_one(start: &[u8]) -> bool {
    ChunkLine::read(start).is_some()
}

fn after_line_end(bytes: &[u8]) -> Option<&[u8]> {
    bytes.strip_prefix(b"\r\n").or(bytes.strip_prefix(b"\n"))
}

impl<'a> ChunkLine<'a> {
    /// Returns whether another chunk follows at the size of this one, or the body ends there.
    fn fits(&self) -> bool {
        let may_follow = |next: &[u8]| next.is_empty() || ChunkLine::read(next).is_some();
        self.data
            .get(self.size..)
            .is_some_and(|after| match self.size {
                0 => after.trim_ascii().is_empty(),
                _ => after_line_end(after).is_some_and(may_follow),
            })
    }

    /// Reads hexadecimal digits, blanks, an extension after `;` and the line end.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let digits = bytes.iter().take_while(|byte| byte.is_ascii_hexdigit());
        let (digits, rest) = bytes.split_at_checked(digits.count())?;
        // Of 1 to 16 digits; a size that does not fit into memory becomes the largest.
        let digits = std::str::from_utf8(digits)
            .ok()
            .filter(|digits| digits.len() <= 16)?;
        let size = usize::try_from(u64::from_str_radix(digits, 16).ok()?).unwrap_or(usize::MAX);
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        let mut rest = rest.get(blanks.count()..)?;
        if let [b';', ..] = rest {
            let extension = rest.get(..memchr(b'\n', rest)?)?;
            rest = rest.get(extension.strip_suffix(b"\r").unwrap_or(extension).len()..)?;
        }
        Some(Self {
            size,
            is_crlf: rest.starts_with(b"\r\n"),
            data: after_line_end(rest)?,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Complete,
    Short,
    Damaged,
    /// Not before the limit.
    Longer,
}

#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    pub(super) ending: Ending,
}

impl Decoded {
    /// Returns whether there is output, or the correct output is empty.
    pub(super) fn is_usable(&self) -> bool {
        matches!(self.ending, Ending::Complete | Ending::Longer) || !self.bytes.is_empty()
    }

    /// Returns this result as the content of `outer`: if the outer stream is incomplete, so is this.
    pub(super) fn inside(mut self, outer: Option<&Self>) -> Self {
        if self.ending == Ending::Complete
            && outer.is_some_and(|outer| outer.ending != Ending::Complete)
        {
            self.ending = Ending::Short;
        }
        self
    }

    pub(super) fn cut_to(mut self, max_bytes: usize) -> Self {
        if self.bytes.len() > max_bytes {
            self.bytes.truncate(max_bytes);
            self.ending = Ending::Longer;
        }
        self
    }
}
