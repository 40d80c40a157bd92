//! LABEL-3 and LABEL-6 over generated input: whatever is cut from a page or a site file so that it shows, no label and
//! no access becomes an allow.
//!
//! The sites are those of the vectors and of sample-data. Each is archived whole, and once for each cut, under hosts of
//! their own in one archive, so that one job answers for all.

use crate::fixture::{archive, run, sample};
use crate::resolved::{Fields, columns, resolve, view};
use crate::rounds::rounds;
use crate::warc::response;
use crawlprefs::archive::{Archive, Event};
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// An HTTP response: its path, the lines of its head but for the framing, and its body.
#[derive(Clone)]
struct Message {
    path: String,
    head: Vec<u8>,
    body: Vec<u8>,
}

/// The messages of a site, the page last.
type Site = Vec<Message>;

/// How a message is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// By the archive, which says so.
    Archive,
    /// By the record's end, before the length in the HTTP head.
    Length,
    /// By a chunk without a length.
    Chunk,
    /// Inside a coding.
    Coding,
}

/// The columns of a page that may say yes, and those that say why.
const LABELS: [&str; 6] = [
    "access",
    "search",
    "train_ai",
    "train_genai",
    "ai_input",
    "tdm",
];
const OTHERS: [&str; 3] = ["url", "robots_state", "access_reason"];

const CUTS: [Cut; 4] = [Cut::Archive, Cut::Length, Cut::Chunk, Cut::Coding];

/// So many bytes are beyond every limit on a site file, and on what is read of a head.
const BEYOND_LIMITS: usize = 1 << 20;

impl Message {
    fn new(path: &str, fields: &[(String, String)], body: &[u8]) -> Self {
        let fields = fields
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"));
        let head = ["HTTP/1.1 200 OK\r\n".to_owned()]
            .into_iter()
            .chain(fields)
            .collect::<String>();
        Self {
            path: path.to_owned(),
            head: head.into_bytes(),
            body: body.to_vec(),
        }
    }

    /// Reads a block of an archive, without the fields that frame its body.
    fn of_block(path: &str, block: &[u8]) -> Option<Self> {
        let end = block.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
        let framing = ["content-length", "transfer-encoding", "content-encoding"];
        let lines = block[..end + 2].split_inclusive(|byte| *byte == b'\n');
        let is_framing = |line: &&[u8]| {
            framing
                .iter()
                .any(|name| line.to_ascii_lowercase().starts_with(name.as_bytes()))
        };
        if lines.clone().any(|line| {
            is_framing(&line) && !line.to_ascii_lowercase().starts_with(b"content-length")
        }) {
            return None;
        }
        let head = lines
            .filter(|line| !is_framing(line))
            .collect::<Vec<_>>()
            .concat();
        Some(Self {
            path: path.to_owned(),
            head,
            body: block[end + 4..].to_vec(),
        })
    }

    /// Returns it as a record, whole.
    fn record(&self, host: &str, at: &str) -> Vec<u8> {
        record(
            host,
            &self.path,
            at,
            "",
            &[&self.head[..], b"\r\n", &self.body].concat(),
        )
    }

    /// Returns it as a record of which only `kept` bytes of the body were received.
    fn cut(&self, host: &str, at: &str, cut: Cut, kept: usize) -> Vec<u8> {
        let body = &self.body[..kept];
        let (field, fields, body) = match cut {
            Cut::Archive => ("WARC-Truncated: length\r\n", String::new(), body.to_vec()),
            Cut::Length => (
                "",
                format!("Content-Length: {}\r\n", self.body.len()),
                body.to_vec(),
            ),
            Cut::Chunk => {
                let chunk = [
                    format!("{:x}\r\n", kept).as_bytes(),
                    body,
                    b"\r\nno length\r\n",
                ]
                .concat();
                ("", "Transfer-Encoding: chunked\r\n".to_owned(), chunk)
            }
            Cut::Coding => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
                encoder.write_all(&self.body).expect("memory");
                let coded = encoder.finish().expect("memory");
                // Ten bytes of gzip's head and five of the block's are before the body.
                (
                    "",
                    "Content-Encoding: gzip\r\n".to_owned(),
                    coded[..15 + kept].to_vec(),
                )
            }
        };
        let block = [&self.head[..], fields.as_bytes(), b"\r\n", &body].concat();
        record(host, &self.path, at, field, &block)
    }

    /// Returns it with more in front of a place in the body than any limit lets through.
    fn stuffed(&self, at: usize) -> Self {
        let (before, behind) = self.body.split_at(at);
        let stuff = match self.path.as_str() {
            path if path.ends_with(".json") => b" ".repeat(BEYOND_LIMITS),
            path if path.ends_with(".txt") => b"# stuff\n".repeat(BEYOND_LIMITS / 8),
            _ => b"<meta name=stuff content=stuff>".repeat(BEYOND_LIMITS / 31),
        };
        Self {
            body: [before, &stuff, behind].concat(),
            ..self.clone()
        }
    }
}

