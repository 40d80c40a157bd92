//! `Content-Signal`: may content be used for search, put into AI systems, used for training.
//!
//! Document: none that is settled. The module reads what is published and found on the web: the lines of Cloudflare's managed
//! robots.txt, draft-romm-aipref-contentsignals-00, the form with a path, and a response header. Examples:
//!
//! ```text
//! User-agent: *
//! Content-Signal: search=yes,ai-train=no             for the crawlers of the group
//! Content-Signals: ai-input = NO, use=reference      the plural is found, and adds to it
//! Content-Signal: /blog/ ai-train=no                 for the pages under a path
//! ```
//!
//! A key that is absent is neither granted nor denied. Such a line is another record of RFC 9309 2.2.4: it is not an access
//! rule and ends no run of user-agent lines.
//! Left out: yeses of metas, for which nothing is published (READ-19); what `use` means for other systems; the labels.

mod member;
mod system;

pub use member::{Category, StatedSignals, Use, members};
pub use system::{CONTENT_SIGNAL, ContentSignals};

/// The names of the line and of the header field, without case. Ours: the second is a frequent slip, and plain.
pub const NAMES: [&str; 2] = ["content-signal", "content-signals"];
