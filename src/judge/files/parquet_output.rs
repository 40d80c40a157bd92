//! The output of a Parquet file of documents: its own columns, with their types and its properties, and those of verdicts.

use super::fault::Fault;
use crate::judge::Added;
use crate::store::StoreFile;
use crate::tables::guard::guarded;
use arrow_schema::{Field, Schema, SchemaRef};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, ArrowWriter};
use parquet::arrow::{add_encoded_arrow_schema_to_metadata, parquet_to_arrow_schema};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaData, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::{SchemaDescriptor, Type};
use std::io;
use std::sync::Arc;

/// The most bytes of a row group, which is held in memory.
const GROUP_BYTES: usize = 64 << 20;

/// Returns the places of the columns that are written again.
pub fn kept_columns(schema: &Schema, added: &Added) -> Vec<usize> {
    let is_kept = |(place, field): (usize, &Arc<Field>)| (!added.has(field.name())).then_some(place);
    schema.fields().iter().enumerate().filter_map(is_kept).collect()
}

/// Returns a schema with the columns of verdicts behind its own.
pub fn with_judged(schema: &Schema, added: &Added) -> Schema {
    let (own, judged) = (schema.fields().iter(), added.schema());
    let own = own.filter(|field| !added.has(field.name()));
    let fields: Vec<_> = own.chain(judged.fields()).cloned().collect();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

/// Returns a writer for the columns of a file and those that are added.
pub fn writer(
    metadata: &ParquetMetaData,
    schema: &SchemaRef,
    added: &Added,
    out: Box<dyn StoreFile>,
) -> Result<ArrowWriter<Box<dyn StoreFile>>, Fault> {
    let file = metadata.file_metadata();
    let judged = ArrowSchemaConverter::new().convert(&added.schema()).map_err(Fault::input)?;
    let root = file.schema_descr().root_schema();
    let own = root.get_fields().iter().filter(|field| !added.has(field.name()));
    let fields = own.chain(judged.root_schema().get_fields()).cloned();
    let root = Type::group_type_builder(root.name()).with_fields(fields.collect()).build();
    let parquet_schema = SchemaDescriptor::new(Arc::new(root.map_err(Fault::input)?));
    let options = ArrowWriterOptions::new()
        .with_properties(properties(metadata, added)?)
        .with_skip_arrow_metadata(true)
        .with_parquet_schema(parquet_schema);
    ArrowWriter::try_new_with_options(out, Arc::clone(schema), options).map_err(output)
}

fn properties(metadata: &ParquetMetaData, added: &Added) -> Result<WriterProperties, Fault> {
    let file = metadata.file_metadata();
    let rows = metadata.row_groups().iter().map(RowGroupMetaData::num_rows).max().unwrap_or_default();
    let kept = file.key_value_metadata().into_iter().flatten();
    let mut pairs: Vec<KeyValue> = kept.filter(|pair| pair.key != ARROW_SCHEMA_META_KEY).cloned().collect();
    pairs.push(KeyValue::new("crawlprefs.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(parquet::basic::ZstdLevel::default()))
        .set_max_row_group_row_count(Some(usize::try_from(rows).unwrap_or(0).max(1)))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_key_value_metadata(Some(pairs));
    for chunk in metadata.row_groups().iter().take(1).flat_map(RowGroupMetaData::columns) {
        builder = builder.set_column_compression(chunk.column_path().clone(), chunk.compression());
    }
    let mut properties = builder.build();
    let has_arrow_schema = |pair: &KeyValue| pair.key == ARROW_SCHEMA_META_KEY;
    if file.key_value_metadata().into_iter().flatten().any(has_arrow_schema) {
        let schema =
            parquet_to_arrow_schema(file.schema_descr(), file.key_value_metadata()).map_err(Fault::input)?;
        add_encoded_arrow_schema_to_metadata(&with_judged(&schema, added), &mut properties);
    }
    Ok(properties)
}

/// An error of the writer is one of the output, or of columns that it cannot write.
pub fn output(error: ParquetError) -> Fault {
    match error {
        ParquetError::External(source) => Fault::Output(io::Error::other(source)),
        error => Fault::input(error),
    }
}

/// Makes a call; a panic in it is a fault of the file.
pub fn as_fault<T>(call: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    guarded(|| Ok(call())).map_err(Fault::input)?
}
