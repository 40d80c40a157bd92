//! Lines of a CDX or CDXJ as objects of JSON, so that they are documents like others.
//!
//! Documents: IIPC, "CDX File Format" 2015, its fields by letters in the first line; pywb's CDXJ. Examples:
//! `com,example)/ 20260810080000 {"url": "https://example.com/", "filename": "a.warc.gz", "offset": "730"}`, which keeps its JSON
//! and gets `urlkey` and `timestamp`. Left out: fields without a name here.

use serde_json::{Map, Value};

/// The letters of the fields of a CDX that become members, with their names, as in CDXJ.
const FIELDS: [(&str, &str); 9] = [
    ("N", "urlkey"),
    ("b", "timestamp"),
    ("a", "url"),
    ("m", "mime"),
    ("s", "status"),
    ("k", "digest"),
    ("S", "length"),
    ("V", "offset"),
    ("g", "filename"),
];

/// The fields of a CDX without a first line that names them: those of 11 fields, and of 9.
const USUAL: [&str; 2] = ["N b a m s k r M S V g", "N b a m s k r V g"];

/// How the lines of a CDX become objects; other lines stay.
#[derive(Default)]
pub struct CdxLines {
    letters: Vec<String>,
}

/// Returns whether a text begins like a CDX or CDXJ.
pub fn is_cdx(text: &[u8]) -> bool {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    legend(line).is_some() || split(line).is_some()
}

fn legend(line: &[u8]) -> Option<Vec<String>> {
    let line = str::from_utf8(line).ok()?.trim();
    let letters = line
        .strip_prefix("CDX ")?
        .split(' ')
        .map(str::to_owned)
        .collect::<Vec<_>>();
    letters
        .iter()
        .all(|letter| letter.len() == 1)
        .then_some(letters)
}

/// Splits a line into its key, its time of 14 digits, and the rest.
fn split(line: &[u8]) -> Option<(&str, &str, &str)> {
    let line = str::from_utf8(line).ok()?.trim_end();
    let (key, rest) = line.split_once(' ')?;
    let (time, rest) = rest.split_once(' ')?;
    let is_time = (12..=17).contains(&time.len()) && time.bytes().all(|byte| byte.is_ascii_digit());
    (is_time && key.contains(')') && !key.starts_with('{')).then_some((key, time, rest))
}

impl CdxLines {
    /// Returns whether a line names the fields of the lines behind it, and is not a document.
    pub fn names_fields(&mut self, line: &[u8]) -> bool {
        let letters = if line.starts_with(b" CDX ") || line.starts_with(b"CDX ") {
            legend(line)
        } else {
            None
        };
        let is_legend = letters.is_some();
        self.letters = letters.unwrap_or_else(|| std::mem::take(&mut self.letters));
        is_legend
    }

    /// Makes a line of a CDX an object; any other line stays.
    pub fn convert(&self, line: &mut Vec<u8>) {
        if line.first().is_none_or(|first| *first == b'{') {
            return;
        }
        if let Some(mut object) = self.object(line) {
            object.push(b'\n');
            *line = object;
        }
    }

    fn object(&self, line: &[u8]) -> Option<Vec<u8>> {
        let (key, time, rest) = split(line)?;
        let text = |value: &str| serde_json::to_string(value).ok();
        if let Some(members) = rest
            .strip_prefix('{')
            .filter(|members| members.ends_with('}'))
        {
            // The JSON keeps its bytes.
            let comma = if members.trim_start().starts_with('}') {
                ""
            } else {
                ", "
            };
            let own = format!(
                "{{\"urlkey\": {}, \"timestamp\": {}{comma}{members}",
                text(key)?,
                text(time)?
            );
            return Some(own.into_bytes());
        }
        let values: Vec<&str> = [key, time].into_iter().chain(rest.split(' ')).collect();
        let usual = || {
            USUAL
                .iter()
                .map(|letters| letters.split(' ').map(str::to_owned).collect::<Vec<_>>())
        };
        let is_as_long = |letters: &Vec<String>| letters.len() == values.len();
        let letters = Some(self.letters.clone())
            .into_iter()
            .chain(usual())
            .find(is_as_long)?;
        let mut object = Map::new();
        for (letter, value) in letters.iter().zip(values) {
            if let Some((_, name)) = FIELDS
                .iter()
                .find(|(known, _)| known == letter)
                .filter(|_| value != "-")
            {
                object.insert((*name).to_owned(), value.into());
            }
        }
        serde_json::to_vec(&Value::Object(object)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{CdxLines, is_cdx};

    fn converted(lines: &[&str]) -> Vec<String> {
        let mut cdx = CdxLines::default();
        let convert = |line: &&str| {
            let mut line = format!("{line}\n").into_bytes();
            if cdx.names_fields(&line) {
                return String::new();
            }
            cdx.convert(&mut line);
            String::from_utf8(line)
                .expect("UTF-8")
                .trim_end()
                .to_owned()
        };
        lines.iter().map(convert).collect()
    }

    #[test]
    fn local_lines_of_cdx_and_cdxj_become_objects() {
        let cdxj = r#"com,example)/ 20260810080000 {"url": "https://example.com/", "offset": "730", "filename": "a.warc.gz"}"#;
        let object = r#"{"urlkey": "com,example)/", "timestamp": "20260810080000", "url": "https://example.com/", "offset": "730", "filename": "a.warc.gz"}"#;
        assert_eq!(converted(&[cdxj, object]), [object, object]);
        let cdx = "com,example)/ 20260810080000 https://example.com/ text/html 200 AAAA - - 900 730 a.warc.gz";
        let object = r#"{"digest":"AAAA","filename":"a.warc.gz","length":"900","mime":"text/html","offset":"730","status":"200","timestamp":"20260810080000","url":"https://example.com/","urlkey":"com,example)/"}"#;
        assert_eq!(
            converted(&[" CDX N b a m s k r M S V g", cdx]),
            ["", object]
        );
        assert_eq!(
            converted(&[cdx, "https://example.com/ 20260810080000 x"]),
            [object, "https://example.com/ 20260810080000 x"]
        );
        assert!(is_cdx(cdxj.as_bytes()) && is_cdx(cdx.as_bytes()) && is_cdx(b" CDX N b a\n"));
        assert!(!is_cdx(
            b"https://a.example/(a)b 20260810080000 x"[..20].as_ref()
        ));
    }
}
