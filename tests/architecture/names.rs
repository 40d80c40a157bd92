//! The names of types: one that several files give to types of their own says too little.
//!
//! Example: `Line` was a line of a robots.txt, of a log and of a list. A type whose name recurs takes the noun of its folder
//! (`ManagedLine`).

use crate::source::sources;
use std::collections::BTreeMap;

/// So many names of two types there are today; with each that is mended, this becomes less. The aim is 49.
const MOST_TWICE: usize = 7;

/// Returns how many types of each name there are; test modules and types of traits do not count.
fn names() -> BTreeMap<String, usize> {
    let mut names = BTreeMap::new();
    for source in sources() {
        let text = source.text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in text.lines().filter(|line| !line.starts_with(' ')) {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            let line = line
                .strip_prefix("pub(crate) ")
                .or(line.strip_prefix("pub(super) "))
                .unwrap_or(line);
            let keywords = ["struct ", "enum ", "trait ", "type "];
            let Some(rest) = keywords
                .iter()
                .find_map(|keyword| line.strip_prefix(keyword))
            else {
                continue;
            };
            let name: String = rest
                .chars()
                .take_while(|letter| letter.is_alphanumeric())
                .collect();
            *names.entry(name).or_default() += 1;
        }
    }
    names
}

/// Two layers may have a word in common, such as the `Decision` about a page and the one about an archive; no third one.
#[test]
fn local_at_most_two_types_have_the_same_name() {
    let names = names();
    assert!(names.len() > 400, "{} names", names.len());
    let recurring: Vec<_> = names.iter().filter(|(_, count)| **count > 2).collect();
    assert!(
        recurring.is_empty(),
        "more than two types have these names: {recurring:?}"
    );
    let twice = names.values().filter(|count| **count == 2).count();
    assert!(
        twice <= MOST_TWICE,
        "{twice} names are those of two types: a new type takes the noun of its folder"
    );
    assert_eq!(
        twice, MOST_TWICE,
        "fewer names are those of two types: lower MOST_TWICE to {twice}"
    );
}
