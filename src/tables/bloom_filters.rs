//! The Bloom filters of a column: whether a file may have a row with one of some values, from a few bytes of the file.
//!
//! Document: apache/parquet-format, "Parquet Bloom Filter". Example: of 200 files of `captures`, only those are read whose
//! filters of `url_host_name` do not rule out a host. A file without filters may have every value.

use super::guard::guarded;
use super::stored::Slices;
use super::writer::as_io;
use crate::store::StoredFile;
use parquet::bloom_filter::Sbbf;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use std::io;
use std::sync::Arc;

/// The places of the filters of a column of a file.
pub struct BloomFilters {
    /// The offset and length of the filter of each row group with rows; `None` if it has no filter.
    places: Vec<Option<(u64, usize)>>,
}

impl BloomFilters {
    /// Finds the filters of a column in the footer of a file.
    pub fn find(file: &Arc<dyn StoredFile>, column: &str) -> io::Result<Self> {
        let (bytes, footer) = (file.bytes(), Slices::footer(file)?);
        let place = |group: &RowGroupMetaData| {
            let mut chunks = group.columns().iter();
            place(
                chunks.find(|chunk| chunk.column_path().string() == column)?,
                bytes,
            )
        };
        let groups = footer
            .row_groups()
            .iter()
            .filter(|group| group.num_rows() > 0);
        Ok(Self {
            places: groups.map(place).collect(),
        })
    }

    /// Returns whether the file in which they were found may have a row with one of some values.
    pub fn may_have(&self, file: &dyn StoredFile, values: &[&str]) -> io::Result<bool> {
        for place in &self.places {
            let Some((start, length)) = *place else {
                return Ok(true);
            };
            let mut bytes = vec![0; length];
            file.read_range(start, &mut bytes)?;
            let may_have = || {
                let filter = Sbbf::from_bytes(&bytes).map_err(as_io)?;
                Ok(values.iter().any(|value| filter.check(*value)))
            };
            if guarded(may_have)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the place of the filter of a column, if it has one inside a file of this many bytes.
fn place(chunk: &ColumnChunkMetaData, file_bytes: u64) -> Option<(u64, usize)> {
    let start = u64::try_from(chunk.bloom_filter_offset()?).ok()?;
    let length = u64::try_from(chunk.bloom_filter_length()?).ok()?;
    let is_inside = start
        .checked_add(length)
        .is_some_and(|end| end <= file_bytes);
    usize::try_from(length)
        .ok()
        .filter(|_| is_inside)
        .map(|length| (start, length))
}

#[cfg(test)]
mod tests {
    use super::BloomFilters;
    use crate::store::{ScratchStore, Store, StoredFile};
    use crate::tables::PartWriter;
    use crate::tables::archives::FAILURES;
    use crate::tables::writer::tests::failures;
    use std::sync::Arc;

    #[test]
    fn local_without_filters_every_value_may_be_there_but_in_a_file_without_rows() {
        let store = ScratchStore::new().expect("a store");
        for count in [0, 1] {
            let file = store.create("part").expect("a file");
            let mut part = PartWriter::new(&FAILURES, 4, &Vec::new(), file).expect("a part");
            part.write(&failures(count)).expect("written");
            part.commit().expect("written");
            let file: Arc<dyn StoredFile> = store.open("part").expect("a file").into();
            let filters = BloomFilters::find(&file, "warc_filename").expect("a footer");
            assert_eq!(
                filters.may_have(&*file, &["b.warc"]).expect("filters"),
                count > 0
            );
        }
    }
}
