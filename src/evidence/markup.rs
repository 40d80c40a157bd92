//! The pieces of HTML: tags, attributes, comments, raw text, and the name and content of a meta element.
//!
//! Document: HTML Living Standard, "Tokenization", "The meta element".
//! Example: `<meta name="robots" content=noindex>` is one start tag with two attributes.
//! Every function takes the bytes still to be read and returns those behind the piece; `None` says that the bytes ended within
//! it. A caller stops at `None`, so no byte is searched twice for a missing end, and the time stays linear.
//! Left out: CDATA sections, which only exist inside SVG and `MathML` (here one is a comment, as elsewhere in HTML); the parts
//! of a DOCTYPE; parse errors. CR and NUL are handled when a value is decoded.

use super::char_refs;
use crate::web::steps;
use crate::web::{field::Carrier, lines::offset_in};
use memchr::{memchr, memchr_iter, memchr2_iter};
use std::ops::ControlFlow;

pub(super) enum Token<'a> {
    /// A byte that is neither markup nor blank.
    Text,
    /// A comment, a DOCTYPE or anything else without effect, read to its end.
    Comment,
    /// The name of a start tag; its attributes follow.
    StartTag(&'a [u8]),
    /// The name of an end tag; attributes can also follow here.
    EndTag(&'a [u8]),
}

/// Counts the examined bytes: all bytes before those that `found` gives besides what was found, or all.
fn looked_at<'a, T>(bytes: &[u8], found: Option<(T, &'a [u8])>) -> Option<(T, &'a [u8])> {
    steps::count(bytes.len() - found.as_ref().map_or(0, |(_, following)| following.len()));
    found
}

/// Skips blank text, even if it is written as character references. HTML, "in head": blanks are TAB, LF, FF, CR and SPACE,
/// which Rust calls ASCII whitespace. Also returns `None` if a reference may go on after the last byte.
pub(super) fn after_blanks(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = bytes;
    loop {
        rest = rest.trim_ascii_start();
        let Some(reference) = rest.strip_prefix(b"&") else {
            return Some(rest);
        };
        let in_reference = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'#';
        let name = reference.iter().take_while(in_reference).count();
        steps::count(name);
        if name == reference.len() {
            return None;
        }
        let mut found = Vec::new();
        match char_refs::reference(reference, &mut found) {
            Some(after) if found.iter().all(u8::is_ascii_whitespace) => rest = after,
            Some(_) | None => return Some(rest),
        }
    }
}

/// Reads the next piece of markup or one byte of text, HTML, "Data state".
pub(super) fn token(bytes: &[u8]) -> Option<(Token<'_>, &[u8])> {
    looked_at(bytes, token_at(bytes))
}

fn token_at(bytes: &[u8]) -> Option<(Token<'_>, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    if first != b'<' {
        return Some((Token::Text, rest));
    }
    match *rest.first()? {
        // HTML, "Markup declaration open state": a comment, or all up to the next `>`.
        b'!' | b'?' => {
            let comment = rest.strip_prefix(b"!--").map(after_comment);
            Some((
                Token::Comment,
                comment.unwrap_or_else(|| after_byte(rest, b'>'))?,
            ))
        }
        // HTML, "End tag open state": `</>` is nothing, other odd ones are comments.
        b'/' if rest.get(1)?.is_ascii_alphabetic() => {
            tag_name(rest.get(1..)?).map(|(name, after)| (Token::EndTag(name), after))
        }
        b'/' => Some((Token::Comment, after_byte(rest.get(1..)?, b'>')?)),
        letter if letter.is_ascii_alphabetic() => {
            tag_name(rest).map(|(name, after)| (Token::StartTag(name), after))
        }
        _ => Some((Token::Text, rest)),
    }
}

/// Splits a tag's name from the blank, `/` or `>` behind it, which must exist.
fn tag_name(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    bytes.split_at_checked(bytes.iter().position(|&byte| ends_tag_name(byte))?)
}

fn ends_tag_name(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>')
}

/// HTML, "Comment start state" and on: `-->` and `--!>` end a comment; `<!-->` and `<!--->` are complete comments.
fn after_comment(bytes: &[u8]) -> Option<&[u8]> {
    let ends =
        |text: &[u8]| matches!(text, b"" | b"-") || text.ends_with(b"--") || text.ends_with(b"--!");
    let end = memchr_iter(b'>', bytes).find(|&end| bytes.get(..end).is_some_and(ends))?;
    bytes.get(end + 1..)
}

