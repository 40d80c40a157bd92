//! The sites of a generated archive. Whatever a site sent has the site's name in it, so that the bytes of another one show.

use crate::container::Container;
use crate::random::one_of;
use crate::record::Record;
use data_encoding::BASE32;
use fastrand::Rng;
use sha1::{Digest, Sha1};

/// What a robots.txt may say, its no at the end, where a cut takes it.
const ROBOTS: [&str; 6] = [
    "User-agent: *\nDisallow: /closed\nDisallow: /\n",
    "User-agent: *\nAllow: /\nContent-Signal: search=yes, ai-train=yes\n",
    "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\n",
    "User-agent: GPTBot\nDisallow: /\n\nUser-agent: CCBot\nDisallow: /p\n",
    "User-agent: *\nDisallow:\nContent-Usage: train-ai=n\n",
    "User-agent: *\nContent-Usage: train-ai=y, search=y\nDisallow: /other\n",
];

/// What the HTML head of a page may say at its end.
const METAS: [&str; 4] = [
    "",
    "<meta name=\"robots\" content=\"noai\">",
    "<meta name=\"robots\" content=\"noindex\">",
    "<meta name=\"tdm-reservation\" content=\"1\">",
];

/// Text that looks like records, as a page may quote it.
const QUOTES: [&str; 3] = [
    "",
    "\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n",
    "\nhttp://quoted.example/robots.txt 192.0.2.1 20260810060000 text/plain 12\n",
];

/// Returns the records of some sites, between each other.
pub fn records(random: &mut Rng, name: &str, container: Container) -> Vec<Record> {
    let sites = 3 + random.usize(..4);
    let mut records = Vec::new();
    for site in 0..sites {
        let host = format!("h{site}.{name}.example");
        let filler = format!("# of {host}.\n").repeat(1 + random.usize(..30));
        let body = format!("{filler}{}", one_of(random, &ROBOTS));
        let id = format!("<urn:test:{host}>");
        records.push((
            random.usize(..100),
            Record::robots(&host, "06:00:00", &body).with_id(&id),
        ));
        if !container.is_arc() && random.usize(..3) == 0 {
            let digest = BASE32.encode(&Sha1::digest(&body));
            let fields = [
                ("WARC-Payload-Digest", format!("sha1:{digest}")),
                ("WARC-Refers-To", id),
                (
                    "WARC-Refers-To-Target-URI",
                    format!("http://{host}/robots.txt"),
                ),
                ("WARC-Refers-To-Date", "2026-08-10T06:00:00Z".to_owned()),
            ];
            let used: Vec<_> = fields
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            let kept = if random.usize(..3) == 0 {
                &used[1..]
            } else {
                &used[..]
            };
            let length = format!("Content-Length: {}\r\n", body.len());
            let revisit = Record::revisit(&host, "06:30:00", &length, kept);
            // The record may lie before its original.
            records.push((
                random.usize(..100),
                revisit.with_id(&format!("<urn:test:{host}:2>")),
            ));
        }
        for (path, at) in [("/", "07:00:00"), ("/page", "08:00:00")] {
            // Without ids and in one stretch of text, nothing distinguishes a quoted record from one of the archive.
            let quote = if container.is_one_stretch() {
                ""
            } else {
                one_of(random, &QUOTES)
            };
            let head = format!("<!-- of {host}. -->{}", one_of(random, &METAS));
            let mut page =
                Record::page(&host, path, at, &head).with_id(&format!("<urn:test:{host}{path}>"));
            page.block.extend_from_slice(
                format!("{quote} of {host}. {}", "é".repeat(random.usize(..40))).as_bytes(),
            );
            records.push((random.usize(..100), page));
        }
    }
    records.sort_by_key(|(place, _)| *place);
    records.into_iter().map(|(_, record)| record).collect()
}

/// One thing that is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Short,
    Long,
    LongOverNext,
    Huge,
    NoNumber,
    NoLength,
    SwappedId,
    OneId,
    NamesAnother,
    DigestOfAnother,
    DigestOfNothing,
    NoDigest,
    NoLineEnd,
    OtherLineEnds,
    NoEmptyLine,
}

