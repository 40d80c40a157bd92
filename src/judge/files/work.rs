//! The work on files of documents: reading, judging and writing, round by round, as many documents as fit in memory.

use super::about::OutputFolder;
use super::changes::Changes;
use super::cost::SiteCosts;
use super::dropped::{MaskInput, Nowhere};
use super::earlier::{Earlier, EarlierPlace};
use super::input::{DocumentsFile, End, Input, OutputFiles, Writing};
use super::kind::FileFault;
use super::kind::{FileKind, identify, kind};
use super::lines::{LineKind, LinesInput};
use super::names::ColumnNames;
use super::options::{FilePlan, FilesOptions, FilesTally, Outputs};
use super::parquet::{ParquetInput, parquet_schema};
use super::sorter::Sorter;
use super::state::{Done, changes_file, matched_file, sites_file};
use crate::error::Error;
use crate::judge::at::newest;
use crate::judge::columns::CellContext;
use crate::judge::documents::Documents;
use crate::judge::verdict::Verdict;
use crate::judge::{Added, Judge};
use crate::runs::Fingerprint;
use crate::store::StoreFile;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// What all workers share.
pub struct FilesWork<'w> {
    judge: &'w Judge,
    outputs: &'w Outputs<'w>,
    options: &'w FilesOptions,
    queue: Mutex<VecDeque<DocumentsFile>>,
    tally: Mutex<FilesTally>,
    /// The columns that say what the drop of a document rests on, if that is asked for.
    audit: Option<Added>,
    /// The list with which all files are compared, once it was read.
    list: Mutex<Option<Arc<Earlier>>>,
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

#[derive(Default)]
pub struct WorkerFiles<'w> {
    open: Vec<Open<'w>>,
    documents: Documents,
}

impl<'w> FilesWork<'w> {
    /// Returns the work on some files.
    pub fn new(
        judge: &'w Judge,
        files: &[DocumentsFile],
        outputs: &'w Outputs<'w>,
        options: &'w FilesOptions,
    ) -> Self {
        let queue = Mutex::new(files.iter().cloned().collect());
        let worker_count = worker_count(judge, files.len());
        let (tally, list) = (Mutex::default(), Mutex::default());
        let audit = options.added.of_audit();
        Self { judge, outputs, options, queue, tally, audit, list, worker_count }
    }

