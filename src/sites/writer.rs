//! A stream of answers as the parts of a site index.
//!
//! Where row groups and parts end depends on the rows alone, so that the same answers give the same bytes. Both end between hosts if
//! they can, so that the data of one host is in two row groups; only a very large host is divided. A body of several hosts appears
//! once in a part of `bodies`. Memory: some row groups, the digests of a part's bodies, and one answer, however large a site is.

use super::manifest::{
    ARCHIVES_IN_GROUP, ArchivePart, FetchGroup, HostKey, IndexManifest, IndexedCrawl,
};
use super::parts::PartsWriter;
use super::stream::{AnswerStream, BodyDigest, IndexedBody, SeenFetch};
use crate::archive::CrawlId;
use crate::error::Error;
use crate::runs::Lacking;
use crate::store::Store;
use crate::tables::Rows;
use crate::tables::site_index::{
    BODIES, FETCHES, GroupEncoder, INDEX_ARCHIVES, INDEX_FORMAT, IndexPartWriter, IndexedArchive,
    SiteFetch, SiteHost, append_body, append_fetch, archive_rows,
};
use rayon::ThreadPool;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

/// A group of `fetches` ends after the last host with its `surt_host_name` if it has this many rows, or this many bytes as
/// counted here; the larger limits end it inside a host.
const GROUP_ROWS: usize = 2048;
const MOST_GROUP_ROWS: usize = 8192;
const FETCH_GROUP_BYTES: usize = 1 << 20;
const MOST_FETCH_GROUP_BYTES: usize = 4 << 20;
/// An answer with more captures has several rows.
const ROW_CAPTURES: usize = 1 << 16;
/// Bytes of bodies in a group (about 110 KB compressed, read by a look-up). A nearly full group ends before the next host.
const GROUP_BYTES: usize = 896 << 10;
const NEARLY_GROUP_BYTES: usize = GROUP_BYTES / 8 * 7;
/// Uncompressed bytes of a part's bodies: its footer, which other tools read, then has about 50 KB, and the part about 10 MB.
const BODY_PART_BYTES: usize = 48 << 20;
/// The memory per body of the part, beside its bytes.
const BODY_OVERHEAD: usize = 64;
/// Uncompressed bytes of a part's `fetches`, as counted here; its footer also has about 50 KB.
const FETCH_PART_BYTES: usize = 16 << 20;

/// Writes the parts of a stream of answers, which the threads of a pool compress; returns the content for `_index.json`.
/// `go_on` gets the number of captures written since its last call.
pub fn write(
    stream: AnswerStream<'_>,
    store: &dyn Store,
    pool: &ThreadPool,
    go_on: &dyn Fn(u64) -> io::Result<()>,
) -> Result<IndexManifest, Error> {
    let unwritable = |source| Error::OutputUnwritable {
        location: store.location(),
        source,
    };
    let mut writer = IndexWriter::new(store, pool).map_err(unwritable)?;
    for answer in stream.answers {
        let (fetch, seen) = answer?;
        go_on(seen.len() as u64).map_err(unwritable)?;
        writer.begin(&fetch.host).map_err(unwritable)?;
        let body = fetch
            .body
            .as_ref()
            .map(|body| writer.body(body, &fetch.host))
            .transpose()?;
        writer.add(&(fetch, seen), body).map_err(unwritable)?;
    }
    writer.finish(&stream.archives).map_err(unwritable)
}

struct IndexWriter<'s> {
    store: &'s dyn Store,
    parts: PartsWriter<'s>,
    fetches: FetchWriter,
    bodies: BodyWriter,
    hosts: u64,
    captures: u64,
}

struct FetchWriter {
    rows: Rows,
    group_rows: usize,
    group_bytes: usize,
    part_bytes: usize,
    /// The row group, which has no place yet.
    group: FetchGroup,
    last: Option<SiteHost>,
    /// The first body of each row group that has bodies of these rows.
    body_groups: BTreeSet<u64>,
}

struct BodyWriter {
    rows: Rows,
    group_bytes: usize,
    bytes: usize,
    known: HashMap<BodyDigest, WrittenBody>,
    /// The first body of the part, the first of the row group, and the next one.
    first: u64,
    group_first: u64,
    next: u64,
}

/// A body of the part: its number, the number of the first one of its row group, and its length.
#[derive(Clone, Copy)]
struct WrittenBody {
    number: u64,
    group: u64,
    bytes: u32,
}

