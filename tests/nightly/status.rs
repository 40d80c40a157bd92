//! `status`: 0 only where every archive of a list is read and the tables are made of it.

use crate::command::{Ran, crawlprefs_in, done, refused};
use crate::files::files;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const SEGMENT: &str = "crawl-data/CC-MAIN-2026-34/segments/1786000000000.1";
const FILE: &str = "CC-MAIN-20260810060000-20260810090000";

/// A folder with a list of four archives of `sample-data`.
struct Night {
    folder: tempfile::TempDir,
    base: String,
}

impl Night {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let names = ["robotstxt", "warc"].map(|subset| {
            ["00000", "00001"]
                .map(|number| format!("{SEGMENT}/{subset}/{FILE}-{number}.warc.gz\n"))
                .concat()
        });
        fs::write(folder.path().join("list"), names.concat()).expect("a list");
        let base = Path::new("sample-data")
            .canonicalize()
            .expect("sample-data is in the repository");
        Self {
            folder,
            base: base.to_string_lossy().into_owned(),
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn run(&self, command: &str, flags: &[&str]) {
        let args = [
            command,
            "-q",
            "--paths-from",
            "list",
            "--base",
            &self.base,
            "-o",
            "out",
        ];
        done(self.path(), &[&args[..], flags].concat());
    }

    fn status(&self, flags: &[&str]) -> Ran {
        let args = [
            "status",
            "out",
            "--paths-from",
            "list",
            "--base",
            &self.base,
        ];
        crawlprefs_in(self.path(), &[&args[..], flags].concat())
    }

    /// Returns the status as JSON, after a look at the exit status.
    fn json(&self, status: i32, flags: &[&str]) -> Value {
        let ran = self.status(&[&["--json"], flags].concat());
        assert_eq!(ran.status, status, "{}{}", ran.out, ran.err);
        let json: Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(json["complete"], status == 0, "{json}");
        json
    }

    /// Returns the only file below a folder of `out` whose name has a text.
    fn file(&self, folder: &str, text: &str) -> PathBuf {
        let out = self.path().join("out").join(folder);
        let mut names = files(&out).into_keys().filter(|name| name.contains(text));
        let name = names.next().expect("a file");
        assert_eq!(names.next(), None);
        out.join(name)
    }
}

/// Changes a byte in the middle of a file.
fn flip(file: &Path) {
    let mut bytes = fs::read(file).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(file, bytes).expect("written");
}

#[test]
fn local_status_counts_archives_of_the_list_and_says_what_is_next() {
    let night = Night::new();
    night.run("scan", &["--limit", "3"]);
    let json = night.json(3, &[]);
    let robots = &json["subsets"][0];
    assert_eq!(
        (&robots["subset"], &robots["archives"], &robots["read"]),
        (&"robotstxt".into(), &2.into(), &2.into())
    );
    let pages = &json["subsets"][1];
    assert_eq!(
        (&pages["archives"], &pages["read"], &pages["not_scanned"]),
        (&2.into(), &1.into(), &1.into())
    );
    assert_eq!(json["archives"].as_array().map(Vec::len), Some(1));
    assert_eq!(json["archives"][0]["state"], "not_scanned");
    let next: Vec<&str> = json["next"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        next[0].starts_with("crawlprefs scan --paths-from LIST -o out"),
        "{next:?}"
    );
    assert!(next[1].starts_with("crawlprefs resolve out "), "{next:?}");
    // The names of what is left are a list for scan.
    let unread = night.status(&["--unread"]);
    assert_eq!(
        (unread.status, unread.out),
        (3, format!("{SEGMENT}/warc/{FILE}-00001.warc.gz\n"))
    );
    night.run("run", &[]);
    let json = night.json(0, &[]);
    assert!(
        json["batches"]
            .as_array()
            .is_some_and(|batches| batches.len() == 3)
    );
    assert_eq!(night.status(&["--unread"]).out, "");
    let text = night.status(&["--verify"]);
    assert_eq!(text.status, 0, "{}", text.err);
    assert!(
        text.out
            .starts_with("out: complete\n  CC-MAIN-2026-34 robotstxt: 2 archives: 2 read\n"),
        "{}",
        text.out
    );
    assert!(
        text.out.contains("  batches of tables: 3 done\n"),
        "{}",
        text.out
    );
    // Of a call that was stopped, nothing says which archives it has not begun.
    let hint = "--paths-from LIST finds them";
    let alone = crawlprefs_in(night.path(), &["status", "out"]);
    let has_hint = |text: &str| text.replace('\n', " ").contains(hint);
    assert!(
        alone.status == 0 && has_hint(&alone.out) && !has_hint(&text.out),
        "{}",
        alone.out
    );
}

#[test]
fn local_status_finds_tables_that_are_stale_gone_or_changed() {
    let night = Night::new();
    night.run("run", &["--limit", "3"]);
    night.run("scan", &[]);
    let json = night.json(3, &[]);
    let states: Vec<&str> = json["batches"]
        .as_array()
        .expect("batches")
        .iter()
        .filter_map(|batch| batch["state"].as_str())
        .collect();
    assert_eq!(states, ["stale"; 3]);
    night.run("run", &[]);
    let whole = files(&night.path().join("out"));
    let pages = night.file("pages", "warc-0000");
    fs::remove_file(&pages).expect("removed");
    let json = night.json(3, &[]);
    assert!(
        json["batches"][2]["detail"]
            .as_str()
            .is_some_and(|detail| detail.ends_with("is missing")),
        "{json}"
    );
    done(night.path(), &["resolve", "-q", "out"]);
    assert!(files(&night.path().join("out")) == whole);
    // A byte that has changed is found by --verify, and made again by a resolve with it.
    flip(&pages);
    night.json(0, &[]);
    let json = night.json(3, &["--verify"]);
    let detail = json["batches"][2]["detail"].as_str().expect("a fault");
    assert!(
        detail.ends_with("has other bytes than were written"),
        "{detail}"
    );
    assert!(
        json["next"][0]
            .as_str()
            .is_some_and(|next| next.starts_with("crawlprefs resolve out --verify"))
    );
    done(night.path(), &["resolve", "-q", "out", "--verify"]);
    assert!(files(&night.path().join("out")) == whole);
}

#[test]
fn local_status_finds_evidence_that_is_gone_or_changed() {
    let night = Night::new();
    night.run("run", &[]);
    let whole = files(&night.path().join("out"));
    let part = night.file(
        "evidence/captures",
        "warc-CC-MAIN-20260810060000-20260810090000-00001",
    );
    flip(&part);
    night.json(0, &[]);
    let json = night.json(3, &["--verify"]);
    assert_eq!(
        (&json["archives"][0]["state"], &json["subsets"][1]["read"]),
        (&"evidence_damaged".into(), &1.into())
    );
    // The tables are there, and not those of a folder with this evidence.
    for cut in [Some(100), None] {
        match cut {
            Some(bytes) => {
                let file = fs::OpenOptions::new()
                    .write(true)
                    .open(&part)
                    .expect("a file");
                file.set_len(bytes).expect("cut");
            }
            None => fs::remove_file(&part).expect("removed"),
        }
        night.json(3, &[]);
        let next = "00001.warc.gz again: crawlprefs scan ARCHIVE -o out";
        refused(
            &crawlprefs_in(night.path(), &["resolve", "-q", "out"]),
            next,
        );
    }
    night.run("run", &[]);
    night.json(0, &["--verify"]);
    assert!(files(&night.path().join("out")) == whole);
    fs::remove_file(night.file(
        "_manifest",
        "robotstxt-CC-MAIN-20260810060000-20260810090000-00000",
    ))
    .expect("removed");
    let json = night.json(3, &[]);
    assert_eq!(json["subsets"][0]["not_scanned"], 1);
    let fault = json["faults"][0].as_str().expect("a fault");
    assert!(
        fault.contains("without evidence now (1, such as"),
        "{fault}"
    );
}

/// Another file has the name of an archive: the scan says so each time, and a run with it is not complete.
#[test]
fn local_a_run_with_an_archive_that_has_changed_is_not_complete_until_it_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = folder.path().join("in/site.warc");
    fs::create_dir(folder.path().join("in")).expect("made");
    let whole = fs::read("sample-data/local/site.warc").expect("an archive");
    fs::write(&archive, &whole).expect("written");
    let mut other = whole.clone();
    let at = whole
        .windows(5)
        .position(|bytes| bytes == b"<html")
        .expect("a page");
    other[at + 1..at + 5].copy_from_slice(b"HTML");
    let run = ["run", "-q", "in", "-o", "out"];
    done(folder.path(), &run);
    let status =
        |flags: &[&str]| crawlprefs_in(folder.path(), &[&["status", "out"], flags].concat());
    assert_eq!(status(&[]).status, 0);
    fs::write(&archive, &other).expect("written");
    for _ in 0..2 {
        assert_eq!(crawlprefs_in(folder.path(), &run).status, 3);
        let ran = status(&[]);
        assert_eq!(ran.status, 3, "{}", ran.out);
        assert!(ran.out.contains("0 read, 1 changed"), "{}", ran.out);
        assert!(
            ran.out
                .contains("crawlprefs scan ARCHIVE... -o out --again changed"),
            "{}",
            ran.out
        );
        assert!(
            ran.out
                .contains("site.warc: changed: found another file of"),
            "{}",
            ran.out
        );
    }
    // It is read to its end, so that no night downloads it again.
    fs::write(folder.path().join("list"), "site.warc\n").expect("a list");
    let of_list = ["--paths-from", "list", "--base", "in", "--unread"];
    assert_eq!(status(&of_list).out, "");
    // The old file is there again; or the new one is read.
    fs::write(&archive, &whole).expect("written");
    done(folder.path(), &run);
    assert_eq!(status(&[]).status, 0);
    fs::write(&archive, &other).expect("written");
    assert_eq!(crawlprefs_in(folder.path(), &run).status, 3);
    done(folder.path(), &[&run[..], &["--again", "changed"]].concat());
    assert_eq!(status(&[]).status, 0);
    let notes = fs::read_dir(folder.path().join("out/_changed/crawl=local"));
    assert_eq!(notes.map_or(0, Iterator::count), 0);
}

