//! The tour of CONTRIBUTING.md names files that exist, and words that are in them.

use std::fs;
use std::path::Path;

fn contributing() -> String {
    fs::read_to_string("CONTRIBUTING.md").expect("CONTRIBUTING.md")
}

/// Returns the texts between backticks, one line at a time.
fn in_backticks(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// Returns whether a file has a word, as text or as part of a name: `site file` is also `SiteFile` and `site_file`.
fn has_word(file: &str, word: &str) -> bool {
    let text = fs::read_to_string(file).expect("a file of the table");
    let spellings = [
        word.to_owned(),
        word.replace(' ', "_"),
        word.replace(' ', ""),
    ];
    let text = text.to_lowercase();
    spellings.iter().any(|spelling| text.contains(spelling))
}

#[test]
fn local_each_word_of_the_tour_is_in_the_files_that_it_names() {
    let text = contributing();
    let (_, behind) = text
        .split_once("| word | what it is | where |\n")
        .expect("the table of words");
    let rows = behind
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'));
    let mut words = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [word, _, places] = cells[..] else {
            panic!("{row}");
        };
        assert!(in_backticks(places).next().is_some(), "{word} has no file");
        for file in in_backticks(places) {
            assert!(has_word(file, word), "{word} is not in {file}");
        }
        words += 1;
    }
    assert!(words > 20, "{words} words");
}

/// A name in angle brackets is to be chosen.
#[test]
fn local_the_files_of_src_that_the_page_names_exist() {
    let text = contributing();
    let mut paths = 0;
    for named in in_backticks(&text) {
        if !named.starts_with("src/") || named.contains('<') {
            continue;
        }
        assert!(Path::new(named).exists(), "{named} does not exist");
        paths += 1;
    }
    assert!(paths > 30, "{paths} paths");
}
