//! What a file is whose first bytes show that it is not what was expected, and what helps.
//!
//! Examples: Arrow IPC where documents were expected, a pointer of Git LFS where an archive was. Left out: bodies of answers
//! (`body_text`), and files that one reader alone knows, such as lists.

use super::body_text::{Markup, markup};

/// What was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Archive,
    Documents,
}

/// A format, by the first bytes of a file.
struct ForeignFormat {
    start: &'static [u8],
    name: &'static str,
    /// What helps where documents were expected; empty: nothing.
    documents: &'static str,
    /// What helps where an archive was expected.
    archive: &'static str,
}

const fn format(
    start: &'static [u8],
    name: &'static str,
    documents: &'static str,
) -> ForeignFormat {
    ForeignFormat {
        start,
        name,
        documents,
        archive: "",
    }
}

const fn packed(start: &'static [u8], name: &'static str) -> ForeignFormat {
    ForeignFormat {
        archive: "unpack it",
        ..format(start, name, "use gzip or zstd")
    }
}

const WRITE: &str = "write it as Parquet";
const FETCH: &str = "fetch the file itself with `git lfs pull`";

const FORMATS: &[ForeignFormat] = &[
    ForeignFormat {
        archive: "judge reads documents, and resolve the tables of a run",
        ..format(b"PAR1", "Parquet", "")
    },
    format(b"PARE", "encrypted Parquet, whose key is not known", ""),
    format(b"ARROW1", "Arrow IPC", WRITE),
    format(b"\xff\xff\xff\xff", "a stream of Arrow IPC", WRITE),
    format(b"Obj\x01", "Avro", WRITE),
    format(b"ORC", "ORC", WRITE),
    format(b"\x93NUMPY", "an array of NumPy", WRITE),
    format(b"SQLite format 3\0", "a database of SQLite", WRITE),
    packed(b"\xfd7zXZ\0", "compressed with xz"),
    packed(b"BZh", "compressed with bzip2"),
    packed(b"\x04\x22\x4d\x18", "compressed with lz4"),
    format(b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it"),
    format(b"PK\x03\x04", "a ZIP", "unpack it"),
    format(b"PK\x05\x06", "an empty ZIP", ""),
    format(b"%PDF", "PDF", ""),
    format(b"\xff\xfe", "UTF-16", "write it as UTF-8"),
    format(b"\xfe\xff", "UTF-16", "write it as UTF-8"),
    format(b"WARC/", "a WARC", "`crawlprefs run` reads it"),
    ForeignFormat {
        archive: FETCH,
        ..format(
            b"version https://git-lfs.github.com/",
            "a pointer of Git LFS",
            FETCH,
        )
    },
    format(
        b"[",
        "a JSON array",
        "write one object a line, as `jq -c '.[]'` does",
    ),
];

const MARKUP: ForeignFormat = ForeignFormat {
    archive: "it may be a server's error in the archive's place; fetch it again",
    ..format(b"<", "HTML or XML", "")
};

/// Returns what a file is that is not what was expected, and what helps, if its first bytes show it.
pub fn foreign_file(start: &[u8], expected: Expected) -> Option<String> {
    let is_markup = || matches!(markup(start), Markup::Html | Markup::Xml);
    let mut formats = FORMATS.iter();
    let found = formats
        .find(|format| start.starts_with(format.start))
        .or_else(|| is_markup().then_some(&MARKUP))?;
    let (help, mark) = match expected {
        Expected::Archive => (found.archive, ':'),
        Expected::Documents => (found.documents, ';'),
    };
    Some(match help {
        "" => found.name.to_owned(),
        help => format!("{}{mark} {help}", found.name),
    })
}
