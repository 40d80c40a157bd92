//! How much memory decoded rows of a Parquet file can take, by the headers of its pages and its dictionaries.
//!
//! Example: a dictionary with one URL of 1 MB, and a page of 20 bytes in which 8,192 rows refer to it: a row is 1 MB. Left out:
//! the encodings of pages without dictionaries whose values are no longer than their stored form; these count by their average.
//! A file that is too large by these estimates is weighed again by the values of its lists of texts: a page with 10,000 short
//! ones, and a long one once, is what anybody may send.

use super::pages::{Guarded, PageHeader, VALUE_BYTES, number};
use super::records::ReadRecords;
use crate::tables::writer::as_io;
use parquet::basic::Type as PhysicalType;
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use std::io;
use std::sync::Arc;

/// The size in bytes of the rows of some columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// About the maximum of a row.
    pub row: u64,
    /// The longest page of each column; all are held at once.
    pub pages: u64,
    /// About the maximum of all rows of a row group.
    pub group: u64,
}

/// The encodings by a dictionary (`PLAIN_DICTIONARY`, `RLE_DICTIONARY`), and by the previous value (`DELTA_BYTE_ARRAY`).
const BY_DICTIONARY: [i64; 2] = [2, 8];
const BY_THE_VALUE_BEFORE: i64 = 7;
/// Lists that decode to less than this, or to this multiple of their stored bytes, count by their average.
const LIST_BYTES: u64 = 4 << 20;
const LIST_FACTOR: u64 = 8;
/// A shorter dictionary is not read: none of its values is long.
const SHORT_BYTES: u64 = 1 << 10;

/// About how many bytes of rows may be read at once if a row can be long, however little memory there is.
const LEAST_BYTES: u64 = 32 << 20;

/// Returns the weight of rows of a file, in some of its row groups and in those columns (leaves, by their places) that are
/// read, if about `bytes` of them may be held at once.
pub fn weigh<R: ChunkReader + 'static>(
    file: &Guarded<R>,
    metadata: &ParquetMetaData,
    groups: Option<&[usize]>,
    bytes: u64,
    is_read: impl Fn(usize) -> bool,
) -> io::Result<Weight> {
    let most = most_bytes(bytes);
    let weight = weigh_by(file, metadata, groups, &is_read, None)?;
    if weight.row <= most || weight.pages > most {
        return Ok(weight);
    }
    weigh_by(file, metadata, groups, &is_read, Some(most))
}

/// `most`: lists of texts are read, as far as the references to their values take no more bytes.
fn weigh_by<R: ChunkReader + 'static>(
    file: &Guarded<R>,
    metadata: &ParquetMetaData,
    groups: Option<&[usize]>,
    is_read: &impl Fn(usize) -> bool,
    most: Option<u64>,
) -> io::Result<Weight> {
    let mut all = Weight::default();
    let is_asked = |place| groups.is_none_or(|groups| groups.contains(&place));
    for (_, group) in metadata
        .row_groups()
        .iter()
        .enumerate()
        .filter(|(place, _)| is_asked(*place))
    {
        let mut found = Weight::default();
        for (_, column) in group
            .columns()
            .iter()
            .enumerate()
            .filter(|(place, _)| is_read(*place))
        {
            let column = WeighedColumn {
                file,
                group,
                chunk: column,
            };
            let weight = super::guarded(|| column.weight(most))?;
            found.row = found.row.saturating_add(weight.row);
            found.pages = found.pages.saturating_add(weight.pages);
            found.group = found.group.saturating_add(weight.group);
        }
        all.row = all.row.max(found.row);
        all.pages = all.pages.max(found.pages);
        all.group = all.group.max(found.group);
    }
    Ok(all)
}

/// Returns the maximum size in bytes of a single row or page if about this many bytes may be held at once.
pub fn most_bytes(bytes: u64) -> u64 {
    bytes.max(LEAST_BYTES).saturating_mul(4)
}

/// Returns how many rows may be read at once, so that they and their pages do not take more than this many bytes.
pub fn rows_at_once(weight: Weight, bytes: u64, most_rows: usize) -> io::Result<usize> {
    let Weight { row, pages, group } = weight;
    let bytes = bytes.max(LEAST_BYTES);
    if row.max(pages) <= bytes && group <= bytes {
        return Ok(most_rows.max(1));
    }
    let (needed, most) = (row.max(pages), most_bytes(bytes));
    if needed > most {
        let detail =
            format!("its rows or pages need {needed} bytes of memory, and {most} are allowed");
        return Err(io::Error::other(detail));
    }
    let rows = usize::try_from(bytes / row.max(1)).unwrap_or(most_rows);
    Ok(rows.clamp(1, most_rows.max(1)))
}

