//! Captures of several archives, host by host.
//!
//! Common Crawl chooses the file of a record by a hash of its URL: each archive is sorted by host, and the pages of a host are
//! spread over all archives of its segment. Merging brings them together, so a site's files are compiled once for all of them,
//! and similar rows are neighbours in a table. If archives are sorted differently, their next captures are compared in the same
//! way: the captures of each archive stay in their order.

use crate::tables::stored::column;
use crate::tables::writer::byte_count;
use arrow_array::{Array, RecordBatch, StringArray};
use arrow_select::interleave::interleave_record_batch;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// Rows of a slice. Fixed, because slices of output follow these.
const SLICE_ROWS: usize = 1024;
/// A slice ends with the row that brings it to about this many bytes.
const SLICE_BYTES: usize = 8 << 20;

/// Slices of the captures of some archives; each archive comes in pieces of a few rows.
pub struct ByHost<A> {
    /// Each archive, and the piece that is being read.
    archives: Vec<(A, Option<SomeRows>)>,
    /// The host of each archive's next capture in SURT order, and the archive's place: the least comes first.
    next: BinaryHeap<Reverse<(Option<String>, usize)>>,
}

struct SomeRows {
    rows: RecordBatch,
    hosts: StringArray,
    row_bytes: usize,
    /// The first remaining row.
    at: usize,
    /// Its place in the slice that is being built, if any of it is in there.
    place: Option<usize>,
}

#[derive(Default)]
struct NextSlice {
    pieces: Vec<RecordBatch>,
    /// The piece of each row, and the row in it.
    rows: Vec<(usize, usize)>,
    bytes: usize,
}

impl<A: Iterator<Item = io::Result<RecordBatch>>> ByHost<A> {
    /// Begins with the archives; for captures of one host, those of earlier archives come first.
    pub fn new(archives: impl IntoIterator<Item = A>) -> io::Result<Self> {
        let archives = archives.into_iter().map(|pieces| (pieces, None)).collect();
        let mut by_host = Self {
            archives,
            next: BinaryHeap::new(),
        };
        for place in 0..by_host.archives.len() {
            by_host.read(place)?;
        }
        Ok(by_host)
    }

    fn read(&mut self, place: usize) -> io::Result<()> {
        let Some((pieces, piece)) = self.archives.get_mut(place) else {
            return Ok(());
        };
        *piece = pieces.next().transpose()?.map(SomeRows::new).transpose()?;
        if let Some(piece) = piece {
            self.next
                .push(Reverse((piece.host().map(str::to_owned), place)));
        }
        Ok(())
    }

    /// Adds the next captures of a host in an archive's piece.
    fn add(&mut self, slice: &mut NextSlice, host: Option<&str>, place: usize) -> io::Result<()> {
        let Some((_, Some(piece))) = self.archives.get_mut(place) else {
            return Ok(());
        };
        while piece.at < piece.rows.num_rows() && piece.host() == host && !slice.is_full() {
            slice.add(piece);
        }
        if piece.at == piece.rows.num_rows() {
            return self.read(place);
        }
        self.next
            .push(Reverse((piece.host().map(str::to_owned), place)));
        Ok(())
    }

    fn slice(&mut self) -> io::Result<Option<RecordBatch>> {
        let mut slice = NextSlice::default();
        while !slice.is_full()
            && let Some(Reverse((host, place))) = self.next.pop()
        {
            self.add(&mut slice, host.as_deref(), place)?;
        }
        for piece in self
            .archives
            .iter_mut()
            .filter_map(|(_, piece)| piece.as_mut())
        {
            piece.place = None;
        }
        let NextSlice { pieces, rows, .. } = slice;
        if rows.is_empty() {
            return Ok(None);
        }
        let pieces: Vec<&RecordBatch> = pieces.iter().collect();
        interleave_record_batch(&pieces, &rows)
            .map(Some)
            .map_err(io::Error::other)
    }
}

impl<A: Iterator<Item = io::Result<RecordBatch>>> Iterator for ByHost<A> {
    type Item = io::Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.slice().transpose()
    }
}

