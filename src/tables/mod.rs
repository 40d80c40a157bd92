//! The declarations of the tables, and the conversion of rows to Parquet.
//!
//! Every table is declared once, as a [`Table`] of [`Column`]s: Arrow's schema, the `schema` command and the documentation are
//! made from that, and a test compares the README with it. Each file has one table: its columns with the values of a row
//! (`cells!`). The crawl is a partition. Left out: the content of the rows, which the jobs find out.

/// A column, by the function of [`Cells`] that appends to it.
macro_rules! column {
    (text_or_null, $($of:expr),+) => { Column::text($($of),+).or_null() };
    (binary_or_null, $($of:expr),+) => { Column::binary($($of),+).or_null() };
    (boolean_or_null, $($of:expr),+) => { Column::boolean($($of),+).or_null() };
    (int16_or_null, $($of:expr),+) => { Column::int16($($of),+).or_null() };
    (int32_or_null, $($of:expr),+) => { Column::int32($($of),+).or_null() };
    (int64_or_null, $($of:expr),+) => { Column::int64($($of),+).or_null() };
    (timestamp_or_null, $($of:expr),+) => { Column::timestamp($($of),+).or_null() };
    (texts_or_null, $($of:expr),+) => { Column::texts($($of),+).or_null() };
    ($kind:ident, $($of:expr),+) => { Column::$kind($($of),+) };
}

/// Columns of a table, in order, and the function that appends the cells of a row to them: `int32_or_null("url_port", port): "port"`
/// has the column's type, its name, the row's value, and the meaning. What `first` has is done before.
macro_rules! cells {
    ($(
        $(#[$about:meta])*
        $vis:vis $columns:ident = fn $append:ident($cells:ident $(, $given:tt: $type:ty)* $(,)?)
        $(first { $($first:tt)* })?
        { $($kind:ident($name:expr $(=> $fields:expr)?, $($value:tt)+): $meaning:expr),+ $(,)? }
    )+) => {$(
        $vis const $columns: &[Column] = &[$(column!($kind, $name, $($fields,)? $meaning)),+];

        $(#[$about])*
        $vis fn $append($cells: &mut $crate::tables::Cells $(, $given: $type)*) {
            $($($first)*)?
            $($cells.$kind($name, $($value)+);)+
        }
    )+};
}

/// Columns of a table, in order, whose cells are not appended one by one: `int32 "url_port" or_null: "port"`.
macro_rules! columns {
    ($($kind:ident $name:tt $(($elements:expr))? $($null:ident)?: $meaning:expr),+ $(,)?) => {
        &[$($crate::web::column::Column::$kind($name, $($elements,)? $meaning)$(.$null())?),+]
    };
}

// Under another name, as there is a module `columns`.
pub(crate) use columns as declared;

#[doc(hidden)]
pub mod agent_sets;
#[doc(hidden)]
pub mod archives;
mod bloom_filters;
#[doc(hidden)]
pub mod captures;
mod cells;
mod chosen;
#[doc(hidden)]
pub mod columns;
mod domains;
#[doc(hidden)]
pub mod guard;
mod joined;
mod layout;
#[doc(hidden)]
pub mod origins;
#[doc(hidden)]
pub mod pages;
#[doc(hidden)]
pub mod record_places;
#[doc(hidden)]
pub mod robots;
mod rows;
mod schema;
#[doc(hidden)]
pub mod site_files;
#[doc(hidden)]
pub mod site_index;
#[doc(hidden)]
pub mod sites;
mod slice;
#[doc(hidden)]
pub mod statements;
mod stored;
mod writer;

#[doc(hidden)]
pub use bloom_filters::BloomFilters;
#[doc(hidden)]
pub use cells::Cells;
pub use chosen::{ChosenTables, LinesKept, NotTables};
#[doc(hidden)]
pub use rows::Rows;
#[doc(hidden)]
pub use schema::markdown_columns;
pub use schema::{Dialect, describe, markdown, sql};
#[doc(hidden)]
pub use stored::Slices;
pub(crate) use stored::column;
pub(crate) use writer::RowsFile;
#[doc(hidden)]
pub use writer::{Footer, PartWriter};

use crate::web::column::{Column, ColumnKind, Nulls};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use std::sync::Arc;

/// The version of the tables' schema: a changed or dropped column makes a new version.
pub const SCHEMA_VERSION: &str = "1";

/// The version of the format in which evidence is written.
pub const EVIDENCE_FORMAT: &str = "1";

/// The name of the suffix list's version in footers.
#[doc(hidden)]
pub const SUFFIX_LIST: &str = "public_suffix_list";

/// A table.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its folder below the output folder.
    pub folder: &'static str,
    /// The unit of a row: one row per ...
    pub row: &'static str,
    /// Returns its columns, in groups.
    pub columns: fn() -> Vec<&'static [Column]>,
}

/// Every table, in the order of the README.
pub static TABLES: &[&Table] = &[
    &captures::CAPTURES,
    &site_files::SITE_FILES,
    &archives::FAILURES,
    &archives::ARCHIVES,
    &pages::PAGES,
    &sites::SITES,
    &agent_sets::AGENT_SETS,
    &robots::ROBOTS,
    &robots::ROBOTS_AGENTS,
    &robots::ROBOTS_LINES,
    &robots::ROBOTS_LINTS,
    &statements::STATEMENTS,
];

impl Table {
    /// Returns a table in a folder of its name.
    pub(crate) const fn new(
        name: &'static str,
        row: &'static str,
        columns: fn() -> Vec<&'static [Column]>,
    ) -> Self {
        Self {
            name,
            folder: name,
            row,
            columns,
        }
    }

    /// Returns its columns in order.
    pub fn columns(&self) -> impl Iterator<Item = &'static Column> {
        (self.columns)().into_iter().flatten()
    }

    /// Returns the path of a batch's part below the output folder.
    pub fn part(&self, crawl: &str, batch: &str) -> String {
        format!("{}/crawl={crawl}/part-{batch}.parquet", self.folder)
    }

    /// Returns whether it is evidence: one file for each archive.
    pub fn is_evidence(&self) -> bool {
        [captures::CAPTURES.name, site_files::SITE_FILES.name].contains(&self.name)
    }

    /// Returns the path of an archive's file of evidence below the output folder.
    pub fn file_of_archive(&self, crawl: &str, stem: &str) -> String {
        format!("{}/crawl={crawl}/{stem}.parquet", self.folder)
    }

    /// Returns the form of the paths of its files, for the documentation.
    pub fn path(&self) -> String {
        if self.is_evidence() {
            self.file_of_archive("<id>", "<archive>")
        } else {
            self.part("<id>", "<batch>")
        }
    }

    /// Returns its Arrow schema.
    pub fn schema(&self) -> SchemaRef {
        Arc::new(Schema::new(self.columns().map(field).collect::<Vec<_>>()))
    }
}

