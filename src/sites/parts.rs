//! The parts of a site index being written: several threads compress row groups, which are written in order.
//!
//! The bytes do not depend on the threads. Memory: the row groups that are compressed at once.

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

/// Compresses row groups, which become parts in the order in which they were added.
pub struct PartsWriter<'s> {
    pool: &'s ThreadPool,
    encoders: [Arc<GroupEncoder>; 2],
    waiting: VecDeque<PartStep>,
    parts: Parts<'s>,
}

/// What is done once everything before it is written.
type PartStep = Box<dyn FnOnce(&mut Parts<'_>) -> io::Result<()>>;

struct Parts<'s> {
    store: &'s dyn Store,
    body_groups: BodyGroups,
    fetch_part: Option<(IndexPartWriter, Vec<FetchGroup>)>,
    body_part: Option<(IndexPartWriter, u64)>,
    fetches: Vec<FetchPart>,
    bodies: Vec<BodyPart>,
}

type Encoding = Receiver<io::Result<EncodedGroup>>;

impl<'s> PartsWriter<'s> {
    pub fn new(store: &'s dyn Store, pool: &'s ThreadPool) -> io::Result<Self> {
        let encoders = [
            Arc::new(GroupEncoder::new(&FETCHES)?),
            Arc::new(GroupEncoder::new(&BODIES)?),
        ];
        let (body_groups, fetches, bodies) = (BodyGroups::default(), Vec::new(), Vec::new());
        let parts = Parts {
            store,
            body_groups,
            fetch_part: None,
            body_part: None,
            fetches,
            bodies,
        };
        Ok(Self {
            pool,
            encoders,
            waiting: VecDeque::new(),
            parts,
        })
    }

    /// Adds a row group of bodies; the first body has the number `first`.
    pub fn add_bodies(&mut self, first: u64, rows: RecordBatch) -> io::Result<()> {
        let [_, encoder] = &self.encoders;
        let (count, group) = (
            rows.num_rows() as u64,
            self.encoding(Arc::clone(encoder), rows),
        );
        self.then(move |parts| {
            let (part, _) = match &mut parts.body_part {
                Some(part) => part,
                none => none.insert((IndexPartWriter::new(&BODIES)?, first)),
            };
            let range = part.append(encoded(&group)?, None)?;
            let place = parts.bodies.len();
            parts.body_groups.0.insert(
                first,
                BodyGroup {
                    rows: count,
                    part: place,
                    range,
                },
            );
            Ok(())
        })
    }

    /// Adds a row group of fetches, which will have a place. Its bodies were added before: `bodies` has the first one of each row
    /// group with some of them. No later row group needs row groups of bodies before `oldest`.
    pub fn add_fetches(
        &mut self,
        rows: RecordBatch,
        group: FetchGroup,
        bodies: BTreeSet<u64>,
        oldest: u64,
    ) -> io::Result<()> {
        let [encoder, _] = &self.encoders;
        let encoding = self.encoding(Arc::clone(encoder), rows);
        self.then(move |parts| {
            let (part, groups) = match &mut parts.fetch_part {
                Some(part) => part,
                none => none.insert((IndexPartWriter::new(&FETCHES)?, Vec::new())),
            };
            let range = part.append(encoded(&encoding)?, Some(parts.body_groups.list(bodies)))?;
            groups.push(FetchGroup { range, ..group });
            parts.body_groups.0 = parts.body_groups.0.split_off(&oldest);
            Ok(())
        })
    }

    pub fn end_bodies(&mut self) -> io::Result<()> {
        self.then(|parts| {
            if let Some((part, first_body)) = parts.body_part.take() {
                parts.bodies.push(BodyPart {
                    part: part.commit(parts.store)?,
                    first_body,
                });
            }
            Ok(())
        })
    }

    pub fn end_fetches(&mut self, last: HostKey) -> io::Result<()> {
        self.then(|parts| {
            if let Some((part, groups)) = parts.fetch_part.take() {
                parts.fetches.push(FetchPart {
                    part: part.commit(parts.store)?,
                    groups,
                    last,
                });
            }
            Ok(())
        })
    }

    pub fn finish(mut self) -> io::Result<(Vec<FetchPart>, Vec<BodyPart>)> {
        self.waiting
            .into_iter()
            .try_for_each(|step| step(&mut self.parts))?;
        Ok((self.parts.fetches, self.parts.bodies))
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

    fn then(
        &mut self,
        next: impl FnOnce(&mut Parts<'_>) -> io::Result<()> + 'static,
    ) -> io::Result<()> {
        self.waiting.push_back(Box::new(next));
        while self.waiting.len() > 2 * self.pool.current_num_threads()
            && let Some(step) = self.waiting.pop_front()
        {
            step(&mut self.parts)?;
        }
        Ok(())
    }
}

fn encoded(group: &Encoding) -> io::Result<EncodedGroup> {
    group.recv().map_err(io::Error::other)?
}
