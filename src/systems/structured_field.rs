//! The members of structured fields: dictionaries and lists.
//!
//! Document: RFC 9651 4.2, parsed by `sfv`. Example: `train-ai=n;x=1, bots` has the member `train-ai` with the token `n` and
//! the parameter `x`, and the member `bots` without a token. Left out: the content of inner lists, because no system uses it.

use std::borrow::Cow;
use std::convert::Infallible;

use sfv::visitor::{
    DictionaryVisitor, EntryVisitor, Ignored, InnerListVisitor, ItemVisitor, ListVisitor,
    ParameterVisitor,
};
use sfv::{BareItemFromInput, KeyRef, Parser};

use crate::web::field::{Field, header_fields};
use crate::web::lines::trim_blanks;
use crate::web::preference::Preference;

/// The longest field that is read, in bytes. Ours: RFC 9651 has no limit, and one page could cost as much as a thousand.
pub const MAX_FIELD_BYTES: usize = 64 * 1024;

/// Why a field states nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum FieldDefect {
    /// There is none behind the path of a rule.
    #[error("no statement")]
    NoStatement,
    /// It is not a dictionary. RFC 9651 4.2: "the entire field value MUST be ignored".
    #[error("not an RFC 9651 dictionary, byte {at_byte}")]
    NotADictionary {
        /// Where the parser stopped, from 0; the length of the field if it ends too early.
        at_byte: usize,
    },
    /// It is not a dictionary, because its keys have upper case (RFC 9651 4.2.3.3); nothing else is wrong with it.
    #[error("not an RFC 9651 dictionary: keys are in lower case, byte {at_byte}")]
    KeyCase {
        /// Where the parser stopped, from 0.
        at_byte: usize,
    },
    #[error("not an RFC 9651 list, byte {at_byte}")]
    NotAList {
        /// Where the parser stopped, from 0; the length of the field if it ends too early.
        at_byte: usize,
    },
    /// It is longer than [`MAX_FIELD_BYTES`] and was not read.
    #[error("{bytes} bytes, not read; at most {MAX_FIELD_BYTES} expected")]
    TooLong { bytes: usize },
}

impl FieldDefect {
    /// Returns the defect's name in the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoStatement => "no_statement",
            Self::NotADictionary { .. } => "not_dictionary",
            Self::KeyCase { .. } => "key_case",
            Self::NotAList { .. } => "not_list",
            Self::TooLong { .. } => "too_long",
        }
    }
}

#[derive(Debug, Default)]
pub struct Member<'a> {
    /// Its key; empty in a list.
    pub key: &'a str,
    /// Its value, if that is a token.
    pub token: Option<&'a str>,
    pub item: Option<BareItemFromInput<'a>>,
    /// Its parameters in their order, repeats included; of an inner list, none.
    pub parameters: Vec<(&'a str, BareItemFromInput<'a>)>,
}

impl Member<'_> {
    /// Returns the preference of the token `y` or `n`. draft-ietf-aipref-vocab-03, Processing Algorithm: "values that are not
    /// Tokens, and Token values that are other than y or n", and "All of these are not errors".
    pub fn preference(&self) -> Preference {
        match self.token {
            Some("y") => Preference::Allow,
            Some("n") => Preference::Disallow,
            Some(_) | None => Preference::Unknown,
        }
    }
}

/// Returns the values of the header fields of these names, in their order.
pub fn header_lines<'a>(fields: &[Field<'a>], names: &'static [&'static str]) -> Vec<&'a [u8]> {
    header_fields(fields, names)
        .map(|field| field.value)
        .collect()
}

/// Returns the value of a field that came on these lines, `None` if it did not come. RFC 9651 4.2: lines are joined by a comma
/// and a blank, so an empty line among others spoils the field. White space around a line is not part of it (RFC 9110 5.5).
pub fn field_value<'a>(lines: &[&'a [u8]]) -> Option<Cow<'a, [u8]>> {
    match lines {
        [] => None,
        [line] => Some(Cow::Borrowed(trim_blanks(line))),
        several => {
            let lines: Vec<&[u8]> = several.iter().map(|line| trim_blanks(line)).collect();
            Some(Cow::Owned(lines.join(b", ".as_slice())))
        }
    }
}

/// Returns the members of a dictionary in their order, repeats included.
pub fn dictionary(value: &[u8]) -> Result<Vec<Member<'_>>, FieldDefect> {
    let parsed = parser(value)?.parse_dictionary_with_visitor(Members::default());
    // Only errors of visitors lack an index, and our visitors never fail.
    parsed.map_err(|error| FieldDefect::NotADictionary {
        at_byte: error.index().unwrap_or(value.len()),
    })
}

/// Returns the members of a list in their order.
pub fn list(value: &[u8]) -> Result<Vec<Member<'_>>, FieldDefect> {
    let parsed = parser(value)?.parse_list_with_visitor(Members::default());
    parsed.map_err(|error| FieldDefect::NotAList {
        at_byte: error.index().unwrap_or(value.len()),
    })
}

fn parser(value: &[u8]) -> Result<Parser<'_>, FieldDefect> {
    let bytes = value.len();
    if bytes > MAX_FIELD_BYTES {
        Err(FieldDefect::TooLong { bytes })
    } else {
        Ok(Parser::new(value))
    }
}

/// Returns the texts between separators that are outside of strings. An inner list has blanks, but no commas: RFC 9651 4.2.1.2.
pub(super) fn split_outside(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut places = with_places(text);
    text.split(move |byte| {
        places
            .next()
            .is_some_and(|(_, is_outside)| is_outside && *byte == separator)
    })
}

