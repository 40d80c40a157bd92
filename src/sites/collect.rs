//! The captures of a segment's site files in evidence as a stream of answers. Bodies, and captures that do not fit in memory, are
//! in temporary files. Nothing is interpreted: the reader of the index finds out whether a body can be read.

use super::sorted::Sorting;
use super::stream::{AnswerStream, EvidenceBodies};
use crate::error::Error;
use crate::robots::Extent;
use crate::runs::{
    ArchiveEvidence, ArchiveGroup, FoundRow, GoOn, Keep, Sites, WantedBodies, archive_of, bodies,
    read, row_of,
};
use crate::store::Scratch;
use crate::tables::site_index::{IndexedArchive, Seen, SiteFetch, SiteHost, first_url};
use crate::verdict::timeline::{BodyState, FetchOutcome};
use crate::web::timestamp::Timestamp;
use std::io;
use std::sync::Arc;

/// Captures may take one part in this number of the memory; wanted bodies and row groups take the rest.
const CAPTURES_SHARE: u64 = 2;

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
            BodyState::Body((key, extent)) => {
                self.wanted.want(key, extent);
                (Some(key), extent == Extent::CutOff, false)
            }
            BodyState::Unreadable => (None, false, true),
            BodyState::Html | BodyState::Missing => (None, false, false),
        };
        let is_first = url.as_str() == first_url(name, url.scheme(), url.port(), capture.kind);
        let fetch = SiteFetch {
            host: SiteHost::new(name),
            scheme: url.scheme(),
            port: url.port(),
            kind: capture.kind,
            url: (!is_first).then(|| url.as_str().into()),
            status: match capture.answer {
                FetchOutcome::Status(status) => Some(status),
                FetchOutcome::StatusUnreadable
                | FetchOutcome::NetworkError
                | FetchOutcome::Stored => None,
            },
            redirect: capture.redirect.map(Box::from),
            body,
            is_cut,
            is_undecodable,
            is_resource: capture.answer == FetchOutcome::Stored,
            validator: capture.validator,
        };
        let archive = u32::try_from(archive_of(found.order)).unwrap_or(u32::MAX);
        let at_us = capture.fetched_at.map(Timestamp::unix_micros);
        self.captures.push((
            fetch,
            Seen {
                at_us,
                archive,
                row: Some(row_of(found.order)),
            },
        ))
    }
}

/// Reads the captures of a segment, or of all archives without one; their originals may be in any of `all` (KNOW-4).
pub fn collected(
    group: &ArchiveGroup<'_>,
    all: &[&ArchiveEvidence<'_>],
    memory_bytes: u64,
    go_on: &GoOn<'_>,
) -> io::Result<AnswerStream<'static>> {
    let archives: Vec<&ArchiveEvidence<'_>> = group.archives.iter().collect();
    let captures = Sorting::new(memory_bytes / CAPTURES_SHARE);
    let collecting = Collecting {
        captures,
        wanted: WantedBodies::new(Arc::new(Scratch::new()?)),
    };
    let Collecting { captures, wanted } = read(&archives, Sites::All, collecting, go_on)?;
    bodies(&archives, all, &wanted, go_on)?;
    let location = location_of(group);
    let bodies = Arc::new(EvidenceBodies {
        bodies: wanted.into_bodies(),
        location: location.clone(),
    });
    let of_answers = location.clone();
    let unreadable = move |source| Error::EvidenceUnreadable {
        location: of_answers.clone(),
        source,
    };
    let answers = Box::new(
        captures
            .finish(bodies)
            .map(move |answer| answer.map_err(&unreadable)),
    );
    let archives = group.archives.iter().map(indexed_archive).collect();
    Ok(AnswerStream {
        location,
        archives,
        captures: 0,
        answers,
    })
}

pub fn location_of(group: &ArchiveGroup<'_>) -> String {
    group
        .archives
        .first()
        .map(|archive| archive.store().location())
        .unwrap_or_default()
}

pub fn indexed_archive(archive: &ArchiveEvidence<'_>) -> IndexedArchive {
    let manifest = &archive.manifest;
    let fingerprint = manifest.fingerprint.as_ref();
    IndexedArchive {
        crawl: manifest.crawl.clone(),
        warc_filename: manifest.warc_filename.clone(),
        outcome: manifest.row.outcome.as_str().to_owned(),
        records: manifest.row.records,
        records_lost: manifest.row.records_lost,
        fingerprint: fingerprint
            .map(|print| format!("{} {} {}", print.bytes, print.first, print.last)),
    }
}
