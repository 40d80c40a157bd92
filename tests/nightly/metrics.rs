//! `--metrics`: Prometheus' text format 0.0.4, read by a parser of its grammar.

use crate::command::{crawlprefs, path, write_cut_archive};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Values by name and labels.
type Samples = BTreeMap<String, f64>;

fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
    name.bytes().all(is_part)
        && !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// Reads `name{label="value",...} number`; returns the name too.
fn sample(line: &str) -> (String, &str, f64) {
    let (series, value) = line.rsplit_once(' ').expect("a value behind a blank");
    let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
    let labels = labels.strip_suffix('}').expect("labels end with a brace");
    for label in labels.split(',').filter(|label| !label.is_empty()) {
        let (label, value) = label.split_once('=').expect("a label and its value");
        assert!(is_name(label) && value.len() >= 2, "{line}");
        assert!(
            value.starts_with('"') && value.ends_with('"') && !value.contains('\\'),
            "{line}"
        );
    }
    assert!(is_name(name), "{line}");
    // Every series says of which command and output folder it is.
    let own = labels
        .split(',')
        .filter(|label| !label.starts_with("command=") && !label.starts_with("out="));
    let own: Vec<&str> = own.filter(|label| !label.is_empty()).collect();
    assert_eq!(
        labels.split(',').filter(|label| !label.is_empty()).count(),
        own.len() + 2,
        "{line}"
    );
    let series = if own.is_empty() {
        name.to_owned()
    } else {
        format!("{name}{{{}}}", own.join(","))
    };
    (series, name, value.parse().expect("a number"))
}

/// Reads the whole text and checks its form.
fn parsed(text: &str) -> Samples {
    assert!(text.ends_with('\n'));
    let (mut samples, mut ended) = (Samples::new(), BTreeSet::new());
    let (mut help, mut family) = ("", "");
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, text) = rest.split_once(' ').expect("a text");
            assert!(ended.insert(name) && text.ends_with('.'), "{line}");
            help = name;
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').expect("a type");
            family = name;
            assert!(
                family == help && ["counter", "gauge"].contains(&kind),
                "{line}"
            );
            assert_eq!(family.ends_with("_total"), kind == "counter", "{line}");
            assert!(family.starts_with("crawlprefs_"), "{line}");
        } else {
            let (series, name, value) = sample(line);
            assert_eq!(name, family, "a sample is below its type: {line}");
            assert!(
                value >= 0.0 && samples.insert(series, value).is_none(),
                "{line}"
            );
        }
    }
    samples
}

#[test]
fn local_metrics_count_the_work_and_are_of_the_text_format() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, file, cut) = (
        path(folder.path(), "out"),
        path(folder.path(), "crawlprefs.prom"),
        path(folder.path(), "cut.warc"),
    );
    write_cut_archive(&cut);
    let args = [
        "run",
        "sample-data",
        "README.md",
        &cut,
        "-q",
        "-o",
        &out,
        "--metrics",
        &file,
    ];
    let ran = crawlprefs(&args);
    assert_eq!(ran.status, 3, "{}", ran.err);
    let first = parsed(&fs::read_to_string(&file).expect("metrics"));
    for (series, value) in [
        ("crawlprefs_archives_total{outcome=\"read\"}", 7.0),
        ("crawlprefs_archives_total{outcome=\"cut\"}", 1.0),
        ("crawlprefs_archives_total{outcome=\"not_an_archive\"}", 1.0),
        ("crawlprefs_archives_total{outcome=\"missing\"}", 0.0),
        ("crawlprefs_batches_total{outcome=\"bug\"}", 0.0),
        ("crawlprefs_running", 0.0),
        ("crawlprefs_exit_status", 3.0),
        ("crawlprefs_info{version=\"0.1.0\"}", 1.0),
    ] {
        assert_eq!(first.get(series), Some(&value), "{series}");
    }
    assert_eq!(
        first["crawlprefs_captures_total"], first["crawlprefs_resolved_captures_total"],
        "every capture is resolved"
    );
    assert!(first["crawlprefs_records_total"] >= first["crawlprefs_captures_total"]);
    assert!(first["crawlprefs_last_update_timestamp_seconds"] > 1.7e9);
    assert_eq!(crawlprefs(&args).status, 3);
    let again = parsed(&fs::read_to_string(&file).expect("metrics"));
    assert_eq!(again["crawlprefs_archives_total{outcome=\"known\"}"], 7.0);
    assert_eq!(
        fs::read_dir(folder.path()).map_or(0, Iterator::count),
        3,
        "a temporary file is left"
    );
}

