//! Scenarios through `crawlprefs explain --json`.

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs scenarios through the command and returns the answers.
pub fn explain(scenarios: &[Value]) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(["explain", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let lines: String = scenarios.iter().map(|scenario| format!("{scenario}\n")).collect();
    let writer = std::thread::spawn(move || pipe.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("the command reads all");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}
