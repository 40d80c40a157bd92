//! A generated web of some hosts over several crawls, with everything that site files do.
//!
//! Example: `h3.example` redirects its robots.txt to `www.h7.example/r.txt` in March, answers 503 in April, and twice within
//! one second in May. Numbers are drawn from a seed.

use crate::random::one_of;
use fastrand::Rng;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

#[path = "../support/warc.rs"]
pub mod warc;

const HOSTS: usize = 40;
/// One each month from March on.
const ALL_CRAWLS: [&str; 10] = [
    "CC-MAIN-2026-10",
    "CC-MAIN-2026-14",
    "CC-MAIN-2026-18",
    "CC-MAIN-2026-23",
    "CC-MAIN-2026-27",
    "CC-MAIN-2026-31",
    "CC-MAIN-2026-36",
    "CC-MAIN-2026-40",
    "CC-MAIN-2026-45",
    "CC-MAIN-2026-49",
];
/// The crawls of the world: `CRAWLPREFS_CRAWLS` of them, as `.ci/nightly` sets it, or three.
pub static CRAWLS: LazyLock<&[&str]> =
    LazyLock::new(|| &ALL_CRAWLS[..crate::asked("CRAWLPREFS_CRAWLS", 3)]);
const SEGMENTS: [&str; 2] = ["1700000000000.10", "1700000000000.20"];

/// Returns an origin.
pub fn origin(random: &mut Rng) -> String {
    let host = format!("h{}.example", random.usize(..HOSTS));
    let scheme = one_of(random, &["http", "https"]);
    let www = one_of(random, &["", "", "www.", "www2."]);
    let end = one_of(random, &["", "", "", "", "", ":8080", ".", ":443"]);
    format!("{scheme}://{www}{host}{end}")
}

/// Returns the URL of a site file, or of something to which one may redirect.
fn file(random: &mut Rng) -> String {
    let paths = [
        "/robots.txt",
        "/robots.txt",
        "/robots.txt",
        "/robots.txt",
        "/robots.txt?x",
        "/r.txt",
        "/",
        "/tdmrep.json",
        "/.well-known/tdmrep.json",
        "/automation-preferences.txt",
        "/ai.txt",
        "/.well-known/ai.txt",
        "/trust.txt",
        "/.well-known/trust.txt",
    ];
    format!("{}{}", origin(random), one_of(random, &paths))
}

fn body(random: &mut Rng) -> &'static [u8] {
    one_of(random, &[
        b"User-agent: *\nDisallow: /\n".as_slice(),
        b"User-agent: *\nDisallow: /p\n",
        b"User-agent: GPTBot\nDisallow: /\nUser-agent: *\nAllow: /\nContent-Signal: ai-train=no\n",
        b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
        b"[{\"location\": \"/\", \"tdm-reservation\": 1}]",
        b"User-Agent: *\nDisallow: /\nDisallow: *.html\n",
        b"<!DOCTYPE html><html><title>x</title></html>",
        b"\x89PNG\r\n\x1a\n\0\0\0\0IHDR",
        b"",
        b"allowed-methods: GET\ndisallowed-uses: train\n",
    ])
}

/// Returns the HTTP message of an answer.
fn answer(random: &mut Rng) -> Vec<u8> {
    match random.usize(..12) {
        0..=4 => [
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n",
            body(random),
        ]
        .concat(),
        5 => [
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00broken",
            body(random),
        ]
        .concat(),
        6..=8 => redirect(random),
        9 => b"HTTP/1.1 404 Not Found\r\n\r\nno".to_vec(),
        10 => b"HTTP/1.1 503 Busy\r\n\r\n".to_vec(),
        _ => {
            let heads = [
                "HTTP/1.1 200\r\n\r\n",
                "HTTP/1.1 403 No\r\n\r\n",
                "HTTP/1.1 x\r\n\r\n",
            ];
            one_of(random, &heads).into()
        }
    }
}

fn redirect(random: &mut Rng) -> Vec<u8> {
    let target = match one_of(random, &["/", "/r.txt", "", ""]) {
        "" => file(random),
        target => target.to_owned(),
    };
    let status = one_of(random, &["301 Moved", "302 Found", "308 Permanent"]);
    format!("HTTP/1.1 {status}\r\nLocation: {target}\r\n\r\n").into_bytes()
}

/// Returns a time of a month, counted from January 2026 on: few of them, so that many captures have the same.
pub fn time(random: &mut Rng, month: usize) -> String {
    let (year, month) = (2026 + (month - 1) / 12, 1 + (month - 1) % 12);
    let (day, hour) = (1 + random.usize(..3), random.usize(..4));
    let end = one_of(random, &["", "", "", ".5", ".000001"]);
    format!("{year}-{month:02}-0{day}T0{hour}:00:00{end}Z")
}

fn archive(random: &mut Rng, month: usize, subset: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..60 {
        let url = if subset == "warc" {
            format!("{}/", origin(random))
        } else {
            file(random)
        };
        let at = if random.usize(..20) == 0 {
            "T-nonsense".to_owned()
        } else {
            time(random, month)
        };
        let more = if random.usize(..10) == 0 {
            "WARC-Truncated: length\r\n"
        } else {
            ""
        };
        let message = answer(random);
        bytes.extend(warc::response(&url, &at, more, &message));
        // The same answer again, or another one within the same instant.
        match random.usize(..8) {
            0 => bytes.extend(warc::response(&url, &at, more, &message)),
            1 => bytes.extend(warc::response(&url, &at, more, &answer(random))),
            _ => {}
        }
    }
    bytes
}

/// Writes the archives of a crawl; returns their folder.
pub fn crawl(folder: &Path, number: usize, seed: u64) {
    let mut random = Rng::with_seed(seed + number as u64);
    for segment in SEGMENTS {
        for (subset, count) in [("robotstxt", 2), ("warc", 1), ("crawldiagnostics", 1)] {
            let at = folder
                .join("crawl-data")
                .join(CRAWLS[number])
                .join("segments")
                .join(segment)
                .join(subset);
            fs::create_dir_all(&at).expect("a folder");
            for file in 0..count {
                let name = format!("CC-MAIN-20260301000000-20260301030000-0000{file}.warc");
                fs::write(at.join(name), archive(&mut random, number + 3, subset))
                    .expect("an archive");
            }
        }
    }
}

/// Returns the segments of a crawl, as flags name them.
pub fn segments(number: usize) -> [String; 2] {
    SEGMENTS.map(|segment| format!("{}/{segment}", CRAWLS[number]))
}