/// A process was killed while it replaced the evidence of an archive.
#[test]
fn local_advice_after_a_kill_while_evidence_is_replaced_is_to_scan_again() {
    let night = Night::new();
    night.run("run", &[]);
    let whole = files(&night.path().join("out"));
    let manifest = night.file(
        "_manifest",
        "warc-CC-MAIN-20260810060000-20260810090000-00001",
    );
    let mut text: Value =
        serde_json::from_slice(&fs::read(&manifest).expect("a manifest")).expect("JSON");
    text["outcome"] = "unreadable".into();
    text["detail"] = "its evidence was being replaced when a process ended: scan it again".into();
    text.as_object_mut()
        .expect("an object")
        .remove("fingerprint");
    text["parts"] = Value::Array(Vec::new());
    fs::write(&manifest, text.to_string()).expect("written");
    let ran = crawlprefs_in(night.path(), &["resolve", "-q", "out"]);
    refused(
        &ran,
        "00001.warc.gz: its evidence was being replaced when a process ended",
    );
    assert!(
        ran.err.contains("crawlprefs scan ARCHIVE -o out") && !ran.err.contains("--drop-missing"),
        "{}",
        ran.err
    );
    let json = night.json(3, &[]);
    assert!(
        json["next"][0]
            .as_str()
            .is_some_and(|next| next.starts_with("crawlprefs scan ")),
        "{json}"
    );
    assert!(!json.to_string().contains("--drop-missing"), "{json}");
    night.run("run", &[]);
    assert!(files(&night.path().join("out")) == whole);
}

