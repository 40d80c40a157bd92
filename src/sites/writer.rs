//! A stream of hosts as the parts of a site index.
//!
//! Where a row group and a part end depends on the rows alone, so that the same hosts give the same bytes. Both end between
//! hosts: all that is asked about one is in two row groups. A body that several hosts of a part of `bodies` have is there
//! once. Memory: some row groups, and the digests of a part's bodies.

use super::manifest::{
    ARCHIVES_IN_GROUP, ArchivePart, BodyPart, FetchPart, INDEX_FILE, IndexManifest, IndexedCrawl,
};
use super::parts::{FetchRowGroup, PartsWriter};
use super::stream::{BodyDigest, FileBody, HostFiles, HostStream};
use crate::error::Error;
use crate::runs::{Lacking, write_json};
use crate::store::Store;
use crate::tables::site_index::{
    BodyRows, FetchRows, GroupEncoder, INDEX_ARCHIVES, INDEX_FORMAT, IndexPartWriter, IndexedArchive,
    archive_rows,
};
use rayon::ThreadPool;
use sha1::{Digest, Sha1};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

/// Rows of a group of `fetches`: more are only those of its last host.
const GROUP_ROWS: usize = 2048;
/// Bytes of bodies in a group; more are only those of one host. Compressed, they are some 110 KB, which a look-up reads.
const GROUP_BYTES: usize = 896 << 10;
/// Bytes of a part's bodies without compression: its footer has some 50 KB then, which others read, and a part some 10 MB.
const BODY_PART_BYTES: usize = 48 << 20;
/// Bytes of a part's `fetches` without compression, as they are counted here; its footer has some 50 KB, too.
const FETCH_PART_BYTES: usize = 16 << 20;

/// Writes a stream of hosts, which the threads of a pool compress; returns what was written.
pub fn write(
    stream: &mut dyn HostStream,
    store: &dyn Store,
    pool: &ThreadPool,
) -> Result<IndexManifest, Error> {
    let unwritable = |source| Error::OutputUnwritable { location: store.location(), source };
    let mut writer = IndexWriter::new(store, pool).map_err(unwritable)?;
    while let Some(hosts) = stream.next_hosts()? {
        writer.check(&hosts)?;
        writer.add(&hosts).map_err(unwritable)?;
    }
    let manifest = writer.finish(stream.archives()).map_err(unwritable)?;
    write_json(store, INDEX_FILE, &manifest).map_err(unwritable)?;
    Ok(manifest)
}

struct IndexWriter<'s> {
    store: &'s dyn Store,
    parts: PartsWriter<'s>,
    fetches: FetchWriter,
    bodies: BodyWriter,
    hosts: u64,
    captures: u64,
}

/// The part of `fetches` that is being written.
#[derive(Default)]
struct FetchWriter {
    rows: FetchRows,
    group_rows: usize,
    bytes: usize,
    first_host: String,
    last_host: String,
    /// The first bodies of the row groups with the bodies of these rows.
    body_groups: BTreeSet<u64>,
}

/// The part of `bodies` that is being written.
#[derive(Default)]
struct BodyWriter {
    rows: BodyRows,
    group_bytes: usize,
    bytes: usize,
    /// The numbers of the part's bodies, and the first bodies of their row groups.
    numbers: HashMap<BodyDigest, (u64, u64)>,
    /// The first body of the part, of the row group, and the next one.
    first: u64,
    group_first: u64,
    next: u64,
}

impl<'s> IndexWriter<'s> {
    fn new(store: &'s dyn Store, pool: &'s ThreadPool) -> io::Result<Self> {
        let parts = PartsWriter::new(store, pool)?;
        let (fetches, bodies) = (FetchWriter::default(), BodyWriter::default());
        Ok(Self { store, parts, fetches, bodies, hosts: 0, captures: 0 })
    }

    /// Compares the bodies that are new with the digests that an index has for them: by these they are one, and an answer
    /// must never have the body of another.
    fn check(&self, hosts: &HostFiles) -> Result<(), Error> {
        for body in hosts.fetches.iter().filter_map(|(fetch, _)| fetch.body.as_ref()) {
            if let Some(part) = &body.part
                && !self.bodies.numbers.contains_key(&body.digest)
                && *Sha1::digest(&*body.content) != body.digest
            {
                let detail = format!("a body of {} does not have the digest that is beside it", hosts.surt);
                return Err(Error::IndexUnreadable {
                    location: part.to_string(),
                    source: io::Error::other(detail),
                });
            }
        }
        Ok(())
    }

