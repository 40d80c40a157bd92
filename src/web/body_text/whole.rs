//! Bytes of another format, or lines in base64, behind the beginning of a site file (READ-15); the magics of binary formats.
//!
//! Documents: WHATWG MIME Sniffing, "Matching an image type pattern" and those of audio and video, fonts and archives; RFC 1950
//! 2.2 (zlib), RFC 1952 2.3 (gzip), RFC 8878 3.1 (zstd), RFC 9842 (dcb, dcz). Examples: a robots.txt of 2,000 bytes behind
//! which a gzip stream begins: both were meant, and the second is unreadable; `89 50 4E 47 0D 0A 1A 0A` begins a PNG. Left out:
//! quoted-printable, formats without a magic, such as brotli, and PostScript, which is text.
//! Ours: inside a text, only a magic counts that has a byte no text has. A magic that is a word of letters counts only with
//! another part that its format has at a fixed place, because `BM` may begin a robots.txt.

use super::{BYTES_PER_BINARY_BYTE, ReadAs, SNIFFED_BYTES, binary_bytes, is_binary_data, is_utf8};
use super::{sniffed, without_end_marks};
use crate::web::lines::{lines, without_byte_order_marks};
use crate::web::vectorised::{any_bits, count};

/// A run of at least this many base64 letters is more than a word or a name.
const BASE64_LETTERS: usize = 24;
/// A rule's name ends within this many bytes of its line.
const NAME_BYTES: usize = 16;
/// The bytes of a line that are counted in one step.
const COUNTED_BYTES: usize = 255;
/// The decoded bytes that suffice to recognise the content of base64.
const SHOWN_BYTES: usize = 64;

/// Returns whether a body that begins as text contains anything else.
pub(super) fn is_interrupted(body: &[u8], read_as: ReadAs) -> bool {
    // Most files have none.
    let has_binary = any_bits(body, |byte| u8::from(is_binary_data(byte))) != 0;
    has_binary && has_binary_piece(body, read_as)
        || has_magic(body, has_binary)
        || has_base64(without_byte_order_marks(body))
}

/// READ-2, for each piece of a body: more binary data bytes than a text may have.
fn has_binary_piece(body: &[u8], read_as: ReadAs) -> bool {
    let Some(behind) = body
        .get(SNIFFED_BYTES..)
        .filter(|behind| !behind.is_empty())
    else {
        return false;
    };
    let last = body.get(body.len() - SNIFFED_BYTES..).unwrap_or(body);
    behind
        .chunks_exact(SNIFFED_BYTES)
        .chain([last])
        .any(|piece| {
            let most = if read_as == ReadAs::SiteFile {
                0
            } else {
                piece.len() / BYTES_PER_BINARY_BYTE
            };
            binary_bytes(piece, read_as) > most
        })
}

/// Returns whether a text contains a magic that has a byte which no text has (READ-15).
fn has_magic(body: &[u8], has_binary: bool) -> bool {
    let is_pdf = |at: usize| {
        at > 0
            && body
                .get(at - 1)
                .is_some_and(|byte| matches!(byte, b'\r' | b'\n'))
    };
    if memchr::memmem::find_iter(body, b"%PDF-").any(is_pdf) {
        return true;
    }
    if !has_binary && std::str::from_utf8(body).is_ok() {
        return false;
    }
    // Ours: of the two-byte magics only those with a control byte count, because a text in another charset may have the others.
    let is_foreign = |byte: &u8| is_binary_data(*byte) || *byte == 0xFF;
    let is_telling = |start: &[u8]| {
        let has_control = start.iter().any(|byte| is_binary_data(*byte));
        has_control && !matches!(start, [0, ..]) || start.len() > 2 && start.iter().any(is_foreign)
    };
    let magics = COMPRESSIONS
        .iter()
        .chain(MAGICS)
        .filter(|(_, _, further)| further.is_none());
    let starts = magics.flat_map(|(_, starts, _)| *starts);
    let mut starts = starts.filter(|start| is_telling(start) || **start == b"\x28\xB5\x2F\xFD");
    starts.any(|start| memchr::memmem::find(body, start).is_some())
}

