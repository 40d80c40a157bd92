//! The value of a directive, with its type.
//!
//! Documents: draft-nottingham-plan-b (2026-06-13), The Application Directives Registry, which has
//! these eight types; RFC 9651 3.3. Example: `?0`, `0`, `"0"` and `0.0` are four different values.
//! Left out: which type a directive is registered with.

use std::borrow::Cow;

use data_encoding::BASE64;
use sfv::{BareItemFromInput, Decimal};

use crate::web::shown::shown;

/// The value of a directive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DirectiveValue {
    /// RFC 9651 3.3.1.
    Integer(i64),
    /// RFC 9651 3.3.2.
    Decimal(Decimal),
    /// RFC 9651 3.3.3, without quotes and escapes.
    String(String),
    /// RFC 9651 3.3.4.
    Token(String),
    /// RFC 9651 3.3.5, decoded.
    Binary(Vec<u8>),
    /// RFC 9651 3.3.6.
    Boolean(bool),
    /// RFC 9651 3.3.7, in seconds since 1970.
    Date(i64),
    /// RFC 9651 3.3.8, decoded.
    DisplayString(String),
}

impl DirectiveValue {
    /// Takes a value over from the parser.
    pub(super) fn new(item: BareItemFromInput<'_>) -> Self {
        match item {
            BareItemFromInput::Integer(number) => Self::Integer(number.into()),
            BareItemFromInput::Decimal(number) => Self::Decimal(number),
            BareItemFromInput::String(text) => Self::String(text.as_str().to_owned()),
            BareItemFromInput::Token(token) => Self::Token(token.as_str().to_owned()),
            BareItemFromInput::ByteSequence(bytes) => Self::Binary(bytes),
            BareItemFromInput::Boolean(truth) => Self::Boolean(truth),
            BareItemFromInput::Date(date) => Self::Date(date.unix_seconds().into()),
            BareItemFromInput::DisplayString(text) => Self::DisplayString(text.into_owned()),
        }
    }

    /// Returns the name of the type in the tables.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Integer(_) => "integer",
            Self::Decimal(_) => "decimal",
            Self::String(_) => "string",
            Self::Token(_) => "token",
            Self::Binary(_) => "binary",
            Self::Boolean(_) => "boolean",
            Self::Date(_) => "date",
            Self::DisplayString(_) => "display_string",
        }
    }

    /// Returns the value as text: `true` or `false`, a number, Unix seconds, base64, or the text.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Integer(number) | Self::Date(number) => number.to_string().into(),
            Self::Decimal(number) => number.to_string().into(),
            Self::String(text) | Self::Token(text) => text.into(),
            Self::Binary(bytes) => BASE64.encode(bytes).into(),
            Self::Boolean(truth) => if *truth { "true" } else { "false" }.into(),
            // A display string may hold NUL, which some engines refuse in text.
            Self::DisplayString(text) => shown(text.as_bytes()),
        }
    }
}
