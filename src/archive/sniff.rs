//! The format and compression of a file, recognised by its first bytes.
//!
//! Example: `1f 8b 08` and a member whose text begins with `WARC/1.0` is a gzipped WARC, whatever the file's name.

use super::gzip::{MAGIC, header_bytes, inflate_step};
use super::{Codec, Format, Framing, zstd::is_frame};
use crate::web::body_text::binary_format;
use crate::web::foreign_file::{Expected, foreign_file};
use flate2::{Decompress, Status};
use std::borrow::Cow;

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

/// Returns what a file is that is no archive, and what to do with it, if its first bytes show it.
pub fn described(bytes: &[u8]) -> Option<String> {
    let text = if bytes.starts_with(&MAGIC) {
        Cow::Owned(first_text(bytes)?)
    } else {
        Cow::Borrowed(bytes)
    };
    if is_list(&text) {
        return Some("a list of paths: give it with --paths-from".to_owned());
    }
    if has_capture_times(&text) {
        return Some("an index of captures (CDX): give the archives that it is of".to_owned());
    }
    foreign_file(&text, Expected::Archive)
        .or_else(|| binary_format(&text).map(|format| format!("{format}: unpack it")))
}

/// Returns whether the first line is the path of an archive.
fn is_list(text: &[u8]) -> bool {
    let line = text
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default()
        .trim_ascii();
    !line.contains(&b' ') && Format::of_file_name(&String::from_utf8_lossy(line)).is_some()
}

/// Returns whether the second word of the first lines is a time of 14 digits.
fn has_capture_times(text: &[u8]) -> bool {
    let lines = text.split(|byte| *byte == b'\n').take(2);
    let mut seconds = lines.filter_map(|line| line.split(|byte| *byte == b' ').nth(1));
    seconds.any(|word| word.len() == 14 && word.iter().all(u8::is_ascii_digit))
}

/// Returns the beginning of the text of the first gzip member that has any; empty if no member has any, and `None` where the text
/// cannot be inflated.
fn first_text(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut text = vec![0; 4096];
    let mut rest = bytes;
    while rest.starts_with(&MAGIC) {
        let data = rest.get(header_bytes(rest)?..)?;
        let (outcome, step) = inflate_step(&mut Decompress::new(false), data, &mut text);
        if step.text > 0 {
            text.truncate(step.text);
            return Some(text);
        }
        if !matches!(outcome, Ok(Status::StreamEnd)) {
            return None;
        }
        // An empty member: its trailer is eight bytes.
        rest = data.get(step.source + 8..).unwrap_or_default();
    }
    rest.is_empty().then(Vec::new)
}

/// Returns the format of text; a record may be behind empty lines or a byte order mark.
fn of_text(text: &[u8]) -> Format {
    let text = text
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(text)
        .trim_ascii_start();
    if text
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"WARC/"))
    {
        Format::Warc
    } else {
        Framing::of_text(text).map_or(Format::Other, Framing::format)
    }
}

/// Returns the format of a gzipped file by the text of its first members. A file that cannot be recognised, because the first
/// member is damaged, is read as WARC: the reader will find the records that can be found.
fn of_gzip(bytes: &[u8]) -> Format {
    match first_text(bytes) {
        Some(text) if text.is_empty() => Format::Empty,
        Some(text) if !b"WARC/".starts_with(&text) => of_text(&text),
        Some(_) | None => Format::Warc,
    }
}

#[cfg(test)]
mod tests {
    use super::{described, format_of};
    use crate::archive::{Codec, Format};
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

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
            assert_eq!(
                format_of(bytes),
                (format, codec),
                "{}",
                bytes.escape_ascii()
            );
        }
    }

    #[test]
    fn local_what_is_no_archive_is_named() {
        let mut zipped = GzEncoder::new(Vec::new(), Compression::default());
        zipped
            .write_all(b"a/warc/b.warc.gz\n")
            .expect("it is written");
        let zipped_list = zipped.finish().expect("it is written");
        let nothing = GzEncoder::new(Vec::new(), Compression::default());
        let nothing = nothing.finish().expect("it is written");
        let behind_nothing = [nothing, zipped_list.clone()].concat();
        for (bytes, expected) in [
            (&b"a/warc/b.warc.gz\nc.warc.gz\n"[..], "a list of paths"),
            (&zipped_list, "a list of paths"),
            (&behind_nothing, "a list of paths"),
            (b"s3://bucket/x.wacz\r\n", "a list of paths"),
            (b"PAR1\x15\x04", "Parquet"),
            (
                b"version https://git-lfs.github.com/spec/v1\n",
                "a pointer of Git LFS",
            ),
            (
                b"<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code>",
                "HTML or XML",
            ),
            (b"\n<!DOCTYPE html>", "HTML or XML"),
            (
                b" CDX N b a m s k r M S V g\nexample,a)/ 20260810204825 http://a.example/",
                "an index of captures",
            ),
            (
                b"example,a)/ 20260810204825 {\"url\": \"http://a.example/\"}",
                "an index of captures",
            ),
            (b"\xFD7zXZ\0", "compressed with xz: unpack it"),
            (b"LZIP\x01", "lzip: unpack it"),
            (b"ARROW1\0\0", "Arrow IPC"),
        ] {
            let found = described(bytes).unwrap_or_default();
            assert!(
                found.starts_with(expected),
                "{}: {found}",
                bytes.escape_ascii()
            );
        }
        for bytes in [
            &b"hello"[..],
            b"",
            b"\x1f\x8b\x08\0damaged",
            b"see a.warc.gz of b.warc.gz",
        ] {
            assert_eq!(described(bytes), None, "{}", bytes.escape_ascii());
        }
    }
}