fn record(host: &str, path: &str, at: &str, field: &str, block: &[u8]) -> Vec<u8> {
    response(&format!("https://{host}{path}"), at, field, block)
}

/// Returns the sites of the vectors.
fn vectors() -> Vec<Site> {
    let mut sites = Vec::new();
    for entry in Path::new("tests/vectors")
        .read_dir()
        .expect("the vectors are in the project")
    {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = std::fs::read(&path).expect("a file");
        let json: Value = serde_json::from_slice(&text).expect("JSON");
        sites.extend(
            json["vectors"]
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(|one| site(&one["input"])),
        );
    }
    sites
}

fn site(input: &Value) -> Option<Site> {
    let url = input["url"].as_str().unwrap_or("https://example.com/");
    let path = url
        .splitn(4, '/')
        .nth(3)
        .map_or("/".to_owned(), |path| format!("/{path}"));
    if path.contains(|character: char| character.is_control() || character == ' ') {
        return None;
    }
    let text = |key: &str| input[key].as_str().map(|text| text.as_bytes().to_vec());
    let plain = [("Content-Type".to_owned(), "text/plain".to_owned())];
    let mut site = Vec::new();
    for (path, body) in [
        ("/robots.txt", text("robots_txt")),
        (
            "/automation-preferences.txt",
            text("automation_preferences_txt"),
        ),
        ("/.well-known/tdmrep.json", text("tdmrep_json")),
    ] {
        site.extend(body.map(|body| Message::new(path, &plain, &body)));
    }
    let mut fields = vec![("Content-Type".to_owned(), "text/html".to_owned())];
    for header in input["headers"].as_array().into_iter().flatten() {
        fields.push((
            header[0].as_str()?.to_owned(),
            header[1].as_str()?.to_owned(),
        ));
    }
    let meta = |meta: &Value| {
        let part = |key: &str| {
            meta[key]
                .as_str()
                .unwrap_or_default()
                .replace('"', "&quot;")
        };
        format!(
            "<meta name=\"{}\" content=\"{}\">\n",
            part("name"),
            part("content")
        )
    };
    let metas: String = input["meta"]
        .as_array()
        .into_iter()
        .flatten()
        .map(meta)
        .collect();
    let html = format!(
        "<!DOCTYPE html><html><head>\n{metas}<title>A page</title></head><body><p>Text</body></html>"
    );
    site.push(Message::new(&path, &fields, html.as_bytes()));
    Some(site)
}

/// Returns the sites of sample-data: for each host its site files, and one page.
fn samples() -> Vec<Site> {
    let mut hosts = BTreeMap::<String, (BTreeMap<String, Message>, Option<Message>)>::new();
    for input in sample() {
        let Ok(Ok(mut archive)) = Archive::open(input.source.open().expect("it is there")) else {
            continue;
        };
        while let Ok(Some(event)) = archive.next() {
            let Event::Record(record) = event else {
                continue;
            };
            let Some(url) = record.target.and_then(|url| std::str::from_utf8(url).ok()) else {
                continue;
            };
            let mut parts = url.splitn(4, '/');
            let (Some(host), Some(path)) = (parts.by_ref().nth(2), parts.next()) else {
                continue;
            };
            let path = format!("/{path}");
            let Some(message) = Message::of_block(&path, record.block) else {
                continue;
            };
            let (files, page) = hosts.entry(host.to_owned()).or_default();
            if path.ends_with(".txt") || path.ends_with(".json") {
                files.insert(path, message);
            } else {
                *page = Some(message);
            }
        }
    }
    let with_page = hosts
        .into_values()
        .filter_map(|(files, page)| Some((files, page?)));
    with_page
        .map(|(files, page)| files.into_values().chain([page]).collect())
        .collect()
}

/// The records of all sites, each whole and cut, and what was cut under which host.
#[derive(Default)]
struct Cuts {
    records: Vec<u8>,
    /// The page's URL, that of the whole site, and what was cut.
    pages: Vec<(String, String, String)>,
    hosts: usize,
    sites: usize,
}

impl Cuts {
    /// Adds a site under a host of its own; returns the page's URL.
    fn add(
        &mut self,
        site: &[Message],
        of_message: &dyn Fn(usize, &Message, &str, &str) -> Vec<u8>,
    ) -> String {
        let host = format!("h{}.example", self.hosts);
        self.hosts += 1;
        for (place, message) in site.iter().enumerate() {
            let at = if place + 1 < site.len() {
                "06:00:00"
            } else {
                "07:00:00"
            };
            self.records.extend(of_message(place, message, &host, at));
        }
        format!("https://{host}{}", site.last().expect("a page").path)
    }

