//! Short Usage Preferences: permitted uses of content, in a line of robots.txt or a header field.
//!
//! Document: draft-thomson-aipref-sup, the editor's copy of 21 July 2025. Examples:
//!
//! ```text
//! Content-Usage: tdm=y,ai=n    a header field, about the content of its message
//!
//! User-Agent: *
//! Usage: tdm=n,search=y        a line of a group, about everything on the site
//! ```
//!
//! The header field has the name that AIPREF gives its own, and the same bytes say other things there: `search=n, search=y` is
//! a no here and a yes in AIPREF. Each system answers for its own document. Left out: yeses of metas (READ-19) and content metadata, for
//! which the draft defines no form (Content Metadata); fields of requests; defaults for the unknown, which are the application's choice.

mod expression;
mod system;

pub use expression::{LabelValues, SupLabel, pieces};
pub use system::{SUP, usage_lines};

/// The name of the header field, in lower case (HTTP Header Field).
pub const FIELD: &str = "content-usage";

/// The name of the robots.txt line, compared without case (The "robots.txt" Format).
pub const RULE: &str = "usage";
