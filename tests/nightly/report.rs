//! `--report`: what was asked for, what was done, and a line for each archive.

use crate::command::{crawlprefs, path, write_cut_archive};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn report(file: &str) -> Value {
    serde_json::from_slice(&fs::read(file).expect("a report")).expect("JSON")
}

fn lines(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(format!("{file}.archives.jsonl")).expect("lines");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect()
}

fn files_in(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn local_a_report_names_options_times_and_totals() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, file) = (
        path(folder.path(), "out"),
        path(folder.path(), "report.json"),
    );
    let args = [
        "run",
        "sample-data",
        "-o",
        &out,
        "-j",
        "1",
        "--report",
        &file,
        "--agent",
        "GPTBot",
        "-q",
    ];
    assert_eq!(crawlprefs(&args).status, 0);
    let first = report(&file);
    assert_eq!(
        (&first["command"], &first["outcome"]),
        (&"run".into(), &"finished".into())
    );
    assert_eq!(
        (&first["status"], &first["version"]),
        (&0.into(), &env!("CARGO_PKG_VERSION").into())
    );
    let options = &first["options"];
    assert_eq!(
        (&options["agent"], &options["jobs"], &options["quiet"]),
        (&"GPTBot".into(), &"1".into(), &true.into())
    );
    assert_eq!(
        (&options["inputs"][0], &options["verify"]),
        (&"sample-data".into(), &false.into())
    );
    assert_eq!(options["vocab"], "03");
    let (start, end) = (
        first["start"].as_str().expect("a time"),
        first["end"].as_str().expect("a time"),
    );
    assert!(start.ends_with('Z') && start <= end, "{start} {end}");
    let archives = lines(&file);
    assert_eq!(
        (archives.len(), &first["totals"]["archives_done"]),
        (7, &7.into())
    );
    for key in ["bytes", "records", "captures", "failures"] {
        let sum: u64 = archives.iter().filter_map(|line| line[key].as_u64()).sum();
        assert_eq!(first["totals"][key], sum, "{key}");
    }
    assert!(
        archives
            .iter()
            .all(|line| line["outcome"] == "read" && line["seconds"].is_number())
    );
    assert_eq!(first["resolve"]["pages"], 93);
    assert_eq!(crawlprefs(&args).status, 0);
    assert!(
        lines(&file)
            .iter()
            .all(|line| line["outcome"] == "known" && line["records"].as_u64() > Some(0))
    );
    let again = report(&file);
    assert_eq!(
        (&again["totals"]["records"], &again["archive_records"]),
        (&0.into(), &first["archive_records"])
    );
    assert_eq!(files_in(folder.path()), 3, "a temporary file is left");
}

#[test]
fn local_a_line_for_an_archive_that_failed_says_why() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, file, cut) = (
        path(folder.path(), "out"),
        path(folder.path(), "report"),
        path(folder.path(), "cut.warc"),
    );
    write_cut_archive(&cut);
    let ran = crawlprefs(&["scan", &cut, "README.md", "-o", &out, "--report", &file]);
    assert_eq!(ran.status, 3, "{}", ran.err);
    assert_eq!(
        (&report(&file)["status"], &report(&file)["outcome"]),
        (&3.into(), &"finished".into())
    );
    let mut archives = lines(&file);
    archives.sort_by_key(|line| line["archive"].to_string());
    assert_eq!(
        (&archives[0]["outcome"], &archives[0]["retry"]),
        (&"not_an_archive".into(), &false.into())
    );
    assert_eq!(
        (&archives[1]["outcome"], &archives[1]["retry"]),
        (&"cut".into(), &true.into())
    );
    assert!(archives[1]["records"].as_u64() > Some(0) && archives[1]["detail"].is_string());
}

