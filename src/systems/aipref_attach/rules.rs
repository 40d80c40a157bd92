//! The robots.txt rule `Content-Usage`.
//!
//! Document: draft-ietf-aipref-attach-03, Robots Exclusion Protocol Content-Usage Rule. Example: under
//! `Content-Usage: train-ai=n` and `Content-Usage: /ai-ok/ train-ai=y` the page `/ai-ok/test` has `train-ai=y`, and nothing
//! else from the shorter rule. Left out: lines and groups (`robots`), and how paths are chosen (`path_rules`).

use super::CONTENT_USAGE;
use super::labels::{LabelNoes, further_noes};
use crate::robots::{LineKind, RobotsRecord};
use crate::systems::aipref_vocab::{Answers, Vocabulary, VocabularyStatement};
use crate::systems::path_rules::{PathRule, PathRules, split_path};
use crate::systems::structured_field::{FieldDefect, field_value, header_lines};
use crate::systems::{Page, Site, Viewpoint};
use crate::web::field::{Field, twins};
use crate::web::path_pattern::UrlPath;
use crate::web::preference::Preference;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stated {
    /// The preferences, after fallback; all unknown if the rule has a flaw.
    pub answers: Answers,
    /// The labels that it refuses under another revision (KNOW-9).
    pub noes: LabelNoes,
    /// Why it states nothing, although its author wrote it: then the statement is void, not the rule. Ours: a rule with nothing
    /// after its path counts; it gives authors a way to say that nothing is stated here.
    pub flaw: Option<FieldDefect>,
}

/// The preferences of one page, source by source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PagePreferences {
    /// What the header states; `None` if the field did not come. Ours: one that came and is not a dictionary states nothing
    /// (RFC 9651 4.2), but its author spoke: unknown, not `not_applicable`.
    pub header: Option<Answers>,
    /// The noes of metas that are named like the header field (READ-19); `None` if there are none.
    pub metas: Option<Answers>,
    /// What robots.txt states; `None` if the path may not be crawled. draft-ietf-aipref-attach-03, Content-Usage Rule
    /// Semantics: "no preferences are implied for resources that are disallowed". If no rules were seen (unavailable, not
    /// archived) all is unknown; an unreachable robots.txt closes every path (RFC 9309 2.3.1.4).
    pub robots: Option<Answers>,
}

impl PagePreferences {
    /// Returns the preferences of all sources together; `None` if they do not apply. draft-ietf-aipref-vocab-03, Combining
    /// Preferences: neither source outranks the other. If the path may not be crawled, the page was fetched all the same, and
    /// its header holds.
    pub fn combined(&self) -> Option<Answers> {
        [self.header, self.metas, self.robots]
            .into_iter()
            .flatten()
            .reduce(|all, one| all.and(&one))
    }
}

/// A site's `Content-Usage` rules that hold for one crawler, compiled for one vocabulary.
#[derive(Clone, Debug)]
pub struct AiprefPolicy {
    pub rules: PathRules<Stated>,
}

impl AiprefPolicy {
    pub fn new(site: Option<&Site<'_>>, viewpoint: &Viewpoint) -> Self {
        let records = site.into_iter().flat_map(Site::lines).filter(is_rule);
        Self::compile(
            records.map(|record| (record.line, record.value)),
            &viewpoint.vocabulary,
        )
    }

    /// Compiles the values of lines, each with its number, of the group, or of the groups that are merged into one.
    pub fn compile<'a>(
        lines: impl IntoIterator<Item = (u32, &'a [u8])>,
        vocabulary: &Vocabulary,
    ) -> Self {
        let read = |(line, value)| {
            let (path, statement) = split_path(value);
            let read = match statement {
                [] => Err(FieldDefect::NoStatement),
                statement => VocabularyStatement::parse(statement, vocabulary),
            };
            let answers = read.map_or(Answers::UNKNOWN, |statement| statement.answers(vocabulary));
            (
                line,
                path,
                Stated {
                    answers,
                    noes: further_noes(statement, vocabulary),
                    flaw: read.err(),
                },
            )
        };
        Self {
            rules: PathRules::new(lines.into_iter().map(read)),
        }
    }