#[test]
#[cfg(unix)]
fn local_metrics_are_written_while_the_work_goes_on() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, file) = (
        path(folder.path(), "out"),
        path(folder.path(), "crawlprefs.prom"),
    );
    let mut child = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(["scan", "-", "-q", "-o", &out, "--metrics", &file])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let record = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    (0..10_000)
        .try_for_each(|_| pipe.write_all(record))
        .expect("the command reads");
    let deadline = Instant::now() + Duration::from_secs(60);
    // The pipe stays open: the command waits for more.
    let samples = loop {
        match fs::read_to_string(&file) {
            Ok(text) => break parsed(&text),
            Err(_) => assert!(Instant::now() < deadline, "no metrics"),
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(samples["crawlprefs_running"], 1.0);
    assert_eq!(samples["crawlprefs_planned_archives"], 1.0);
    assert!(!samples.contains_key("crawlprefs_exit_status"));
    drop(pipe);
    assert!(child.wait().expect("it ends").success());
    let samples = parsed(&fs::read_to_string(&file).expect("metrics"));
    assert_eq!(
        (
            samples["crawlprefs_running"],
            samples["crawlprefs_records_total"]
        ),
        (0.0, 10_000.0)
    );
}

/// The textfile collector reads all files of a folder as one, and drops a series that two of them have.
#[test]
fn local_metrics_of_several_commands_and_folders_are_series_of_their_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| path(folder.path(), name);
    let metrics = |name: &str| path(&format!("{name}.prom"));
    for (args, name) in [
        (
            &["run", "sample-data/local", "-q", "-o", &path("one")][..],
            "run-one",
        ),
        (
            &["run", "sample-data/local", "-q", "-o", &path("two")],
            "run-two",
        ),
        (
            &["resolve", &path("one"), "-q", "-o", &path("three")],
            "resolve",
        ),
        (&["status", &path("one")], "status-one"),
        (
            &["status", &path("two"), "--metrics-label", "other \"two\""],
            "status-two",
        ),
    ] {
        let ran = crawlprefs(&[args, &["--metrics", &metrics(name)]].concat());
        assert!(
            ran.status == 0 || args[0] == "status",
            "{args:?}: {}",
            ran.err
        );
    }
    let (mut series, mut texts) = (BTreeSet::new(), BTreeMap::new());
    for name in ["run-one", "run-two", "resolve", "status-one", "status-two"] {
        for line in fs::read_to_string(metrics(name)).expect("metrics").lines() {
            match line.strip_prefix("# ") {
                // A metric has one text and one type in all files.
                Some(about) => {
                    let mut words = about.splitn(3, ' ');
                    let key = (
                        words.next().expect("a word").to_owned(),
                        words.next().expect("a name").to_owned(),
                    );
                    let text = words.next().expect("a text").to_owned();
                    assert_eq!(
                        texts.entry(key).or_insert_with(|| text.clone()),
                        &text,
                        "{name}: {line}"
                    );
                }
                None => {
                    let one = line.rsplit_once(' ').expect("a value").0.to_owned();
                    assert!(series.insert(one), "{name}: {line}");
                }
            }
        }
    }
    for one in [
        "crawlprefs_exit_status{command=\"run\",out=\"two\"}",
        "crawlprefs_exit_status{command=\"resolve\",out=\"three\"}",
        "crawlprefs_status_complete{command=\"status\",out=\"one\"}",
        "crawlprefs_status_complete{command=\"status\",out=\"other \\\"two\\\"\"}",
    ] {
        assert!(series.contains(one), "{one}: {series:?}");
    }
}
