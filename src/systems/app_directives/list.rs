//! The list of an App-Directives rule: its members, and their parameters with types.
//!
//! Documents: draft-nottingham-plan-b (2026-06-13), The App-Directives robots.txt Extension;
//! RFC 9651 3.1 and 4.2.1 for the syntax. Example: `examplesearch;widgets=?0, "other";x` has a member
//! for the application `examplesearch` with one directive, and one that names no application.
//! Left out: applications and directives that come again, which are joined where paths are known.

use std::convert::Infallible;

use sfv::visitor::{EntryVisitor, Ignored, InnerListVisitor, ItemVisitor, ListVisitor, ParameterVisitor};
use sfv::{BareItemFromInput, KeyRef, Parser};

use super::value::DirectiveValue;

/// How long a list may be, in bytes. Ours: RFC 9651 has no limit, and a limit keeps one line from
/// costing as much as a thousand.
pub const MAX_LIST_BYTES: usize = 64 * 1024;

/// Why a list directs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Defect {
    /// It is no list. RFC 9651 4.2: "the entire field value MUST be ignored".
    #[error("not an RFC 9651 list, byte {at_byte}")]
    NotAList {
        /// Where the parser stopped, from 0; the length of the list if it ends too early.
        at_byte: usize,
    },
    /// It is longer than [`MAX_LIST_BYTES`], and was not read.
    #[error("{bytes} bytes, not read; at most {MAX_LIST_BYTES} expected")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
}

impl Defect {
    /// Returns the defect's name in the tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotAList { .. } => "not_list",
            Self::TooLong { .. } => "too_long",
        }
    }
}

/// A directive: a parameter of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value, true where none is written (RFC 9651 3.1.2).
    pub value: DirectiveValue,
}

/// A member of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member<'a> {
    /// The application; `None` where the member is no token and so names none.
    pub application: Option<&'a str>,
    /// The directives in their order, repeats included; none where there is no application.
    pub directives: Vec<Directive<'a>>,
}

impl<'a> Member<'a> {
    /// Parses a list.
    ///
    /// # Errors
    /// Returns a defect if the bytes are no list or too long; then nothing is directed.
    pub fn all(list: &'a [u8]) -> Result<Vec<Self>, Defect> {
        if list.len() > MAX_LIST_BYTES {
            return Err(Defect::TooLong { bytes: list.len() });
        }
        Parser::new(list).parse_list_with_visitor(Members::default()).map_err(|error| {
            // Only errors of visitors are without an index, and ours never fail.
            Defect::NotAList { at_byte: error.index().unwrap_or(list.len()) }
        })
    }
}

/// Gathers the members of a list.
#[derive(Default)]
struct Members<'de>(Vec<Member<'de>>);

impl<'de> ListVisitor<'de> for Members<'de> {
    type Out = Vec<Member<'de>>;
    type Error = Infallible;

    fn entry(&mut self) -> Result<impl EntryVisitor<'de>, Infallible> {
        Ok(Place(self.0.push_mut(Member::default())))
    }

    fn finish(self) -> Result<Self::Out, Infallible> {
        Ok(self.0)
    }
}

/// The place for what one member says.
struct Place<'m, 'de>(&'m mut Member<'de>);

impl<'de> EntryVisitor<'de> for Place<'_, 'de> {
    type Error = Infallible;

    fn item(self) -> Result<impl ItemVisitor<'de>, Infallible> {
        Ok(self)
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'de>, Infallible> {
        Ok(Ignored)
    }
}

impl<'de> ItemVisitor<'de> for Place<'_, 'de> {
    type Out = Option<()>;
    type Error = Infallible;

    /// "Each member of the list is a Token". Ours: one of another type is ignored, and the rest of
    /// the list holds, for the list does parse and the draft does not void it.
    fn bare_item(
        self,
        item: BareItemFromInput<'de>,
    ) -> Result<impl ParameterVisitor<'de, Out = Option<()>>, Infallible> {
        let BareItemFromInput::Token(token) = item else { return Ok(None) };
        self.0.application = Some(token.as_str());
        Ok(Some(self))
    }
}

impl<'de> ParameterVisitor<'de> for Place<'_, 'de> {
    type Out = ();
    type Error = Infallible;

    fn parameter(&mut self, key: &'de KeyRef, value: BareItemFromInput<'de>) -> Result<(), Infallible> {
        self.0.directives.push(Directive { name: key.as_str(), value: DirectiveValue::new(value) });
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
    fn rfc9651_3_3_every_type_has_its_name_and_text() {
        let list = br#"a;i=-5;d=1.50;s="a\", b";t=tok/en;y=:aGk=:;b;c=?0;w=@-7;p=%"%c3%a9%00\";z=0"#;
        let members = Member::all(list).expect("a list");
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
        let members = Member::all(br#"a, "b";x, (c d);x, 5;x, *e, ?1, %"f", :aGk=:"#).expect("a list");
        let named: Vec<Option<&str>> = members.iter().map(|member| member.application).collect();
        assert_eq!(named, [Some("a"), None, None, None, Some("*e"), None, None, None]);
        assert!(members.iter().all(|member| member.directives.is_empty()));
    }

    #[test]
    fn rfc9651_4_2_failure_tells_the_byte() {
        for (list, at_byte) in [("a;Bad", 2), ("a,", 1), ("a ;x", 2), ("a;x=", 4), ("\ta", 0), ("a;x=\"", 5)]
        {
            assert_eq!(Member::all(list.as_bytes()), Err(Defect::NotAList { at_byte }), "{list}");
        }
        assert_eq!(Member::all(b""), Ok(Vec::new()));
    }

    #[test]
    fn local_a_list_has_at_most_64_kib() {
        let list = |bytes: usize| [b"a".as_slice(), &b" ".repeat(bytes - 1)].concat();
        assert!(Member::all(&list(MAX_LIST_BYTES)).is_ok());
        let bytes = MAX_LIST_BYTES + 1;
        assert_eq!(Member::all(&list(bytes)), Err(Defect::TooLong { bytes }));
    }
}