pub const FAULTS: [Fault; 15] = [
    Fault::Short,
    Fault::Long,
    Fault::LongOverNext,
    Fault::Huge,
    Fault::NoNumber,
    Fault::NoLength,
    Fault::SwappedId,
    Fault::OneId,
    Fault::NamesAnother,
    Fault::DigestOfAnother,
    Fault::DigestOfNothing,
    Fault::NoDigest,
    Fault::NoLineEnd,
    Fault::OtherLineEnds,
    Fault::NoEmptyLine,
];

impl Fault {
    /// Returns whether it is about the frame of a record, so that `failures` has it where it changes anything.
    pub fn is_of_frame(self) -> bool {
        !self.is_of_revisits()
    }

    fn is_of_revisits(self) -> bool {
        use Fault::{DigestOfAnother, DigestOfNothing, NamesAnother, NoDigest, OneId, SwappedId};
        matches!(
            self,
            SwappedId | OneId | NamesAnother | DigestOfAnother | DigestOfNothing | NoDigest
        )
    }

    /// Makes one record, or the ids of all, wrong.
    pub fn apply(self, random: &mut Rng, records: &mut [Record]) {
        let revisits: Vec<usize> = (0..records.len())
            .filter(|at| records[*at].kind == "revisit")
            .collect();
        let at = if self.is_of_revisits() && !revisits.is_empty() {
            one_of(random, &revisits)
        } else {
            random.usize(..records.len())
        };
        let other = records[random.usize(..records.len())].clone();
        let next_bytes = records.get(at + 1).map_or(50, |next| next.warc(None).len());
        let record = &mut records[at];
        let length = i64::try_from(record.block.len()).expect("short");
        let by = |bytes: i64| Some((length + bytes).max(0).to_string());
        match self {
            Self::Short => record.declared = by(-random.i64(1..=length.max(1))),
            Self::Long => record.declared = by(random.i64(1..=60)),
            Self::LongOverNext => {
                record.declared =
                    by(i64::try_from(next_bytes).expect("short") / 2 + random.i64(1..=2_000));
            }
            Self::Huge => {
                let lengths = ["1099511627776", "18446744073709551615", "50000000"];
                record.declared = Some(one_of(random, &lengths).to_owned());
            }
            Self::NoNumber => {
                record.declared = Some(one_of(random, &["-1", "x", "+5", "1e3"]).to_owned())
            }
            Self::NoLength => record.declared = Some(String::new()),
            Self::SwappedId => {
                let own = record.id.replace(other.id.clone().unwrap_or_default());
                if let Some(record) = records.iter_mut().find(|record| record.url == other.url) {
                    record.id = own;
                }
            }
            Self::OneId => {
                for record in records.iter_mut() {
                    record.id = Some("<urn:test:one>".to_owned());
                    record.set("WARC-Refers-To", "<urn:test:one>");
                }
            }
            Self::NamesAnother => {
                record.set("WARC-Refers-To", &other.id.unwrap_or_default());
                record.set("WARC-Payload-Digest", "sha1:");
            }
            Self::DigestOfAnother => {
                let body = other
                    .block
                    .windows(4)
                    .position(|four| four == b"\r\n\r\n")
                    .map_or(0, |at| at + 4);
                let digest = BASE32.encode(&Sha1::digest(&other.block[body..]));
                record.set("WARC-Payload-Digest", &format!("sha1:{digest}"));
            }
            Self::DigestOfNothing => {
                record.set(
                    "WARC-Payload-Digest",
                    "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
                );
            }
            Self::NoDigest => {
                record.set(
                    "WARC-Payload-Digest",
                    one_of(random, &["sha1:", "-", "null", ""]),
                );
            }
            Self::NoLineEnd => record.ends.1 = "",
            Self::OtherLineEnds => {
                record.ends.1 = one_of(random, &["\r\n", "\n", "\n\n", "\r\n\r\n\r\n\r\n"])
            }
            Self::NoEmptyLine => record.ends.0 = "",
        }
    }
}

impl Record {
    /// Changes a field that it has.
    fn set(&mut self, name: &str, value: &str) {
        if let Some((_, old)) = self.fields.iter_mut().find(|(field, _)| *field == name) {
            *old = value.to_owned();
        }
    }
}