fn after_byte(bytes: &[u8], wanted: u8) -> Option<&[u8]> {
    bytes.get(memchr(wanted, bytes)? + 1..)
}

/// Reads the attributes of a tag, as name and undecoded value, and the `>` that ends it. A tag whose `>` is missing, as after
/// an unclosed quote, is not a tag (HTML, "eof-in-tag"): a caller must forget the visited attributes if this returns `None`.
pub(super) fn attributes<'a>(
    bytes: &'a [u8],
    visit: impl FnMut(&'a [u8], &'a [u8]),
) -> Option<&'a [u8]> {
    Some(looked_at(bytes, attributes_at(bytes, visit).map(|after| ((), after)))?.1)
}

fn attributes_at<'a>(
    bytes: &'a [u8],
    mut visit: impl FnMut(&'a [u8], &'a [u8]),
) -> Option<&'a [u8]> {
    let mut rest = bytes;
    loop {
        // HTML, "Self-closing start tag state": a `/` not followed by `>` separates like a blank.
        rest = rest.get(
            rest.iter()
                .position(|byte| !byte.is_ascii_whitespace() && *byte != b'/')?..,
        )?;
        if let Some(after) = rest.strip_prefix(b">") {
            return Some(after);
        }
        let (name, after) = attribute_name(rest)?;
        let (value, after) = attribute_value(after)?;
        visit(name, value);
        rest = after;
    }
}

pub(super) fn after_attributes(bytes: &[u8]) -> Option<&[u8]> {
    attributes(bytes, |_, _| ())
}

/// HTML, "Before attribute name state": a name can begin with `=`, while a later `=` ends it.
fn attribute_name(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let after_first = bytes.get(1..)?;
    let end = after_first
        .iter()
        .position(|&byte| ends_tag_name(byte) || byte == b'=')?;
    bytes.split_at_checked(end + 1)
}

/// HTML, "Before attribute value state": the value, empty without `=`, and the bytes behind it.
fn attribute_value(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let Some(value) = bytes.trim_ascii_start().strip_prefix(b"=") else {
        return Some((b"", bytes));
    };
    let value = value.trim_ascii_start();
    if let (&quote @ (b'"' | b'\''), quoted) = value.split_first()? {
        let end = memchr(quote, quoted)?;
        return Some((quoted.get(..end)?, quoted.get(end + 1..)?));
    }
    let end = value
        .iter()
        .position(|&byte| byte.is_ascii_whitespace() || byte == b'>')?;
    value.split_at_checked(end)
}

/// Splits the text of an element without markup from the bytes behind the name of its end tag. HTML, "RCDATA state", "RAWTEXT
/// state": only that end tag ends it.
pub(super) fn raw_text<'a>(bytes: &'a [u8], name: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let split = memchr_iter(b'<', bytes).find_map(|start| {
        let (text, tag) = bytes.split_at_checked(start)?;
        Some((text, after_tag_name(tag, b"</", name)?))
    });
    looked_at(bytes, split)
}

/// How `<script>` and `</script>` are read within a script.
#[derive(Clone, Copy)]
enum ScriptText {
    Plain,
    Escaped,
    /// After `<!--` and `<script`: the next `</script` does not end an element.
    DoubleEscaped,
}

/// Splits the text of a script from the bytes behind its end tag, HTML, "Script data state" and on.
pub(super) fn script(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut text = ScriptText::Plain;
    for at in memchr2_iter(b'<', b'>', bytes) {
        let (before, rest) = bytes.split_at_checked(at)?;
        let end_tag = after_tag_name(rest, b"</", b"script");
        text = match (text, end_tag) {
            (ScriptText::Plain | ScriptText::Escaped, Some(closing)) => {
                let (text, closing) = looked_at(bytes, Some((before, closing)))?;
                return Some((text, after_attributes(closing)?));
            }
            (ScriptText::DoubleEscaped, Some(_)) => ScriptText::Escaped,
            (state, None) => state.after(before, rest),
        };
    }
    looked_at(bytes, None)
}

