//! The footer of a Parquet file, looked at before and after it is read: what its lengths would allocate, how deep its
//! schema is, and whether its columns are inside of the file.
//!
//! Document: apache/parquet-format, `parquet.thrift`, "`FileMetaData`". Left out: what the package refuses on its own.

use super::thrift::{Thrift, ThriftFault, ThriftKind};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use std::io;

/// The most bytes of a footer.
pub const FOOTER_BYTES: u64 = 64 << 20;
/// The fewest bytes that a row group, and a column in one, can have: fields that are required. What the package keeps of
/// each is some hundred bytes.
const ELEMENT_BYTES: u64 = 12;
/// How deep columns may be nested. The package follows them by calls of its own.
const MOST_DEPTH: usize = 64;

/// Refuses a footer whose lengths cannot be true.
pub fn check(bytes: &[u8]) -> io::Result<()> {
    read(bytes).map_err(|fault| {
        io::Error::other(match fault {
            ThriftFault::Cut => "Invalid Parquet file: its footer is cut off, or has a length beyond its end",
            ThriftFault::Malformed => {
                "Invalid Parquet file: its footer cannot be read, or is nested too deeply"
            }
        })
    })
}

fn read(bytes: &[u8]) -> Result<(), ThriftFault> {
    let (mut footer, mut last) = (Thrift::new(bytes), 0);
    while let Some((id, kind)) = footer.field(last)? {
        last = id;
        match (id, kind) {
            (2, ThriftKind::List) => schema(&mut footer)?,
            (4, ThriftKind::List) => elements(&mut footer, row_group)?,
            (_, kind) => footer.skip(kind)?,
        }
    }
    Ok(())
}

/// Reads a list of structs that have a least length each.
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
    let mut last = 0;
    while let Some((id, kind)) = footer.field(last)? {
        last = id;
        match (id, kind) {
            (1, ThriftKind::List) => elements(footer, |column| column.skip(ThriftKind::Struct))?,
            (_, kind) => footer.skip(kind)?,
        }
    }
    Ok(())
}

/// Reads the schema, whose elements say how many of those behind them they contain.
fn schema(footer: &mut Thrift<'_>) -> Result<(), ThriftFault> {
    let (count, kind) = footer.list()?;
    if kind != ThriftKind::Struct {
        return Err(ThriftFault::Malformed);
    }
    let mut open: Vec<i64> = Vec::new();
    for _ in 0..count {
        let children = children(footer)?;
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

/// Reads an element of the schema; returns how many it contains.
fn children(footer: &mut Thrift<'_>) -> Result<i64, ThriftFault> {
    let (mut last, mut children) = (0, 0);
    while let Some((id, kind)) = footer.field(last)? {
        last = id;
        match (id, kind) {
            (5, ThriftKind::Int) => children = footer.int()?,
            (_, kind) => footer.skip(kind)?,
        }
    }
    Ok(children)
}

/// Refuses columns that are not inside of a file of this many bytes, and counts that are negative.
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
                return refused(format!("the column {} is not inside of the file", column.column_path()));
            }
        }
    }
    if rows == metadata.file_metadata().num_rows() {
        return Ok(());
    }
    refused(format!("its row groups have {rows} rows, the file {}", metadata.file_metadata().num_rows()))
}

fn is_inside(column: &ColumnChunkMetaData, file_bytes: u64) -> bool {
    let number = |number: i64| u64::try_from(number).ok();
    let starts = [Some(column.data_page_offset()), column.dictionary_page_offset()];
    let length = number(column.compressed_size()).zip(number(column.uncompressed_size()));
    let Some((length, _)) = length.filter(|_| column.num_values() >= 0) else { return false };
    let is_inside = |start: i64| {
        number(start).and_then(|start| start.checked_add(length)).is_some_and(|end| end <= file_bytes)
    };
    let start = starts.into_iter().flatten().min().unwrap_or(-1);
    is_inside(start)
        && starts.into_iter().flatten().all(|start| number(start).is_some_and(|start| start <= file_bytes))
}
