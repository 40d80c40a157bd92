//! Files of documents, judged: every row comes out once, in its order, with the columns of its verdict behind its own.
//!
//! Each worker reads the documents of files until its share of memory is full; all that were read are judged together,
//! site by site; then each worker writes their rows. A file that cannot be read is left out, and the others go on. An
//! output is there when it is whole, or not at all.

mod columns;
mod cost;
mod cost_files;
mod dialect;
mod dropped;
mod fault;
mod input;
mod line_output;
mod line_reader;
mod lines;
mod list;
mod long_line;
mod mask;
mod members;
mod names;
mod parquet;
mod parquet_output;
mod parquet_pieces;
mod site_costs;
mod sorter;
mod state;

pub use cost::{Amount, Costs};
pub use dialect::{DIALECTS, Dialect, DocumentNames};
pub use fault::FileFault;
pub use input::{Codec, DocumentsFile, Format};
pub use list::list;
pub use names::ColumnNames;
pub use parquet::documents_of;
use parquet::parquet_schema;
pub use site_costs::SiteCost;
pub use sorter::Counts;
pub use state::{JudgeCall, fingerprint};

use super::at::newest;
use super::columns::CellContext;
use super::documents::Documents;
use super::verdict::Verdict;
use super::{Added, At, Judge, Policy, PolicyRule};
use crate::error::Error;
use crate::runs::{Existing, Fingerprint, Identity};
use crate::store::{Store, StoreFile};
use input::{End, FileKind, Input, OutputFiles, Writing, kind};
use lines::{LineKind, LinesInput};
use mask::{MaskInput, Nowhere};
use parquet::ParquetInput;
use rayon::prelude::*;
use site_costs::SiteCosts;
use sorter::Sorter;
use state::{Done, Judgement, claim, identify, sites_file};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// How files of documents are judged.
#[derive(Clone, Debug)]
pub struct FilesOptions {
    /// What their columns are called.
    pub names: DocumentNames,
    /// What the columns are called that are added.
    pub added: Added,
    /// Whether lists of URLs, which have no dates, are judged by the newest files instead of at their dates.
    pub urls_are_newest: bool,
    /// What to do with the outputs of another call.
    pub existing: Existing,
    /// Which documents are kept; `None`: all.
    pub policy: Option<Policy>,
    /// The format that the outputs must have; `None`: that of their files.
    pub format: Option<Format>,
    /// Whether the output is a mask with a line for each document, so compressed, instead of the documents.
    pub mask: Option<Codec>,
    /// What the output folder says of this call.
    pub call: JudgeCall,
}

/// Where the outputs go.
pub enum Outputs<'o> {
    /// To a folder, each under its file's name; and what is dropped to another one, where that is wanted.
    Folder(&'o dyn Store, Option<&'o dyn Store>),
    /// To a stream, that of one file.
    Stream(&'o (dyn Fn() -> io::Result<Box<dyn StoreFile>> + Sync)),
}

/// What came of files of documents.
#[derive(Debug, Default)]
pub struct FilesTally {
    /// The files that were judged now.
    pub judged: usize,
    /// Those that an earlier call has judged.
    pub known: usize,
    /// Those that could not be, with the reasons.
    pub failed: Vec<(String, String)>,
    /// How many of those that were judged now are of each dialect.
    pub dialects: BTreeMap<&'static str, usize>,
    /// What was counted over both.
    pub counts: Counts,
    /// The sites that lose most by the policy.
    pub sites: Vec<SiteCost>,
    /// How many sites there are.
    pub site_count: u64,
    /// The names of the outputs.
    done: Vec<String>,
}

