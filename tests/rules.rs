//! Every rule id that the project cites is defined in `docs/rules`, exactly once.
//!
//! Example: a comment with `REP-12` needs a list item there that starts with `- **REP-12**`.
//! Ids are searched for in the sources, tests, benches, examples, queries and documentation. Only ids with a
//! prefix that the file defines count, so that `UTF-8` and `SHA-1` are not taken for rules.
//! Left out: ids in lower case in the names of tests, and short forms such as the second id in "REP-1, -2".

use crawlprefs::verdict::account::Fate;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Where the rules are defined.
const RULES: &str = "docs/rules";

/// Files and folders that cite rules. Those that do not exist are skipped.
const CITING: [&str; 8] = [
    "src",
    "tests",
    "benches",
    "examples",
    "queries",
    "docs",
    "README.md",
    "CONTRIBUTING.md",
];

/// Returns the rules of all files, one file after the other.
fn rules() -> String {
    let files = fs::read_dir(RULES).expect("the folder of the rules can be read");
    let texts = files.map(|file| fs::read_to_string(file.expect("a file").path()));
    texts.map(|text| text.expect("text")).collect()
}

/// Splits an id into its prefix and its number: `AMB-REP-4` into `AMB-REP` and `4`.
fn split_id(word: &str) -> Option<(&str, &str)> {
    let (prefix, number) = word.rsplit_once('-')?;
    let is_prefix = prefix
        .split('-')
        .all(|part| !part.is_empty() && part.bytes().all(is_upper_case));
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_prefix && is_number).then_some((prefix, number))
}

fn is_upper_case(byte: u8) -> bool {
    byte.is_ascii_uppercase()
}

/// Returns the ids that a text defines, in their order, repeats included.
fn defined(text: &str) -> Vec<&str> {
    let items = text
        .lines()
        .filter_map(|line| line.strip_prefix("- **")?.split_once("**"));
    items
        .map(|(id, _)| id)
        .filter(|id| split_id(id).is_some())
        .collect()
}

/// Returns the prefixes of the defined ids.
fn prefixes<'t>(ids: &[&'t str]) -> BTreeSet<&'t str> {
    ids.iter()
        .filter_map(|id| split_id(id))
        .map(|(prefix, _)| prefix)
        .collect()
}

/// Returns every id in a text that has one of the prefixes.
///
/// A word consists of letters, digits, `_` and `-`, so that `AMB-REP-4` is not also `REP-4`.
fn cited<'t>(text: &'t str, prefixes: &BTreeSet<&str>) -> impl Iterator<Item = &'t str> {
    let is_between = |char: char| !(char.is_ascii_alphanumeric() || matches!(char, '_' | '-'));
    let words = text.split(is_between).map(|word| word.trim_matches('-'));
    words.filter(|word| split_id(word).is_some_and(|(prefix, _)| prefixes.contains(prefix)))
}

/// Collects the files below a path, except for build folders and the rules.
fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        if path.ends_with("target") || path == Path::new(RULES) {
            return;
        }
        for entry in fs::read_dir(path).expect("a folder can be read") {
            files(
                &entry.expect("an entry of a folder can be read").path(),
                found,
            );
        }
    } else if path.is_file() {
        found.push(path.to_owned());
    }
}

/// Returns each cited id with a file that cites it. Files that are not UTF-8 are skipped as binary.
fn citations(prefixes: &BTreeSet<&str>) -> BTreeMap<String, PathBuf> {
    let mut paths = Vec::new();
    for path in CITING {
        files(Path::new(path), &mut paths);
    }
    paths.sort();
    let mut citations = BTreeMap::new();
    for path in paths {
        let Ok(text) = String::from_utf8(fs::read(&path).expect("a file can be read")) else {
            continue;
        };
        for id in cited(&text, prefixes) {
            citations
                .entry(id.to_owned())
                .or_insert_with(|| path.clone());
        }
    }
    citations
}

#[test]
fn local_no_rule_is_defined_twice() {
    let rules = rules();
    let ids = defined(&rules);
    let mut seen = BTreeSet::new();
    let twice: Vec<&str> = ids.iter().copied().filter(|id| !seen.insert(*id)).collect();
    assert!(twice.is_empty(), "defined twice in {RULES}: {twice:?}");
    assert!(
        ids.len() > 100,
        "found {} definitions in {RULES}, expected more than 100",
        ids.len()
    );
}

