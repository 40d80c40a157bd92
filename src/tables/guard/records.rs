//! The rows of a list of texts, read from the pages of its column: how many bytes of texts each has.
//!
//! Example: a page in which 9,000 values refer to a dictionary whose longest text has 60 KB: by its header it may have 540 MB,
//! and it has 1 MB. Texts are not copied: a value is a reference to its place in the dictionary. Left out: pages with more
//! values than their references may take bytes, and other types.

use super::pages::{Guarded, PageHeader, VALUE_BYTES, number};
use crate::tables::writer::as_io;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The memory for a value, or for one of a dictionary, in bytes: its reference and its levels.
const REFERENCE_BYTES: u64 = size_of::<ByteArray>() as u64 + 4;
/// Rows that are read at once.
const ROWS: usize = 1024;

/// The bytes of the texts of a page, with those of their values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageRows {
    /// Of the longest row that is in it, or that ends or begins in it.
    pub longest: u64,
    pub all: u64,
}

/// A column of lists of texts, read page by page.
pub struct ReadRecords<'c, R: ChunkReader> {
    file: &'c Guarded<R>,
    chunk: &'c ColumnChunkMetaData,
    most_bytes: u64,
    pages: SerializedPageReader<Guarded<R>>,
    page: Option<Page>,
    /// Whether the dictionary is too long to be held.
    is_too_long: bool,
    /// Takes the dictionary, and each page that is read; `texts` reads them.
    given: Sender<Page>,
    texts: ColumnReaderImpl<ByteArrayType>,
    /// The bytes of the row that the pages before have begun.
    row: u64,
}

impl<'c, R: ChunkReader + 'static> ReadRecords<'c, R> {
    pub fn new(
        file: &'c Guarded<R>,
        group: &'c RowGroupMetaData,
        chunk: &'c ColumnChunkMetaData,
        most_bytes: u64,
    ) -> io::Result<Self> {
        let rows = usize::try_from(group.num_rows()).map_err(io::Error::other)?;
        let pages = SerializedPageReader::new(Arc::new(file.clone()), chunk, rows, None);
        let (given, pages_of_texts) = channel();
        let texts = ColumnReaderImpl::new(
            chunk.column_descr_ptr(),
            Box::new(GivenPages(pages_of_texts)),
        );
        Ok(Self {
            file,
            chunk,
            most_bytes,
            pages: pages.map_err(as_io)?,
            page: None,
            is_too_long: false,
            given,
            texts,
            row: 0,
        })
    }

    /// Takes the next page, whose header is `header`; to be called once for each page of the column.
    pub fn begin_page(&mut self, header: &PageHeader) -> io::Result<()> {
        if header.kind == PageHeader::INDEX {
            // The reader of pages leaves these out.
            return Ok(());
        }
        // Only one page is held, so that each has the whole budget.
        self.file.lists.begin();
        self.page = None;
        let page = self.pages.get_next_page().map_err(as_io)?;
        self.file.lists.begin();
        match page {
            Some(page @ Page::DictionaryPage { .. }) => {
                self.is_too_long |= !self.fits(header);
                if !self.is_too_long {
                    self.given.send(page).map_err(io::Error::other)?;
                }
            }
            page => self.page = page,
        }
        Ok(())
    }

    /// Returns whether references to the values of a page may be held.
    fn fits(&self, header: &PageHeader) -> bool {
        number(header.values).saturating_mul(REFERENCE_BYTES) <= self.most_bytes
    }

    /// Reads the rows of the page that was begun, whose header is `header`; `None` if it has too many values.
    pub fn read(&mut self, header: &PageHeader) -> io::Result<Option<PageRows>> {
        let fits = !self.is_too_long && self.fits(header);
        let Some(page) = self.page.take().filter(|_| fits) else {
            return Ok(None);
        };
        self.given.send(page).map_err(io::Error::other)?;
        let most_level = self.chunk.column_descr().max_def_level();
        let mut found = PageRows {
            longest: self.row,
            ..PageRows::default()
        };
        loop {
            let mut levels = Vec::new();
            let mut starts = Vec::new();
            let mut texts = Vec::new();
            let (_, _, count) = self
                .texts
                .read_records(ROWS, Some(&mut levels), Some(&mut starts), &mut texts)
                .map_err(as_io)?;
            if count == 0 {
                return Ok(Some(found));
            }
            let mut texts = texts.iter();
            for (level, start) in levels.iter().zip(&starts) {
                if *start == 0 {
                    self.row = 0;
                }
                let text = if *level == most_level {
                    texts.next()
                } else {
                    None
                };
                let bytes = text.map_or(0, |text| text.len() as u64) + VALUE_BYTES;
                self.row = self.row.saturating_add(bytes);
                found.longest = found.longest.max(self.row);
                found.all = found.all.saturating_add(bytes);
            }
        }
    }
}

/// Pages that were read; as far as they know, each is the last.
struct GivenPages(Receiver<Page>);

impl Iterator for GivenPages {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for GivenPages {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        Ok(self.0.try_recv().ok())
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        Ok(None)
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        Ok(())
    }
}
