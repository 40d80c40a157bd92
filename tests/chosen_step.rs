//! Which step of `.ci/nightly` a run of CI takes: by the paths that changed since the last landing, else by turns.
//!
//! Example: a branch that changes two files of `tests/frames` takes the step `frames`.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A checkout with the scripts of CI.
struct Checkout(TempDir);

impl Checkout {
    /// Makes a repository with one commit on `main`.
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        fs::create_dir(folder.path().join(".ci")).expect("a folder");
        for script in ["nightly", "nightly-paths", "places", "steps"] {
            let script = format!(".ci/{script}");
            fs::copy(&script, folder.path().join(&script)).expect("a copy");
        }
        let checkout = Self(folder);
        checkout.git(&["init", "--quiet", "--initial-branch=main"]);
        checkout.commit(&["README.md"]);
        checkout
    }

    /// Clones a checkout, with these options of Git.
    fn of(origin: &Self, options: &[&str]) -> Self {
        let checkout = Self(TempDir::new().expect("a folder"));
        let url = format!("file://{}", origin.0.path().display());
        checkout.git(&[&["clone", "--quiet"], options, &[&url, "."]].concat());
        checkout
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.0.path())
            .env("XDG_CACHE_HOME", self.0.path().join(".git/cache"))
            .env_remove("CRAWLPREFS_LANDED")
            .envs([
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_AUTHOR_NAME", "a"),
                ("GIT_AUTHOR_EMAIL", "a@a.example"),
                ("GIT_COMMITTER_NAME", "a"),
                ("GIT_COMMITTER_EMAIL", "a@a.example"),
            ]);
        command
    }

    fn git(&self, arguments: &[&str]) -> String {
        printed(self.command("git").args(arguments))
    }

    /// Changes files and commits them.
    fn commit(&self, files: &[&str]) {
        for file in files {
            let path = self.0.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            let before = fs::read_to_string(&path).unwrap_or_default();
            fs::write(path, before + "changed\n").expect("a file");
        }
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "--message", "change"]);
    }

    /// Commits nothing until the number of commits has this remainder by four.
    fn commit_until(&self, remainder: usize) -> usize {
        loop {
            let count = self.git(&["rev-list", "--count", "HEAD"]);
            let count: usize = count.trim().parse().expect("a number");
            if count % 4 == remainder {
                return count;
            }
            self.git(&["commit", "--quiet", "--allow-empty", "--message", "nothing"]);
        }
    }

    fn nightly(&self, option: &str) -> String {
        printed(self.command("bash").args([".ci/nightly", option]))
    }

    fn names(&self) -> Vec<String> {
        self.nightly("--names").lines().map(str::to_owned).collect()
    }

    /// Returns the step whose turn a number is.
    fn turn(&self, number: usize) -> String {
        let names = self.names();
        format!("{}\n", names[number % names.len()])
    }
}

fn printed(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn local_the_step_with_the_most_changed_files_since_main_is_taken() {
    let checkout = Checkout::new();
    checkout.commit(&["tests/audit/on_main"]);
    checkout.git(&["switch", "--quiet", "--create", "topic"]);
    checkout.commit(&["tests/frames/a.rs", "tests/hostile/a.py", "docs/a.md"]);
    checkout.commit(&["tests/frames/b.rs", "tests/frames_not/c.rs"]);
    assert_eq!(checkout.nightly("--by-paths"), "frames\t2\nhostile\t1\n");
    checkout.commit_until(1);
    assert_eq!(checkout.nightly("--chosen"), "frames\n");
}

#[test]
fn local_steps_that_no_path_chooses_have_their_turn() {
    let checkout = Checkout::new();
    checkout.git(&["switch", "--quiet", "--create", "topic"]);
    checkout.commit(&["docs/a.md", "src/lib.rs"]);
    let count = checkout.commit_until(3);
    assert_eq!(checkout.nightly("--by-paths"), "");
    assert_eq!(checkout.nightly("--chosen"), checkout.turn(count));
    checkout.commit(&["tests/frames/a.rs"]);
    let count = checkout.commit_until(0);
    assert_eq!(checkout.nightly("--chosen"), checkout.turn(count / 4));
}

#[test]
fn local_on_main_the_last_merge_or_the_last_20_commits_are_the_landing() {
    let checkout = Checkout::new();
    checkout.commit(&["tests/audit/a.py"]);
    for _ in 0..20 {
        checkout.commit(&["docs/a.md"]);
    }
    assert_eq!(checkout.nightly("--by-paths"), "");
    checkout.git(&["switch", "--quiet", "--create", "topic"]);
    checkout.commit(&["tests/frames/a.rs"]);
    checkout.git(&["switch", "--quiet", "main"]);
    checkout.commit(&["tests/hostile/a.py"]);
    assert_eq!(checkout.nightly("--by-paths"), "hostile\t1\n");
    checkout.git(&["merge", "--quiet", "topic", "--message", "merge"]);
    assert_eq!(checkout.nightly("--by-paths"), "frames\t1\n");
    let landed = checkout.git(&["rev-parse", "HEAD~20"]);
    let mut given = checkout.command("bash");
    given.args([".ci/nightly", "--by-paths"]);
    given.env("CRAWLPREFS_LANDED", landed.trim());
    assert_eq!(printed(&mut given), "frames\t1\nhostile\t1\n");
    given.env("CRAWLPREFS_LANDED", "0".repeat(40));
    assert_eq!(printed(&mut given), "frames\t1\n");
}

#[test]
fn local_a_clone_knows_the_main_of_its_origin_and_a_shallow_one_takes_turns() {
    let origin = Checkout::new();
    origin.git(&["switch", "--quiet", "--create", "topic"]);
    origin.commit(&["tests/frames/a.rs"]);
    let clone = Checkout::of(&origin, &["--branch=topic"]);
    assert_eq!(clone.nightly("--by-paths"), "frames\t1\n");
    let shallow = Checkout::of(&origin, &["--branch=topic", "--depth=1"]);
    assert_eq!(shallow.nightly("--by-paths"), "");
    assert_eq!(shallow.nightly("--chosen"), shallow.turn(1));
}

#[test]
fn local_the_table_has_paths_and_steps_that_exist() {
    let names = Checkout::new().names();
    let table = fs::read_to_string(".ci/nightly-paths").expect("the table");
    let rows: Vec<(&str, &str)> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('\t').expect("a path and steps"))
        .collect();
    assert!(rows.is_sorted() && rows.len() > 20, "{rows:?}");
    for (path, steps) in rows {
        assert!(Path::new(path).exists(), "{path}");
        for step in steps.split(' ') {
            assert!(names.iter().any(|name| name == step), "{path}: {step}");
        }
    }
}
