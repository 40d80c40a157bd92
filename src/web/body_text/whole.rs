//! What is behind the beginning of a site file: bytes of another format, or lines in base64 (READ-15).
//!
//! Example: a robots.txt of 2,000 bytes behind which a gzip stream begins. Both were meant, and it is not known
//! what the second says.
//! Ours: in a text, only such a magic counts as has a byte that no text has. Left out: quoted-printable.

use super::{
    BYTES_PER_BINARY_BYTE, ReadAs, SNIFFED_BYTES, binary_bytes, binary_format, count, is_binary_data, magic,
    without_end_marks,
};
use crate::web::lines::split_line;

/// The fewest letters of base64 that are more than a word or a name.
const BASE64_LETTERS: usize = 24;

/// The bytes of a line in which a rule's name has ended.
const NAME_BYTES: usize = 16;

/// The bytes of a line that are looked at at once.
const COUNTED_BYTES: usize = 255;

/// The bytes that show what base64 holds.
const SHOWN_BYTES: usize = 64;

/// Returns whether anything but text is in a body that begins as text.
pub(super) fn is_interrupted(body: &[u8], read_as: ReadAs) -> bool {
    // Most files have none: one look at all bytes, without a branch for each.
    let has_binary = body.iter().fold(0, |found, byte| found | u8::from(is_binary_data(*byte))) > 0;
    has_binary && has_binary_piece(body, read_as) || has_magic(body, has_binary) || has_base64(body)
}

/// READ-2, for each piece of a body: more binary data bytes than a text may have.
fn has_binary_piece(body: &[u8], read_as: ReadAs) -> bool {
    let Some(behind) = body.get(SNIFFED_BYTES..).filter(|behind| !behind.is_empty()) else { return false };
    let last = body.get(body.len() - SNIFFED_BYTES..).unwrap_or(body);
    behind.chunks_exact(SNIFFED_BYTES).chain([last]).any(|piece| {
        let found = binary_bytes(piece, read_as);
        match read_as {
            ReadAs::RobotsTxt | ReadAs::Page => found * BYTES_PER_BINARY_BYTE > piece.len(),
            ReadAs::SiteFile => found > 0,
        }
    })
}

/// Returns whether the magic of another format is somewhere in a text.
fn has_magic(body: &[u8], has_binary: bool) -> bool {
    let is_pdf = |at: usize| at > 0 && body.get(at - 1).is_some_and(|byte| matches!(byte, b'\r' | b'\n'));
    if memchr::memmem::find_iter(body, b"%PDF-").any(is_pdf) {
        return true;
    }
    let has_foreign = || has_binary || std::str::from_utf8(body).is_err();
    has_foreign() && magic::is_within(body)
}

/// Returns whether lines of nothing but base64 hold text, or a format with a magic.
fn has_base64(body: &[u8]) -> bool {
    let (mut rest, mut letters) = (body, Vec::new());
    loop {
        let (line, following) = split_line(rest);
        let is_end = rest.is_empty();
        rest = following;
        let is_line = !line.is_empty() && is_all_base64(line);
        if is_line {
            let space = SNIFFED_BYTES.saturating_sub(letters.len());
            letters.extend(line.iter().take(space));
            continue;
        }
        if letters.len() >= BASE64_LETTERS && is_hidden(&decoded(&letters)) {
            return true;
        }
        letters.clear();
        if is_end {
            return false;
        }
    }
}

/// Returns whether a line is nothing but base64, as far as it would be undone. A rule has another byte soon; behind that of
/// others, bytes are counted several at once.
fn is_all_base64(line: &[u8]) -> bool {
    let looked_at = line.get(..SNIFFED_BYTES).unwrap_or(line);
    let (start, behind) = looked_at.split_at(looked_at.len().min(NAME_BYTES));
    start.iter().all(|byte| is_base64(*byte))
        && behind.chunks(COUNTED_BYTES).all(|piece| count(piece, is_base64) == piece.len())
}

/// Plain comparisons, which a compiler turns into vector instructions.
fn is_base64(byte: u8) -> bool {
    let is_letter = u8::from((byte | 0x20).wrapping_sub(b'a') < 26);
    let is_digit = u8::from(byte.wrapping_sub(b'0') < 10);
    let is = |mark: u8| u8::from(byte == mark);
    is_letter + is_digit + is(b'+') + is(b'/') + is(b'=') + is(b'-') + is(b'_') > 0
}

fn is_hidden(bytes: &[u8]) -> bool {
    // Ours: other letters hardly ever give this much UTF-8, most of it ASCII.
    let shown = bytes.get(..SHOWN_BYTES).unwrap_or(bytes);
    let start = without_end_marks(shown);
    let is_filling = start.is_empty() && !shown.is_empty();
    let controls = start.iter().filter(|byte| is_binary_data(**byte)).count();
    let others = start.iter().filter(|byte| !byte.is_ascii()).count();
    let is_utf8 = || std::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
    let is_text = || !is_filling && controls * 10 <= start.len() && others * 2 <= start.len() && is_utf8();
    // Ours: of two bytes alone, base64 may be any.
    let is_format = |name: &str| !["zlib", "mp3", "jpeg-xl"].contains(&name);
    binary_format(bytes).is_some_and(is_format) || is_text()
}

/// RFC 4648 4 and 5; what is behind the padding, and letters that fill no byte, are dropped.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::body_text::BodyText;

    const LINES: &[u8] = b"User-agent: *\nDisallow: /private/\n";

    #[test]
    fn read_15_a_site_file_is_looked_at_whole() {
        let text = LINES.repeat(60);
        assert!(text.len() > SNIFFED_BYTES);
        let noise: Vec<u8> =
            (0..4000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0]).collect();
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
            // Only the beginning of a long line is undone, and looked at.
            &[&b"VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwog".repeat(60)[..], b" and more"].concat(),
            &noise,
        ] {
            for read_as in [ReadAs::RobotsTxt, ReadAs::SiteFile] {
                let body = [&text[..], behind].concat();
                assert_eq!(BodyText::of(&body, read_as), BodyText::Binary, "{}", behind.escape_ascii());
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
            assert_eq!(BodyText::of(&body, ReadAs::RobotsTxt), BodyText::Text, "{}", behind.escape_ascii());
        }
        let one = [&text[..], b"Disallow: /\x02\n"].concat();
        assert_eq!(BodyText::of(&one, ReadAs::RobotsTxt), BodyText::Text);
        assert_eq!(BodyText::of(&one, ReadAs::SiteFile), BodyText::Binary);
        assert_eq!(BodyText::of(&text, ReadAs::SiteFile), BodyText::Text);
    }
}
