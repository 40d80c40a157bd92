//! `/.well-known/tdmrep.json`, cut into its entries.
//!
//! Document: TDMRep, "TDM File on the Origin Server": a JSON array of objects. Ours (RULES LIVE-3): one
//! object instead of an array, and an array under any one key, are found and read, flagged.
//! Left out: JSON that is broken anywhere; a file is read whole or not at all.

use super::RESERVATION;
use super::entry::Entry;
use crate::web::lines::{offset_in, without_byte_order_marks};
use crate::web::path_pattern::{PathPattern, UrlPath, can_match};
use crate::web::pattern_index::PatternIndex;
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
    /// `{"tdmrep": [...]}`, or under another key that alone has an array.
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
        let without_location = (shape == Shape::Object).then_some("/");
        // Parts come in the order of the text, so that each line is counted once.
        let (mut line, mut counted) = (1, 0);
        let entry = |part: &str| {
            let start = offset_in(text.as_bytes(), part.as_bytes());
            let between = text.as_bytes().get(counted..start).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', between).count();
            counted = start;
            Entry::new(u32::try_from(line).unwrap_or(u32::MAX), part, without_location)
        };
        let mut entries: Vec<Entry> = parts.into_iter().map(entry).collect();
        mark_shadowed(&mut entries);
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
    let is_entry = [RESERVATION, "tdm_reservation"].iter().any(|name| object.contains_key(*name));
    let mut arrays = object
        .values()
        .filter(|_| !is_entry)
        .filter_map(|value| serde_json::from_str::<Vec<&RawValue>>(value.get()).ok());
    match (arrays.next(), arrays.next()) {
        (Some(array), None) => (Shape::Wrapped, array.into_iter().map(RawValue::get).collect()),
        (Some(_), Some(_)) | (None, _) => (Shape::Object, vec![text.trim()]),
    }
}

/// Marks each entry that can never match, as an earlier one covers it and says something else (LIVE-3).
fn mark_shadowed(entries: &mut [Entry]) {
    let covers = |entry: &&Entry| {
        let path = entry.location.as_deref().unwrap_or_default();
        let can_cover = can_match(path.as_bytes()) && !path.ends_with('$');
        can_cover && entry.reservation.is_some() && entry.host.is_none()
    };
    let pattern = |entry: &Entry| PathPattern::new(entry.location.as_deref().unwrap_or_default().as_bytes());
    let ranks = (0..u64::MAX).rev();
    let covering = entries.iter().map(|entry| Some(entry).filter(covers).map(pattern));
    let covering: Vec<Option<PathPattern>> = covering.collect();
    let patterns = covering.iter().map(|pattern| pattern.as_ref().map_or(&b""[..], PathPattern::as_bytes));
    let index = PatternIndex::new(patterns.zip(ranks));
    let said: Vec<_> = entries.iter().map(|entry| entry.reservation).collect();
    for (place, entry) in entries.iter_mut().enumerate() {
        let Some(location) = entry.location.as_deref().filter(|_| entry.reservation.is_some()) else {
            continue;
        };
        let literal = location.split(['*', '$']).next().filter(|path| path.starts_with('/'));
        let Some(literal) = literal else { continue };
        let first = index.best(&UrlPath::new(literal.as_bytes(), None)).numbers().next();
        let first = first.map(|first| first as usize).filter(|first| *first < place);
        if first.is_some_and(|first| said.get(first) != Some(&entry.reservation)) {
            entry.defect = Some("shadowed_entry");
        }
    }
}
