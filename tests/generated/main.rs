//! Files that are made from the code are as it would make them now.
//! `CRAWLPREFS_WRITE_GENERATED=1 cargo test --test generated` writes them.

mod parts;

use crawlprefs::systems::SYSTEMS;
use crawlprefs::verdict::AgentsTable;
use crawlprefs::web::capture_kind::CaptureKind;
use parts::{Part, index_of_rules, parts_of_agents, parts_of_systems};
use std::path::{Path, PathBuf};
use std::{env, fs};

#[test]
fn local_files_that_are_made_from_the_code_are_as_it_makes_them() {
    let parts = parts_of_systems()
        .into_iter()
        .chain(parts_of_agents())
        .chain([index_of_rules()]);
    for part in parts {
        let found = fs::read_to_string(part.file).unwrap_or_default();
        let wanted = part.put_into(&found);
        if env::var_os("CRAWLPREFS_WRITE_GENERATED").is_some() {
            fs::write(part.file, wanted).expect("the file is written");
        } else {
            assert!(
                found == wanted,
                "{}: CRAWLPREFS_WRITE_GENERATED=1 cargo test --test generated writes it",
                part.file
            );
        }
    }
}

/// Names in so many lines are a list.
const LINES_OF_A_LIST: usize = 4;

/// So many kinds of site files in these lines are a list: a system may cite another one.
const KINDS_OF_A_LIST: usize = 3;

/// A list that somebody wrote lacks the next system. The first file is the registry, the second one declares the kinds.
#[test]
fn local_no_other_place_lists_the_systems_with_site_files() {
    let made = parts_of_systems();
    let mut places: Vec<String> = ["src", "python", "queries"]
        .iter()
        .flat_map(|folder| files_below(Path::new(folder)))
        .filter(|file| has_a_list(&written_by_hand(file, &made)))
        .map(|file| file.display().to_string())
        .collect();
    places.sort();
    assert_eq!(places, ["src/systems/mod.rs", "src/web/capture_kind.rs"]);
}

/// Who adds an agent changes one line of `data/agents.tsv`.
#[test]
fn local_no_text_has_the_number_of_agents_but_by_what_is_made() {
    let count = AgentsTable::bundled().tokens().len();
    let named = ["tokens", "agents", "names", "crawlers"].map(|noun| format!("{count} {noun}"));
    let made = parts_of_agents();
    let texts = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(PathBuf::from);
    let folders = ["docs", "src", "python", "queries"];
    let files = folders
        .iter()
        .flat_map(|folder| files_below(Path::new(folder)));
    for file in texts.into_iter().chain(files) {
        let text = written_by_hand(&file, &made);
        let text = without_examples(&text);
        for words in &named {
            assert!(!text.contains(words), "{}: {words}", file.display());
        }
    }
}

/// Returns a document without what commands print, which tests/transcripts.rs writes.
fn without_examples(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Returns the text of a file without what is made, and without tests, which have cases of each kind.
fn written_by_hand(file: &Path, made: &[Part]) -> String {
    let is_tests = file.components().any(|part| part.as_os_str() == "tests");
    let is_manual = file.starts_with("python/crawlprefs.data");
    let text = fs::read_to_string(file).unwrap_or_default();
    if is_tests || is_manual {
        return String::new();
    }
    let made = made.iter().filter(|part| Path::new(part.file) == file);
    let text = made.fold(text, |text, part| text.replace(&part.text, ""));
    text.split("#[cfg(test)]")
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn has_a_list(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    lines
        .chunks(LINES_OF_A_LIST)
        .chain(lines.windows(LINES_OF_A_LIST))
        .any(|lines| {
            let lines = lines.concat();
            let named = CaptureKind::site_files()
                .filter(|kind| kind.is_beside_robots())
                .filter(|kind| names_of(*kind).any(|name| lines.contains(name)));
            named.count() >= KINDS_OF_A_LIST
        })
}

/// Returns the names of a kind, of its file, and of the systems that read it.
fn names_of(kind: CaptureKind) -> impl Iterator<Item = &'static str> {
    let systems = SYSTEMS
        .iter()
        .map(|system| system.about())
        .filter(move |about| about.site_file == Some(kind));
    kind.file_name()
        .into_iter()
        .chain(systems.map(|about| about.name))
}
