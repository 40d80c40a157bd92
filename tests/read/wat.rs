//! READ-12: the heads of WAT files, whose writers may lose a field, and their HTML heads.
//!
//! Crossed: every site whose no is in a header field or a meta with every field that may be lost, and with letters
//! elsewhere that have as many bytes in the JSON as the lost field has; and each with HTML heads that are there or not.

use crate::container::{Archive, Container, input};
use crate::job::{COLUMNS, Row, pages};
use crate::message::Message;
use crate::site::{self, Site};
use crawlprefs::archive::Input;
use crawlprefs::evidence::Depth;
use serde_json::{Map, Value, json};
use std::path::Path;

/// What a writer made of a page.
struct Written {
    what: String,
    fields: Vec<(String, String)>,
    metas: Option<Vec<(String, String)>>,
    /// The length of the head as it was received.
    headers_length: usize,
    content_length: Option<usize>,
    /// Whether the plain page's row is expected.
    is_same: bool,
}

/// Returns the octets of a head with these fields, each character one octet.
fn length(fields: &[(String, String)]) -> usize {
    let field = |(name, value): &(String, String)| name.chars().count() + value.chars().count() + 4;
    "HTTP/1.1 200 OK\r\n\r\n".len() + fields.iter().map(field).sum::<usize>()
}

fn writings(page: &Message) -> Vec<Written> {
    let latin_1 = |value: &[u8]| {
        value
            .iter()
            .map(|byte| char::from(*byte))
            .collect::<String>()
    };
    let fields: Vec<_> = page
        .fields
        .iter()
        .map(|(name, value)| (name.clone(), latin_1(value)))
        .collect();
    let headers_length = length(&fields);
    let content_length = Some(headers_length + page.body.len());
    let whole = |what: &str, metas| Written {
        what: what.to_owned(),
        fields: fields.clone(),
        metas,
        headers_length,
        content_length,
        is_same: false,
    };
    let metas = Some(page.metas.clone());
    let mut found = vec![
        whole("all of it", metas.clone()),
        whole("no HTML head", None),
        Written {
            content_length: None,
            ..whole("no HTML head and no length", None)
        },
        Written {
            headers_length: headers_length + 1,
            ..whole("a byte more", metas.clone())
        },
        Written {
            headers_length: headers_length - 1,
            ..whole("a byte less", metas.clone())
        },
    ];
    for lost in 0..fields.len() {
        let mut fewer = fields.clone();
        let (name, value) = fewer.remove(lost);
        let lost_bytes = name.len() + value.chars().count() + 4;
        for letters in [
            0,
            lost_bytes - 4,
            lost_bytes,
            lost_bytes - 1,
            lost_bytes / 2,
        ] {
            let mut padded = fewer.clone();
            padded.push(("X-Name".to_owned(), "\u{e9}".repeat(letters)));
            let received = [&padded[..], &[(name.clone(), value.clone())]].concat();
            found.push(Written {
                fields: padded,
                headers_length: length(&received),
                ..whole(&format!("without {name}, {letters} letters"), metas.clone())
            });
        }
    }
    let mut complete = fields.clone();
    complete.push(("X-Name".to_owned(), "caf\u{e9} \u{fc}ber".to_owned()));
    found.push(Written {
        headers_length: length(&complete),
        fields: complete,
        ..whole("with letters", metas)
    });
    let is_complete = |what: &str| matches!(what, "all of it" | "with letters");
    // What a WAT keeps of a page with metas leaves open where its head ends.
    let may_be_same = page.metas.is_empty();
    found
        .iter_mut()
        .for_each(|one| one.is_same = may_be_same && is_complete(&one.what));
    found
}

