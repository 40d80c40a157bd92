//! `/.well-known/tdmrep.json`, cut into its entries.
//!
//! Document: TDMRep, "TDM File on the Origin Server": a JSON array of objects. Example of an entry:
//! `{"location": "/", "tdm-reservation": 1, "tdm-policy": "https://a.example/tdm"}`.
//! Ours (RULES LIVE-3): one object instead of an array, an array under any one key, underscores for hyphens, numbers and truth
//! values as strings, and a whole URL as location occur and are read, flagged.
//! Left out: JSON that is broken anywhere; a file is read whole or not at all.

use super::{POLICY, RESERVATION};
use crate::systems::words::{meaning, quoted_len};
use crate::web::lines::{offset_in, without_byte_order_marks};
use crate::web::names::names;
use crate::web::path_pattern::{PathPattern, UrlPath, can_match};
use crate::web::pattern_index::PatternIndex;
use crate::web::u32_of;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};
use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TdmrepFile {
    /// The oddity of the container of its entries: an array, as in the document, has none.
    pub defect: Option<&'static str>,
    /// Its entries in their order, also those that say nothing.
    pub entries: Vec<Entry>,
}

impl TdmrepFile {
    /// Reads a file; no bytes are refused. Bytes that are not UTF-8 are replaced: the rest counts.
    pub fn parse(bytes: &[u8]) -> Self {
        // Blank lines may be in front of a mark.
        let behind = bytes.trim_ascii_start();
        let blank = bytes.get(..bytes.len() - behind.len()).unwrap_or_default();
        let text = String::from_utf8_lossy(without_byte_order_marks(behind));
        let (defect, parts) = parts(&text);
        let without_location = (defect == Some(NO_ARRAY)).then_some("/");
        // Parts come in the order of the text, so each line is counted once.
        let (mut line, mut counted) = (1 + memchr::memchr_iter(b'\n', blank).count(), 0);
        let entry = |part: &str| {
            let start = offset_in(text.as_bytes(), part.as_bytes());
            let between = text.as_bytes().get(counted..start).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', between).count();
            counted = start;
            Entry::new(u32_of(line), part, without_location)
        };
        let mut entries: Vec<Entry> = parts
            .into_iter()
            .map(entry)
            .flat_map(Entry::at_each_location)
            .collect();
        mark_shadowed(&mut entries);
        Self { defect, entries }
    }
}

/// The defect of a file that is one entry.
const NO_ARRAY: &str = "no_array";

fn parts(text: &str) -> (Option<&'static str>, Vec<&str>) {
    if let Some(texts) = array(text) {
        return (None, texts);
    }
    let Ok(object) = serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(text) else {
        return (Some("not_json"), Vec::new());
    };
    let is_entry = [RESERVATION, "tdm_reservation"]
        .iter()
        .any(|name| object.contains_key(*name));
    // `{"tdmrep": [...]}`, or under another key that alone has an array.
    // The lists of a policy in ODRL are no entries (READ-24).
    let of_policy = ["duty", "obligation", "permission", "prohibition"];
    let members = object
        .iter()
        .filter(|(name, _)| !is_entry && !of_policy.contains(&&***name));
    let mut arrays = members.filter_map(|(name, value)| Some((name, value, array(value.get())?)));
    match (arrays.next(), arrays.next()) {
        (Some((name, value, texts)), None) => {
            let earlier = before_last(text, name, value.get());
            let all = earlier.into_iter().chain(texts);
            (Some("wrapped_array"), all.collect())
        }
        _ => (Some(NO_ARRAY), vec![text.trim()]),
    }
}

/// READ-24: of a key that comes twice JSON's reader keeps the last. Returns the text before that value, which says nothing as an entry
/// and is a doubt where it may reserve.
fn before_last<'t>(text: &'t str, name: &str, value: &str) -> Option<&'t str> {
    let earlier = text.get(..offset_in(text.as_bytes(), value.as_bytes()))?;
    let is_twice = after_keys(earlier, &format!("\"{name}\"")).count() > 1;
    let may_reserve = || {
        reservations(&earlier.to_ascii_lowercase()).any(|one| one != Some(Reservation::NotReserved))
    };
    (is_twice && may_reserve()).then_some(earlier)
}

/// Returns the texts behind each key with this end, in quotes, and its colon.
fn after_keys<'t>(text: &'t str, end_of_key: &str) -> impl Iterator<Item = &'t str> {
    text.match_indices(end_of_key).filter_map(|(at, key)| {
        let behind = text.get(at + key.len()..)?.trim_start();
        Some(behind.strip_prefix(':')?.trim_start())
    })
}

