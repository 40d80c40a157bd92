//! The languages that a crawler found in a page, from the metadata record behind the page.
//!
//! No document describes it; Common Crawl writes it since 2018 with the library CLD2. Example of a line of the record:
//! `languages-cld2: {"reliable":true,"languages":[{"code":"zh","code-iso-639-3":"zho","text-covered":0.98}]}`: `zho`.
//! Left out: the library's confidence, as in Common Crawl's columnar index, whose column `content_languages` this is.

use crate::archive::{Json, Kind, Record, decode_json};

/// The most languages that are kept; CLD2 names three at most.
const LANGUAGES: usize = 8;
/// A longer record is not read: those of Common Crawl have a few hundred bytes.
pub const METADATA_BYTES: u64 = 16 << 10;

/// Returns the id of the record that a metadata record is about, and its languages: ISO 639-3, most covered first, by commas.
pub fn languages<'a>(record: &Record<'a>) -> Option<(&'a [u8], String)> {
    let about = record
        .concurrent_to
        .filter(|_| record.kind == Kind::Metadata && record.length < METADATA_BYTES)?;
    let value = record
        .block
        .split(|byte| *byte == b'\n')
        .take(64)
        .find_map(|line| {
            let (name, value) =
                line.split_at_checked(line.iter().position(|byte| *byte == b':')?)?;
            name.trim_ascii()
                .eq_ignore_ascii_case(b"languages-cld2")
                .then(|| value.get(1..))?
        })?;
    let found = read(value)?;
    (!found.is_empty()).then(|| (about, found.join(",")))
}

/// Reads the codes of an object's `languages`: two or three letters in lower case (`null` has four). `None` if it is not such an
/// object.
fn read(value: &[u8]) -> Option<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    let mut take = |written| {
        let mut code = Vec::new();
        decode_json(written, &mut code);
        let is_code = (2..=3).contains(&code.len()) && code.iter().all(u8::is_ascii_lowercase);
        let code = String::from_utf8(code)
            .ok()
            .filter(|code| is_code && !found.contains(code));
        found.extend(code.filter(|_| found.len() < LANGUAGES));
    };
    let mut json = Json::new(value);
    json.object(&mut |json, name| match name {
        b"languages" => json.array(&mut |json| {
            json.object(&mut |json, name| match name {
                b"code-iso-639-3" => json.value().map(&mut take),
                _ => json.skip(),
            })
        }),
        _ => json.skip(),
    })?;
    json.is_at_end().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn wild_languages_are_those_of_the_columnar_index() {
        let language =
            |code: &str| format!("{{\"code\":\"x\",\"code-iso-639-3\":{code},\"score\":1672.0}}");
        let found = |value: &str| read(value.as_bytes()).map(|found| found.join(","));
        let of = |codes: &[&str]| {
            let all: Vec<_> = codes.iter().map(|code| language(code)).collect();
            found(&format!(
                " {{\"reliable\":true,\"text-bytes\":8646,\"languages\":[{}]}}\r",
                all.join(",")
            ))
        };
        assert_eq!(of(&["\"zho\""]).as_deref(), Some("zho"));
        assert_eq!(
            of(&["\"deu\"", "\"eng\"", "\"deu\"", "null", "\"EN\"", "\"a,b\""]).as_deref(),
            Some("deu,eng")
        );
        assert_eq!(of(&[]).as_deref(), Some(""));
        for none in [
            "",
            "null",
            "[]",
            "{\"languages\":{}}",
            "{\"languages\":[",
            "{\"languages\":[]} x",
        ] {
            assert_eq!(found(none), None, "{none}");
        }
        assert_eq!(found("{}").as_deref(), Some(""));
    }
}
