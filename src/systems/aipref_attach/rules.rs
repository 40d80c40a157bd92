//! The robots.txt rule `Content-Usage`.
//!
//! Document: draft-ietf-aipref-attach-03, Robots Exclusion Protocol Content-Usage Rule. Example: under
//! `Content-Usage: train-ai=n` and `Content-Usage: /ai-ok/ train-ai=y` the page `/ai-ok/test` has `train-ai=y`, and nothing
//! else from the shorter rule. Left out: lines and groups (`robots`), and how paths are chosen (`path_rules`).

use crate::systems::aipref_vocab::{Answers, Statement, Vocabulary};
use crate::systems::path_rules::{PathRule, PathRules, split_path};
use crate::systems::structured_field::Defect;
use crate::web::path_pattern::UrlPath;

/// Why a rule states nothing, although its author wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// There is no statement after the path. Ours: such a rule has an empty statement and counts; it gives authors a way to
    /// say that nothing is stated here.
    #[error("no statement")]
    NoStatement,
    /// The statement cannot be read. Then the statement is void, not the rule.
    #[error("{0}")]
    Unreadable(Defect),
}

impl Flaw {
    /// Returns the flaw's name in the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoStatement => "no_statement",
            Self::Unreadable(defect) => defect.as_str(),
        }
    }
}

/// What a rule states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stated {
    /// The preferences, after fallback; all unknown if the rule has a flaw.
    pub answers: Answers,
    /// Why it states nothing.
    pub flaw: Option<Flaw>,
}

impl Stated {
    fn read(statement: &[u8], vocabulary: &Vocabulary) -> Self {
        let read = match statement {
            [] => Err(Flaw::NoStatement),
            statement => Statement::parse(statement, vocabulary).map_err(Flaw::Unreadable),
        };
        match read {
            Ok(statement) => Self { answers: statement.answers(vocabulary), flaw: None },
            Err(flaw) => Self { answers: Answers::UNKNOWN, flaw: Some(flaw) },
        }
    }
}

/// The `Content-Usage` rules that hold for one crawler, compiled for one vocabulary.
#[derive(Clone, Debug, Default)]
pub struct ContentUsage {
    rules: PathRules<Stated>,
}

impl ContentUsage {
    /// Compiles the values of lines, each with its number, of the group, or of the groups that are merged into one.
    pub fn compile<'a>(lines: impl IntoIterator<Item = (u32, &'a [u8])>, vocabulary: &Vocabulary) -> Self {
        let read = |(line, value)| {
            let (path, statement) = split_path(value);
            (line, path, Stated::read(statement, vocabulary))
        };
        Self { rules: PathRules::new(lines.into_iter().map(read)) }
    }

    /// Returns what the rules state for a path that may be crawled.
    ///
    /// draft-ietf-aipref-attach-03, Content-Usage Rule Semantics: the rules with the longest matching path count, and no
    /// shorter one, not even for labels that the longest leave open. Rules with identical paths "apply separately" and are
    /// combined. Ours: so are rules whose paths differ but are equally long, and rules that do not conflict.
    pub fn answers(&self, path: &UrlPath) -> Answers {
        self.longest(path).into_iter().fold(Answers::UNKNOWN, |all, rule| all.and(&rule.stated().answers))
    }

    /// Returns the rules that decide for a path.
    pub fn longest(&self, path: &UrlPath) -> Vec<&PathRule<Stated>> {
        self.rules.longest(Some(path))
    }

    /// Returns all rules, longest path first.
    pub fn all(&self) -> &[PathRule<Stated>] {
        self.rules.all()
    }

    /// Returns the flaw of a deciding rule that hides a shorter rule which states something: a slip may have lost a preference.
    pub fn hiding_flaw(&self, path: &UrlPath) -> Option<Flaw> {
        let flaw = self.longest(path).into_iter().find_map(|rule| rule.stated().flaw)?;
        let hides = self.rules.shorter(path).any(|rule| rule.stated().answers != Answers::UNKNOWN);
        hides.then_some(flaw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::path_rules::lines_of;
    use crate::web::preference::Preference::{self, Allow, Disallow, Unknown};

    fn search(rules: &[&str], path: &str) -> (Preference, Vec<u32>, Option<&'static str>) {
        let vocabulary = Vocabulary::named("03").expect("a draft");
        let policy = ContentUsage::compile((1..).zip(rules.iter().map(|rule| rule.as_bytes())), &vocabulary);
        let path = UrlPath::new(path.as_bytes(), None);
        let preference = policy.answers(&path).of(vocabulary.label("search").expect("a label"));
        (preference, lines_of(policy.longest(&path)), policy.hiding_flaw(&path).map(Flaw::as_str))
    }

    #[test]
    fn aipref_attach_semantics_longest_path_alone_applies() {
        let rules = ["search=n", "/ bots=y", "/a train-ai=n", "/a/b search=n"];
        assert_eq!(search(&rules, "/x"), (Allow, vec![2], None));
        assert_eq!(search(&rules, "/a/x"), (Unknown, vec![3], None));
        assert_eq!(search(&rules, "/a/b"), (Disallow, vec![4], None));
        assert_eq!(search(&rules[..1], "/a/b"), (Disallow, vec![1], None));
        assert_eq!(search(&rules[3..], "/x"), (Unknown, vec![], None));
        assert_eq!(search(&[], "/x"), (Unknown, vec![], None));
    }

    #[test]
    fn aipref_attach_semantics_identical_paths_are_combined() {
        assert_eq!(search(&["/a search=y", "search=n", "/a bots=n"], "/a"), (Disallow, vec![1, 3], None));
        assert_eq!(search(&["search=y", "train-ai=n"], "/a"), (Allow, vec![1, 2], None));
    }

    #[test]
    fn local_equally_long_paths_are_combined() {
        let rules = ["/*a search=y", "/b* search=n", "/cc bots=n"];
        assert_eq!(search(&rules, "/ba"), (Disallow, vec![1, 2], None));
        assert_eq!(search(&rules, "/aa"), (Allow, vec![1], None));
    }

    #[test]
    fn local_longest_rule_without_a_readable_statement_hides_shorter_ones() {
        let general = "search=n";
        assert_eq!(search(&[general, "/a Search=y"], "/a"), (Unknown, vec![2], Some("key_case")));
        assert_eq!(search(&[general, "/a"], "/a"), (Unknown, vec![2], Some("no_statement")));
        // A sound rule beside it does not bring back the hidden one.
        assert_eq!(
            search(&[general, "/a train-ai=y", "/a search=n,"], "/a"),
            (Unknown, vec![2, 3], Some("not_dictionary"))
        );
        // Nothing is hidden if the shorter rule does not match or states nothing.
        assert_eq!(search(&["/ab search=n", "/a x="], "/ac"), (Unknown, vec![2], None));
        assert_eq!(search(&["foo=n", "/a x="], "/a"), (Unknown, vec![2], None));
    }

    #[test]
    fn local_rules_have_their_flaws() {
        let vocabulary = Vocabulary::named("03").expect("a draft");
        let policy = ContentUsage::compile([(7, &b"/a b c"[..]), (9, b""), (10, b"/a b c")], &vocabulary);
        let flaws: Vec<_> = policy.all().iter().map(|rule| (rule.lines(), rule.stated().flaw)).collect();
        let defect = Defect::NotADictionary { at_byte: 2 };
        assert_eq!(flaws, [(&[7, 10][..], Some(Flaw::Unreadable(defect))), (&[9], Some(Flaw::NoStatement))]);
        assert!(policy.all().iter().map(PathRule::path).map(|path| path.is_some()).eq([true, false]));
    }
}
