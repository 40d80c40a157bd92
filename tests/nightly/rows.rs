//! Every row of the tables "What happens when" and "What an upgrade costs" of docs/nightly.md is tried by a test.

use std::collections::BTreeSet;
use std::fs;

/// What is tried, how its row begins, and the tests: a file and a function in it.
const ROWS: &[(&str, &[(&str, &str)])] = &[
    (
        "a kill, a reboot, an eviction",
        &[
            (
                "tests/job/evidence.rs",
                "local_killed_at_any_moment_the_next_call_goes_on",
            ),
            (
                "tests/nightly/report.rs",
                "local_a_stopped_call_says_so_in_report_and_log",
            ),
            (
                "tests/nightly/year.rs",
                "local_every_end_of_a_year_is_complete_or_refused_with_the_next_command",
            ),
        ],
    ),
    (
        "an archive behind a URL was replaced",
        &[
            (
                "tests/job/known.rs",
                "local_a_listing_decides_whether_an_archive_is_asked_for",
            ),
            (
                "tests/job/known.rs",
                "local_a_repaired_copy_of_a_damaged_archive_is_found_though_others_are_believed",
            ),
        ],
    ),
    (
        "an archive was damaged when it was scanned",
        &[
            (
                "tests/nightly/repair.rs",
                "local_a_good_copy_of_a_damaged_archive_is_read_though_it_has_the_same_length",
            ),
            (
                "tests/nightly/repair.rs",
                "local_a_worse_copy_of_a_damaged_archive_replaces_nothing",
            ),
        ],
    ),
    (
        "a byte of a table has changed",
        &[(
            "tests/nightly/status.rs",
            "local_status_finds_tables_that_are_stale_gone_or_changed",
        )],
    ),
    (
        "an old crawl is to make space",
        &[(
            "tests/nightly/year.rs",
            "local_every_end_of_a_year_is_complete_or_refused_with_the_next_command",
        )],
    ),
    (
        "you want to start an array job from scratch",
        &[(
            "tests/nightly/manners.rs",
            "local_overwrite_removes_what_crawlprefs_wrote_and_nothing_else",
        )],
    ),
    (
        "nothing of the below",
        &[(
            "tests/job/restart.rs",
            "local_neither_marks_nor_manifests_have_the_version_of_the_program",
        )],
    ),
    (
        "the noise list",
        &[(
            "tests/nightly/upgrade.rs",
            "local_another_format_is_refused_and_known_archives_are_not_read_again",
        )],
    ),
    (
        "the public suffix list",
        &[(
            "tests/nightly/upgrade.rs",
            "local_domains_are_computed_by_the_suffix_list_of_today",
        )],
    ),
    (
        "rules, drafts, agents table, schema of the tables",
        &[(
            "tests/nightly/upgrade.rs",
            "local_tables_of_other_rules_are_refused_with_the_difference_and_made_again_when_asked",
        )],
    ),
    (
        "the READ rules",
        &[(
            "tests/nightly/upgrade.rs",
            "local_archives_that_were_read_by_older_rules_are_counted_and_complete",
        )],
    ),
    (
        "the format of evidence",
        &[(
            "tests/nightly/upgrade.rs",
            "local_another_format_is_refused_and_known_archives_are_not_read_again",
        )],
    ),
];

#[test]
fn local_every_row_of_what_happens_when_is_tried() {
    let text = fs::read_to_string("docs/nightly.md").expect("the document");
    let part = text
        .split("## What happens when")
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next());
    let events: Vec<&str> = part
        .expect("the part")
        .lines()
        .filter_map(|line| line.strip_prefix("| "))
        .filter(|row| !row.starts_with("event |") && !row.starts_with("new in the release |"))
        .collect();
    for event in &events {
        let tried = ROWS
            .iter()
            .filter(|(begins, _)| event.starts_with(begins))
            .count();
        assert_eq!(tried, 1, "tests of the row {event:.80}");
    }
    assert_eq!(events.len(), ROWS.len(), "a row is no longer there");
    let tests: BTreeSet<_> = ROWS.iter().flat_map(|(_, tests)| tests.iter()).collect();
    for (file, test) in tests {
        let source = fs::read_to_string(file).unwrap_or_default();
        let is_there = ["fn ", "def "]
            .iter()
            .any(|word| source.contains(&format!("{word}{test}(")));
        assert!(is_there, "{file}: {test}");
    }
}
