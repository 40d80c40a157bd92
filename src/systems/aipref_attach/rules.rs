//! The robots.txt rule `Content-Usage`.
//!
//! Document: draft-ietf-aipref-attach-03, Robots Exclusion Protocol Content-Usage Rule.
//! Example: under `Content-Usage: train-ai=n` and `Content-Usage: /ai-ok/ train-ai=y` the page
//! `/ai-ok/test` has `train-ai=y`, and nothing else of the shorter rule.
//! Left out: lines and groups (`robots_txt`), and how paths match: a [`Pattern`] knows it.

use std::cmp::Reverse;

use super::without_white_space;
use crate::systems::aipref_vocab::{Answers, Defect, Statement, Vocabulary};
use crate::web::path_pattern::{PathPattern, UrlPath};

/// The path of a rule, by RFC 9309 2.2.2 and 2.2.3.
pub trait Pattern {
    /// The path and query of a page, ready to be compared.
    type Path: ?Sized;

    /// Reads the path of a rule, which starts with `/` and has neither SP nor HTAB.
    fn new(path: &[u8]) -> Self;

    /// Returns how long the path is, in octets after percent-encoding, wildcards included.
    fn octet_count(&self) -> usize;

    /// Returns whether a page is under the path.
    fn matches(&self, path: &Self::Path) -> bool;
}

impl Pattern for PathPattern {
    type Path = UrlPath;

    fn new(path: &[u8]) -> Self {
        Self::new(path)
    }

    fn octet_count(&self) -> usize {
        self.octet_count()
    }

    fn matches(&self, path: &UrlPath) -> bool {
        self.matches(path)
    }
}

/// A `Content-Usage` line of a group that holds for the crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleLine<'a> {
    /// The line in the robots.txt, from 1.
    pub line: u32,
    /// What stands after the colon, up to the line end or the comment.
    pub value: &'a [u8],
}

/// Splits the value of a `Content-Usage` line into its path and its statement.
///
/// draft-ietf-aipref-attach-03, Processing Content-Usage Rules: a value that starts with `/` has a
/// path, which "ends immediately before the first SP (U+20) or HTAB". Ours: white space around the
/// statement is dropped, as the grammar's `1*WS` wants; by the text alone a second blank or a tab
/// would spoil the dictionary.
#[must_use]
pub fn split_rule(value: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let value = without_white_space(value);
    if !value.starts_with(b"/") {
        return (None, value);
    }
    let end = value.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(value.len());
    let (path, statement) = value.split_at(end);
    (Some(path), without_white_space(statement))
}

/// Why a rule states nothing, although its author wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// There is no statement after the path. Ours: such a rule has an empty statement and counts; it
    /// gives authors a way to say that nothing is stated here.
    #[error("no statement")]
    NoStatement,
    /// The statement cannot be read. It is the statement that is void then, not the rule.
    #[error("{0}")]
    Unreadable(Defect),
}

impl Flaw {
    /// Returns the flaw's name in the tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoStatement => "no_statement",
            Self::Unreadable(defect) => defect.as_str(),
        }
    }
}

/// A rule, compiled.
#[derive(Clone, Debug)]
pub struct Rule<P> {
    line: u32,
    path: Option<P>,
    octets: usize,
    answers: Answers,
    flaw: Option<Flaw>,
}

impl<P: Pattern> Rule<P> {
    fn compile(rule: &RuleLine<'_>, vocabulary: &Vocabulary) -> Self {
        let (path, statement) = split_rule(rule.value);
        let (answers, flaw) = read(statement, vocabulary);
        let path = path.map(P::new);
        // draft-ietf-aipref-attach-03, Content-Usage Rule Semantics: "counting the number of bytes in
        // the encoded path"; an absent path has none.
        let octets = path.as_ref().map_or(0, P::octet_count);
        Self { line: rule.line, path, octets, answers, flaw }
    }

    fn matches(&self, path: &P::Path) -> bool {
        self.path.as_ref().is_none_or(|pattern| pattern.matches(path))
    }
}

impl<P> Rule<P> {
    /// Returns the line in the robots.txt, from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns the path, `None` where the rule is for all paths.
    #[must_use]
    pub fn path(&self) -> Option<&P> {
        self.path.as_ref()
    }

