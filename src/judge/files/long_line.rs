//! A line of JSON that is too long to hold in memory: an object, read byte by byte.
//!
//! It finds the end of the object and the names of its members, which is enough to write the verdict after them. Example:
//! `{"url": "https://a.example/", "text": "..."}` with a text of 200 MB. Left out: the values, and whether the JSON is valid.

use crate::judge::Added;

/// The most bytes of a name, as written, that can be one of a verdict.
const NAME_BYTES: usize = 4 << 10;

pub struct LongObject<'a> {
    added: &'a Added,
    depth: u64,
    inside: Inside,
    /// The last text among the members of the object itself, as written.
    name: Vec<u8>,
    /// Whether the object has any content.
    pub has_members: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Before the object.
    Nothing,
    Object,
    Text,
    /// In a text, after a backslash.
    Escape,
    /// After the object.
    End,
}

impl<'a> LongObject<'a> {
    /// Begins an object, whose members must not have names of a verdict.
    pub fn new(added: &'a Added) -> Self {
        Self {
            added,
            depth: 0,
            inside: Inside::Nothing,
            name: Vec::new(),
            has_members: false,
        }
    }

    pub fn is_whole(&self) -> bool {
        self.inside == Inside::End
    }

    /// Reads the next bytes; returns the place of the one that closes the object, if any does.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Option<usize>, String> {
        let mut end = None;
        for (at, byte) in bytes.iter().enumerate() {
            let was_inside = self.inside != Inside::End;
            self.step(*byte)?;
            if was_inside && self.is_whole() {
                end = Some(at);
            }
        }
        Ok(end)
    }

    fn step(&mut self, byte: u8) -> Result<(), String> {
        match (self.inside, byte) {
            (Inside::Object, b'"') => {
                self.inside = Inside::Text;
                self.name.clear();
                self.keep(byte);
            }
            (was @ (Inside::Text | Inside::Escape), byte) => {
                self.inside = match (was, byte) {
                    (Inside::Text, b'"') => Inside::Object,
                    (Inside::Text, b'\\') => Inside::Escape,
                    _ => Inside::Text,
                };
                self.keep(byte);
            }
            (Inside::Object, b':') if self.depth == 1 => self.check_name()?,
            (Inside::Object, b'{' | b'[') => self.depth += 1,
            (Inside::Object, b'}' | b']') => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.inside = Inside::End;
                }
            }
            (Inside::Nothing, b'{') => (self.inside, self.depth) = (Inside::Object, 1),
            (Inside::Nothing | Inside::End, byte) if !byte.is_ascii_whitespace() => {
                return Err("not a JSON object".to_owned());
            }
            (Inside::Nothing | Inside::Object | Inside::End, _) => {}
        }
        Ok(())
    }

    /// Keeps a byte of a text that may be a name.
    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.name.len() < NAME_BYTES {
            self.name.push(byte);
        }
        self.has_members = true;
    }

    fn check_name(&self) -> Result<(), String> {
        let name = serde_json::from_slice::<String>(&self.name).ok();
        match name.filter(|name| self.added.has(name)) {
            Some(name) => Err(format!(
                "too long to be held in memory, and it has a member {name}"
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Added, LongObject};

    /// Reads an object in pieces of each length; returns where it ends, or the error.
    fn end(text: &str) -> Result<Option<usize>, String> {
        let added = Added::default();
        let of_pieces = |bytes: usize| {
            let (mut object, mut end) = (LongObject::new(&added), None);
            for (number, piece) in text.as_bytes().chunks(bytes).enumerate() {
                end = object.read(piece)?.map(|at| number * bytes + at).or(end);
            }
            assert_eq!(object.is_whole(), end.is_some());
            Ok(end)
        };
        let whole = of_pieces(text.len());
        for bytes in 1..text.len() {
            assert_eq!(of_pieces(bytes), whole, "{text} by {bytes}");
        }
        whole
    }

    #[test]
    fn local_a_long_object_ends_at_its_brace() {
        let of_braces = " {\"a\":[{\"}\":1}],\"b\":\"\\\"}\\\\\"} \r\n";
        for text in [
            "{}",
            of_braces,
            "{\"x\":{\"prefs_access\":1},\"y\":\"prefs_access\"}",
        ] {
            assert_eq!(end(text), Ok(text.rfind('}')), "{text}");
        }
        assert_eq!(end("{\"a\":1"), Ok(None));
        for text in ["[1]", "{}{}", "{} 1", "x{}"] {
            assert_eq!(end(text), Err("not a JSON object".to_owned()), "{text}");
        }
    }

    #[test]
    fn local_a_member_of_a_verdict_is_found_in_a_long_object() {
        let long = format!("{{\"{}\\\":1,\"prefs_access\":2}}", "\\\\".repeat(2100));
        for text in [
            "{\"prefs_access\":1}",
            "{\"a\":[\"b\"],\"\\u0050refs_Train_AI\" \t:1}",
            "{\"\\\"\":1,\"prefs_tdm\":2}",
            &long,
        ] {
            let found = end(text);
            assert!(found.is_err() || text == long, "{text}: {found:?}");
        }
    }
}
