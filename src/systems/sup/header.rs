//! The header field `Content-Usage`, as this document reads it.
//!
//! Document: draft-thomson-aipref-sup (21 July 2025), HTTP Header Field. Example: of
//! `Content-Usage: ai=n;x=1, ai=?0, search=y` only `search` counts.
//! Left out: fields of requests, which no archive of pages has.
//!
//! Ours: the field is a structured field dictionary by definition, but to parse it as one is a MAY. It
//! is read as a plain expression, in which `n` wins over `y` and junk harms nothing, for a lost `n` is
//! the worse error for people who filter. Members that are Booleans or have parameters drop out all the
//! same, for their text is neither `y` nor `n`.

use std::borrow::Cow;
use std::convert::Infallible;

use sfv::visitor::{
    DictionaryVisitor, EntryVisitor, Ignored, InnerListVisitor, ItemVisitor, ParameterVisitor,
};
use sfv::{BareItemFromInput, KeyRef, Parser};

use super::FIELD;
use super::expression::LabelValues;
use super::label::Label;
use crate::web::field::Field;
use crate::web::lines::trim_blanks;
use crate::web::preference::Preference;

/// Returns the field's lines among a record's fields.
pub(super) fn usage_fields<'s, 'a>(fields: &'s [Field<'a>]) -> impl Iterator<Item = &'s Field<'a>> {
    fields.iter().filter(|field| field.is_field(&[FIELD]))
}

/// The values of the field's lines, in their order.
#[derive(Clone, Debug)]
pub struct FieldLines<'a> {
    lines: Vec<&'a [u8]>,
}

impl<'a> FieldLines<'a> {
    /// Takes the field out of a record's fields.
    #[must_use]
    pub fn of(fields: &'a [Field<'a>]) -> Self {
        Self::from_lines(usage_fields(fields).map(|field| field.value))
    }

    /// Takes the values of the field's lines.
    pub fn from_lines(lines: impl Iterator<Item = &'a [u8]>) -> Self {
        Self { lines: lines.map(trim_blanks).collect() }
    }

    /// Records what the field says on top of what is there. Line by line is as good as the lines
    /// joined by commas (Multiple Preference Expressions).
    pub fn record_into(&self, values: &mut LabelValues) {
        for line in &self.lines {
            values.record(line);
        }
    }

    /// Returns the whole value, `None` if the field did not come.
    ///
    /// RFC 9651 4.2: lines are joined by a comma and a blank.
    #[must_use]
    pub fn value(&self) -> Option<Cow<'a, [u8]>> {
        match self.lines.as_slice() {
            [] => None,
            [line] => Some(Cow::Borrowed(line)),
            several => Some(Cow::Owned(several.join(b", ".as_slice()))),
        }
    }
}

/// Returns what a structured field parser would record of a field value: of a repeated key the last
/// member, if that is a token `y` or `n` without parameters, and nothing at all of what is no
/// dictionary. It decides nothing; statements are marked where it differs from the plain reading.
#[must_use]
pub fn read_as_dictionary(value: &[u8]) -> LabelValues {
    let reader = Reader { values: LabelValues::UNKNOWN };
    Parser::new(value).parse_dictionary_with_visitor(reader).unwrap_or(LabelValues::UNKNOWN)
}

/// Records the members of a dictionary.
struct Reader {
    values: LabelValues,
}

impl<'de> DictionaryVisitor<'de> for Reader {
    type Out = LabelValues;
    type Error = Infallible;

    fn entry(&mut self, key: &'de KeyRef) -> Result<impl EntryVisitor<'de>, Infallible> {
        Ok(Label::named(key.as_str().as_bytes()).map(|label| Slot(self.values.slot(label))))
    }

    fn finish(self) -> Result<LabelValues, Infallible> {
        Ok(self.values)
    }
}

/// The place for the value of one label.
struct Slot<'s>(&'s mut Preference);

impl<'de> EntryVisitor<'de> for Slot<'_> {
    type Error = Infallible;

    fn item(self) -> Result<impl ItemVisitor<'de>, Infallible> {
        Ok(self)
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'de>, Infallible> {
        *self.0 = Preference::Unknown;
        Ok(Ignored)
    }
}

impl<'de> ItemVisitor<'de> for Slot<'_> {
    type Out = ();
    type Error = Infallible;

    fn bare_item(
        self,
        item: BareItemFromInput<'de>,
    ) -> Result<impl ParameterVisitor<'de, Out = ()>, Infallible> {
        *self.0 = match &item {
            BareItemFromInput::Token(token) if token.as_str() == "y" => Preference::Allow,
            BareItemFromInput::Token(token) if token.as_str() == "n" => Preference::Disallow,
            // HTTP Header Field: "Boolean members MUST be ignored", and so are all but those tokens.
            _ => Preference::Unknown,
        };
        Ok(self)
    }
}

impl<'de> ParameterVisitor<'de> for Slot<'_> {
    type Out = ();
    type Error = Infallible;

    /// HTTP Header Field: "Dictionary members with parameters MUST be ignored."
    fn parameter(&mut self, _: &'de KeyRef, _: BareItemFromInput<'de>) -> Result<(), Infallible> {
        *self.0 = Preference::Unknown;
        Ok(())
    }

    fn finish(self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Preference::{Allow, Disallow, Unknown};

    #[test]
    fn sup_header_field_as_a_dictionary() {
        for (value, expected) in [
            ("tdm=y,ai=n", [Allow, Disallow, Unknown, Unknown]),
            ("ai=n, ai=y", [Unknown, Allow, Unknown, Unknown]),
            ("ai=n, ai=y;x", [Unknown; 4]),
            ("ai=y;x=1, tdm=?1, genai, search=(n)", [Unknown; 4]),
            ("search=n, search=\"y\"", [Unknown; 4]),
            ("ai=n, Foo=y", [Unknown; 4]),
            ("ai=n,", [Unknown; 4]),
            ("", [Unknown; 4]),
        ] {
            let found = read_as_dictionary(value.as_bytes());
            assert_eq!(Label::ALL.map(|label| found.recorded(label)), expected, "{value}");
        }
    }

    #[test]
    fn rfc9651_4_2_lines_are_joined() {
        let value = |lines: &[&'static [u8]]| {
            FieldLines::from_lines(lines.iter().copied()).value().map(std::borrow::Cow::into_owned)
        };
        assert_eq!(value(&[]), None);
        assert_eq!(value(&[b" \tai=n\t"]).as_deref(), Some(&b"ai=n"[..]));
        assert_eq!(value(&[b"ai=n ", b"", b"\ttdm=y"]).as_deref(), Some(&b"ai=n, , tdm=y"[..]));
    }
}
