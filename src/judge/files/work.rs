//! The work on files of documents: reading, judging and writing, round by round, as many documents as fit in memory.
//!
//! A mask is written instead of documents: a line for each, in their order, `{"allowed": true}` if the policy keeps it. HPLT's
//! stage 3 reads it beside its `metadata.zst`, line by line, and stops without an error at the end of the shorter file.

use super::changes::Changes;
use super::cost::SiteCosts;
use super::dialect::ColumnNames;
use super::earlier::{EarlierJudgement, EarlierPlace};
use super::input::{DocumentInput, DocumentsFile, End, Finished, OutputFiles, Writing};
use super::kind::{Codec, FileFault, FileKind, FileResult, encoded, identify, kind};
use super::lines::LinesInput;
use super::parquet::ParquetInput;
use super::sample::{Drawing, Drawn, DrawnRows, SampledFile};
use super::sorter::{DocumentFate, Facts, Sorter};
use super::state::{CHANGES, DONE, Done, MATCHED, OutputFolder, SITES, about_file};
use super::{FilePlan, FilesOptions, FilesTally, Outputs};
use crate::error::Error;
use crate::judge::{Added, CellContext, Documents, Judge, Verdict, locked, made_once};
use crate::plan::{Kept, Step, Why};
use crate::runs::{Existing, Fingerprint, write_json};
use crate::store::StoreFile;
use crate::web::{interval::Interval, timestamp::Timestamp};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

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
    list: Mutex<Option<Arc<EarlierJudgement>>>,
    worker_count: usize,
    /// The documents that are judged, if it is a sample.
    drawn: Option<Drawn>,
}

struct Open<'w> {
    file: DocumentsFile,
    fingerprint: Fingerprint,
    input: Box<dyn DocumentInput + 'w>,
    /// The mask that is written instead of rows, if that is asked for.
    mask: Option<Box<dyn StoreFile>>,
    dialect: Option<&'static str>,
    sorter: Sorter<'w>,
    /// Which of its documents are judged, if it is a sample.
    drawn: Option<DrawnRows>,
    /// How many of the documents of this round are its own.
    documents: usize,
    end: End,
}

#[derive(Default)]
struct WorkerFiles<'w> {
    open: Vec<Open<'w>>,
    documents: Documents,
}

/// A file that is judged: its bytes and kind, and the names of its columns, which may be those of a dialect.
struct FileToJudge<'w> {
    why: Why,
    fingerprint: Fingerprint,
    kind: FileKind,
    names: &'w ColumnNames,
    dialect: Option<&'static str>,
}

impl<'w> FilesWork<'w> {
    pub fn new(
        judge: &'w Judge,
        files: &[DocumentsFile],
        outputs: &'w Outputs<'w>,
        options: &'w FilesOptions,
    ) -> Self {
        let queue = Mutex::new(files.iter().cloned().collect());
        let worker_count = worker_count(judge, files.len());
        let tally = Mutex::default();
        let list = Mutex::default();
        let audit = options.added.of_audit();
        Self {
            judge,
            outputs,
            options,
            queue,
            tally,
            audit,
            list,
            worker_count,
            drawn: None,
        }
    }

    /// Draws the sample that is asked for, from the files that can be read; the others fail.
    pub fn draw(mut self) -> Result<Self, Error> {
        let Some(sample) = self.options.sample else {
            return Ok(self);
        };
        let files: Vec<DocumentsFile> = std::mem::take(&mut *locked(&self.queue)).into();
        let of_file = |file: &DocumentsFile| match self.count(file) {
            Ok(counted) => Ok(Some((file.clone(), Drawing::of_file(sample, counted)))),
            Err(fault) => self.fail(&file.name, fault).map(|()| None),
        };
        let draw = || {
            files
                .par_iter()
                .map(of_file)
                .collect::<FileResult<Vec<_>>>()
        };
        let drawn = self
            .judge
            .pool
            .install(draw)
            .map_err(|fault| self.unwritable(&fault))?;
        let (files, drawings): (VecDeque<_>, Vec<_>) = drawn.into_iter().flatten().unzip();
        self.queue = Mutex::new(files);
        let drawn = drawings
            .into_iter()
            .fold(Drawing::new(sample), Drawing::join)
            .finish();
        self.drawn = Some(drawn);
        Ok(self)
    }

