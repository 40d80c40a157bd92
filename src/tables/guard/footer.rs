//! The footer of a Parquet file, checked before and after it is read: how much its lengths would allocate, how deep its schema
//! is, and whether its columns are inside the file. Left out: faults that the package itself refuses.
//!
//! Also the Thrift compact protocol of footers and page headers, as far as its lengths must be checked before they are trusted.
//! Left out: the values of doubles and UUIDs. Example: `15 04` is a field 1 that is an i32 and has the value 2.
//!
//! Documents: apache/parquet-format, `parquet.thrift`, "`FileMetaData`"; Apache Thrift, "Thrift Compact protocol encoding".

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use std::io;

/// The maximum size of a footer in bytes.
pub const FOOTER_BYTES: u64 = 64 << 20;
/// The minimum size of a row group, and of a column in one (required fields). The package keeps some hundred bytes of each.
const ELEMENT_BYTES: u64 = 12;
/// The maximum depth of nested columns. The package follows them by recursion.
const MOST_DEPTH: usize = 64;

/// Refuses a footer whose lengths cannot be true.
pub fn check(bytes: &[u8]) -> io::Result<()> {
    read(bytes).map_err(|fault| {
        io::Error::other(match fault {
            ThriftFault::Cut => {
                "Invalid Parquet file: its footer is cut off, or has a length beyond its end"
            }
            ThriftFault::Malformed => {
                "Invalid Parquet file: its footer cannot be read, or is nested too deeply"
            }
        })
    })
}

fn read(bytes: &[u8]) -> Result<(), ThriftFault> {
    Thrift::new(bytes).fields(|footer, id, kind| match (id, kind) {
        (2, ThriftKind::List) => schema(footer),
        (4, ThriftKind::List) => elements(footer, row_group),
        (_, kind) => footer.skip(kind),
    })
}

