//! The name of a crawl, which becomes a folder's name: `CC-MAIN-2026-34`.
//!
//! It can only be made by a parser that refuses, also from a manifest or an index of somebody else. Left out: which crawls there
//! are.

use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

/// The crawl of archives whose names have none.
pub const LOCAL_CRAWL: &str = "local";

/// The longest name: `crawl=` and an ending still fit into the name of a file.
const LONGEST: usize = 200;

/// The name of a crawl: letters, digits, dot, underscore and hyphen.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CrawlId(String);

impl CrawlId {
    /// Returns `name` if it may name a crawl.
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let is_plain = name.bytes().all(plain) && name.bytes().any(|byte| byte != b'.');
        (is_plain && name.len() <= LONGEST).then(|| Self(name.to_owned()))
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for CrawlId {
    fn default() -> Self {
        Self(LOCAL_CRAWL.to_owned())
    }
}

impl TryFrom<String> for CrawlId {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let expected = "expected letters, digits, dots, underscores and hyphens";
        let shown = || name.chars().take(LONGEST).collect::<String>();
        Self::new(&name).ok_or_else(|| format!("{:?} is no name of a crawl; {expected}", shown()))
    }
}

impl From<CrawlId> for String {
    fn from(crawl: CrawlId) -> Self {
        crawl.0
    }
}

impl Deref for CrawlId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for CrawlId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CrawlId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::CrawlId;

    #[test]
    fn local_a_crawl_id_can_be_a_folder_name() {
        assert_eq!(
            CrawlId::new("CC-MAIN-2026-34").as_deref(),
            Some("CC-MAIN-2026-34")
        );
        for refused in [
            "",
            ".",
            "..",
            "a/b",
            "../a",
            "a b",
            "ü",
            "a\\b",
            "a\0",
            &"a".repeat(1 << 20),
        ] {
            assert_eq!(CrawlId::new(refused), None, "{refused:?}");
            let json = serde_json::to_string(refused).unwrap();
            assert!(
                serde_json::from_str::<CrawlId>(&json).is_err(),
                "{refused:?}"
            );
        }
    }
}