#[test]
fn local_every_cited_rule_is_defined() {
    let rules = rules();
    let ids = defined(&rules);
    let citations = citations(&prefixes(&ids));
    let undefined: Vec<_> = citations
        .iter()
        .filter(|(id, _)| !ids.contains(&id.as_str()))
        .collect();
    assert!(
        undefined.is_empty(),
        "cited, but not defined in {RULES}: {undefined:?}"
    );
    assert!(
        citations.len() > 50,
        "found {} cited rules, expected more than 50",
        citations.len()
    );
}

#[test]
fn local_rules_cite_only_rules_that_are_defined() {
    let rules = rules();
    let ids = defined(&rules);
    let undefined: Vec<&str> = cited(&rules, &prefixes(&ids))
        .filter(|id| !ids.contains(id))
        .collect();
    assert!(
        undefined.is_empty(),
        "cited, but not defined in {RULES}: {undefined:?}"
    );
}

/// Returns the places in the table of skipped bytes, row by row.
fn places_of_skipped_bytes(rules: &str) -> Vec<&str> {
    let section = rules
        .split("\n## The fates, place by place\n")
        .nth(1)
        .expect("the section is there");
    let section = section.split("\n#").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| row.split('`').next().unwrap_or_default())
        .collect()
}

#[test]
fn local_each_place_where_bytes_are_skipped_exists_and_says_what_marks_it() {
    let rules = rules();
    let places = places_of_skipped_bytes(&rules);
    let missing: Vec<&&str> = places
        .iter()
        .filter(|place| !Path::new(place).is_file())
        .collect();
    assert!(
        missing.is_empty(),
        "named in {RULES}, but not there: {missing:?}"
    );
    for folder in [
        "src/archive/",
        "src/evidence/",
        "src/robots/",
        "src/systems/",
        "src/verdict/",
    ] {
        assert!(
            places.iter().any(|place| place.starts_with(folder)),
            "{folder} has no row"
        );
    }
    let is_fate = |word: &str| {
        matches!(word, "no unit" | "not read") || Fate::ALL.iter().any(|fate| fate.as_str() == word)
    };
    let is_answered = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        cells.len() == 4
            && cells.iter().all(|cell| !cell.is_empty())
            && cells[2].split(", ").all(is_fate)
    };
    let open: Vec<&str> = rules
        .lines()
        .filter(|line| line.starts_with("| `src/") && !is_answered(line))
        .collect();
    assert!(open.is_empty(), "rows without an answer: {open:?}");
}

#[test]
fn local_ids_are_found_in_text() {
    let prefixes = BTreeSet::from(["AMB-REP", "REP", "LIVE"]);
    for (text, expected) in [
        (
            "REP-1 to REP-7, REP-14 … REP-19",
            &["REP-1", "REP-7", "REP-14", "REP-19"][..],
        ),
        (
            "// RULES LIVE-8: (AMB-REP-4); \"LIVE-1\",",
            &["LIVE-8", "AMB-REP-4", "LIVE-1"],
        ),
        ("REP-6...10, `REP-2`/-3", &["REP-6", "REP-2"]),
        (
            "UTF-8 SHA-1 WARC-1 XREP-1 REP-x REP- REP-1a rep-1 live_2_x A-REP-1 REP",
            &[],
        ),
    ] {
        assert_eq!(
            cited(text, &prefixes).collect::<Vec<_>>(),
            expected,
            "{text}"
        );
    }
}

#[test]
fn local_a_definition_is_a_list_item_that_starts_with_the_id() {
    let text = "- **REP-1** (RFC 9309)\n- **WS** is white space\nsee **REP-2**\n  - **REP-3**\n- **AMB-REP-1**";
    assert_eq!(defined(text), ["REP-1", "AMB-REP-1"]);
    assert_eq!(prefixes(&defined(text)), BTreeSet::from(["REP", "AMB-REP"]));
}

#[test]
fn local_each_file_of_the_rules_is_in_the_contents() {
    let contents = fs::read_to_string(format!("{RULES}/README.md")).expect("the contents");
    let files = fs::read_dir(RULES).expect("the folder of the rules can be read");
    let names = files.map(|file| file.expect("a file").file_name().into_string());
    let missing: Vec<String> = names
        .map(|name| name.expect("UTF-8"))
        .filter(|name| name != "README.md" && !contents.contains(&format!("]({name})")))
        .collect();
    assert!(missing.is_empty(), "not in {RULES}/README.md: {missing:?}");
}
