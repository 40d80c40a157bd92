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
//! `aipref_vocab` reads what the statements say; `robots` decides which groups hold for a crawler and whether it may fetch a
//! path. Left out: preferences of requests (PUT), which no archive of pages has, and other mechanisms.
//!
//! The preferences of a page combine its header and the robots.txt rules.
//!
//! Documents: draft-ietf-aipref-attach-03, Content-Usage Rule Semantics; draft-ietf-aipref-vocab-03, Combining Preferences.
//! Example: `Content-Usage: train-ai=n` in the header and `train-ai=y, search=n` in robots.txt disallow both.
//! Left out: the choice of the copy of robots.txt that counts (`verdict::site_captures`).
//!
//! The header field `Content-Usage`.
//!
//! Document: draft-ietf-aipref-attach-03, HTTP Content-Usage Header Field: "a structured field dictionary", about the content
//! of its message, whatever the status. Example: `Content-Usage: train-ai=n` and `Content-Usage: train-ai=y` are one
//! dictionary, in which the last value counts; they are not two statements that are combined. Left out: the reading as a short
//! usage preference, which belongs to another document (`sup`).

mod rules;
mod system;

pub use rules::{ContentUsage, Flaw, Stated};
pub use system::{AiprefAttach, AiprefPolicy};

use crate::systems::aipref_vocab::{Answers, Label, Statement, Vocabulary};
use crate::systems::structured_field::{Defect, field_value};
use crate::web::preference::Preference;

/// The name of the header field and of the rule, compared without case.
pub const CONTENT_USAGE: &str = "content-usage";

/// What robots.txt states for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotsPreferences {
    /// The path may be crawled, or it is not known whether it may: the preferences, which may be unknown.
    Stated(Answers),
    /// The path may not be crawled. draft-ietf-aipref-attach-03, Content-Usage Rule Semantics: "no preferences are implied for
    /// resources that are disallowed".
    NotApplicable,
}

impl RobotsPreferences {
    /// Returns what robots.txt states, given whether it lets the path be crawled. If no rules were seen (unavailable, not
    /// archived) the answers are [`Answers::UNKNOWN`]; an unreachable robots.txt closes every path (RFC 9309 2.3.1.4).
    pub fn new(crawl: Preference, stated: Answers) -> Self {
        match crawl {
            Preference::Allow | Preference::Unknown => Self::Stated(stated),
            Preference::Disallow => Self::NotApplicable,
        }
    }
}

/// A preference as it is in the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagePreference {
    Stated(Preference),
    /// The path may not be crawled and nothing else states preferences.
    NotApplicable,
}

impl PagePreference {
    /// Returns the value as it is in the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stated(preference) => preference.as_str(),
            Self::NotApplicable => "not_applicable",
        }
    }
}

/// The preferences of one page, source by source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PagePreferences {
    /// What the header states; `None` if the field did not come. Ours: one that came and is not a dictionary states nothing
    /// (RFC 9651 4.2), but its author spoke: unknown, not `not_applicable`.
    pub header: Option<Answers>,
    /// The noes of metas that are named like the header field (READ-19); `None` if there are none.
    pub metas: Option<Answers>,
    /// What robots.txt states.
    pub robots: RobotsPreferences,
}

impl PagePreferences {
    /// Returns the preferences of all sources together; `None` if they do not apply. draft-ietf-aipref-vocab-03, Combining
    /// Preferences: neither source outranks the other. If the path may not be crawled, the page was fetched all the same, and
    /// its header holds.
    pub fn combined(&self) -> Option<Answers> {
        let robots = match self.robots {
            RobotsPreferences::Stated(answers) => Some(answers),
            RobotsPreferences::NotApplicable => None,
        };
        [self.header, self.metas, robots].into_iter().flatten().reduce(|all, one| all.and(&one))
    }

    /// Returns the preference of all sources together for a label.
    pub fn of(&self, label: Label) -> PagePreference {
        match self.combined() {
            Some(answers) => PagePreference::Stated(answers.of(label)),
            None => PagePreference::NotApplicable,
        }
    }
}

/// Returns what the lines of the field state, `None` if the field did not come.
pub fn header_statement(lines: &[&[u8]], vocabulary: &Vocabulary) -> Option<Result<Statement, Defect>> {
    field_value(lines).map(|value| Statement::parse(&value, vocabulary))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::aipref_vocab::{Statement, Vocabulary};

    fn search(header: Option<&str>, crawl: Preference, robots: &str) -> &'static str {
        let vocabulary = Vocabulary::named("03").expect("a draft");
        let label = vocabulary.label("search").expect("a label");
        let answers =
            |text: &str| Some(Statement::parse(text.as_bytes(), &vocabulary).ok()?.answers(&vocabulary));
        let robots = RobotsPreferences::new(crawl, answers(robots).unwrap_or(Answers::UNKNOWN));
        let header = header.map(|text| answers(text).unwrap_or(Answers::UNKNOWN));
        PagePreferences { header, metas: None, robots }.of(label).as_str()
    }

    #[test]
    fn aipref_vocab_combining_preferences_header_and_robots() {
        assert_eq!(search(Some("search=y"), Preference::Allow, "bots=n"), "disallow");
        assert_eq!(search(Some("search=n"), Preference::Allow, "search=y"), "disallow");
        assert_eq!(search(Some("train-ai=n"), Preference::Allow, "search=y"), "allow");
        assert_eq!(search(None, Preference::Unknown, ""), "unknown");
    }

    #[test]
    fn aipref_attach_rule_semantics_closed_path_has_the_header_only() {
        assert_eq!(search(Some("search=y"), Preference::Disallow, "search=n"), "allow");
        assert_eq!(search(None, Preference::Disallow, "search=n"), "not_applicable");
    }

    /// Ours: an empty dictionary states nothing, and neither does a broken one; both count as sent.
    #[test]
    fn local_closed_path_with_an_empty_or_a_broken_header() {
        assert_eq!(search(Some(""), Preference::Disallow, "search=n"), "unknown");
        assert_eq!(search(Some("Search=n"), Preference::Disallow, "search=n"), "unknown");
    }

    fn states(lines: &[&str]) -> Option<bool> {
        let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
        let vocabulary = Vocabulary::named("03").expect("a draft");
        header_statement(&lines, &vocabulary).map(|statement| statement.is_ok())
    }

    #[test]
    fn rfc9651_4_2_lines_are_one_dictionary() {
        assert_eq!(states(&[]), None);
        assert_eq!(states(&[""]), Some(true));
        assert_eq!(states(&[" \t"]), Some(true));
        assert_eq!(states(&["\ttrain-ai=n\t", " search=y"]), Some(true));
        assert_eq!(states(&["train-ai=n", ""]), Some(false));
        assert_eq!(states(&["train-ai=n", "Search=y"]), Some(false));
    }

    /// RFC 9651 4.2 lets a value be split over lines; joined, it is whole again.
    #[test]
    fn rfc9651_4_2_a_string_may_span_lines() {
        assert_eq!(states(&["foo=\"a", "b\", search=n"]), Some(true));
    }
}
