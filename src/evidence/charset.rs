//! Bytes in which the markup of a page can be found without knowing its encoding.
//!
//! Document: HTML Living Standard, "Determining the character encoding"; Encoding Standard.
//! Example: a body that begins with the bytes FF FE is UTF-16 and is decoded to UTF-8.
//!
//! All encodings of the web except UTF-16 and ISO-2022-JP are supersets of ASCII here: a byte that is `<`, `>`, `&`, `=`, `/`,
//! a quote or a blank in ASCII is never part of another character (trail bytes are 0x40 and above, also digits in GB18030).
//! Such a body is returned unchanged.
//!
//! Left out: encodings that are not such a superset and are not decoded here: UTF-32, UTF-7, EBCDIC, SCSU, ISO-2022-KR and
//! others that browsers refuse. Their pages are not read (READ-11). UTF-16 in a meta element, which HTML reads as UTF-8.

use super::char_refs;
use super::markup::{self, Token};
use crate::web::body_text::{SNIFFED_BYTES, Wide};
use crate::web::lines::without_byte_order_mark;
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// HTML, "Determining the character encoding": how many bytes are searched for a meta charset.
const PRESCAN_BYTES: usize = 1024;

/// Returns `body` as a superset of ASCII, decoded to UTF-8 if it is not a superset itself; `None` if its encoding is not
/// decoded here (READ-11).
/// `content_type` is the value of that HTTP field. A byte-order mark of UTF-16 is removed, one of UTF-8 is kept.
pub fn scannable<'a>(body: &'a [u8], content_type: Option<&[u8]>) -> Option<Cow<'a, [u8]>> {
    // An incomplete mark of UTF-8 before ASCII means the same.
    let unmarked = without_byte_order_mark(body);
    let is_marked = unmarked.len() < body.len() && unmarked.first().is_some_and(u8::is_ascii);
    if is_marked || Encoding::for_bom(body).is_some_and(|(encoding, _)| encoding == UTF_8) {
        return Some(Cow::Borrowed(body));
    }
    match evident(body)
        .or_else(|| declared(body, content_type))
        .or_else(|| escapes(body))
    {
        Some(encoding) if encoding == REPLACEMENT => None,
        Some(encoding) => Some(decoded(body, encoding)),
        None => Some(Cow::Borrowed(body)),
    }
}

/// Returns the encoding of a label: `REPLACEMENT`, as the Encoding Standard says of those that browsers refuse, if it is not
/// decoded here; a label that is in no standard means nothing (READ-11).
fn labelled(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label(label).or_else(|| is_undecodable(label).then_some(REPLACEMENT))
}

/// Returns whether a label names an encoding that is not a superset of ASCII and is not decoded here: labels of the IANA
/// registry and others in use.
fn is_undecodable(label: &[u8]) -> bool {
    const STARTS: &str =
        "utf-32 utf32 ucs-4 ucs4 iso-10646-ucs-4 utf-7 utf7 unicode-1-1-utf-7 scsu bocu
        utf-ebcdic ebcdic x-ebcdic hz-gb";
    const PAGES: &str =
        "37 273 277 278 280 284 285 290 297 420 423 424 500 833 838 870 871 875 880 905 918 930
        933 935 937 939 1025 1026 1047 1097 1112 1122 1123 1364 1371 1388 1390 1399 1140 1141 1148";
    let label = String::from_utf8_lossy(label.trim_ascii()).to_ascii_lowercase();
    let label = label.strip_prefix("cs").unwrap_or(&label);
    let page = ["x-ibm", "ibm", "x-cp", "cp"]
        .iter()
        .find_map(|prefix| label.strip_prefix(prefix));
    let page = page.map(|page| page.trim_start_matches(['-', '_', '0']));
    STARTS
        .split_ascii_whitespace()
        .any(|start| label.starts_with(start))
        || PAGES
            .split_ascii_whitespace()
            .any(|known| page == Some(known))
}

/// Returns the encoding that a page evidently has, whatever is declared. Undecodable: UTF-32, the mark of UTF-7 or a tag in it,
/// the escape of ISO-2022-KR. Ours: UTF-16 by its mark, by NULs in every second place, or by a `<` at the start.
fn evident(body: &[u8]) -> Option<&'static Encoding> {
    let start = body.get(..SNIFFED_BYTES).unwrap_or(body);
    let is_utf_7 = start.starts_with(b"+/v") || start.trim_ascii_start().starts_with(b"+ADw");
    let is_korean = || memchr(0x1B, start).is_some() && memmem::find(start, b"\x1B$)C").is_some();
    match (Wide::detect(body), body.first_chunk()) {
        (Some(Wide::Utf32Le | Wide::Utf32Be), _) => Some(REPLACEMENT),
        (None, _) if is_utf_7 || is_korean() => Some(REPLACEMENT),
        (Some(Wide::Utf16Le), _) | (_, Some(b"<\0")) => Some(UTF_16LE),
        (Some(Wide::Utf16Be), _) | (_, Some(b"\0<")) => Some(UTF_16BE),
        _ => None,
    }
}

