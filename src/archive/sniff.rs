//! The format and compression of a file, recognised by its first bytes.
//!
//! Example: `1f 8b 08` and a member whose text begins with `WARC/1.0` is a gzipped WARC, whatever the file's name.

use super::gzip::{MAGIC, header_bytes, inflate_step};
use super::{Codec, Format, Framing, zstd::is_frame};
use flate2::{Decompress, Status};

/// How many bytes are examined.
pub const SNIFF_BYTES: usize = 64 << 10;

/// Returns the format and the compression of a file that begins with `bytes`.
pub fn format_of(bytes: &[u8]) -> (Format, Codec) {
    match bytes {
        [] => (Format::Empty, Codec::Plain),
        _ if bytes.starts_with(&MAGIC) => (of_gzip(bytes), Codec::Gzip),
        // The contents of the frames are known only when they are inflated.
        _ if is_frame(bytes) => (Format::Warc, Codec::Zstd),
        [0x04, 0x22, 0x4d, 0x18, ..] => (Format::Lz4, Codec::Plain),
        [b'P', b'K', 3, 4, ..] => (Format::Wacz, Codec::Plain),
        _ => (of_text(bytes), Codec::Plain),
    }
}

/// Returns the format of text; a record may be behind empty lines or a byte order mark.
fn of_text(text: &[u8]) -> Format {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    if text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"WARC/")) {
        Format::Warc
    } else {
        Framing::of_text(text).map_or(Format::Other, Framing::format)
    }
}

/// Returns the format of a gzipped file by the text of its first members. A file that cannot be recognised, because the first
/// member is damaged, is read as WARC: the reader will find the records that can be found.
fn of_gzip(bytes: &[u8]) -> Format {
    let mut text = [0; 4096];
    let mut rest = bytes;
    while rest.starts_with(&MAGIC) {
        let Some(data) = header_bytes(rest).and_then(|header| rest.get(header..)) else { break };
        let (outcome, step) = inflate_step(&mut Decompress::new(false), data, &mut text);
        let started = text.get(..step.text).unwrap_or_default();
        if !started.is_empty() {
            return if b"WARC/".starts_with(started) { Format::Warc } else { of_text(started) };
        }
        if !matches!(outcome, Ok(Status::StreamEnd)) {
            break;
        }
        // An empty member: its trailer is eight bytes.
        rest = data.get(step.source + 8..).unwrap_or_default();
    }
    if rest.is_empty() { Format::Empty } else { Format::Warc }
}

#[cfg(test)]
mod tests {
    use super::format_of;
    use crate::archive::{Codec, Format};

    #[test]
    fn local_formats_are_told_by_their_first_bytes() {
        for (bytes, format, codec) in [
            (&b"WARC/1.0\r\n"[..], Format::Warc, Codec::Plain),
            (b"warc/1.0\r\n", Format::Warc, Codec::Plain),
            (b"\xef\xbb\xbf\r\nWARC/0.17", Format::Warc, Codec::Plain),
            (b"filedesc://x", Format::Arc, Codec::Plain),
            (
                b"http://a.example/ 192.0.2.1 20080430204825 text/html 215\nHTTP/1.1 200",
                Format::Arc,
                Codec::Plain,
            ),
            (b"\x28\xb5\x2f\xfd....", Format::Warc, Codec::Zstd),
            (b"\x5d\x2a\x4d\x18....", Format::Warc, Codec::Zstd),
            (b"\x04\x22\x4d\x18....", Format::Lz4, Codec::Plain),
            (b"PK\x03\x04....", Format::Wacz, Codec::Plain),
            (b"", Format::Empty, Codec::Plain),
            (b"hello", Format::Other, Codec::Plain),
            (b"\x1f\x8b\x08\0damaged", Format::Warc, Codec::Gzip),
        ] {
            assert_eq!(format_of(bytes), (format, codec), "{}", bytes.escape_ascii());
        }
    }
}