/// Reads a list of structs that have a minimum length each.
fn elements(
    footer: &mut Thrift<'_>,
    read: fn(&mut Thrift<'_>) -> Result<(), ThriftFault>,
) -> Result<(), ThriftFault> {
    let (count, kind) = footer.list()?;
    if kind != ThriftKind::Struct || count.saturating_mul(ELEMENT_BYTES) > footer.left() as u64 {
        return Err(ThriftFault::Malformed);
    }
    (0..count).try_for_each(|_| read(footer))
}

fn row_group(footer: &mut Thrift<'_>) -> Result<(), ThriftFault> {
    footer.fields(|group, id, kind| match (id, kind) {
        (1, ThriftKind::List) => elements(group, |column| column.skip(ThriftKind::Struct)),
        (_, kind) => group.skip(kind),
    })
}

/// Reads the schema; each element states how many of the following elements it contains.
fn schema(footer: &mut Thrift<'_>) -> Result<(), ThriftFault> {
    let (count, kind) = footer.list()?;
    if kind != ThriftKind::Struct {
        return Err(ThriftFault::Malformed);
    }
    let mut open: Vec<i64> = Vec::new();
    for _ in 0..count {
        let mut children = 0;
        footer.fields(|element, id, kind| match (id, kind) {
            (5, ThriftKind::Int) => element.int().map(|count| children = count),
            (_, kind) => element.skip(kind),
        })?;
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        if children > 0 {
            open.push(children);
        }
        while open.pop_if(|left| *left <= 0).is_some() {}
        if open.len() > MOST_DEPTH {
            return Err(ThriftFault::Malformed);
        }
    }
    Ok(())
}

/// Refuses columns that are not inside a file of this many bytes, and negative counts.
pub fn check_columns(metadata: &ParquetMetaData, file_bytes: u64) -> io::Result<()> {
    let refused = |detail: String| Err(io::Error::other(format!("Invalid Parquet file: {detail}")));
    let mut rows = 0_i64;
    for group in metadata.row_groups() {
        if group.num_rows() < 0 {
            return refused(format!("a row group has {} rows", group.num_rows()));
        }
        rows = rows.saturating_add(group.num_rows());
        for column in group.columns() {
            if !is_inside(column, file_bytes) {
                return refused(format!(
                    "the column {} is not inside of the file",
                    column.column_path()
                ));
            }
        }
    }
    if rows == metadata.file_metadata().num_rows() {
        return Ok(());
    }
    refused(format!(
        "its row groups have {rows} rows, the file {}",
        metadata.file_metadata().num_rows()
    ))
}

fn is_inside(column: &ColumnChunkMetaData, file_bytes: u64) -> bool {
    let number = |number: i64| u64::try_from(number).ok();
    let starts = [
        Some(column.data_page_offset()),
        column.dictionary_page_offset(),
    ];
    let length = number(column.compressed_size()).zip(number(column.uncompressed_size()));
    let Some((length, _)) = length.filter(|_| column.num_values() >= 0) else {
        return false;
    };
    let is_inside = |start: i64| {
        number(start)
            .and_then(|start| start.checked_add(length))
            .is_some_and(|end| end <= file_bytes)
    };
    let start = starts.into_iter().flatten().min().unwrap_or(-1);
    is_inside(start)
        && starts
            .into_iter()
            .flatten()
            .all(|start| number(start).is_some_and(|start| start <= file_bytes))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThriftFault {
    /// The bytes end inside a value.
    Cut,
    /// The bytes cannot be parsed any further.
    Malformed,
}

const MOST_NESTING: u32 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThriftKind {
    /// A boolean that is part of its field's header.
    Bool,
    Byte,
    /// i16, i32 and i64, which have the same encoding.
    Int,
    Double,
    Binary,
    List,
    Map,
    Struct,
    Uuid,
}

#[derive(Clone, Debug)]
pub struct Thrift<'b> {
    bytes: &'b [u8],
}

impl<'b> Thrift<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes }
    }

    pub fn left(&self) -> usize {
        self.bytes.len()
    }

    fn byte(&mut self) -> Result<u8, ThriftFault> {
        let (first, rest) = self.bytes.split_first().ok_or(ThriftFault::Cut)?;
        self.bytes = rest;
        Ok(*first)
    }

    fn pass(&mut self, count: u64) -> Result<(), ThriftFault> {
        let rest = usize::try_from(count)
            .ok()
            .and_then(|count| self.bytes.get(count..));
        self.bytes = rest.ok_or(ThriftFault::Cut)?;
        Ok(())
    }

    fn unsigned(&mut self) -> Result<u64, ThriftFault> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(ThriftFault::Malformed)
    }

    pub fn int(&mut self) -> Result<i64, ThriftFault> {
        let zigzag = self.unsigned()?;
        Ok((zigzag >> 1).cast_signed() ^ -((zigzag & 1).cast_signed()))
    }

    /// Reads a struct: `read` gets the number and the type of each field, and reads its value.
    pub fn fields(
        &mut self,
        mut read: impl FnMut(&mut Self, i64, ThriftKind) -> Result<(), ThriftFault>,
    ) -> Result<(), ThriftFault> {
        let mut id = 0_i64;
        loop {
            let header = self.byte()?;
            if header == 0 {
                return Ok(());
            }
            id = match header >> 4 {
                0 => self.int()?,
                delta => id
                    .checked_add(i64::from(delta))
                    .ok_or(ThriftFault::Malformed)?,
            };
            read(self, id, kind(header & 0xf)?)?;
        }
    }

    /// Reads the header of a list: the number and the type of its elements.
    pub fn list(&mut self) -> Result<(u64, ThriftKind), ThriftFault> {
        let header = self.byte()?;
        let count = match header >> 4 {
            15 => self.unsigned()?,
            count => u64::from(count),
        };
        let kind = kind(header & 0xf)?;
        // A boolean in a list has its own byte, and every other element has at least one.
        if count > self.left() as u64 {
            Err(ThriftFault::Cut)
        } else {
            Ok((count, kind))
        }
    }

    pub fn skip(&mut self, kind: ThriftKind) -> Result<(), ThriftFault> {
        self.skip_below(kind, 0)
    }

    fn skip_below(&mut self, kind: ThriftKind, depth: u32) -> Result<(), ThriftFault> {
        if depth > MOST_NESTING {
            return Err(ThriftFault::Malformed);
        }
        match kind {
            ThriftKind::Bool => Ok(()),
            ThriftKind::Byte => self.pass(1),
            ThriftKind::Int => self.int().map(drop),
            ThriftKind::Double => self.pass(8),
            ThriftKind::Uuid => self.pass(16),
            ThriftKind::Binary => {
                let count = self.unsigned()?;
                self.pass(count)
            }
            ThriftKind::List => {
                let (count, kind) = self.list()?;
                (0..count).try_for_each(|_| self.skip_below(in_list(kind), depth + 1))
            }
            ThriftKind::Map => self.skip_map(depth),
            ThriftKind::Struct => self.fields(|inner, _, kind| inner.skip_below(kind, depth + 1)),
        }
    }

    fn skip_map(&mut self, depth: u32) -> Result<(), ThriftFault> {
        let count = self.unsigned()?;
        if count == 0 {
            return Ok(());
        }
        let kinds = self.byte()?;
        let (key, value) = (in_list(kind(kinds >> 4)?), in_list(kind(kinds & 0xf)?));
        for _ in 0..count {
            self.skip_below(key, depth + 1)?;
            self.skip_below(value, depth + 1)?;
        }
        Ok(())
    }
}