fn array(text: &str) -> Option<Vec<&str>> {
    let array = serde_json::from_str::<Vec<&RawValue>>(text).ok()?;
    Some(array.into_iter().map(RawValue::get).collect())
}

/// Marks each entry that can never match, because an earlier one covers it and says something else (LIVE-3).
fn mark_shadowed(entries: &mut [Entry]) {
    let covers = |entry: &&Entry| {
        let path = entry.location.as_deref().unwrap_or_default();
        let can_cover = can_match(path.as_bytes()) && !path.ends_with('$');
        can_cover && entry.reservation.is_some() && entry.host.is_none()
    };
    let pattern =
        |entry: &Entry| PathPattern::new(entry.location.as_deref().unwrap_or_default().as_bytes());
    let ranks = (0..u64::MAX).rev();
    let covering = entries
        .iter()
        .map(|entry| Some(entry).filter(covers).map(pattern));
    let covering: Vec<Option<PathPattern>> = covering.collect();
    let patterns = covering
        .iter()
        .map(|pattern| pattern.as_ref().map_or(&b""[..], PathPattern::as_bytes));
    let index = PatternIndex::new(patterns.zip(ranks));
    let said: Vec<_> = entries.iter().map(|entry| entry.reservation).collect();
    for (place, entry) in entries.iter_mut().enumerate() {
        let Some(location) = entry
            .location
            .as_deref()
            .filter(|_| entry.reservation.is_some())
        else {
            continue;
        };
        let literal = location
            .split(['*', '$'])
            .next()
            .filter(|path| path.starts_with('/'));
        let Some(literal) = literal else { continue };
        let first = index
            .best(&UrlPath::new(literal.as_bytes(), None))
            .numbers()
            .next();
        let first = first
            .map(|first| first as usize)
            .filter(|first| *first < place);
        if first.is_some_and(|first| said.get(first) != Some(&entry.reservation)) {
            entry.defect = Some("shadowed_entry");
        }
    }
}

// As it is sent.
names! {
    /// Whether rights are reserved.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Reservation {
        Reserved => "1",
        NotReserved => "0",
    }
}

impl Reservation {
    /// Reads the value of a header field or meta: `1` or `0`; anything else counts as absent. A list is read like several
    /// lines, where a reservation counts over none (READ-17). Ours: quotes around a value say nothing.
    pub fn of_field(value: &[u8]) -> Option<Self> {
        let members = value.split(|byte| *byte == b',');
        let read = members.filter_map(|member| {
            let member = member.trim_ascii();
            Self::new(match member {
                [b'"', inside @ .., b'"'] | [b'\'', inside @ .., b'\''] => inside,
                _ => member,
            })
        });
        read.reduce(|one, other| if other == Self::Reserved { other } else { one })
    }