#[test]
fn local_a_report_that_cannot_be_written_is_refused_before_the_work() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = path(folder.path(), "out");
    let missing = path(folder.path(), "gone/report.json");
    let is_folder = folder.path().to_string_lossy().into_owned();
    for flag in ["--report", "--metrics"] {
        for (file, detail) in [
            (&missing, "there is no folder"),
            (&is_folder, "it is a folder"),
        ] {
            let ran = crawlprefs(&["scan", "sample-data", "-o", &out, flag, file]);
            assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
            assert!(
                ran.err.contains(file) && ran.err.contains(detail),
                "{}",
                ran.err
            );
            assert_eq!(files_in(folder.path()), 0, "something was left behind");
        }
    }
}

#[test]
fn local_report_and_metrics_are_written_at_every_end() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [out, none, file, metrics, vocabulary] =
        ["out", "none", "report.json", "metrics.prom", "vocabulary"]
            .map(|name| path(folder.path(), name));
    assert_eq!(
        crawlprefs(&["run", "sample-data/local", "-q", "-o", &out]).status,
        0
    );
    let files = ["--report", &file, "--metrics", &metrics];
    for (args, status, kind) in [
        (&["resolve", &none, "-o", &out][..], 1, "no_evidence"),
        (&["resolve", &out, "--vocab", &vocabulary], 1, "bad_option"),
        (
            &["resolve", &out, "--agent", "GPTBot"],
            1,
            "output_of_another_run",
        ),
        (&["resolve", &out, &none], 1, "bad_option"),
        (&["scan", &none, "-o", &out], 1, "input_missing"),
        (&["run", &none, "-o", &out], 1, "input_missing"),
        (
            &["scan", "sample-data/local", "-o", "src"],
            1,
            "output_foreign",
        ),
        (&["scan", "sample-data/local"], 2, "usage"),
        (
            &["run", "sample-data/local", "-o", &out, "--no-such-option"],
            2,
            "usage",
        ),
    ] {
        fs::write(&file, "earlier").expect("it can be written");
        fs::write(&metrics, "crawlprefs_exit_status 0\n").expect("it can be written");
        let ran = crawlprefs(&[args, &files[..]].concat());
        assert_eq!(ran.status, status, "{args:?}: {}", ran.err);
        let report = report(&file);
        assert_eq!(
            (&report["outcome"], &report["status"]),
            (&"failed".into(), &status.into()),
            "{args:?}"
        );
        assert_eq!(
            (&report["error"]["kind"], &report["stopped"]),
            (&kind.into(), &false.into()),
            "{args:?}"
        );
        assert_eq!(report["command"], args[0]);
        assert!(
            report["error"]["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty()),
            "{args:?}"
        );
        let samples = fs::read_to_string(&metrics).expect("metrics");
        for line in [
            ("crawlprefs_exit_status", format!("}} {status}")),
            (
                "crawlprefs_error_info",
                format!(",kind=\"{kind}\",retry=\"0\"}} 1"),
            ),
            ("crawlprefs_running", "} 0".to_owned()),
        ] {
            let labels = format!("{}{{command=\"{}\",out=\"", line.0, args[0]);
            let is_it = |sample: &str| sample.starts_with(&labels) && sample.ends_with(&line.1);
            assert!(samples.lines().any(is_it), "{args:?}: {samples}");
        }
        assert!(lines(&file).is_empty());
        assert_eq!(files_in(folder.path()), 4, "a temporary file is left");
    }
    assert_eq!(
        crawlprefs(&[&["scan", "--help"], &files[..]].concat()).status,
        0
    );
    assert_eq!(report(&file)["status"], 2, "help is no job");
}

#[test]
fn local_a_file_that_cannot_be_written_is_an_error_in_the_other_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [out, file, missing] = ["out", "file", "gone/file"].map(|name| path(folder.path(), name));
    let args = ["scan", "sample-data/local", "-o", &out, "--report"];
    assert_eq!(
        crawlprefs(&[&args[..], &[&file, "--metrics", &missing]].concat()).status,
        1
    );
    assert_eq!(report(&file)["error"]["kind"], "output_unwritable");
    assert_eq!(
        crawlprefs(&[&args[..], &[&missing, "--metrics", &file]].concat()).status,
        1
    );
    assert!(
        fs::read_to_string(&file)
            .is_ok_and(|text| text.contains("kind=\"output_unwritable\",retry=\"1\""))
    );
}

