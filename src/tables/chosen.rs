//! Which tables resolving writes.
//!
//! Ours, as a list with commas: names alone choose these tables; with `+` and `-` before them they are added to
//! all tables, or left out of them. Examples: `pages,statements`; `-robots_agents`; `+robots_lines_full`. The words
//! for more of a table choose it, too.
//! Left out: the tables of evidence, from which resolving itself reads.

use super::{TABLES, Table};
use std::fmt;

/// Tables that are to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenTables {
    /// In the order of the documentation.
    names: Vec<&'static str>,
    /// Of the words for more, those that are in force.
    more: Vec<&'static str>,
}

/// Which lines `robots_lines` has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinesKept {
    /// All but user-agent, Allow, Disallow and Sitemap lines.
    Unusual,
    /// Every line that could be read.
    All,
}

/// The word that chooses `robots_lines` with every line.
const ALL_LINES: &str = "robots_lines_full";
/// The word that chooses `robots_agents` with the classes of the studies.
const STUDIES: &str = "studies";
/// The words that choose a table with more in it, and the table.
const MORE: [(&str, &str); 2] = [(ALL_LINES, "robots_lines"), (STUDIES, "robots_agents")];

/// Why a list chooses no tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTables(String);

impl fmt::Display for NotTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = of_resolve().collect();
        write!(f, "{}, expected some of {}, {ALL_LINES}, {STUDIES}", self.0, names.join(", "))
    }
}

impl std::error::Error for NotTables {}

impl Default for ChosenTables {
    fn default() -> Self {
        Self { names: of_resolve().collect(), more: Vec::new() }
    }
}

impl ChosenTables {
    /// Reads a list.
    ///
    /// # Errors
    /// [`NotTables`], with what was found.
    pub fn read(list: &str) -> Result<Self, NotTables> {
        let items: Vec<(Option<char>, &str)> = list.split(',').map(|item| sign(item.trim())).collect();
        let mut chosen = Self::default();
        if items.iter().any(|(sign, _)| sign.is_none()) {
            chosen.names.clear();
        }
        for (sign, word) in items {
            let more = MORE.iter().find(|(more, _)| *more == word);
            let name = more.map_or(word, |(_, table)| table);
            let name = of_resolve().find(|known| *known == name);
            let name = name.ok_or_else(|| NotTables(format!("found `{word}`")))?;
            chosen.names.retain(|known| *known != name);
            if sign != Some('-') {
                chosen.names.push(name);
                chosen.more.extend(more.map(|(more, _)| more));
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
    #[must_use]
    pub fn has(&self, table: &Table) -> bool {
        self.names.contains(&table.name)
    }

    /// Returns the tables' names, in the order of the documentation.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().copied()
    }

    /// Returns which lines `robots_lines` has.
    #[must_use]
    pub fn lines(&self) -> LinesKept {
        if self.more.contains(&ALL_LINES) { LinesKept::All } else { LinesKept::Unusual }
    }

    /// Returns whether `robots_agents` has the classes of the studies.
    #[must_use]
    pub fn has_studies(&self) -> bool {
        self.more.contains(&STUDIES)
    }
}

/// The list that chooses the same, in one way.
impl fmt::Display for ChosenTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |name| {
            let more = MORE.iter().find(|(more, table)| *table == name && self.more.contains(more));
            more.map_or(name, |(more, _)| *more)
        };
        f.write_str(&self.names().map(word).collect::<Vec<_>>().join(","))
    }
}

/// Returns the names of the tables that resolving makes.
fn of_resolve() -> impl Iterator<Item = &'static str> {
    TABLES.iter().filter(|table| table.folder == table.name).map(|table| table.name)
}

fn sign(item: &str) -> (Option<char>, &str) {
    match item.strip_prefix('+') {
        Some(word) => (Some('+'), word),
        None => item.strip_prefix('-').map_or((None, item), |word| (Some('-'), word)),
    }
}

#[cfg(test)]
mod tests {
    use super::{ChosenTables, LinesKept};

    #[test]
    fn local_lists_choose_add_and_leave_out() {
        let all = "pages,sites,robots,robots_agents,robots_lines,robots_lints,statements";
        assert_eq!(ChosenTables::default().to_string(), all);
        for (list, expected) in [
            (all, all),
            ("statements, pages", "pages,statements"),
            ("pages,pages", "pages"),
            ("-robots_agents,-robots_lints", "pages,sites,robots,robots_lines,statements"),
            (
                "+robots_lines_full",
                "pages,sites,robots,robots_agents,robots_lines_full,robots_lints,statements",
            ),
            ("robots_lines_full", "robots_lines_full"),
            ("+studies", "pages,sites,robots,studies,robots_lines,robots_lints,statements"),
            ("studies,robots", "robots,studies"),
            (
                "+studies,+robots_lines_full,-pages",
                "sites,robots,studies,robots_lines_full,robots_lints,statements",
            ),
            ("pages,+robots", "pages,robots"),
            ("pages,statements,-pages", "statements"),
        ] {
            assert_eq!(ChosenTables::read(list).expect(list).to_string(), expected, "{list}");
        }
        assert_eq!(ChosenTables::default().lines(), LinesKept::Unusual);
        assert!(!ChosenTables::default().has_studies());
        assert!(ChosenTables::read("+studies").expect("a list").has_studies());
    }

    #[test]
    fn local_a_choice_without_tables_is_refused() {
        for (list, found) in [
            ("", "found ``, "),
            ("page", "found `page`, "),
            ("captures", "found `captures`, "),
            ("pages,-pages", "no table is left, "),
        ] {
            let message = ChosenTables::read(list).expect_err(list).to_string();
            assert!(message.starts_with(found), "{message}");
            assert!(message.ends_with("statements, robots_lines_full, studies"), "{message}");
        }
    }
}
