//! Columns of the old type INT96, in which Spark, Hive and Impala wrote times: they come out as timestamps of microseconds in UTC.
//!
//! Apache Parquet, "Logical Types": INT96 is deprecated, and the package that writes Parquet does not write it. Example: `date`
//! of a file that Spark 2 wrote. So a row group with such a column is not copied, but encoded again.

use arrow_schema::{DataType, Field, FieldRef, Schema, TimeUnit};
use parquet::basic::Type as PhysicalType;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor, Type};
use std::sync::Arc;

/// Returns whether a column is of the type.
pub fn is_old(column: &ColumnDescPtr) -> bool {
    column.physical_type() == PhysicalType::INT96
}

/// Returns a schema with timestamps for such columns, which are found in the file's own one; `None` if there are none.
pub fn with_timestamps(schema: &Schema, of_file: &SchemaDescriptor) -> Option<Schema> {
    let mut leaves = of_file.columns().iter();
    leaves.clone().any(is_old).then(|| {
        let fields: Vec<_> = schema
            .fields()
            .iter()
            .map(|field| of_field(field, &mut leaves))
            .collect();
        Schema::new_with_metadata(fields, schema.metadata().clone())
    })
}

/// Returns a field, whose leaves are the next ones of the file.
fn of_field<'l>(
    field: &FieldRef,
    leaves: &mut impl Iterator<Item = &'l ColumnDescPtr>,
) -> FieldRef {
    let found = match field.data_type() {
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|field| of_field(field, leaves)).collect())
        }
        DataType::List(item) => DataType::List(of_field(item, leaves)),
        DataType::Map(entries, is_sorted) => DataType::Map(of_field(entries, leaves), *is_sorted),
        _ if leaves.next().is_some_and(is_old) => {
            DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
        }
        own => own.clone(),
    };
    Arc::new(Field::clone(field).with_data_type(found))
}

/// Returns whether a type of Parquet has such a column.
pub fn has_old(of: &Type) -> bool {
    match of {
        Type::PrimitiveType { physical_type, .. } => *physical_type == PhysicalType::INT96,
        Type::GroupType { fields, .. } => fields.iter().any(|field| has_old(field)),
    }
}
