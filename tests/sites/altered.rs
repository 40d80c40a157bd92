//! Parquet files whose texts somebody has replaced, with manifests that have their digests.

use arrow_array::{Array, ArrayRef, BinaryArray, ListArray, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Schema};
use data_encoding::{BASE32, HEXLOWER};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use serde_json::Value;
use sha1::{Digest, Sha1};
use sha2::Sha256;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A file of a table in memory.
pub struct Altered {
    content: Vec<u8>,
    metadata: Option<Vec<KeyValue>>,
    rows: Vec<RecordBatch>,
}

impl Altered {
    pub fn of(content: &[u8]) -> Self {
        let content = content.to_vec();
        let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(content.clone()));
        let reader = reader.expect("Parquet");
        let mut metadata = reader.metadata().file_metadata().key_value_metadata().cloned();
        // The writer makes it anew.
        metadata.iter_mut().for_each(|pairs| pairs.retain(|pair| pair.key != "ARROW:schema"));
        let rows = reader.build().expect("rows").map(|rows| rows.expect("rows")).collect();
        Self { content, metadata, rows }
    }

    /// Returns the columns that have text or bytes; of a list of structs, their fields after a dot.
    pub fn texts(&self) -> Vec<String> {
        let mut found = Vec::new();
        for field in
            self.rows.first().map(|rows| rows.schema()).iter().flat_map(|schema| schema.fields().iter())
        {
            match field.data_type() {
                DataType::Utf8 | DataType::Binary => found.push(field.name().clone()),
                DataType::List(element) => match element.data_type() {
                    DataType::Utf8 | DataType::Binary => found.push(field.name().clone()),
                    DataType::Struct(inner) => {
                        let texts = inner
                            .iter()
                            .filter(|inner| matches!(inner.data_type(), DataType::Utf8 | DataType::Binary));
                        found.extend(texts.map(|inner| format!("{}.{}", field.name(), inner.name())));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        found
    }

    /// Returns the file with another value wherever a column has one; `change` gets the value.
    pub fn with(&self, column: &str, change: &dyn Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        let (name, inner) =
            column.split_once('.').map_or((column, None), |(name, inner)| (name, Some(inner)));
        let schema = self.rows[0].schema();
        let properties = WriterProperties::builder().set_key_value_metadata(self.metadata.clone()).build();
        let mut written = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut written, Arc::clone(&schema), Some(properties)).expect("a file");
        for rows in &self.rows {
            let place = schema.index_of(name).expect("a column");
            let mut columns = rows.columns().to_vec();
            columns[place] = changed(&columns[place], inner, change);
            let rows = RecordBatch::try_new(Arc::new(Schema::clone(&schema)), columns).expect("rows");
            writer.write(&rows).expect("written");
        }
        writer.close().expect("written");
        written
    }

    /// Writes a file in the place of the one that this is of, and its digest and length in the JSON files of a folder.
    pub fn write(&self, folder: &Path, name: &str, content: &[u8], all: &BTreeMap<String, Vec<u8>>) {
        fs::write(folder.join(name), content).expect("written");
        let of = |bytes: &[u8]| {
            (BASE32.encode(&Sha1::digest(bytes)), HEXLOWER.encode(&Sha256::digest(bytes)), bytes.len())
        };
        let (old, new) = (of(&self.content), of(content));
        for (file, text) in all.iter().filter(|(file, _)| file.ends_with(".json")) {
            let Ok(mut json) = serde_json::from_slice::<Value>(text) else { continue };
            if amend(&mut json, &old, &new) {
                fs::write(folder.join(file), json.to_string()).expect("written");
            }
        }
    }
}

type Named = (String, String, usize);

/// Replaces a digest, and the length beside it.
fn amend(value: &mut Value, old: &Named, new: &Named) -> bool {
    match value {
        Value::Object(members) => {
            let mut is_amended = false;
            for member in members.values_mut() {
                let digest = member.as_str();
                let other = if digest == Some(&*old.0) { &new.0 } else { &new.1 };
                if digest == Some(&*old.0) || digest == Some(&*old.1) {
                    *member = Value::from(other.as_str());
                    is_amended = true;
                }
            }
            if let (true, Some(bytes)) = (is_amended, members.get_mut("bytes")) {
                *bytes = Value::from(new.2);
            }
            members.values_mut().fold(is_amended, |is_amended, member| amend(member, old, new) || is_amended)
        }
        Value::Array(values) => {
            values.iter_mut().fold(false, |is_amended, value| amend(value, old, new) || is_amended)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Returns a column with other texts; of a list of structs, those of a field.
fn changed(column: &ArrayRef, inner: Option<&str>, change: &dyn Fn(&[u8]) -> Vec<u8>) -> ArrayRef {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let any = column.as_any();
    if let Some(texts) = any.downcast_ref::<StringArray>() {
        let texts = texts.iter().map(|value| value.map(|value| text(change(value.as_bytes()))));
        return Arc::new(texts.collect::<StringArray>());
    }
    if let Some(values) = any.downcast_ref::<BinaryArray>() {
        let values: Vec<Option<Vec<u8>>> = values.iter().map(|value| value.map(change)).collect();
        return Arc::new(values.iter().map(Option::as_deref).collect::<BinaryArray>());
    }
    if let Some(structs) = any.downcast_ref::<StructArray>() {
        let mut columns = structs.columns().to_vec();
        let place = structs.column_names().iter().position(|name| Some(*name) == inner).expect("a field");
        columns[place] = changed(&columns[place], None, change);
        return Arc::new(StructArray::new(structs.fields().clone(), columns, structs.nulls().cloned()));
    }
    let lists = any.downcast_ref::<ListArray>().expect("texts, or a list of them");
    let DataType::List(field) = lists.data_type() else { unreachable!("it is a list") };
    let values = changed(lists.values(), inner, change);
    Arc::new(ListArray::new(Arc::clone(field), lists.offsets().clone(), values, lists.nulls().cloned()))
}
