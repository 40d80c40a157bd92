//! A header field, or an element of the HTML head, as received, with its carrier.
//!
//! Example: `X-Robots-Tag: noindex` has the carrier `header` and the name `x-robots-tag`. Left out: its meaning.

use super::names::names;
use std::borrow::Cow;

names! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Carrier {
        Header => "header",
        /// A meta element of the HTML head, named by `name`.
        Meta => "meta",
        /// A meta element of the HTML head, named by `http-equiv`.
        HttpEquiv => "http_equiv",
        /// A meta element of the HTML head, named by `property` or `itemprop`.
        Property => "property",
        /// A meta element behind a head that ended early (READ-13), or with a value and no content (READ-22), however it is
        /// named: its noes count, its yeses do not.
        AfterHead => "after_head",
        /// A link of the HTML head that is a licence, named by its type.
        Link => "link",
        /// A script of the HTML head, named by its type.
        Script => "script",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    pub carrier: Carrier,
    /// Its name in lower case.
    pub name: &'a str,
    /// Its value as received.
    pub value: &'a [u8],
}

/// A field with bytes of its own.
#[derive(Clone, Debug)]
pub struct OwnedField {
    carrier: Carrier,
    name: String,
    value: Vec<u8>,
}

impl OwnedField {
    /// Takes a field with a name in any case.
    pub fn new(carrier: Carrier, name: &str, value: &[u8]) -> Self {
        Self {
            carrier,
            name: name.to_ascii_lowercase(),
            value: value.to_vec(),
        }
    }

    pub fn all(fields: &[Self]) -> Vec<Field<'_>> {
        fields
            .iter()
            .map(
                |Self {
                     carrier,
                     name,
                     value,
                 }| Field {
                    carrier: *carrier,
                    name,
                    value,
                },
            )
            .collect()
    }
}

impl<'a> Field<'a> {
    /// Returns a header field; the caller gives its name in lower case.
    pub const fn header(name: &'a str, value: &'a [u8]) -> Self {
        Self {
            carrier: Carrier::Header,
            name,
            value,
        }
    }

    /// Returns a meta element of the HTML head; the caller gives its name in lower case.
    pub const fn meta(name: &'a str, content: &'a [u8]) -> Self {
        Self {
            carrier: Carrier::Meta,
            name,
            value: content,
        }
    }

    /// Returns whether it is a header field with one of these lower-case names.
    pub fn is_field(&self, names: &[&str]) -> bool {
        self.carrier == Carrier::Header && names.contains(&self.name)
    }
}

impl Carrier {
    /// Returns the name that `unread` uses for the part it belongs to: the header, or the metas of the page.
    pub fn unread_name(self) -> &'static str {
        if self == Self::Header {
            "header"
        } else {
            "meta"
        }
    }
}

/// Prefixes that archive writers put before the name of a field that they keep but that does not hold for the stored response.
pub const RENAMED: [&str; 4] = ["x-crawler-", "x-crawl-", "x-archive-orig-", "x-orig-"];

/// Returns the header fields with these lower-case names. If a name is absent, fields that a writer renamed are read as it
/// (READ-18).
pub fn header_fields<'s, 'a>(
    fields: &'s [Field<'a>],
    names: &'static [&'static str],
) -> impl Iterator<Item = Field<'a>> + use<'s, 'a> {
    let mut absent = None;
    let has = move |name: &str| fields.iter().any(|field| field.is_field(&[name]));
    fields
        .iter()
        .filter(|field| field.carrier == Carrier::Header)
        .filter_map(move |field| {
            let is_renamed = |name: &str| {
                field
                    .name
                    .strip_suffix(name)
                    .is_some_and(|prefix| RENAMED.contains(&prefix))
            };
            let name = *names
                .iter()
                .find(|name| field.name == **name || is_renamed(name))?;
            if field.name != name {
                let absent = absent.get_or_insert_with(|| {
                    names.iter().filter(|name| !has(name)).collect::<Vec<_>>()
                });
                absent.iter().find(|absent| ***absent == name)?;
            }
            Some(Field { name, ..*field })
        })
}

/// Returns the metas that are named like these header fields (READ-19), those behind a head that ended early, and header fields
/// with underscores, such as `Content_Signal`, or with a prefix beside the name without it (READ-22). No document defines them, so their noes count and their yeses do not. Quotes
/// around names and values are dropped, because editors write them: `<meta name=”tdm-reservation” content=”1”>`.
pub fn twins<'s, 'a>(
    fields: &'s [Field<'a>],
    names: &'static [&'static str],
) -> impl Iterator<Item = Field<'a>> + use<'s, 'a> {
    fields.iter().filter_map(|field| {
        let bare = match field.carrier {
            Carrier::Meta | Carrier::HttpEquiv | Carrier::Property | Carrier::AfterHead => {
                Cow::Borrowed(unquoted_name(field.name))
            }
            Carrier::Header if field.name.contains('_') => Cow::Owned(field.name.replace('_', "-")),
            // READ-22: what an archive's writer renamed although the name is there as well.
            Carrier::Header if RENAMED.iter().any(|prefix| field.name.starts_with(prefix)) => {
                let name = RENAMED
                    .iter()
                    .find_map(|prefix| field.name.strip_prefix(prefix))?;
                Cow::Borrowed(
                    Some(name).filter(|name| fields.iter().any(|other| other.is_field(&[name])))?,
                )
            }
            Carrier::Header | Carrier::Link | Carrier::Script => return None,
        };
        let name = *names.iter().find(|name| **name == bare)?;
        Some(Field {
            name,
            value: without_curly_quotes(field.value),
            ..*field
        })
    })
}

/// Returns the name of a meta without the blanks and quotes around it (TAG-22).
pub fn unquoted_name(name: &str) -> &str {
    let is_around = |c: char| {
        c.is_ascii_whitespace()
            || matches!(
                c,
                '"' | '\'' | '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}'
            )
    };
    name.trim_matches(is_around)
}

/// Returns a value without the typographic quotes around it (TAG-22).
pub fn without_curly_quotes(value: &[u8]) -> &[u8] {
    let quotes = |bytes: &[u8]| matches!(bytes, [0xE2, 0x80, 0x98..=0x9F]);
    let plain = value.trim_ascii();
    let mut inside = plain;
    while let Some((_, rest)) = inside
        .split_first_chunk::<3>()
        .filter(|(first, _)| quotes(&first[..]))
    {
        inside = rest;
    }
    while let Some((rest, _)) = inside
        .split_last_chunk::<3>()
        .filter(|(_, last)| quotes(&last[..]))
    {
        inside = rest;
    }
    if inside.len() < plain.len() {
        inside
    } else {
        value
    }
}
