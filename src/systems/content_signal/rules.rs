//! Several lines together, for one path.
//!
//! Example: of `search=yes`, `ai-input=no` and `/blog/ ai-train=no` the first two add up for most
//! pages, and those under `/blog/` have the third alone.
//! Left out: which lines hold for a crawler (`system`).

use super::member::{SignalMeaning, members};
use super::stated::StatedSignals;
use crate::systems::path_rules::{PathRule, PathRules, lines_of, split_path};
use crate::web::path_pattern::UrlPath;

/// A `Content-Signal` line that holds for the crawler, or one of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalLine<'a> {
    /// The line in the robots.txt, from 1; `None` in a header.
    pub line: Option<u32>,
    /// What is after the colon.
    pub value: &'a [u8],
}

fn read(text: &[u8]) -> StatedSignals {
    members(text).fold(StatedSignals::NOTHING, |sum, member| match member.meaning {
        SignalMeaning::Stated(category, preference) => sum.with(category, preference),
        SignalMeaning::Usage(usage) => sum.with_usage(usage),
        SignalMeaning::LabelOfOtherSystem(_) | SignalMeaning::UnknownValue(_) | SignalMeaning::UnknownKey => {
            sum
        }
    })
}

/// Lines, compiled.
#[derive(Clone, Debug, Default)]
pub struct ContentSignals {
    rules: PathRules<StatedSignals>,
}

impl ContentSignals {
    /// Compiles lines in the order of the file or of the header.
    pub fn compile<'a>(lines: impl IntoIterator<Item = SignalLine<'a>>) -> Self {
        let rules = lines.into_iter().map(|line| {
            let (path, text) = split_path(line.value);
            (line.line.unwrap_or(0), path, read(text))
        });
        Self { rules: PathRules::new(rules) }
    }

    /// Returns what the lines with the longest path that matches state, and no shorter one; a line
    /// without a path is the shortest.
    ///
    /// Ours: paths that differ but are equally long count together, and a line that says nothing
    /// which can be read still hides shorter ones; both are so for `Content-Usage`.
    pub fn stated(&self, path: Option<&UrlPath>) -> StatedSignals {
        self.rules.longest(path).into_iter().fold(StatedSignals::NOTHING, |all, rule| all.and(rule.stated()))
    }

    /// Returns the lines in the robots.txt that state it, in order.
    pub fn lines(&self, path: &UrlPath) -> Vec<u32> {
        lines_of(self.rules.longest(Some(path)))
    }

    /// Returns the rules that decide for a path.
    pub fn longest(&self, path: &UrlPath) -> Vec<&PathRule<StatedSignals>> {
        self.rules.longest(Some(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::content_signal::{Category, Use};
    use crate::web::preference::Preference;

    fn decide(lines: &[&str], path: &str) -> (StatedSignals, Vec<u32>) {
        let lines = (1..).zip(lines);
        let lines = lines.map(|(line, value)| SignalLine { line: Some(line), value: value.as_bytes() });
        let (rules, path) = (ContentSignals::compile(lines), UrlPath::new(path.as_bytes(), None));
        (rules.stated(Some(&path)), rules.lines(&path))
    }

    #[test]
    fn live_2_only_the_longest_matching_path_counts() {
        let lines = ["search=yes", "/b ai-train=no", "ai-input=no", "/* ai-train=yes", "/b use=full"];
        let no = StatedSignals::NOTHING.with(Category::AiTrain, Preference::Disallow).with_usage(Use::Full);
        assert_eq!(decide(&lines, "/b/c"), (no, vec![2, 4, 5]));
        assert_eq!(decide(&lines, "/x").1, [4]);
        let both = StatedSignals::NOTHING.with(Category::Search, Preference::Allow);
        let both = both.with(Category::AiInput, Preference::Disallow);
        assert_eq!(decide(&lines[..3], "/x"), (both, vec![1, 3]));
        assert_eq!(decide(&["/b search=no"], "/x"), (StatedSignals::NOTHING, vec![]));
    }

    #[test]
    fn local_a_page_without_a_path_has_the_lines_without_one() {
        let lines =
            ["search=no", "/ search=yes"].map(|value| SignalLine { line: None, value: value.as_bytes() });
        let rules = ContentSignals::compile(lines);
        assert_eq!(rules.stated(None).of(Category::Search), Preference::Disallow);
    }
}
