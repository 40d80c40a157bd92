//! Cases for the robots.txt rule.

use super::*;
use crate::systems::path_rules::lines_of;
use crate::web::preference::Preference::{self, Allow, Disallow, Unknown};

/// What the rules state about search, which lines decided, and what hides a shorter rule.
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
fn local_rules_have_their_flaws() {
    let vocabulary = Vocabulary::named("03").expect("a draft");
    let policy = ContentUsage::compile([(7, &b"/a b c"[..]), (9, b""), (10, b"/a b c")], &vocabulary);
    let flaws: Vec<_> = policy.all().iter().map(|rule| (rule.lines(), rule.stated().flaw)).collect();
    let defect = Defect::NotADictionary { at_byte: 2 };
    assert_eq!(flaws, [(&[7, 10][..], Some(Flaw::Unreadable(defect))), (&[9], Some(Flaw::NoStatement))]);
    assert!(policy.all().iter().map(PathRule::path).map(|path| path.is_some()).eq([true, false]));
}