    /// Adds the hosts of one `surt_host_name`.
    fn add(&mut self, hosts: &HostFiles) -> io::Result<()> {
        let fetches = &mut self.fetches;
        if fetches.group_rows == 0 {
            fetches.first_host = hosts.surt.to_string();
        }
        fetches.last_host = hosts.surt.to_string();
        self.hosts += 1;
        let bodies = hosts.fetches.iter().filter_map(|(fetch, _)| fetch.body.as_ref());
        let mut bodies: Vec<&FileBody> = bodies.collect();
        bodies.sort_unstable();
        bodies.dedup();
        let host_bytes: usize = bodies.iter().map(|body| body.content.len()).sum();
        if self.bodies.group_bytes + host_bytes > GROUP_BYTES {
            self.bodies.end_group(&mut self.parts)?;
        }
        for (fetch, seen) in &hosts.fetches {
            let body = match &fetch.body {
                Some(body) => {
                    let bytes = u32::try_from(body.content.len()).map_err(io::Error::other)?;
                    let (number, group) = self.bodies.number(body);
                    fetches.body_groups.insert(group);
                    Some((number, bytes))
                }
                None => None,
            };
            fetches.rows.append(fetch, body, seen);
            fetches.group_rows += 1;
            let texts = [
                Some(&*fetch.host.surt),
                Some(&*fetch.host.name),
                fetch.url.as_deref(),
                fetch.redirect.as_deref(),
            ];
            let texts: usize = texts.into_iter().flatten().map(str::len).sum();
            fetches.bytes += 64 + texts + 12 * seen.len();
            self.captures += seen.len() as u64;
        }
        let (is_full, has_rows) = (fetches.bytes >= FETCH_PART_BYTES, fetches.group_rows >= GROUP_ROWS);
        // The footer of a row group of fetches says where the bodies are, which are written before.
        if is_full || has_rows {
            self.bodies.end_group(&mut self.parts)?;
            self.fetches.end_group(self.bodies.first, &mut self.parts)?;
        }
        if is_full || self.bodies.bytes >= BODY_PART_BYTES {
            self.end_bodies()?;
        }
        if is_full {
            self.fetches.bytes = 0;
            self.parts.end_fetches(std::mem::take(&mut self.fetches.last_host))?;
        }
        Ok(())
    }

    fn end_bodies(&mut self) -> io::Result<()> {
        self.bodies.end_group(&mut self.parts)?;
        let next = self.bodies.next;
        self.bodies = BodyWriter { first: next, group_first: next, next, ..BodyWriter::default() };
        self.parts.end_bodies()
    }

    fn finish(mut self, archives: &[IndexedArchive]) -> io::Result<IndexManifest> {
        self.end_bodies()?;
        self.fetches.end_group(self.bodies.first, &mut self.parts)?;
        self.parts.end_fetches(std::mem::take(&mut self.fetches.last_host))?;
        let (fetches, bodies): (Vec<FetchPart>, Vec<BodyPart>) = self.parts.finish()?;
        Ok(IndexManifest {
            tool: env!("CARGO_PKG_NAME").to_owned(),
            format: INDEX_FORMAT.to_owned(),
            crawls: crawls(archives),
            hosts: self.hosts,
            captures: self.captures,
            archives: archive_part(archives, self.store)?,
            fetches,
            bodies,
        })
    }
}

impl FetchWriter {
    /// Ends the row group; row groups of bodies before `oldest` are needed by no later one.
    fn end_group(&mut self, oldest: u64, parts: &mut PartsWriter<'_>) -> io::Result<()> {
        if self.group_rows == 0 {
            return Ok(());
        }
        self.group_rows = 0;
        parts.add_fetches(FetchRowGroup {
            rows: self.rows.finish()?,
            first_host: std::mem::take(&mut self.first_host),
            bodies: std::mem::take(&mut self.body_groups),
            oldest,
        })
    }
}

impl BodyWriter {
    /// Returns the number of a body, which is added where the part has it not yet, and the first one of its row group.
    fn number(&mut self, body: &FileBody) -> (u64, u64) {
        let FileBody { digest, content, .. } = body;
        let next = self.next;
        let (number, group) = *self.numbers.entry(*digest).or_insert((next, self.group_first));
        if number == next {
            self.rows.append(number, digest, content);
            self.next += 1;
            self.group_bytes += content.len();
            self.bytes += content.len();
        }
        (number, group)
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
    let name = format!("{}.parquet", INDEX_ARCHIVES.folder);
    let file = store.create(&name)?;
    let mut part = IndexPartWriter::new(&INDEX_ARCHIVES, name, file)?;
    let encoder = GroupEncoder::new(&INDEX_ARCHIVES)?;
    let mut groups = Vec::new();
    for (first, some) in (0..).step_by(ARCHIVES_IN_GROUP).zip(archives.chunks(ARCHIVES_IN_GROUP)) {
        groups.push(part.append(encoder.encode(&archive_rows(first, some)?)?, None)?);
    }
    Ok(ArchivePart { part: part.commit()?, groups })
}

/// Returns how complete each crawl is.
fn crawls(archives: &[IndexedArchive]) -> Vec<IndexedCrawl> {
    let mut crawls = BTreeMap::<&str, Lacking>::new();
    for archive in archives {
        let lacking = crawls.entry(&archive.crawl).or_default();
        lacking.add(&archive.warc_filename, &archive.outcome, archive.records_lost);
    }
    let crawl = |(crawl, lacking): (&str, Lacking)| IndexedCrawl {
        crawl: crawl.to_owned(),
        archives_read: lacking.archives - lacking.failed,
        archives_cut: lacking.cut,
        archives_failed: lacking.failed,
        records_lost: lacking.records_lost,
    };
    crawls.into_iter().map(crawl).collect()
}