impl<'s> IndexWriter<'s> {
    fn new(store: &'s dyn Store, pool: &'s ThreadPool) -> io::Result<Self> {
        let parts = PartsWriter::new(store, pool)?;
        let fetches = FetchWriter {
            rows: Rows::new(&FETCHES),
            group_rows: 0,
            group_bytes: 0,
            part_bytes: 0,
            group: FetchGroup::default(),
            last: None,
            body_groups: BTreeSet::new(),
        };
        Ok(Self {
            store,
            parts,
            fetches,
            bodies: BodyWriter::new(0),
            hosts: 0,
            captures: 0,
        })
    }

    /// Prepares for an answer of a host: ends whatever is full.
    fn begin(&mut self, host: &SiteHost) -> io::Result<()> {
        let last = self.fetches.last.as_ref();
        let is_new = last.is_none_or(|last| last != host);
        if is_new {
            self.hosts += 1;
            if self.bodies.group_bytes >= NEARLY_GROUP_BYTES {
                self.bodies.end_group(&mut self.parts)?;
            }
        }
        let is_between = last.is_none_or(|last| last.surt != host.surt);
        if self.fetches.is_full(is_between) {
            self.end_fetch_group()?;
        }
        if self.bodies.bytes >= BODY_PART_BYTES {
            self.end_bodies()?;
        }
        if self.fetches.group_rows == 0 {
            let group = &mut self.fetches.group;
            (group.first, group.is_continued) = (host_key(host), !is_new);
        }
        if is_new {
            self.fetches.last = Some(host.clone());
        }
        Ok(())
    }

    /// Returns the place of a body, which is added if the part does not have it yet.
    fn body(&mut self, body: &IndexedBody, host: &SiteHost) -> Result<WrittenBody, Error> {
        if let Some(known) = self.bodies.known.get(&body.digest) {
            return Ok(*known);
        }
        let added = self
            .bodies
            .add(&body.digest, &body.content(&host.surt)?, &mut self.parts);
        added.map_err(|source| Error::OutputUnwritable {
            location: self.store.location(),
            source,
        })
    }

    fn add(&mut self, (fetch, seen): &SeenFetch, body: Option<WrittenBody>) -> io::Result<()> {
        let SiteFetch {
            host,
            url,
            redirect,
            ..
        } = fetch;
        let texts = [
            Some(&*host.surt),
            Some(&*host.name),
            url.as_deref(),
            redirect.as_deref(),
        ];
        let texts: usize = texts.into_iter().flatten().map(str::len).sum();
        let rows = seen
            .chunks(ROW_CAPTURES)
            .chain(seen.is_empty().then_some(&[][..]));
        for (number, seen) in rows.enumerate() {
            if number > 0 {
                self.begin(host)?;
            }
            let fetches = &mut self.fetches;
            fetches.body_groups.extend(body.map(|body| body.group));
            append_fetch(
                &mut fetches.rows,
                fetch,
                body.map(|body| (body.number, body.bytes)),
                seen,
            );
            fetches.group_rows += 1;
            fetches.group_bytes += 64 + texts + 12 * seen.len();
            self.captures += seen.len() as u64;
        }
        Ok(())
    }

    /// Ends the row group of fetches. Its footer has the places of the bodies, so these are written before.
    fn end_fetch_group(&mut self) -> io::Result<()> {
        self.bodies.end_group(&mut self.parts)?;
        self.fetches.end_group(self.bodies.first, &mut self.parts)?;
        if self.fetches.part_bytes >= FETCH_PART_BYTES {
            self.end_bodies()?;
            self.end_fetches()?;
        }
        Ok(())
    }

    fn end_fetches(&mut self) -> io::Result<()> {
        self.fetches.part_bytes = 0;
        self.parts
            .end_fetches(self.fetches.last.as_ref().map(host_key).unwrap_or_default())
    }

    fn end_bodies(&mut self) -> io::Result<()> {
        self.bodies.end_group(&mut self.parts)?;
        self.bodies = BodyWriter::new(self.bodies.next);
        self.parts.end_bodies()
    }

