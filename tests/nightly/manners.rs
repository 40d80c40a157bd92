//! What a call does with odd files, odd names, folders that hold more than its own, and outputs that are full.

use crate::command::{Ran, crawlprefs, path};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

const SAMPLE: &str = "sample-data/local/site.warc";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn copy(folder: &Path, name: &str) -> String {
    let file = path(folder, name);
    fs::copy(SAMPLE, &file).expect("sample-data is in the repository");
    file
}

/// Returns how many rows of a table there are by archive.
fn rows_by_archive(out: &Path, table: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for part in glob::glob(&path(out, &format!("{table}/*/*.parquet")))
        .expect("a glob")
        .flatten()
    {
        let reader = SerializedFileReader::new(File::open(part).expect("a part")).expect("Parquet");
        for row in reader.get_row_iter(None).expect("rows") {
            let row = row.expect("a row");
            let name = row
                .get_column_iter()
                .find(|(name, _)| *name == "warc_filename")
                .expect("a column")
                .1;
            *counts.entry(name.to_string()).or_default() += 1;
        }
    }
    counts
}

#[test]
fn local_an_archive_whose_name_begins_with_a_dot_is_resolved() {
    let folder = folder();
    let (hidden, plain) = (
        copy(folder.path(), ".x.warc"),
        copy(folder.path(), "y.warc"),
    );
    // Under two names, one archive counts once.
    let longer = [fs::read(&plain).expect("an archive"), b"\r\n".to_vec()].concat();
    fs::write(&plain, longer).expect("an archive");
    let out = path(folder.path(), "out");
    assert_eq!(
        crawlprefs(&["run", "-q", &hidden, &plain, "-o", &out]).status,
        0
    );
    for table in ["pages", "evidence/archives"] {
        let rows = rows_by_archive(Path::new(&out), table);
        assert_eq!(rows.len(), 2, "{rows:?}");
        assert_eq!(rows["\".x.warc\""], rows["\"y.warc\""]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn local_names_that_differ_in_a_byte_that_is_no_utf_8_are_two_archives() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder();
    let archives = folder.path().join("in");
    fs::create_dir(&archives).expect("it can be made");
    for byte in [0xFE, 0xFF] {
        let name = [&b"a"[..], &[byte], b".warc"].concat();
        fs::copy(SAMPLE, archives.join(std::ffi::OsStr::from_bytes(&name)))
            .expect("it can be written");
    }
    let out = path(folder.path(), "out");
    assert_eq!(
        crawlprefs(&["run", "-q", &path(folder.path(), "in"), "-o", &out]).status,
        0
    );
    let rows = rows_by_archive(Path::new(&out), "evidence/archives");
    assert_eq!(
        rows.into_keys().collect::<Vec<_>>(),
        ["\"a\\xFE.warc\"", "\"a\\xFF.warc\""]
    );
}

#[cfg(unix)]
#[test]
fn local_a_pipe_in_a_folder_is_skipped_with_a_warning_and_one_that_is_named_is_read() {
    let folder = folder();
    let archives = folder.path().join("in");
    fs::create_dir(&archives).expect("it can be made");
    copy(&archives, "a.warc");
    let pipe = path(&archives, "pipe.warc");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .expect("mkfifo starts")
            .success()
    );
    let _socket =
        std::os::unix::net::UnixListener::bind(archives.join("socket.warc")).expect("a socket");
    for input in [path(folder.path(), "in"), path(folder.path(), "in/*.warc")] {
        let ran = crawlprefs(&["scan", &input, "-o", &path(folder.path(), "out")]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        for skipped in ["pipe.warc", "socket.warc"] {
            assert!(
                ran.err.contains(&format!("{skipped}: skipped")),
                "{}",
                ran.err
            );
        }
    }
    let writer = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::write(pipe, fs::read(SAMPLE).expect("a file")))
    };
    let out = path(folder.path(), "named");
    assert_eq!(crawlprefs(&["run", "-q", &pipe, "-o", &out]).status, 0);
    writer.join().expect("no panic").expect("all of it is read");
    assert_eq!(
        rows_by_archive(Path::new(&out), "evidence/archives").len(),
        1
    );
}

