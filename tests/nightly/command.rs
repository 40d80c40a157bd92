//! Runs the command.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// How a call ended.
pub struct Ran {
    /// The exit status.
    pub status: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// Returns the lines of a log in JSON.
    pub fn events(&self) -> Vec<Value> {
        self.err
            .lines()
            .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
            .collect()
    }
}

/// Runs the command.
pub fn crawlprefs(args: &[&str]) -> Ran {
    crawlprefs_in(Path::new("."), args)
}

/// Runs the command in a folder.
pub fn crawlprefs_in(folder: &Path, args: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(args)
        .current_dir(folder)
        .output();
    let Output {
        status,
        stdout,
        stderr,
    } = output.expect("the command starts");
    Ran {
        status: status.code().unwrap_or(-1),
        out: String::from_utf8(stdout).expect("UTF-8"),
        err: String::from_utf8(stderr).expect("UTF-8"),
    }
}

/// Returns a path in a folder as text.
pub fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_string_lossy().into_owned()
}

/// Returns the names of the events.
pub fn names(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["event"].as_str().expect("a name"))
        .collect()
}

/// Writes an archive that ends inside its second record.
pub fn write_cut_archive(file: &str) {
    let whole =
        std::fs::read("sample-data/local/site.warc").expect("sample-data is in the repository");
    std::fs::write(file, &whole[..whole.len() - 9]).expect("it can be written");
}

/// Runs the command in a folder, and holds that it ends with 0.
pub fn done(folder: &Path, args: &[&str]) -> Ran {
    let ran = crawlprefs_in(folder, args);
    assert_eq!(ran.status, 0, "{args:?}: {}", ran.err);
    ran
}

/// Holds that a call is refused with a message.
pub fn refused(ran: &Ran, message: &str) {
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(
        ran.err.contains(message),
        "expected {message:?} in {:?}",
        ran.err
    );
}
