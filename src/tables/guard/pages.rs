//! The pages of a Parquet file; their headers are checked before anything is allocated for the sizes that they state.
//!
//! Document: apache/parquet-format, `parquet.thrift`, "`PageHeader`". Example: a page of 900 bytes whose header says that it is
//! 2 GiB without its compression. Left out: faults that the package itself refuses.

use super::footer::{Thrift, ThriftFault, ThriftKind};
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use std::io::{self, Cursor, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The maximum size of a page in bytes without its compression. A value is never split over two pages.
pub const PAGE_BYTES: i64 = 256 << 20;
/// The maximum size of a page's header in bytes; it may contain the least and the greatest value.
const HEADER_BYTES: usize = 16 << 20;
/// The bytes of a header that are read in the first step.
const PIECE_BYTES: usize = 512;

/// The size of a value in addition to its bytes, with its levels.
pub const VALUE_BYTES: u64 = 16;

/// The content of the header of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageHeader {
    /// Its type: 2 is a dictionary.
    pub kind: i64,
    /// Its length without compression.
    pub bytes: i64,
    /// Its stored length.
    pub stored_bytes: i64,
    /// The number of its values, including NULL and empty lists.
    pub values: i64,
    pub encoding: i64,
    /// The length of the header itself.
    pub header_bytes: u64,
}

impl PageHeader {
    pub const INDEX: i64 = 1;
    pub const DICTIONARY: i64 = 2;

    fn read(bytes: &[u8]) -> Result<Self, ThriftFault> {
        let (mut thrift, mut header) = (Thrift::new(bytes), Self::default());
        thrift.fields(|thrift, id, kind| {
            match (id, kind) {
                (1, ThriftKind::Int) => header.kind = thrift.int()?,
                (2, ThriftKind::Int) => header.bytes = thrift.int()?,
                (3, ThriftKind::Int) => header.stored_bytes = thrift.int()?,
                (5 | 7, ThriftKind::Struct) => header.read_values(thrift, 2)?,
                (8, ThriftKind::Struct) => header.read_values(thrift, 4)?,
                (_, kind) => thrift.skip(kind)?,
            }
            Ok(())
        })?;
        header.header_bytes = (bytes.len() - thrift.left()) as u64;
        Ok(header)
    }

    /// Reads the header of one type, whose field `encoding` is the encoding.
    fn read_values(&mut self, thrift: &mut Thrift<'_>, encoding: i64) -> Result<(), ThriftFault> {
        thrift.fields(|thrift, id, kind| match (id, kind) {
            (1, ThriftKind::Int) => thrift.int().map(|values| self.values = values),
            (id, ThriftKind::Int) if id == encoding => {
                thrift.int().map(|found| self.encoding = found)
            }
            (_, kind) => thrift.skip(kind),
        })
    }

    /// Reads the header at the start of the next bytes; returns it with the bytes that were read.
    pub fn read_from(reader: &mut impl Read) -> io::Result<(Self, Vec<u8>)> {
        let (mut bytes, mut piece) = (Vec::new(), PIECE_BYTES);
        loop {
            let read = reader.take(piece as u64).read_to_end(&mut bytes)?;
            match Self::read(&bytes) {
                Ok(header) => return header.checked().map(|header| (header, bytes)),
                Err(ThriftFault::Cut) if read > 0 && bytes.len() < HEADER_BYTES => {
                    piece = bytes.len();
                }
                Err(ThriftFault::Cut | ThriftFault::Malformed) => {
                    return Err(io::Error::other(
                        "Invalid Parquet file: the header of a page cannot be read",
                    ));
                }
            }
        }
    }

    fn checked(self) -> io::Result<Self> {
        let is_length = |bytes: i64| (0..=PAGE_BYTES).contains(&bytes);
        if is_length(self.bytes) && is_length(self.stored_bytes) && self.values >= 0 {
            return Ok(self);
        }
        let Self {
            bytes,
            stored_bytes,
            values,
            ..
        } = self;
        Err(io::Error::other(format!(
            "a page has {values} values in {bytes} bytes, {stored_bytes} as it is stored, and at most {PAGE_BYTES} are read"
        )))
    }
}

