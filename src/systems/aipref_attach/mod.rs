//! Where a preference is stated: the `Content-Usage` header field and the robots.txt rule.
//!
//! Document: draft-ietf-aipref-attach-05; -03 and -04 have the same rules (ATTACH-18). Examples:
//!
//! ```text
//! Content-Usage: train-ai=n                a header field, about the content of its message
//!
//! User-Agent: *
//! Content-Usage: train-ai=n                a rule for all paths
//! Content-Usage: /ai-ok/ train-ai=y        a rule for some
//! ```
//!
//! The field is "a structured field dictionary", about the content of its message, whatever the status: of `train-ai=n` and
//! `train-ai=y` on two lines the last counts; they are not two statements that are combined. The preferences of a page combine
//! its header and the rules (draft-ietf-aipref-vocab-03, Combining Preferences): `train-ai=n` in the header and
//! `train-ai=y, search=n` in robots.txt disallow both.
//!
//! `aipref_vocab` reads what the statements say; `robots` decides which groups hold for a crawler and whether it may fetch a
//! path. Left out: preferences of requests (PUT), which no archive of pages has; the choice of the copy of robots.txt that counts
//! (`verdict::site_captures`); the reading of the field as a short usage preference (`sup`).

mod labels;
mod rules;
mod system;

pub use rules::{AiprefPolicy, PagePreferences, header_statement};
pub use system::AIPREF;

/// The name of the header field and of the rule, compared without case.
pub const CONTENT_USAGE: &str = "content-usage";
