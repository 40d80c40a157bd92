//! The members of a line of JSON that a document is made of.
//!
//! Example: `{"text": "...", "id": "<urn:uuid:...>", "metadata": {"url": "https://a.example/"}}`. Values that are not
//! asked for are passed over. Of members of one name the last one counts.

use super::names::steps;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The members of an object, each with its value as it is written.
pub struct Members<'l>(Vec<(Cow<'l, str>, &'l RawValue)>);

impl<'l> Members<'l> {
    /// Reads an object; `None` where the text is none.
    pub fn read(text: &'l [u8]) -> Option<Self> {
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let members = deserializer.deserialize_map(ReadMembers).ok()?;
        deserializer.end().ok()?;
        Some(members)
    }

    fn last(&self, name: &str) -> Option<&'l RawValue> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// Returns the value of the first of some names that the object has.
    pub fn value(&self, names: &[String]) -> Option<&'l RawValue> {
        names.iter().flat_map(|name| steps(name)).find_map(|path| {
            let (first, rest) = path.split_first()?;
            rest.iter()
                .try_fold(self.last(first)?, |value, step| Self::read(value.get().as_bytes())?.last(step))
        })
    }

    /// Returns the text of the first of some names that the object has.
    pub fn text(&self, names: &[String]) -> Option<Cow<'l, str>> {
        text(self.value(names)?)
    }

    /// Returns the number of the first of some names that the object has.
    pub fn number(&self, names: &[String]) -> Option<i64> {
        serde_json::from_str(self.value(names)?.get()).ok()
    }

    /// Returns whether there is a member that a verdict has, too.
    pub fn is_judged(&self) -> bool {
        self.last("prefs_access").is_some()
    }
}

/// Returns a value as text.
fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    let written = value.get();
    let inner = written.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(written).ok().map(Cow::Owned)
}

struct ReadMembers;

impl<'l> Visitor<'l> for ReadMembers {
    type Value = Members<'l>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(self, mut map: A) -> Result<Members<'l>, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = map.next_key::<Name<'l>>()? {
            members.push((name.0, map.next_value()?));
        }
        Ok(Members(members))
    }
}

/// A name, copied only where it is written with escapes.
#[derive(serde::Deserialize)]
struct Name<'l>(#[serde(borrow)] Cow<'l, str>);

#[cfg(test)]
mod tests {
    use super::Members;

    fn url(line: &str, names: &[&str]) -> Option<String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Members::read(line.as_bytes())?.text(&names).map(std::borrow::Cow::into_owned)
    }

    #[test]
    fn local_members_are_found_by_their_names_and_paths() {
        for (line, found) in [
            (r#"{"url":"a"}"#, Some("a")),
            (r#" {"x":[1,{"url":"b"}],"url":"a","y":null} "#, Some("a")),
            (r#"{"url":"b","url":"a"}"#, Some("a")),
            (r#"{"u\u0072l":"\u0061"}"#, Some("a")),
            (r#"{"metadata":{"url":"a"}}"#, Some("a")),
            (r#"{"metadata.url":"a","metadata":{"url":"b"}}"#, Some("a")),
            (r#"{"metadata":["url"],"x":1}"#, None),
            (r#"{"url":null}"#, None),
            (r#"{"url":1}"#, None),
            (r#"{"url":"a"}}"#, None),
            (r#"["url"]"#, None),
            (r#"{"url":"a""#, None),
        ] {
            assert_eq!(url(line, &["url", "metadata.url"]).as_deref(), found, "{line}");
        }
    }
}
