//! `docs/explain.md` shows what the commands in it print, on the files in `tests/transcripts`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the commands of each example and what is shown below them.
fn examples(text: &str) -> Vec<(String, &str)> {
    let examples = text.split("```console\n").skip(1).map(|example| {
        let (console, rest) = example.split_once("```\n").expect("an end of the commands");
        let shown = rest.strip_prefix("```text\n").expect("output below them");
        let (shown, _) = shown.split_once("```").expect("an end of the output");
        (console.replace("$ ", ""), shown)
    });
    examples.collect()
}

/// Runs commands in a folder with copies of the files.
fn printed(commands: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for entry in fs::read_dir("tests/transcripts").expect("the files are there") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, folder.path().join(path.file_name().expect("a name"))).expect("a copy");
    }
    let program = PathBuf::from(env!("CARGO_BIN_EXE_crawlprefs"));
    let programs = program.parent().expect("a folder").as_os_str().to_owned();
    let mut path = programs;
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-e", "-c", commands])
        .env("PATH", path)
        .current_dir(folder.path())
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{commands}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
#[cfg(unix)]
fn local_the_transcripts_are_what_the_commands_print() {
    let path = Path::new("docs/explain.md");
    let text = fs::read_to_string(path).expect("docs/explain.md");
    let examples = examples(&text);
    assert_eq!(examples.len(), 4);
    let mut whole = text.clone();
    for (commands, shown) in &examples {
        let printed = printed(commands);
        for line in printed.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let block = |output: &str| format!("```text\n{output}```");
        let at = whole.find(&block(shown)).expect("the example");
        whole.replace_range(at..at + block(shown).len(), &block(&printed));
    }
    if std::env::var_os("CRAWLPREFS_WRITE_TRANSCRIPTS").is_some() {
        fs::write(path, &whole).expect("it can be written");
    } else {
        assert!(whole == text, "docs/explain.md is not what its commands print; it should be\n{whole}");
    }
}