    /// Counts the documents of a file, which is read to its end.
    fn count(&self, file: &DocumentsFile) -> FileResult<SampledFile> {
        let Err(FileToJudge { kind, names, .. }) = self.found(file, Existing::Continue)? else {
            return Err(FileFault::input("it is judged already"));
        };
        let writing = self.writing(false);
        let out: OutputFiles = (Box::new(io::sink()), None);
        let mut input = self.input(file, (kind, names), out, writing)?;
        let bytes = self.judge.documents_bytes() / self.worker_count;
        let mut count = 0;
        loop {
            let mut documents = Documents::default();
            let end = input.read(&mut documents, bytes)?;
            count += documents.len() as u64;
            if end == End::Reached {
                return SampledFile::new(&file.name, count, &file.path);
            }
        }
    }

    /// Returns the sample that was drawn.
    pub fn drawn(&self) -> Option<&Drawn> {
        self.drawn.as_ref()
    }

    /// Does the work; returns the results, and the list with which files were compared, if one was read.
    pub fn run(&'w self) -> Result<(FilesTally, Option<Arc<EarlierJudgement>>), Error> {
        let mut workers: Vec<_> = (0..self.worker_count)
            .map(|_| WorkerFiles::default())
            .collect();
        while self.round(&mut workers)? {}
        Ok((
            std::mem::take(&mut locked(&self.tally)),
            locked(&self.list).clone(),
        ))
    }

