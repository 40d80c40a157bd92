//! A stream of hosts as the parts of a site index.
//!
//! Where a row group and a part end depends on the rows alone, so that the same hosts give the same bytes. Both end between
//! hosts: all that is asked about one is in two row groups. A body that several hosts of a part of `bodies` have is there
//! once. Memory: a row group of each table, and the digests of a part's bodies.

use super::manifest::{BodyPart, FetchPart, INDEX_FILE, IndexManifest, IndexedCrawl};
use super::stream::{BodyDigest, HostFiles, HostStream};
use crate::error::Error;
use crate::runs::write_json;
use crate::store::Store;
use crate::tables::Footer;
use crate::tables::Table;
use crate::tables::archives::Outcome;
use crate::tables::site_index::{
    BODIES, BodyRows, FETCHES, FetchRows, INDEX_ARCHIVES, INDEX_FORMAT, IndexPart, IndexPartWriter,
    IndexedArchive, archive_rows,
};
use std::collections::{BTreeMap, HashMap};
use std::io;

/// Rows of a group of `fetches`: more are only those of its last host.
const GROUP_ROWS: usize = 4096;
/// Bytes of bodies in a group, but for what its last host has more.
const GROUP_BYTES: usize = 256 << 10;
/// Bytes of a part's bodies without compression: a look-up reads the footer, which has some 50 KB then, and a part some 10 MB.
const BODY_PART_BYTES: usize = 48 << 20;
/// Bytes of a part's `fetches` without compression, as they are counted here; its footer has some 50 KB, too.
const FETCH_PART_BYTES: usize = 16 << 20;

/// Writes a stream of hosts; returns what was written.
///
/// # Errors
/// Why the stream cannot be read, or the store cannot be written.
pub fn write(stream: &mut dyn HostStream, store: &dyn Store) -> Result<IndexManifest, Error> {
    let unwritable = |source| Error::OutputUnwritable { location: store.location(), source };
    let mut writer = IndexWriter::new(store);
    while let Some(hosts) = stream.next_hosts()? {
        writer.add(&hosts).map_err(unwritable)?;
    }
    let manifest = writer.finish(stream.archives()).map_err(unwritable)?;
    write_json(store, INDEX_FILE, &manifest).map_err(unwritable)?;
    Ok(manifest)
}

struct IndexWriter<'s> {
    store: &'s dyn Store,
    fetches: FetchWriter,
    bodies: BodyWriter,
    manifest: IndexManifest,
}

/// The part of `fetches` that is being written.
#[derive(Default)]
struct FetchWriter {
    part: Option<IndexPartWriter>,
    rows: FetchRows,
    group_rows: usize,
    bytes: usize,
    done: FetchPart,
}

/// The part of `bodies` that is being written.
#[derive(Default)]
struct BodyWriter {
    part: Option<IndexPartWriter>,
    rows: BodyRows,
    group_bytes: usize,
    bytes: usize,
    /// The numbers of the part's bodies.
    numbers: HashMap<BodyDigest, u64>,
    first: u64,
    next: u64,
}

impl<'s> IndexWriter<'s> {
    fn new(store: &'s dyn Store) -> Self {
        let manifest = IndexManifest {
            tool: env!("CARGO_PKG_NAME").to_owned(),
            format: INDEX_FORMAT.to_owned(),
            crawls: Vec::new(),
            hosts: 0,
            captures: 0,
            archives: IndexPart::default(),
            fetches: Vec::new(),
            bodies: Vec::new(),
        };
        Self { store, fetches: FetchWriter::default(), bodies: BodyWriter::default(), manifest }
    }

    /// Adds the hosts of one `surt_host_name`.
    fn add(&mut self, hosts: &HostFiles) -> io::Result<()> {
        if self.fetches.group_rows == 0 {
            self.fetches.done.first_hosts.push(hosts.surt.to_string());
        }
        self.fetches.done.last_host = hosts.surt.to_string();
        self.manifest.hosts += 1;
        for (fetch, seen) in &hosts.fetches {
            let body = match fetch.body.and_then(|digest| Some((digest, hosts.bodies.get(&digest)?))) {
                Some((digest, content)) => {
                    let bytes = u32::try_from(content.len()).map_err(io::Error::other)?;
                    Some((self.bodies.number(digest, content), bytes))
                }
                None => None,
            };
            self.fetches.rows.append(&fetch.with_body(body), seen);
            self.fetches.group_rows += 1;
            let texts =
                [Some(&fetch.host.surt), Some(&fetch.host.name), fetch.url.as_ref(), fetch.redirect.as_ref()];
            let texts: usize = texts.into_iter().flatten().map(|text| text.len()).sum();
            self.fetches.bytes += 64 + texts + 12 * seen.len();
            self.manifest.captures += seen.len() as u64;
        }
        if self.bodies.group_bytes >= GROUP_BYTES {
            self.bodies.end_group(self.store, self.manifest.bodies.len())?;
        }
        if self.fetches.group_rows >= GROUP_ROWS {
            self.fetches.end_group(self.store, self.manifest.fetches.len())?;
        }
        let is_full = self.fetches.bytes >= FETCH_PART_BYTES;
        if is_full || self.bodies.bytes >= BODY_PART_BYTES {
            self.end_bodies()?;
        }
        if is_full { self.end_fetches() } else { Ok(()) }
    }

