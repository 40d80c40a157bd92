//! The members and directives of a list as written, for the table `statements`.
//!
//! Document: RFC 9651 4.2.1. Example: `a; x="1;2" , (b c)` has the members `a; x="1;2"` and `(b c)`,
//! and the directive of the first is written `"1;2"`.
//! Left out: whether the list is one, which is known before.

/// Splits a valid list into its members.
pub(super) fn members(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    // An inner list has blanks, but no commas: RFC 9651 4.2.1.2.
    split_outside(list, b',').map(<[u8]>::trim_ascii)
}

/// Returns the values of the parameters of a member that is not an inner list; empty where none is written.
pub(super) fn values(member: &[u8]) -> impl Iterator<Item = &[u8]> {
    split_outside(member, b';').skip(1).map(|parameter| {
        let equals = parameter.iter().position(|byte| *byte == b'=');
        equals.and_then(|at| parameter.get(at + 1..)).unwrap_or_default()
    })
}

/// Splits where a separator is outside of strings.
fn split_outside(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut place = DirectivePlace::Outside;
    text.split(move |byte| {
        place = place.after(*byte);
        place == DirectivePlace::Outside && *byte == separator
    })
}

/// Where in a list a byte is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DirectivePlace {
    Outside,
    /// After a percent sign outside of strings, which may start a display string.
    Percent,
    /// RFC 9651 4.2.5.
    String,
    /// After a backslash in a string.
    Escape,
    /// RFC 9651 4.2.10; a backslash is nothing special here.
    DisplayString,
}

impl DirectivePlace {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Outside, b'"') | (Self::Escape, _) => Self::String,
            (Self::Percent, b'"') => Self::DisplayString,
            (Self::Outside | Self::Percent, b'%') => Self::Percent,
            (Self::String, b'\\') => Self::Escape,
            (Self::String | Self::DisplayString, b'"') | (Self::Outside | Self::Percent, _) => Self::Outside,
            (Self::String | Self::DisplayString, _) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DirectiveMember, DirectiveValue};
    use super::*;

    #[test]
    fn rfc9651_4_2_1_separators_in_strings_are_none() {
        let list = br#"  a%;x="\",;";  y;z=%"\",(b "," 1);x , c ;"#;
        let found: Vec<&[u8]> = members(list).collect();
        let expected: [&[u8]; 3] = [br#"a%;x="\",;";  y;z=%"\""#, br#"(b "," 1);x"#, b"c ;"];
        assert_eq!(found, expected);
        let found: Vec<&[u8]> = values(expected[0]).collect();
        assert_eq!(found, [&br#""\",;""#[..], b"", br#"%"\""#]);
    }

    /// What is written is what was parsed: lists made of odd pieces, those that parse.
    #[test]
    fn rfc9651_4_2_1_generated_lists_are_split_as_they_are_parsed() {
        const PIECES: [&str; 22] = [
            "a",
            "*b%",
            ",",
            ", ",
            "\t,",
            ";",
            "; ",
            "k",
            "=",
            "=",
            "\"x\\\"\"",
            "\"",
            "\\",
            "%\"\\\"",
            "%\"%22\"",
            "(",
            ")",
            "1.5",
            "-7",
            "@3",
            ":aGk=:",
            "?0",
        ];
        let mut state = 7_u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).expect("31 bits") % below
        };
        let mut parsed = 0;
        for _ in 0..400_000 {
            let list: String = (0..=next(9)).map(|_| PIECES[next(PIECES.len())]).collect();
            let Ok(read) = DirectiveMember::all(list.as_bytes()) else { continue };
            parsed += usize::from(list.contains('='));
            let texts: Vec<&[u8]> = members(list.as_bytes()).filter(|text| !text.is_empty()).collect();
            assert_eq!(texts.len(), read.len(), "{list}");
            for (member, text) in read.iter().zip(texts).filter(|(member, _)| member.application.is_some()) {
                let again: Vec<DirectiveValue> = values(text).map(alone).collect();
                let values: Vec<_> =
                    member.directives.iter().map(|directive| directive.value.clone()).collect();
                assert_eq!(again, values, "{list}");
            }
        }
        assert!(parsed > 200, "{parsed} lists with values");
    }

    fn alone(value: &[u8]) -> DirectiveValue {
        let equals: &[u8] = if value.is_empty() { b"" } else { b"=" };
        let list = [b"a;k", equals, value].concat();
        let members = DirectiveMember::all(&list).expect("a list");
        members[0].directives[0].value.clone()
    }
}
