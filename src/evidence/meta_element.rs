//! A meta element of an HTML head: what names it, and its content.
//!
//! Document: HTML Living Standard, "The meta element". Example: `<meta name="robots" content="noindex">`.

use std::borrow::Cow;
use std::ops::ControlFlow;

use memchr::memchr_iter;

use super::char_refs;
use super::markup;
use crate::web::field::Carrier;
use crate::web::lines::offset_in;

/// Is called with what carries a field, its name and its value: of a meta its `name`, `http-equiv` or `property` and its
/// `content`, of a link its `type` and `href`, of a script its `type` and text. Nothing is visited after a break.
pub type Visit<'v> = &'v mut dyn FnMut(Carrier, &[u8], &[u8]) -> ControlFlow<()>;

/// Visits a meta by each of its names.
pub(super) fn read_meta<'a>(bytes: &'a [u8], visit: Visit<'_>) -> Option<&'a [u8]> {
    let (values, after) = attribute_values(bytes, META_ATTRIBUTES)?;
    let [content, names @ ..] = values;
    let tag = bytes.get(..bytes.len() - after.len()).unwrap_or(bytes);
    let content = between_curly_quotes(tag, content).unwrap_or(content);
    for (carrier, name) in NAME_CARRIERS.into_iter().zip(names) {
        let name = trimmed(char_refs::decode(name));
        if !name.is_empty() {
            visit(carrier, &name, &char_refs::decode(content)).continue_value()?;
        }
    }
    Some(after)
}

/// The attributes of a meta: its content, and what names it.
pub(super) const META_ATTRIBUTES: [&str; 5] = ["content", "name", "http-equiv", "property", "itemprop"];

/// What a meta that is named so is to those who read it.
pub(super) const NAME_CARRIERS: [Carrier; 4] =
    [Carrier::Meta, Carrier::HttpEquiv, Carrier::Property, Carrier::Property];

/// Ours: HTML compares a name as it is, but a name with blanks around it is still meant.
pub(super) fn trimmed(name: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match name {
        Cow::Borrowed(bytes) => Cow::Borrowed(bytes.trim_ascii()),
        Cow::Owned(bytes) => Cow::Owned(bytes.trim_ascii().to_vec()),
    }
}

/// Ours (TAG-22): to HTML, a content between typographic quotes ends at its first blank; its author meant all of it.
fn between_curly_quotes<'a>(tag: &'a [u8], content: &[u8]) -> Option<&'a [u8]> {
    let is_quote = |bytes: &[u8]| matches!(bytes, [0xE2, 0x80, 0x98..=0x9F, ..]);
    let quoted = tag.get(offset_in(tag, content)..).filter(|_| is_quote(content))?;
    let behind = quoted.get(3..)?;
    let end = memchr_iter(0xE2, behind).find(|at| behind.get(*at..).is_some_and(is_quote))?;
    quoted.get(..end + 6)
}

/// Reads the attributes of these names, empty where they are not there, up to the end of the tag.
pub(super) fn attribute_values<'a, const N: usize>(
    bytes: &'a [u8],
    names: [&str; N],
) -> Option<([&'a [u8]; N], &'a [u8])> {
    let mut values = [None; N];
    let after = markup::attributes(bytes, |attribute, value| {
        let place = names.iter().position(|name| attribute.eq_ignore_ascii_case(name.as_bytes()));
        // HTML, "Attribute name state": of two attributes of one name the first counts.
        if let Some(slot) = place.and_then(|place| values.get_mut(place)) {
            slot.get_or_insert(value);
        }
    })?;
    Some((values.map(Option::unwrap_or_default), after))
}