struct WeighedColumn<'c, R> {
    file: &'c Guarded<R>,
    group: &'c RowGroupMetaData,
    chunk: &'c ColumnChunkMetaData,
}

impl<R: ChunkReader + 'static> WeighedColumn<'_, R> {
    fn weight(&self, most: Option<u64>) -> io::Result<Weight> {
        let descriptor = self.chunk.column_descr();
        let is_list = descriptor.max_rep_level() > 0;
        let fixed = match descriptor.physical_type() {
            PhysicalType::FIXED_LEN_BYTE_ARRAY => {
                u64::try_from(descriptor.type_length()).unwrap_or(0)
            }
            _ => 0,
        };
        let mut weight = Weight {
            row: fixed + VALUE_BYTES,
            ..Weight::default()
        };
        let mut records = most
            .filter(|_| is_list && descriptor.physical_type() == PhysicalType::BYTE_ARRAY)
            .map(|most| ReadRecords::new(self.file, self.group, self.chunk, most))
            .transpose()?;
        let (mut longest, mut values, mut stored) = (0, 0_u64, 0_u64);
        for page in self.pages() {
            let page = page?;
            let bytes = number(page.bytes);
            weight.pages = weight.pages.max(bytes);
            if let Some(records) = &mut records {
                records.begin_page(&page)?;
            }
            if page.kind == PageHeader::DICTIONARY {
                longest = if bytes > SHORT_BYTES {
                    self.longest()?
                } else {
                    bytes
                };
                continue;
            }
            let value = match page.encoding {
                encoding if BY_DICTIONARY.contains(&encoding) => longest,
                BY_THE_VALUE_BEFORE => bytes,
                _ => bytes / number(page.values).max(1),
            };
            let value = fixed.max(value) + VALUE_BYTES;
            let decoded = value.saturating_mul(number(page.values));
            let is_dense = decoded > LIST_BYTES && decoded / LIST_FACTOR > bytes;
            let is_by_dictionary = BY_DICTIONARY.contains(&page.encoding);
            let read = match &mut records {
                Some(records) if is_dense && is_by_dictionary => records.read(&page)?,
                _ => None,
            };
            let longest_row = read.map_or(decoded, |read| read.longest);
            let decoded = read.map_or(decoded, |read| read.all);
            (values, stored) = (
                values.saturating_add(number(page.values)),
                stored.saturating_add(decoded),
            );
            weight.row = weight.row.max(if is_list && is_dense {
                longest_row
            } else {
                value
            });
        }
        weight.group = stored;
        if is_list && values > 0 {
            let average = stored / number(self.group.num_rows()).max(1);
            weight.row = weight.row.max(average.saturating_mul(2));
        }
        Ok(weight)
    }

    fn pages(&self) -> impl Iterator<Item = io::Result<PageHeader>> {
        let (start, length) = self.chunk.byte_range();
        let (mut at, end) = (start, start.saturating_add(length));
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let (page, _) =
                    PageHeader::read_from(&mut self.file.file.get_read(at).map_err(as_io)?)?;
                at = at
                    .saturating_add(page.header_bytes)
                    .saturating_add(number(page.stored_bytes));
                Ok(page)
            })
        })
    }

    fn longest(&self) -> io::Result<u64> {
        let rows = usize::try_from(self.group.num_rows()).map_err(io::Error::other)?;
        let file = Arc::new(self.file.clone());
        let mut pages = SerializedPageReader::new(file, self.chunk, rows, None).map_err(as_io)?;
        let Some(Page::DictionaryPage { buf, .. }) = pages.get_next_page().map_err(as_io)? else {
            return Ok(0);
        };
        if self.chunk.column_descr().physical_type() != PhysicalType::BYTE_ARRAY {
            return Ok(0);
        }
        let (mut longest, mut left) = (0, buf.as_ref());
        while let Some((length, rest)) = left.split_first_chunk() {
            let length = u32::from_le_bytes(*length);
            longest = longest.max(u64::from(length));
            left = usize::try_from(length)
                .ok()
                .and_then(|length| rest.get(length..))
                .unwrap_or_default();
        }
        Ok(longest)
    }
}
