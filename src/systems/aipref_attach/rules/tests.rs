//! Cases for the robots.txt rule, over paths that are plain prefixes.

use super::*;
use crate::web::preference::Preference::{self, Allow, Disallow, Unknown};

/// A path that matches as a prefix, octet by octet: enough for the choice between rules. `?` stands
/// for any octet, so that paths can be different and equally long and match the same page.
#[derive(Clone, Debug)]
struct Prefix(Vec<u8>);

impl Pattern for Prefix {
    type Path = [u8];

    fn new(path: &[u8]) -> Self {
        Self(path.to_vec())
    }

    fn octet_count(&self) -> usize {
        self.0.len()
    }

    fn matches(&self, path: &[u8]) -> bool {
        path.len() >= self.0.len() && self.0.iter().zip(path).all(|(mine, its)| mine == its || *mine == b'?')
    }
}

/// What the rules state about search, which lines decided, and what hides a shorter rule.
fn search(rules: &[&str], path: &str) -> (Preference, Vec<u32>, Option<&'static str>) {
    let vocabulary = Vocabulary::named("03").expect("a draft");
    let lines: Vec<RuleLine<'_>> =
        (1..).zip(rules).map(|(line, rule)| RuleLine { line, value: rule.as_bytes() }).collect();
    let policy = ContentUsage::<Prefix>::compile(&lines, &vocabulary);
    let decision = policy.decide(path.as_bytes());
    let preference = decision.answers().of(vocabulary.label("search").expect("a label"));
    (preference, decision.rules().map(Rule::line).collect(), decision.hiding_flaw().map(Flaw::as_str))
}

#[test]
fn aipref_attach_processing_splits_path_and_statement() {
    for (value, path, statement) in [
        ("train-ai=n", None, "train-ai=n"),
        ("/a train-ai=n", Some("/a"), "train-ai=n"),
        ("/ search=y, train-ai=n", Some("/"), "search=y, train-ai=n"),
        ("*.jpg train-ai=n", None, "*.jpg train-ai=n"),
        ("/a\ttrain-ai=n", Some("/a"), "train-ai=n"),
        ("", None, ""),
    ] {
        assert_eq!(split_rule(value.as_bytes()), (path.map(str::as_bytes), statement.as_bytes()), "{value}");
    }
}

#[test]
fn local_white_space_around_the_statement_is_dropped() {
    for value in ["/a \t train-ai=n", "\t/a train-ai=n \t", "/a\t\ttrain-ai=n"] {
        assert_eq!(split_rule(value.as_bytes()), (Some(b"/a".as_slice()), b"train-ai=n".as_slice()));
    }
    for value in ["/a", "/a ", "\t/a\t\t"] {
        assert_eq!(split_rule(value.as_bytes()), (Some(b"/a".as_slice()), b"".as_slice()));
    }
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
    let rules = ["/?a search=y", "/b? search=n", "/cc bots=n"];
    assert_eq!(search(&rules, "/ba"), (Disallow, vec![1, 2], None));
    assert_eq!(search(&rules, "/aa"), (Allow, vec![1], None));
}

#[test]
fn local_longest_rule_without_a_readable_statement_hides_shorter_ones() {
    let general = "search=n";
    assert_eq!(search(&[general, "/a Search=y"], "/a"), (Unknown, vec![2], Some("not_dictionary")));
    assert_eq!(search(&[general, "/a"], "/a"), (Unknown, vec![2], Some("no_statement")));
    // A sound rule beside it does not bring back what is hidden.
    assert_eq!(
        search(&[general, "/a train-ai=y", "/a search=n,"], "/a"),
        (Unknown, vec![2, 3], Some("not_dictionary"))
    );
    // Nothing is hidden where the shorter rule does not match or states nothing.
    assert_eq!(search(&["/ab search=n", "/a x="], "/ac"), (Unknown, vec![2], None));
    assert_eq!(search(&["foo=n", "/a x="], "/a"), (Unknown, vec![2], None));
}

#[test]
fn local_rules_tell_their_flaws() {
    let vocabulary = Vocabulary::named("03").expect("a draft");
    let lines = [RuleLine { line: 7, value: b"/a b c" }, RuleLine { line: 9, value: b"" }];
    let policy = ContentUsage::<Prefix>::compile(&lines, &vocabulary);
    let flaws: Vec<_> = policy.rules().iter().map(|rule| (rule.line(), rule.flaw())).collect();
    let defect = Defect::NotADictionary { at_byte: 2 };
    assert_eq!(flaws, [(7, Some(Flaw::Unreadable(defect))), (9, Some(Flaw::NoStatement))]);
    assert!(policy.rules().iter().map(Rule::path).map(|path| path.is_some()).eq([true, false]));
}