    /// Returns what the rules state for a path that may be crawled.
    ///
    /// draft-ietf-aipref-attach-03, Content-Usage Rule Semantics: the rules with the longest matching path count, and no
    /// shorter one, not even for labels that the longest leave open. Rules with identical paths "apply separately" and are
    /// combined. Ours: so are rules whose paths differ but are equally long, and rules that do not conflict.
    pub fn answers(&self, path: &UrlPath) -> Answers {
        self.longest(path)
            .into_iter()
            .fold(Answers::UNKNOWN, |all, rule| all.and(&rule.stated.answers))
    }

    pub fn longest(&self, path: &UrlPath) -> Vec<&PathRule<Stated>> {
        self.rules.longest(Some(path))
    }

    /// Returns the flaw of a deciding rule that hides a shorter rule which states something: a slip may have lost a preference.
    pub fn hiding_flaw(&self, path: &UrlPath) -> Option<FieldDefect> {
        let flaw = self
            .longest(path)
            .into_iter()
            .find_map(|rule| rule.stated.flaw)?;
        let hides = self
            .rules
            .shorter(path)
            .any(|rule| rule.stated.answers != Answers::UNKNOWN);
        hides.then_some(flaw)
    }

    pub fn preferences(&self, page: &Page<'_>, viewpoint: &Viewpoint) -> PagePreferences {
        let vocabulary = &viewpoint.vocabulary;
        let stated = page
            .path
            .map_or(Answers::UNKNOWN, |path| self.answers(path));
        let header = header_statement(&header_lines(page.fields, &[CONTENT_USAGE]), vocabulary);
        let metas = meta_noes(page.fields, vocabulary).map(|(_, noes)| noes);
        PagePreferences {
            header: header
                .map(|read| read.map_or(Answers::UNKNOWN, |header| header.answers(vocabulary))),
            metas: metas.reduce(|all, one| all.and(&one)),
            robots: (page.crawl != Preference::Disallow).then_some(stated),
        }
    }
}

pub(super) fn is_rule(record: &RobotsRecord<'_>) -> bool {
    record.kind == LineKind::ExtensionRule && record.is_named(CONTENT_USAGE)
}

/// Returns what the lines of the field state, `None` if the field did not come.
pub fn header_statement(
    lines: &[&[u8]],
    vocabulary: &Vocabulary,
) -> Option<Result<VocabularyStatement, FieldDefect>> {
    field_value(lines).map(|value| VocabularyStatement::parse(&value, vocabulary))
}

