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

pub use applications::Applications;
pub use rules::AppDirectives;
pub use system::APP_DIRECTIVES;

use crate::systems::structured_field::{self, FieldDefect};
use crate::web::shown::shown;
use data_encoding::BASE64;
use sfv::BareItemFromInput;

/// The names of the rule, compared without case: first that of the text and its examples, then that of the grammar. Ours: both
/// are accepted, because the draft uses both ("The App-Directives robots.txt Extension").
pub const NAMES: [&str; 2] = ["app-directives", "app-directive"];

/// A member of a list: an application, with the directives for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DirectiveMember {
    /// `None` if the member is not a token and so names no application. Ours: identifiers are compared with case, because
    /// tokens keep it and the draft defines no folding.
    pub application: Option<String>,
    /// Its parameters, in their order, repeats included; empty without an application.
    pub directives: Vec<(String, DirectiveValue)>,
}

impl DirectiveMember {
    pub fn all(list: &[u8]) -> Result<Vec<Self>, FieldDefect> {
        Ok(structured_field::list(list)?
            .into_iter()
            .map(Self::new)
            .collect())
    }

    /// "Each member of the list is a Token". Ours: one of another type is ignored, but the list parses, and the rest holds.
    fn new(member: structured_field::Member<'_>) -> Self {
        let parameters = member
            .parameters
            .into_iter()
            .filter(|_| member.token.is_some());
        let directives =
            parameters.map(|(name, value)| (name.to_owned(), DirectiveValue::new(value)));
        Self {
            application: member.token.map(str::to_owned),
            directives: directives.collect(),
        }
    }
}

/// The value of a directive; true if none is written (RFC 9651 3.1.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DirectiveValue {
    pub kind: &'static str,
    /// The value as text: `true` or `false`, a number, Unix seconds, base64, or the text without quotes and escapes.
    pub text: String,
}

impl DirectiveValue {
    /// RFC 9651 3.3.
    fn new(item: BareItemFromInput<'_>) -> Self {
        let (kind, text) = match item {
            BareItemFromInput::Integer(number) => ("integer", number.to_string()),
            BareItemFromInput::Decimal(number) => ("decimal", number.to_string()),
            BareItemFromInput::String(text) => ("string", text.as_str().to_owned()),
            BareItemFromInput::Token(token) => ("token", token.as_str().to_owned()),
            BareItemFromInput::ByteSequence(bytes) => ("binary", BASE64.encode(&bytes)),
            BareItemFromInput::Boolean(truth) => ("boolean", truth.to_string()),
            BareItemFromInput::Date(date) => ("date", date.unix_seconds().to_string()),
            // A display string may hold NUL, which some engines refuse in text.
            BareItemFromInput::DisplayString(text) => {
                ("display_string", shown(text.as_bytes()).into_owned())
            }
        };
        Self { kind, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc9651_3_3_every_type_has_its_name_and_text() {
        let list =
            br#"a;i=-5;d=1.50;s="a\", b";t=tok/en;y=:aGk=:;b;c=?0;w=@-7;p=%"%c3%a9%00\";z=0"#;
        let members = DirectiveMember::all(list).expect("a list");
        let [member] = members.as_slice() else {
            panic!("one member")
        };
        let found = member
            .directives
            .iter()
            .map(|(name, value)| (name.as_str(), value.kind, value.text.as_str()));
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
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn local_members_of_other_types_name_no_application() {
        let members = DirectiveMember::all(br#"a, "b";x, (c d);x, 5;x, *e, ?1, %"f", :aGk=:"#)
            .expect("a list");
        let named: Vec<Option<&str>> = members
            .iter()
            .map(|member| member.application.as_deref())
            .collect();
        assert_eq!(
            named,
            [Some("a"), None, None, None, Some("*e"), None, None, None]
        );
        assert!(members.iter().all(|member| member.directives.is_empty()));
    }
}
