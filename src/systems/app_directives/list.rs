//! The list of an App-Directives rule: its members, and their parameters with types.
//!
//! Documents: draft-nottingham-plan-b (2026-06-13), The App-Directives robots.txt Extension;
//! RFC 9651 3.1 and 4.2.1 for the syntax. Example: `examplesearch;widgets=?0, "other";x` has a member
//! for the application `examplesearch` with one directive, and one that names no application.
//! Left out: applications and directives that come again, which are joined where paths are known.

use super::value::DirectiveValue;
use crate::systems::structured_field::{self, Defect};

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
pub struct DirectiveMember<'a> {
    /// The application; `None` where the member is not a token and so names none.
    pub application: Option<&'a str>,
    /// The directives in their order, repeats included; none where there is no application.
    pub directives: Vec<Directive<'a>>,
}

impl<'a> DirectiveMember<'a> {
    /// Parses a list.
    pub fn all(list: &'a [u8]) -> Result<Vec<Self>, Defect> {
        Ok(structured_field::list(list)?.into_iter().map(Self::new).collect())
    }

    /// "Each member of the list is a Token". Ours: one of another type is ignored, and the rest of
    /// the list holds, because the list does parse and the draft does not void it.
    fn new(member: structured_field::Member<'a>) -> Self {
        let parameters = member.parameters.into_iter().filter(|_| member.token.is_some());
        let directive = |(name, value)| Directive { name, value: DirectiveValue::new(value) };
        Self { application: member.token, directives: parameters.map(directive).collect() }
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
