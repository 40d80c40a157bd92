//! `/.well-known/tdmrep.json`, cut into its entries.
//!
//! Document: TDMRep, "TDM File on the Origin Server": a JSON array of objects. Ours (RULES LIVE-3): one
//! object instead of an array, and an array under the key `tdmrep`, are found and read, flagged.
//! Left out: JSON that is broken anywhere; a file is read whole or not at all.

use super::entry::Entry;
use crate::web::lines::{offset_in, without_byte_order_marks};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What the entries are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// An array, as the document has it.
    #[default]
    Array,
    /// One object.
    Object,
    /// `{"tdmrep": [...]}`
    Wrapped,
    /// No JSON, or neither array nor object.
    Other,
}

impl Shape {
    /// Returns what is odd about it.
    pub fn defect(self) -> Option<&'static str> {
        match self {
            Self::Array => None,
            Self::Object => Some("no_array"),
            Self::Wrapped => Some("wrapped_array"),
            Self::Other => Some("not_json"),
        }
    }
}

/// A tdmrep.json.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TdmrepFile {
    /// Its shape.
    pub shape: Shape,
    /// Its entries in their order, also those that say nothing.
    pub entries: Vec<Entry>,
}

impl TdmrepFile {
    /// Reads a file; no bytes are refused. Bytes that are not UTF-8 are replaced: the rest counts.
    pub fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(without_byte_order_marks(bytes));
        let (shape, parts) = parts(&text);
        // Parts come in the order of the text, so that each line is counted once.
        let (mut line, mut counted) = (1, 0);
        let entry = |part: &str| {
            let start = offset_in(text.as_bytes(), part.as_bytes());
            let between = text.as_bytes().get(counted..start).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', between).count();
            counted = start;
            Entry::new(u32::try_from(line).unwrap_or(u32::MAX), part)
        };
        let entries = parts.into_iter().map(entry).collect();
        Self { shape, entries }
    }
}

/// Returns the entries' texts.
fn parts(text: &str) -> (Shape, Vec<&str>) {
    if let Ok(array) = serde_json::from_str::<Vec<&RawValue>>(text) {
        return (Shape::Array, array.into_iter().map(RawValue::get).collect());
    }
    let Ok(object) = serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(text) else {
        return (Shape::Other, Vec::new());
    };
    let wrapped =
        object.get("tdmrep").and_then(|array| serde_json::from_str::<Vec<&RawValue>>(array.get()).ok());
    match wrapped {
        Some(array) => (Shape::Wrapped, array.into_iter().map(RawValue::get).collect()),
        None => (Shape::Object, vec![text.trim()]),
    }
}
