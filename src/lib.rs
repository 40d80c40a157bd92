//! Who may crawl a page, and what may be done with it: robots.txt, headers, metas and site files, read by the
//! documents that define them and resolved into one decision.
//!
//! # Three ways in
//!
//! **Ask a robots.txt** ([`robots`], RFC 9309):
//!
//! ```
//! use crawlprefs::RobotsTxt;
//!
//! let robots = RobotsTxt::parse("User-agent: *\nDisallow: /private/\n");
//! assert!(robots.access("CCBot", "/private/a.html").is_disallowed());
//! ```
//!
//! **Decide about a page** ([`decide()`]) by its site's files, its header fields and its metas:
//!
//! ```
//! use crawlprefs::{Label, Preference, decide};
//!
//! # fn main() -> Result<(), crawlprefs::QuestionError> {
//! let decision = decide("https://a.example/post")
//!     .robots("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n")
//!     .header("X-Robots-Tag", "noindex")
//!     .decision()?;
//! assert_eq!(decision.access, Preference::Allow);
//! assert_eq!(decision.label(Label::TrainAi), Preference::Disallow);
//! // The header closes what robots.txt opens, and a no wins.
//! assert_eq!(decision.label(Label::Search), Preference::Disallow);
//! assert_eq!(decision.label_from(Label::Search), ["robots_tag header"]);
//! # Ok(())
//! # }
//! ```
//!
//! **Read archives and write tables** (`job`, with the default features): what the command `crawlprefs run` does,
//! as functions. `examples/run.rs` in the repository has it whole.
//!
//! # Features
//!
//! With `default-features = false` the crate has the parsers, the systems and the decision, a handful of small
//! dependencies and no C. `archive` reads web archives, `tables` writes Parquet, `cli` (default) is the command.
//!
//! # Modules
//!
//! ```text
//! archives ─ scan ─> evidence ─ resolve ─> tables          archive, evidence, store, tables, runs, job
//!
//! web  ->  robots  ->  systems  ->  verdict  ->  explain   values in, values out
//! ```
//!
//! Imports point to the left and down only, which a test holds.

#![deny(unsafe_code, missing_docs)]
#![warn(clippy::pedantic)]
// A signature says that a call can fail, and what it returns.
#![allow(
    clippy::missing_errors_doc,
    clippy::must_use_candidate,
    clippy::return_self_not_must_use
)]

#[cfg(feature = "cli")]
extern crate self as crawlprefs;

// Public, and documented: what docs/library.md shows. Hidden: what the command, the Python package and the tests reach.
#[cfg(feature = "archive")]
pub mod archive;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "tables")]
pub mod error;
#[cfg(feature = "archive")]
#[doc(hidden)]
pub mod evidence;
#[cfg(feature = "explain")]
#[doc(hidden)]
pub mod explain;
#[cfg(feature = "tables")]
pub mod job;
#[cfg(feature = "tables")]
pub mod judge;
#[cfg(feature = "tables")]
#[doc(hidden)]
pub mod plan;
pub mod robots;
#[cfg(feature = "tables")]
#[doc(hidden)]
pub mod runs;
#[cfg(feature = "tables")]
pub mod sites;
#[cfg(feature = "tables")]
pub mod store;
#[doc(hidden)]
pub mod systems;
#[cfg(feature = "tables")]
pub mod tables;
#[doc(hidden)]
pub mod verdict;
#[doc(hidden)]
pub mod web;

pub use robots::RobotsTxt;
pub use systems::{Label, Value, Viewpoint};
pub use verdict::{
    AgentsError, AgentsTable, PageDecision, PageQuestion, QuestionError, RobotsState, decide,
};
pub use web::capture_kind::CaptureKind;
pub use web::preference::Preference;
