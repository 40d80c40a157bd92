//! What identifies the bytes of an archive: its length, its first and its last 64 KiB.
//!
//! A file is read only in these ranges; for a stream the same fingerprint is computed along the way.
//! Example: a file that was half downloaded is recognised when it is whole, because the earlier last 64 KiB are at their old
//! place. Left out: a digest of every byte, which would mean reading a file in full.

use crate::archive::ArchiveSource;
use data_encoding::BASE32;
use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};
use std::cmp::Ordering;
use std::io::{self, Read};

/// The length of both ranges.
const RANGE_LENGTH: usize = 64 << 10;
const RANGE_BYTES: u64 = RANGE_LENGTH as u64;

/// What identifies the bytes of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    pub bytes: u64,
    /// SHA-1 (base32) of the first 64 KiB.
    pub first: String,
    /// SHA-1 (base32) of the last 64 KiB.
    pub last: String,
}

/// How an archive relates to an earlier one of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Same,
    /// It is longer and begins with the earlier one.
    Continues,
    Other,
}

/// A fingerprint, and what is needed to compare it with an earlier one.
#[derive(Clone, Debug)]
pub struct Identified {
    pub fingerprint: Fingerprint,
    /// SHA-1 (base32) of the 64 KiB before the end of the earlier archive.
    before_earlier_end: Option<String>,
}

impl Identified {
    /// Identifies a source by ranges of it; `None` if it does not support ranges.
    pub fn of_source(
        source: &dyn ArchiveSource,
        earlier: &Fingerprint,
    ) -> io::Result<Option<Self>> {
        let digest = |bytes: &[u8]| BASE32.encode(&Sha1::digest(bytes));
        if source.range(0, 0)?.is_none() {
            return Ok(None);
        }
        let Some((bytes, last)) = source.end(RANGE_BYTES)? else {
            return Ok(None);
        };
        let range = |from: u64, to: u64| -> io::Result<Option<String>> {
            let length = usize::try_from(to - from).map_err(io::Error::other)?;
            Ok(source.range(from, length)?.map(|bytes| digest(&bytes)))
        };
        let first = range(0, bytes.min(RANGE_BYTES))?;
        let last = Some(digest(&last));
        let before_earlier_end = match bytes.cmp(&earlier.bytes) {
            Ordering::Less => None,
            Ordering::Equal => last.clone(),
            Ordering::Greater => range(earlier.bytes.saturating_sub(RANGE_BYTES), earlier.bytes)?,
        };
        let ranges = first.zip(last);
        Ok(ranges.map(|(first, last)| Self {
            fingerprint: Fingerprint { bytes, first, last },
            before_earlier_end,
        }))
    }

    pub fn relation(&self, earlier: &Fingerprint) -> Relation {
        let now = &self.fingerprint;
        if now == earlier {
            return Relation::Same;
        }
        let begins_alike = earlier.bytes < RANGE_BYTES || now.first == earlier.first;
        let goes_on =
            now.bytes > earlier.bytes && self.before_earlier_end.as_ref() == Some(&earlier.last);
        if begins_alike && goes_on {
            Relation::Continues
        } else {
            Relation::Other
        }
    }
}

/// A reader that computes the fingerprint of the bytes it reads.
pub struct FingerprintReader<R> {
    source: R,
    bytes: u64,
    first: Sha1,
    /// The last 64 KiB at least, or all.
    last: Vec<u8>,
    earlier_bytes: Option<u64>,
    before_earlier_end: Sha1,
}

impl<R: Read> FingerprintReader<R> {
    /// Takes a source at its first byte, and the length of an earlier archive to compare it with.
    pub fn new(source: R, earlier_bytes: Option<u64>) -> Self {
        let (first, before_earlier_end) = (Sha1::new(), Sha1::new());
        Self {
            source,
            bytes: 0,
            first,
            last: Vec::new(),
            earlier_bytes,
            before_earlier_end,
        }
    }

