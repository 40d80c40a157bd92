//! How much of a file is read.
//!
//! Document: RFC 9309 2.5 advises a parsing limit of at least 500 KiB. Example: a file of 600,000 bytes is read up to its last
//! whole line within 512,000 bytes. Left out: limits on lines; a line may be as long as its file.

/// The number of bytes of a file that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ParseLimit(u32);

impl ParseLimit {
    /// The least that RFC 9309 2.5 allows, and our default: 500 KiB.
    pub const LEAST: Self = Self(500 * 1024);
    /// The most: 1 GiB. Encoded paths are up to three times as long as written, and offsets have 32 bits.
    pub const MOST: Self = Self(1024 * 1024 * 1024);

    /// Sets a limit in bytes, from 500 KiB to 1 GiB.
    pub fn new(limit_bytes: u32) -> Result<Self, NotALimit> {
        let limit = Self(limit_bytes);
        if (Self::LEAST..=Self::MOST).contains(&limit) {
            Ok(limit)
        } else {
            Err(NotALimit(limit_bytes))
        }
    }

    /// Returns the limit in bytes.
    pub fn bytes(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// Cuts a body at its last line end within the limit ("if you cut, drop the line that was cut"), and returns whether it did.
    pub(super) fn apply(self, body: &[u8], extent: Extent) -> (&[u8], bool) {
        match (body.split_at_checked(self.bytes()), extent) {
            (Some((kept, [])), Extent::Whole) => (kept, false),
            (None, Extent::Whole) => (body, false),
            (Some((kept, [b'\r' | b'\n', ..])), _) => (kept, true),
            (Some((kept, _)), _) => (whole_lines(kept), true),
            (None, Extent::CutOff) => (whole_lines(body), true),
        }
    }
}

impl Default for ParseLimit {
    fn default() -> Self {
        Self::LEAST
    }
}

fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = memchr::memrchr2(b'\r', b'\n', bytes).map_or(0, |at| at + 1);
    bytes.get(..end).unwrap_or_default()
}

/// A number of bytes that is not a parsing limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "found a parsing limit of {0} bytes, expected {least} to {most}",
    least = ParseLimit::LEAST.0,
    most = ParseLimit::MOST.0
)]
pub struct NotALimit(pub u32);

/// Whether a body is everything that the server sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// It is; a last line without a line end counts.
    Whole,
    /// The record was cut off; the last line may be half a line and is dropped.
    CutOff,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(body: &[u8], limit_bytes: u32, extent: Extent) -> (&[u8], bool) {
        ParseLimit(limit_bytes).apply(body, extent)
    }

    #[test]
    fn rfc9309_2_5_limit_is_at_least_500_kib() {
        assert_eq!(ParseLimit::new(511_999), Err(NotALimit(511_999)));
        assert_eq!(ParseLimit::new(512_000), Ok(ParseLimit::default()));
        assert_eq!(ParseLimit::new(u32::MAX), Err(NotALimit(u32::MAX)));
    }

    #[test]
    fn local_a_cut_line_is_dropped_and_a_whole_one_kept() {
        for (limit_bytes, expected) in [
            (3, "ab\n"),
            (4, "ab\n"),
            (5, "ab\ncd"),
            (6, "ab\ncd\n"),
            (2, "ab"),
            (1, ""),
        ] {
            let found = kept(b"ab\ncd\nef", limit_bytes, Extent::Whole);
            assert_eq!(found, (expected.as_bytes(), true), "{limit_bytes}");
        }
        assert_eq!(kept(b"ab\ncd", 5, Extent::Whole), (&b"ab\ncd"[..], false));
        assert_eq!(kept(b"ab\rcd", 9, Extent::CutOff), (&b"ab\r"[..], true));
    }
}