    /// Reads, judges and writes as many documents as fit in memory; returns whether there are more.
    fn round(&'w self, workers: &mut [WorkerFiles<'w>]) -> Result<bool, Error> {
        let bytes = self.judge.documents_bytes() / workers.len().max(1);
        self.judge
            .pool
            .install(|| {
                workers
                    .par_iter_mut()
                    .try_for_each(|worker| self.read(worker, bytes))
            })
            .map_err(|fault| self.unwritable(&fault))?;
        let parts: Vec<Documents> = workers
            .iter_mut()
            .map(|worker| std::mem::take(&mut worker.documents))
            .collect();
        let verdicts = self.judge.judge_as_opened(&parts)?;
        let documents = parts.iter().map(Documents::len).sum();
        drop(parts);
        // The verdicts of a worker are freed once its rows are written.
        let write = || {
            let own = workers.par_iter_mut().zip(verdicts);
            own.try_for_each(|(worker, verdicts)| self.write(worker, &verdicts))
        };
        self.judge
            .pool
            .install(write)
            .map_err(|fault| self.unwritable(&fault))?;
        self.options
            .progress
            .judged(documents, &locked(&self.tally));
        Ok(!locked(&self.queue).is_empty() || workers.iter().any(|worker| !worker.open.is_empty()))
    }

    fn unwritable(&self, fault: &FileFault) -> Error {
        let location = match self.outputs {
            Outputs::Folder(folder, _) => folder.documents.location(),
            Outputs::Stream(_) => "standard output".to_owned(),
        };
        Error::OutputUnwritable {
            location,
            source: io::Error::other(fault.to_string()),
        }
    }

    /// Notes a file that cannot be judged, and removes its output of an earlier call; an error of the output is passed on.
    fn fail(&self, name: &str, fault: FileFault) -> FileResult {
        let FileFault::Input(detail) = fault else {
            return Err(fault);
        };
        self.outputs
            .folders()
            .try_for_each(|folder| folder.remove(name))
            .map_err(FileFault::Output)?;
        locked(&self.tally).failed.push((name.to_owned(), detail));
        Ok(())
    }

    /// Reads documents until a worker's share of memory is full, or no files are left.
    fn read(&'w self, worker: &mut WorkerFiles<'w>, bytes: usize) -> FileResult {
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
                    if let Some(drawn) = &mut open.drawn {
                        let rows = before..worker.documents.len();
                        rows.filter(|_| !drawn.is_next_drawn())
                            .for_each(|row| worker.documents.forget(row));
                    }
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

    fn next(&'w self) -> FileResult<Option<Open<'w>>> {
        loop {
            let Some(file) = locked(&self.queue).pop_front() else {
                return Ok(None);
            };
            match self.open(&file) {
                Ok(Some(open)) => return Ok(Some(open)),
                Ok(None) => {}
                Err(fault) => self.fail(&file.name, fault)?,
            }
        }
    }

    /// Returns what an earlier call did with a file, if that is continued and nothing has changed, or what is judged.
    fn found(
        &self,
        file: &DocumentsFile,
        existing: Existing,
    ) -> FileResult<Result<Done, FileToJudge<'w>>> {
        let fingerprint = identify(&file.path)?;
        let known = match existing {
            Existing::Continue => self.known(&file.name, &fingerprint),
            Existing::Replace => Ok(Err(Why::New)),
        };
        let why = match known.map_err(FileFault::Output)? {
            Ok(done) => return Ok(Ok(done)),
            Err(why) => why,
        };
        let kind = kind(&file.path).map_err(FileFault::input)?;
        self.options
            .format
            .map_or(Ok(()), |format| format.check(kind))?;
        let (names, dialect) = self
            .options
            .names
            .of_file(&file.path, kind)
            .map_err(FileFault::input)?;
        Ok(Err(FileToJudge {
            why,
            fingerprint,
            kind,
            names,
            dialect,
        }))
    }

    /// Returns what an earlier call did with a file of these bytes, or why it is judged.
    fn known(&self, name: &str, input: &Fingerprint) -> io::Result<Result<Done, Why>> {
        let (Outputs::Folder(folder, dropped), None) = (self.outputs, self.options.sample) else {
            return Ok(Err(Why::New));
        };
        let done = match Done::read(*folder, name)? {
            Ok(done) => done,
            Err(why) => return Ok(Err(why)),
        };
        let dropped_bytes = dropped.map_or(Ok(None), |dropped| dropped.documents.bytes(name))?;
        // A call without a folder for dropped documents has written none.
        let is_without = done.dropped_bytes.is_none() && dropped.is_some();
        let has_dropped = done.counts.costs.reasons.iter().any(|it| it.documents > 0);
        Ok(
            if dropped_bytes != done.dropped_bytes || (is_without && has_dropped) {
                Err(Why::Stale("its dropped documents are not there"))
            } else if done.input != *input {
                Err(Why::Stale("the file has changed"))
            } else {
                Ok(done)
            },
        )
    }

    /// Returns what would be done with a file, if what earlier calls have judged is continued or replaced.
    pub fn plan(&self, file: &DocumentsFile, existing: Existing) -> FilePlan {
        let (step, dialect) = match self.found(file, existing) {
            Ok(Ok(_)) => (Step::Keep(Kept::Done), None),
            Ok(Err(FileToJudge { why, dialect, .. })) => (Step::Make(why), dialect),
            Err(fault) => (Step::Refuse(fault.to_string()), None),
        };
        FilePlan {
            name: file.name.clone(),
            dialect,
            step,
        }
    }

    fn open(&'w self, file: &DocumentsFile) -> FileResult<Option<Open<'w>>> {
        // What is replaced is removed already.
        let FileToJudge {
            fingerprint,
            kind,
            names,
            dialect,
            ..
        } = match self.found(file, Existing::Continue)? {
            Err(to_judge) => to_judge,
            Ok(done) => {
                let mut tally = locked(&self.tally);
                tally.known += 1;
                tally.counts.add(&done.counts);
                return Ok(None);
            }
        };
        let earlier = self.earlier(&file.name, names)?;
        let (mut out, sorter) = self.begin(&file.name, earlier).map_err(FileFault::Output)?;
        let instead = |codec| encoded(std::mem::replace(&mut out.0, Box::new(io::sink())), codec);
        let mask = self
            .options
            .mask
            .map(instead)
            .transpose()
            .map_err(FileFault::Output)?;
        let input = self.input(file, (kind, names), out, self.writing(mask.is_some()))?;
        let file = file.clone();
        let drawn = self.drawn.as_ref().map(|drawn| drawn.of_file(&file.name));
        Ok(Some(Open {
            file,
            fingerprint,
            input,
            mask,
            dialect,
            sorter,
            drawn,
            documents: 0,
            end: End::No,
        }))
    }

    fn writing(&self, is_mask: bool) -> Writing<'_> {
        Writing {
            context: CellContext {
                resolver: &self.judge.resolver,
                policy: self.options.policy.as_ref(),
            },
            added: &self.options.added,
            audit: self.audit.as_ref(),
            is_mask,
            is_stream: matches!(self.outputs, Outputs::Stream(_)),
        }
    }

    fn input<'i>(
        &self,
        file: &DocumentsFile,
        (kind, names): (FileKind, &'i ColumnNames),
        out: OutputFiles,
        writing: Writing<'i>,
    ) -> FileResult<Box<dyn DocumentInput + 'i>> {
        // A file has a reader of documents and one of rows.
        let bytes = self.judge.memory_bytes / 8 / self.worker_count as u64;
        Ok(match kind {
            FileKind::Parquet => {
                Box::new(ParquetInput::open(&file.path, names, out, writing, bytes)?)
            }
            FileKind::Lines(kind, source) => {
                let date = self
                    .options
                    .urls_are_newest
                    .then_some(Interval::at(Timestamp::LAST));
                Box::new(LinesInput::open(
                    &file.path,
                    (kind, source),
                    (names, date),
                    out,
                    writing,
                )?)
            }
        })
    }

    /// Returns what an earlier judgement did with the documents of a file, if this one is compared with one.
    fn earlier(
        &self,
        name: &str,
        names: &ColumnNames,
    ) -> FileResult<Option<Arc<EarlierJudgement>>> {
        match &self.options.diff {
            None => Ok(None),
            Some(EarlierPlace::List(list)) => {
                made_once(&self.list, || EarlierJudgement::of_list(list)).map(Some)
            }
            Some(place @ EarlierPlace::Folder(folder)) => {
                let missing =
                    || FileFault::Input(format!("{place} has no documents of it to compare with"));
                folder
                    .read(name, names)?
                    .map(Arc::new)
                    .map(Some)
                    .ok_or_else(missing)
            }
        }
    }

    fn begin(
        &self,
        name: &str,
        earlier: Option<Arc<EarlierJudgement>>,
    ) -> io::Result<(OutputFiles, Sorter<'w>)> {
        let policy = self.options.policy.as_ref();
        if let Some(drawn) = &self.drawn {
            let out = match self.outputs {
                Outputs::Folder(folder, _) => folder.documents.create(name)?,
                Outputs::Stream(stream) => stream()?,
            };
            return Ok(((out, None), Sorter::of_sample(policy, drawn.of_file(name))));
        }
        match self.outputs {
            Outputs::Folder(folder, dropped) => {
                let about = folder.about;
                let create =
                    |ending| encoded(about.create(&about_file(name, ending))?, Codec::Plain);
                let sites = policy
                    .map(|_| create(SITES).map(SiteCosts::new))
                    .transpose()?;
                let is_list = self
                    .options
                    .diff
                    .as_ref()
                    .is_some_and(EarlierPlace::is_list);
                let changes = earlier
                    .map(|earlier| {
                        let matched = is_list.then(|| create(MATCHED)).transpose()?;
                        Ok::<_, io::Error>(Changes::new(earlier, matched, create(CHANGES)?))
                    })
                    .transpose()?;
                let dropped = dropped.filter(|_| policy.is_some());
                let dropped = dropped
                    .map(|dropped| dropped.documents.create(name))
                    .transpose()?;
                Ok((
                    (folder.documents.create(name)?, dropped),
                    Sorter::new(policy, sites, changes),
                ))
            }
            Outputs::Stream(stream) => Ok(((stream()?, None), Sorter::new(policy, None, None))),
        }
    }

    fn write(&self, worker: &mut WorkerFiles<'w>, mut verdicts: &[Arc<Verdict>]) -> FileResult {
        for mut open in std::mem::take(&mut worker.open) {
            let (own, later) = verdicts.split_at(open.documents.min(verdicts.len()));
            (verdicts, open.documents) = (later, 0);
            let written = match &mut open.mask {
                Some(mask) => write_mask(mask, own, &mut open.sorter),
                None => open.input.write(own, &mut open.sorter),
            };
            if written.is_ok() && open.end == End::No {
                worker.open.push(open);
                continue;
            }
            let name = open.file.name.clone();
            written
                .and_then(|()| self.finish(open))
                .or_else(|fault| self.fail(&name, fault))?;
        }
        Ok(())
    }

    fn finish(&self, open: Open<'w>) -> FileResult {
        let Open {
            file,
            fingerprint: input,
            input: rows,
            mask,
            dialect,
            sorter,
            ..
        } = open;
        let of_mask = Finished {
            has_documents: true,
            has_dropped: false,
        };
        let finished = match mask {
            Some(mask) => mask.commit().map(|()| of_mask).map_err(FileFault::Output)?,
            None => rows.finish()?,
        };
        let counts = sorter.finish()?;
        let mut tally = locked(&self.tally);
        tally.judged += 1;
        if let Some(dialect) = dialect {
            *tally.dialects.entry(dialect).or_default() += 1;
        }
        tally.counts.add(&counts);
        drop(tally);
        let Outputs::Folder(folder, dropped) = self.outputs else {
            return Ok(());
        };
        let bytes = |folder: &OutputFolder<'_>| {
            folder
                .documents
                .bytes(&file.name)
                .map_err(FileFault::Output)
        };
        let has_rows = [finished.has_documents, finished.has_dropped];
        for (folder, _) in self
            .outputs
            .folders()
            .zip(has_rows)
            .filter(|(_, has_rows)| !has_rows)
        {
            // An earlier call may have written it, for other bytes of the file.
            if bytes(&folder)?.is_some() {
                folder
                    .documents
                    .remove(&file.name)
                    .map_err(FileFault::Output)?;
            }
        }
        let output_bytes = bytes(folder)?;
        let dropped_bytes = dropped.as_ref().map_or(Ok(None), bytes)?;
        let done = Done {
            input,
            output_bytes,
            dropped_bytes,
            counts,
        };
        write_json(folder.about, &about_file(&file.name, DONE), &done).map_err(FileFault::Output)
    }
}

fn write_mask(
    mask: &mut dyn Write,
    verdicts: &[Arc<Verdict>],
    sorter: &mut Sorter<'_>,
) -> FileResult {
    for verdict in verdicts {
        let is_allowed = sorter.sort(verdict, &Facts::default())? == DocumentFate::Kept;
        writeln!(mask, "{{\"allowed\": {is_allowed}}}").map_err(FileFault::Output)?;
    }
    Ok(())
}

/// An output of documents that are not written.
impl StoreFile for io::Sink {
    fn commit(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// Returns how many files are read at once: one per worker, and as many as fit in memory if all have long lines or rows.
fn worker_count(judge: &Judge, file_count: usize) -> usize {
    /// A line, its buffer while it grows, and rows of the same length.
    const LANE_BYTES: u64 = 256 << 20;
    let fitting = usize::try_from(judge.memory_bytes / LANE_BYTES).unwrap_or(usize::MAX);
    judge.options.jobs.get().min(file_count).min(fitting).max(1)
}
