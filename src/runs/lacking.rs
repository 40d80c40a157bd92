//! What the archives behind tables or a site index lack: archives unreadable or cut inside a record, and lost records.
//!
//! Example: a download of a robots.txt archive was cut, so no host after the cut has a no. The user must allow judging by it.
//! Left out: records lost in archives of pages, by Common Crawl's names, as they contain no site files.

use super::group::ArchiveGroup;
use crate::error::Error;
use crate::store::Store;
use crate::tables::archives::{ARCHIVES, Outcome};
use crate::tables::{Slices, column};
use arrow_array::{Int64Array, StringArray};
use std::fmt;
use std::io;

/// Parts of Common Crawl's names of archives of pages.
const OF_PAGES: [&str; 3] = ["/warc/", "/crawldiagnostics/", "/wat/"];

/// Whether an archive has pages and no site files, by Common Crawl's names. With another name it may have anything.
pub fn is_of_pages(warc_filename: &str) -> bool {
    OF_PAGES.iter().any(|of| warc_filename.contains(of))
}

/// What archives lack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lacking {
    pub archives: u64,
    /// Archives that could not be read.
    pub failed: u64,
    /// Archives that end inside a record.
    pub cut: u64,
    /// Records lost where site files may be.
    pub records_lost: u64,
}

impl Lacking {
    pub fn add(&mut self, warc_filename: &str, outcome: &str, records_lost: u64) {
        self.archives += 1;
        match outcome {
            of if of == Outcome::Read.as_str() => {}
            of if of == Outcome::Cut.as_str() => self.cut += 1,
            _ => self.failed += 1,
        }
        if !is_of_pages(warc_filename) {
            self.records_lost = self.records_lost.saturating_add(records_lost);
        }
    }

    /// Returns what the archives of some groups of evidence lack.
    pub fn of_groups(groups: &[ArchiveGroup<'_>]) -> Self {
        let mut lacking = Self::default();
        for archive in groups.iter().flat_map(|group| &group.archives) {
            let row = &archive.manifest.row;
            lacking.add(
                &archive.manifest.warc_filename,
                row.outcome.as_str(),
                row.records_lost,
            );
        }
        lacking
    }

    /// Returns what the archives in the table `archives` of a folder lack.
    pub fn of_tables(tables: &dyn Store) -> Result<Self, Error> {
        let read = || -> io::Result<Self> {
            let mut lacking = Self::default();
            let columns = &["warc_filename", "outcome", "records_lost"];
            for file in tables
                .list(ARCHIVES.folder)?
                .iter()
                .filter(|file| file.ends_with(".parquet"))
            {
                for rows in Slices::of_columns(tables.open(file)?, columns)? {
                    let rows = rows?;
                    let text = |name| column::<StringArray>(&rows, name);
                    let (name, outcome) = (text("warc_filename")?, text("outcome")?);
                    let lost = column::<Int64Array>(&rows, "records_lost")?;
                    for row in 0..rows.num_rows() {
                        let lost = u64::try_from(lost.value(row)).unwrap_or_default();
                        lacking.add(name.value(row), outcome.value(row), lost);
                    }
                }
            }
            Ok(lacking)
        };
        read().map_err(|source| Error::TablesUnreadable {
            location: tables.location(),
            source,
        })
    }

    /// Returns what is missing and what follows, in a sentence; `None` if nothing is known to be missing. `of_hosts` is the
    /// number of hosts that may have lost an answer, in brackets, if known.
    pub fn detail(&self, of_hosts: &str) -> Option<String> {
        (!self.is_nothing())
            .then(|| format!("{self}, so that a no of their sites may be missing{of_hosts}"))
    }

    /// Whether nothing is known to be missing.
    pub fn is_nothing(&self) -> bool {
        self.failed == 0 && self.cut == 0 && self.records_lost == 0
    }
}

impl fmt::Display for Lacking {
    /// Example: `1 of 9 archives could not be read, 2 of 9 archives end inside a record, 3 records were lost`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_all = |count: u64, what: &str| {
            (count > 0).then(|| format!("{count} of {} archives {what}", self.archives))
        };
        let lost = (self.records_lost > 0).then(|| match self.records_lost {
            1 => "1 record was lost".to_owned(),
            lost => format!("{lost} records were lost"),
        });
        let parts = [
            of_all(self.failed, "could not be read"),
            of_all(self.cut, "are cut inside a record"),
            lost,
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}
