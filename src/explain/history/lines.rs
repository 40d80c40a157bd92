//! The lines of a site file that one version has and the next one has not, where they are not rules for crawlers.
//!
//! Example: `Sitemap: https://a.example/new.xml` came. Comments, blank lines and the places of lines do not count; where a line of
//! robots.txt belongs to other agents than before, it does.
//! Left out: what the lines state; labels say so.

use super::clipped;
use crate::explain::robots_lines::RobotsLine;
use crate::robots::{LineKind, RobotsTxt};
use crate::web::capture_kind::CaptureKind;
use crate::web::lines::numbered_lines;
use crate::web::shown::shown;
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// The most lines of a list: a file may have any number of them.
const MAX_LINES: usize = 10;

/// Lines that came and went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LineChanges {
    /// The first of those that the earlier version has not.
    pub came: Vec<RobotsLine>,
    /// How many they are.
    pub came_count: usize,
    /// The first of those that the later version has not.
    pub went: Vec<RobotsLine>,
    /// How many they are.
    pub went_count: usize,
    /// Whether lines are for other agents, or in another order than before.
    pub moved: bool,
}

impl LineChanges {
    /// Returns whether anything changed.
    pub fn is_any(&self) -> bool {
        self.moved || self.came_count + self.went_count > 0
    }
}

/// A line that is read: its number, its text, and for whom it is.
pub type ReadLine<'f> = (u32, &'f [u8], Option<usize>);

/// Returns the lines of a robots.txt that are not user-agent, Allow or Disallow lines, each with a number for the names of its
/// group.
pub fn other_lines<'f>(robots: &'f RobotsTxt, groups: &mut GroupNumbers) -> Vec<ReadLine<'f>> {
    let others = robots.records().filter(|record| match record.kind {
        LineKind::UserAgent | LineKind::Allow | LineKind::Disallow => false,
        LineKind::ExtensionRule | LineKind::Other => true,
    });
    let mut last = None;
    let lines = others.map(|record| {
        let agents = record.group.map(|group| match last {
            Some((known, number)) if known == group => number,
            _ => {
                let number = groups.of(robots, group);
                last = Some((group, number));
                number
            }
        });
        (record.line, record.text, agents)
    });
    lines.collect()
}

/// Numbers of groups, alike where their names are.
#[derive(Default)]
pub struct GroupNumbers(HashMap<Vec<Vec<u8>>, usize>);

impl GroupNumbers {
    fn of(&mut self, robots: &RobotsTxt, group: usize) -> usize {
        let agents = robots.group(group).into_iter().flat_map(|group| group.agents());
        let mut names: Vec<Vec<u8>> = agents.map(|agent| agent.value.to_ascii_lowercase()).collect();
        names.sort_unstable();
        names.dedup();
        let next = self.0.len();
        *self.0.entry(names).or_insert(next)
    }
}

/// Returns the lines of another site file that are not comments; JSON has none that count by themselves.
pub fn lines_of(kind: CaptureKind, body: &[u8]) -> Vec<ReadLine<'_>> {
    let lines = numbered_lines(body).map(|(number, line)| (number, line.trim_ascii(), None));
    let is_comment = |line: &[u8]| line.is_empty() || !kind.is_json() && line.starts_with(b"#");
    lines.filter(|(_, line, _)| !is_comment(line)).collect()
}

/// Returns what the later lines change.
pub fn line_changes(before: &[ReadLine<'_>], after: &[ReadLine<'_>]) -> LineChanges {
    let texts =
        |lines: &[ReadLine<'_>]| lines.iter().map(|(_, text, _)| text.to_vec()).collect::<HashSet<_>>();
    let (old, new) = (texts(before), texts(after));
    let without = |lines: &[ReadLine<'_>], others: &HashSet<Vec<u8>>| {
        let mut known = HashSet::new();
        let own = lines.iter().filter(|(_, text, _)| !others.contains(*text) && known.insert(text.to_vec()));
        let own: Vec<_> = own.collect();
        let shown = own.iter().take(MAX_LINES).map(|(line, text, _)| {
            clipped(RobotsLine { line: *line, text: shown(text).into_owned(), managed_by: None })
        });
        (shown.collect::<Vec<_>>(), own.len())
    };
    let ((went, went_count), (came, came_count)) = (without(before, &new), without(after, &old));
    let in_both = |lines: &[ReadLine<'_>], others: &HashSet<Vec<u8>>| -> Vec<(Vec<u8>, Option<usize>)> {
        let common = lines.iter().filter(|(_, text, _)| others.contains(*text));
        let mut common: Vec<_> = common.map(|(_, text, agents)| (text.to_vec(), *agents)).collect();
        // Groups may change places.
        common.sort_by_key(|(_, agents)| *agents);
        common
    };
    let moved = in_both(before, &new) != in_both(after, &old);
    LineChanges { came, came_count, went, went_count, moved }
}