    fn finish(mut self, archives: &[IndexedArchive]) -> io::Result<IndexManifest> {
        self.bodies.end_group(&mut self.parts)?;
        self.fetches.end_group(self.bodies.first, &mut self.parts)?;
        self.end_bodies()?;
        self.end_fetches()?;
        let (fetches, bodies) = self.parts.finish()?;
        Ok(IndexManifest {
            tool: env!("CARGO_PKG_NAME").to_owned(),
            format: INDEX_FORMAT.to_owned(),
            crawls: crawls(archives),
            hosts: self.hosts,
            captures: self.captures,
            archives: archive_part(archives, self.store)?,
            fetches,
            bodies,
            differing: BTreeSet::new(),
        })
    }
}

impl FetchWriter {
    /// Returns whether the row group ends here; `is_between`: between two hosts with different `surt_host_name`.
    fn is_full(&self, is_between: bool) -> bool {
        let of_any =
            self.group_rows >= MOST_GROUP_ROWS || self.group_bytes >= MOST_FETCH_GROUP_BYTES;
        of_any
            || is_between
                && (self.group_rows >= GROUP_ROWS || self.group_bytes >= FETCH_GROUP_BYTES)
    }

    /// Ends the row group; no later one needs row groups of bodies before `oldest`.
    fn end_group(&mut self, oldest: u64, parts: &mut PartsWriter<'_>) -> io::Result<()> {
        if self.group_rows == 0 {
            return Ok(());
        }
        self.group_rows = 0;
        self.part_bytes += std::mem::take(&mut self.group_bytes);
        let (group, bodies) = (
            std::mem::take(&mut self.group),
            std::mem::take(&mut self.body_groups),
        );
        parts.add_fetches(self.rows.finish()?, group, bodies, oldest)
    }
}

fn host_key(host: &SiteHost) -> HostKey {
    (host.surt.to_string(), host.name.to_string())
}

impl BodyWriter {
    fn new(first: u64) -> Self {
        let (rows, known) = (Rows::new(&BODIES), HashMap::new());
        Self {
            rows,
            group_bytes: 0,
            bytes: 0,
            known,
            first,
            group_first: first,
            next: first,
        }
    }

    /// Adds a body that the part does not have yet.
    fn add(
        &mut self,
        digest: &BodyDigest,
        content: &[u8],
        parts: &mut PartsWriter<'_>,
    ) -> io::Result<WrittenBody> {
        if self.group_bytes + content.len() > GROUP_BYTES {
            self.end_group(parts)?;
        }
        let bytes = u32::try_from(content.len()).map_err(io::Error::other)?;
        let added = WrittenBody {
            number: self.next,
            group: self.group_first,
            bytes,
        };
        self.known.insert(*digest, added);
        append_body(self.rows.row(), self.next, digest, content);
        self.next += 1;
        self.group_bytes += content.len() + BODY_OVERHEAD;
        self.bytes += content.len() + BODY_OVERHEAD;
        Ok(added)
    }

    fn end_group(&mut self, parts: &mut PartsWriter<'_>) -> io::Result<()> {
        if self.next == self.group_first {
            return Ok(());
        }
        let first = std::mem::replace(&mut self.group_first, self.next);
        self.group_bytes = 0;
        parts.add_bodies(first, self.rows.finish()?)
    }
}

fn archive_part(archives: &[IndexedArchive], store: &dyn Store) -> io::Result<ArchivePart> {
    let mut part = IndexPartWriter::new(&INDEX_ARCHIVES)?;
    let encoder = GroupEncoder::new(&INDEX_ARCHIVES)?;
    let mut groups = Vec::new();
    for (first, some) in (0..)
        .step_by(ARCHIVES_IN_GROUP)
        .zip(archives.chunks(ARCHIVES_IN_GROUP))
    {
        groups.push(part.append(encoder.encode(&archive_rows(first, some)?)?, None)?);
    }
    Ok(ArchivePart {
        part: part.commit(store)?,
        groups,
    })
}

pub fn crawls(archives: &[IndexedArchive]) -> Vec<IndexedCrawl> {
    let mut crawls = BTreeMap::<&CrawlId, Lacking>::new();
    for archive in archives {
        let lacking = crawls.entry(&archive.crawl).or_default();
        lacking.add(
            &archive.warc_filename,
            &archive.outcome,
            archive.records_lost,
        );
    }
    let crawl = |(crawl, lacking): (&CrawlId, Lacking)| IndexedCrawl {
        crawl: crawl.clone(),
        archives_read: lacking.archives - lacking.failed,
        archives_cut: lacking.cut,
        archives_failed: lacking.failed,
        records_lost: lacking.records_lost,
    };
    crawls.into_iter().map(crawl).collect()
}
