//! The names that well-known data sets give to the columns or members of their documents.
//!
//! Example: C4 has `url`, `timestamp` and `text`; HPLT and warc2text have `u`, `ts`, `f` and `o`. A file is read by the first
//! dialect whose marks are all in its first row or, without one, by the names of [`ColumnNames::default`]. Sources of the
//! names: the data sets' own pages, as docs/filtering.md lists them.

use super::columns::{field, footer, steps};
use super::kind::{Codec, FileKind, LineKind, lines};
use super::names::ColumnNames;
use crate::judge::ExceptionColumns;
use arrow_schema::Schema;
use serde_json::Value;
use std::io::{self, BufRead, Read};
use std::path::Path;

/// A data set's names for its columns; an empty name is for a column that it lacks, or calls as most do.
pub struct Dialect {
    /// Its name in `--dialect`.
    pub name: &'static str,
    /// The columns by which it is found.
    marks: &'static [&'static str],
    url: &'static str,
    /// The WARC-Record-ID.
    id: &'static str,
    date: &'static str,
    file: &'static str,
    offset: &'static str,
    text: &'static [&'static str],
    tokens: &'static str,
}

const NONE: Dialect = Dialect {
    name: "",
    marks: &[],
    url: "url",
    id: "",
    date: "",
    file: "",
    offset: "",
    text: &["text"],
    tokens: "",
};

/// The dialects; one with more marks comes before those that share them.
pub static DIALECTS: [Dialect; 10] = [
    Dialect {
        name: "warc2text",
        marks: &["u", "ts", "f", "o", "p"],
        url: "u",
        date: "ts",
        file: "f",
        offset: "o",
        text: &["p"],
        ..NONE
    },
    Dialect {
        name: "hplt",
        marks: &["u", "ts", "f", "o"],
        url: "u",
        date: "ts",
        file: "f",
        offset: "o",
        text: &["text", "t"],
        ..NONE
    },
    // OSCAR's record is that of the WET; it refers to the record that it was made from.
    Dialect {
        name: "oscar",
        marks: &["content", "warc_headers.warc-target-uri"],
        url: "warc_headers.warc-target-uri",
        id: "warc_headers.warc-refers-to",
        date: "warc_headers.warc-date",
        text: &["content"],
        ..NONE
    },
    Dialect {
        name: "redpajama",
        marks: &["url", "date_download", "raw_content"],
        date: "date_download",
        text: &["raw_content"],
        ..NONE
    },
    Dialect {
        name: "fineweb2",
        marks: &["url", "id", "date", "file_path", "dump", "minhash_cluster_size"],
        id: "id",
        date: "date",
        ..NONE
    },
    Dialect {
        name: "fineweb",
        marks: &["url", "id", "date", "file_path", "dump"],
        id: "id",
        date: "date",
        tokens: "token_count",
        ..NONE
    },
    Dialect { name: "c4", marks: &["url", "timestamp", "text"], date: "timestamp", ..NONE },
    Dialect {
        name: "common-pile",
        marks: &["id", "text", "source", "metadata.license"],
        url: "metadata.url",
        id: "metadata.warc_record_id",
        date: "created",
        ..NONE
    },
    Dialect {
        name: "dolma",
        marks: &["id", "text", "source", "metadata.url"],
        url: "metadata.url",
        id: "metadata.warc_record_id",
        date: "created",
        ..NONE
    },
    Dialect { name: "laion", marks: &["URL", "TEXT"], url: "URL", text: &["TEXT"], ..NONE },
];

impl Dialect {
    /// Returns the names of its columns. The general ones come after its own, so that an id that a user added is found.
    pub fn names(&self) -> ColumnNames {
        let before = |own: &[&str], general: &[String]| {
            let own = own.iter().filter(|name| !name.is_empty()).map(|name| (*name).to_owned());
            let mut names: Vec<String> = own.collect();
            names.extend(general.iter().filter(|name| !names.contains(name)).cloned().collect::<Vec<_>>());
            names
        };
        let general = ColumnNames::default();
        ColumnNames {
            url: before(&[self.url], &general.url),
            id: before(&[self.id], &general.id),
            date: before(&[self.date], &general.date),
            file: before(&[self.file], &general.file),
            offset: before(&[self.offset], &general.offset),
            text: before(self.text, &general.text),
            tokens: before(&[self.tokens], &general.tokens),
            ..general
        }
    }

    /// Returns the dialect of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        DIALECTS.iter().find(|dialect| dialect.name == name)
    }
}