    /// Adds a site whole, and each of its messages cut at some places: in a short run in half of the ways, the next place or
    /// site in the other half.
    fn add_cut(&mut self, site: &Site) {
        let whole = self.add(site, &|_, message, host, at| message.record(host, at));
        self.sites += 1;
        for (place, message) in site.iter().enumerate() {
            for (number, kept) in places(message.body.len()).into_iter().enumerate() {
                let first = (number + self.sites) % step();
                // A body that begins with no chunk is one that the archive's writer decoded.
                let cuts = CUTS.into_iter().skip(first).step_by(step());
                for cut in cuts.filter(|cut| kept > 0 || *cut != Cut::Chunk) {
                    let page = self.add(site, &|other, message, host, at| match other == place {
                        true => message.cut(host, at, cut, kept),
                        false => message.record(host, at),
                    });
                    let what = format!("{} {cut:?} at {kept}", message.path);
                    self.pages.push((page, whole.clone(), what));
                }
            }
        }
    }

    /// Adds a site whole, and each of its messages long enough that its end is beyond a limit.
    fn add_stuffed(&mut self, site: &Site) {
        let whole = self.add(site, &|_, message, host, at| message.record(host, at));
        for (place, message) in site.iter().enumerate() {
            let mut site = site.clone();
            let lines = memchr::memchr_iter(b'\n', &message.body).map(|at| at + 1);
            let middle = lines.clone().nth(lines.count() / 2).unwrap_or(0);
            site[place] = message.stuffed(middle);
            let page = self.add(&site, &|_, message, host, at| message.record(host, at));
            self.pages.push((
                page,
                whole.clone(),
                format!("{} is beyond a limit", message.path),
            ));
        }
    }

    /// Resolves all, and compares each page with that of the whole site.
    fn compare(self) -> usize {
        let folder = tempfile::tempdir().expect("a temporary folder");
        run(vec![archive("made.warc", self.records)], folder.path(), 1);
        resolve(folder.path(), folder.path(), &view());
        let is_wanted = |column: &str| LABELS.contains(&column) || OTHERS.contains(&column);
        let rows = columns(folder.path(), "pages", is_wanted);
        let pages: BTreeMap<&str, &Fields> =
            rows.iter().map(|row| (word(row, "url"), row)).collect();
        let mut lost_allows = 0;
        for (page, whole, what) in &self.pages {
            // A URL of a site file is not a page, cut or whole.
            let (page, whole) = (pages.get(page.as_str()), pages.get(whole.as_str()));
            assert_eq!(page.is_some(), whole.is_some(), "{what}");
            let (Some(page), Some(whole)) = (page, whole) else {
                continue;
            };
            for column in LABELS {
                let (cut, was) = (word(page, column), word(whole, column));
                assert!(
                    cut != "allow" || was == "allow",
                    "{column} was {was} and is allow: {what}"
                );
                lost_allows += usize::from(was == "allow" && cut != was);
            }
            let is_file = whole.text("robots_state") == Some("parsed");
            let is_itself = whole.text("access_reason") == Some("robots_txt_itself");
            if what.starts_with("/robots.txt")
                && !what.ends_with("beyond a limit")
                && is_file
                && !is_itself
            {
                assert_ne!(word(page, "access"), "allow", "{what}");
            }
        }
        lost_allows
    }
}

/// At each place, one of this many ways to cut is tried.
fn step() -> usize {
    rounds(2, 1)
}

/// Returns up to five places in a body: what is in the last byte may be what counts.
fn places(bytes: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..5).map(|fifth| bytes * fifth / 5).collect();
    places.extend(bytes.checked_sub(1));
    places.dedup();
    places.retain(|place| *place < bytes);
    places
}

fn word<'r>(row: &'r Fields, column: &str) -> &'r str {
    row.text(column).expect("never null")
}

#[test]
fn local_label_3_and_6_what_is_cut_from_the_vectors_sites_allows_nothing() {
    let sites = vectors();
    assert!(sites.len() > 150, "{}", sites.len());
    let mut cuts = Cuts::default();
    sites.iter().for_each(|site| cuts.add_cut(site));
    assert!(cuts.pages.len() > 3_000 / step(), "{}", cuts.pages.len());
    assert!(cuts.compare() > 100 / step());
}

#[test]
fn local_label_3_and_6_what_is_cut_from_sample_data_allows_nothing() {
    let sites = samples();
    assert!(sites.len() > 10, "{}", sites.len());
    let mut cuts = Cuts::default();
    sites.iter().for_each(|site| cuts.add_cut(site));
    assert!(cuts.compare() > 10 / step());
}

#[test]
fn local_label_3_what_is_beyond_a_limit_allows_nothing() {
    let sites: Vec<Site> = vectors()
        .into_iter()
        .filter(|site| site.len() > 1)
        .step_by(rounds(24, 8))
        .collect();
    let mut cuts = Cuts::default();
    sites.iter().for_each(|site| cuts.add_stuffed(site));
    assert!(cuts.compare() > rounds(1, 5));
}
