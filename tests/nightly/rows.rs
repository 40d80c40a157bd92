//! Every row of the tables "What happens when" and "What an upgrade costs" of docs/nightly.md is tried by a test.

use std::collections::BTreeSet;
use std::fs;

/// What is tried, how its row begins, and the tests: a file and a function in it.
const ROWS: &[(&str, &[(&str, &str)])] = &[
    (
        "an archive is half downloaded",
        &[("tests/job/evidence.rs", "local_a_cut_archive_is_read_again_when_it_is_whole")],
    ),
    ("the server has no such file", &[("tests/job/restart.rs", "local_a_failed_input_is_tried_again")]),
    (
        "an archive was deleted after its scan",
        &[(
            "tests/job/evidence.rs",
            "local_archives_scanned_one_at_a_time_and_deleted_are_as_one_run_over_all",
        )],
    ),
    (
        "another file has the name of a scanned archive",
        &[("tests/job/evidence.rs", "local_another_archive_of_a_name_is_refused_and_can_replace")],
    ),
    (
        "a kill, a reboot, an eviction",
        &[
            ("tests/job/evidence.rs", "local_killed_at_any_moment_the_next_call_goes_on"),
            ("tests/nightly/report.rs", "local_a_stopped_call_says_so_in_report_and_log"),
            (
                "tests/nightly/year.rs",
                "local_every_end_of_a_year_is_complete_or_refused_with_the_next_command",
            ),
        ],
    ),
    (
        "an archive behind a URL was replaced",
        &[
            ("tests/job/known.rs", "local_a_listing_decides_whether_an_archive_is_asked_for"),
            (
                "tests/job/known.rs",
                "local_a_repaired_copy_of_a_damaged_archive_is_found_though_others_are_believed",
            ),
        ],
    ),
    (
        "a manifest or a file of evidence in a bucket",
        &[("tests/job/known.rs", "local_missing_and_changed_evidence_is_found_though_archives_are_believed")],
    ),
    (
        "a second call while one is at work",
        &[
            ("examples/nightly/check", "check_lock"),
            ("tests/job/evidence.rs", "local_eight_slices_started_at_once_in_a_new_folder_are_all_whole"),
        ],
    ),
    (
        "the disk is full",
        &[("tests/job/inputs.rs", "local_a_full_disk_ends_the_job_with_nothing_half_written")],
    ),
    ("the server refuses (403)", &[("examples/nightly/check", "check_server")]),
    (
        "a subfolder of an input cannot be read",
        &[("tests/nightly/faults.rs", "local_a_subfolder_of_an_input_that_cannot_be_read_is_named")],
    ),
    (
        "the folder for temporary files is full",
        &[("tests/nightly/faults.rs", "local_a_full_folder_for_temporary_files_is_named_with_its_option")],
    ),
    (
        "a server or a bucket does not answer",
        &[
            ("tests/nightly/faults.rs", "local_a_remote_input_that_fails_is_named_with_its_host"),
            ("tests/remote/hosts.rs", "local_what_is_wrong_with_a_bucket_is_said_in_words"),
        ],
    ),
    (
        "a call was refused",
        &[("tests/nightly/report.rs", "local_report_and_metrics_are_written_at_every_end")],
    ),
    (
        "archives of a list are not read",
        &[("tests/nightly/status.rs", "local_status_counts_archives_of_the_list_and_says_what_is_next")],
    ),
    (
        "tables and evidence are in different folders",
        &[("tests/nightly/complete.rs", "local_evidence_is_found_from_another_folder_and_after_a_move")],
    ),
    (
        "a folder of evidence is not there",
        &[("tests/nightly/complete.rs", "local_every_folder_of_evidence_that_is_named_has_evidence")],
    ),
    (
        "`resolve A --overwrite`",
        &[
            ("tests/nightly/crawls.rs", "local_overwrite_removes_no_tables_that_cannot_be_made_again"),
            ("tests/nightly/crawls.rs", "local_a_dry_run_says_what_overwrite_removes"),
        ],
    ),
    (
        "archives that tables were made of are missing",
        &[("tests/nightly/complete.rs", "local_tables_are_not_made_again_of_fewer_archives_than_they_name")],
    ),
    (
        "a part of the tables was deleted",
        &[("tests/nightly/complete.rs", "local_whoever_reads_tables_refuses_them_where_a_part_is_gone")],
    ),
    (
        "an archive was damaged when it was scanned",
        &[
            (
                "tests/nightly/repair.rs",
                "local_a_good_copy_of_a_damaged_archive_is_read_though_it_has_the_same_length",
            ),
            ("tests/nightly/repair.rs", "local_a_worse_copy_of_a_damaged_archive_replaces_nothing"),
        ],
    ),
    (
        "an archive that is damaged in one folder of evidence",
        &[
            (
                "tests/nightly/repair.rs",
                "local_an_archive_that_was_repaired_on_another_machine_is_refused_with_the_next_command",
            ),
            (
                "tests/nightly/repair.rs",
                "local_of_two_machines_the_better_evidence_of_an_archive_counts_in_whatever_order",
            ),
        ],
    ),
    (
        "two folders of evidence have different whole files",
        &[(
            "tests/nightly/repair.rs",
            "local_two_whole_archives_of_one_name_are_refused_with_the_next_command",
        )],
    ),
    (
        "tables are to be written of complete segments only",
        &[(
            "tests/nightly/status.rs",
            "local_tables_of_an_incomplete_segment_are_not_written_where_its_list_is_required",
        )],
    ),
    (
        "a byte of a table has changed",
        &[("tests/nightly/status.rs", "local_status_finds_tables_that_are_stale_gone_or_changed")],
    ),
    (
        "an old crawl is to make space",
        &[(
            "tests/nightly/year.rs",
            "local_every_end_of_a_year_is_complete_or_refused_with_the_next_command",
        )],
    ),
    (
        "`resolve --segment` names a segment",
        &[("tests/nightly/complete.rs", "local_a_segment_without_evidence_is_an_error")],
    ),
    (
        "a damaged manifest or Parquet file in OUT",
        &[
            ("tests/job/evidence.rs", "local_damaged_evidence_is_named_and_the_next_scan_repairs_it"),
            (
                "tests/nightly/repair.rs",
                "local_evidence_of_other_bytes_is_found_where_it_is_verified_and_named_by_who_reads_it",
            ),
        ],
    ),
    (
        "an executor of a Spark cluster is lost",
        &[("python/tests/test_spark.py", "test_an_executor_that_dies_changes_nothing")],
    ),
    (
        "the name of an archive has a line feed",
        &[("python/tests/test_spark.py", "test_names_that_no_list_can_hold_are_archives")],
    ),
    (
        "you want to start an array job from scratch",
        &[("tests/nightly/manners.rs", "local_overwrite_removes_what_crawlprefs_wrote_and_nothing_else")],
    ),
    (
        "nothing of the below",
        &[("tests/job/restart.rs", "local_neither_marks_nor_manifests_have_the_version_of_the_program")],
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
        &[("tests/nightly/upgrade.rs", "local_domains_are_computed_by_the_suffix_list_of_today")],
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
    let part = text.split("## What happens when").nth(1).and_then(|rest| rest.split("\n## ").next());
    let events: Vec<&str> = part
        .expect("the part")
        .lines()
        .filter_map(|line| line.strip_prefix("| "))
        .filter(|row| !row.starts_with("event |") && !row.starts_with("new in the release |"))
        .collect();
    for event in &events {
        let tried = ROWS.iter().filter(|(begins, _)| event.starts_with(begins)).count();
        assert_eq!(tried, 1, "tests of the row {event:.80}");
    }
    assert_eq!(events.len(), ROWS.len(), "a row is no longer there");
    let tests: BTreeSet<_> = ROWS.iter().flat_map(|(_, tests)| tests.iter()).collect();
    for (file, test) in tests {
        let source = fs::read_to_string(file).unwrap_or_default();
        let is_there = ["fn ", "def "].iter().any(|word| source.contains(&format!("{word}{test}(")));
        assert!(is_there, "{file}: {test}");
    }
}
