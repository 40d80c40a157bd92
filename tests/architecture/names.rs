//! The names of types: one that several files give to types of their own says too little.
//!
//! Example: `Line` was a line of a robots.txt, of a log and of a list. A type whose name recurs takes the noun of its folder
//! (`ManagedLine`); those that recur still are listed with how often, and each that goes is struck off the list.

use crate::source::sources;
use std::collections::BTreeMap;

/// Names that more than two types have, and how many have them.
const RECURRING: &[(&str, usize)] = &[
    ("Answer", 4),
    ("Capture", 3),
    ("Column", 3),
    ("Decision", 3),
    ("Entry", 3),
    ("Extent", 3),
    ("Fault", 3),
    ("Format", 3),
    ("Group", 3),
    ("Host", 3),
    ("Input", 3),
    ("Label", 3),
    ("Line", 3),
    ("Lines", 4),
    ("Outcome", 3),
    ("Part", 4),
    ("Pieces", 3),
    ("Rules", 3),
    ("Source", 3),
    ("State", 4),
    ("Tally", 3),
];

/// Returns how many types of each name there are; test modules and types of traits do not count.
fn names() -> BTreeMap<String, usize> {
    let mut names = BTreeMap::new();
    for source in sources() {
        let text = source.text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in text.lines().filter(|line| !line.starts_with(' ')) {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            let line = line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub(super) ")).unwrap_or(line);
            let keywords = ["struct ", "enum ", "trait ", "type "];
            let Some(rest) = keywords.iter().find_map(|keyword| line.strip_prefix(keyword)) else { continue };
            let name: String = rest.chars().take_while(|letter| letter.is_alphanumeric()).collect();
            *names.entry(name).or_default() += 1;
        }
    }
    names
}

#[test]
fn local_names_of_types_that_recur_are_listed() {
    let names = names();
    assert!(names.len() > 400, "{} names", names.len());
    let recurring = names.iter().filter(|(_, count)| **count > 2);
    let recurring: Vec<(&str, usize)> = recurring.map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(recurring, RECURRING);
}
