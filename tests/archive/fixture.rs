//! Archives made for tests.

use crawlprefs::archive::{Archive, DamageKind, Event};
use fastrand::Rng;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// The id of the warcinfo record of [`crawl`].
pub const WARCINFO_ID: &str = "<urn:uuid:6e1f9e07-5c0a-4c67-9f43-2d8f2f0d8a11>";

/// What an archive gave.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// For each record: offset, length, type and block.
    pub records: Vec<(u64, Option<u64>, String, Vec<u8>)>,
    /// For each damage: its kind, and whether it cost a record.
    pub damage: Vec<(DamageKind, bool)>,
    /// Records read, as the reader counts them.
    pub count: u64,
}

impl Read {
    /// Returns the records' blocks as text.
    pub fn blocks(&self) -> Vec<String> {
        self.records
            .iter()
            .map(|(_, _, _, block)| String::from_utf8_lossy(block).into_owned())
            .collect()
    }

    /// Returns the records' types.
    pub fn types(&self) -> Vec<&str> {
        self.records
            .iter()
            .map(|(_, _, name, _)| name.as_str())
            .collect()
    }
}

/// Reads an archive to its end, through a source that gives a few bytes at a time.
pub fn read(bytes: &[u8]) -> Read {
    let mut found = Read::default();
    let Ok(mut archive) = Archive::open(Dripping(bytes)).expect("a slice can be read") else {
        return found;
    };
    while let Some(event) = archive.next().expect("a slice can be read") {
        match event {
            Event::Record(record) => {
                let name = record.type_name.unwrap_or(b"(none)");
                found.records.push((
                    record.place.offset,
                    record.place.length,
                    String::from_utf8_lossy(name).into_owned(),
                    record.block.to_vec(),
                ));
            }
            Event::Damage(damage) => found.damage.push((damage.kind, damage.record_lost)),
        }
    }
    found.count = archive.records();
    found
}

/// Gives at most 1,000 bytes at a time, as a pipe may.
struct Dripping<'a>(&'a [u8]);

impl std::io::Read for Dripping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(1000);
        self.0.read(&mut buffer[..count])
    }
}

/// Returns a record with these fields, Content-Length added.
pub fn record(fields: &[(&str, &str)], block: &[u8]) -> Vec<u8> {
    let lines: String = fields
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    crate::warc::record(&lines, block)
}

/// Returns a response record of an archive whose records carry its warcinfo record's id.
pub fn response(url: &str, block: &[u8]) -> Vec<u8> {
    response_of(WARCINFO_ID, url, block)
}

/// Returns a response record that carries `id`.
pub fn response_of(id: &str, url: &str, block: &[u8]) -> Vec<u8> {
    let fields = [
        ("WARC-Type", "response"),
        ("WARC-Warcinfo-ID", id),
        ("WARC-Target-URI", url),
    ];
    record(&fields, block)
}

/// Returns a warcinfo record.
pub fn warcinfo() -> Vec<u8> {
    record(
        &[("WARC-Type", "warcinfo"), ("WARC-Record-ID", WARCINFO_ID)],
        b"software: test\r\n",
    )
}

/// Returns one gzip member.
pub fn member(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("a Vec can be written");
    encoder.finish().expect("a Vec can be written")
}

/// Returns the records of a small crawl: warcinfo, then `count` responses.
pub fn crawl(count: usize) -> Vec<Vec<u8>> {
    let page = |number: usize| {
        let body = format!(
            "HTTP/1.1 200 OK\r\nX-Page: {number}\r\n\r\n{}",
            "some text, ".repeat(number * 7 % 40)
        );
        response(&format!("https://a.example/{number}"), body.as_bytes())
    };
    std::iter::once(warcinfo())
        .chain((0..count).map(page))
        .collect()
}

/// Damages an archive in a few places: flips bits, leaves bytes out, repeats some, cuts the end. One of which nothing is
/// left becomes this byte.
pub fn damage(random: &mut Rng, archive: &mut Vec<u8>, byte: u8) {
    for _ in 0..=random.usize(..6) {
        let at = random.usize(..archive.len());
        match random.usize(..4) {
            0 => archive[at] ^= 1 << random.usize(..8),
            1 => drop(archive.drain(at..archive.len().min(at + random.usize(..200)))),
            2 => archive.truncate(at.max(1)),
            _ => {
                let part = archive[at..archive.len().min(at + 100)].to_vec();
                archive.splice(at..at, part);
            }
        }
        if archive.is_empty() {
            archive.push(byte);
        }
    }
}
