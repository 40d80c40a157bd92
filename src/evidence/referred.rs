//! The bodies of site files that revisits refer to, if they are proved to be the same.
//!
//! Document: WARC 1.1, 6.7: a revisit with the profile identical-payload-digest has the body of another record. RULES FRAME-4
//! and -5: its payload digest is that of bytes that were read (as stored, without chunks, or decoded: writers differ), or, if
//! it has no digest that proves anything, WARC-Refers-To names a record with the revisit's URL and time. Example: a robots.txt
//! that has not changed since yesterday.
//! Left out: records of other inputs; their body is unread. The record may be behind its revisit: a reader of an archive asks
//! again at its end.

use super::body::without_chunks;
use super::capture::Body;
use super::fields::BodyFields;
use crate::archive::{Place, Record};
use crate::web::body_mark::BodyMarks;
use crate::web::capture_kind::CaptureKind;
use crate::web::timestamp::Timestamp;
use data_encoding::{BASE32_NOPAD, HEXLOWER_PERMISSIVE};
use sha1::{Digest, Sha1};
use sha2::Sha256;
use std::borrow::Cow;
use std::collections::HashMap;

const BODIES: usize = 1 << 16;

#[derive(Clone, Copy)]
struct KnownBody {
    place: Place,
    digest: [u8; 20],
    marks: BodyMarks,
    is_empty: bool,
}

struct Original {
    id: Option<Box<[u8]>>,
    fetched_at: Option<Timestamp>,
    body: KnownBody,
}

/// The bodies of an input's site files, by the facts that a revisit may prove.
#[derive(Default)]
pub struct Referred {
    by_digest: HashMap<(CaptureKind, PayloadDigest), KnownBody>,
    by_url: HashMap<(CaptureKind, Box<[u8]>), Vec<Original>>,
    count: usize,
    is_complete: bool,
}

impl Referred {
    /// Remembers the body of a record with the stored bytes `stored`.
    pub fn remember(
        &mut self,
        record: &Record<'_>,
        kind: CaptureKind,
        (fields, stored): (&BodyFields<'_>, &[u8]),
        body: &Body<'_>,
    ) {
        if self.count >= BODIES {
            return;
        }
        self.count += 1;
        let kind = kind.read_as();
        let (digest, marks) = (body.digest, body.marks);
        let known = KnownBody { place: record.place, digest, marks, is_empty: body.bytes.is_empty() };
        self.add_digest(kind, PayloadDigest::Sha1(digest), known);
        // In most archives the stored bytes are the decoded body.
        let is_as_stored = stored == body.bytes.as_ref();
        if !is_as_stored {
            let parts = without_chunks(fields, stored);
            for form in [Some(stored), parts.as_deref()].into_iter().flatten() {
                self.add_digest(kind, PayloadDigest::sha1(form), known);
            }
        }
        if let Some(PayloadDigest::Sha256(_)) = record.payload_digest.and_then(PayloadDigest::read) {
            let parts = without_chunks(fields, stored);
            for form in [Some(stored), parts.as_deref(), Some(&body.bytes)].into_iter().flatten() {
                self.add_digest(kind, PayloadDigest::sha256(form), known);
            }
        }
        if let Some(url) = record.target {
            let id = record.id.filter(|id| !id.is_empty()).map(Box::from);
            let original = Original { id, fetched_at: fetched_at(record.date), body: known };
            self.by_url.entry((kind, without_brackets(url).into())).or_default().push(original);
        }
    }

    /// The same bytes may be whole in one record and cut in another; it is unknown which of them is meant.
    fn add_digest(&mut self, kind: CaptureKind, digest: PayloadDigest, body: KnownBody) {
        let known = self.by_digest.entry((kind, digest)).or_insert(body);
        known.marks.add_all(body.marks);
    }

    /// Notes that the input has been read to its end.
    pub fn end(&mut self) {
        self.is_complete = true;
    }

    /// Returns the body that a revisit is proved to have. Its bytes are already in the evidence.
    pub fn find<'a>(
        &self,
        record: &Record<'_>,
        kind: CaptureKind,
        fields: &BodyFields<'_>,
    ) -> Option<Body<'a>> {
        let KnownBody { digest, marks, .. } = self.prove(record, kind, fields)?;
        Some(Body { digest, bytes: Cow::Borrowed(&[]), marks })
    }

    /// Returns the place of the record that a revisit is proved to share its body with.
    pub fn place(&self, record: &Record<'_>, kind: CaptureKind, fields: &BodyFields<'_>) -> Option<Place> {
        self.prove(record, kind, fields).map(|body| body.place)
    }

    fn prove(&self, record: &Record<'_>, kind: CaptureKind, fields: &BodyFields<'_>) -> Option<KnownBody> {
        let kind = kind.read_as();
        let proved = match record.payload_digest.and_then(PayloadDigest::read) {
            Some(claimed) => self.by_digest(record, kind, claimed),
            None => self.by_name(record, kind),
        };
        let proved = proved?;
        // A body with a length other than 0 is not the empty one.
        let may_be_empty = fields.content_lengths.iter().all(|value| value.trim_ascii() == b"0");
        (!proved.is_empty || may_be_empty).then_some(proved)
    }

    /// Returns the body with a digest. Ours: claims that contradict each other prove nothing, so a record that is named beside
    /// the digest must also have the body, if it was read.
    fn by_digest(&self, record: &Record<'_>, kind: CaptureKind, claimed: PayloadDigest) -> Option<KnownBody> {
        let body = *self.by_digest.get(&(kind, claimed))?;
        let mut named = self.named(record, kind).peekable();
        let names_one = record.refers_to.is_some() || record.refers_to_target.is_some();
        let agrees = match named.peek() {
            // It may be behind the revisit.
            None => self.is_complete || !names_one,
            Some(_) => named.any(|other| other.digest == body.digest),
        };
        agrees.then_some(body)
    }

    /// Returns the body of the named record. Some writers give several records one id.
    fn by_name(&self, record: &Record<'_>, kind: CaptureKind) -> Option<KnownBody> {
        record.refers_to?;
        let mut named = self.named(record, kind);
        let first = named.next()?;
        named.all(|other| (other.digest, other.marks) == (first.digest, first.marks)).then_some(first)
    }

    /// Returns the bodies of the records that a revisit names by URL, and by id and time if it states them.
    fn named<'r>(
        &'r self,
        record: &'r Record<'_>,
        kind: CaptureKind,
    ) -> impl Iterator<Item = KnownBody> + use<'r> {
        let url = record.refers_to_target.or(record.target).map(without_brackets).unwrap_or_default();
        let of_url = self.by_url.get(&(kind, url.into())).into_iter().flatten();
        let date = record.refers_to_date.map(|date| seconds(fetched_at(Some(date))));
        let named = of_url.filter(move |original| {
            record.refers_to.is_none_or(|id| original.id.as_deref() == Some(id))
                && date.is_none_or(|date| date.is_some() && date == seconds(original.fetched_at))
        });
        named.map(|original| original.body)
    }
}

