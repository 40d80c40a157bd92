//! A Parquet file in which somebody has replaced bytes, with manifests that have its digest.

use arrow_array::{Array, BinaryArray, RecordBatch};
use data_encoding::BASE32;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use serde_json::Value;
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Returns a file with other values wherever a column of bytes has one; `change` gets the value.
pub fn with_column(content: &[u8], column: &str, change: &dyn Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::copy_from_slice(content));
    let reader = reader.expect("Parquet");
    let mut metadata = reader
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .cloned();
    // The writer makes it anew.
    metadata
        .iter_mut()
        .for_each(|pairs| pairs.retain(|pair| pair.key != "ARROW:schema"));
    let schema = Arc::clone(reader.schema());
    let properties = WriterProperties::builder()
        .set_key_value_metadata(metadata)
        .build();
    let mut written = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut written, Arc::clone(&schema), Some(properties)).expect("a file");
    for rows in reader.build().expect("rows") {
        let rows = rows.expect("rows");
        let place = schema.index_of(column).expect("a column");
        let mut columns = rows.columns().to_vec();
        let values = columns[place]
            .as_any()
            .downcast_ref::<BinaryArray>()
            .expect("bytes");
        let values: Vec<Option<Vec<u8>>> = values.iter().map(|value| value.map(change)).collect();
        columns[place] = Arc::new(values.iter().map(Option::as_deref).collect::<BinaryArray>());
        writer
            .write(&RecordBatch::try_new(Arc::clone(&schema), columns).expect("rows"))
            .expect("written");
    }
    writer.close().expect("written");
    written
}

/// Writes a file in the place of another one, and its digest and length in the JSON files of the folder.
pub fn replace(folder: &Path, all: &BTreeMap<String, Vec<u8>>, name: &str, content: &[u8]) {
    fs::write(folder.join(name), content).expect("written");
    let of = |bytes: &[u8]| (BASE32.encode(&Sha1::digest(bytes)), bytes.len());
    let (old, new) = (of(&all[name]), of(content));
    for (file, text) in all.iter().filter(|(file, _)| file.ends_with(".json")) {
        let mut json: Value = serde_json::from_slice(text).expect("JSON");
        amend(&mut json, &old, &new);
        fs::write(folder.join(file), json.to_string()).expect("written");
    }
}

/// Replaces a digest, and the length beside it.
fn amend(value: &mut Value, old: &(String, usize), new: &(String, usize)) {
    match value {
        Value::Object(members) => {
            if members.get("sha1").and_then(Value::as_str) == Some(&old.0) {
                members.insert("sha1".to_owned(), Value::from(new.0.as_str()));
                members.insert("bytes".to_owned(), Value::from(new.1));
            }
            members
                .values_mut()
                .for_each(|member| amend(member, old, new));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| amend(value, old, new)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
