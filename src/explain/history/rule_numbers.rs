//! Numbers for the rules in two versions of a robots.txt, and for the lists of rules of agents.
//!
//! Example: `Disallow: /a` has the same number in both versions, on any line. Agents with equal lists have equal rules. Left
//! out: which agents have which groups (`agents`).

use crate::robots::{LineKind, RobotsRecord};
use crate::web::path_pattern::can_match;
use std::collections::HashMap;

/// The most rules of agents in several groups that are merged; beyond that, groups are compared one by one.
const MERGED_RULES: usize = 4 << 20;

/// The number of the empty list.
pub const NO_RULES: u32 = 0;
/// The number of the list with one rule that closes everything.
pub const EVERYTHING: u32 = 1;

/// The numbers of the rules of two files, equal if kind and pattern are, and of the lists of rules of agents.
#[derive(Default)]
pub struct RuleNumbers {
    patterns: HashMap<Vec<u8>, u32>,
    lists: HashMap<Vec<u32>, u32>,
    merged: usize,
}

impl RuleNumbers {
    /// Returns an even number for an allow, the next one for a disallow of its pattern; `None` for lines that match nothing.
    pub fn of(&mut self, record: &RobotsRecord<'_>) -> Option<u32> {
        let closes = match record.kind {
            LineKind::Allow => 0,
            LineKind::Disallow => 1,
            LineKind::UserAgent | LineKind::ExtensionRule | LineKind::Other => return None,
        };
        if !can_match(record.value) {
            return None;
        }
        let next = u32::try_from(self.patterns.len()).unwrap_or(u32::MAX / 4);
        let number = *self
            .patterns
            .entry(record.pattern().as_bytes().to_vec())
            .or_insert(next);
        Some(number.saturating_mul(2) + closes)
    }

    /// Returns the number of the list of rules of some groups.
    pub fn of_groups(&mut self, groups: &[Vec<u32>], places: &[u32]) -> u32 {
        let rules = |place: &u32| groups.get(*place as usize).map_or(0, Vec::len);
        self.merged += if places.len() > 1 {
            places.iter().map(rules).sum()
        } else {
            0
        };
        if self.merged <= MERGED_RULES {
            return self.of_list(deciding(groups, places));
        }
        let mut lists: Vec<u32> = places
            .iter()
            .map(|place| self.of_list(deciding(groups, &[*place])))
            .collect();
        lists.sort_unstable();
        lists.dedup();
        // No rule has this number.
        lists.push(u32::MAX);
        self.of_list(lists)
    }

    fn of_list(&mut self, rules: Vec<u32>) -> u32 {
        let next = u32::try_from(self.lists.len()).unwrap_or(u32::MAX / 4) + EVERYTHING + 1;
        *self.lists.entry(rules).or_insert(next)
    }
}

/// Returns the rules of groups that decide: of an allow and a disallow for one pattern, the allow (RFC 9309 2.2.2).
fn deciding(groups: &[Vec<u32>], places: &[u32]) -> Vec<u32> {
    let mut rules: Vec<u32> = places
        .iter()
        .filter_map(|place| groups.get(*place as usize))
        .flatten()
        .copied()
        .collect();
    rules.sort_unstable();
    rules.dedup();
    let mut last_allow = None;
    rules.retain(|rule| {
        let loses = rule % 2 == 1 && last_allow == Some(rule - 1);
        if rule % 2 == 0 {
            last_allow = Some(*rule);
        }
        !loses
    });
    rules
}
