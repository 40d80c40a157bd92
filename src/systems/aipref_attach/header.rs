//! The header field `Content-Usage`.
//!
//! Document: draft-ietf-aipref-attach-03, HTTP Content-Usage Header Field: "a structured field
//! dictionary", about the content of its message, whatever the status.
//! Example: `Content-Usage: train-ai=n` and `Content-Usage: train-ai=y` are one dictionary, in which
//! the last value counts; they are not two statements that are combined.
//! Left out: the reading as a short usage preference, which is another document's (`sup`).

use crate::systems::aipref_vocab::{Statement, Vocabulary};
use crate::systems::structured_field::{Defect, field_value};

/// Returns what the lines of the field state, `None` if the field did not come.
pub fn header_statement(lines: &[&[u8]], vocabulary: &Vocabulary) -> Option<Result<Statement, Defect>> {
    field_value(lines).map(|value| Statement::parse(&value, vocabulary))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(lines: &[&str]) -> Option<bool> {
        let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
        let vocabulary = Vocabulary::named("03").expect("a draft");
        header_statement(&lines, &vocabulary).map(|statement| statement.is_ok())
    }

    #[test]
    fn rfc9651_4_2_lines_are_one_dictionary() {
        assert_eq!(states(&[]), None);
        assert_eq!(states(&[""]), Some(true));
        assert_eq!(states(&[" \t"]), Some(true));
        assert_eq!(states(&["\ttrain-ai=n\t", " search=y"]), Some(true));
        assert_eq!(states(&["train-ai=n", ""]), Some(false));
        assert_eq!(states(&["train-ai=n", "Search=y"]), Some(false));
    }

    /// RFC 9651 4.2 lets a value be split over lines; joined, it is whole again.
    #[test]
    fn rfc9651_4_2_a_string_may_span_lines() {
        assert_eq!(states(&["foo=\"a", "b\", search=n"]), Some(true));
    }
}