fn fetched_at(date: Option<&[u8]>) -> Option<Timestamp> {
    date.and_then(Timestamp::new)
}

/// Whole seconds, because writers differ in whether a time has a fraction.
fn seconds(at: Option<Timestamp>) -> Option<i64> {
    at.map(|at| at.unix_micros().div_euclid(1_000_000))
}

/// Some writers put a URL in brackets.
fn without_brackets(url: &[u8]) -> &[u8] {
    let url = url.trim_ascii();
    url.strip_prefix(b"<").and_then(|url| url.strip_suffix(b">")).unwrap_or(url)
}

const OF_NOTHING: [&str; 2] =
    ["3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ"];

/// A digest of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PayloadDigest {
    /// SHA-1.
    Sha1([u8; 20]),
    /// SHA-256.
    Sha256([u8; 32]),
}

impl PayloadDigest {
    /// Reads a claim; `None` if it proves nothing.
    pub fn read(claim: &[u8]) -> Option<Self> {
        let claim = std::str::from_utf8(claim).ok()?.trim();
        let (name, value) = claim.split_once(':').unwrap_or(("sha1", claim));
        let is = |names: [&str; 2]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        let digest = if is(["sha1", "sha-1"]) {
            Self::Sha1(decoded(value)?)
        } else if is(["sha256", "sha-256"]) {
            Self::Sha256(decoded(value)?)
        } else {
            return None;
        };
        (!OF_NOTHING.contains(&BASE32_NOPAD.encode(digest.bytes()).as_str())).then_some(digest)
    }

    /// Returns the SHA-1 of bytes.
    pub fn sha1(bytes: &[u8]) -> Self {
        Self::Sha1(Sha1::digest(bytes).into())
    }

    /// Returns the SHA-256 of bytes.
    pub fn sha256(bytes: &[u8]) -> Self {
        Self::Sha256(Sha256::digest(bytes).into())
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Sha1(bytes) => bytes,
            Self::Sha256(bytes) => bytes,
        }
    }
}

fn decoded<const BYTES: usize>(value: &str) -> Option<[u8; BYTES]> {
    let bytes = if value.len() == 2 * BYTES {
        HEXLOWER_PERMISSIVE.decode(value.as_bytes())
    } else {
        BASE32_NOPAD.decode(value.trim_end_matches('=').to_ascii_uppercase().as_bytes())
    };
    bytes.ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::PayloadDigest;

    #[test]
    fn frame_4_claims_in_every_spelling_and_those_that_prove_nothing() {
        let body = b"User-agent: *\n";
        let sha1 = PayloadDigest::sha1(body);
        let sha256 = PayloadDigest::sha256(body);
        for claim in [
            "sha1:",
            "-",
            "null",
            "",
            "sha1:AAAA",
            "md5:5d41402abc4b2a76b9719d911017c592",
            "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ] {
            assert_eq!(PayloadDigest::read(claim.as_bytes()), None, "{claim}");
        }
        for (digest, spellings) in
            [(sha1, ["sha1:", "SHA-1:", ""]), (sha256, ["sha256:", "sha-256:", "SHA256:"])]
        {
            for spelling in spellings {
                for value in [
                    data_encoding::BASE32.encode(digest.bytes()),
                    data_encoding::BASE32.encode(digest.bytes()).to_lowercase(),
                    data_encoding::HEXLOWER.encode(digest.bytes()),
                    data_encoding::HEXUPPER.encode(digest.bytes()),
                ] {
                    let claim = format!("{spelling}{value}");
                    assert_eq!(PayloadDigest::read(claim.as_bytes()), Some(digest), "{claim}");
                }
            }
        }
    }
}
