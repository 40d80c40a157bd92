//! What several targets need: how an input is split, and what is read of it first.

use crawlprefs::archive::{Archive, Event, Record};
use crawlprefs::evidence::Fields;
use crawlprefs::evidence::html_head::head_fields;
use crawlprefs::evidence::http_head::HttpHead;
use crawlprefs::robots::RobotsTxt;
use crawlprefs::systems::Viewpoint;
use crawlprefs::systems::aipref_vocab::Vocabulary;
use crawlprefs::systems::app_directives::Applications;
use crawlprefs::web::field::{Carrier, Field};
use crawlprefs::web::path_pattern::UrlPath;
use crawlprefs::web::product_token::{ProductToken, TokenMatch};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

/// Splits an input at its first line feed.
pub fn first_line(input: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr(b'\n', input).unwrap_or(input.len());
    (&input[..end], input.get(end + 1..).unwrap_or_default())
}

/// Returns the path that a line writes, with its query.
pub fn path(line: &[u8]) -> UrlPath {
    let mut parts = line.splitn(2, |byte| *byte == b'?');
    UrlPath::new(parts.next().unwrap_or_default(), parts.next())
}

/// Returns the crawler `ExampleBot`, which the seeds name, with the vocabulary in which most of them are.
pub fn viewpoint() -> Viewpoint {
    Viewpoint {
        token: ProductToken::new("ExampleBot").expect("a token"),
        token_match: TokenMatch::Exact,
        vocabulary: Vocabulary::named("03").expect("a draft"),
        applications: Applications::from_lines(b"examplesearch ExampleBot\nother GPTBot\n").expect("a file"),
    }
}

/// Reads a whole robots.txt.
pub fn robots(file: &[u8]) -> RobotsTxt {
    RobotsTxt::parse(file)
}

/// Takes the fields and metas of a response, and returns what follows its head.
pub fn response<'a>(block: &'a [u8], fields: &mut Fields) -> &'a [u8] {
    let Some(head) = HttpHead::parse(block) else { return block };
    for field in head.fields() {
        fields.push(Carrier::Header, field.name, &field.value);
    }
    let body = &block[head.body_start()..];
    head_fields(body, &mut |carrier, name, value| {
        fields.push(carrier, name, value);
        ControlFlow::Continue(())
    });
    body
}

/// Returns the values as they came, without outer blanks, and those of one field joined as one line.
pub fn written(fields: &[Field<'_>]) -> HashSet<Vec<u8>> {
    let mut lines: HashMap<_, Vec<&[u8]>> = HashMap::new();
    for field in fields {
        lines.entry((field.carrier.as_str(), field.name)).or_default().push(trimmed(field.value));
    }
    let joined = lines.values().map(|lines| lines.join(&b", "[..]));
    let alone = fields.iter().flat_map(|field| [field.value, trimmed(field.value)]);
    joined.chain(alone.map(<[u8]>::to_vec)).collect()
}

/// Returns whether a text is a part of another one, at its own place.
pub fn is_in(part: &[u8], whole: &[u8]) -> bool {
    let (part, whole) = (part.as_ptr_range(), whole.as_ptr_range());
    whole.start <= part.start && part.end <= whole.end
}

fn trimmed(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

/// Reads an archive to its end, and holds that no record is gone without a trace.
pub fn read_archive(bytes: &[u8], record: &mut dyn FnMut(&Record<'_>)) {
    let Ok(mut archive) = Archive::open(bytes).expect("a slice can be read") else { return };
    let mut accounted = 0;
    while let Some(event) = archive.next().expect("a slice can be read") {
        match event {
            Event::Record(found) => {
                accounted += 1;
                record(&found);
            }
            Event::Damage(damage) => accounted += u64::from(damage.record_lost),
        }
    }
    assert_eq!(archive.records(), accounted);
}

/// Holds that steps of work are few for an input: a number for each byte, and some for what is inflated.
pub fn assert_few(steps: u64, input_bytes: usize) {
    const STEPS_A_BYTE: u64 = 20_000;
    const STEPS: u64 = 20_000_000;
    let most = STEPS + STEPS_A_BYTE * input_bytes as u64;
    assert!(steps <= most, "{steps} steps for {input_bytes} bytes, at most {most}");
}