/// The metas are those named like the header field.
pub(super) fn meta_noes<'s, 'a>(
    fields: &'s [Field<'a>],
    vocabulary: &'s Vocabulary,
) -> impl Iterator<Item = (Field<'a>, Answers)> + use<'s, 'a> {
    twins(fields, &[CONTENT_USAGE]).filter_map(|field| {
        let statement = header_statement(&[field.value], vocabulary)?.ok()?;
        Some((field, statement.answers(vocabulary).noes()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::path_rules::lines_of;
    use Preference::{Allow, Disallow, Unknown};

    fn search(rules: &[&str], path: &str) -> (Preference, Vec<u32>, Option<&'static str>) {
        let vocabulary = Vocabulary::named("03").expect("a draft");
        let policy = AiprefPolicy::compile(
            (1..).zip(rules.iter().map(|rule| rule.as_bytes())),
            &vocabulary,
        );
        let path = UrlPath::new(path.as_bytes(), None);
        let preference = policy
            .answers(&path)
            .of(vocabulary.label("search").expect("a label"));
        (
            preference,
            lines_of(policy.longest(&path)),
            policy.hiding_flaw(&path).map(FieldDefect::as_str),
        )
    }

    #[test]
    fn aipref_attach_semantics_the_longest_paths_alone_apply_and_are_combined() {
        let rules = ["search=n", "/ bots=y", "/a train-ai=n", "/a/b search=n"];
        let equal = ["/*a search=y", "/b* search=n", "/cc bots=n"];
        for (rules, path, preference, lines) in [
            (&rules[..], "/x", Allow, &[2][..]),
            (&rules, "/a/x", Unknown, &[3]),
            (&rules, "/a/b", Disallow, &[4]),
            (&rules[..1], "/a/b", Disallow, &[1]),
            (&rules[3..], "/x", Unknown, &[]),
            (&[], "/x", Unknown, &[]),
            (
                &["/a search=y", "search=n", "/a bots=n"],
                "/a",
                Disallow,
                &[1, 3],
            ),
            (&["search=y", "train-ai=n"], "/a", Allow, &[1, 2]),
            (&equal, "/ba", Disallow, &[1, 2]),
            (&equal, "/aa", Allow, &[1]),
        ] {
            assert_eq!(
                search(rules, path),
                (preference, lines.to_vec(), None),
                "{rules:?} {path}"
            );
        }
    }

    #[test]
    fn local_longest_rule_without_a_readable_statement_hides_shorter_ones() {
        for (rules, path, lines, flaw) in [
            (
                &["search=n", "/a Search=y"][..],
                "/a",
                &[2][..],
                Some("key_case"),
            ),
            (&["search=n", "/a"], "/a", &[2], Some("no_statement")),
            // A sound rule beside it does not bring back the hidden one.
            (
                &["search=n", "/a train-ai=y", "/a search=n,"],
                "/a",
                &[2, 3],
                Some("not_dictionary"),
            ),
            // Nothing is hidden if the shorter rule does not match or states nothing.
            (&["/ab search=n", "/a x="], "/ac", &[2], None),
            (&["foo=n", "/a x="], "/a", &[2], None),
        ] {
            assert_eq!(
                search(rules, path),
                (Unknown, lines.to_vec(), flaw),
                "{rules:?}"
            );
        }
    }

    #[test]
    fn local_rules_have_their_flaws() {
        let vocabulary = Vocabulary::named("03").expect("a draft");
        let policy = AiprefPolicy::compile(
            [(7, &b"/a b c"[..]), (9, b""), (10, b"/a b c")],
            &vocabulary,
        );
        let rules = policy.rules.all().iter();
        let found: Vec<_> = rules
            .map(|rule| (&*rule.lines, rule.stated.flaw, rule.path.is_some()))
            .collect();
        let defect = FieldDefect::NotADictionary { at_byte: 2 };
        assert_eq!(
            found,
            [
                (&[7, 10][..], Some(defect), true),
                (&[9], Some(FieldDefect::NoStatement), false)
            ]
        );
    }

    #[test]
    fn aipref_vocab_combining_preferences_of_header_and_robots() {
        let viewpoint = Viewpoint::default();
        let (vocabulary, path) = (&viewpoint.vocabulary, UrlPath::new(b"/", None));
        for (header, crawl, robots, expected) in [
            (Some("search=y"), Allow, "bots=n", Some(Disallow)),
            (Some("search=n"), Allow, "search=y", Some(Disallow)),
            (Some("train-ai=n"), Allow, "search=y", Some(Allow)),
            (None, Unknown, "", Some(Unknown)),
            // A closed path has the header only.
            (Some("search=y"), Disallow, "search=n", Some(Allow)),
            (None, Disallow, "search=n", None),
            // Ours: an empty dictionary states nothing, and neither does a broken one; both count as sent.
            (Some(""), Disallow, "search=n", Some(Unknown)),
            (Some("Search=n"), Disallow, "search=n", Some(Unknown)),
        ] {
            let fields = header.map(|value| Field::header(CONTENT_USAGE, value.as_bytes()));
            let page = Page {
                path: Some(&path),
                crawl,
                fields: fields.as_slice(),
                ..Page::default()
            };
            let policy = AiprefPolicy::compile([(1, robots.as_bytes())], vocabulary);
            let answers = policy.preferences(&page, &viewpoint).combined();
            let label = vocabulary.label("search").expect("a label");
            assert_eq!(
                answers.map(|answers| answers.of(label)),
                expected,
                "{header:?} {robots}"
            );
        }
    }

    /// RFC 9651 4.2 also lets a value be split over lines; joined, it is whole again.
    #[test]
    fn rfc9651_4_2_lines_are_one_dictionary() {
        let vocabulary = Vocabulary::named("03").expect("a draft");
        for (lines, expected) in [
            (&[][..], None),
            (&[""], Some(true)),
            (&[" \t"], Some(true)),
            (&["\ttrain-ai=n\t", " search=y"], Some(true)),
            (&["train-ai=n", ""], Some(false)),
            (&["train-ai=n", "Search=y"], Some(false)),
            (&["foo=\"a", "b\", search=n"], Some(true)),
        ] {
            let lines: Vec<&[u8]> = lines.iter().map(|line: &&str| line.as_bytes()).collect();
            assert_eq!(
                header_statement(&lines, &vocabulary).map(|read| read.is_ok()),
                expected,
                "{lines:?}"
            );
        }
    }
}
