//! Archives through `scan` and `resolve`, and what is in the tables.

use crate::container::Container;
use crate::record::{Record, rename};
use crawlprefs::archive::{ArchiveName, FileSource, Input};
use crawlprefs::job::{ResolveOptions, ScanOptions, Silent, resolve, scan};
use crawlprefs::store::FolderStore;
use crawlprefs::systems::Viewpoint;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

/// The rows of a run, as texts by column.
pub struct Tables(BTreeMap<&'static str, Vec<BTreeMap<String, String>>>);

const TABLES: [&str; 5] = [
    "pages",
    "evidence/archives",
    "evidence/failures",
    "evidence/captures",
    "evidence/site_files",
];

impl Tables {
    pub fn rows(&self, table: &str) -> &[BTreeMap<String, String>] {
        &self.0[table]
    }
}

type Check = Box<dyn Fn(&View<'_>, &str)>;

/// Archives that are run together, each with hosts of its own: a run costs more than an archive.
#[derive(Default)]
pub struct Batch {
    archives: Vec<(String, Vec<u8>)>,
    checks: Vec<(usize, String, Check)>,
}

impl Batch {
    /// Returns the number of the next archive, or of the next hosts within one.
    pub fn next(&self) -> usize {
        self.checks.len()
    }

    /// Adds an archive whose hosts were renamed by [`Self::next`], and what must hold of it.
    pub fn add(
        &mut self,
        what: String,
        ending: &str,
        bytes: Vec<u8>,
        check: impl Fn(&View<'_>, &str) + 'static,
    ) {
        let number = self.next();
        self.checks.push((number, what, Box::new(check)));
        self.archives.push((format!("a{number}.{ending}"), bytes));
    }

    /// Adds an archive of records.
    pub fn add_records(
        &mut self,
        what: &str,
        container: Container,
        records: &[Record],
        check: impl Fn(&View<'_>, &str) + 'static,
    ) {
        let records: Vec<Record> = records
            .iter()
            .map(|record| record.renamed(self.next()))
            .collect();
        self.add(
            format!("{container:?}: {what}"),
            container.ending(),
            container.pack(&records),
            check,
        );
    }

    /// Adds one archive of cases, each with hosts of its own, and what must hold of the pages of each.
    pub fn add_together<C: Fn(&View<'_>, &str) + 'static>(
        &mut self,
        container: Container,
        cases: impl Iterator<Item = (String, Vec<Record>, C)>,
    ) {
        let name = format!("a{}.{}", self.next(), container.ending());
        let mut all = Vec::new();
        for (what, records, check) in cases {
            let number = self.next();
            all.extend(records.iter().map(|record| record.renamed(number)));
            self.checks
                .push((number, format!("{container:?}: {what}"), Box::new(check)));
        }
        self.archives.push((name, container.pack(&all)));
    }

    /// Runs all, and checks each.
    pub fn run(self) {
        let tables = run_named(self.archives);
        for (number, what, check) in self.checks {
            check(
                &View {
                    tables: &tables,
                    number,
                },
                &what,
            );
        }
    }
}

/// What the tables have of one archive of a batch.
pub struct View<'t> {
    tables: &'t Tables,
    number: usize,
}

impl View<'_> {
    /// Returns the row of a page.
    pub fn page(&self, url: &str) -> Option<&BTreeMap<String, String>> {
        let url = rename(url, self.number);
        self.tables
            .rows("pages")
            .iter()
            .find(|row| row["url"] == url)
    }

    /// Returns columns of the row of a page, joined by blanks.
    pub fn said(&self, url: &str, columns: &[&str]) -> String {
        let Some(row) = self.page(url) else {
            return "no row".to_owned();
        };
        columns
            .iter()
            .map(|column| row[*column].as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns the rows of the archive in a table.
    pub fn rows(&self, table: &str) -> Vec<&BTreeMap<String, String>> {
        let start = format!("a{}.", self.number);
        let rows = self.tables.rows(table).iter();
        rows.filter(|row| row["warc_filename"].starts_with(&start))
            .collect()
    }

    /// Returns a number of the archive.
    pub fn number(&self, column: &str) -> u64 {
        self.rows("evidence/archives")[0][column]
            .parse()
            .expect("a number")
    }

    /// Returns how many rows in `failures` it has.
    pub fn failures(&self) -> usize {
        self.rows("evidence/failures").len()
    }

    /// Returns the body of each capture of a URL.
    pub fn bodies(&self, url: &str) -> Vec<String> {
        let url = rename(url, self.number);
        let captures = self
            .rows("evidence/captures")
            .into_iter()
            .filter(|row| row["url"] == url);
        let body = |digest: &str| {
            let files = self.tables.rows("evidence/site_files");
            files
                .iter()
                .find(|row| row["body_digest"] == digest)
                .map(|row| row["body"].clone())
        };
        captures
            .map(|row| body(&row["body_digest"]).unwrap_or("(none)".to_owned()))
            .collect()
    }
}

/// Runs archives by their names.
pub fn run_named(archives: Vec<(String, Vec<u8>)>) -> Tables {
    run_in(
        tempfile::tempdir().expect("a temporary folder").path(),
        archives,
    )
}

/// Runs archives, which are kept in the folder `in`.
pub fn run_in(folder: &Path, archives: Vec<(String, Vec<u8>)>) -> Tables {
    let inputs = archives.into_iter().map(|(name, bytes)| {
        let path = folder.join("in").join(&name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, bytes).expect("a temporary file");
        Input {
            name: ArchiveName::new(&name),
            source: Arc::new(FileSource::new(path)),
        }
    });
    let mut options = ScanOptions::new(inputs.collect());
    options.jobs = NonZeroUsize::new(2).expect("at least one");
    let store = FolderStore::new(folder.join("out"));
    scan(&options, &store, &Silent).expect("the job can run");
    let view = Viewpoint::new("CCBot").expect("a token");
    let options = ResolveOptions {
        jobs: options.jobs,
        ..ResolveOptions::new(view)
    };
    resolve(&[&store], &store, &options, &Silent).expect("the job can run");
    Tables(
        TABLES
            .into_iter()
            .map(|table| (table, rows(&folder.join("out").join(table))))
            .collect(),
    )
}

fn rows(table: &Path) -> Vec<BTreeMap<String, String>> {
    let entries = |folder: &Path| {
        let mut paths: Vec<_> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        paths
    };
    let parts = entries(table)
        .iter()
        .flat_map(|crawl| entries(crawl))
        .collect::<Vec<_>>();
    let of_part = |part: &std::path::PathBuf| {
        let reader = SerializedFileReader::new(File::open(part).expect("a part")).expect("Parquet");
        let rows = reader.get_row_iter(None).expect("rows");
        rows.map(|row| texts(row.expect("a row")))
            .collect::<Vec<_>>()
    };
    parts.iter().flat_map(of_part).collect()
}

fn texts(row: Row) -> BTreeMap<String, String> {
    let text = |field: Field| match field {
        Field::Str(text) => text,
        Field::Bytes(bytes) => String::from_utf8_lossy(bytes.data()).into_owned(),
        other => other.to_string(),
    };
    row.into_columns()
        .into_iter()
        .map(|(name, field)| (name, text(field)))
        .collect()
}
