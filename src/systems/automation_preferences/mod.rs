//! `automation-preferences.txt`: which HTTP methods automated systems may use, and where.
//!
//! Document: draft-liao-aipref-autoctl-core-01; a site file, joined by origin and time like robots.txt (RULES LIVE-8). Example:
//!
//! ```text
//! scope: /admin/                 a group: where it holds,
//! user-agent: ExampleBot         for whom (left out: everybody),
//! host: example.com              on which host (left out: the whole site),
//! allowed-methods: GET, HEAD     and what is allowed there; nothing else is
//! ```
//!
//! Exactly one group decides, the most specific of those that apply; if none applies, the file says nothing. It never widens
//! robots.txt, whose answer is in its own column. Left out: freshness (the draft leaves it to HTTP caching), and the meaning of
//! purposes, for which the draft has no vocabulary: they are kept as text.

mod cut;
mod decide;
mod file;
mod scope;
mod system;

pub use decide::{AutomationPolicy, AutomationRule};
pub use file::AutomationFile;
pub use system::AUTOMATION_PREFERENCES;
