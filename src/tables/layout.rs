//! How the rows of a table's files are ordered, and which columns have Bloom filters.
//!
//! Example: rows of `sites` are sorted by `surt_host_name`, then `origin`, and the footer says so for each row group
//! (`sorting_columns`), so that an engine skips row groups of other hosts by their statistics. Texts are compared byte by byte,
//! and NULL comes first.

use super::Table;
use crate::web::column::{Column, Kind};
use parquet::file::metadata::SortingColumn;

/// Returns the columns by which the rows of a file are sorted, of `_origins` those of a row group; none: as they came.
pub fn order(table: &Table) -> &'static [&'static str] {
    match table.name {
        "sites" | "_origins" => &["surt_host_name", "origin"],
        _ => &[],
    }
}

/// Returns what a footer says of the order; `None`: there is none.
pub fn sorting_columns(table: &Table) -> Option<Vec<SortingColumn>> {
    let place = |name: &&str| {
        let before = table.columns().take_while(|column| column.name != *name);
        before.map(leaves).sum::<usize>().try_into().ok()
    };
    let sorting = |column_idx| SortingColumn { column_idx, descending: false, nulls_first: true };
    let columns: Vec<_> = order(table).iter().filter_map(place).map(sorting).collect();
    (!columns.is_empty()).then_some(columns)
}

/// Returns the columns that have a Bloom filter in each row group: an engine that looks for one value skips most row groups
/// that do not have it, also where they are not sorted by it.
pub fn filtered(table: &Table) -> &'static [&'static str] {
    match table.name {
        "pages" => &["url_host_name", "url_host_registered_domain", "surt_host_name", "warc_record_id"],
        "sites" => &["url_host_name", "url_host_registered_domain"],
        "captures" => &["url_host_name"],
        _ => &[],
    }
}

/// Returns how many of Parquet's columns a column has.
fn leaves(column: &Column) -> usize {
    match column.kind {
        Kind::Structs(fields) => fields.len(),
        Kind::Text
        | Kind::Binary
        | Kind::Boolean
        | Kind::Int16
        | Kind::Int32
        | Kind::Int64
        | Kind::Timestamp
        | Kind::List(_) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{filtered, order, sorting_columns};
    use crate::tables::TABLES;
    use parquet::arrow::ArrowSchemaConverter;

    #[test]
    fn local_the_columns_of_the_order_are_found_among_those_of_parquet() {
        for table in TABLES.iter().copied() {
            let schema = ArrowSchemaConverter::new().convert(&table.schema()).expect("a schema");
            let columns = sorting_columns(table).unwrap_or_default();
            let place = |number| usize::try_from(number).expect("a place");
            let names: Vec<String> = columns
                .iter()
                .map(|sorting| schema.column(place(sorting.column_idx)).path().string())
                .collect();
            assert_eq!(names, order(table), "{}", table.name);
            let is_known = |name: &&str| table.columns().any(|column| column.name == *name);
            assert!(filtered(table).iter().all(is_known), "{}", table.name);
        }
    }
}