/// Judges files of documents.
///
/// # Errors
/// Why nothing can go on; a file that cannot be read is in the tally.
pub fn judge_files(
    judge: &Judge,
    files: &[DocumentsFile],
    outputs: &Outputs<'_>,
    options: &FilesOptions,
) -> Result<FilesTally, Error> {
    if let Outputs::Folder(store, dropped) = outputs {
        let (policy, identity) = (options.policy.as_ref(), identity(judge, options)?);
        let judgement = Judgement::of(&identity, judge, policy, &options.call);
        for store in [store].into_iter().chain(dropped) {
            claim(&judgement, *store, options.existing)?;
        }
    }
    let queue = Mutex::new(files.iter().cloned().collect());
    let worker_count = worker_count(judge, files.len());
    let work = FilesWork { judge, outputs, options, queue, tally: Mutex::default(), worker_count };
    let mut workers: Vec<WorkerFiles<'_>> = (0..worker_count).map(|_| WorkerFiles::default()).collect();
    while work.round(&mut workers)? {}
    drop(workers);
    let mut tally = std::mem::take(&mut *work.tally.lock().unwrap_or_else(PoisonError::into_inner));
    tally.failed.sort();
    if let (Outputs::Folder(store, _), Some(policy)) = (outputs, &options.policy) {
        tally.done.sort();
        let files: Vec<String> = tally.done.iter().map(|name| sites_file(name)).collect();
        let names: Vec<&str> = policy.rules().iter().map(PolicyRule::name).collect();
        let written = cost_files::write(*store, &files, &names, &tally.counts.costs, judge.memory_bytes / 4);
        (tally.sites, tally.site_count) =
            written.map_err(|source| Error::OutputUnwritable { location: store.location(), source })?;
    }
    Ok(tally)
}

/// Returns how many files are read at once: as many as there are workers, and as fit in memory where all have long lines
/// or rows.
fn worker_count(judge: &Judge, file_count: usize) -> usize {
    /// A line, its buffer while it grows, and rows of the same length.
    const LANE_BYTES: u64 = 256 << 20;
    let fitting = usize::try_from(judge.memory_bytes / LANE_BYTES).unwrap_or(usize::MAX);
    judge.options.jobs.get().min(file_count).min(fitting).max(1)
}

/// Returns what must be the same for two calls to be one.
fn identity(judge: &Judge, options: &FilesOptions) -> Result<Identity, Error> {
    let times: Vec<String> = judge.options.times.iter().map(At::to_string).collect();
    let pairs = [
        ("tables", judge.fingerprint()?),
        ("at", times.join(",")),
        ("urls_are_newest", options.urls_are_newest.to_string()),
        ("columns", options.names.text()),
        ("added", options.added.text()),
        ("policy", options.policy.as_ref().map_or_else(|| "none".to_owned(), Policy::text)),
    ];
    let pairs = pairs.into_iter().map(|(key, value)| (key.to_owned(), value));
    Ok(Identity::new(pairs.collect::<BTreeMap<_, _>>(), Vec::new()))
}

/// What all workers share.
struct FilesWork<'w> {
    judge: &'w Judge,
    outputs: &'w Outputs<'w>,
    options: &'w FilesOptions,
    queue: Mutex<VecDeque<DocumentsFile>>,
    tally: Mutex<FilesTally>,
    worker_count: usize,
}

/// A file being judged.
struct Open<'w> {
    file: DocumentsFile,
    fingerprint: Fingerprint,
    input: Box<dyn Input + 'w>,
    dialect: Option<&'static str>,
    sorter: Sorter<'w>,
    /// How many of the documents of this round are its own.
    documents: usize,
    end: End,
}

/// The files of one worker.
#[derive(Default)]
struct WorkerFiles<'w> {
    open: Vec<Open<'w>>,
    documents: Documents,
}

