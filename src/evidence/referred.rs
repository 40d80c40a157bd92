//! The bodies of site files that revisits refer to, if they are proved to be the same.
//!
//! Document: WARC 1.1, 6.7: a revisit with the profile identical-payload-digest has the body of another record. RULES FRAME-4
//! and -5: its payload digest is that of bytes that were read (as stored, without chunks, or decoded: writers differ), or, if
//! it has no digest that proves anything, WARC-Refers-To names a record with the revisit's URL and time. Example: a robots.txt
//! that has not changed since yesterday.
//! Left out: records of other inputs (`runs::originals`). The record may be behind its revisit: a reader of an archive asks
//! again at its end.

use super::{
    body::without_chunks,
    capture::Body,
    fields::BodyFields,
    stated_digest::{SHA256_BYTES, digest_of},
};
use crate::archive::{Place, Record};
use crate::web::{body_mark::BodyMarks, capture_kind::CaptureKind, timestamp::Timestamp};
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use sha2::Sha256;
use std::collections::HashMap;

/// The most bodies that are remembered, so that memory does not grow with the archive; any number of this size.
const BODIES: usize = 1 << 16;

/// A body that was read, without its bytes, which are in the evidence.
#[derive(Clone, Copy)]
pub struct KnownBody {
    pub place: Place,
    pub digest: [u8; 20],
    pub marks: BodyMarks,
    is_empty: bool,
}

struct KnownOriginal {
    id: Option<Box<[u8]>>,
    fetched_at: Option<i64>,
    body: KnownBody,
}

/// The bodies of an input's site files, by the facts that a revisit may prove.
#[derive(Default)]
pub struct Referred {
    by_digest: HashMap<(CaptureKind, Vec<u8>), KnownBody>,
    by_url: HashMap<(CaptureKind, Box<[u8]>), Vec<KnownOriginal>>,
    count: usize,
    /// Whether the input has been read to its end.
    pub is_complete: bool,
}

impl Referred {
    /// Remembers the body of a record; returns the digests by which a revisit in another input may name it, beside that of the body.
    pub fn remember(
        &mut self,
        record: &Record<'_>,
        kind: CaptureKind,
        (fields, stored): (&BodyFields<'_>, &[u8]),
        body: &Body<'_>,
    ) -> Vec<String> {
        let digests = payload_digests(record, (fields, stored), body);
        if self.count >= BODIES {
            return digests;
        }
        self.count += 1;
        let kind = kind.read_as();
        let (digest, marks) = (body.digest, body.marks);
        let known = KnownBody {
            place: record.place,
            digest,
            marks,
            is_empty: body.bytes.is_empty(),
        };
        self.add_digest(kind, digest.to_vec(), known);
        for digest in digests
            .iter()
            .filter_map(|digest| digest_of(digest.as_bytes()))
        {
            self.add_digest(kind, digest, known);
        }
        if let Some(url) = record.target {
            let id = record.id.filter(|id| !id.is_empty()).map(Box::from);
            let original = KnownOriginal {
                id,
                fetched_at: record.date.and_then(seconds),
                body: known,
            };
            self.by_url
                .entry((kind, without_brackets(url).into()))
                .or_default()
                .push(original);
        }
        digests
    }

    /// The same bytes may be whole in one record and cut in another; it is unknown which of them is meant.
    fn add_digest(&mut self, kind: CaptureKind, digest: Vec<u8>, body: KnownBody) {
        let known = self.by_digest.entry((kind, digest)).or_insert(body);
        known.marks.add_all(body.marks);
    }

    pub fn prove(
        &self,
        record: &Record<'_>,
        kind: CaptureKind,
        fields: &BodyFields<'_>,
    ) -> Option<KnownBody> {
        let kind = kind.read_as();
        let proved = match record.payload_digest.and_then(digest_of) {
            Some(claimed) => self.by_digest(record, kind, claimed)?,
            None => self.by_name(record, kind)?,
        };
        // A body with a length other than 0 is not the empty one.
        let may_be_empty = fields
            .content_lengths
            .iter()
            .all(|value| value.trim_ascii() == b"0");
        (!proved.is_empty || may_be_empty).then_some(proved)
    }

    /// Returns the body with a digest. Ours: claims that contradict each other prove nothing, so a record that is named beside
    /// the digest must also have the body, if it was read.
    fn by_digest(
        &self,
        record: &Record<'_>,
        kind: CaptureKind,
        claimed: Vec<u8>,
    ) -> Option<KnownBody> {
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
        named
            .all(|other| (other.digest, other.marks) == (first.digest, first.marks))
            .then_some(first)
    }

    /// Returns the bodies of the records that a revisit names by URL, and by id and time if it states them.
    fn named<'r>(
        &'r self,
        record: &'r Record<'_>,
        kind: CaptureKind,
    ) -> impl Iterator<Item = KnownBody> + use<'r> {
        let url = record
            .refers_to_target
            .or(record.target)
            .map(without_brackets)
            .unwrap_or_default();
        let of_url = self.by_url.get(&(kind, url.into())).into_iter().flatten();
        let date = record.refers_to_date.map(seconds);
        let named = of_url.filter(move |original| {
            record
                .refers_to
                .is_none_or(|id| original.id.as_deref() == Some(id))
                && date.is_none_or(|date| date.is_some() && date == original.fetched_at)
        });
        named.map(|original| original.body)
    }
}

/// Returns the digests of a payload's forms, each once: SHA-1 of those that differ from the body, and SHA-256 of all if the record
/// states one.
fn payload_digests(
    record: &Record<'_>,
    (fields, stored): (&BodyFields<'_>, &[u8]),
    body: &Body<'_>,
) -> Vec<String> {
    let states_sha256 = || {
        let claimed = record.payload_digest.and_then(digest_of);
        claimed.is_some_and(|digest| digest.len() == SHA256_BYTES)
    };
    // In most archives the stored bytes are the decoded body.
    let is_as_stored = stored == body.bytes.as_ref();
    let parts = if is_as_stored {
        None
    } else {
        without_chunks(fields, stored)
    };
    let other_forms = [(!is_as_stored).then_some(stored), parts.as_deref()];
    let sha1 = other_forms
        .into_iter()
        .flatten()
        .map(|form| BASE32.encode(&Sha1::digest(form)));
    let mut digests: Vec<String> = sha1.collect();
    if states_sha256() {
        let forms = other_forms
            .into_iter()
            .flatten()
            .chain([body.bytes.as_ref()]);
        digests
            .extend(forms.map(|form| format!("sha256:{}", BASE32.encode(&Sha256::digest(form)))));
    }
    digests
}

/// Reads a date to whole seconds, because writers differ in whether a time has a fraction.
fn seconds(date: &[u8]) -> Option<i64> {
    Timestamp::new(date).map(|at| at.unix_micros().div_euclid(1_000_000))
}

/// Some writers put a URL in brackets.
pub fn without_brackets(url: &[u8]) -> &[u8] {
    let url = url.trim_ascii();
    url.strip_prefix(b"<")
        .and_then(|url| url.strip_suffix(b">"))
        .unwrap_or(url)
}
