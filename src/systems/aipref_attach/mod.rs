//! Where a preference is stated: the `Content-Usage` header field and the robots.txt rule.
//!
//! Document: draft-ietf-aipref-attach-03 (-04 and -05 have the same rules). Examples:
//!
//! ```text
//! Content-Usage: train-ai=n                a header field, about the content of its message
//!
//! User-Agent: *
//! Content-Usage: train-ai=n                a rule for all paths
//! Content-Usage: /ai-ok/ train-ai=y        a rule for some
//! ```
//!
//! What the statements say is the matter of `aipref_vocab`; which groups hold for a crawler, and
//! whether it may fetch a path, that of `robots_txt`.
//! Left out: preferences of requests (PUT), which no archive of pages has, and other mechanisms.

mod header;
mod page;
mod rules;
mod system;

pub use header::{field_value, header_statement};
pub use page::{PagePreference, PagePreferences, RobotsPreferences};
pub use rules::{ContentUsage, Flaw, Stated};
pub use system::{AiprefAttach, AiprefPolicy};

/// The name of the header field and of the rule, to be compared without case.
pub const CONTENT_USAGE: &str = "content-usage";

/// Drops SP and HTAB at both ends: the OWS of RFC 9110 5.6.3, the WS of RFC 9309 2.2.
fn without_white_space(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::without_white_space;

    #[test]
    fn rfc9110_5_6_3_only_sp_and_htab_are_dropped() {
        for (bytes, expected) in
            [(" \ta b\t ", "a b"), ("", ""), (" \t", ""), ("\u{b}a\u{c}", "\u{b}a\u{c}"), ("a", "a")]
        {
            assert_eq!(without_white_space(bytes.as_bytes()), expected.as_bytes());
        }
    }
}
