//! Scenarios through `crawlprefs explain --json`.

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs scenarios through the command and returns the answers.
pub fn explain(scenarios: &[Value]) -> Vec<Value> {
    let lines: String = scenarios
        .iter()
        .map(|scenario| format!("{scenario}\n"))
        .collect();
    explain_lines(lines.into_bytes())
}

/// Runs lines through the command and returns the answers; its exit status is 1 if one of them is an error.
pub fn explain_lines(lines: Vec<u8>) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(["explain", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || pipe.write_all(&lines));
    let output = child.wait_with_output().expect("it ends");
    writer
        .join()
        .expect("no panic")
        .expect("the command reads all");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let answers: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let has_error = answers.iter().any(|answer| answer.get("error").is_some());
    assert_eq!(output.status.code(), Some(i32::from(has_error)));
    answers
}