#[test]
fn local_status_of_tables_elsewhere_looks_at_the_folders_that_they_name() {
    let night = Night::new();
    night.run("scan", &[]);
    done(night.path(), &["resolve", "-q", "out", "-o", "tables"]);
    let status = || crawlprefs_in(night.path(), &["status", "tables"]);
    assert_eq!(status().status, 0, "{}", status().out);
    fs::rename(night.path().join("out"), night.path().join("unmounted")).expect("renamed");
    fs::create_dir(night.path().join("out")).expect("a mount point");
    let ran = status();
    assert_eq!(ran.status, 3);
    assert!(
        ran.out
            .contains("out: no evidence there: mount it, or name the folder"),
        "{}",
        ran.out
    );
    let moved = crawlprefs_in(
        night.path(),
        &["status", "tables", "--evidence", "unmounted"],
    );
    assert_eq!(moved.status, 0, "{}", moved.out);
}

#[test]
fn local_status_writes_metrics_at_every_end() {
    let night = Night::new();
    night.run("scan", &["--limit", "3"]);
    let metrics = || fs::read_to_string(night.path().join("status.prom")).expect("metrics");
    assert_eq!(night.status(&["--metrics", "status.prom"]).status, 3);
    for line in [
        "crawlprefs_status_archives{command=\"status\",out=\"out\",crawl=\"CC-MAIN-2026-34\",subset=\"warc\",state=\"not_scanned\"} 1\n",
        "crawlprefs_status_complete{command=\"status\",out=\"out\"} 0\n",
        "crawlprefs_status_exit_status{command=\"status\",out=\"out\"} 3\n",
    ] {
        assert!(metrics().contains(line), "{}", metrics());
    }
    fs::remove_file(night.path().join("list")).expect("removed");
    assert_eq!(night.status(&["--metrics", "status.prom"]).status, 1);
    assert!(
        metrics().contains(",kind=\"input_missing\",retry=\"0\"} 1\n"),
        "{}",
        metrics()
    );
}

#[test]
fn local_tables_of_an_incomplete_segment_are_not_written_where_its_list_is_required() {
    let night = Night::new();
    night.run("scan", &["--limit", "3"]);
    let resolve = ["resolve", "-q", "out", "--require", "list"];
    let message =
        "1 archives of the list of --require are not read to their end, such as crawl-data/";
    refused(&crawlprefs_in(night.path(), &resolve), message);
    refused(
        &crawlprefs_in(night.path(), &[&resolve[..], &["--dry-run"]].concat()),
        message,
    );
    assert!(!night.path().join("out/_resolved.json").exists());
    // Of another segment nothing is required.
    let other = ["--segment", "other"];
    done(night.path(), &[&resolve[..], &other].concat());
    let limited = [
        "run",
        "-q",
        "--paths-from",
        "list",
        "--base",
        &night.base,
        "-o",
        "out",
        "--require",
        "list",
    ];
    refused(
        &crawlprefs_in(night.path(), &[&limited[..], &["--limit", "3"]].concat()),
        message,
    );
    done(night.path(), &limited);
    night.json(0, &[]);
}