#[test]
fn local_overwrite_removes_what_crawlprefs_wrote_and_nothing_else() {
    let folder = folder();
    let one = copy(folder.path(), "one.warc");
    let out = path(folder.path(), "out");
    assert_eq!(crawlprefs(&["run", "-q", &one, "-o", &out]).status, 0);
    let foreign = [
        "notes.txt",
        "pages/notes.txt",
        "pages/crawl=local/notes.txt",
        "evidence/mine.parquet",
    ];
    for name in foreign {
        fs::write(path(Path::new(&out), name), "mine").expect("it can be written");
    }
    assert_eq!(
        crawlprefs(&["resolve", "-q", &out, "--agent", "GPTBot", "--overwrite"]).status,
        0
    );
    for name in foreign {
        assert_eq!(
            fs::read(path(Path::new(&out), name)).expect("it is there"),
            b"mine"
        );
    }
    fs::remove_file(path(Path::new(&out), "pages/notes.txt")).expect("it is there");
    let rows = rows_by_archive(Path::new(&out), "pages");
    assert_eq!(rows.into_keys().collect::<Vec<_>>(), ["\"one.warc\""]);
    let ran = crawlprefs(&["resolve", &out, "--overwrite", "--slice", "1/2"]);
    assert_eq!(ran.status, 2, "{}", ran.err);
}

#[test]
fn local_a_folder_without_a_mark_is_refused_and_stays_as_it_was() {
    let folder = folder();
    let archive = copy(folder.path(), "a.warc");
    let out = folder.path().join("out/pages/crawl=local");
    fs::create_dir_all(&out).expect("it can be made");
    fs::write(out.join("part-other-00.parquet"), "mine").expect("it can be written");
    let ran = crawlprefs(&["run", "-q", &archive, "-o", &path(folder.path(), "out")]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("choose another folder"), "{}", ran.err);
    assert_eq!(
        fs::read(out.join("part-other-00.parquet")).expect("it is there"),
        b"mine"
    );
}

#[test]
fn local_report_and_metrics_are_not_one_file() {
    let folder = folder();
    let (report, metrics) = (path(folder.path(), "a"), path(folder.path(), "./a"));
    let lines = path(folder.path(), "a.archives.jsonl");
    for metrics in [&metrics, &lines] {
        let out = path(folder.path(), "out");
        let ran = crawlprefs(&[
            "scan",
            SAMPLE,
            "-o",
            &out,
            "--report",
            &report,
            "--metrics",
            metrics,
        ]);
        assert_eq!(ran.status, 1);
        assert!(ran.err.contains("--report writes that file"), "{}", ran.err);
        assert!(!Path::new(&out).exists());
    }
}

/// Every command that writes on standard output, and the input of those that read it.
fn writing_commands(out: &str) -> Vec<(Vec<&str>, &'static str)> {
    let scenario = "{\"url\": \"https://a.example/\"}\n";
    vec![
        (vec!["scan", SAMPLE, "-o", out], ""),
        (vec!["run", SAMPLE, "-o", out], ""),
        (vec!["resolve", out], ""),
        (vec!["scan", SAMPLE, "-o", out, "--dry-run"], ""),
        (vec!["explain", "--json"], scenario),
        (vec!["explain", "--url", "https://a.example/"], ""),
        (vec!["schema"], ""),
        (vec!["schema", "--markdown"], ""),
        (vec!["completions", "bash"], ""),
        (vec!["man"], ""),
        (vec!["--help"], ""),
        (vec!["--version"], ""),
    ]
}

fn with_stdout(args: &[&str], input: &str, stdout: Stdio) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    // A command that reads no input may have ended.
    drop(std::io::Write::write_all(&mut pipe, input.as_bytes()));
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    Ran {
        status: output.status.code().unwrap_or(-1),
        out: String::new(),
        err,
    }
}

#[cfg(target_os = "linux")]
#[test]
fn local_a_full_standard_output_is_status_1_and_says_so() {
    let folder = folder();
    let out = path(folder.path(), "out");
    for (args, input) in writing_commands(&out) {
        let full = File::create("/dev/full").expect("Linux has it");
        let ran = with_stdout(&args, input, full.into());
        assert_eq!(ran.status, 1, "{args:?}: {}", ran.err);
        assert!(
            ran.err.contains("standard output: cannot be written"),
            "{args:?}: {}",
            ran.err
        );
    }
}

#[cfg(unix)]
#[test]
fn local_a_closed_pipe_ends_quietly() {
    let folder = folder();
    let out = path(folder.path(), "out");
    for (args, input) in writing_commands(&out) {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let ran = with_stdout(&args, input, writer.into());
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{args:?}");
    }
}