/// Returns whether lines of pure base64 hold text, or a format with a magic.
fn has_base64(body: &[u8]) -> bool {
    let mut letters = Vec::new();
    // The end of the text ends base64 like a blank line.
    for line in lines(body).chain([&b""[..]]) {
        if !line.is_empty() && is_all_base64(line) {
            let space = SNIFFED_BYTES.saturating_sub(letters.len());
            letters.extend(line.iter().take(space));
            continue;
        }
        if letters.len() >= BASE64_LETTERS && is_hidden(&decoded(&letters)) {
            return true;
        }
        letters.clear();
    }
    false
}

/// Returns whether the part of a line that would be undone is pure base64. A rule soon has another byte; longer lines are
/// counted in chunks.
fn is_all_base64(line: &[u8]) -> bool {
    let looked_at = sniffed(line);
    let (start, behind) = looked_at.split_at(looked_at.len().min(NAME_BYTES));
    start.iter().all(|byte| begins_base64(*byte))
        && behind
            .chunks(COUNTED_BYTES)
            .all(|piece| count(piece, is_base64) == piece.len())
}

/// Plain comparisons, because compilers turn them into vector instructions.
fn is_base64(byte: u8) -> bool {
    let is_letter = u8::from((byte | 0x20).wrapping_sub(b'a') < 26);
    let is_digit = u8::from(byte.wrapping_sub(b'0') < 10);
    let is = |mark: u8| u8::from(byte == mark);
    is_letter + is_digit + is(b'+') + is(b'/') + is(b'=') + is(b'-') + is(b'_') > 0
}

/// The same with branches, which is faster for the few bytes of a line's beginning.
fn begins_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

fn is_hidden(bytes: &[u8]) -> bool {
    // Ours: other letters hardly ever give this much UTF-8, most of it ASCII.
    let shown = bytes.get(..SHOWN_BYTES).unwrap_or(bytes);
    let start = without_end_marks(shown);
    let is_filling = start.is_empty() && !shown.is_empty();
    let controls = start.iter().filter(|byte| is_binary_data(**byte)).count();
    let others = start.iter().filter(|byte| !byte.is_ascii()).count();
    let is_utf8 =
        || std::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
    let is_text =
        || !is_filling && controls * 10 <= start.len() && others * 2 <= start.len() && is_utf8();
    // Ours: base64 gives any two bytes by chance, so a magic of only two bytes does not count.
    let is_format = |name: &str| !["zlib", "mp3", "jpeg-xl"].contains(&name);
    binary_format(bytes).is_some_and(is_format) || is_text()
}

/// RFC 4648 4 and 5; drops the letters behind the padding and letters that fill no byte.
fn decoded(letters: &[u8]) -> Vec<u8> {
    let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
    for letter in letters {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        (bits, held) = (bits << 6 | u32::from(value), held + 6);
        if held >= 8 {
            held -= 8;
            bytes.extend((bits >> held).to_be_bytes().last());
            bits &= (1 << held) - 1;
        }
    }
    bytes
}

/// The beginning of a format: its name, its possible first bytes, and its possible bytes at a place further on.
type Magic = (
    &'static str,
    &'static [&'static [u8]],
    Option<(usize, &'static [&'static [u8]])>,
);

