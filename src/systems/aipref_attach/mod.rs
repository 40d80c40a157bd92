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
//! What the statements say is the matter of `aipref_vocab`; which groups hold for a crawler, and
//! whether it may fetch a path, that of `robots_txt`.
//! Left out: preferences of requests (PUT), which no archive of pages has, and other mechanisms.

mod header;
mod page;
mod rules;
mod system;

pub use header::header_statement;
pub use page::{PagePreference, PagePreferences, RobotsPreferences};
pub use rules::{ContentUsage, Flaw, Stated};
pub use system::{AiprefAttach, AiprefPolicy};

/// The name of the header field and of the rule, to be compared without case.
pub const CONTENT_USAGE: &str = "content-usage";
