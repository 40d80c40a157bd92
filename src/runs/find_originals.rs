//! The originals of revisits, in any archive of the inputs (KNOW-4).
//!
//! Document: WARC 1.1, 6.7; RULES FRAME-4. Example: a library stored a page in January and only a revisit of it in March, in
//! another archive. Original: the record at the URL that the revisit names, or at its own, that is proved to have its body: of
//! site files by a digest of bytes that were read; of pages, whose bytes are not digested, by the digest that both records
//! state; without a digest, by the id that the revisit names. If several fit and differ, none is the original.
//! Memory: the revisits of a pass and the records that they may refer to; the passes divide the URLs. What revisits have from
//! their originals is in an unnamed file. Left out: revisits of site files whose body is in their own
//! archive (`evidence::referred`).

use super::archive_evidence::ArchiveEvidence;
use super::memory::pool;
use super::originals::{Originals, StoredOriginal};
use super::proved_originals::{
    Candidate, CandidateContent, Candidates, CaptureRow, Fitting, RevisitClaim,
};
use crate::evidence::{RecordType, digest_of};
use crate::store::Scratch;
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, Captures, Original, RevisitKeys};
use crate::web::body_mark::BodyMark;
use crate::web::capture_kind::CaptureKind;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use rayon::prelude::*;
use sha1::{Digest, Sha1};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::Arc;

/// The most revisits of a pass, about 300 bytes each.
const AT_ONCE: u64 = 1 << 20;

/// Finds the originals of the revisits of some archives, which are all inputs; with `hosts`, only those of revisits at these hosts.
pub fn join_originals(archives: &[&ArchiveEvidence<'_>], hosts: Option<&[&str]>) -> io::Result<()> {
    let revisits: u64 = archives
        .iter()
        .map(|archive| archive.manifest.revisits)
        .sum();
    if revisits == 0 {
        return Ok(());
    }
    // Threads of its own: those that all calls share do not exist in a forked process.
    let pool = pool("originals", 0).map_err(io::Error::other)?;
    let scratch = Arc::new(Scratch::new()?);
    let passes = revisits.div_ceil(AT_ONCE);
    let mut found = vec![Vec::new(); archives.len()];
    for pass in 0..passes {
        let of_pass = OfPass {
            pass,
            passes,
            hosts,
        };
        for (CaptureRow { archive, row }, stored) in
            pool.install(|| of_pass.originals(archives, &scratch))?
        {
            if let Some(found) = found.get_mut(archive) {
                found.push((row, stored));
            }
        }
    }
    for (archive, rows) in archives
        .iter()
        .zip(found)
        .filter(|(_, rows)| !rows.is_empty())
    {
        archive.set_originals(Originals::new(&scratch, rows));
    }
    Ok(())
}

struct OfPass<'h> {
    pass: u64,
    passes: u64,
    hosts: Option<&'h [&'h str]>,
}

/// What the body is read as, and the URL of the original.
type Key = (CaptureKind, String);

struct Revisit {
    at: CaptureRow,
    claim: RevisitClaim,
    fetched_s: Option<i64>,
}

#[derive(Default)]
struct AtUrl {
    /// By their claims, once all are known.
    revisits: Vec<Revisit>,
    /// The digests that they state, in order.
    digests: Vec<Vec<u8>>,
    candidates: Vec<Candidate>,
}

impl AtUrl {
    fn sort(&mut self) {
        self.revisits
            .sort_unstable_by(|one, other| (&one.claim, one.at).cmp(&(&other.claim, other.at)));
        self.digests = self
            .revisits
            .iter()
            .filter_map(|revisit| revisit.claim.digest.clone())
            .collect();
        self.digests.sort_unstable();
        self.digests.dedup();
    }

    /// Returns whether a revisit names a record, or states one of its digests.
    fn may_mean(&self, candidate: &Candidate) -> bool {
        let is_named = |id: Option<&String>, at: Option<i64>| {
            let claimed = |revisit: &Revisit| {
                (revisit.claim.id.as_ref(), revisit.claim.original_s).cmp(&(id, at))
            };
            self.revisits.binary_search_by(claimed).is_ok()
        };
        let ids = [None, candidate.id.as_ref()];
        ids.into_iter()
            .any(|id| is_named(id, None) || is_named(id, candidate.fetched_s))
            || candidate
                .digests
                .iter()
                .any(|digest| self.digests.binary_search(digest).is_ok())
    }