/// Returns `body` decoded if `encoding` is not a superset of ASCII, otherwise unchanged.
fn decoded<'a>(body: &'a [u8], encoding: &'static Encoding) -> Cow<'a, [u8]> {
    if ![UTF_16LE, UTF_16BE, ISO_2022_JP].contains(&encoding) {
        return Cow::Borrowed(body);
    }
    let mark_bytes = Encoding::for_bom(body).map_or(0, |(_, mark_bytes)| mark_bytes);
    match encoding
        .decode_without_bom_handling(body.get(mark_bytes..).unwrap_or_default())
        .0
    {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// Returns the charset that the Content-Type field, an XML declaration or a meta declares, in this order. Ours: markup in ASCII
/// is not in UTF-16, whatever the field says.
fn declared(body: &[u8], content_type: Option<&[u8]>) -> Option<&'static Encoding> {
    let is_ascii_markup = matches!(body.trim_ascii_start(), [b'<', 1..=0x7F, ..]);
    let fits =
        |found: &&'static Encoding| !is_ascii_markup || ![UTF_16LE, UTF_16BE].contains(found);
    let field = content_type.and_then(charset).filter(fits);
    field
        .or_else(|| xml_charset(body).filter(fits))
        .or_else(|| meta_charset(body))
}

/// XML 1.0, 4.3.3: `<?xml version="1.0" encoding="..."?>`.
fn xml_charset(body: &[u8]) -> Option<&'static Encoding> {
    let declaration = body
        .strip_prefix(b"<?xml")?
        .split(|byte| *byte == b'>')
        .next()?;
    let label = declaration.get(memmem::find(declaration, b"encoding")? + b"encoding".len()..)?;
    labelled(unquoted(
        label
            .trim_ascii_start()
            .strip_prefix(b"=")?
            .trim_ascii_start(),
    )?)
}

/// Ours: a page that declares nothing and has an escape sequence of ISO-2022-JP is in ISO-2022-JP.
fn escapes(body: &[u8]) -> Option<&'static Encoding> {
    let sequences = [&b"$B"[..], b"$@", b"(J"];
    let begins = |escape: &[u8]| sequences.iter().any(|known| escape.starts_with(known));
    let mut escapes = memchr::memchr_iter(0x1B, body).filter_map(|at| body.get(at + 1..));
    escapes.any(begins).then_some(ISO_2022_JP)
}

/// HTML, "extracting a character encoding from a meta element". Ours: a Content-Type field is read in the same way, which
/// differs from reading it as a MIME type only if the word "charset" is part of something else.
fn charset(value: &[u8]) -> Option<&'static Encoding> {
    const WORD: &[u8] = b"charset";
    let mut rest = value;
    loop {
        let word = rest
            .windows(WORD.len())
            .position(|window| window.eq_ignore_ascii_case(WORD))?;
        rest = rest.get(word + WORD.len()..)?;
        if let Some(label) = rest.trim_ascii_start().strip_prefix(b"=") {
            return labelled(unquoted(label.trim_ascii_start())?);
        }
    }
}

fn unquoted(label: &[u8]) -> Option<&[u8]> {
    match label.split_first()? {
        (&quote @ (b'"' | b'\''), quoted) => quoted.get(..memchr(quote, quoted)?),
        _ => label
            .split(|&byte| byte.is_ascii_whitespace() || byte == b';')
            .next(),
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

fn charset_of_meta(bytes: &[u8]) -> Option<(Option<&'static Encoding>, &[u8])> {
    let ([label, pragma, content], after) =
        markup::attributes_named(bytes, ["charset", "http-equiv", "content"])?;
    let is_content_type = pragma.is_some_and(|pragma| pragma.eq_ignore_ascii_case(b"content-type"));
    let encoding = match label {
        Some(label) => labelled(&char_refs::decode(label)),
        None if is_content_type => content.and_then(charset),
        None => None,
    };
    let in_ascii = |found| {
        if [UTF_16LE, UTF_16BE].contains(&found) {
            UTF_8
        } else {
            found
        }
    };
    Some((encoding.map(in_ascii), after))
}
