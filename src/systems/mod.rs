//! The systems of preferences: what header fields, metas and site files say, each in its own words.
//!
//! One module per document. A module reads bytes and returns values; it neither knows of archives and
//! files nor decides between systems. The lines of robots.txt come from `robots`, which reads a file once and
//! keeps the lines of other documents with their groups.
//!
//! To add a system: a file with a [`System`] that declares everything about itself in its [`About`], its `mod`
//! line and its line in [`SYSTEMS`] below. Tables, labels, documentation and `explain` follow from that.

pub mod ai_disclosure;
pub mod ai_training;
pub mod ai_txt;
pub mod aipref_attach;
pub mod aipref_vocab;
pub mod app_directives;
pub mod automation_preferences;
pub mod content_signal;
mod label;
#[cfg(made_up)]
#[path = "../../tests/made_up/made_up.rs"]
pub mod made_up;
pub mod path_rules;
pub mod pay_per_crawl;
pub mod prose;
pub mod robots_tag;
pub mod rsl;
mod shown_statements;
pub mod structured_field;
pub mod sup;
mod system;
pub mod tdmrep;
pub mod trust_txt;

pub use label::{Answers, Condition, Label, Mapping};
pub use shown_statements::{MAX_STATEMENTS, Shown, shown, shown_statements};
pub use system::{
    About, Answer, Compiled, FieldOfOther, FileBody, Ground, LineScope, Lines, MAX_GROUNDS, Opinion, Page,
    Site, SiteFiles, Source, Statement, System, Value, Viewpoint,
};

/// Every system of preferences that is read, in the order of the README.
pub static SYSTEMS: &[&dyn System] = &[
    &aipref_attach::AiprefAttach,                   // header and robots.txt
    &app_directives::AppDirectivesSystem,           // robots.txt
    &automation_preferences::AutomationPreferences, // its own file
    &robots_tag::RobotsTag,                         // header and meta
    &sup::Sup,                                      // header and robots.txt
    &content_signal::ContentSignal,                 // header and robots.txt
    &ai_training::AiTraining,                       // robots.txt
    &rsl::Rsl,                                      // header, HTML head and robots.txt
    &pay_per_crawl::PayPerCrawl,                    // header
    &prose::Prose,                                  // comments of robots.txt
    &tdmrep::Tdmrep,                                // header, meta, its own file
    &trust_txt::TrustTxt,                           // its own file
    &ai_txt::AiTxt,                                 // its own file
    &ai_disclosure::AiDisclosure,                   // header and meta
    #[cfg(made_up)]
    &made_up::MadeUp,            // a test's
];

/// Returns the system for which the field of a statement or answer was written, where that is not the one that read
/// it: `aipref` of what `sup` reads in a header.
pub fn same_field_as(system: &str, carrier: &str) -> Option<&'static str> {
    let about = SYSTEMS.iter().map(|one| one.about()).find(|about| about.name == system)?;
    about.same_field_as(carrier)
}
