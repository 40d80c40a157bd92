//! App-Directives: what a site asks of single applications that use crawled content.
//!
//! Document: draft-nottingham-plan-b, the editor's copies of 2026-02-19 and 2026-06-13, which have the same rules. Example:
//!
//! ```text
//! User-Agent: *
//! App-Directives: examplesearch;widgets=?0            for all paths
//! App-Directives: /img/ examplesearch;size=120, other   for some; it replaces the line above
//! ```
//!
//! `robots` decides which groups hold for a crawler. Registries that do not exist yet define what a directive means, so names
//! and types are given as they are, known or not. If a directive overrides an AI preference ("Interaction with AI
//! Preferences"), the reader finds both and judges. A user's file names the crawler of each application (`applications.rs`), as
//! the registries do not exist; every other application is assumed to use the requested crawler.
//!
//! A rule is a list of members with typed parameters (RFC 9651 3.1, 3.3 and 4.2.1). Example:
//! `examplesearch;widgets=?0, "other";x` has a member for the application `examplesearch` with one directive, and one that names
//! no application.
//! Left out: applications and directives that come again, which are joined where paths are known.
//! A value has one of eight types (The Application Directives Registry): `?0`, `0`, `"0"` and `0.0` are four different values.
//! Left out: the type with which a directive is registered.

mod applications;
mod rules;
mod system;

pub use applications::{Applications, ApplicationsError};
pub use rules::{AppDirectives, Application, DirectivesDecision, NamedApplications};
pub use system::{AppDirectivesPolicy, AppDirectivesSystem};

use crate::systems::structured_field::{self, Defect};
use crate::web::shown::shown;
use data_encoding::BASE64;
use sfv::{BareItemFromInput, Decimal};
use std::borrow::Cow;

/// The names of the rule, compared without case: first that of the text and its examples, then that of the grammar. Ours: both
/// are accepted, because the draft uses both ("The App-Directives robots.txt Extension").
pub const NAMES: [&str; 2] = ["app-directives", "app-directive"];

/// A directive: a parameter of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive<'a> {
    pub name: &'a str,
    /// Its value; true if none is written (RFC 9651 3.1.2).
    pub value: DirectiveValue,
}

/// A member of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectiveMember<'a> {
    /// The application; `None` if the member is not a token and so names none.
    pub application: Option<&'a str>,
    /// The directives in their order, repeats included; empty without an application.
    pub directives: Vec<Directive<'a>>,
}

impl<'a> DirectiveMember<'a> {
    /// Parses a list.
    pub fn all(list: &'a [u8]) -> Result<Vec<Self>, Defect> {
        Ok(structured_field::list(list)?.into_iter().map(Self::new).collect())
    }

    /// "Each member of the list is a Token". Ours: one of another type is ignored, and the rest of the list holds, because the
    /// list does parse and the draft does not void it.
    fn new(member: structured_field::Member<'a>) -> Self {
        let parameters = member.parameters.into_iter().filter(|_| member.token.is_some());
        let directive = |(name, value)| Directive { name, value: DirectiveValue::new(value) };
        Self { application: member.token, directives: parameters.map(directive).collect() }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc9651_3_3_every_type_has_its_name_and_text() {
        let list = br#"a;i=-5;d=1.50;s="a\", b";t=tok/en;y=:aGk=:;b;c=?0;w=@-7;p=%"%c3%a9%00\";z=0"#;
        let members = DirectiveMember::all(list).expect("a list");
        let [member] = members.as_slice() else { panic!("one member") };
        let found: Vec<(&str, &str, String)> = member
            .directives
            .iter()
            .map(|directive| (directive.name, directive.value.kind(), directive.value.text().into_owned()))
            .collect();
        let expected = [
            ("i", "integer", "-5"),
            ("d", "decimal", "1.5"),
            ("s", "string", "a\", b"),
            ("t", "token", "tok/en"),
            ("y", "binary", "aGk="),
            ("b", "boolean", "true"),
            ("c", "boolean", "false"),
            ("w", "date", "-7"),
            ("p", "display_string", "\u{e9}\\x00\\"),
            ("z", "integer", "0"),
        ];
        assert_eq!(found, expected.map(|(name, kind, text)| (name, kind, text.to_owned())));
    }

    #[test]
    fn local_members_of_other_types_name_no_application() {
        let members =
            DirectiveMember::all(br#"a, "b";x, (c d);x, 5;x, *e, ?1, %"f", :aGk=:"#).expect("a list");
        let named: Vec<Option<&str>> = members.iter().map(|member| member.application).collect();
        assert_eq!(named, [Some("a"), None, None, None, Some("*e"), None, None, None]);
        assert!(members.iter().all(|member| member.directives.is_empty()));
    }
}
