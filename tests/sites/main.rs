//! The site index: what is answered by it is what is answered by evidence, and its bytes depend on the archives alone.

mod alike;
mod altered;
mod as_of;
#[path = "../support/ending.rs"]
mod ending;
#[path = "../support/files.rs"]
mod files;
mod history;
mod hostile;
mod hostile_parts;
mod incomplete;
mod judged;
#[path = "../support/kept_folder.rs"]
mod kept_folder;
mod layers;
mod merged;
mod named;
mod not_understood;
mod one_body;
mod one_site;
#[allow(dead_code, reason = "other tests ask more of it")]
#[path = "../support/random.rs"]
mod random;
#[path = "../support/rounds.rs"]
mod rounds;
#[path = "../support/rows.rs"]
mod rows;
mod strangers;
mod verified;
mod world;

use files::files;
use kept_folder::KeptFolder;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

/// The generated world: `out-N` with the evidence of a crawl, `tables` of all, `index` of all.
static WORLD: LazyLock<KeptFolder> = LazyLock::new(|| {
    let folder = KeptFolder::new("sites");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    for number in 0..world::CRAWLS.len() {
        let archives = folder.path().join(format!("archives-{number}"));
        world::crawl(&archives, number, 1);
        done(&[
            "scan",
            &archives.to_string_lossy(),
            "-q",
            "-o",
            &at(&format!("out-{number}")),
        ]);
    }
    let evidence = evidence_in(folder.path());
    let evidence: Vec<&str> = evidence.iter().map(String::as_str).collect();
    done(&[&["resolve", "-q", "-o", &at("tables")], evidence.as_slice()].concat());
    done(&[&["index", "-q", "-o", &at("index")], evidence.as_slice()].concat());
    folder
});

/// Returns a folder of the world.
fn of_world(name: &str) -> String {
    WORLD.path().join(name).to_string_lossy().into_owned()
}

/// Returns the folders with the evidence of the world.
fn evidence() -> Vec<String> {
    evidence_in(WORLD.path())
}

fn evidence_in(folder: &Path) -> Vec<String> {
    let name = |number| {
        folder
            .join(format!("out-{number}"))
            .to_string_lossy()
            .into_owned()
    };
    (0..world::CRAWLS.len()).map(name).collect()
}

/// Returns a number that a variable asks for, as `.ci/nightly` does, or another one.
fn asked(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).map_or(otherwise, |count| count.parse().expect("a number"))
}

/// Runs the command.
fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(args)
        .output()
        .expect("the command runs")
}

/// Runs the command, which succeeds; returns what it printed.
fn done(args: &[&str]) -> String {
    let ran = run(args);
    assert!(
        ran.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    String::from_utf8(ran.stdout).expect("UTF-8")
}

/// Runs the command, which fails; returns its exit status and its message.
fn failed(args: &[&str]) -> (Option<i32>, String) {
    let ran = run(args);
    assert!(!ran.status.success(), "{args:?}");
    (
        ran.status.code(),
        String::from_utf8(ran.stderr).expect("UTF-8"),
    )
}
