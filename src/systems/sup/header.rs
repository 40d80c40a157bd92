//! The header field `Content-Usage`, as this document reads it.
//!
//! Document: draft-thomson-aipref-sup (21 July 2025), HTTP Header Field. Example: of
//! `Content-Usage: ai=n;x=1, ai=?0, search=y` only `search` counts.
//! Left out: fields of requests, which no archive of pages has.
//!
//! Ours: the field is a structured field dictionary by definition, but to parse it as one is a MAY. It
//! is read as a plain expression, in which `n` wins over `y` and junk harms nothing, because a lost `n` is
//! the worse error for people who filter. Members that are Booleans or have parameters drop out all the
//! same, because their text is neither `y` nor `n`.

use super::FIELD;
use super::expression::LabelValues;
use super::label::SupLabel;
use crate::systems::structured_field::{dictionary, field_value};
use crate::web::field::{Field, header_fields, twins};
use crate::web::lines::trim_blanks;
use crate::web::preference::Preference;
use std::borrow::Cow;

/// Returns the field's lines among a record's fields.
pub(super) fn usage_fields<'s, 'a>(fields: &'s [Field<'a>]) -> impl Iterator<Item = Field<'a>> + use<'s, 'a> {
    header_fields(fields, &[FIELD])
}

/// Returns the metas that are named like the field: their noes count (READ-19).
pub(super) fn usage_metas<'s, 'a>(fields: &'s [Field<'a>]) -> impl Iterator<Item = Field<'a>> + use<'s, 'a> {
    twins(fields, &[FIELD])
}

/// The values of the field's lines, in their order.
#[derive(Clone, Debug)]
pub struct FieldLines<'a> {
    lines: Vec<&'a [u8]>,
}

impl<'a> FieldLines<'a> {
    /// Takes the field out of a record's fields.
    pub fn of(fields: &[Field<'a>]) -> Self {
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
    pub fn value(&self) -> Option<Cow<'a, [u8]>> {
        field_value(&self.lines)
    }
}

/// Returns what a structured field parser would record of a field value: of a repeated key the last
/// member, if that is a token `y` or `n` without parameters, and nothing at all of what is no
/// dictionary. It decides nothing; statements are marked where it differs from the plain reading.
pub fn read_as_dictionary(value: &[u8]) -> LabelValues {
    let mut values = LabelValues::UNKNOWN;
    for member in dictionary(value).unwrap_or_default() {
        let Some(label) = SupLabel::named(member.key.as_bytes()) else { continue };
        *values.slot(label) = match member.token {
            // HTTP Header Field: "Dictionary members with parameters MUST be ignored."
            _ if !member.parameters.is_empty() => Preference::Unknown,
            Some("y") => Preference::Allow,
            Some("n") => Preference::Disallow,
            // "Boolean members MUST be ignored", and so are all but those tokens.
            Some(_) | None => Preference::Unknown,
        };
    }
    values
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
            assert_eq!(SupLabel::ALL.map(|label| found.recorded(label)), expected, "{value}");
        }
    }
}
