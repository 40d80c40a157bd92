//! Real header dumps and real site files, as records of an archive: every line of them that is a
//! preference of another system than robots.txt is in `statements`, read as is written out here.

use crate::captures::rows_of;
use crate::corpus;
use crate::files::files;
use crate::resolved::command;
use data_encoding::BASE32;
use parquet::record::{Field, Row};
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const SYSTEMS: [&str; 4] = ["robots_tag", "tdmrep", "ai_txt", "trust_txt"];

fn record(url: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-08-10T06:00:00Z\r\n\
         Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// Cuts a dump of `curl -i -L` into its responses; one without a status line is of one response.
fn responses(dump: &[u8]) -> Vec<Vec<u8>> {
    let mut responses: Vec<Vec<u8>> = Vec::new();
    for line in dump.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"HTTP/") {
            responses.push(Vec::new());
        } else if responses.is_empty() {
            responses.push(b"HTTP/1.1 200 OK\r\n".to_vec());
        }
        responses.last_mut().expect("one was begun").extend(line);
    }
    responses
}

/// The lines of a file in the manner of Netlify's `_headers` that are for all of its site.
fn site_headers(file: &str) -> String {
    let lines = file
        .lines()
        .skip(1)
        .take_while(|line| !line.trim().is_empty());
    let fields = lines.map(str::trim).filter(|line| !line.starts_with('#'));
    fields.map(|field| format!("{field}\r\n")).collect()
}

/// Returns a row as `place line | system | path | key value | category preference defect`, if it is of one
/// of the systems; the place is the URL's path, or what the body's digest is called.
fn fact(row: &Row, names: &BTreeMap<String, String>) -> Option<String> {
    let text = |column: &str| match row.get_column_iter().find(|(name, _)| *name == column)?.1 {
        Field::Str(text) => Some(text.clone()),
        Field::Int(number) => Some(number.to_string()),
        _ => None,
    };
    let of = |column: &str| text(column).unwrap_or_else(|| "-".to_owned());
    let (system, digest) = (of("system"), of("body_digest"));
    SYSTEMS.contains(&system.as_str()).then(|| {
        let place = match text("url") {
            Some(url) => url.splitn(4, '/').last().unwrap_or_default().to_owned(),
            None => format!("{} {}", names[&digest], of("line")),
        };
        let [path, key, value] = ["path", "key", "value"].map(of);
        let said = ["category", "preference", "defect"].map(of).join(" ");
        format!("{place} | {system} | {path} | {key} {value} | {said}")
    })
}

fn facts(records: &[u8], names: &BTreeMap<String, String>) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (archive, out) = (folder.path().join("made.warc"), folder.path().join("out"));
    fs::write(&archive, records).expect("it can be written");
    command(&["run"], &[&archive], &out);
    let rows = rows_of(&out.join("statements"));
    let mut facts: Vec<String> = rows.iter().filter_map(|row| fact(row, names)).collect();
    facts.sort();
    facts
}

/// Counts the lines of all files that begin so, without case.
fn lines_that_begin(folder: &Path, start: &str) -> usize {
    let begins = |line: &&[u8]| {
        line.len() >= start.len() && line[..start.len()].eq_ignore_ascii_case(start.as_bytes())
    };
    files(folder)
        .values()
        .map(|file| file.split(|byte| *byte == b'\n').filter(begins).count())
        .sum()
}

#[test]
fn wild_every_robots_tag_of_the_header_dumps_is_a_statement() {
    let Some(folder) = corpus("http-headers") else {
        return;
    };
    let (mut records, mut dumps, mut count) = (Vec::new(), 0, 0);
    for (name, dump) in &files(&folder) {
        if name.ends_with("index.tsv") {
            continue;
        }
        dumps += 1;
        for (number, response) in responses(dump).iter().enumerate() {
            count += 1;
            let site = name
                .rsplit('/')
                .next()
                .unwrap_or(name)
                .trim_end_matches(".txt");
            let url = format!("https://{dumps}.example/{site}/{number}");
            records.extend(record(&url.replace(' ', "_"), response));
        }
    }
    // The index counts a status line as a response; one dump has none.
    assert_eq!((dumps, count), (785, 2281));
    let lines =
        lines_that_begin(&folder, "x-robots-tag:") + lines_that_begin(&folder, "robots-tag:");
    assert_eq!(lines, 6);
    assert_eq!(
        facts(&records, &BTreeMap::new()),
        [
            "bigcommerce.com/2 | robots_tag | - | all - | all allow -",
            "repubblica.it/1 | robots_tag | - | max-image-preview large | max-image-preview - -",
            "repubblica.it/1 | robots_tag | - | noarchive - | noarchive disallow -",
            "tes.com/1 | robots_tag | - | unavailable_after Tuesday, 02-Jul-30 11:11:13 BST | unavailable_after - -",
            "tes.com/1 | robots_tag | - | unavailable_after Tuesday, 02-Jul-30 11:11:13 BST | unavailable_after - -",
            "yandex.ru/0 | robots_tag | - | unavailable_after 12 Sep 2022 00:00:00 PST | unavailable_after - -",
            "yandex.ru/0 | robots_tag | - | unavailable_after 12 Sep 2022 00:00:00 PST | unavailable_after - -",
        ]
    );
}