    /// Returns the workers, which have no files yet.
    pub fn workers(&self) -> Vec<WorkerFiles<'w>> {
        (0..self.worker_count).map(|_| WorkerFiles::default()).collect()
    }

    /// Returns the results for the files.
    pub fn take_tally(&self) -> FilesTally {
        std::mem::take(&mut *self.tally.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the list with which files were compared, if one was read.
    pub fn list(&self) -> Option<Arc<Earlier>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads, judges and writes as many documents as fit in memory; returns whether there are more.
    pub fn round(&'w self, workers: &mut [WorkerFiles<'w>]) -> Result<bool, Error> {
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
        let verdicts = self.judge.judge_as_opened(&parts)?;
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
            Outputs::Folder(folder, _) => folder.documents.location(),
            Outputs::Stream(_) => "standard output".to_owned(),
        };
        Error::OutputUnwritable { location, source: io::Error::other(fault.to_string()) }
    }

    fn tally(&self, change: impl FnOnce(&mut FilesTally)) {
        change(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Notes a file that cannot be judged, and removes its output of an earlier call; an error of the output is passed on.
    fn fail(&self, name: &str, fault: FileFault) -> Result<(), FileFault> {
        match fault {
            FileFault::Input(detail) => {
                if let Outputs::Folder(kept, dropped) = self.outputs {
                    let mut folders = [*kept].into_iter().chain(*dropped);
                    folders.try_for_each(|folder| folder.remove(name)).map_err(FileFault::Output)?;
                }
                self.tally(|tally| tally.failed.push((name.to_owned(), detail)));
                Ok(())
            }
            FileFault::Output(error) => Err(FileFault::Output(error)),
        }
    }

    /// Reads documents until a worker's share of memory is full, or no files are left.
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

    /// Returns what an earlier call did with a file that has these bytes.
    fn done(&self, file: &DocumentsFile, fingerprint: &Fingerprint) -> Result<Option<Done>, FileFault> {
        let Outputs::Folder(folder, dropped) = self.outputs else { return Ok(None) };
        Done::read(*folder, *dropped, &file.name, fingerprint).map_err(FileFault::Output)
    }

    /// Returns what would be done with a file.
    pub fn plan(&self, file: &DocumentsFile) -> FilePlan {
        let plan = || -> Result<FilePlan, FileFault> {
            if self.done(file, &identify(&file.path)?)?.is_some() {
                return Ok(FilePlan::Done);
            }
            let kind = kind(&file.path).map_err(FileFault::input)?;
            self.options.format.map_or(Ok(()), |format| format.check(kind))?;
            let schema = || parquet_schema(&file.path);
            let (_, dialect) =
                self.options.names.of_file(&file.path, kind, schema).map_err(FileFault::input)?;
            Ok(FilePlan::Judge(dialect))
        };
        plan().unwrap_or_else(|fault| FilePlan::Refuse(fault.to_string()))
    }

    fn open(&'w self, file: &DocumentsFile) -> Result<Option<Open<'w>>, FileFault> {
        let fingerprint = identify(&file.path)?;
        if let Some(done) = self.done(file, &fingerprint)? {
            self.tally(|tally| {
                tally.known += 1;
                tally.counts.add(&done.counts);
            });
            return Ok(None);
        }
        let kind = kind(&file.path).map_err(FileFault::input)?;
        self.options.format.map_or(Ok(()), |format| format.check(kind))?;
        let schema = || parquet_schema(&file.path);
        let (names, dialect) =
            self.options.names.of_file(&file.path, kind, schema).map_err(FileFault::input)?;
        let earlier = self.earlier(&file.name, names)?;
        let (out, sorter) = self.begin(&file.name, earlier).map_err(FileFault::Output)?;
        let (out, mask) = match self.options.mask {
            Some(codec) => ((Box::new(Nowhere) as Box<dyn StoreFile>, None), Some((out.0, codec))),
            None => (out, None),
        };
        let policy = self.options.policy.as_ref();
        let context = CellContext { resolver: self.judge.resolver(), policy };
        let writing = Writing {
            context,
            added: &self.options.added,
            audit: self.audit.as_ref(),
            is_mask: self.options.mask.is_some(),
        };
        // A file has a reader of documents and one of rows.
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

    /// Returns what an earlier judgement did with the documents of a file, if this one is compared with one.
    fn earlier(&self, name: &str, names: &ColumnNames) -> Result<Option<Arc<Earlier>>, FileFault> {
        let Some(place) = &self.options.diff else { return Ok(None) };
        if place.is_list() {
            let mut known = self.list.lock().unwrap_or_else(PoisonError::into_inner);
            let list = match known.take() {
                Some(list) => list,
                None => Arc::new(place.read_list()?),
            };
            return Ok(Some(Arc::clone(known.insert(list))));
        }
        let found = place.read(name, names)?;
        let missing = || FileFault::Input(format!("{place} has no documents of it to compare with"));
        found.map(Arc::new).map(Some).ok_or_else(missing)
    }

    fn begin(&self, name: &str, earlier: Option<Arc<Earlier>>) -> io::Result<(OutputFiles, Sorter<'w>)> {
        let policy = self.options.policy.as_ref();
        match self.outputs {
            Outputs::Folder(folder, dropped) => {
                let about = folder.about;
                let sites =
                    policy.map(|_| about.create(&sites_file(name)).map(SiteCosts::new)).transpose()?;
                let is_list = self.options.diff.as_ref().is_some_and(EarlierPlace::is_list);
                let begun = |earlier| {
                    let matched = is_list.then(|| about.create(&matched_file(name))).transpose()?;
                    Ok::<_, io::Error>(Changes::new(earlier, matched, about.create(&changes_file(name))?))
                };
                let changes = earlier.map(begun).transpose()?;
                let dropped = dropped.filter(|_| policy.is_some());
                let dropped = dropped.map(|dropped| dropped.documents.create(name)).transpose()?;
                Ok(((folder.documents.create(name)?, dropped), Sorter::new(policy, sites, changes)))
            }
            Outputs::Stream(stream) => Ok(((stream()?, None), Sorter::new(policy, None, None))),
        }
    }

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
        });
        let Outputs::Folder(folder, dropped) = self.outputs else { return Ok(()) };
        let bytes = |folder: &OutputFolder<'_>| folder.documents.bytes(&file.name).map_err(FileFault::Output);
        let output_bytes = bytes(folder)?.unwrap_or_default();
        let dropped_bytes = dropped.as_ref().map_or(Ok(None), bytes)?;
        Done { input, output_bytes, dropped_bytes, counts }
            .write(folder.about, &file.name)
            .map_err(FileFault::Output)
    }
}

/// Returns how many files are read at once: one per worker, and as many as fit in memory if all have long lines or rows.
fn worker_count(judge: &Judge, file_count: usize) -> usize {
    /// A line, its buffer while it grows, and rows of the same length.
    const LANE_BYTES: u64 = 256 << 20;
    let fitting = usize::try_from(judge.memory_bytes / LANE_BYTES).unwrap_or(usize::MAX);
    judge.options.jobs.get().min(file_count).min(fitting).max(1)
}
