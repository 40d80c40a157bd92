//! The parts of a site index being written: several threads compress row groups, which are written in order.
//!
//! The bytes do not depend on the threads. Memory: the row groups that are compressed at once. Left out: which rows are in
//! which row group (`writer`).

use super::manifest::{BodyPart, FetchGroup, FetchPart, HostKey};
use crate::store::Store;
use crate::tables::site_index::{
    BODIES, BodyGroup, BodyGroups, EncodedGroup, FETCHES, GroupEncoder, IndexPartWriter,
};
use arrow_array::RecordBatch;
use rayon::ThreadPool;
use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

pub struct FetchRowGroup {
    pub rows: RecordBatch,
    pub first: HostKey,
    /// Whether the previous row group also has rows of that host.
    pub is_continued: bool,
    /// The first body of each row group that has bodies of these rows.
    pub bodies: BTreeSet<u64>,
    /// No later row group needs row groups of bodies before this one.
    pub oldest: u64,
}

/// The parts that are being written.
pub struct PartsWriter<'s> {
    store: &'s dyn Store,
    pool: &'s ThreadPool,
    encoders: [Arc<GroupEncoder>; 2],
    waiting: VecDeque<PartStep>,
    body_groups: BodyGroups,
    fetch_part: Option<(IndexPartWriter, Vec<FetchGroup>)>,
    body_part: Option<(IndexPartWriter, u64)>,
    fetches: Vec<FetchPart>,
    bodies: Vec<BodyPart>,
}

/// A row group that a thread compresses.
type Encoding = Receiver<io::Result<EncodedGroup>>;

enum PartStep {
    Bodies { group: Encoding, first: u64, rows: u64 },
    Fetches { group: Encoding, first: HostKey, is_continued: bool, bodies: BTreeSet<u64>, oldest: u64 },
    EndBodies,
    EndFetches { last: HostKey },
}

impl<'s> PartsWriter<'s> {
    pub fn new(store: &'s dyn Store, pool: &'s ThreadPool) -> io::Result<Self> {
        Ok(Self {
            store,
            pool,
            encoders: [Arc::new(GroupEncoder::new(&FETCHES)?), Arc::new(GroupEncoder::new(&BODIES)?)],
            waiting: VecDeque::new(),
            body_groups: BodyGroups::default(),
            fetch_part: None,
            body_part: None,
            fetches: Vec::new(),
            bodies: Vec::new(),
        })
    }

    /// Adds a row group of bodies, the first of which has the number `first`.
    pub fn add_bodies(&mut self, first: u64, rows: RecordBatch) -> io::Result<()> {
        let [_, encoder] = &self.encoders;
        let (count, group) = (rows.num_rows() as u64, self.encoding(Arc::clone(encoder), rows));
        self.then(PartStep::Bodies { group, first, rows: count })
    }

    /// Adds a row group of fetches, whose bodies were added before.
    pub fn add_fetches(&mut self, group: FetchRowGroup) -> io::Result<()> {
        let FetchRowGroup { rows, first, is_continued, bodies, oldest } = group;
        let [encoder, _] = &self.encoders;
        let group = self.encoding(Arc::clone(encoder), rows);
        self.then(PartStep::Fetches { group, first, is_continued, bodies, oldest })
    }

    pub fn end_bodies(&mut self) -> io::Result<()> {
        self.then(PartStep::EndBodies)
    }

    pub fn end_fetches(&mut self, last: HostKey) -> io::Result<()> {
        self.then(PartStep::EndFetches { last })
    }

    /// Writes the rest; returns the parts.
    pub fn finish(mut self) -> io::Result<(Vec<FetchPart>, Vec<BodyPart>)> {
        while let Some(next) = self.waiting.pop_front() {
            self.write(next)?;
        }
        Ok((self.fetches, self.bodies))
    }

    /// Lets a thread of the pool compress a row group; if it has only one, this thread does so.
    fn encoding(&self, encoder: Arc<GroupEncoder>, rows: RecordBatch) -> Encoding {
        let (done, group) = sync_channel(1);
        let encode = move || {
            // No receiver waits if writing failed.
            let _ = done.send(encoder.encode(&rows));
        };
        if self.pool.current_num_threads() > 1 {
            self.pool.spawn_fifo(encode);
        } else {
            encode();
        }
        group
    }

    fn then(&mut self, next: PartStep) -> io::Result<()> {
        self.waiting.push_back(next);
        while self.waiting.len() > 2 * self.pool.current_num_threads() {
            let Some(next) = self.waiting.pop_front() else { break };
            self.write(next)?;
        }
        Ok(())
    }

    fn write(&mut self, next: PartStep) -> io::Result<()> {
        match next {
            PartStep::Bodies { group, first, rows } => {
                let place = self.bodies.len();
                let (part, _) = match &mut self.body_part {
                    Some(part) => part,
                    none => none.insert((IndexPartWriter::new(&BODIES)?, first)),
                };
                let range = part.append(encoded(&group)?, None)?;
                self.body_groups.0.insert(first, BodyGroup { rows, part: place, range });
            }
            PartStep::Fetches { group, first, is_continued, bodies, oldest } => {
                let (part, groups) = match &mut self.fetch_part {
                    Some(part) => part,
                    none => none.insert((IndexPartWriter::new(&FETCHES)?, Vec::new())),
                };
                let range = part.append(encoded(&group)?, Some(self.body_groups.list(bodies)))?;
                groups.push(FetchGroup { first, is_continued, range });
                self.body_groups.0 = self.body_groups.0.split_off(&oldest);
            }
            PartStep::EndBodies => {
                if let Some((part, first_body)) = self.body_part.take() {
                    self.bodies.push(BodyPart { part: part.commit(self.store)?, first_body });
                }
            }
            PartStep::EndFetches { last } => {
                if let Some((part, groups)) = self.fetch_part.take() {
                    self.fetches.push(FetchPart { part: part.commit(self.store)?, groups, last });
                }
            }
        }
        Ok(())
    }
}

fn encoded(group: &Encoding) -> io::Result<EncodedGroup> {
    group.recv().map_err(io::Error::other)?
}