/// How many bytes of list elements may still be read before the next batch of rows: a row may span any number of pages.
#[derive(Debug)]
pub struct ListBudget {
    /// The places of list columns in the file.
    columns: Vec<Range<u64>>,
    most_bytes: u64,
    left: AtomicU64,
}

/// The minimum size of a list element, with its levels.
const ELEMENT_BYTES: u64 = 8;

impl ListBudget {
    /// Begins with the rows of a file; each batch may read about this many bytes.
    pub fn new(metadata: &ParquetMetaData, most_bytes: u64) -> Self {
        let chunks = metadata
            .row_groups()
            .iter()
            .flat_map(RowGroupMetaData::columns);
        let lists = chunks.filter(|chunk| chunk.column_descr().max_rep_level() > 0);
        let columns = lists.map(|chunk| {
            let (start, length) = chunk.byte_range();
            start..start.saturating_add(length)
        });
        Self {
            columns: columns.collect(),
            most_bytes,
            left: AtomicU64::new(most_bytes),
        }
    }

    pub fn begin(&self) {
        self.left.store(self.most_bytes, Ordering::Relaxed);
    }

    fn take(&self, page: &PageHeader) -> io::Result<()> {
        let bytes = u64::try_from(page.values)
            .unwrap_or_default()
            .saturating_mul(ELEMENT_BYTES);
        let left = self
            .left
            .load(Ordering::Relaxed)
            .checked_sub(bytes)
            .ok_or_else(|| {
                let most = self.most_bytes;
                io::Error::other(format!(
                    "the lists of its rows need more than {most} bytes of memory"
                ))
            });
        self.left.store(left?, Ordering::Relaxed);
        Ok(())
    }
}

/// A file whose page headers are checked.
pub struct Guarded<R> {
    pub file: Arc<R>,
    pub lists: Arc<ListBudget>,
}

impl<R> Clone for Guarded<R> {
    fn clone(&self) -> Self {
        Self {
            file: Arc::clone(&self.file),
            lists: Arc::clone(&self.lists),
        }
    }
}

impl<R: ChunkReader> Length for Guarded<R> {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl<R: ChunkReader> ChunkReader for Guarded<R> {
    type T = HeaderReader<R::T>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        if start > self.len() {
            return Err(ParquetError::EOF(format!(
                "expected a page at byte {start}, after the end of the file"
            )));
        }
        let is_list = self
            .lists
            .columns
            .iter()
            .any(|column| column.contains(&start));
        let lists = is_list.then(|| Arc::clone(&self.lists));
        Ok(HeaderReader {
            inner: self.file.get_read(start)?,
            lists,
            header: None,
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        match start
            .checked_add(length as u64)
            .filter(|end| *end <= self.len())
        {
            Some(_) => self.file.get_bytes(start, length),
            None => Err(ParquetError::EOF(format!(
                "expected {length} bytes from byte {start} on, after the end of the file"
            ))),
        }
    }
}

/// Checks the header of a page when it is read. Some readers are opened inside a page, and never read.
pub struct HeaderReader<R> {
    inner: R,
    lists: Option<Arc<ListBudget>>,
    header: Option<Cursor<Vec<u8>>>,
}

impl<R: Read> Read for HeaderReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let header = match &mut self.header {
            Some(header) => header,
            none => {
                let (page, bytes) = PageHeader::read_from(&mut self.inner)?;
                if let Some(lists) = self
                    .lists
                    .as_ref()
                    .filter(|_| page.kind != PageHeader::DICTIONARY)
                {
                    lists.take(&page)?;
                }
                none.insert(Cursor::new(bytes))
            }
        };
        match header.read(buffer)? {
            0 => self.inner.read(buffer),
            count => Ok(count),
        }
    }
}

/// Returns a number of a header; a negative one is 0.
pub fn number(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
