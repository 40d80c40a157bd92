//! What a revisit has from its original, and captures with it (KNOW-4).
//!
//! Example: a page that was stored in January, and of which a revisit in March says that its body is the same: the row of March
//! gets the metas of January. Left out: which record is the original (`runs::originals`).

use super::Captures;
use crate::archive::IN_DOUBT;
use crate::tables::stored::{column, no_column};
use crate::verdict::RecordLocation;
use crate::web::capture_kind::CaptureKind;
use crate::web::field::{Carrier, Field, RENAMED};
use arrow_array::{Array, ArrayRef, BinaryArray, ListArray, RecordBatch, StringArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, FieldRef};
use arrow_select::interleave::interleave;
use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::io;
use std::sync::Arc;

/// What a record has for the revisits that refer to it.
#[derive(Serialize, Deserialize)]
pub struct Original {
    /// The columns `content_mime_type`, `body_digest`, `body_marks` and `unread`.
    media_type: Option<String>,
    /// `body_digest` only of a site file.
    body_digest: Option<String>,
    marks: Vec<String>,
    unread: Vec<String>,
    /// Of a page, its signals.
    fields: Vec<StoredField>,
    /// The place of its record: archive, offset and length.
    place: (String, u64, Option<u64>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct StoredField {
    carrier: String,
    name: String,
    /// In base64.
    value: String,
}

impl StoredField {
    fn of(
        Field {
            carrier,
            name,
            value,
        }: &Field<'_>,
    ) -> Self {
        Self {
            carrier: carrier.as_str().to_owned(),
            name: (*name).to_owned(),
            value: BASE64.encode(value),
        }
    }

    fn is_of_header(&self) -> bool {
        self.carrier == Carrier::Header.as_str()
    }
}

impl Original {
    pub fn from_row(captures: &Captures, row: usize) -> io::Result<Self> {
        let mut fields = Vec::new();
        let is_page = captures.kind(row) == CaptureKind::Page.as_str();
        if is_page {
            captures.fields(row, &mut fields)?;
        }
        let body_digest = captures.body_digest(row).filter(|_| !is_page);
        let (filename, offset) = captures.place(row)?;
        Ok(Self {
            media_type: captures.media_type(row).map(str::to_owned),
            body_digest: body_digest.map(str::to_owned),
            marks: captures
                .body_marks(row)
                .iter()
                .map(|mark| mark.as_str().to_owned())
                .collect(),
            unread: captures.unread(row).map(str::to_owned).collect(),
            fields: fields.iter().map(StoredField::of).collect(),
            place: (
                filename.to_owned(),
                u64::try_from(offset).unwrap_or(u64::MAX),
                captures.length(row)?,
            ),
        })
    }

    /// Returns the place of its record.
    pub fn location(&self) -> RecordLocation {
        let (filename, offset, length) = &self.place;
        RecordLocation {
            warc_filename: Some(filename.clone()),
            warc_record_offset: Some(*offset),
            warc_record_length: *length,
        }
    }

    /// Returns whether its metas were read in full.
    pub fn has_metas(&self) -> bool {
        !self.unread.iter().any(|carrier| carrier == "meta")
    }

    /// Hashes its body: of a page, its metas.
    pub fn hash_body(&self, hasher: &mut impl Hasher) {
        self.body_digest.hash(hasher);
        self.fields
            .iter()
            .filter(|field| !field.is_of_header())
            .for_each(|field| field.hash(hasher));
    }

    /// Returns the carriers of a revisit, and of this record, that could not be read.
    fn unread_beside<'u>(&'u self, of_revisit: impl Iterator<Item = &'u str>) -> Vec<String> {
        let lacking = if self.body_digest.is_some() {
            "body"
        } else {
            "meta"
        };
        let own = of_revisit.filter(|carrier| *carrier != lacking);
        let counts = |carrier: &&str| *carrier == IN_DOUBT || self.body_digest.is_none();
        let unread = self.unread.iter().map(String::as_str).filter(counts);
        each_once(own.chain(unread).map(str::to_owned))
    }

    /// Returns the fields of a revisit and of this record. RFC 9110 15.4.5: a field of the revisit replaces that of the same name,
    /// whose noes count nevertheless, as READ-22 has it for a field that an archive's writer renamed.
    fn fields_beside(&self, of_revisit: &[Field<'_>]) -> Vec<StoredField> {
        let own: Vec<_> = of_revisit.iter().map(StoredField::of).collect();
        let added = self
            .fields
            .iter()
            .filter(|field| !own.contains(field))
            .map(|field| {
                let is_renamed = RENAMED.iter().any(|prefix| field.name.starts_with(prefix));
                let is_kept = !field.is_of_header() || is_renamed;
                let name = if is_kept {
                    field.name.clone()
                } else {
                    format!("x-archive-orig-{}", field.name)
                };
                StoredField {
                    name,
                    ..field.clone()
                }
            });
        own.iter().cloned().chain(added).collect()
    }
}

/// Returns some texts, each once.
fn each_once(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for text in texts {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// Returns a slice of captures in which some rows have what their originals have.
pub fn joined(slice: &RecordBatch, originals: &[(usize, Original)]) -> io::Result<RecordBatch> {
    let captures = Captures::new(slice)?;
    let replaced = |name: &str| -> io::Result<Option<ArrayRef>> {
        Ok(Some(match name {
            "content_mime_type" => texts(originals.iter().map(|(row, original)| {
                captures
                    .media_type(*row)
                    .map(str::to_owned)
                    .or_else(|| original.media_type.clone())
            })),
            "body_digest" => texts(
                originals
                    .iter()
                    .map(|(_, original)| original.body_digest.clone()),
            ),
            "body_marks" => {
                let marks = |(row, original): &(usize, Original)| {
                    let own = captures.body_marks(*row);
                    let own = own.iter().map(|mark| mark.as_str().to_owned());
                    each_once(own.chain(original.marks.iter().cloned()))
                };
                lists(slice, name, originals.iter().map(marks).collect())?
            }
            "unread" => {
                let unread = |(row, original): &(usize, Original)| {
                    original.unread_beside(captures.unread(*row))
                };
                lists(slice, name, originals.iter().map(unread).collect())?
            }
            "signals" => {
                let fields = |(row, original): &(usize, Original)| {
                    let mut own = Vec::new();
                    captures.fields(*row, &mut own)?;
                    Ok(original.fields_beside(&own))
                };
                structs(
                    slice,
                    name,
                    &originals
                        .iter()
                        .map(fields)
                        .collect::<io::Result<Vec<_>>>()?,
                )?
            }
            _ => return Ok(None),
        }))
    };
    let mut places: Vec<(usize, usize)> = (0..slice.num_rows()).map(|row| (0, row)).collect();
    for (number, (row, _)) in originals.iter().enumerate() {
        if let Some(place) = places.get_mut(*row) {
            *place = (1, number);
        }
    }
    let schema = slice.schema();
    let columns = schema
        .fields()
        .iter()
        .zip(slice.columns())
        .map(|(field, column)| {
            let Some(replaced) = replaced(field.name())? else {
                return Ok(Arc::clone(column));
            };
            interleave(&[column.as_ref(), replaced.as_ref()], &places).map_err(io::Error::other)
        });
    let columns = columns.collect::<io::Result<_>>()?;
    RecordBatch::try_new(schema, columns).map_err(io::Error::other)
}

fn texts(values: impl Iterator<Item = Option<String>>) -> ArrayRef {
    Arc::new(values.collect::<StringArray>())
}

/// Returns the field of the elements of a column of lists.
fn element_of(slice: &RecordBatch, name: &str) -> io::Result<FieldRef> {
    match column::<ListArray>(slice, name)?.data_type() {
        DataType::List(element) => Ok(Arc::clone(element)),
        other => Err(io::Error::other(format!("the column {name} is {other}"))),
    }
}

fn lists(slice: &RecordBatch, name: &str, rows: Vec<Vec<String>>) -> io::Result<ArrayRef> {
    let offsets = OffsetBuffer::from_lengths(rows.iter().map(Vec::len));
    let values: StringArray = rows.into_iter().flatten().map(Some).collect();
    list_of(slice, name, offsets, Arc::new(values))
}

fn structs(slice: &RecordBatch, name: &str, rows: &[Vec<StoredField>]) -> io::Result<ArrayRef> {
    let offsets = OffsetBuffer::from_lengths(rows.iter().map(Vec::len));
    let fields = rows.concat();
    let text = |of: fn(&StoredField) -> &str| -> ArrayRef {
        Arc::new(
            fields
                .iter()
                .map(|field| Some(of(field)))
                .collect::<StringArray>(),
        )
    };
    let values = fields
        .iter()
        .map(|field| BASE64.decode(field.value.as_bytes()));
    let values = values
        .collect::<Result<Vec<_>, _>>()
        .map_err(io::Error::other)?;
    let values: ArrayRef = Arc::new(BinaryArray::from_iter_values(values));
    let columns = vec![
        text(|field| &field.carrier),
        text(|field| &field.name),
        values,
    ];
    let element = element_of(slice, name)?;
    let DataType::Struct(parts) = element.data_type() else {
        return Err(no_column(name));
    };
    let rows = StructArray::try_new(parts.clone(), columns, None).map_err(io::Error::other)?;
    list_of(slice, name, offsets, Arc::new(rows))
}

fn list_of(
    slice: &RecordBatch,
    name: &str,
    offsets: OffsetBuffer<i32>,
    values: ArrayRef,
) -> io::Result<ArrayRef> {
    let lists = ListArray::try_new(element_of(slice, name)?, offsets, values, None);
    Ok(Arc::new(lists.map_err(io::Error::other)?))
}