    fn end_bodies(&mut self) -> io::Result<()> {
        let place = self.manifest.bodies.len();
        self.bodies.end_group(self.store, place)?;
        let BodyWriter { part, first, next, .. } = std::mem::take(&mut self.bodies);
        (self.bodies.first, self.bodies.next) = (next, next);
        if let Some(part) = part {
            self.manifest.bodies.push(BodyPart { part: part.commit()?, first_body: first });
        }
        Ok(())
    }

    fn end_fetches(&mut self) -> io::Result<()> {
        let place = self.manifest.fetches.len();
        self.fetches.end_group(self.store, place)?;
        let FetchWriter { part, done, .. } = std::mem::take(&mut self.fetches);
        if let Some(part) = part {
            self.manifest.fetches.push(FetchPart { part: part.commit()?, ..done });
        }
        Ok(())
    }

    fn finish(mut self, archives: &[IndexedArchive]) -> io::Result<IndexManifest> {
        self.end_bodies()?;
        self.end_fetches()?;
        let mut part = new_part(&INDEX_ARCHIVES, self.store, format!("{}.parquet", INDEX_ARCHIVES.folder))?;
        part.write_group(&archive_rows(archives)?)?;
        self.manifest.archives = part.commit()?;
        self.manifest.crawls = crawls(archives);
        Ok(self.manifest)
    }
}

impl FetchWriter {
    fn end_group(&mut self, store: &dyn Store, place: usize) -> io::Result<()> {
        if self.group_rows == 0 {
            return Ok(());
        }
        self.group_rows = 0;
        open_part(&mut self.part, &FETCHES, store, place)?.write_group(&self.rows.finish()?)
    }
}

impl BodyWriter {
    /// Returns the number of a body, which is added where the part has it not yet.
    fn number(&mut self, digest: BodyDigest, content: &[u8]) -> u64 {
        let next = self.next;
        let number = *self.numbers.entry(digest).or_insert(next);
        if number == next {
            self.rows.append(number, &digest, content);
            self.next += 1;
            self.group_bytes += content.len();
            self.bytes += content.len();
        }
        number
    }

    fn end_group(&mut self, store: &dyn Store, place: usize) -> io::Result<()> {
        let rows = self.rows.finish()?;
        self.group_bytes = 0;
        if rows.num_rows() == 0 {
            return Ok(());
        }
        open_part(&mut self.part, &BODIES, store, place)?.write_group(&rows)
    }
}

/// Returns the part that is being written, which begins with its first group.
fn open_part<'p>(
    part: &'p mut Option<IndexPartWriter>,
    table: &Table,
    store: &dyn Store,
    place: usize,
) -> io::Result<&'p mut IndexPartWriter> {
    let open = match part.take() {
        Some(open) => open,
        None => new_part(table, store, format!("{}/part-{place:05}.parquet", table.folder))?,
    };
    Ok(part.insert(open))
}

fn new_part(table: &Table, store: &dyn Store, name: String) -> io::Result<IndexPartWriter> {
    let file = store.create(&name)?;
    IndexPartWriter::new(table, &Footer::new(), name, file)
}

/// Returns how complete each crawl is.
fn crawls(archives: &[IndexedArchive]) -> Vec<IndexedCrawl> {
    let mut crawls = BTreeMap::<&str, IndexedCrawl>::new();
    for archive in archives {
        let crawl = crawls.entry(&archive.crawl).or_default();
        crawl.crawl.clone_from(&archive.crawl);
        let is_cut = archive.outcome == Outcome::Cut.as_str();
        if archive.fingerprint.is_none() {
            crawl.archives_failed += 1;
            continue;
        }
        crawl.archives_read += 1;
        crawl.archives_damaged += u64::from(is_cut || archive.failures > 0);
    }
    crawls.into_values().collect()
}
