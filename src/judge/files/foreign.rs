//! Files of other formats, whose bytes could pass for a list of URLs.
//!
//! A file is refused by its first bytes, by a name that promises another format, or if most of its first lines are not URLs.
//! Examples: Arrow IPC, a pointer of Git LFS, `a.parquet` of no bytes. Left out: whether a file of documents is whole.

use crate::web::foreign_file::{Expected, foreign_file};
use std::path::Path;

/// Returns what a file is, by its first bytes or by those of its text, if it is of another format.
pub fn by_magic(start: &[u8]) -> Option<String> {
    let has_nuls = || start.iter().take(64).filter(|byte| **byte == 0).count() > 1;
    let found = foreign_file(start, Expected::Documents)
        .or_else(|| has_nuls().then(|| "binary, or text in UTF-16 or UTF-32".to_owned()));
    found.map(|what| format!("it is {what}"))
}

/// What the name of a file promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promised {
    Parquet,
    Json,
    Nothing,
}

impl Promised {
    /// Returns what a name promises, without the ending of its compression.
    pub fn by(path: &Path) -> Self {
        match ending(&path.file_name().unwrap_or_default().to_string_lossy()).as_str() {
            "parquet" | "pq" => Self::Parquet,
            "jsonl" | "ndjson" | "jsonlines" | "jl" | "json" => Self::Json,
            _ => Self::Nothing,
        }
    }
}

/// Returns the ending of a name in lower case, without that of a compression; empty if there is none.
pub fn ending(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let bare = [".gz", ".gzip", ".zst", ".zstd"]
        .iter()
        .find_map(|codec| name.strip_suffix(codec));
    bare.unwrap_or(&name)
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_owned())
        .unwrap_or_default()
}

/// The lines of a list that are looked at; any number of this size.
const LINES: usize = 100;

/// Returns why the beginning of a text is not a list of URLs, if most lines have no scheme; the last line may be cut.
pub fn no_urls(text: &[u8]) -> Option<String> {
    let has_scheme = |line: &&[u8]| {
        let scheme = line
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
            .count();
        scheme > 1 && line.get(scheme) == Some(&b':')
    };
    let lines = text
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty());
    let lines: Vec<&[u8]> = lines.take(LINES).collect();
    let urls = lines.iter().filter(|line| has_scheme(line)).count();
    let count = lines.len();
    (urls * 2 < count).then(|| {
        format!(
            "of its first {count} lines {urls} are URLs, and none is a JSON object: it is no list of URLs"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{Promised, by_magic, ending, no_urls};
    use std::path::Path;

    #[test]
    fn local_names_promise_formats() {
        for (name, promised) in [
            ("a.parquet", Promised::Parquet),
            ("a.PQ", Promised::Parquet),
            ("a.jsonl.zstd", Promised::Json),
            ("a.JSON.GZ", Promised::Json),
            ("a.txt", Promised::Nothing),
            ("parquet", Promised::Nothing),
        ] {
            assert_eq!(Promised::by(Path::new(name)), promised, "{name}");
        }
        assert_eq!(ending("a.b.JL.gz"), "jl");
    }

    #[test]
    fn local_lists_are_known_by_most_of_their_lines() {
        assert_eq!(no_urls(b""), None);
        assert_eq!(
            no_urls(b"https://a.example/\n\nmailto:a@a.example\nx\n"),
            None
        );
        assert!(
            no_urls(b"com,example)/ 20260810000000 x\n")
                .is_some_and(|why| why.contains("of its first 1 lines 0 are URLs"))
        );
        assert!(by_magic(b"  <HTML>").is_some() && by_magic(b"h\0t\0t\0").is_some());
        assert_eq!(by_magic(b"https://a.example/"), None);
    }
}