impl SomeRows {
    fn new(rows: RecordBatch) -> io::Result<Self> {
        let hosts = column::<StringArray>(&rows, "surt_host_name")?.clone();
        let row_bytes = byte_count(&rows) / rows.num_rows().max(1);
        Ok(Self {
            rows,
            hosts,
            row_bytes,
            at: 0,
            place: None,
        })
    }

    fn host(&self) -> Option<&str> {
        self.hosts
            .is_valid(self.at)
            .then(|| self.hosts.value(self.at))
    }
}

impl NextSlice {
    fn is_full(&self) -> bool {
        self.rows.len() >= SLICE_ROWS || self.bytes >= SLICE_BYTES
    }

    fn add(&mut self, piece: &mut SomeRows) {
        let place = *piece.place.get_or_insert_with(|| {
            self.pieces.push(piece.rows.clone());
            self.pieces.len() - 1
        });
        self.rows.push((place, piece.at));
        self.bytes += piece.row_bytes;
        piece.at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::ByHost;
    use crate::tables::stored::column;
    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use std::io;
    use std::sync::Arc;

    /// Returns captures of some hosts, numbered from `first` on, `at_once` rows per slice.
    fn archive(hosts: &[Option<&str>], first: i64, at_once: usize) -> Vec<io::Result<RecordBatch>> {
        let numbered: Vec<_> = (first..).zip(hosts.iter().copied()).collect();
        let piece = |rows: &[(i64, Option<&str>)]| {
            let hosts: ArrayRef =
                Arc::new(rows.iter().map(|(_, host)| *host).collect::<StringArray>());
            let numbers: ArrayRef = Arc::new(
                rows.iter()
                    .map(|(number, _)| *number)
                    .collect::<Int64Array>(),
            );
            let columns = [
                ("surt_host_name", hosts, true),
                ("warc_record_offset", numbers, false),
            ];
            RecordBatch::try_from_iter_with_nullable(columns).map_err(io::Error::other)
        };
        numbered.chunks(at_once).map(piece).collect()
    }

    fn numbers(archives: Vec<Vec<io::Result<RecordBatch>>>) -> Vec<Vec<i64>> {
        let by_host = ByHost::new(archives.into_iter().map(Vec::into_iter)).expect("captures");
        let numbers = |slice: io::Result<RecordBatch>| {
            let slice = slice.expect("a slice");
            let numbers: &Int64Array = column(&slice, "warc_record_offset").expect("a column");
            numbers.values().to_vec()
        };
        by_host.map(numbers).collect()
    }

    #[test]
    fn local_the_captures_of_a_host_come_together_and_archives_in_their_order() {
        for at_once in [1, 2, 5] {
            let one = archive(
                &[None, Some("com,a"), Some("com,a"), Some("com,c")],
                0,
                at_once,
            );
            let other = archive(
                &[Some("com,a"), Some("com,b"), Some("com,c"), Some("com,c")],
                10,
                at_once,
            );
            assert_eq!(
                numbers(vec![one, Vec::new(), other]),
                [[0, 1, 2, 10, 11, 3, 12, 13]]
            );
        }
    }

    #[test]
    fn local_archives_that_are_not_sorted_lose_no_capture() {
        let one = archive(&[Some("com,c"), Some("com,a"), Some("com,b")], 0, 2);
        let other = archive(&[Some("com,b"), Some("com,d"), Some("com,a")], 10, 2);
        assert_eq!(numbers(vec![one, other]), [[10, 0, 1, 2, 11, 12]]);
    }

    #[test]
    fn local_slices_end_within_a_host() {
        let one = archive(&vec![Some("com,a"); 1500], 0, 32);
        let other = archive(&vec![Some("com,a"); 1500], 10_000, 32);
        let slices = numbers(vec![one, other]);
        assert_eq!(
            slices.iter().map(Vec::len).collect::<Vec<_>>(),
            [1024, 1024, 952]
        );
        assert_eq!(
            slices.concat(),
            (0..1500).chain(10_000..11_500).collect::<Vec<_>>()
        );
    }

    #[test]
    fn local_a_piece_that_cannot_be_read_is_an_error() {
        let mut pieces = archive(&[Some("com,a")], 0, 1);
        pieces.push(Err(io::Error::other("cut")));
        let mut slices = ByHost::new([pieces.into_iter()]).expect("a capture");
        assert!(slices.next().is_some_and(|slice| slice.is_err()));
    }
}
