//! The systems of preferences: the statements of header fields, metas and site files, each in its own words.
//!
//! One module per document. A module reads bytes and returns values; it does not know archives or files and does not decide
//! between systems. The lines of robots.txt come from `robots`, which reads a file once and keeps the lines of other documents
//! with their groups.
//!
//! To add a system: a file with a [`System`] that declares everything about itself in its [`About`], its `mod` line and its
//! line in [`SYSTEMS`] below. Tables, labels, documentation and `explain` follow from that.
//!
//! Tables show at most 4,096 statements of one system and source, then one that counts the rest ([`shown_statements`]).
//! Example: of 520,000 rules in one meta the first 4,096 are rows; one more has the defect `too_many` and the value `515904`.
//! Ours: this limits only the rows; decisions rest on every statement.

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
#[cfg(made_up)]
#[path = "../../tests/made_up/made_up_file.rs"]
pub mod made_up_file;
pub mod path_rules;
pub mod pay_per_crawl;
pub mod prose;
pub mod robots_tag;
pub mod rsl;
mod statement;
pub mod structured_field;
pub mod sup;
mod system;
pub mod tdmrep;
pub mod trust_txt;
mod words;

pub use label::{Condition, CountedAnswers, Label, LabelSet, Mapping};
pub use statement::{Give, Statement, StatementMember};
pub use system::{
    About, Answer, Compiled, FileBody, Ground, LineScope, Lines, MAX_GROUNDS, Opinion, Page, Site,
    SiteFiles, Source, System, Value, Viewpoint,
};
pub use words::{LabelPreferences, UserFileError};

/// Every system of preferences that is read, in the order of the README.
pub static SYSTEMS: &[&System] = &[
    &aipref_attach::AIPREF,                          // header and robots.txt
    &app_directives::APP_DIRECTIVES,                 // robots.txt
    &automation_preferences::AUTOMATION_PREFERENCES, // its own file
    &robots_tag::ROBOTS_TAG,                         // header and meta
    &sup::SUP,                                       // header and robots.txt
    &content_signal::CONTENT_SIGNAL,                 // header and robots.txt
    &ai_training::AI_TRAINING,                       // robots.txt
    &rsl::RSL,                                       // header, HTML head and robots.txt
    &pay_per_crawl::PAY_PER_CRAWL,                   // header
    &prose::PROSE,                                   // comments of robots.txt
    &tdmrep::TDMREP,                                 // header, meta, its own file
    &trust_txt::TRUST_TXT,                           // its own file
    &ai_txt::AI_TXT,                                 // its own file
    &ai_disclosure::AI_DISCLOSURE,                   // header and meta
    #[cfg(made_up)]
    &made_up::MADE_UP,            // a test's
    #[cfg(made_up)]
    &made_up_file::MADE_UP_FILE,  // a test's, its own file
];

/// Returns the system for which a field was written, if another one read it: `aipref` for what `sup` reads in a header.
pub fn same_field_as(system: &str, carrier: &str) -> Option<&'static str> {
    let about = SYSTEMS
        .iter()
        .map(|one| one.about)
        .find(|about| about.name == system)?;
    about.same_field_as(carrier)
}

/// The most statements of one source and system that are shown.
pub const MAX_STATEMENTS: u64 = 4096;

/// Whether a statement is a row of `statements`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Row,
    Counted,
}

/// Passes on every statement of a source and whether it is a row; a last one counts those that are not rows.
pub fn shown_statements(
    system: &System,
    source: &Source<'_>,
    viewpoint: &Viewpoint,
    each: &mut dyn FnMut(&Statement<'_>, Shown),
) {
    shown(
        system.about().name,
        |give| system.statements(source, viewpoint, give),
        each,
    );
}

/// The same for statements under the name of a system.
pub fn shown(
    system: &'static str,
    statements: impl FnOnce(&mut dyn FnMut(&Statement<'_>)),
    each: &mut dyn FnMut(&Statement<'_>, Shown),
) {
    let (mut count, mut carrier) = (0_u64, "");
    statements(&mut |statement| {
        (count, carrier) = (count + 1, statement.carrier);
        each(
            statement,
            if count <= MAX_STATEMENTS {
                Shown::Row
            } else {
                Shown::Counted
            },
        );
    });
    if count > MAX_STATEMENTS {
        let rest = (count - MAX_STATEMENTS).to_string();
        let unread = Statement::unread(system, carrier, b"");
        each(
            &Statement {
                value: Some(rest.as_bytes()),
                defect: Some("too_many"),
                ..unread
            },
            Shown::Row,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_STATEMENTS, Shown, shown_statements};
    use crate::systems::robots_tag::ROBOTS_TAG;
    use crate::systems::sup::SUP;
    use crate::systems::{Source, Viewpoint};
    use crate::web::field::Field;

    fn rows(count: usize) -> (u64, Option<String>) {
        let value = "a,".repeat(count);
        let fields = [Field::header("content-usage", value.as_bytes())];
        let viewpoint = Viewpoint::new("CCBot").expect("a token");
        let (mut rows, mut rest) = (0, None);
        shown_statements(
            &SUP,
            &Source::Record(&fields),
            &viewpoint,
            &mut |statement, shown| {
                rows += u64::from(shown == Shown::Row);
                if statement.defect == Some("too_many") {
                    rest = statement
                        .value
                        .map(|value| String::from_utf8_lossy(value).into_owned());
                }
            },
        );
        (rows, rest)
    }

    #[test]
    fn local_4096_statements_of_a_source_are_shown_and_the_rest_is_counted() {
        assert_eq!(rows(10), (10, None));
        assert_eq!(rows(4096), (4096, None));
        assert_eq!(rows(4097), (MAX_STATEMENTS + 1, Some("1".to_owned())));
        assert_eq!(rows(20_000), (MAX_STATEMENTS + 1, Some("15904".to_owned())));
    }

    #[test]
    fn local_a_source_without_statements_has_none() {
        let viewpoint = Viewpoint::new("CCBot").expect("a token");
        shown_statements(
            &ROBOTS_TAG,
            &Source::Record(&[]),
            &viewpoint,
            &mut |_, _| panic!("a statement"),
        );
    }
}