const COMPRESSIONS: &[Magic] = &[
    ("gzip", &[b"\x1F\x8B"], None),
    ("zstd", &[b"\x28\xB5\x2F\xFD"], None),
    ("compress", &[b"\x1F\x9D"], None),
    ("lzh", &[b"\x1F\xA0"], None),
    ("pack", &[b"\x1F\x1E"], None),
    (
        "bzip2",
        &[b"BZh"],
        Some((
            4,
            &[b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90"],
        )),
    ),
    ("xz", &[b"\xFD7zXZ\0"], None),
    ("lzma", &[b"\x5D\0\0"], None),
    ("lzip", &[b"LZIP\x01"], None),
    ("lzop", &[b"\x89LZO\0"], None),
    ("lz4", &[b"\x04\x22\x4D\x18", b"\x02\x21\x4C\x18"], None),
    ("snappy", &[b"\xFF\x06\0\0sNaPpY"], None),
    ("dcb", &[b"\xFFDCB"], None),
    ("vcdiff", &[b"\xD6\xC3\xC4"], None),
];

const MAGICS: &[Magic] = &[
    // Archives and packed documents.
    ("zip", &[b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"], None),
    ("rar", &[b"Rar!\x1A\x07"], None),
    ("7z", &[b"7z\xBC\xAF\x27\x1C"], None),
    ("cab", &[b"MSCF\0\0\0\0"], None),
    ("tar", &[b""], Some((257, &[b"ustar"]))),
    ("pdf", &[b"%PDF-"], None),
    ("ole", &[b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"], None),
    ("djvu", &[b"AT&TFORM"], None),
    ("sqlite", &[b"SQLite format 3\0"], None),
    ("parquet", &[b"PAR1"], None),
    // Images.
    ("png", &[b"\x89PNG\r\n\x1A\n"], None),
    ("jpeg", &[b"\xFF\xD8\xFF"], None),
    ("gif", &[b"GIF87a", b"GIF89a"], None),
    ("ico", &[b"\0\0\x01\0"], None),
    ("cur", &[b"\0\0\x02\0"], None),
    ("bmp", &[b"BM"], Some((6, &[b"\0\0\0\0"]))),
    ("tiff", &[b"II*\0", b"MM\0*"], None),
    ("psd", &[b"8BPS\0"], None),
    ("jpeg-xl", &[b"\xFF\x0A"], None),
    ("jpeg-2000", &[b"\0\0\0\x0C"], None),
    // Audio and video.
    ("riff", &[b"RIFF"], Some((8, &[b"WEBP", b"WAVE", b"AVI "]))),
    ("aiff", &[b"FORM"], Some((8, &[b"AIFF"]))),
    (
        "mp3",
        &[b"ID3\x02", b"ID3\x03", b"ID3\x04", b"\xFF\xFB"],
        None,
    ),
    ("ogg", &[b"OggS\0"], None),
    ("midi", &[b"MThd\0\0\0\x06"], None),
    ("flac", &[b"fLaC\0"], None),
    ("mp4", &[b""], Some((4, &[b"ftyp"]))),
    ("webm", &[b"\x1A\x45\xDF\xA3"], None),
    ("flv", &[b"FLV\x01"], None),
    ("mpeg", &[b"\0\0\x01\xBA", b"\0\0\x01\xB3"], None),
    ("asf", &[b"\x30\x26\xB2\x75\x8E\x66\xCF\x11"], None),
    // Fonts.
    ("woff", &[b"wOFF\0", b"wOFFOTTO"], None),
    ("woff2", &[b"wOF2\0", b"wOF2OTTO"], None),
    ("truetype", &[b"\0\x01\0\0", b"ttcf\0"], None),
    ("opentype", &[b"OTTO\0"], None),
    ("eot", &[b""], Some((34, &[b"LP\0"]))),
    // Executables.
    ("elf", &[b"\x7FELF"], None),
    ("pe", &[b"MZ\x90\0"], None),
    (
        "mach-o",
        &[
            b"\xFE\xED\xFA\xCE",
            b"\xFE\xED\xFA\xCF",
            b"\xCE\xFA\xED\xFE",
            b"\xCF\xFA\xED\xFE",
        ],
        None,
    ),
    ("class", &[b"\xCA\xFE\xBA\xBE"], None),
    ("wasm", &[b"\0asm"], None),
    ("dex", &[b"dex\n0"], None),
];

/// Returns the format other than text whose magic begins `body` (READ-2).
pub fn binary_format(body: &[u8]) -> Option<&'static str> {
    compression(body).or_else(|| found(MAGICS, body))
}

/// Returns the compression whose magic begins `body`.
pub fn compression(body: &[u8]) -> Option<&'static str> {
    let is_zlib = || is_zlib(body) && !is_utf8(sniffed(body));
    // RFC 8878 3.1.2: a frame that decoders skip may come before the first one.
    let is_skippable_frame = || matches!(body, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..]);
    found(COMPRESSIONS, body)
        .or_else(|| is_skippable_frame().then_some("zstd"))
        .or_else(|| is_zlib().then_some("zlib"))
}

fn found(magics: &[Magic], body: &[u8]) -> Option<&'static str> {
    // Hardly any magic begins with the body's first byte.
    let may_begin = |start: &[u8]| start.first().is_none_or(|byte| body.first() == Some(byte));
    let is_there = |(_, starts, further): &&Magic| {
        let has_further = |(at, texts): (usize, &[&[u8]])| {
            body.get(at..)
                .is_some_and(|rest| texts.iter().any(|text| rest.starts_with(text)))
        };
        starts
            .iter()
            .any(|start| may_begin(start) && body.starts_with(start))
            && further.is_none_or(has_further)
    };
    magics.iter().find(is_there).map(|(name, ..)| *name)
}

/// RFC 1950 2.2: method 8, a window of at most 32 KiB, no dictionary, a check of 31. Two letters may also match: only bytes
/// that are otherwise not text count as zlib.
pub fn is_zlib(start: &[u8]) -> bool {
    match start {
        [
            method @ (0x08 | 0x18 | 0x28 | 0x38 | 0x48 | 0x58 | 0x68 | 0x78),
            flags,
            ..,
        ] => flags & 0x20 == 0 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::body_text::BodyText;

    const LINES: &[u8] = b"User-agent: *\nDisallow: /private/\n";

    #[test]
    fn read_15_a_site_file_is_looked_at_whole() {
        let text = LINES.repeat(60);
        assert!(text.len() > SNIFFED_BYTES);
        let mut random = fastrand::Rng::with_seed(1);
        let noise: Vec<u8> = (0..4000).map(|_| random.u8(..)).collect();
        for behind in [
            &b"\x1F\x8B\x08\0\0\0\0\0\0\x03\xCB"[..],
            b"\x28\xB5\x2F\xFD\x04\x58",
            b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR",
            b"PK\x03\x04\x14\0",
            b"%PDF-1.7\n",
            b"VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwo=\n",
            b"H4sIAAAAAAAAAwvNSy3ISi1RsFLQ4gIAAAD//w==\n",
            // NULs at the end; a byte order mark; and a zero-width space in front of each line.
            b"VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
            b"77u/VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwo=\n",
            b"4oCLVXNlci1hZ2VudDogKgrigItEaXNhbGxvdzogLwo=\n",
            // Only the beginning of a long line is undone and looked at.
            &[
                &b"VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwog".repeat(60)[..],
                b" and more",
            ]
            .concat(),
            &noise,
        ] {
            for read_as in [ReadAs::RobotsTxt, ReadAs::SiteFile] {
                let body = [&text[..], behind].concat();
                assert_eq!(
                    BodyText::classify(&body, read_as),
                    BodyText::Binary,
                    "{}",
                    behind.escape_ascii()
                );
            }
        }
    }

    #[test]
    fn read_15_texts_stay_texts() {
        let text = LINES.repeat(60);
        for behind in [
            &b"Disallow: /soci\xE9t\xE9/\n"[..],
            b"# \xD6\xC3\xC4\xE3\n",
            b"Sitemap\nfunctionsAndVariablesOfSomeKind\n",
            b"0123456789abcdef0123456789abcdef\n",
            b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
            b"Disallow: /%PDF-1.7\n",
            b"Disallow: /a\x0Bb\n",
        ] {
            let body = [&text[..], behind].concat();
            assert_eq!(
                BodyText::classify(&body, ReadAs::RobotsTxt),
                BodyText::Text,
                "{}",
                behind.escape_ascii()
            );
        }
        let one = [&text[..], b"Disallow: /\x02\n"].concat();
        assert_eq!(BodyText::classify(&one, ReadAs::RobotsTxt), BodyText::Text);
        assert_eq!(BodyText::classify(&one, ReadAs::SiteFile), BodyText::Binary);
        assert_eq!(BodyText::classify(&text, ReadAs::SiteFile), BodyText::Text);
    }
}
