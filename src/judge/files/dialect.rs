//! The names of the columns or members of documents, also those that well-known data sets give to them.
//!
//! Example: C4 has `url`, `timestamp` and `text`; datatrove writes `metadata.url`. A dot leads into a struct or object if no
//! column has the whole name. A file is read by the first dialect whose marks are all in its first row or, without one, by the
//! names of [`ColumnNames::default`]. Sources of the names: the data sets' own pages, as docs/filtering.md lists them.

use super::columns::{field, footer, steps};
use super::dates::DateNames;
use super::kind::{FileKind, LineKind, LineSource, lines};
use crate::archive::page_lists;
use crate::judge::ExceptionColumns;
use arrow_schema::Schema;
use serde_json::Value;
use std::io::{self, BufRead, Read};
use std::path::Path;

/// The possible names of each column or member; the first that exists counts, but of record ids (`record_ids`).
#[derive(Clone, Debug)]
pub struct ColumnNames {
    /// The URL.
    pub url: Vec<String>,
    /// The further URLs of a document; all are judged.
    pub further_urls: Vec<String>,
    /// The id, by which a document is named; that of its record is chosen among all of them.
    pub id: Vec<String>,
    /// When the document was fetched.
    pub date: DateNames,
    /// The archive of the record.
    pub file: Vec<String>,
    /// The byte at which the record starts.
    pub offset: Vec<String>,
    /// The text, whose size counts in the cost of a policy.
    pub text: Vec<String>,
    /// The number of tokens of the text.
    pub tokens: Vec<String>,
    /// The names that the user gave: a file of documents must have them.
    pub required: Vec<String>,
    /// The columns whose values the exceptions of a policy ask for: a file of documents must also have them.
    pub excepted: ExceptionColumns,
}

impl Default for ColumnNames {
    fn default() -> Self {
        GENERAL.names()
    }
}

impl ColumnNames {
    /// Gives the date another name, which every file must have.
    pub fn give_date(&mut self, name: &str) {
        self.date = DateNames::one(name);
        self.required.push(name.to_owned());
    }

    /// Gives the URL or the id another name, which every file must have.
    pub fn give(&mut self, name: Option<&String>, of: &impl Fn(&mut Self) -> &mut Vec<String>) {
        if let Some(name) = name {
            *of(self) = vec![name.clone()];
            self.required.push(name.clone());
        }
    }

    /// Gives the URLs other names, each for one URL of a document; every file must have all of them.
    pub fn give_urls(&mut self, names: &[String]) {
        self.give(names.first(), &|own| &mut own.url);
        self.further_urls = names.iter().skip(1).cloned().collect();
        self.required.extend(self.further_urls.iter().cloned());
    }

    /// Returns the names that a record id may have, each with whether it says that it is of a WARC: an `id` may be the data set's
    /// own. All that exist are read.
    pub fn record_ids(&self) -> impl Iterator<Item = (bool, &[String])> {
        self.id.chunks(1).map(|name| {
            let is_of_warc = |name: &String| name.to_ascii_lowercase().contains("warc");
            (name.iter().any(is_of_warc), name)
        })
    }

    /// Returns the text that must be the same for two calls to count as one.
    pub fn text(&self) -> String {
        let Self {
            url,
            further_urls,
            id,
            date,
            file,
            offset,
            text,
            tokens,
            required: _,
            excepted: _,
        } = self;
        let [date, created, added] = date.lists();
        let names = [url, id, date, created, added, file, offset, text, tokens];
        let names = names.map(|names| names.join(" ")).join(", ");
        further_urls
            .iter()
            .fold(names, |names, further| format!("{names}, and {further}"))
    }

    /// Returns the names of the members to read in an object, each once: whole names, and the first steps of paths.
    pub fn first_steps(&self) -> Vec<&str> {
        let Self {
            url,
            further_urls,
            id,
            date,
            file,
            offset,
            text,
            tokens,
            required,
            excepted,
        } = self;
        let names = [url, further_urls, id, file, offset, text, tokens, required]
            .into_iter()
            .flatten();
        let names = names
            .chain(date.lists().into_iter().flatten())
            .chain(&excepted.names);
        let paths = names.flat_map(|name| steps(name));
        let mut first: Vec<&str> = paths.filter_map(|path| path.first().copied()).collect();
        first.sort_unstable();
        first.dedup();
        first
    }
}

