//! `-h` and `--help`: what is together under which heading, and how long it is.

use crate::command::done;
use std::collections::BTreeMap;
use std::path::Path;

/// All commands that have options of their own to arrange.
fn commands() -> Vec<String> {
    let help = done(Path::new("."), &["--help"]).out;
    let list = help
        .split("Commands:\n")
        .nth(1)
        .expect("commands")
        .split("\n\n")
        .next()
        .expect("their end");
    let name = |line: &str| {
        line.strip_prefix("  ")?
            .split(' ')
            .next()
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
    };
    list.lines()
        .filter_map(name)
        .filter(|name| name != "help")
        .collect()
}

/// Returns the flags of a command by their names, each with its heading, as the help shows them.
fn headings(command: &str, flag: &str) -> BTreeMap<String, String> {
    let mut heading = String::new();
    let mut found = BTreeMap::new();
    for line in done(Path::new("."), &[command, flag]).out.lines() {
        if let Some(name) = line.strip_suffix(':').filter(|_| !line.starts_with(' ')) {
            name.clone_into(&mut heading);
        }
        let names = line.trim_start();
        if line.starts_with(' ') && names.starts_with('-') && line.len() - names.len() <= 6 {
            let long = names
                .split([' ', ',', '='])
                .find(|word| word.starts_with("--"));
            found.extend(long.map(|long| (long.to_owned(), heading.clone())));
        }
    }
    found
}

#[test]
fn local_each_flag_is_under_the_heading_that_says_what_it_is_about() {
    let mut all = BTreeMap::<String, BTreeMap<String, String>>::new();
    for command in commands() {
        let found = headings(&command, "--help");
        let unsorted = found
            .values()
            .filter(|heading| *heading == "Options")
            .count();
        assert!(
            unsorted <= 13,
            "{command}: {unsorted} flags are under Options: {found:?}"
        );
        for (flag, heading) in found {
            all.entry(flag)
                .or_default()
                .insert(command.clone(), heading);
        }
    }
    for (flag, by_command) in &all {
        let mut of_all = by_command.values().collect::<Vec<_>>();
        of_all.dedup();
        // `judge --url` names a column, and the others a page.
        assert!(
            of_all.len() == 1 || flag == "--url",
            "{flag}: {by_command:?}"
        );
    }
    let heading = |command: &str, flag: &str| all[flag][command].as_str();
    for (heading_of, flags) in [
        (
            "A part of the work",
            &["--slice", "--limit", "--sample"][..],
        ),
        ("Earlier calls", &["--again", "--recheck", "--verify"]),
        ("Servers and stores", &["--no-sign-request", "--retries"]),
        (
            "Web servers",
            &["--user-agent", "--request-rate", "--allow-private"],
        ),
        (
            "Messages and reports",
            &["--quiet", "--log-format", "--report", "--metrics"],
        ),
        (
            "Options",
            &[
                "--jobs",
                "--memory-limit",
                "--max-failed",
                "--dry-run",
                "--out",
            ],
        ),
    ] {
        for flag in flags {
            assert_eq!(heading("scan", flag), heading_of, "{flag}");
            assert_eq!(heading("run", flag), heading_of, "{flag}");
        }
    }
    // Evidence is in folders and stores.
    let with_web_servers: Vec<&str> = all["--request-rate"].keys().map(String::as_str).collect();
    assert_eq!(
        with_web_servers,
        [
            "explain", "extract", "history", "index", "judge", "run", "scan", "sites", "status"
        ]
    );
    assert_eq!(heading("resolve", "--segment"), "A part of the work");
    assert_eq!(
        (heading("resolve", "--jobs"), heading("resolve", "--agent")),
        ("Options", "Verdicts")
    );
    assert_eq!(
        (heading("judge", "--policy"), heading("judge", "--audit")),
        ("What is kept", "Columns and members of documents")
    );
}

#[test]
fn local_the_short_help_of_each_command_is_one_screen_and_names_the_long_one() {
    for command in commands() {
        // That of the Python package is its own.
        if command == "report" {
            continue;
        }
        let short = done(Path::new("."), &[&command, "-h"]).out;
        assert!(
            short.lines().count() <= 40,
            "{command}: {} lines\n{short}",
            short.lines().count()
        );
        assert!(
            short.contains(&format!("`crawlprefs {command} --help` has all options")),
            "{command}: {short}"
        );
        let (few, all) = (headings(&command, "-h"), headings(&command, "--help"));
        assert!(few.keys().all(|flag| all.contains_key(flag)), "{command}");
    }
    let few = headings("run", "-h");
    for flag in ["--out", "--paths-from", "--agent", "--jobs", "--dry-run"] {
        assert!(few.contains_key(flag), "{few:?}");
    }
    assert!(!few.contains_key("--recheck") && headings("run", "--help").contains_key("--recheck"));
}