/// How the columns of each file are found.
#[derive(Clone, Debug)]
pub struct DocumentNames {
    /// Their names in a file of no dialect.
    plain: ColumnNames,
    /// The dialects that are looked for, in order, with their names.
    dialects: Vec<(&'static Dialect, ColumnNames)>,
    /// Whether the first dialect is that of every file.
    is_given: bool,
}

impl std::fmt::Debug for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Default for DocumentNames {
    fn default() -> Self {
        let dialects = DIALECTS.iter().map(|dialect| (dialect, dialect.names())).collect();
        Self { plain: ColumnNames::default(), dialects, is_given: false }
    }
}

impl From<ColumnNames> for DocumentNames {
    /// These names, in every file.
    fn from(plain: ColumnNames) -> Self {
        Self { plain, dialects: Vec::new(), is_given: false }
    }
}

impl DocumentNames {
    /// Returns the names of one dialect for every file, which must have its URL.
    pub fn of(dialect: &'static Dialect) -> Self {
        let names = ColumnNames { required: vec![dialect.url.to_owned()], ..dialect.names() };
        Self { plain: ColumnNames::default(), dialects: vec![(dialect, names)], is_given: true }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut ColumnNames> {
        self.dialects.iter_mut().map(|(_, names)| names).chain([&mut self.plain])
    }

    /// Gives the URLs other names, each for one URL of a document; every file must have all of them.
    pub fn give_urls(&mut self, urls: &[String]) {
        self.all().for_each(|names| names.give_urls(urls));
    }

    /// Gives the id or the date another name, which every file must have.
    pub fn give(&mut self, name: Option<&String>, of: impl Fn(&mut ColumnNames) -> &mut Vec<String>) {
        self.all().for_each(|names| names.give(name, &of));
    }

    /// Also reads the values of these columns, which every file must have.
    pub fn except(&mut self, columns: &ExceptionColumns) {
        self.all().for_each(|names| names.excepted = columns.clone());
    }

    /// Returns the text that must be the same for two calls to count as one.
    pub fn text(&self) -> String {
        let dialects =
            self.dialects.iter().map(|(dialect, names)| format!("{}: {}", dialect.name, names.text()));
        dialects.chain([self.plain.text()]).collect::<Vec<_>>().join("; ")
    }

    /// Returns the names of a file, and its dialect, if it has one.
    pub fn of_file(&self, path: &Path, kind: FileKind) -> io::Result<(&ColumnNames, Option<&'static str>)> {
        if self.is_given || self.dialects.is_empty() {
            return Ok(self.found(|_| true));
        }
        match kind {
            FileKind::Parquet => Ok(self.of_schema(footer(path)?.schema())),
            FileKind::Lines(LineKind::Json, codec) => {
                // The reader of its documents reports what is wrong with the file.
                let row = first_row(path, codec).unwrap_or_default();
                Ok(self.found(|path| path.iter().try_fold(&row, |value, step| value.get(step)).is_some()))
            }
            FileKind::Lines(LineKind::Urls, _) => Ok((&self.plain, None)),
        }
    }

    /// Returns the names of rows with these columns, and their dialect, if they have one.
    pub fn of_schema(&self, schema: &Schema) -> (&ColumnNames, Option<&'static str>) {
        self.found(|path| self.is_given || field(schema.fields(), path).is_some())
    }

    fn found(&self, has: impl Fn(&[&str]) -> bool) -> (&ColumnNames, Option<&'static str>) {
        let is_there = |mark: &&str| steps(mark).any(|path| has(&path));
        let found = self.dialects.iter().find(|(dialect, _)| dialect.marks.iter().all(is_there));
        found.map_or((&self.plain, None), |(dialect, names)| (names, Some(dialect.name)))
    }
}

/// The most bytes of a line in which marks are looked for.
const LINE_BYTES: u64 = 32 << 20;

/// Returns the first object of a file of lines; null if none can be read.
fn first_row(path: &Path, codec: Codec) -> io::Result<Value> {
    let mut line = Vec::new();
    let mut reader = lines(path, codec)?.take(LINE_BYTES);
    while line.trim_ascii().is_empty() {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            break;
        }
    }
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
    Ok(serde_json::from_slice(line).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{DIALECTS, Dialect};

    #[test]
    fn local_dialects_have_names_of_their_own_and_more_marks_come_first() {
        for (place, dialect) in DIALECTS.iter().enumerate() {
            assert_eq!(Dialect::named(dialect.name).map(|found| found.url), Some(dialect.url));
            for later in &DIALECTS[place + 1..] {
                assert_ne!(later.name, dialect.name);
                let hides = dialect.marks.iter().all(|mark| later.marks.contains(mark));
                assert!(!hides, "{} is never found behind {}", later.name, dialect.name);
            }
        }
    }
}