/// A data set's names for its columns; an empty name means that it lacks the column, or uses the name that most data sets use.
#[derive(Debug)]
pub struct DocumentDialect {
    /// Its name in `--dialect`.
    pub name: &'static str,
    /// The columns by which it is found.
    marks: &'static str,
    url: &'static str,
    /// The WARC-Record-ID.
    id: &'static str,
    date: &'static str,
    file: &'static str,
    offset: &'static str,
    text: &'static str,
    tokens: &'static str,
}

const fn marked(name: &'static str, marks: &'static str) -> DocumentDialect {
    DocumentDialect {
        name,
        marks,
        url: "url",
        id: "",
        date: "",
        file: "",
        offset: "",
        text: "text",
        tokens: "",
    }
}

/// The names that most data sets give.
const GENERAL: DocumentDialect = DocumentDialect {
    url: "url metadata.url metadata.WARC-Target-URI",
    id: "id warc_record_id warc_id record_id metadata.id metadata.warc_record_id metadata.WARC-Record-ID",
    date: "date fetch_time warc_date metadata.date metadata.WARC-Date metadata.warc_date Date timestamp metadata.timestamp ts",
    file: "file_path warc_filename metadata.file_path filename",
    offset: "warc_record_offset offset metadata.warc_record_offset",
    text: "text content",
    tokens: "token_count tokens metadata.token_count",
    ..marked("", "")
};

/// The dialects; one with more marks comes before those that share them.
pub static DIALECTS: [DocumentDialect; 10] = [
    DocumentDialect {
        url: "u",
        date: "ts",
        file: "f",
        offset: "o",
        text: "p",
        ..marked("warc2text", "u ts f o p")
    },
    DocumentDialect {
        url: "u",
        date: "ts",
        file: "f",
        offset: "o",
        text: "text t",
        ..marked("hplt", "u ts f o")
    },
    // OSCAR's record is that of the WET; it refers to the record that it was made from.
    DocumentDialect {
        url: "warc_headers.warc-target-uri",
        id: "warc_headers.warc-refers-to",
        date: "warc_headers.warc-date",
        text: "content",
        ..marked("oscar", "content warc_headers.warc-target-uri")
    },
    DocumentDialect {
        date: "date_download",
        text: "raw_content",
        ..marked("redpajama", "url date_download raw_content")
    },
    marked(
        "fineweb2",
        "url id date file_path dump minhash_cluster_size",
    ),
    marked("fineweb", "url id date file_path dump"),
    DocumentDialect {
        date: "timestamp",
        ..marked("c4", "url timestamp text")
    },
    of_dolma("common-pile", "id text source metadata.license"),
    of_dolma("dolma", "id text source metadata.url"),
    DocumentDialect {
        url: "URL",
        text: "TEXT",
        ..marked("laion", "URL TEXT")
    },
];

const fn of_dolma(name: &'static str, marks: &'static str) -> DocumentDialect {
    let url = "metadata.url";
    let id = "metadata.warc_record_id";
    DocumentDialect {
        url,
        id,
        ..marked(name, marks)
    }
}