/// Returns the type of an element; a boolean in a list has a byte.
fn in_list(kind: ThriftKind) -> ThriftKind {
    if kind == ThriftKind::Bool {
        ThriftKind::Byte
    } else {
        kind
    }
}

fn kind(number: u8) -> Result<ThriftKind, ThriftFault> {
    match number {
        1 | 2 => Ok(ThriftKind::Bool),
        3 => Ok(ThriftKind::Byte),
        4..=6 => Ok(ThriftKind::Int),
        7 => Ok(ThriftKind::Double),
        8 => Ok(ThriftKind::Binary),
        9 | 10 => Ok(ThriftKind::List),
        11 => Ok(ThriftKind::Map),
        12 => Ok(ThriftKind::Struct),
        13 => Ok(ThriftKind::Uuid),
        _ => Err(ThriftFault::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::{Thrift, ThriftFault, ThriftKind};

    #[test]
    fn local_values_are_passed_over_and_lengths_beyond_the_end_are_not_believed() {
        // 1: i32 2; 2: list<struct> of two empty ones; 3: binary "ab"; 20: true; end.
        let bytes = [
            0x15, 4, 0x19, 0x2c, 0, 0, 0x18, 2, b'a', b'b', 0x01, 40, 0, 0xff,
        ];
        let mut thrift = Thrift::new(&bytes);
        assert_eq!(thrift.skip(ThriftKind::Struct), Ok(()));
        assert_eq!(thrift.left(), 1);
        for cut in 0..bytes.len() - 1 {
            assert_eq!(
                Thrift::new(&bytes[..cut]).skip(ThriftKind::Struct),
                Err(ThriftFault::Cut),
                "{cut}"
            );
        }
        assert_eq!(
            Thrift::new(&[0x19, 0xfc, 0xff, 0xff, 0xff, 0x7f, 0]).skip(ThriftKind::Struct),
            Err(ThriftFault::Cut)
        );
        assert_eq!(
            Thrift::new(&[0x1c; 100]).skip(ThriftKind::Struct),
            Err(ThriftFault::Malformed)
        );
        assert_eq!(Thrift::new(&[3]).int(), Ok(-2));
    }
}
