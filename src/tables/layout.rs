//! The order of the rows of a table's files, and the columns with Bloom filters and bounds.
//!
//! Example: rows of `sites` are sorted by `surt_host_name`, then `origin`. The footer says so for each row group (`sorting_columns`),
//! so that an engine skips row groups of other hosts by their statistics. Texts are compared byte by byte, and NULL comes first.

use super::Table;
use crate::web::column::{Column, ColumnKind};
use parquet::file::metadata::SortingColumn;
use parquet::schema::types::ColumnPath;

/// Returns the columns by which the rows of a file (in `_origins`, of a row group) are sorted; empty: rows keep their input order.
pub fn order(table: &Table) -> &'static [&'static str] {
    match table.name {
        "sites" | "_origins" => &["surt_host_name", "origin"],
        _ => &[],
    }
}

/// Returns the order as a footer states it; `None`: there is none.
pub fn sorting_columns(table: &Table) -> Option<Vec<SortingColumn>> {
    let place = |name: &&str| {
        let before = table.columns().take_while(|column| column.name != *name);
        before
            .map(|column| leaves(column).len())
            .sum::<usize>()
            .try_into()
            .ok()
    };
    let sorting = |column_idx| SortingColumn {
        column_idx,
        descending: false,
        nulls_first: true,
    };
    let columns: Vec<_> = order(table).iter().filter_map(place).map(sorting).collect();
    (!columns.is_empty()).then_some(columns)
}

/// Returns the columns with a Bloom filter in each row group: an engine that looks for one value skips most groups without it,
/// also in unsorted columns.
pub fn filtered(table: &Table) -> &'static [&'static str] {
    match table.name {
        "pages" => &[
            "url_host_name",
            "url_host_registered_domain",
            "surt_host_name",
            "warc_record_id",
        ],
        "sites" => &["url_host_name", "url_host_registered_domain"],
        "captures" => &["url_host_name"],
        _ => &[],
    }
}

/// Returns the columns without a least and a greatest value in the footer: no engine skips rows by those of lists or of bodies,
/// and finding them costs a comparison of each value.
pub fn without_bounds(table: &Table) -> impl Iterator<Item = ColumnPath> {
    let is_without =
        |path: &ColumnPath| matches!(path.parts(), [_, _, ..]) || path.string() == "body";
    table.columns().flat_map(leaves).filter(is_without)
}

fn leaves(column: &Column) -> Vec<ColumnPath> {
    let element = |rest: &[&str]| {
        let parts = [column.name, "list", "element"]
            .into_iter()
            .chain(rest.iter().copied());
        ColumnPath::new(parts.map(str::to_owned).collect())
    };
    match column.kind {
        ColumnKind::List(_) => vec![element(&[])],
        ColumnKind::Structs(fields) => fields.iter().map(|field| element(&[field.name])).collect(),
        _ => vec![ColumnPath::from(column.name)],
    }
}

#[cfg(test)]
mod tests {
    use super::{filtered, leaves, order, sorting_columns, without_bounds};
    use crate::tables::TABLES;
    use parquet::arrow::ArrowSchemaConverter;

    #[test]
    fn local_the_columns_of_the_order_are_found_among_those_of_parquet() {
        for table in TABLES.iter().copied() {
            let schema = ArrowSchemaConverter::new()
                .convert(&table.schema())
                .expect("a schema");
            let columns = sorting_columns(table).unwrap_or_default();
            let place = |number| usize::try_from(number).expect("a place");
            let names: Vec<String> = columns
                .iter()
                .map(|sorting| schema.column(place(sorting.column_idx)).path().string())
                .collect();
            assert_eq!(names, order(table), "{}", table.name);
            let is_known = |name: &&str| table.columns().any(|column| column.name == *name);
            assert!(filtered(table).iter().all(is_known), "{}", table.name);
            let paths: Vec<String> = schema
                .columns()
                .iter()
                .map(|column| column.path().string())
                .collect();
            let known: Vec<String> = table
                .columns()
                .flat_map(leaves)
                .map(|path| path.string())
                .collect();
            assert_eq!(known, paths, "{}", table.name);
            let without: Vec<String> = without_bounds(table).map(|path| path.string()).collect();
            let is_list = |path: &&String| path.contains(".list.element") || *path == "body";
            assert_eq!(
                without,
                paths.iter().filter(is_list).cloned().collect::<Vec<_>>(),
                "{}",
                table.name
            );
        }
    }
}