    /// Returns what the rule states, after fallback; all unknown where it has a flaw.
    #[must_use]
    pub fn answers(&self) -> &Answers {
        &self.answers
    }

    /// Returns why the rule states nothing.
    #[must_use]
    pub fn flaw(&self) -> Option<Flaw> {
        self.flaw
    }
}

fn read(statement: &[u8], vocabulary: &Vocabulary) -> (Answers, Option<Flaw>) {
    if statement.is_empty() {
        return (Answers::UNKNOWN, Some(Flaw::NoStatement));
    }
    match Statement::parse(statement, vocabulary) {
        Ok(statement) => (statement.answers(vocabulary), None),
        Err(defect) => (Answers::UNKNOWN, Some(Flaw::Unreadable(defect))),
    }
}

/// The `Content-Usage` rules that hold for one crawler, compiled by one vocabulary.
#[derive(Clone, Debug)]
pub struct ContentUsage<P> {
    /// Longest path first, then by line.
    rules: Vec<Rule<P>>,
}

impl<P: Pattern> ContentUsage<P> {
    /// Compiles the lines of the group, or of the groups that are merged into one.
    #[must_use]
    pub fn compile(lines: &[RuleLine<'_>], vocabulary: &Vocabulary) -> Self {
        let mut rules: Vec<Rule<P>> = lines.iter().map(|line| Rule::compile(line, vocabulary)).collect();
        rules.sort_by_key(|rule| (Reverse(rule.octets), rule.line));
        Self { rules }
    }

    /// Returns what the rules state for a path that may be crawled.
    ///
    /// draft-ietf-aipref-attach-03, Content-Usage Rule Semantics: the rules with the longest matching
    /// path, and no shorter one, not even for labels which the longest leave open. Rules with
    /// identical paths "apply separately" and are combined. Ours: so are rules whose paths differ but
    /// are equally long, and those which do not conflict.
    #[must_use]
    pub fn decide<'a>(&'a self, path: &'a P::Path) -> Decision<'a, P> {
        let first = self.rules.iter().position(|rule| rule.matches(path)).unwrap_or(self.rules.len());
        let (_, from_longest) = self.rules.split_at(first);
        let octets = from_longest.first().map_or(0, |rule| rule.octets);
        let (longest, shorter) =
            from_longest.split_at(from_longest.partition_point(|rule| rule.octets == octets));
        let mut decision = Decision { path, longest, shorter, answers: Answers::UNKNOWN };
        decision.answers = decision.rules().fold(Answers::UNKNOWN, |sum, rule| sum.and(&rule.answers));
        decision
    }
}

impl<P> ContentUsage<P> {
    /// Returns all rules, longest path first.
    #[must_use]
    pub fn rules(&self) -> &[Rule<P>] {
        &self.rules
    }
}

/// What the rules state for one path, and which of them.
#[derive(Debug)]
pub struct Decision<'a, P: Pattern> {
    path: &'a P::Path,
    /// The rules as long as the longest that matches; not all of them match.
    longest: &'a [Rule<P>],
    shorter: &'a [Rule<P>],
    answers: Answers,
}

impl<'a, P: Pattern> Decision<'a, P> {
    /// Returns the preferences: all unknown where no rule matches.
    #[must_use]
    pub fn answers(&self) -> Answers {
        self.answers
    }

    /// Returns the rules that decided, by line; none where no rule matches.
    pub fn rules(&self) -> impl Iterator<Item = &'a Rule<P>> + use<'a, P> {
        let path = self.path;
        self.longest.iter().filter(move |rule| rule.matches(path))
    }

    /// Returns the flaw of a rule that decided, if it hides a shorter rule that states something: then
    /// a slip of the pen may have dropped a preference.
    #[must_use]
    pub fn hiding_flaw(&self) -> Option<Flaw> {
        let flaw = self.rules().find_map(Rule::flaw)?;
        let hides =
            self.shorter.iter().any(|rule| rule.answers != Answers::UNKNOWN && rule.matches(self.path));
        hides.then_some(flaw)
    }
}

#[cfg(test)]
mod tests;
