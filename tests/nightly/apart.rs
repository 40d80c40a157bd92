//! Tables of evidence in two folders, one with the robots.txt captures and one with the pages: made, read and replaced
//! only where everything that they rest on is there.

use crate::command::crawlprefs;
use std::fs;
use std::path::{Path, PathBuf};

const ROBOTS: &str = "sample-data/crawl-data/CC-MAIN-2026-34/segments/1786000000000.1/robotstxt";
const OTHERS: [&str; 2] = [
    "sample-data/crawl-data/CC-MAIN-2026-34/segments/1786000000000.1/warc",
    "sample-data/local",
];

/// Evidence of sample-data in two folders: that of robots.txt captures in `a`, the rest in `b`; tables of both in `out`.
struct Split {
    folder: tempfile::TempDir,
}

impl Split {
    fn new() -> Self {
        let split = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        };
        let base = ["--base", "sample-data"];
        let scan = |inputs: &[&str], out: &str| {
            let list = split.path("list");
            let below = |folder: &&str| files_below(Path::new(folder));
            let names: Vec<String> = inputs.iter().flat_map(below).collect();
            fs::write(&list, names.join("\n")).expect("a list");
            let (list, out) = (split.text("list"), split.text(out));
            let ran = crawlprefs(
                &[
                    &["scan", "-q", "--paths-from", &list, "-o", &out][..],
                    &base,
                ]
                .concat(),
            );
            // One archive of sample-data has a damaged member, which is not a failed input.
            assert_eq!(ran.status, 0, "{}", ran.err);
        };
        scan(&[ROBOTS], "a");
        scan(&OTHERS, "b");
        let ran = crawlprefs(&[
            "resolve",
            "-q",
            &split.text("a"),
            &split.text("b"),
            "-o",
            &split.text("out"),
        ]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        split
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// Moves a folder away, as if its disk were not mounted: an empty folder stays.
    fn unmount(&self, name: &str) {
        fs::rename(self.path(name), self.path("elsewhere")).expect("a folder");
        fs::create_dir(self.path(name)).expect("a folder");
    }

    fn mount(&self, name: &str) {
        fs::remove_dir(self.path(name)).expect("an empty folder");
        fs::rename(self.path("elsewhere"), self.path(name)).expect("a folder");
    }

    /// Judges a page that its robots.txt closes, by its URL; returns the status and what is printed.
    fn judged(&self) -> (i32, String) {
        fs::write(
            self.path("urls.txt"),
            "https://closed-to-ai.example/never-captured\n",
        )
        .expect("a file");
        let ran = crawlprefs(&[
            "judge",
            "-q",
            &self.text("urls.txt"),
            "--tables",
            &self.text("out"),
        ]);
        (ran.status, ran.out + &ran.err)
    }

    fn tables(&self) -> std::collections::BTreeMap<String, Vec<u8>> {
        crate::files::files(&self.path("out"))
    }
}

/// Returns the files below a folder as lines of a list below `sample-data`.
fn files_below(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("sample-data is in the repository");
    let path = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").path();
    let name = |path: PathBuf| {
        path.strip_prefix("sample-data")
            .expect("below it")
            .to_string_lossy()
            .into_owned()
    };
    entries.map(path).map(name).collect()
}

#[test]
fn local_a_folder_of_evidence_that_is_missing_or_empty_is_refused() {
    let split = Split::new();
    let before = split.tables();
    split.unmount("a");
    let (a, b, out) = (split.text("a"), split.text("b"), split.text("out"));
    for (first, into) in [
        (&a, &out),
        (&split.text("typo"), &out),
        (&a, &split.text("new")),
    ] {
        let ran = crawlprefs(&["resolve", "-q", first, &b, "-o", into]);
        assert_eq!(ran.status, 1, "{}", ran.err);
        assert!(
            ran.err.contains(&format!("{first}: no evidence there")),
            "{}",
            ran.err
        );
    }
    assert!(split.tables() == before && !split.path("new").exists());
    // Tables name the folder, too.
    let (status, text) = split.judged();
    assert_eq!(status, 1, "{text}");
    assert!(text.contains(&format!("{a}: no evidence there")), "{text}");
    split.mount("a");
    let (status, text) = split.judged();
    assert_eq!(status, 0, "{text}");
    assert!(text.contains(r#""prefs_access":"disallow""#), "{text}");
}

#[test]
fn local_a_batch_is_not_made_again_from_fewer_archives() {
    let split = Split::new();
    let before = split.tables();
    let (b, out) = (split.text("b"), split.text("out"));
    for overwrite in [&[][..], &["--overwrite"]] {
        let ran = crawlprefs(&[&["resolve", "-q", &b, "-o", &out], overwrite].concat());
        assert_eq!(ran.status, 1, "{}", ran.err);
        assert!(
            ran.err
                .contains("made from archives without evidence now (2, such as"),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("--drop-missing"), "{}", ran.err);
        assert!(split.tables() == before, "the tables were changed");
    }
    // Somebody removes an archive's evidence from one folder.
    let manifest = "CC-MAIN-20260810060000-20260810090000-00000";
    let manifests = split.path("b/_manifest/crawl=CC-MAIN-2026-34");
    let file = fs::read_dir(&manifests)
        .expect("manifests")
        .map(|entry| entry.expect("a manifest").path());
    let file = file
        .into_iter()
        .find(|file| file.to_string_lossy().contains(manifest))
        .expect("the archive");
    fs::rename(&file, split.path("kept.json")).expect("a file");
    let ran = crawlprefs(&["resolve", "-q", &split.text("a"), &b, "-o", &out]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(
        ran.err.contains("without evidence now (1, such as"),
        "{}",
        ran.err
    );
    let (status, text) = split.judged();
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("name every folder of evidence"), "{text}");
    fs::rename(split.path("kept.json"), &file).expect("a file");
    assert_eq!(split.judged().0, 0);
}

#[test]
fn local_with_drop_missing_tables_are_those_of_what_is_left() {
    let split = Split::new();
    let (b, out, fresh) = (split.text("b"), split.text("out"), split.text("fresh"));
    let ran = crawlprefs(&["resolve", "-q", &b, "-o", &out, "--drop-missing"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let ran = crawlprefs(&["resolve", "-q", &b, "-o", &fresh]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(split.tables() == crate::files::files(Path::new(&fresh)));
}

#[test]
fn local_tables_with_a_part_that_is_gone_are_not_read() {
    let split = Split::new();
    let whole = split.tables();
    fs::remove_dir_all(split.path("out/pages")).expect("a table");
    let (status, text) = split.judged();
    assert_eq!(status, 1, "{text}");
    assert!(
        text.contains("(pages/crawl=")
            && text.contains("run crawlprefs resolve to make them again"),
        "{text}"
    );
    let ran = crawlprefs(&[
        "resolve",
        "-q",
        &split.text("a"),
        &split.text("b"),
        "-o",
        &split.text("out"),
    ]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(split.tables() == whole);
    assert_eq!(split.judged().0, 0);
}

#[test]
fn local_tables_find_their_evidence_from_another_folder() {
    let split = Split::new();
    let command = |folder: &Path, args: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
            .args(args)
            .current_dir(folder)
            .output()
            .expect("the command starts")
    };
    let ran = command(
        split.folder.path(),
        &["resolve", "-q", "a", "b", "-o", "relative"],
    );
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    fs::write(
        split.path("urls.txt"),
        "https://closed-to-ai.example/never-captured\n",
    )
    .expect("a file");
    let other = tempfile::tempdir().expect("a temporary folder");
    let ran = command(
        other.path(),
        &[
            "judge",
            "-q",
            &split.text("urls.txt"),
            "--tables",
            &split.text("relative"),
        ],
    );
    let text =
        String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert!(
        ran.status.success() && text.contains(r#""prefs_access":"disallow""#),
        "{text}"
    );
}
