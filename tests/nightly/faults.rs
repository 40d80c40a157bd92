//! What cannot be read or written is named, and so is what helps.

use crate::command::{crawlprefs_in, done};
use crate::warc::response;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

#[test]
fn local_a_subfolder_of_an_input_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sub = folder.path().join("in/a/b");
    fs::create_dir_all(&sub).expect("made");
    fs::copy(
        "sample-data/local/site.warc",
        folder.path().join("in/site.warc"),
    )
    .expect("copied");
    allow(folder.path(), 0o777);
    allow(&sub, 0);
    // A user who may read everything becomes another one for this.
    let program = env!("CARGO_BIN_EXE_crawlprefs");
    let mut command = if fs::read_dir(&sub).is_ok() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--clear-groups", program]);
        command
    } else {
        Command::new(program)
    };
    let ran = command
        .args(["scan", "in", "-o", "out"])
        .current_dir(folder.path())
        .output();
    let Output { status, stderr, .. } = ran.expect("the command starts");
    allow(&sub, 0o755);
    let error = String::from_utf8_lossy(&stderr);
    assert_eq!(status.code(), Some(1), "{error}");
    assert!(error.contains("in/a/b: Permission denied"), "{error}");
}

#[test]
fn local_a_full_folder_for_temporary_files_is_named_with_its_option() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rules: String = (0..20_000)
        .map(|number| format!("Disallow: /{number}\n"))
        .collect();
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\n{rules}");
    let archive: Vec<u8> = (0..4)
        .flat_map(|host| {
            let block = http.replace("Disallow: /7\n", &format!("Disallow: /of-{host}\n"));
            response(
                &format!("https://h{host}.example/robots.txt"),
                "07:00:00",
                "",
                block.as_bytes(),
            )
        })
        .collect();
    fs::write(folder.path().join("a.warc"), archive).expect("written");
    fs::create_dir(folder.path().join("small")).expect("made");
    done(folder.path(), &["scan", "-q", "a.warc", "-o", "evidence"]);
    // No file may be longer than 256 KiB; only that of the bodies is.
    let script =
        "trap '' XFSZ; ulimit -f 256; TMPDIR=small exec \"$0\" resolve -q evidence -o tables";
    let ran = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_crawlprefs")])
        .current_dir(folder.path())
        .output()
        .expect("bash");
    let error = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{error}");
    assert!(
        error.contains("small: ") && error.contains("TMPDIR"),
        "{error}"
    );
    done(
        folder.path(),
        &["resolve", "-q", "evidence", "-o", "tables"],
    );
}

#[test]
fn local_a_remote_input_that_fails_is_named_with_its_host() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ran = crawlprefs_in(
        folder.path(),
        &[
            "scan",
            "-q",
            "http://127.0.0.1:1/a.warc?key=SECRET",
            "-o",
            "out",
            "--report",
            "report.json",
        ],
    );
    assert!(ran.status == 3 || ran.status == 1, "{}", ran.err);
    assert!(
        ran.err
            .contains("127.0.0.1:1: the port refuses connections"),
        "{}",
        ran.err
    );
    let report = fs::read_to_string(folder.path().join("report.json")).expect("a report");
    assert!(
        !ran.err.contains("SECRET") && !report.contains("SECRET"),
        "{report}"
    );
    let rows =
        fs::read_to_string(folder.path().join("report.json.archives.jsonl")).unwrap_or_default();
    assert!(
        format!("{report}{rows}").contains("127.0.0.1:1: "),
        "{report}{rows}"
    );
}
