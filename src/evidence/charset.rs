//! Bytes in which the markup of a page can be found without knowing its encoding.
//!
//! Document: HTML Living Standard, "Determining the character encoding"; Encoding Standard.
//! Example: a body that begins with the bytes FF FE is UTF-16 and is decoded to UTF-8.
//!
//! All encodings of the web but UTF-16 and ISO-2022-JP are supersets of ASCII here: a byte
//! that is `<`, `>`, `&`, `=`, `/`, a quote or a blank in ASCII is never part of another
//! character (trail bytes are 0x40 and above, in GB18030 digits too). Such a body is returned
//! as it is.
//!
//! Left out: guessing an encoding that nothing declares; the encoding in an XML declaration;
//! ISO-2022-KR, ISO-2022-CN and HZ, which browsers refuse and show as one replacement
//! character; UTF-16 in a meta element, which HTML reads as UTF-8.

use std::borrow::Cow;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use super::char_refs;
use super::markup::{self, Token};

/// HTML, "Determining the character encoding": how far in a meta charset is looked for.
const PRESCAN_BYTES: usize = 1024;

/// Returns `body` as a superset of ASCII, decoded to UTF-8 if it is none itself.
///
/// `content_type` is the value of the HTTP field of that name. A byte-order mark of UTF-16
/// does not stay, one of UTF-8 does.
#[must_use]
pub fn scannable<'a>(body: &'a [u8], content_type: Option<&[u8]>) -> Cow<'a, [u8]> {
    if let Some((encoding, mark_bytes)) = Encoding::for_bom(body) {
        return decoded(body.get(mark_bytes..).unwrap_or_default(), encoding, body);
    }
    let encoding =
        first_byte_pair(body).or_else(|| content_type.and_then(charset)).or_else(|| meta_charset(body));
    match encoding {
        Some(encoding) => decoded(body, encoding, body),
        None => Cow::Borrowed(body),
    }
}

/// Returns `unmarked` decoded if `encoding` is no superset of ASCII, and else `body`.
fn decoded<'a>(unmarked: &'a [u8], encoding: &'static Encoding, body: &'a [u8]) -> Cow<'a, [u8]> {
    if ![UTF_16LE, UTF_16BE, ISO_2022_JP].contains(&encoding) {
        return Cow::Borrowed(body);
    }
    match encoding.decode_without_bom_handling(unmarked).0 {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// Ours: a `<` in UTF-16 at the very start is taken for what it is, whatever is declared.
fn first_byte_pair(body: &[u8]) -> Option<&'static Encoding> {
    match body.first_chunk()? {
        b"<\0" => Some(UTF_16LE),
        b"\0<" => Some(UTF_16BE),
        _ => None,
    }
}

/// HTML, "extracting a character encoding from a meta element".
///
/// Ours: a Content-Type field is read in the same way, which only differs from reading it as a
/// MIME type where the word "charset" is part of something else.
fn charset(value: &[u8]) -> Option<&'static Encoding> {
    const WORD: &[u8] = b"charset";
    let mut rest = value;
    loop {
        let word = rest.windows(WORD.len()).position(|window| window.eq_ignore_ascii_case(WORD))?;
        rest = rest.get(word + WORD.len()..)?;
        if let Some(label) = rest.trim_ascii_start().strip_prefix(b"=") {
            return Encoding::for_label(unquoted(label.trim_ascii_start())?);
        }
    }
}

/// Returns the label up to its closing quote, a blank or a semicolon.
fn unquoted(label: &[u8]) -> Option<&[u8]> {
    match label.split_first()? {
        (&quote @ (b'"' | b'\''), quoted) => {
            let end = quoted.iter().position(|&byte| byte == quote)?;
            quoted.get(..end)
        }
        _ => label.split(|&byte| byte.is_ascii_whitespace() || byte == b';').next(),
    }
}

/// HTML, "prescan a byte stream to determine its encoding".
fn meta_charset(body: &[u8]) -> Option<&'static Encoding> {
    let mut rest = body.get(..PRESCAN_BYTES).unwrap_or(body);
    loop {
        let (token, after) = markup::token(rest)?;
        rest = match token {
            Token::Text | Token::Comment => after,
            Token::StartTag(name) if name.eq_ignore_ascii_case(b"meta") => {
                let (encoding, after) = charset_of_meta(after)?;
                if encoding.is_some() {
                    return encoding;
                }
                after
            }
            Token::StartTag(_) | Token::EndTag(_) => markup::after_attributes(after)?,
        };
    }
}

/// Returns the encoding that a meta declares, and what follows it.
fn charset_of_meta(bytes: &[u8]) -> Option<(Option<&'static Encoding>, &[u8])> {
    let (mut label, mut pragma, mut content) = (None, None, None);
    let after = markup::attributes(bytes, |name, value| {
        let slot = match name.to_ascii_lowercase().as_slice() {
            b"charset" => &mut label,
            b"http-equiv" => &mut pragma,
            b"content" => &mut content,
            _ => return,
        };
        slot.get_or_insert(value);
    })?;
    let is_content_type = pragma.is_some_and(|pragma: &[u8]| pragma.eq_ignore_ascii_case(b"content-type"));
    let encoding = match label {
        Some(label) => Encoding::for_label(&char_refs::decode(label)),
        None if is_content_type => content.and_then(charset),
        None => None,
    };
    let in_ascii = |found| {
        if [UTF_16LE, UTF_16BE].contains(&found) { UTF_8 } else { found }
    };
    Some((encoding.map(in_ascii), after))
}