/// The lines of an ai.txt of 60 lines that are all `Disallow`, as facts.
fn opt_out_of_all(file: &str) -> Vec<String> {
    let lines = (1..)
        .zip(file.lines())
        .filter_map(|(line, text)| Some((line, text.strip_prefix("Disallow: ")?)));
    let fact = |(line, path): (u32, &str)| {
        format!(
            "healsdata ai.txt {line} | ai_txt | {path} | Disallow {path} | ai-training disallow -"
        )
    };
    lines.map(fact).collect()
}

#[test]
fn wild_every_site_file_is_read_or_has_a_defect() {
    let Some(folder) = corpus("ai-preferences") else {
        return;
    };
    let (mut records, mut names, mut expected) = (Vec::new(), BTreeMap::new(), Vec::new());
    for (name, file) in &files(&folder) {
        let owner = name.split("__").next().unwrap_or_default();
        let file_name = name.rsplit('/').next().unwrap_or(name);
        let place = match file_name {
            "tdmrep.json" | "tdmrep.jsonld" => ".well-known/tdmrep.json",
            "ai.txt" => "ai.txt",
            "_headers" => {
                let fields = site_headers(str::from_utf8(file).expect("text"));
                let block = format!("HTTP/1.1 200 OK\r\n{fields}\r\n");
                records.extend(record("https://jack5079.example/headers", block.as_bytes()));
                continue;
            }
            _ => continue,
        };
        if (owner, file_name) == ("healsdata", "ai.txt") {
            expected = opt_out_of_all(str::from_utf8(file).expect("text"));
            assert_eq!(expected.len(), 56);
        }
        names.insert(
            BASE32.encode(&Sha1::digest(file)),
            format!("{owner} {file_name}"),
        );
        let block = [
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n",
            file.as_slice(),
        ]
        .concat();
        records.extend(record(&format!("https://{owner}.example/{place}"), &block));
    }
    assert_eq!(names.len(), 11);
    expected.extend(FACTS.iter().map(|fact| (*fact).to_owned()));
    expected.sort();
    assert_eq!(facts(&records, &names), expected);
}

/// What the files of `ai-preferences` say, but for the long ai.txt.
const FACTS: [&str; 16] = [
    "ArtSabintsev ai.txt 1 | ai_txt | - | - - | - - other_text",
    "Debats tdmrep.json 2 | tdmrep | / | tdm-policy https://debats.co/mentions-legales | tdm-policy - -",
    "Debats tdmrep.json 2 | tdmrep | / | tdm-reservation 1 | tdm disallow -",
    "Jack5079 tdmrep.json 2 | tdmrep | / | tdm-reservation 1 | tdm disallow -",
    "headers | robots_tag | - | noai - | noai disallow -",
    "headers | robots_tag | - | noimageai - | noimageai disallow -",
    "headers | tdmrep | - | tdm-reservation 1 | tdm disallow -",
    "OR13 ai.txt 6 | ai_txt | / | Allow / | ai-training allow -",
    "OR13 tdmrep.json 3 | tdmrep | / | tdm-reservation 0 | tdm unknown wrapped_array",
    "healsdata tdmrep.json 2 | tdmrep | / | tdm-reservation 1 | tdm disallow -",
    "maiksensi tdmrep.json 1 | tdmrep | - | - - | tdm - no_entry",
    "nineplus-sh tdmrep.json 1 | tdmrep | / | tdm-policy https://www.nineplus.sh/legal/tdm.json | tdm-policy - -",
    "nineplus-sh tdmrep.json 1 | tdmrep | / | tdm-reservation 1 | tdm disallow -",
    "openpoem tdmrep.json 2 | tdmrep | / | tdm-policy https://openpoem.org/terms | tdm-policy - -",
    "openpoem tdmrep.json 2 | tdmrep | / | tdm-reservation 1 | tdm disallow -",
    "w3c tdmrep.jsonld 1 | tdmrep | - | - - | tdm - no_entry",
];
