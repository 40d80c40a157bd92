//! The captures of a segment's site files as a stream of hosts.
//!
//! Input: evidence. Captures that do not fit in memory, and bodies, are in temporary files. Nothing is interpreted: whether a
//! body can be read is left to whoever asks.

use super::sorted::{Sorted, Sorting};
use super::stream::{BodyDigest, FileBody, HostFiles, HostStream, SeenFetch};
use crate::error::Error;
use crate::robots::Extent;
use crate::runs::{
    ArchiveEvidence, Bodies, BodyKey, FoundRow, GoOn, Group, Keep, Sites, WantedBodies, archive_of, bodies,
    read, row_of,
};
use crate::store::Scratch;
use crate::tables::site_index::{IndexedArchive, Seen, SharedBytes, SiteFetch, SiteHost, first_url};
use crate::verdict::SiteBodies;
use crate::verdict::timeline::{Answer, Sent};
use crate::web::host::surt_host_name;
use crate::web::timestamp::Timestamp;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::path::Path;

/// Captures may take this part of the memory; the bodies that are wanted, and row groups, take what is left.
const CAPTURES_SHARE: u64 = 2;

/// The captures of a segment, sorted.
pub struct Collected {
    archives: Vec<IndexedArchive>,
    captures: Sorted,
    bodies: Bodies,
    location: String,
}

/// What was found so far.
struct Collecting {
    captures: Sorting,
    wanted: WantedBodies,
}

impl Keep for Collecting {
    fn keep(&mut self, found: &FoundRow<'_>) -> io::Result<()> {
        let capture = &found.capture;
        let url = &capture.url;
        let name = url.host_name();
        let (body, is_cut, is_undecodable) = match found.body {
            Sent::Body((key, extent)) => {
                self.wanted.want(key, extent);
                (Some(key), extent == Extent::CutOff, false)
            }
            Sent::Unreadable => (None, false, true),
            Sent::Html | Sent::Missing => (None, false, false),
        };
        let is_first = url.as_str() == first_url(name, url.scheme(), url.port(), capture.kind);
        let fetch = SiteFetch {
            host: SiteHost { surt: surt_host_name(name).into(), name: name.into() },
            scheme: url.scheme(),
            port: url.port(),
            kind: capture.kind,
            url: (!is_first).then(|| url.as_str().into()),
            status: match capture.answer {
                Answer::Status(status) => Some(status),
                Answer::StatusUnreadable | Answer::NetworkError => None,
            },
            redirect: capture.redirect.map(Box::from),
            body,
            is_cut,
            is_undecodable,
        };
        let archive = u32::try_from(archive_of(found.order)).unwrap_or(u32::MAX);
        let at_us = capture.fetched_at.map(Timestamp::unix_micros);
        self.captures.push((fetch, Seen { at_us, archive, row: Some(row_of(found.order)) }))
    }
}

impl Collected {
    /// Reads the captures of a segment, or of all archives without one.
    pub fn new(group: &Group<'_>, temp_dir: &Path, memory_bytes: u64, go_on: &GoOn<'_>) -> io::Result<Self> {
        let archives: Vec<&ArchiveEvidence<'_>> = group.archives.iter().collect();
        let captures = Sorting::new(temp_dir.to_owned(), memory_bytes / CAPTURES_SHARE);
        let collecting = Collecting { captures, wanted: WantedBodies::new(Scratch::new(temp_dir)?) };
        let Collecting { captures, wanted } = read(&archives, Sites::All, collecting, go_on)?;
        let (bodies, _) = bodies(&archives, wanted, go_on)?;
        let location = group.archives.first().map(|archive| archive.store().location()).unwrap_or_default();
        let archives = group.archives.iter().map(indexed_archive).collect();
        Ok(Self { archives, captures: captures.finish()?, bodies, location })
    }

    fn answer(
        &self,
        fetch: &SiteFetch<BodyKey>,
        held: &mut HashMap<BodyDigest, SharedBytes>,
    ) -> io::Result<SiteFetch<FileBody>> {
        let mut body = None;
        if let Some(key) = &fetch.body
            && let Some(number) = self.bodies.number_of(key)
        {
            let digest = key.sha1();
            let content = match held.entry(digest) {
                Entry::Occupied(known) => known.get().clone(),
                Entry::Vacant(vacant) => {
                    vacant.insert(SharedBytes::from_vec(self.bodies.read(number)?.into_owned())).clone()
                }
            };
            body = Some(FileBody { digest, content, part: None });
        }
        let is_cut = fetch.is_cut && body.is_some();
        Ok(SiteFetch { is_cut, ..fetch.clone().with_body(body) })
    }
}

impl HostStream for Collected {
    fn archives(&self) -> &[IndexedArchive] {
        &self.archives
    }

    fn next_hosts(&mut self) -> Result<Option<HostFiles>, Error> {
        let unreadable = |source| Error::EvidenceUnreadable { location: self.location.clone(), source };
        let captures = self.captures.next_hosts().map_err(unreadable)?.unwrap_or_default();
        let Some((first, _)) = captures.first() else { return Ok(None) };
        let mut hosts = HostFiles { surt: first.host.surt.clone(), fetches: Vec::new() };
        let mut held = HashMap::new();
        for captures in captures.chunk_by(|(one, _), (other, _)| one == other) {
            let Some((fetch, _)) = captures.first() else { continue };
            let answer = self.answer(fetch, &mut held).map_err(unreadable)?;
            hosts.fetches.push((answer, captures.iter().map(|(_, seen)| *seen).collect()));
        }
        in_order(&mut hosts.fetches);
        Ok(Some(hosts))
    }
}

/// Sorts answers and their captures; equal answers are one.
pub fn in_order(fetches: &mut Vec<SeenFetch>) {
    fetches.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    fetches.dedup_by(|(later, seen), (first, all)| {
        let is_same = later == first;
        if is_same {
            all.append(seen);
        }
        is_same
    });
    for (_, seen) in fetches {
        seen.sort_unstable();
        seen.dedup();
    }
}

/// Returns what is noted of an archive.
pub fn indexed_archive(archive: &ArchiveEvidence<'_>) -> IndexedArchive {
    let manifest = &archive.manifest;
    let fingerprint = manifest.fingerprint.as_ref();
    IndexedArchive {
        crawl: manifest.crawl.clone(),
        warc_filename: manifest.warc_filename.clone(),
        outcome: manifest.row.outcome.as_str().to_owned(),
        records: manifest.row.records,
        records_lost: manifest.row.records_lost,
        fingerprint: fingerprint.map(|print| format!("{} {} {}", print.bytes, print.first, print.last)),
    }
}