    pub fn finish(self) -> Identified {
        let long = self
            .earlier_bytes
            .is_some_and(|earlier| self.bytes >= earlier);
        let last = self
            .last
            .get(self.last.len().saturating_sub(RANGE_LENGTH)..)
            .unwrap_or_default();
        Identified {
            fingerprint: Fingerprint {
                bytes: self.bytes,
                first: BASE32.encode(&self.first.finalize()),
                last: BASE32.encode(&Sha1::digest(last)),
            },
            before_earlier_end: long.then(|| BASE32.encode(&self.before_earlier_end.finalize())),
        }
    }

    fn look_at(&mut self, read: &[u8]) {
        let within = |from: u64, to: u64| {
            let at = |offset: u64| {
                let index =
                    usize::try_from(offset.saturating_sub(self.bytes)).unwrap_or(usize::MAX);
                index.min(read.len())
            };
            read.get(at(from)..at(to)).unwrap_or_default()
        };
        self.first.update(within(0, RANGE_BYTES));
        if let Some(earlier) = self.earlier_bytes {
            let range = within(earlier.saturating_sub(RANGE_BYTES), earlier);
            self.before_earlier_end.update(range);
        }
        if read.len() >= RANGE_LENGTH {
            self.last.clear();
        } else if self.last.len() > 16 * RANGE_LENGTH {
            self.last.drain(..self.last.len() - RANGE_LENGTH);
        }
        self.last.extend_from_slice(
            read.get(read.len().saturating_sub(RANGE_LENGTH)..)
                .unwrap_or_default(),
        );
        self.bytes += read.len() as u64;
    }
}

impl<R: Read> Read for FingerprintReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.look_at(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::{Fingerprint, FingerprintReader, Identified, Relation};
    use crate::archive::FileSource;
    use std::io::Read;

    struct Steps<'b>(&'b [u8], usize);

    impl Read for Steps<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let step = self.1.min(buffer.len());
            self.0.read(&mut buffer[..step])
        }
    }

    fn bytes(count: usize) -> Vec<u8> {
        (0..count)
            .map(|at| u8::try_from(at * 7919 % 251).unwrap())
            .collect()
    }

    fn read(content: &[u8], step: usize, earlier: Option<&Fingerprint>) -> Identified {
        let mut reader =
            FingerprintReader::new(Steps(content, step), earlier.map(|earlier| earlier.bytes));
        reader.read_to_end(&mut Vec::new()).unwrap();
        reader.finish()
    }

    #[test]
    fn local_a_stream_and_a_file_have_the_same_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        for count in [0, 1, 65_535, 65_536, 65_537, 200_000] {
            let content = bytes(count);
            let earlier = read(&content[..count / 2], 1000, None).fingerprint;
            let path = folder.path().join("a");
            std::fs::write(&path, &content).unwrap();
            let of_file = Identified::of_source(&FileSource::new(path), &earlier)
                .unwrap()
                .unwrap();
            for step in [1, 1000, 65_536, 1 << 20] {
                let of_stream = read(&content, step, Some(&earlier));
                assert_eq!(
                    of_stream.fingerprint, of_file.fingerprint,
                    "{count} by {step}"
                );
                let relation = if count == 0 {
                    Relation::Same
                } else {
                    Relation::Continues
                };
                assert_eq!(of_stream.relation(&earlier), relation, "{count} by {step}");
                assert_eq!(of_file.relation(&earlier), relation, "{count}");
            }
        }
    }

    #[test]
    fn local_what_begins_otherwise_or_is_shorter_is_another_archive() {
        let content = bytes(200_000);
        let earlier = read(&content[..150_000], 5000, None).fingerprint;
        let mut other = content.clone();
        for at in [0, 149_999] {
            other[at] ^= 1;
            assert_eq!(
                read(&other, 5000, Some(&earlier)).relation(&earlier),
                Relation::Other,
                "{at}"
            );
            other[at] ^= 1;
        }
        assert_eq!(
            read(&content[..149_999], 5000, Some(&earlier)).relation(&earlier),
            Relation::Other
        );
        assert_eq!(
            read(&content, 5000, Some(&earlier)).relation(&earlier),
            Relation::Continues
        );
    }
}