impl ScriptText {
    /// Returns the state behind the `<` or `>` that `rest` begins with, which is not an end tag. The two dashes of `<!--` may
    /// also be those of `-->`, so `<!-->` changes nothing.
    fn after(self, before: &[u8], rest: &[u8]) -> Self {
        let closes = rest.starts_with(b">") && before.ends_with(b"--");
        match self {
            Self::Plain if rest.starts_with(b"<!--") => Self::Escaped,
            Self::Escaped | Self::DoubleEscaped if closes => Self::Plain,
            Self::Escaped if after_tag_name(rest, b"<", b"script").is_some() => Self::DoubleEscaped,
            Self::Plain | Self::Escaped | Self::DoubleEscaped => self,
        }
    }
}

/// Returns the bytes behind the tag's name, if `bytes` begin with a tag of that name.
fn after_tag_name<'a>(bytes: &'a [u8], open: &[u8], name: &[u8]) -> Option<&'a [u8]> {
    let (found, after) = bytes.strip_prefix(open)?.split_at_checked(name.len())?;
    let ends = after.first().is_some_and(|&byte| ends_tag_name(byte));
    (ends && found.eq_ignore_ascii_case(name)).then_some(after)
}

/// A callback that gets the carrier of a field, its name and its value: for a meta its `name`, `http-equiv` or `property` and
/// its `content`, for a link its `type` and `href`, for a script its `type` and text. It is not called after a break.
pub type Visit<'v> = &'v mut dyn FnMut(Carrier, &[u8], &[u8]) -> ControlFlow<()>;

/// Ours: HTML compares a name as it is, but a name with blanks around it is still meant.
pub(super) fn read_meta<'a>(bytes: &'a [u8], visit: Visit<'_>) -> Option<&'a [u8]> {
    let (values, after) = attributes_named(bytes, META_ATTRIBUTES)?;
    let [content, value, names @ ..] = values;
    let (content, carriers) = content_of(content, value);
    let tag = bytes.get(..bytes.len() - after.len()).unwrap_or(bytes);
    let content = between_curly_quotes(tag, content).unwrap_or(content);
    for (carrier, name) in carriers.into_iter().zip(names) {
        let name = char_refs::decode(name.unwrap_or_default());
        if !name.trim_ascii().is_empty() {
            visit(carrier, name.trim_ascii(), &char_refs::decode(content)).continue_value()?;
        }
    }
    Some(after)
}

/// The attributes of a meta: its content, what some write for it, and its possible names.
pub(super) const META_ATTRIBUTES: [&str; 6] = [
    "content",
    "value",
    "name",
    "http-equiv",
    "property",
    "itemprop",
];

/// Returns the content of a meta, with the carriers of its possible names. READ-22: `value` in place of a content says nothing to
/// HTML, so that its noes count alone, as behind a head (READ-13).
pub(super) fn content_of<V: Default>(content: Option<V>, value: Option<V>) -> (V, [Carrier; 4]) {
    match (content, value) {
        (None, Some(value)) => (value, [Carrier::AfterHead; 4]),
        (content, _) => {
            let names = [
                Carrier::Meta,
                Carrier::HttpEquiv,
                Carrier::Property,
                Carrier::Property,
            ];
            (content.unwrap_or_default(), names)
        }
    }
}

/// Ours (TAG-22): to HTML, a content between typographic quotes ends at its first blank; its author meant all of it.
fn between_curly_quotes<'a>(tag: &'a [u8], content: &[u8]) -> Option<&'a [u8]> {
    let is_quote = |bytes: &[u8]| matches!(bytes, [0xE2, 0x80, 0x98..=0x9F, ..]);
    let quoted = tag
        .get(offset_in(tag, content)..)
        .filter(|_| is_quote(content))?;
    let behind = quoted.get(3..)?;
    let end = memchr_iter(0xE2, behind).find(|at| behind.get(*at..).is_some_and(is_quote))?;
    quoted.get(..end + 6)
}

/// The values of attributes that are there.
type Values<'a, const N: usize> = [Option<&'a [u8]>; N];

/// Reads the attributes of these names up to the end of the tag.
pub(super) fn attributes_named<'a, const N: usize>(
    bytes: &'a [u8],
    names: [&str; N],
) -> Option<(Values<'a, N>, &'a [u8])> {
    let mut values = [None; N];
    let after = attributes(bytes, |attribute, value| {
        let mut slots = names.iter().zip(&mut values);
        // HTML, "Attribute name state": the first of two attributes with one name counts.
        if let Some((_, slot)) =
            slots.find(|(name, _)| attribute.eq_ignore_ascii_case(name.as_bytes()))
        {
            slot.get_or_insert(value);
        }
    })?;
    Some((values, after))
}