    /// Reads one value: `1` or `0`; anything else counts as absent.
    pub fn new(value: &[u8]) -> Option<Self> {
        str::from_utf8(value.trim_ascii())
            .ok()
            .and_then(Self::named)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Line on which it begins, from 1.
    pub line: u32,
    pub raw: String,
    pub location: Option<String>,
    /// The only host for which it is, in lower case, if its location was a URL.
    pub host: Option<String>,
    /// The reservation as written, if any: a JSON value.
    pub written: Option<String>,
    pub reservation: Option<Reservation>,
    pub policy: Option<String>,
    pub defect: Option<&'static str>,
}

impl Entry {
    /// A text that is not an object says nothing. LIVE-3: an entry without a location is about the given one, if any.
    pub(super) fn new(line: u32, raw: &str, without_location: Option<&str>) -> Self {
        let object = object(raw);
        let (reservation, hyphens) = field(&object, RESERVATION);
        let (policy, _) = field(&object, POLICY);
        let written_location = object.get("location").and_then(Json::as_str);
        let (host, location) = match written_location.map(split_url) {
            Some((host, path)) => (host, Some(path.to_owned())),
            None => (
                None,
                without_location
                    .filter(|_| reservation.is_some())
                    .map(str::to_owned),
            ),
        };
        let read = reservation.and_then(read);
        let read = read.map(|one| {
            if reserves_anywhere(raw) {
                Reservation::Reserved
            } else {
                one
            }
        });
        let defect = match (&location, reservation, read) {
            // The W3C text's own context object and vendors' objects have none of its keys.
            (None, None, _) => Some("no_entry"),
            (None, Some(_), _) => Some("no_location"),
            (Some(_), None, _) => Some("no_reservation"),
            (Some(_), Some(_), None) => Some("unknown_value"),
            (Some(location), ..) if !can_match(location.as_bytes()) => Some("path_without_slash"),
            (Some(location), ..) if is_regex(location) => Some("regex_in_path"),
            _ if !hyphens => Some("underscores"),
            (_, Some(Json::String(text)), _) => {
                let is_number = Reservation::new(text.as_bytes()).is_some();
                Some(if is_number {
                    "number_as_string"
                } else {
                    "truth_value"
                })
            }
            _ => host.is_some().then_some("url_location"),
        };
        Self {
            line,
            raw: raw.to_owned(),
            written: reservation.map(|value| {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            }),
            reservation: read,
            policy: policy.and_then(Json::as_str).map(str::to_owned),
            location,
            host,
            defect,
        }
    }
}

impl Entry {
    /// READ-24: of a location that comes twice JSON's reader keeps the last; a reservation counts at each.
    fn at_each_location(self) -> Vec<Self> {
        let mut entries = Vec::new();
        if self.reservation == Some(Reservation::Reserved) {
            let begins = |location: &String| location.starts_with(['/', '*', 'h', 'H']);
            let strings = after_keys(&self.raw, "\"location\"").filter_map(string_at);
            for location in strings.filter(begins) {
                let (host, path) = split_url(&location);
                if can_match(path.as_bytes())
                    && (&host, Some(path)) != (&self.host, self.location.as_deref())
                {
                    entries.push(Self {
                        host,
                        location: Some(path.to_owned()),
                        ..self.clone()
                    });
                }
            }
        }
        entries.push(self);
        entries
    }
}

/// Returns the JSON string at the beginning of a text.
fn string_at(text: &str) -> Option<String> {
    let content = text.strip_prefix('"')?;
    let length = quoted_len(content.as_bytes())?;
    serde_json::from_str(text.get(..length + 2)?).ok()
}

/// The location is a URL; its host is returned in lower case.
fn split_url(location: &str) -> (Option<String>, &str) {
    let rest = ["https://", "http://"].into_iter().find_map(|scheme| {
        let start = location.get(..scheme.len())?;
        start
            .eq_ignore_ascii_case(scheme)
            .then(|| location.get(scheme.len()..))?
    });
    let Some(rest) = rest else {
        return (None, location);
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let host = authority
        .split(':')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    (Some(host), if path.starts_with('/') { path } else { "/" })
}

/// Ours: a pattern of robots.txt has no such marks, and what they would match is not known.
fn is_regex(location: &str) -> bool {
    location.starts_with('^') || location.contains(".*") || location.contains(['(', '[', '\\', '|'])
}

/// Returns the fields that an entry may have; other fields may be nested to any depth.
fn object(raw: &str) -> Map<String, Json> {
    let names =
        [RESERVATION, POLICY, "location"].map(|name| [name.to_owned(), name.replace('-', "_")]);
    let fields: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(raw).unwrap_or_default();
    let known = fields
        .into_iter()
        .filter(|(name, _)| names.as_flattened().iter().any(|known| known == name));
    known
        .map(|(name, value)| {
            (
                name.into_owned(),
                serde_json::from_str(value.get()).unwrap_or_default(),
            )
        })
        .collect()
}

/// READ-24: of a key that comes twice, of which JSON's reader keeps the last, returns whether one reserves.
fn reserves_anywhere(raw: &str) -> bool {
    reservations(&raw.to_ascii_lowercase()).any(|one| one == Some(Reservation::Reserved))
}

/// Returns the value behind each key that ends as that of a reservation; `None`: it cannot be read.
fn reservations(text: &str) -> impl Iterator<Item = Option<Reservation>> {
    after_keys(text, "reservation\"").map(|behind| {
        let value = behind.split([',', '}']).next().map(str::trim);
        let value = value.and_then(|value| serde_json::from_str(value).ok());
        value.as_ref().and_then(read)
    })
}

/// Also returns whether the field is written with hyphens.
fn field<'o>(object: &'o Map<String, Json>, name: &str) -> (Option<&'o Json>, bool) {
    match object.get(name) {
        Some(value) => (Some(value), true),
        None => (object.get(&name.replace('-', "_")), false),
    }
}

fn read(value: &Json) -> Option<Reservation> {
    const WORDS: [(&str, Reservation); 4] = [
        ("true", Reservation::Reserved),
        ("yes", Reservation::Reserved),
        ("false", Reservation::NotReserved),
        ("no", Reservation::NotReserved),
    ];
    match value {
        Json::String(text) => {
            meaning(&WORDS, text.as_bytes()).or_else(|| Reservation::new(text.as_bytes()))
        }
        // 1.0 is the same number as 1 (RFC 8259, 6).
        Json::Number(number) if number.as_f64() == Some(1.0) => Some(Reservation::Reserved),
        Json::Number(number) if number.as_f64() == Some(0.0) => Some(Reservation::NotReserved),
        _ => None,
    }
}
