//! Who may crawl a page, and what may be done with it: robots.txt, headers, metas and site files, read by the
//! documents that define them and resolved into one decision.
//!
//! # Three ways in
//!
//! **Ask a robots.txt** ([`robots`], RFC 9309):
//!
//! ```
//! use crawlprefs::robots::RobotsTxt;
//!
//! let robots = RobotsTxt::parse("User-agent: *\nDisallow: /private/\n");
//! assert!(robots.access("CCBot", "/private/a.html").is_disallowed());
//! ```
//!
//! **Decide about a page** ([`verdict`]) by its site's files, its header fields and its metas:
//!
//! ```
//! use crawlprefs::systems::{Label, Viewpoint};
//! use crawlprefs::verdict::{AgentsTable, PageRecord, Resolver, SiteIndex};
//! use crawlprefs::web::capture_kind::CaptureKind;
//! use crawlprefs::web::field::Field;
//! use crawlprefs::web::origin::Origin;
//! use crawlprefs::web::preference::Preference;
//! use crawlprefs::web::url::PageUrl;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let resolver = Resolver::new(Viewpoint::new("CCBot")?, &AgentsTable::bundled());
//! let url = PageUrl::new(b"https://a.example/post")?;
//! let origin = Origin::new(&url);
//!
//! let robots_txt = b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n";
//! let index = SiteIndex::of_files(&origin, &[(CaptureKind::Robots, robots_txt)]);
//! let fields = [Field::header("x-robots-tag", b"noindex")];
//!
//! let (page, site) = (PageRecord::new(Some(url), Some("text/html"), &fields, &[]), index.given(&origin, &resolver));
//! let decision = resolver.decide(&page, &site, None);
//! assert_eq!(decision.access.preference, Preference::Allow);
//! assert_eq!(decision.labels.of(Label::TrainAi), Preference::Disallow);
//! // The header closes what robots.txt opens, and a no wins.
//! assert_eq!(decision.labels.of(Label::Search), Preference::Disallow);
//! assert_eq!(decision.labels.from(Label::Search), ["robots_tag header"]);
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
//! archives ─ scan ─> evidence ─ resolve ─> tables          archive, evidence, store, tables, job
//!
//! web  ->  robots  ->  systems  ->  verdict  ->  explain   values in, values out
//! ```
//!
//! Imports point to the left and down only, which a test holds.

#![deny(unsafe_code, missing_docs)]
#![warn(clippy::pedantic)]

#[cfg(feature = "cli")]
extern crate self as crawlprefs;

#[cfg(feature = "archive")]
pub mod archive;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "tables")]
pub mod error;
#[cfg(feature = "archive")]
pub mod evidence;
#[cfg(feature = "explain")]
pub mod explain;
#[cfg(feature = "tables")]
pub mod job;
#[cfg(feature = "tables")]
pub mod judge;
pub mod robots;
#[cfg(feature = "tables")]
pub mod store;
pub mod systems;
#[cfg(feature = "tables")]
pub mod tables;
pub mod verdict;
pub mod web;
