//! The members of a line of JSON that a document is made of.
//!
//! Example: `{"text": "...", "id": "<urn:uuid:...>", "metadata": {"url": "https://a.example/"}}`. Values that are not asked for
//! are skipped and not held. Members of one name with different values have no known value, as readers differ: Python takes the
//! last one, many engines the first.

use super::dates::{DateNames, fetched_within};
use crate::judge::Added;
use crate::web::interval::Interval;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The members of an object that were looked for, each with its value as written.
#[derive(Default)]
pub struct Members<'l> {
    found: Vec<(Cow<'l, str>, MemberValue<'l>)>,
    /// A member with the name of a member of a verdict.
    pub taken: Option<Cow<'l, str>>,
}

#[derive(Clone, Copy)]
pub enum MemberValue<'l> {
    /// One value, or several that are written alike.
    One(&'l RawValue),
    Several,
}

impl<'l> MemberValue<'l> {
    pub fn one(self) -> Option<&'l RawValue> {
        match self {
            Self::One(value) => Some(value),
            Self::Several => None,
        }
    }

    /// Returns whether it is one value that is not a text.
    pub fn is_no_text(self) -> bool {
        self.one()
            .is_some_and(|value| !value.get().starts_with('"'))
    }
}

impl<'l> Members<'l> {
    /// Reads the members with some names in an object; `None` if the text is not one. `added` are those of verdicts, if the
    /// object must not have them.
    pub fn read(text: &'l [u8], names: &[&str], added: Option<&Added>) -> Option<Self> {
        let mut members = Self::default();
        each(text, |name, value| {
            let name = self::text(name)?;
            if members.taken.is_none() && added.is_some_and(|added| added.has(&name)) {
                members.taken = Some(name.clone());
            }
            if names.contains(&name.as_ref()) {
                members.add(name, value);
            }
            Some(())
        })?;
        Some(members)
    }

    fn of_name(&self, name: &str) -> Option<MemberValue<'l>> {
        self.found
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| *value)
    }

    fn add(&mut self, name: Cow<'l, str>, value: &'l RawValue) {
        match self.found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, MemberValue::One(known))) if known.get() == value.get() => {}
            Some((_, known)) => *known = MemberValue::Several,
            None => self.found.push((name, MemberValue::One(value))),
        }
    }

    /// Returns the value of the first of some names that the object has.
    pub fn value(&self, names: &[String]) -> Option<MemberValue<'l>> {
        names
            .iter()
            .find_map(|name| self.of_name(name).or_else(|| self.of_path(name)))
    }

    /// Returns the value at the end of a path, with dots between its steps.
    fn of_path(&self, name: &str) -> Option<MemberValue<'l>> {
        let (first, rest) = name.split_once('.')?;
        rest.split('.')
            .try_fold(self.of_name(first)?, |value, step| match value {
                MemberValue::One(value) => {
                    Self::read(value.get().as_bytes(), &[step], None)?.of_name(step)
                }
                MemberValue::Several => Some(MemberValue::Several),
            })
    }

    fn raw(&self, names: &[String]) -> Option<&'l RawValue> {
        self.value(names)?.one()
    }

    pub fn text(&self, names: &[String]) -> Option<Cow<'l, str>> {
        text(self.raw(names)?)
    }

    pub fn written(&self, names: &[String]) -> Option<Cow<'l, str>> {
        let raw = || {
            self.raw(names)
                .map(RawValue::get)
                .filter(|value| *value != "null")
        };
        self.text(names).or_else(|| raw().map(Cow::Borrowed))
    }

    /// Returns when a document was fetched.
    pub fn date(&self, names: &DateNames) -> Option<Interval> {
        let interval = |names: &Vec<String>| match self.text(names) {
            Some(text) => Interval::new(text.as_bytes()),
            None => Interval::of_float(serde_json::from_str(self.raw(names)?.get()).ok()?),
        };
        fetched_within(names.lists().map(interval))
    }

    /// Returns a number, also if it is written as text.
    pub fn number(&self, names: &[String]) -> Option<i64> {
        match self.text(names) {
            Some(text) => text.trim().parse().ok(),
            None => serde_json::from_str(self.raw(names)?.get()).ok(),
        }
    }
}

fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    let written = value.get();
    let inner = written.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(written).ok().map(Cow::Owned)
}

/// Visits the members of an object, names and values as written; `None` if the text is not one, or if a visit says so.
fn each<'l>(
    text: &'l [u8],
    visit: impl FnMut(&'l RawValue, &'l RawValue) -> Option<()>,
) -> Option<()> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    deserializer.deserialize_map(EachMember(visit)).ok()?;
    deserializer.end().ok()
}

struct EachMember<F>(F);

impl<'l, F: FnMut(&'l RawValue, &'l RawValue) -> Option<()>> Visitor<'l> for EachMember<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, value)) = map.next_entry()? {
            (self.0)(name, value).ok_or_else(|| A::Error::custom("a name that cannot be read"))?;
        }
        Ok(())
    }
}

/// Returns an object without the members that have names of a verdict; `None` if it has no such member, or if the text is not
/// an object. The others keep their bytes, without the white space between them.
pub fn without(text: &[u8], added: &Added) -> Option<Vec<u8>> {
    let mut out = b"{".to_vec();
    let mut has_left_out = false;
    each(text, |name, value| {
        if self::text(name).is_some_and(|name| added.has(&name)) {
            has_left_out = true;
            return Some(());
        }
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(name.get().as_bytes());
        out.push(b':');
        out.extend_from_slice(value.get().as_bytes());
        Some(())
    })?;
    out.push(b'}');
    has_left_out.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::{Added, MemberValue, Members, without};
    use crate::judge::Taken;

    const WANTED: &[&str] = &["url", "metadata.url", "metadata"];

    fn url(line: &str, names: &[&str]) -> Option<String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Members::read(line.as_bytes(), WANTED, None)?
            .text(&names)
            .map(std::borrow::Cow::into_owned)
    }

    #[test]
    fn local_members_are_found_by_their_names_and_paths() {
        for (line, found) in [
            (r#"{"url":"a"}"#, Some("a")),
            (r#" {"x":[1,{"url":"b"}],"url":"a","y":null} "#, Some("a")),
            (r#"{"url":"a","url":"a"}"#, Some("a")),
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
            assert_eq!(
                url(line, &["url", "metadata.url"]).as_deref(),
                found,
                "{line}"
            );
        }
    }

    #[test]
    fn local_two_members_of_one_name_are_no_value() {
        let names = ["url".to_owned(), "metadata.url".to_owned()];
        for line in [
            r#"{"url":"b","url":"a"}"#,
            r#"{"url":"b","x":1,"u\u0072l":"a"}"#,
            r#"{"metadata":{"url":"a"},"metadata":{"url":"b"}}"#,
            r#"{"metadata":{"url":"a","url":"b"}}"#,
            r#"{"url":null,"url":"b","url":null}"#,
        ] {
            let members = Members::read(line.as_bytes(), WANTED, None).unwrap();
            assert!(
                matches!(members.value(&names), Some(MemberValue::Several)),
                "{line}"
            );
            assert_eq!(members.text(&names), None, "{line}");
        }
    }

    #[test]
    fn local_members_of_verdicts_are_found_and_left_out_in_each_spelling() {
        let added = Added::new("prefs_", Taken::Replaced).unwrap();
        let spaced = r#"{ "a" : 1.50 ,"prefs\u005Faccess":{"x":[]}, "b\u0031":"\/"}"#;
        for (line, rest) in [
            (r#"{"prefs_train_ai":"allow"}"#, Some("{}")),
            (spaced, Some(r#"{"a":1.50,"b\u0031":"\/"}"#)),
            (
                r#"{"a":1,"Prefs_Access":1,"prefs_access":2}"#,
                Some(r#"{"a":1}"#),
            ),
            (r#"{"metadata":{"prefs_access":1}}"#, None),
            (r#"["prefs_access"]"#, None),
        ] {
            let found =
                without(line.as_bytes(), &added).map(|found| String::from_utf8(found).unwrap());
            assert_eq!(found.as_deref(), rest, "{line}");
            let members = Members::read(line.as_bytes(), WANTED, Some(&added));
            let taken = members.is_some_and(|members| members.taken.is_some());
            assert_eq!(taken, rest.is_some(), "{line}");
        }
    }
}