/// Returns the bytes of a text, each with whether it is outside of strings.
pub(super) fn with_places(text: &[u8]) -> impl Iterator<Item = (u8, bool)> {
    let mut place = StringPlace::Outside;
    text.iter().map(move |byte| {
        place = place.after(*byte);
        (*byte, place == StringPlace::Outside)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StringPlace {
    Outside,
    /// After a percent sign outside of strings, which may start a display string.
    Percent,
    /// RFC 9651 4.2.5.
    String,
    /// After a backslash in a string.
    Escape,
    /// RFC 9651 4.2.10; a backslash has no meaning here.
    DisplayString,
}

impl StringPlace {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Outside, b'"') | (Self::Escape, _) => Self::String,
            (Self::Percent, b'"') => Self::DisplayString,
            (Self::Outside | Self::Percent, b'%') => Self::Percent,
            (Self::String, b'\\') => Self::Escape,
            (Self::String | Self::DisplayString, b'"') | (Self::Outside | Self::Percent, _) => {
                Self::Outside
            }
            (Self::String | Self::DisplayString, _) => self,
        }
    }
}

#[derive(Default)]
struct Members<'de>(Vec<Member<'de>>);

impl<'de> DictionaryVisitor<'de> for Members<'de> {
    type Out = Vec<Member<'de>>;
    type Error = Infallible;

    fn entry(&mut self, key: &'de KeyRef) -> Result<impl EntryVisitor<'de>, Infallible> {
        Ok(self.0.push_mut(Member {
            key: key.as_str(),
            ..Member::default()
        }))
    }

    fn finish(self) -> Result<Self::Out, Infallible> {
        Ok(self.0)
    }
}

impl<'de> ListVisitor<'de> for Members<'de> {
    type Out = Vec<Member<'de>>;
    type Error = Infallible;

    fn entry(&mut self) -> Result<impl EntryVisitor<'de>, Infallible> {
        Ok(self.0.push_mut(Member::default()))
    }

    fn finish(self) -> Result<Self::Out, Infallible> {
        Ok(self.0)
    }
}

impl<'de> EntryVisitor<'de> for &mut Member<'de> {
    type Error = Infallible;

    fn item(self) -> Result<impl ItemVisitor<'de>, Infallible> {
        Ok(self)
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'de>, Infallible> {
        Ok(Ignored)
    }
}

impl<'de> ItemVisitor<'de> for &mut Member<'de> {
    type Out = ();
    type Error = Infallible;

    fn bare_item(
        self,
        item: BareItemFromInput<'de>,
    ) -> Result<impl ParameterVisitor<'de, Out = ()>, Infallible> {
        if let BareItemFromInput::Token(token) = item {
            self.token = Some(token.as_str());
        }
        self.item = Some(item);
        Ok(self)
    }
}

impl<'de> ParameterVisitor<'de> for &mut Member<'de> {
    type Out = ();
    type Error = Infallible;

    fn parameter(
        &mut self,
        key: &'de KeyRef,
        value: BareItemFromInput<'de>,
    ) -> Result<(), Infallible> {
        self.parameters.push((key.as_str(), value));
        Ok(())
    }

    fn finish(self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc9651_4_2_lines_are_joined() {
        let value = |lines: &[&'static [u8]]| field_value(lines).map(Cow::into_owned);
        assert_eq!(value(&[]), None);
        assert_eq!(value(&[b" \tai=n\t"]).as_deref(), Some(&b"ai=n"[..]));
        assert_eq!(
            value(&[b"ai=n ", b"", b"\ttdm=y"]).as_deref(),
            Some(&b"ai=n, , tdm=y"[..])
        );
        // A value may be split over lines; joined, it is whole again.
        assert_eq!(
            value(&[b"foo=\"a", b"b\", search=n"]).as_deref(),
            Some(&b"foo=\"a, b\", search=n"[..])
        );
    }

    #[test]
    fn rfc9651_4_2_failure_has_the_byte() {
        for (value, at_byte) in [
            ("train-ai = n", 9),
            ("Train-AI=n", 0),
            ("train-ai=n,", 10),
            ("\tsearch=y", 0),
            ("a=\"", 3),
        ] {
            let found = dictionary(value.as_bytes()).map(|members| members.len());
            assert_eq!(
                found,
                Err(FieldDefect::NotADictionary { at_byte }),
                "{value}"
            );
        }
        for (value, at_byte) in [
            ("a;Bad", 2),
            ("a,", 1),
            ("a ;x", 2),
            ("a;x=", 4),
            ("\ta", 0),
            ("a;x=\"", 5),
        ] {
            let found = list(value.as_bytes()).map(|members| members.len());
            assert_eq!(found, Err(FieldDefect::NotAList { at_byte }), "{value}");
        }
        assert!(dictionary(b"").is_ok_and(|members| members.is_empty()));
        assert!(list(b"").is_ok_and(|members| members.is_empty()));
    }

    #[test]
    fn local_a_field_has_at_most_64_kib() {
        let field = |bytes: usize| [b"a".as_slice(), &b" ".repeat(bytes - 1)].concat();
        let bytes = MAX_FIELD_BYTES + 1;
        for (long, too_long) in [
            (MAX_FIELD_BYTES, None),
            (bytes, Some(FieldDefect::TooLong { bytes })),
        ] {
            assert_eq!(dictionary(&field(long)).err(), too_long);
            assert_eq!(list(&field(long)).err(), too_long);
        }
    }
}