    /// Returns the originals of the revisits, where they are proved.
    fn proved(
        &self,
        contents: &HashMap<CaptureRow, CandidateContent>,
    ) -> Vec<(CaptureRow, StoredOriginal)> {
        let candidates = Candidates::new(&self.candidates);
        let mut found = Vec::new();
        for alike in self.revisits.chunk_by(|one, next| one.claim == next.claim) {
            let Some(first) = alike.first() else { continue };
            let fitting = Fitting::new(&candidates.fitting(&first.claim), contents);
            let original =
                |revisit: &Revisit| Some((revisit.at, fitting.original(revisit.fetched_s)?));
            found.extend(alike.iter().filter_map(original));
        }
        found
    }
}

impl OfPass<'_> {
    /// Returns the originals of the revisits of the pass.
    fn originals(
        &self,
        archives: &[&ArchiveEvidence<'_>],
        scratch: &Scratch,
    ) -> io::Result<Vec<(CaptureRow, StoredOriginal)>> {
        let mut wanted = HashMap::<Key, AtUrl>::new();
        for (key, revisit) in self.revisits(archives)? {
            wanted.entry(key).or_default().revisits.push(revisit);
        }
        wanted.values_mut().for_each(AtUrl::sort);
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        for (key, candidate) in self.candidates(archives, &wanted)? {
            wanted.entry(key).or_default().candidates.push(candidate);
        }
        let places = wanted
            .values()
            .flat_map(|at_url| &at_url.candidates)
            .map(|candidate| candidate.at);
        let contents = contents(archives, places.collect(), scratch)?;
        Ok(wanted
            .into_values()
            .flat_map(|at_url| at_url.proved(&contents))
            .collect())
    }

    fn is_of_pass(&self, key: &Key) -> bool {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        hasher.finish() % self.passes == self.pass
    }

    fn revisits(&self, archives: &[&ArchiveEvidence<'_>]) -> io::Result<Vec<(Key, Revisit)>> {
        let archives = archives.par_iter().enumerate();
        let with_revisits = archives.filter(|(_, archive)| archive.manifest.revisits > 0);
        let found = with_revisits.map(|(number, archive)| {
            if !self
                .hosts
                .map_or(Ok(true), |hosts| archive.may_have_host(hosts))?
            {
                return Ok(Vec::new());
            }
            let is_wanted = |key: &Key, url: &str| self.is_of_pass(key) && self.has_host(url);
            in_archive((number, archive), |keys, row, at| {
                let (key, revisit) = revisit(keys, row, at)?;
                is_wanted(&key, keys.url(row)).then_some((key, revisit))
            })
        });
        Ok(found
            .collect::<io::Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    fn has_host(&self, url: &str) -> bool {
        self.hosts.is_none_or(|hosts| {
            PageUrl::new(url.as_bytes()).is_ok_and(|url| hosts.contains(&url.host_name()))
        })
    }

    /// Returns the records to which a wanted revisit may refer.
    fn candidates(
        &self,
        archives: &[&ArchiveEvidence<'_>],
        wanted: &HashMap<Key, AtUrl>,
    ) -> io::Result<Vec<(Key, Candidate)>> {
        let parsed = wanted
            .keys()
            .filter_map(|(_, url)| PageUrl::new(url.as_bytes()).ok());
        let hosts: BTreeSet<String> = match self.hosts {
            Some(_) => parsed.map(|url| url.host_name().to_owned()).collect(),
            None => BTreeSet::new(),
        };
        let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
        let with_captures = archives.par_iter().enumerate();
        let with_captures =
            with_captures.filter(|(_, archive)| !archive.manifest.captures.is_empty());
        let found = with_captures.map(|(number, archive)| {
            if self.hosts.is_some() && !archive.may_have_host(&hosts)? {
                return Ok(Vec::new());
            }
            in_archive((number, archive), |keys, row, at| {
                let (key, candidate) = candidate(keys, row, at)?;
                wanted
                    .get(&key)?
                    .may_mean(&candidate)
                    .then_some((key, candidate))
            })
        });
        Ok(found
            .collect::<io::Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect())
    }
}

/// Looks at the rows of an archive's captures.
fn in_archive<T>(
    (number, archive): (usize, &ArchiveEvidence<'_>),
    look: impl Fn(&RevisitKeys, usize, CaptureRow) -> Option<T>,
) -> io::Result<Vec<T>> {
    let (mut found, mut first) = (Vec::new(), 0);
    for slice in archive.slices(&CAPTURES, |file| {
        Slices::of_columns(file, RevisitKeys::COLUMNS)
    })? {
        let keys = RevisitKeys::new(&slice?)?;
        let at = |row| CaptureRow {
            archive: number,
            row: first + row,
        };
        found.extend((0..keys.count()).filter_map(|row| look(&keys, row, at(row))));
        first += keys.count();
    }
    Ok(found)
}

/// Returns what a revisit and its original both are: a page, or a site file of one kind.
fn kind_of(keys: &RevisitKeys, row: usize) -> Option<CaptureKind> {
    match CaptureKind::named(keys.kind(row))? {
        CaptureKind::Page => Some(CaptureKind::Page),
        kind => Some(kind.read_as()),
    }
}

fn seconds(at: Option<Timestamp>) -> Option<i64> {
    at.map(|at| at.unix_micros().div_euclid(1_000_000))
}

/// Reads a revisit that has no body of its original yet, and that says which record it may be.
fn revisit(keys: &RevisitKeys, row: usize, at: CaptureRow) -> Option<(Key, Revisit)> {
    let kind =
        kind_of(keys, row).filter(|_| keys.record_type(row) == RecordType::Revisit.as_str())?;
    // A page of any type has the header fields of its original, and READ-21 finds metas in pages of other types.
    let lacks = kind == CaptureKind::Page || keys.unread(row).any(|carrier| carrier == "body");
    lacks.then_some(())?;
    let digest = keys
        .content_digest(row)
        .and_then(|digest| digest_of(digest.as_bytes()));
    let id = keys.refers_to_id(row).flatten().map(str::to_owned);
    (digest.is_some() || id.is_some()).then_some(())?;
    let url = keys
        .refers_to_url(row)
        .flatten()
        .unwrap_or(keys.url(row))
        .to_owned();
    let claim = RevisitClaim {
        id,
        original_s: seconds(keys.refers_to_time(row).flatten()),
        digest,
    };
    Some((
        (kind, url),
        Revisit {
            at,
            claim,
            fetched_s: seconds(keys.fetched_at(row)),
        },
    ))
}

/// Reads a record that may be an original. FRAME-4: a site file is known by digests of the bytes that were read.
fn candidate(keys: &RevisitKeys, row: usize, at: CaptureRow) -> Option<(Key, Candidate)> {
    let kind =
        kind_of(keys, row).filter(|_| keys.record_type(row) == RecordType::Response.as_str())?;
    // A revisit may have the digest of no bytes although its original is not empty.
    let is_of_nothing = keys
        .body_digest(row)
        .is_some_and(|digest| digest_of(digest.as_bytes()).is_none());
    (!is_of_nothing).then_some(())?;
    let stated = keys
        .content_digest(row)
        .filter(|_| kind == CaptureKind::Page);
    let read = keys
        .body_digest(row)
        .into_iter()
        .chain(keys.payload_digests(row).into_iter().flatten());
    let digests = stated
        .into_iter()
        .chain(read)
        .filter_map(|digest| digest_of(digest.as_bytes()))
        .collect();
    let id = keys.id(row).map(str::to_owned);
    let fetched_s = seconds(keys.fetched_at(row));
    Some((
        (kind, keys.url(row).to_owned()),
        Candidate {
            at,
            digests,
            id,
            fetched_s,
        },
    ))
}

/// Reads what some records have for their revisits, and keeps it in the file.
fn contents(
    archives: &[&ArchiveEvidence<'_>],
    places: BTreeSet<CaptureRow>,
    scratch: &Scratch,
) -> io::Result<HashMap<CaptureRow, CandidateContent>> {
    let mut by_archive = HashMap::<usize, Vec<usize>>::new();
    for CaptureRow { archive, row } in places {
        by_archive.entry(archive).or_default().push(row);
    }
    let found = by_archive.par_iter().map(|(number, rows)| {
        let Some(archive) = archives.get(*number) else {
            return Ok(Vec::new());
        };
        let (mut found, mut left) = (Vec::new(), rows.iter());
        for slice in archive.slices(&CAPTURES, |file| Slices::of_rows(file, rows, None))? {
            let captures = Captures::new(&slice?)?;
            for (at, row) in (0..captures.count()).zip(&mut left) {
                found.push((
                    CaptureRow {
                        archive: *number,
                        row: *row,
                    },
                    content(&captures, at, scratch)?,
                ));
            }
        }
        Ok(found)
    });
    Ok(found
        .collect::<io::Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .collect())
}

/// Keeps what a row has for its revisits.
fn content(captures: &Captures, row: usize, scratch: &Scratch) -> io::Result<CandidateContent> {
    let original = Original::from_row(captures, row)?;
    let text = serde_json::to_vec(&original)?;
    let at = scratch.reserve(text.len());
    scratch.write(at, &text)?;
    let stored = StoredOriginal {
        at,
        bytes: text.len(),
        digest: Sha1::digest(&text).into(),
    };
    let is_cut = captures.body_marks(row).iter().any(BodyMark::is_cut);
    let mut body = DefaultHasher::new();
    original.hash_body(&mut body);
    Ok(CandidateContent {
        stored,
        is_cut,
        has_metas: original.has_metas(),
        body: body.finish(),
    })
}
