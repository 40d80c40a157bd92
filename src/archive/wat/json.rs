//! A scanner of JSON that reads the requested values and skips the rest undecoded.
//!
//! Document: RFC 8259. Example: in `{"Links":[{"url":"/"}],"Offset":"433"}` the links are skipped at the speed of a search for
//! quotes. Ours: skipped text is checked only for its quotes and one kind of bracket; invalid UTF-8 and lone surrogates are
//! replaced. Left out: numbers as numbers, because a WAT file writes them as strings.

use super::skip::nested;
use memchr::memchr2;

pub struct Json<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Json<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Visits the members of the object here: `visit` gets each name and must read or skip its value.
    pub fn object(
        &mut self,
        visit: &mut dyn FnMut(&mut Self, &'a [u8]) -> Option<()>,
    ) -> Option<()> {
        self.members(b'{', |json| {
            let name = json.string()?;
            json.expect(b':')?;
            visit(json, name)
        })
    }

    /// Reads the raw values of these members of the object here, the last one of several; skips all others.
    pub fn values<const N: usize>(
        &mut self,
        names: [&[u8]; N],
        values: &mut [Option<&'a [u8]>; N],
    ) -> Option<()> {
        self.object(&mut |json, name| match names
            .iter()
            .zip(&mut *values)
            .find(|(known, _)| **known == name)
        {
            Some((_, slot)) => json.value().map(|value| *slot = Some(value)),
            None => json.skip(),
        })
    }

    /// Visits the elements of the array here: `visit` must read or skip each.
    pub fn array(&mut self, visit: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.members(b'[', visit)
    }

    fn members(&mut self, open: u8, mut visit: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        // The bracket that closes is two places behind the one that opens.
        let close = open + 2;
        self.expect(open)?;
        if self.take(close) {
            return Some(());
        }
        loop {
            visit(self)?;
            if !self.take(b',') {
                return self.expect(close);
            }
        }
    }

    /// Returns the first byte of the value here.
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at)? {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    /// Returns the raw string here, without its quotes.
    pub fn string(&mut self) -> Option<&'a [u8]> {
        self.expect(b'"')?;
        let start = self.at;
        self.skip_text()?;
        self.bytes.get(start..self.at - 1)
    }

    /// Returns the raw value here; a string without its quotes.
    pub fn value(&mut self) -> Option<&'a [u8]> {
        if self.peek()? == b'"' {
            return self.string();
        }
        let start = self.at;
        self.skip()?;
        self.bytes.get(start..self.at)
    }

    pub fn skip(&mut self) -> Option<()> {
        match self.peek()? {
            b'"' => {
                self.at += 1;
                self.skip_text()
            }
            open @ (b'{' | b'[') => {
                self.at += nested(self.bytes.get(self.at..)?, open, open + 2)?;
                Some(())
            }
            _ => {
                let rest = self.bytes.get(self.at..)?;
                let is_plain =
                    |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
                let length = rest.iter().take_while(is_plain).count();
                self.at += length;
                (length > 0).then_some(())
            }
        }
    }

    /// Goes behind the quote that ends the current string.
    fn skip_text(&mut self) -> Option<()> {
        loop {
            let found = memchr2(b'"', b'\\', self.bytes.get(self.at..)?)?;
            let is_end = self.bytes.get(self.at + found) == Some(&b'"');
            self.at += found + if is_end { 1 } else { 2 };
            if is_end {
                return Some(());
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }
}

/// Decodes a raw string and appends it to `text`.
pub fn decode(written: &[u8], text: &mut Vec<u8>) {
    let mut rest = written;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at(at);
        text.extend_from_slice(plain);
        let (decoded, length) = match escape.get(1) {
            Some(b'u') => code_point(escape),
            // RFC 8259 7: the octet that a letter behind a backslash means.
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(b'n') => ('\n', 2),
            Some(b'r') => ('\r', 2),
            Some(b't') => ('\t', 2),
            Some(other) => (char::from(*other), 2),
            None => (char::REPLACEMENT_CHARACTER, 1),
        };
        text.extend_from_slice(decoded.encode_utf8(&mut [0; 4]).as_bytes());
        rest = escape.get(length..).unwrap_or_default();
    }
    text.extend_from_slice(rest);
}

/// RFC 8259 7: `\uXXXX`, or two of them for a character beyond the first plane. Also returns the bytes it takes.
fn code_point(escape: &[u8]) -> (char, usize) {
    let unit = |at: usize| {
        let digits = std::str::from_utf8(escape.get(at..at + 4)?).ok()?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(2) else {
        return (char::REPLACEMENT_CHARACTER, 2);
    };
    let second = escape
        .get(6..8)
        .filter(|start| *start == b"\\u")
        .and_then(|_| unit(8));
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    match (char::from_u32(u32::from(first)), pair) {
        (Some(character), _) => (character, 6),
        (None, Some(character)) => (character, 12),
        (None, None) => (char::REPLACEMENT_CHARACTER, 6),
    }
}

#[cfg(test)]
mod tests {
    use super::{Json, decode};

    fn members(text: &str) -> Option<Vec<(String, String)>> {
        let mut json = Json::new(text.as_bytes());
        let mut found = Vec::new();
        json.object(&mut |json, name| {
            let (mut shown, mut value) = (Vec::new(), Vec::new());
            decode(name, &mut shown);
            match json.peek()? {
                b'"' => decode(json.string()?, &mut value),
                _ => value.extend(json.value()?),
            }
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            found.push((text(&shown), text(&value)));
            Some(())
        })?;
        json.is_at_end().then_some(found)
    }

    #[test]
    fn rfc8259_objects_are_read_as_serde_json_reads_them() {
        for text in [
            r"{}",
            r#" { "a" : "b" , "c":"d\"e\\" }  "#,
            r#"{"a":"\u00e9\u20ac\ud83d\ude00\n\/"}"#,
            r#"{"a":{"b":["}","]",{"c":"\""}]},"d":-1.5e+3,"e":null,"f":[]}"#,
        ] {
            let expected: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(text).unwrap();
            let found = members(text).expect(text);
            assert_eq!(found.len(), expected.len(), "{text}");
            for (name, value) in found {
                match &expected[&name] {
                    serde_json::Value::String(expected) => assert_eq!(&value, expected),
                    other => assert_eq!(
                        &serde_json::from_str::<serde_json::Value>(&value).unwrap(),
                        other
                    ),
                }
            }
        }
    }

    #[test]
    fn local_broken_json_is_refused_and_deep_json_too() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let broken = [
            "",
            "{",
            "[]",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":"b}"#,
            r#"{"a":[}"#,
            r#"{"a":1,}"#,
        ];
        for text in broken.into_iter().chain(["{} x", &deep]) {
            assert_eq!(members(text), None, "{}", text.get(..20).unwrap_or(text));
        }
        let mut text = Vec::new();
        decode(br"a\ud800b\u12x\", &mut text);
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "a\u{fffd}b\u{fffd}12x\u{fffd}"
        );
    }
}
