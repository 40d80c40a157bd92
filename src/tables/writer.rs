//! Writes one Parquet file of a table.
//!
//! zstd 3 for evidence (higher levels cost three times as much time for a hundredth of the size), zstd 1 for tables (faster,
//! and a twentieth smaller, because most of them are hosts and digests), page index, and row groups cut at counts of rows and
//! bytes, so that the same rows give the same bytes.

use super::layout::{filtered, sorting_columns, without_bounds};
use super::{Cells, EVIDENCE_FORMAT, Rows, SCHEMA_VERSION, Table};
use crate::store::StoreFile;
use arrow_array::{Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use sha1::{Digest, Sha1};
use std::io::{self, Write};

/// The maximum bytes of a row group, which is held in memory: more than ordinary ones have.
const GROUP_BYTES: usize = 128 << 20;
/// The maximum bytes of rows that are encoded at once: each text in a list of short texts takes several times its length then.
const SLICE_BYTES: usize = 2 << 20;

/// The part of a file's footer about how it was made: no time, no path, no host.
pub type Footer = Vec<(&'static str, String)>;

pub const SCHEMA_VERSION_KEY: &str = "crawlprefs.schema_version";
/// The key of the version of evidence, which outlives versions of other tables' columns.
pub const EVIDENCE_FORMAT_KEY: &str = "crawlprefs.evidence_format";
pub const SUFFIX_LIST_KEY: &str = "crawlprefs.public_suffix_list";

/// A Parquet file that is being written.
pub struct PartWriter {
    writer: ArrowWriter<Counted>,
    rows: u64,
}

impl PartWriter {
    /// Begins a file of `table` with row groups of `group_rows` rows.
    pub fn new(
        table: &Table,
        group_rows: usize,
        footer: &Footer,
        file: Box<dyn StoreFile>,
    ) -> io::Result<Self> {
        let properties = properties(table, group_rows, footer).map_err(as_io)?;
        let counted = Counted {
            file: Some(file),
            bytes: 0,
            digest: Sha1::new(),
        };
        let writer = ArrowWriter::try_new(counted, table.schema(), Some(properties));
        Ok(Self {
            writer: writer.map_err(as_io)?,
            rows: 0,
        })
    }

    /// Adds rows.
    pub fn write(&mut self, rows: &RecordBatch) -> io::Result<()> {
        self.rows += rows.num_rows() as u64;
        let slices = byte_count(rows).div_ceil(SLICE_BYTES).max(1);
        let slice_rows = rows.num_rows().div_ceil(slices).max(1);
        for first in (0..rows.num_rows()).step_by(slice_rows) {
            let slice = rows.slice(first, slice_rows.min(rows.num_rows() - first));
            self.writer.write(&slice).map_err(as_io)?;
        }
        Ok(())
    }

    /// Ends a row group with the rows that have been added.
    pub fn end_group(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(as_io)
    }

    /// Returns the number of added rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Ends the file and gives it its name; returns its length in bytes and its SHA-1.
    pub fn commit(mut self) -> io::Result<(u64, [u8; 20])> {
        // `into_inner` would lose the reason why the last bytes cannot be written.
        self.writer.finish().map_err(as_io)?;
        let written = self.writer.inner_mut();
        written.file.take().ok_or_else(ended)?.commit()?;
        Ok((
            written.bytes,
            std::mem::take(&mut written.digest).finalize().into(),
        ))
    }
}

/// A file of a table that is written row by row.
pub(crate) struct RowsFile {
    rows: Rows,
    part: PartWriter,
}

impl RowsFile {
    /// Rows that are held before they are written.
    const HELD_ROWS: usize = 8192;
    const GROUP_ROWS: usize = 100_000;

    pub(crate) fn new(table: &'static Table, file: Box<dyn StoreFile>) -> io::Result<Self> {
        let part = PartWriter::new(table, Self::GROUP_ROWS, &Vec::new(), file)?;
        Ok(Self {
            rows: Rows::new(table),
            part,
        })
    }

    /// Begins a row.
    pub(crate) fn row(&mut self) -> io::Result<&mut Cells> {
        if self.rows.row_count() >= Self::HELD_ROWS {
            self.part.write(&self.rows.finish()?)?;
        }
        Ok(self.rows.row())
    }

    pub(crate) fn commit(mut self) -> io::Result<()> {
        self.part.write(&self.rows.finish()?)?;
        self.part.commit().map(drop)
    }
}

/// Returns the bytes of a slice's values, which depend only on the values.
pub fn byte_count(slice: &RecordBatch) -> usize {
    let columns = slice.columns().iter();
    columns
        .map(|column| {
            column
                .to_data()
                .get_slice_memory_size()
                .unwrap_or(usize::MAX / 64)
        })
        .sum()
}

/// A file, with the number and the digest of the bytes written to it.
struct Counted {
    /// `None` once it has its name.
    file: Option<Box<dyn StoreFile>>,
    bytes: u64,
    digest: Sha1,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.as_mut().ok_or_else(ended)?.write(bytes)?;
        self.bytes += count as u64;
        self.digest.update(bytes.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().ok_or_else(ended)?.flush()
    }
}

fn ended() -> io::Error {
    io::Error::other("the file has been ended")
}

/// Columns whose values hardly repeat within a file: a dictionary of them would be built and then abandoned. Measured without
/// it, files are 2 to 5 % smaller, and `run` takes 4 % less time on robots.txt files.
const WITHOUT_DICTIONARY: [&str; 7] = [
    "warc_record_id",
    "warc_record_offset",
    "warc_record_length",
    "url",
    "fetch_time",
    "content_digest",
    "body",
];

/// Columns of random letters, in which only letter frequencies compress: lower levels of zstd take half the time, and files are
/// 1 % smaller.
const RANDOM: [(&str, i32); 3] = [
    ("warc_record_id", 1),
    ("content_digest", 2),
    ("body_digest", 2),
];

/// The maximum share of row groups without a value that are read for it: this one costs a filter a byte for each distinct
/// value, a tenth of it two.
const FALSE_POSITIVES: f64 = 0.05;

/// Tables in which a body's key hardly repeats, unlike in those of its lines and agents.
const ONE_BODY_A_ROW: [&str; 3] = ["captures", "site_files", "robots"];

/// Tables with a row or two for each host, and their columns that name it or its robots.txt.
const ONE_HOST_A_ROW: [&str; 3] = ["sites", "robots", "_origins"];
const OF_HOST: [&str; 5] = [
    "origin",
    "robots_origin",
    "url_host_name",
    "surt_host_name",
    "robots_body_digest",
];

fn properties(
    table: &Table,
    group_rows: usize,
    footer: &Footer,
) -> Result<WriterProperties, ParquetError> {
    let mut pairs = vec![
        KeyValue::new(
            "crawlprefs.version".to_owned(),
            env!("CARGO_PKG_VERSION").to_owned(),
        ),
        KeyValue::new(SCHEMA_VERSION_KEY.to_owned(), SCHEMA_VERSION.to_owned()),
        KeyValue::new("crawlprefs.table".to_owned(), table.name.to_owned()),
    ];
    if table.is_evidence() {
        pairs.push(KeyValue::new(
            EVIDENCE_FORMAT_KEY.to_owned(),
            EVIDENCE_FORMAT.to_owned(),
        ));
    }
    pairs.extend(
        footer
            .iter()
            .map(|(key, value)| KeyValue::new(format!("crawlprefs.{key}"), value.clone())),
    );
    let level = if table.is_evidence() { 3 } else { 1 };
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("crawlprefs ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(level)?))
        .set_max_row_group_row_count(Some(group_rows))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_sorting_columns(sorting_columns(table))
        .set_key_value_metadata(Some(pairs));
    let of_body = ONE_BODY_A_ROW
        .contains(&table.name)
        .then_some("body_digest");
    let of_host = OF_HOST
        .into_iter()
        .filter(|_| ONE_HOST_A_ROW.contains(&table.name));
    for name in WITHOUT_DICTIONARY.into_iter().chain(of_body).chain(of_host) {
        builder = builder.set_column_dictionary_enabled(ColumnPath::from(name), false);
    }
    for column in without_bounds(table) {
        builder = builder.set_column_statistics_enabled(column, EnabledStatistics::None);
    }
    for name in filtered(table) {
        let column = ColumnPath::from(*name);
        builder = builder
            .set_column_bloom_filter_fpp(column.clone(), FALSE_POSITIVES)
            .set_column_bloom_filter_max_ndv(column, group_rows as u64);
    }
    for (name, at_most) in RANDOM {
        let compression = Compression::ZSTD(ZstdLevel::try_new(level.min(at_most))?);
        builder = builder.set_column_compression(ColumnPath::from(name), compression);
    }
    Ok(builder.build())
}

/// An error of the writer is one of the file's, or a bug of ours; both end the batch.
pub fn as_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        error => io::Error::other(error),
    }
}

#[cfg(test)]
pub mod tests {
    use super::PartWriter;
    use crate::archive::{ArchiveName, Damage, DamageKind};
    use crate::store::{ScratchStore, Store, StoreFile};
    use crate::tables::archives::{FAILURES, append_failure};
    use crate::tables::{Rows, Slices};
    use std::io::{self, Write};

    pub fn failures(count: u64) -> arrow_array::RecordBatch {
        let mut rows = Rows::new(&FAILURES);
        for offset in 0..count {
            let damage = Damage::harmless(offset, DamageKind::Date, "none".to_owned());
            append_failure(rows.row(), &ArchiveName::new("a.warc"), &damage);
        }
        rows.finish().expect("they fit")
    }

    #[test]
    fn local_a_row_group_ends_where_it_is_asked_to() {
        let store = ScratchStore::new().expect("a store");
        let file = store.create("part").expect("a file");
        let mut part = PartWriter::new(&FAILURES, 4, &Vec::new(), file).expect("a part");
        for count in [3, 2, 6] {
            part.write(&failures(count)).expect("written");
            part.end_group().expect("written");
        }
        part.commit().expect("written");
        let groups = Slices::of_groups(|| store.open("part")).expect("groups");
        let counts = groups.into_iter().map(|slices| {
            slices
                .map(|rows| rows.expect("rows").num_rows())
                .sum::<usize>()
        });
        assert_eq!(counts.collect::<Vec<_>>(), [3, 2, 4, 2]);
    }

    /// A file on a disk without space.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl StoreFile for Full {
        fn commit(self: Box<Self>) -> io::Result<()> {
            Ok(())
        }
    }

    /// Small files are written only when they are ended.
    #[test]
    fn local_a_full_disk_is_said_as_the_disk_says_it() {
        let mut part = PartWriter::new(&FAILURES, 4, &Vec::new(), Box::new(Full)).expect("a part");
        part.write(&failures(3)).expect("held");
        let error = part.commit().expect_err("no space");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{error}");
    }
}
