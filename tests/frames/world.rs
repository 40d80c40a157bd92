//! The sites of a generated archive. Whatever a site sent has the site's name in it, so that the bytes of another one show.

use crate::container::Container;
use crate::record::Record;
use data_encoding::BASE32;
use sha1::{Digest, Sha1};

/// Numbers that look random and are the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    /// Returns a number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        for shift in [13, -7, 17_i32] {
            self.0 ^= if shift > 0 {
                self.0 << shift
            } else {
                self.0 >> -shift
            };
        }
        usize::try_from(self.0 % bound as u64).expect("below a usize")
    }

    pub fn one_of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }
}

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
pub fn records(numbers: &mut Numbers, name: &str, container: Container) -> Vec<Record> {
    let sites = 3 + numbers.below(4);
    let mut records = Vec::new();
    for site in 0..sites {
        let host = format!("h{site}.{name}.example");
        let filler = format!("# of {host}.\n").repeat(1 + numbers.below(30));
        let body = format!("{filler}{}", numbers.one_of(&ROBOTS));
        let id = format!("<urn:test:{host}>");
        records.push((
            numbers.below(100),
            Record::robots(&host, "06:00:00", &body).with_id(&id),
        ));
        if !container.is_arc() && numbers.below(3) == 0 {
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
            let kept = if numbers.below(3) == 0 {
                &used[1..]
            } else {
                &used[..]
            };
            let length = format!("Content-Length: {}\r\n", body.len());
            let revisit = Record::revisit(&host, "06:30:00", &length, kept);
            // The record may lie before its original.
            records.push((
                numbers.below(100),
                revisit.with_id(&format!("<urn:test:{host}:2>")),
            ));
        }
        for (path, at) in [("/", "07:00:00"), ("/page", "08:00:00")] {
            // Without ids and in one stretch of text, nothing distinguishes a quoted record from one of the archive.
            let quote = if container.is_one_stretch() {
                ""
            } else {
                numbers.one_of(&QUOTES)
            };
            let head = format!("<!-- of {host}. -->{}", numbers.one_of(&METAS));
            let mut page =
                Record::page(&host, path, at, &head).with_id(&format!("<urn:test:{host}{path}>"));
            page.block.extend_from_slice(
                format!("{quote} of {host}. {}", "é".repeat(numbers.below(40))).as_bytes(),
            );
            records.push((numbers.below(100), page));
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
    pub fn apply(self, numbers: &mut Numbers, records: &mut [Record]) {
        let revisits: Vec<usize> = (0..records.len())
            .filter(|at| records[*at].kind == "revisit")
            .collect();
        let at = if self.is_of_revisits() && !revisits.is_empty() {
            *numbers.one_of(&revisits)
        } else {
            numbers.below(records.len())
        };
        let other = records[numbers.below(records.len())].clone();
        let next_bytes = records.get(at + 1).map_or(50, |next| next.warc(None).len());
        let record = &mut records[at];
        let length = i64::try_from(record.block.len()).expect("short");
        let number = |numbers: &mut Numbers, bound: i64| {
            i64::try_from(1 + numbers.below(usize::try_from(bound.max(1)).expect("positive")))
                .expect("short")
        };
        let by = |bytes: i64| Some((length + bytes).max(0).to_string());
        match self {
            Self::Short => record.declared = by(-number(numbers, length)),
            Self::Long => record.declared = by(number(numbers, 60)),
            Self::LongOverNext => {
                record.declared =
                    by(i64::try_from(next_bytes).expect("short") / 2 + number(numbers, 2_000));
            }
            Self::Huge => {
                record.declared = Some(
                    (*numbers.one_of(&["1099511627776", "18446744073709551615", "50000000"]))
                        .to_owned(),
                );
            }
            Self::NoNumber => {
                record.declared = Some((*numbers.one_of(&["-1", "x", "+5", "1e3"])).to_owned())
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
                    ["sha1:", "-", "null", ""][numbers.below(4)],
                );
            }
            Self::NoLineEnd => record.ends.1 = "",
            Self::OtherLineEnds => {
                record.ends.1 = *numbers.one_of(&["\r\n", "\n", "\n\n", "\r\n\r\n\r\n\r\n"])
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
