//! Passes the commit to `--version --verbose` of optimised builds. A development build has none: each commit would build
//! it again.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=CRAWLPREFS_COMMIT");
    let is_optimised = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = if is_optimised {
        given().or_else(packaged).or_else(of_checkout)
    } else {
        given()
    };
    if let Some(commit) = commit {
        println!("cargo::rustc-env=CRAWLPREFS_BUILT_FROM={commit}");
    } else {
        println!("cargo::rerun-if-changed=build.rs");
    }
}

/// Returns the commit that the builder names, such as that of an image, which has no checkout.
fn given() -> Option<String> {
    env::var("CRAWLPREFS_COMMIT")
        .ok()
        .filter(|commit| !commit.is_empty())
}

/// Returns the commit that `cargo package` wrote down.
fn packaged() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// Returns the commit of the checkout, with `-modified` where files differ from it; nothing in a folder of another
/// repository.
fn of_checkout() -> Option<String> {
    let root = git(&["rev-parse", "--show-toplevel"])?;
    if fs::canonicalize(root).ok()? != fs::canonicalize(".").ok()? {
        return None;
    }
    for watched in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", watched])?;
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    for watched in [
        "src",
        "data",
        "sample-data",
        "Cargo.toml",
        "Cargo.lock",
        "build.rs",
    ] {
        println!("cargo::rerun-if-changed={watched}");
    }
    git(&[
        "describe",
        "--always",
        "--dirty=-modified",
        "--abbrev=40",
        "--exclude=*",
    ])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
