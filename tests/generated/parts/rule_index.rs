//! The index of `docs/rules`: under which heading of which file each id is defined.

use std::fmt::Write as _;
use std::fs;

const FOLDER: &str = "docs/rules";

/// Returns the index as a table.
pub fn index() -> String {
    let mut text = "| ids | where |\n|---|---|\n".to_owned();
    let contents = fs::read_to_string(format!("{FOLDER}/README.md")).expect("the contents");
    let files = contents
        .lines()
        .filter_map(|line| {
            line.strip_prefix("| [")?
                .split_once("](")?
                .1
                .split_once(')')
        })
        .map(|(file, _)| file)
        .filter(|file| !file.contains('#'));
    for file in files {
        let rules = fs::read_to_string(format!("{FOLDER}/{file}")).expect(file);
        for section in sections(&rules) {
            let Section { heading, ids } = section;
            let link = format!("{file}#{}", anchor(heading));
            writeln!(text, "| {} | [{heading}]({link}) |", ranges(&ids)).expect("a text grows");
        }
    }
    text
}

/// A heading and the ids that are defined below it.
struct Section<'t> {
    heading: &'t str,
    ids: Vec<Id<'t>>,
}

#[derive(Clone, Copy)]
struct Id<'t> {
    prefix: &'t str,
    number: u32,
}

/// Returns the headings that have rules.
fn sections(text: &str) -> Vec<Section<'_>> {
    let mut found: Vec<Section<'_>> = Vec::new();
    for line in text.lines() {
        if line.starts_with('#') {
            let heading = line.trim_start_matches('#').trim();
            found.push(Section {
                heading,
                ids: Vec::new(),
            });
        } else if let Some(section) = found.last_mut() {
            section.ids.extend(defined(line));
        }
    }
    found.retain(|section| !section.ids.is_empty());
    found
}

/// Returns the id that a line defines: a list item that begins with it.
fn defined(line: &str) -> Option<Id<'_>> {
    let (id, _) = line.strip_prefix("- **")?.split_once("**")?;
    let (prefix, number) = id.rsplit_once('-')?;
    let number = number.parse().ok()?;
    Some(Id { prefix, number })
}

/// Returns ids in words, those that follow each other as one: `REP-1 to REP-9, REP-11`.
fn ranges(ids: &[Id<'_>]) -> String {
    let runs = ids.chunk_by(|one, next| one.prefix == next.prefix && one.number + 1 == next.number);
    let run_in_words = |run: &[Id<'_>]| match run {
        [] => String::new(),
        [one] => format!("{}-{}", one.prefix, one.number),
        [first, .., last] => {
            let prefix = first.prefix;
            format!("{prefix}-{} to {prefix}-{}", first.number, last.number)
        }
    };
    runs.map(run_in_words).collect::<Vec<_>>().join(", ")
}

/// Returns the anchor of a heading, as forges and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}