#[test]
fn local_a_report_of_a_refused_call_makes_no_new_folder_a_foreign_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().to_string_lossy().into_owned();
    let (file, metrics) = (
        path(folder.path(), "report.json"),
        path(folder.path(), "metrics.prom"),
    );
    let files = ["-q", "-o", &out, "--report", &file, "--metrics", &metrics];
    for (input, status) in [("none", 1), ("sample-data/local", 0)] {
        let ran = crawlprefs(&[&["scan", input], &files[..]].concat());
        assert_eq!(ran.status, status, "{}", ran.err);
        assert_eq!(report(&file)["status"], status);
    }
    fs::write(folder.path().join("other"), "").expect("a file");
    fs::remove_file(folder.path().join("_crawlprefs.json")).expect("the mark");
    let ran = crawlprefs(&[&["scan", "sample-data/local"], &files[..]].concat());
    assert_eq!(
        (ran.status, &report(&file)["error"]["kind"]),
        (1, &"output_foreign".into()),
        "{}",
        ran.err
    );
}

#[test]
fn local_a_report_may_be_in_a_new_output_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().to_string_lossy().into_owned();
    let (file, metrics) = (
        path(folder.path(), "report.json"),
        path(folder.path(), "metrics.prom"),
    );
    let args = [
        "scan",
        "sample-data",
        "-q",
        "-o",
        &out,
        "--report",
        &file,
        "--metrics",
        &metrics,
    ];
    for _ in 0..2 {
        let ran = crawlprefs(&args);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    }
}

#[test]
fn local_a_call_that_fails_midway_reports_why() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, file) = (
        path(folder.path(), "out"),
        path(folder.path(), "report.json"),
    );
    assert_eq!(
        crawlprefs(&["scan", "sample-data/local", "-q", "-o", &out]).status,
        0
    );
    let part = fs::read_dir(format!("{out}/evidence/captures/crawl=local"))
        .expect("evidence")
        .next();
    let part = part.expect("a part").expect("an entry").path();
    let mut bytes = fs::read(&part).expect("a part");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xFF;
    fs::write(&part, bytes).expect("it can be written");
    let ran = crawlprefs(&["resolve", &out, "--report", &file]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let report = report(&file);
    assert_eq!(
        (&report["outcome"], &report["status"]),
        (&"failed".into(), &1.into())
    );
    assert_eq!(report["error"]["kind"], "evidence_damaged");
    let message = report["error"]["message"].as_str().expect("a message");
    assert!(ran.err.contains(message), "{} {message}", ran.err);
}

#[test]
#[cfg(unix)]
fn local_a_stopped_call_says_so_in_report_and_log() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, file) = (
        path(folder.path(), "out"),
        path(folder.path(), "report.json"),
    );
    let mut child = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args([
            "scan",
            "-",
            "-o",
            &out,
            "--report",
            &file,
            "--log-format",
            "json",
        ])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let record = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    (0..40_000)
        .try_for_each(|_| pipe.write_all(record))
        .expect("the command reads");
    let kill = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(kill.success());
    // The command ends while it is written to.
    let _ = (0..400_000).try_for_each(|_| pipe.write_all(record));
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    let log = String::from_utf8(output.stderr).expect("UTF-8");
    let last: Value = serde_json::from_str(log.lines().last().expect("events")).expect("JSON");
    assert_eq!(
        (&last["event"], &last["status"], &last["level"]),
        (&"stopped".into(), &143.into(), &"warning".into())
    );
    let report = report(&file);
    assert_eq!(
        (&report["outcome"], &report["status"]),
        (&"stopped".into(), &143.into())
    );
    assert_eq!(report["stopped"], true);
    assert!(
        lines(&file).is_empty() && report["totals"]["records"].as_u64() > Some(0),
        "{report}"
    );
}
