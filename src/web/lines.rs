//! Cuts text files of the web into lines, and trims white space.
//!
//! Documents: RFC 9309 2.2 (`EOL`, `WS`), whose ABNF other site files use; RFC 9110 5.6.3 (`OWS`). Example: CR, LF and CRLF
//! each end a line, so a file of old Macs also has lines. Left out: other line ends of Unicode, which no such document has.

use super::steps;

/// Splits off the first line of a text, without its line end.
pub fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr2(b'\r', b'\n', text).unwrap_or(text.len());
    steps::count(end + 1);
    match text.split_at_checked(end) {
        Some((line, [b'\r', b'\n', following @ ..] | [_, following @ ..])) => (line, following),
        Some((_, [])) | None => (text, b""),
    }
}

/// Returns the lines of a file with their numbers from 1; marks at the beginnings of lines are not part of them (ACCT-4).
pub fn numbered_lines(file: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    (1..).zip(lines(without_byte_order_marks(file)).map(without_line_marks))
}

pub(crate) fn lines(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (line, following) = split_line(rest);
        let is_there = !rest.is_empty();
        rest = following;
        is_there.then_some(line)
    })
}

/// Cuts byte order marks and zero-width spaces (U+FEFF, U+200B) off a line: tools that join files leave them at its beginning.
pub fn without_line_marks(mut line: &[u8]) -> &[u8] {
    let marks = ["\u{FEFF}", "\u{200B}"].map(str::as_bytes);
    while let Some(rest) = marks.iter().find_map(|mark| line.strip_prefix(*mark)) {
        line = rest;
    }
    line
}

/// Cuts off the byte order mark of UTF-8 from a page if it has one, also an incomplete one.
pub fn without_byte_order_mark(page: &[u8]) -> &[u8] {
    let marks = [&b"\xEF\xBB\xBF"[..], b"\xEF\xBB", b"\xEF"];
    marks
        .into_iter()
        .find_map(|mark| page.strip_prefix(mark))
        .unwrap_or(page)
}

/// Cuts off a byte order mark of UTF-8 from a site file, also an incomplete one, and each that follows it (READ-4).
pub fn without_byte_order_marks(mut file: &[u8]) -> &[u8] {
    // READ-23: a mark that was encoded twice.
    file = file
        .strip_prefix("\u{EF}\u{BB}\u{BF}".as_bytes())
        .unwrap_or(file);
    while file.starts_with(b"\xEF") {
        file = without_byte_order_mark(file);
    }
    file
}

/// Returns the offset in bytes at which a part of a text begins in it.
pub fn offset_in(text: &[u8], part: &[u8]) -> usize {
    part.as_ptr().addr().saturating_sub(text.as_ptr().addr())
}

pub(crate) fn split_once(text: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let (before, after) = text.split_at_checked(memchr::memchr(separator, text)?)?;
    Some((before, after.get(1..)?))
}

/// Trims only SP and HTAB.
pub fn trim_blanks(bytes: &[u8]) -> &[u8] {
    trimmed(bytes, |byte| matches!(byte, b' ' | b'\t'))
}

pub(crate) fn trimmed(bytes: &[u8], is_outer: impl Fn(u8) -> bool) -> &[u8] {
    let start = bytes
        .iter()
        .position(|byte| !is_outer(*byte))
        .unwrap_or(bytes.len());
    let end = bytes
        .iter()
        .rposition(|byte| !is_outer(*byte))
        .map_or(start, |last| last + 1);
    bytes.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc9309_2_2_lines_end_with_cr_lf_or_crlf_and_white_space_is_sp_and_htab() {
        let lines = |file: &'static [u8]| numbered_lines(file).collect::<Vec<_>>();
        assert_eq!(
            lines(b"\xEF\xBB\xBFa\rb\n\nc\r\n"),
            [(1, &b"a"[..]), (2, b"b"), (3, b""), (4, b"c")]
        );
        assert_eq!(lines(b"\r\r\n"), [(1, &b""[..]), (2, b"")]);
        assert!(lines(b"").is_empty());
        assert_eq!(
            without_byte_order_marks("\u{EF}\u{BB}\u{BF}a".as_bytes()),
            b"a"
        );
        assert_eq!(trim_blanks(b" \t a\x0B \t"), b"a\x0B");
        assert_eq!(trim_blanks(b" \t"), b"");
    }

    #[test]
    fn acct_4_marks_at_the_beginning_of_any_line_are_skipped() {
        let lines: Vec<_> =
            numbered_lines("a\n\u{FEFF}\u{200B}b\u{FEFF}\n\u{200B}".as_bytes()).collect();
        assert_eq!(
            lines,
            [(1, &b"a"[..]), (2, "b\u{FEFF}".as_bytes()), (3, b"")]
        );
    }
}
