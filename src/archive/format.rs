//! What kind of file it is, by its first bytes.

use super::gzip::MAGIC;
use flate2::{Decompress, FlushDecompress, Status};

/// So many bytes are looked at.
pub const SNIFF_BYTES: usize = 64 << 10;

/// The formats that are recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// WARC records without compression.
    Warc,
    /// WARC records in gzip members.
    WarcGzip,
    /// An ARC archive, plain or gzipped.
    Arc,
    /// Zstandard frames.
    Zstd,
    /// LZ4 frames.
    Lz4,
    /// A ZIP file, as WACZ is.
    Zip,
    /// Nothing at all.
    Empty,
    /// Something else.
    Other,
}

impl Format {
    /// Returns the format of a file that begins with `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        if bytes.is_empty() {
            return Self::Empty;
        }
        if bytes.starts_with(&MAGIC) {
            return Self::of_gzip(bytes);
        }
        match bytes {
            // A dictionary in a skippable frame is how .warc.zst files begin.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [0x04, 0x22, 0x4d, 0x18, ..] => Self::Lz4,
            [b'P', b'K', 3, 4, ..] => Self::Zip,
            _ => Self::of_text(bytes),
        }
    }

    /// Returns the format of text; a record may stand behind empty lines or a byte order mark.
    fn of_text(text: &[u8]) -> Self {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
        if text.starts_with(b"WARC/") {
            Self::Warc
        } else if text.starts_with(b"filedesc://") {
            Self::Arc
        } else {
            Self::Other
        }
    }

    /// Returns the format of a gzipped file by the text of its first members. What cannot be recognised,
    /// for the first member is damaged, is read as WARC: the reader will find what can be found.
    fn of_gzip(bytes: &[u8]) -> Self {
        let mut text = [0; 512];
        let mut rest = bytes;
        while rest.starts_with(&MAGIC) {
            let Some(data) = rest.get(10..).filter(|_| rest.get(3) == Some(&0)) else { break };
            let mut inflate = Decompress::new(false);
            let outcome = inflate.decompress(data, &mut text, FlushDecompress::None);
            let count = usize::try_from(inflate.total_out()).unwrap_or(0);
            let started = text.get(..count).unwrap_or_default();
            if count > 0 && b"WARC/".starts_with(started) {
                return Self::WarcGzip;
            }
            if count > 0 {
                return match Self::of_text(started) {
                    Self::Warc => Self::WarcGzip,
                    other => other,
                };
            }
            if !matches!(outcome, Ok(Status::StreamEnd)) {
                break;
            }
            // An empty member: its trailer is eight bytes.
            let next = usize::try_from(inflate.total_in()).unwrap_or(usize::MAX).saturating_add(8);
            rest = data.get(next..).unwrap_or_default();
        }
        if rest.is_empty() { Self::Empty } else { Self::WarcGzip }
    }

    /// Returns the name used in messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warc => "WARC",
            Self::WarcGzip => "gzipped WARC",
            Self::Arc => "ARC",
            Self::Zstd => "zstd",
            Self::Lz4 => "LZ4",
            Self::Zip => "ZIP (WACZ)",
            Self::Empty => "empty",
            Self::Other => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn local_formats_are_told_by_their_first_bytes() {
        for (bytes, format) in [
            (&b"WARC/1.0\r\n"[..], Format::Warc),
            (b"\xef\xbb\xbf\r\nWARC/0.17", Format::Warc),
            (b"filedesc://x", Format::Arc),
            (b"\x28\xb5\x2f\xfd....", Format::Zstd),
            (b"\x5d\x2a\x4d\x18....", Format::Zstd),
            (b"\x04\x22\x4d\x18....", Format::Lz4),
            (b"PK\x03\x04....", Format::Zip),
            (b"", Format::Empty),
            (b"hello", Format::Other),
            (b"\x1f\x8b\x08\0damaged", Format::WarcGzip),
        ] {
            assert_eq!(Format::of(bytes), format, "{}", bytes.escape_ascii());
        }
    }
}
