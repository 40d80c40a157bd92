//! Several lines together, for one path.
//!
//! Example: of `search=yes`, `ai-train=yes` and `/blog/ ai-train=no` the first counts for every page, and for pages under
//! `/blog/` the third hides the second. Left out: which lines hold for a crawler (`system`).

use super::member::{SignalMeaning, members};
use super::stated::{Category, StatedSignals, Use};
use crate::systems::path_rules::{PathRule, PathRules, lines_of, split_path};
use crate::web::path_pattern::UrlPath;
use crate::web::preference::Preference;

/// A `Content-Signal` line that holds for the crawler, or one of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalLine<'a> {
    /// The line in the robots.txt, from 1; `None` in a header.
    pub line: Option<u32>,
    /// The text after the colon.
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

/// Compiled lines: for each key, the lines that state it.
#[derive(Clone, Debug, Default)]
pub struct ContentSignals {
    search: PathRules<Preference>,
    ai_input: PathRules<Preference>,
    ai_train: PathRules<Preference>,
    usage: PathRules<Use>,
}

impl ContentSignals {
    /// Compiles lines in the order of the file or of the header.
    pub fn compile<'a>(lines: impl IntoIterator<Item = SignalLine<'a>>) -> Self {
        let lines: Vec<(u32, Option<&[u8]>, StatedSignals)> = lines
            .into_iter()
            .map(|line| {
                let (path, text) = split_path(line.value);
                (line.line.unwrap_or(0), path, read(text))
            })
            .collect();
        let of = |category: Category| {
            let stated = lines.iter().map(|(line, path, stated)| (*line, *path, stated.of(category)));
            PathRules::new(stated.filter(|(.., preference)| *preference != Preference::Unknown))
        };
        let usage = lines.iter().filter_map(|(line, path, stated)| Some((*line, *path, stated.usage()?)));
        Self {
            search: of(Category::Search),
            ai_input: of(Category::AiInput),
            ai_train: of(Category::AiTrain),
            usage: PathRules::new(usage),
        }
    }

    /// Returns the lines that decide a category: those with the longest path that matches and states it; a line without a
    /// path is the shortest. Ours: paths that differ but are equally long count together, as for `Content-Usage`.
    pub fn of(&self, category: Category, path: Option<&UrlPath>) -> Vec<&PathRule<Preference>> {
        match category {
            Category::Search => self.search.longest(path),
            Category::AiInput => self.ai_input.longest(path),
            Category::AiTrain => self.ai_train.longest(path),
        }
    }

    /// Returns what the lines state, key by key.
    pub fn stated(&self, path: Option<&UrlPath>) -> StatedSignals {
        let categories = Category::ALL.into_iter().fold(StatedSignals::NOTHING, |all, category| {
            self.of(category, path).into_iter().fold(all, |all, rule| all.with(category, *rule.stated()))
        });
        self.usage.longest(path).into_iter().fold(categories, |all, rule| all.with_usage(*rule.stated()))
    }

    /// Returns the lines in the robots.txt that state something for the path, in order.
    pub fn lines(&self, path: &UrlPath) -> Vec<u32> {
        let categories = Category::ALL.into_iter().flat_map(|category| self.of(category, Some(path)));
        let mut lines = lines_of(categories);
        lines.extend(lines_of(self.usage.longest(Some(path))));
        lines.sort_unstable();
        lines.dedup();
        lines
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
    fn live_2_of_each_key_the_longest_matching_path_that_states_it_counts() {
        let lines = ["search=yes", "/b ai-train=no", "ai-input=no", "/* ai-train=yes", "/b use=full"];
        let open = StatedSignals::NOTHING.with(Category::Search, Preference::Allow);
        let open = open.with(Category::AiInput, Preference::Disallow);
        let train = |preference| open.with(Category::AiTrain, preference);
        assert_eq!(
            decide(&lines, "/b/c"),
            (train(Preference::Disallow).with_usage(Use::Full), vec![1, 2, 3, 4, 5])
        );
        assert_eq!(decide(&lines, "/x"), (train(Preference::Allow), vec![1, 3, 4]));
        assert_eq!(decide(&["ai-train=no", "/docs/ ai-input=no"], "/docs/a").1, [1, 2]);
        let longer = ["ai-train=no", "/docs/ ai-train=yes"];
        assert_eq!(decide(&longer, "/docs/a").0.of(Category::AiTrain), Preference::Allow);
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
