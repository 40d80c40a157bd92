//! The tables that resolving writes.
//!
//! Ours, as a list with commas: plain names choose exactly these tables; names with `+` and `-` are added to all tables, or
//! left out. Examples: `pages,statements`; `-robots_agents`; `+robots_lines_full`. The word for all lines of a table also
//! chooses the table. Left out: the tables of evidence, which resolving itself reads, and `agent_sets`, which comes with
//! `sites`.

use super::agent_sets::AGENT_SETS;
use super::sites::SITES;
use super::{TABLES, Table};
use itertools::Itertools;
use std::fmt;

/// The tables to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenTables {
    /// In the order of the documentation.
    names: Vec<&'static str>,
    /// The lines that `robots_lines` has.
    pub lines: LinesKept,
}

/// The lines that `robots_lines` has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinesKept {
    /// All except user-agent, Allow, Disallow and Sitemap lines.
    Unusual,
    /// Every line that could be read.
    All,
}

/// The word that chooses `robots_lines` with every line.
const ALL_LINES: &str = "robots_lines_full";
const LINES: &str = "robots_lines";

/// Why a list chooses no tables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}, expected some of {known}, {ALL_LINES}", known = of_resolve().join(", "))]
pub struct NotTables(String);

impl Default for ChosenTables {
    fn default() -> Self {
        Self {
            names: of_resolve().collect(),
            lines: LinesKept::Unusual,
        }
    }
}

impl ChosenTables {
    /// Reads a list.
    pub fn read(list: &str) -> Result<Self, NotTables> {
        const SIGNS: [char; 2] = ['+', '-'];
        let items: Vec<&str> = list.split(',').map(str::trim).collect();
        let mut chosen = Self::default();
        if items.iter().any(|item| !item.starts_with(SIGNS)) {
            chosen.names.clear();
        }
        for item in items {
            let word = item.strip_prefix(SIGNS).unwrap_or(item);
            let name = if word == ALL_LINES { LINES } else { word };
            let name = of_resolve().find(|known| *known == name);
            let name = name.ok_or_else(|| NotTables(format!("found `{word}`")))?;
            chosen.names.retain(|known| *known != name);
            if !item.starts_with('-') {
                chosen.names.push(name);
                if word == ALL_LINES {
                    chosen.lines = LinesKept::All;
                }
            }
        }
        if chosen.names.is_empty() {
            return Err(NotTables("no table is left".to_owned()));
        }
        let place = |name: &&str| of_resolve().position(|known| known == *name);
        chosen.names.sort_by_key(place);
        Ok(chosen)
    }

    /// Returns whether a table is written.
    pub fn has(&self, table: &Table) -> bool {
        self.names.contains(&table.name)
    }

    /// Returns the names of all tables that are written, in the order of the documentation.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let sets = |name| (name == SITES.name).then_some(AGENT_SETS.name);
        self.names
            .iter()
            .flat_map(move |name| [Some(*name), sets(*name)])
            .flatten()
    }
}

/// The list that chooses the same, in one canonical way.
impl fmt::Display for ChosenTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |name| match self.lines {
            LinesKept::All if name == LINES => ALL_LINES,
            LinesKept::All | LinesKept::Unusual => name,
        };
        f.write_str(&self.names.iter().copied().map(word).join(","))
    }
}

fn of_resolve() -> impl Iterator<Item = &'static str> {
    let is_named = |table: &&&Table| table.folder == table.name && table.name != AGENT_SETS.name;
    TABLES.iter().filter(is_named).map(|table| table.name)
}

#[cfg(test)]
mod tests {
    use super::{ChosenTables, LinesKept};

    #[test]
    fn local_lists_choose_add_and_leave_out() {
        let all = "pages,sites,robots,robots_agents,robots_lines,robots_lints,statements";
        let without_pages = "sites,robots,robots_agents,robots_lines_full,robots_lints,statements";
        assert_eq!(ChosenTables::default().to_string(), all);
        for (list, expected) in [
            (all, all),
            ("statements, pages", "pages,statements"),
            ("pages,pages", "pages"),
            (
                "-robots_agents,-robots_lints",
                "pages,sites,robots,robots_lines,statements",
            ),
            ("+robots_lines_full", &format!("pages,{without_pages}")),
            ("robots_lines_full", "robots_lines_full"),
            ("+robots_lines_full,-pages", without_pages),
            ("pages,+robots", "pages,robots"),
            ("pages,statements,-pages", "statements"),
        ] {
            assert_eq!(
                ChosenTables::read(list).expect(list).to_string(),
                expected,
                "{list}"
            );
        }
        assert_eq!(ChosenTables::default().lines, LinesKept::Unusual);
    }

    #[test]
    fn local_a_choice_without_tables_is_refused() {
        for (list, found) in [
            ("", "found ``, "),
            ("page", "found `page`, "),
            ("captures", "found `captures`, "),
            ("+studies", "found `studies`, "),
            ("pages,-pages", "no table is left, "),
        ] {
            let message = ChosenTables::read(list).expect_err(list).to_string();
            assert!(message.starts_with(found), "{message}");
            assert!(
                message.ends_with("statements, robots_lines_full"),
                "{message}"
            );
        }
    }
}