impl DocumentDialect {
    /// Returns the names of its columns. The general ones come after its own, so that an id that a user added is found.
    pub fn names(&self) -> ColumnNames {
        let names = |of: fn(&Self) -> &'static str| {
            let own = of(self).split(' ').filter(|name| !name.is_empty());
            let general = of(&GENERAL)
                .split(' ')
                .filter(|name| !own.clone().any(|own| own == *name));
            own.clone().chain(general).map(str::to_owned).collect()
        };
        ColumnNames {
            url: names(|own| own.url),
            further_urls: Vec::new(),
            id: names(|own| own.id),
            date: DateNames {
                fetched: names(|own| own.date),
                created: vec!["created".to_owned()],
                added: vec!["added".to_owned()],
            },
            file: names(|own| own.file),
            offset: names(|own| own.offset),
            text: names(|own| own.text),
            tokens: names(|own| own.tokens),
            required: Vec::new(),
            excepted: ExceptionColumns::default(),
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
    dialects: Vec<(&'static DocumentDialect, ColumnNames)>,
    /// Whether the first dialect is that of every file.
    is_given: bool,
}

impl Default for DocumentNames {
    fn default() -> Self {
        let dialects = DIALECTS
            .iter()
            .map(|dialect| (dialect, dialect.names()))
            .collect();
        Self {
            plain: ColumnNames::default(),
            dialects,
            is_given: false,
        }
    }
}

impl From<ColumnNames> for DocumentNames {
    /// These names, in every file.
    fn from(plain: ColumnNames) -> Self {
        Self {
            plain,
            dialects: Vec::new(),
            is_given: false,
        }
    }
}

impl DocumentNames {
    /// Returns the names of one dialect for every file, which must have its URL.
    pub fn from_dialect(dialect: &'static DocumentDialect) -> Self {
        let names = ColumnNames {
            required: vec![dialect.url.to_owned()],
            ..dialect.names()
        };
        Self {
            plain: ColumnNames::default(),
            dialects: vec![(dialect, names)],
            is_given: true,
        }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut ColumnNames> {
        self.dialects
            .iter_mut()
            .map(|(_, names)| names)
            .chain([&mut self.plain])
    }

    /// Gives the URLs other names, each for one URL of a document; every file must have all of them.
    pub fn give_urls(&mut self, urls: &[String]) {
        self.all().for_each(|names| names.give_urls(urls));
    }

    /// Gives the date another name, which every file must have.
    pub fn give_date(&mut self, name: &str) {
        self.all().for_each(|names| names.give_date(name));
    }

    /// Gives the id another name, which every file must have.
    pub fn give(
        &mut self,
        name: Option<&String>,
        of: impl Fn(&mut ColumnNames) -> &mut Vec<String>,
    ) {
        self.all().for_each(|names| names.give(name, &of));
    }

    /// Also reads the values of these columns, which every file must have.
    pub fn except(&mut self, columns: &ExceptionColumns) {
        self.all()
            .for_each(|names| names.excepted = columns.clone());
    }

    /// Returns the text that must be the same for two calls to count as one.
    pub fn text(&self) -> String {
        let dialects = self
            .dialects
            .iter()
            .map(|(dialect, names)| format!("{}: {}", dialect.name, names.text()));
        dialects
            .chain([self.plain.text()])
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Returns the names of a file, and its dialect, if it has one.
    pub fn of_file(
        &self,
        path: &Path,
        kind: FileKind,
    ) -> io::Result<(&ColumnNames, Option<&'static str>)> {
        if self.is_given || self.dialects.is_empty() {
            return Ok(self.found(|_| true));
        }
        match kind {
            FileKind::Parquet => Ok(self.of_schema(footer(path)?.schema())),
            FileKind::Lines(LineKind::Json, source) => {
                // The reader of its documents reports what is wrong with the file.
                let row = first_row(path, source).unwrap_or_default();
                Ok(self.found(|path| {
                    path.iter()
                        .try_fold(&row, |value, step| value.get(step))
                        .is_some()
                }))
            }
            FileKind::Lines(LineKind::Urls, _) => Ok((&self.plain, None)),
        }
    }

    /// Returns the names of rows with these columns, and their dialect, if they have one.
    pub fn of_schema(&self, schema: &Schema) -> (&ColumnNames, Option<&'static str>) {
        self.found(|path| self.is_given || field(schema.fields(), path).is_some())
    }

    fn found(&self, has: impl Fn(&[&str]) -> bool) -> (&ColumnNames, Option<&'static str>) {
        let is_there = |mark: &str| steps(mark).any(|path| has(&path));
        let found = self
            .dialects
            .iter()
            .find(|(dialect, _)| dialect.marks.split(' ').all(is_there));
        found.map_or((&self.plain, None), |(dialect, names)| {
            (names, Some(dialect.name))
        })
    }
}

/// The most bytes of a line in which marks are looked for.
const LINE_BYTES: u64 = 32 << 20;

/// Returns the first object of a file of lines that is a document; null if none can be read.
fn first_row(path: &Path, source: LineSource) -> io::Result<Value> {
    let mut line = Vec::new();
    let mut reader = lines(path, source)?.take(LINE_BYTES);
    while line.trim_ascii().is_empty() || page_lists::is_header(&line) {
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
    use super::{DIALECTS, DocumentDialect};

    #[test]
    fn local_dialects_have_names_of_their_own_and_more_marks_come_first() {
        for (place, dialect) in DIALECTS.iter().enumerate() {
            assert_eq!(
                DocumentDialect::named(dialect.name).map(|found| found.url),
                Some(dialect.url)
            );
            for later in &DIALECTS[place + 1..] {
                assert_ne!(later.name, dialect.name);
                let mut marks = dialect.marks.split(' ');
                let hides = marks.all(|mark| later.marks.split(' ').any(|other| other == mark));
                assert!(
                    !hides,
                    "{} is never found behind {}",
                    later.name, dialect.name
                );
            }
        }
    }
}
