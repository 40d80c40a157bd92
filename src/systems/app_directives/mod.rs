//! App-Directives: what a site asks of single applications that use what was crawled.
//!
//! Document: draft-nottingham-plan-b, the editor's copies of 2026-02-19 and 2026-06-13, which have
//! the same rules. Example:
//!
//! ```text
//! User-Agent: *
//! App-Directives: examplesearch;widgets=?0            for all paths
//! App-Directives: /img/ examplesearch;size=120, other   for some; it replaces the line above
//! ```
//!
//! Which groups hold for a crawler is the matter of `robots_txt`. What a directive means is defined by
//! registries that do not exist yet, so names and types are given as they are, known or not; and
//! where a directive overrides an AI preference ("Interaction with AI Preferences") is for the
//! reader to judge, who finds both.
//! Which application has which crawler is in a user's file (`applications.rs`), as the registries
//! do not exist; every other application is taken to be of the crawler that was asked for.

mod applications;
mod list;
mod rules;
mod system;
mod value;
mod written;

pub use applications::{Applications, ApplicationsError};
pub use list::{Directive, DirectiveMember};
pub use rules::{AppDirectives, Application, DirectivesDecision, NamedApplications};
pub use system::{AppDirectivesPolicy, AppDirectivesSystem};
pub use value::DirectiveValue;

/// The names of the rule, to be compared without case: the one of the text and its examples, and
/// the one of the grammar.
///
/// Ours: both are taken, for the draft uses both ("The App-Directives robots.txt Extension").
pub const NAMES: [&str; 2] = ["app-directives", "app-directive"];