impl<'w> FilesWork<'w> {
    /// Reads, judges and writes as many documents as fit in memory; returns whether there are more.
    fn round(&'w self, workers: &mut [WorkerFiles<'w>]) -> Result<bool, Error> {
        let bytes = self.judge.documents_bytes() / workers.len().max(1);
        let install = |act: &(dyn Fn(&mut WorkerFiles<'w>) -> Result<(), FileFault> + Sync),
                       workers: &mut [WorkerFiles<'w>]| {
            self.judge
                .pool
                .install(|| workers.par_iter_mut().try_for_each(act))
                .map_err(|fault| self.unwritable(&fault))
        };
        install(&|worker| self.read(worker, bytes), workers)?;
        let parts: Vec<Documents> =
            workers.iter_mut().map(|worker| std::mem::take(&mut worker.documents)).collect();
        let verdicts = self.judge.judge(&parts)?;
        drop(parts);
        let verdicts = Mutex::new(verdicts.into_iter().map(Some).collect::<Vec<_>>());
        let numbered: Vec<(usize, &mut WorkerFiles<'w>)> = workers.iter_mut().enumerate().collect();
        let written = self.judge.pool.install(|| {
            numbered.into_par_iter().try_for_each(|(number, worker)| {
                let mut verdicts = verdicts.lock().unwrap_or_else(PoisonError::into_inner);
                let own = verdicts.get_mut(number).and_then(Option::take).unwrap_or_default();
                drop(verdicts);
                self.write(worker, &own)
            })
        });
        written.map_err(|fault| self.unwritable(&fault))?;
        let is_left = !self.queue.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        Ok(is_left || workers.iter().any(|worker| !worker.open.is_empty()))
    }

    fn unwritable(&self, fault: &FileFault) -> Error {
        let location = match self.outputs {
            Outputs::Folder(store, _) => store.location(),
            Outputs::Stream(_) => "standard output".to_owned(),
        };
        Error::OutputUnwritable { location, source: io::Error::other(fault.to_string()) }
    }

    fn tally(&self, change: impl FnOnce(&mut FilesTally)) {
        change(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes note of a file that cannot be judged; an error of the output goes on.
    fn fail(&self, name: &str, fault: FileFault) -> Result<(), FileFault> {
        match fault {
            FileFault::Input(detail) => {
                self.tally(|tally| tally.failed.push((name.to_owned(), detail)));
                Ok(())
            }
            FileFault::Output(error) => Err(FileFault::Output(error)),
        }
    }

    /// Reads documents until a worker's share of memory is full, or there are no more files.
    fn read(&'w self, worker: &mut WorkerFiles<'w>, bytes: usize) -> Result<(), FileFault> {
        while worker.documents.byte_count() < bytes {
            let next = match worker.open.pop() {
                Some(open) if open.end == End::No => Some(open),
                last => {
                    worker.open.extend(last);
                    self.next()?
                }
            };
            let Some(mut open) = next else { return Ok(()) };
            let before = worker.documents.len();
            match open.input.read(&mut worker.documents, bytes) {
                Ok(end) => {
                    open.end = end;
                    open.documents = worker.documents.len() - before;
                    worker.open.push(open);
                }
                Err(fault) => {
                    worker.documents.truncate(before);
                    self.fail(&open.file.name, fault)?;
                }
            }
        }
        Ok(())
    }

    /// Opens the next file that is not done.
    fn next(&'w self) -> Result<Option<Open<'w>>, FileFault> {
        loop {
            let file = self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(file) = file else { return Ok(None) };
            match self.open(&file) {
                Ok(Some(open)) => return Ok(Some(open)),
                Ok(None) => {}
                Err(fault) => self.fail(&file.name, fault)?,
            }
        }
    }

    fn open(&'w self, file: &DocumentsFile) -> Result<Option<Open<'w>>, FileFault> {
        let fingerprint = identify(&file.path)?;
        if let Outputs::Folder(store, dropped) = self.outputs
            && let Some(done) =
                Done::read(*store, *dropped, &file.name, &fingerprint).map_err(FileFault::Output)?
        {
            self.tally(|tally| {
                tally.known += 1;
                tally.counts.add(&done.counts);
                tally.done.push(file.name.clone());
            });
            return Ok(None);
        }
        let kind = kind(&file.path).map_err(FileFault::input)?;
        self.options.format.map_or(Ok(()), |format| format.check(kind))?;
        let (out, sorter) = self.begin(&file.name).map_err(FileFault::Output)?;
        let (out, mask) = match self.options.mask {
            Some(codec) => ((Box::new(Nowhere) as Box<dyn StoreFile>, None), Some((out.0, codec))),
            None => (out, None),
        };
        let schema = || parquet_schema(&file.path);
        let (names, dialect) =
            self.options.names.of_file(&file.path, kind, schema).map_err(FileFault::input)?;
        let policy = self.options.policy.as_ref().map(Policy::digest);
        let context = CellContext { resolver: self.judge.resolver(), policy };
        let writing = Writing { context, added: &self.options.added, is_mask: self.options.mask.is_some() };
        // A reader of documents and one of rows.
        let bytes = self.judge.memory_bytes / 8 / self.worker_count as u64;
        let input: Box<dyn Input> = match kind {
            FileKind::Parquet => {
                let has_policy = sorter.has_policy();
                Box::new(ParquetInput::open(&file.path, names, out, (writing, has_policy), bytes)?)
            }
            FileKind::Json(codec) => {
                Box::new(LinesInput::open(&file.path, (LineKind::Json, codec), (names, None), out, writing)?)
            }
            FileKind::Urls(codec) => {
                let date = newest().filter(|_| self.options.urls_are_newest);
                Box::new(LinesInput::open(&file.path, (LineKind::Urls, codec), (names, date), out, writing)?)
            }
        };
        let input = match mask {
            Some((out, codec)) => Box::new(MaskInput::new(input, out, codec)?),
            None => input,
        };
        let file = file.clone();
        Ok(Some(Open { file, fingerprint, input, dialect, sorter, documents: 0, end: End::No }))
    }

    /// Begins the outputs of a file.
    fn begin(&self, name: &str) -> io::Result<(OutputFiles, Sorter<'w>)> {
        let policy = self.options.policy.as_ref();
        match self.outputs {
            Outputs::Folder(store, dropped) => {
                let sites =
                    policy.map(|_| store.create(&sites_file(name)).map(SiteCosts::new)).transpose()?;
                let dropped = dropped.filter(|_| policy.is_some());
                let dropped = dropped.map(|dropped| dropped.create(name)).transpose()?;
                Ok(((store.create(name)?, dropped), Sorter::new(policy, sites)))
            }
            Outputs::Stream(stream) => Ok(((stream()?, None), Sorter::new(policy, None))),
        }
    }

    /// Writes the rows of a round.
    fn write(&self, worker: &mut WorkerFiles<'w>, mut verdicts: &[Arc<Verdict>]) -> Result<(), FileFault> {
        for mut open in std::mem::take(&mut worker.open) {
            let (own, later) = verdicts.split_at(open.documents.min(verdicts.len()));
            (verdicts, open.documents) = (later, 0);
            let name = open.file.name.clone();
            let written = open.input.write(own, &mut open.sorter);
            match written {
                Ok(()) if open.end == End::No => worker.open.push(open),
                Ok(()) => {
                    if let Err(fault) = self.finish(open) {
                        self.fail(&name, fault)?;
                    }
                }
                Err(fault) => self.fail(&name, fault)?,
            }
        }
        Ok(())
    }

    fn finish(&self, open: Open<'w>) -> Result<(), FileFault> {
        let Open { file, fingerprint: input, input: rows, dialect, sorter, .. } = open;
        rows.finish()?;
        let counts = sorter.finish()?;
        self.tally(|tally| {
            tally.judged += 1;
            if let Some(dialect) = dialect {
                *tally.dialects.entry(dialect).or_default() += 1;
            }
            tally.counts.add(&counts);
            tally.done.push(file.name.clone());
        });
        let Outputs::Folder(store, dropped) = self.outputs else { return Ok(()) };
        let output_bytes = store.bytes(&file.name).map_err(FileFault::Output)?.unwrap_or_default();
        let dropped_bytes =
            dropped.map_or(Ok(None), |dropped| dropped.bytes(&file.name)).map_err(FileFault::Output)?;
        Done { input, output_bytes, dropped_bytes, counts }
            .write(*store, &file.name)
            .map_err(FileFault::Output)
    }
}