/// Returns a record of a WAT.
fn record(url: &str, offset: usize, written: &Written) -> Vec<u8> {
    let mut headers = Map::new();
    for (name, value) in &written.fields {
        match headers.get_mut(name) {
            Some(Value::Array(values)) => values.push(json!(value)),
            Some(first) => *first = json!([first.clone(), value]),
            None => _ = headers.insert(name.clone(), json!(value)),
        }
    }
    let mut http = json!({
        "Response-Message": { "Version": "HTTP/1.1", "Status": "200", "Reason": "OK" },
        "Headers-Length": written.headers_length.to_string(),
        "Headers": headers,
    });
    if let Some(metas) = &written.metas {
        let metas: Vec<Value> = metas
            .iter()
            .map(|(name, content)| json!({ "name": name, "content": content }))
            .collect();
        http["HTML-Metadata"] = json!({ "Head": { "Metas": metas, "Title": "A page" } });
    }
    let mut head = json!({
        "WARC-Type": "response", "WARC-Target-URI": url, "WARC-Date": "2026-08-10T07:00:00Z",
    });
    if let Some(length) = written.content_length {
        head["Content-Length"] = json!(length.to_string());
    }
    let json = json!({
        "Container": { "Offset": offset.to_string() },
        "Envelope": {
            "WARC-Header-Metadata": head,
            "Payload-Metadata": { "HTTP-Response-Metadata": http },
        },
    })
    .to_string();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: metadata\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        json.len()
    );
    [head.as_bytes(), json.as_bytes(), b"\r\n\r\n"].concat()
}

/// The URL of a page, that of its plain page, what was made of it, and whether its answer must be the plain one.
type Asked = (String, String, String, bool);

/// The plain sites in a WARC; and their site files, with what writers made of their pages.
fn inputs(folder: &Path, sites: &[Site]) -> (Vec<Input>, Vec<Asked>) {
    let (mut warc, mut wat, mut asked) = (Archive::new(Container::Warc), Vec::new(), Vec::new());
    for (number, site) in sites.iter().enumerate() {
        let (page, files) = site.messages.split_last().expect("a page");
        let plain = format!("plain{number}.example");
        for message in &site.messages {
            let at = if message.is_page() {
                "07:00:00"
            } else {
                "06:00:00"
            };
            assert!(warc.add(message, &plain, at));
        }
        for (place, written) in writings(page).into_iter().enumerate() {
            let host = format!("h{number}-{place}.example");
            files
                .iter()
                .for_each(|file| assert!(warc.add(file, &host, "06:00:00")));
            let url = format!("https://{host}{}", page.path);
            wat.extend(record(&url, asked.len(), &written));
            let plain = format!("https://{plain}{}", page.path);
            asked.push((
                url,
                plain,
                format!("{}: {}", site.name, written.what),
                written.is_same,
            ));
        }
    }
    let inputs = vec![
        warc.into_input(folder, "made"),
        input(folder, "described.warc.wat", &wat),
    ];
    (inputs, asked)
}

/// Returns where a row differs from that of the plain page: labels may be unknown, as a WAT never says where a head ends.
fn differences(row: &Row, plain: &Row) -> Vec<String> {
    const LABELS: [&str; 5] = ["search", "train_ai", "train_genai", "ai_input", "tdm"];
    let is_other = |column: &&&str| match (row.text(column), plain.text(column)) {
        ("unknown", "allow") => !LABELS.contains(column),
        (now, was) => now != was && **column != "url",
    };
    let mut found: Vec<String> = COLUMNS
        .iter()
        .filter(is_other)
        .map(|column| format!("{column} is {}", row.text(column)))
        .collect();
    let unread: Vec<&str> = row
        .unread
        .iter()
        .map(String::as_str)
        .filter(|carrier| *carrier != "meta")
        .collect();
    if unread != plain.unread || !row.unread.iter().any(|carrier| carrier == "meta") {
        found.push(format!("unread is {:?}", row.unread));
    }
    found
}

fn new_yes(row: &Row, plain: &Row) -> Vec<String> {
    let is_new = |column: &&&str| row.text(column) == "allow" && plain.text(column) != "allow";
    COLUMNS
        .iter()
        .filter(is_new)
        .map(|column| format!("{column} is allow"))
        .collect()
}

#[test]
fn read_12_what_a_wat_has_lost_is_never_a_yes() {
    let mut sites = site::all();
    sites.retain(|site| site.token == "CCBot" && site.vocabulary == "03");
    sites.retain(|site| site.subjects().any(|place| site.messages[place].is_page()));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (inputs, asked) = inputs(folder.path(), &sites);
    let rows = pages(inputs, Depth::Full, "CCBot", "03");
    let mut faults = Vec::new();
    for (url, plain, what, is_same) in &asked {
        let (row, plain) = (&rows[url], &rows[plain]);
        let found = if *is_same {
            differences(row, plain)
        } else {
            new_yes(row, plain)
        };
        if !found.is_empty() {
            faults.push(format!("{what}: {}", found.join("; ")));
        }
    }
    println!("WAT: {} combinations", asked.len());
    assert!(asked.len() > 300, "{}", asked.len());
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
