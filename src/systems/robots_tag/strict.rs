//! Whether a text is a dictionary to the letter of RFC 9651 4.2.2.
//!
//! Example: `a=(noindex)` is one; `A=(noindex)`, `a ;noindex` and `a;` are not.

use sfv::Parser;
use sfv::visitor::Ignored;

pub(super) fn is_dictionary(text: &[u8]) -> bool {
    Parser::new(text).parse_dictionary_with_visitor(Ignored).is_ok()
}

/// Returns whether the lines of a field, joined as RFC 9651 4.2 says, are a dictionary.
pub fn is_dictionary_of_lines(lines: &[&[u8]]) -> bool {
    let lines: Vec<&[u8]> = lines.iter().map(|line| line.trim_ascii()).collect();
    is_dictionary(&lines.join(b", ".as_slice()))
}

#[cfg(test)]
mod tests {
    use super::{is_dictionary, is_dictionary_of_lines};

    #[test]
    fn rfc9651_4_2_2_dictionaries() {
        for text in ["", "a", "*;noindex", "a=(noindex x:1)", "a=\"b, c\"", "a;b=@1764767393", "a; b"] {
            assert!(is_dictionary(text.as_bytes()), "{text}");
        }
        for text in ["A", "a;", ";a", "a=", "a ;b", "a=(b, c)", "a,", "é"] {
            assert!(!is_dictionary(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn rfc9651_4_2_lines_are_joined() {
        assert!(is_dictionary_of_lines(&[b"a ", b" b"]));
        assert!(!is_dictionary_of_lines(&[b"a", b""]));
    }
}