pub(crate) fn field(column: &Column) -> Field {
    Field::new(
        column.name,
        data_type(column.kind),
        column.nulls == Nulls::Allowed,
    )
}

fn data_type(kind: ColumnKind) -> DataType {
    match kind {
        ColumnKind::Text => DataType::Utf8,
        ColumnKind::Binary => DataType::Binary,
        ColumnKind::Boolean => DataType::Boolean,
        ColumnKind::Int16 => DataType::Int16,
        ColumnKind::Int32 => DataType::Int32,
        ColumnKind::Int64 => DataType::Int64,
        ColumnKind::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        ColumnKind::List(element) => DataType::List(Arc::new(element_field(data_type(*element)))),
        ColumnKind::Structs(fields) => DataType::List(Arc::new(element_field(DataType::Struct(
            struct_fields(fields),
        )))),
    }
}

fn struct_fields(columns: impl IntoIterator<Item = &'static Column>) -> Fields {
    columns.into_iter().map(field).collect()
}

/// The name that Parquet has for a list's elements.
fn element_field(data_type: DataType) -> Field {
    Field::new("element", data_type, false)
}

#[cfg(test)]
mod tests {
    use super::TABLES;
    use std::collections::HashSet;

    #[test]
    fn local_names_are_lower_snake_case_and_unique_and_meanings_are_one_line() {
        for table in TABLES {
            let mut names = HashSet::new();
            for column in table.columns() {
                let plain =
                    |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
                assert!(
                    column.name.bytes().all(plain),
                    "{}.{}",
                    table.name,
                    column.name
                );
                assert!(
                    names.insert(column.name),
                    "{}.{} twice",
                    table.name,
                    column.name
                );
                assert!(
                    !column.meaning.contains('\n') && !column.meaning.ends_with('.'),
                    "{}",
                    column.meaning
                );
            }
            assert!(table.folder.ends_with(table.name));
        }
    }
}
