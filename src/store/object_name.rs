//! The names of objects: a name never leads out of its folder or prefix, whoever wrote it.
//!
//! Example: `sites/crawl=local/part-all-site.parquet` is a name. `sites/crawl=../../x` is none: it came from a stranger's
//! `_index.json`, and a file beside the output would be replaced. Every store refuses it before it looks at anything. Left out:
//! symbolic links, by which a folder may lead elsewhere (`links`).

use crate::web::shown::visible;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, ErrorKind};
use std::ops::Deref;

/// Refuses a name that is not a path below a place: an empty, `.` or `..` part, a backslash, NUL, or a slash at the start.
///
/// # Errors
/// `InvalidInput`, with the name.
pub fn check_name(name: &str) -> io::Result<()> {
    let is_part = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']);
    if name.split('/').all(is_part) {
        return Ok(());
    }
    let shown: String = name.chars().take(200).collect();
    let detail = format!(
        "found the name `{}`, expected one that stays below its folder: without empty parts, `.`, `..`, backslashes and NUL",
        visible(&shown)
    );
    Err(io::Error::new(ErrorKind::InvalidInput, detail))
}

/// The name of an object, as a file of ours states it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ObjectName(String);

impl TryFrom<String> for ObjectName {
    type Error = io::Error;

    fn try_from(name: String) -> io::Result<Self> {
        check_name(&name).map(|()| Self(name))
    }
}

impl From<ObjectName> for String {
    fn from(name: ObjectName) -> Self {
        name.0
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Deref for ObjectName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{ObjectName, check_name};

    #[test]
    fn local_a_name_stays_below_its_folder() {
        for name in [
            "a",
            "a/b",
            "crawl=CC-MAIN-2026-34/a b.parquet",
            ".a",
            "...",
            "a..b/c",
            "C:/x",
            "ü",
        ] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        let refused = [
            "",
            "/a",
            "a/",
            "a//b",
            ".",
            "..",
            "./a",
            "a/./b",
            "a/..",
            "../a",
            "a/../../b",
            "a\\b",
            "\\",
            "a\0",
        ];
        for name in refused {
            assert!(check_name(name).is_err(), "{name:?}");
            let json = serde_json::to_string(name).unwrap();
            assert!(
                serde_json::from_str::<ObjectName>(&json).is_err(),
                "{name:?}"
            );
        }
        let error = check_name("../\u{1b}[2J").unwrap_err().to_string();
        assert!(!error.contains('\u{1b}'), "{error}");
    }
}
