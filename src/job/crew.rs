//! The workers and how they share the batches.
//!
//! Each worker takes a batch and reads its archives one after the other. When no batch is left
//! untouched, it helps with the one that has most archives left. The rows of a batch are written in
//! input order whoever reads: the worker whose archive is next in line writes at once, the others
//! keep their pieces back, and wait where these grow beyond a bound. An archive that is next in
//! line is always in somebody's hands, for the archives of a batch are given out in order; so
//! nobody waits for ever.

use super::batch::Batch;
use super::manifest::Manifest;
use super::part::{BatchWriter, Piece, Tally};
use super::progress::Progress;
use super::scan::{Halt, Outlet, scan};
use crate::evidence::{MetaReading, RecordReader};
use crate::store::Store;
use crate::tables::Footer;
use crate::web::suffix_list::SuffixList;
use arrow_array::RecordBatch;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What all workers share.
pub struct Crew<'j> {
    batches: &'j [Batch],
    lines: Vec<Line<'j>>,
    given_out: Mutex<Vec<usize>>,
    results: Mutex<Results>,
    tools: Tools<'j>,
}

/// What a worker works with.
pub struct Tools<'j> {
    /// Where the parts go.
    pub store: &'j dyn Store,
    /// Who listens.
    pub progress: &'j dyn Progress,
    /// The public suffix list.
    pub suffixes: &'j SuffixList,
    /// Whether metas are read.
    pub metas: MetaReading,
    /// What the parts' footers say.
    pub footer: Footer,
    /// How many bytes of pieces an archive that is not next in line may keep back.
    pub held_back_bytes: usize,
}

/// How the work went.
#[derive(Default)]
pub struct Results {
    /// The manifests of the batches that were finished.
    pub manifests: Vec<Manifest>,
    /// Batches given up because of a bug, and what was seen of it.
    pub failed: Vec<(String, String)>,
    /// Whether it was stopped.
    pub stopped: bool,
    /// Why the output could not be written.
    pub error: Option<io::Error>,
}

/// One batch being worked on.
#[derive(Default)]
struct Line<'j> {
    state: Mutex<LineState<'j>>,
    changed: Condvar,
}

#[derive(Default)]
struct LineState<'j> {
    writer: Option<BatchWriter<'j>>,
    /// The archive next in line.
    next: usize,
    /// What archives further back have given.
    kept: BTreeMap<usize, Kept>,
    given_up: bool,
}

#[derive(Default)]
struct Kept {
    pieces: Vec<Piece>,
    bytes: usize,
    tally: Option<Tally>,
}

/// One archive of a batch.
#[derive(Clone, Copy)]
struct Task {
    batch: usize,
    input: usize,
}

impl<'j> Crew<'j> {
    /// Returns a crew for `batches`.
    pub fn new(batches: &'j [Batch], tools: Tools<'j>) -> Self {
        Self {
            batches,
            lines: batches.iter().map(|_| Line::default()).collect(),
            given_out: Mutex::new(vec![0; batches.len()]),
            results: Mutex::default(),
            tools,
        }
    }

    /// Works until nothing is left; every worker calls it.
    pub fn work(&self) {
        let mut reader = RecordReader::new(self.tools.suffixes, self.tools.metas);
        let mut last = None;
        while let Some(task) = self.take(last) {
            last = Some(task.batch);
            // A panic is a bug of ours in reading one archive; it must not take the others along.
            let outcome = catch_unwind(AssertUnwindSafe(|| self.read(task, &mut reader)));
            match outcome {
                Ok(Ok(())) => {}
                Ok(Err(halt)) => self.halt(task.batch, halt),
                Err(panic) => {
                    reader = RecordReader::new(self.tools.suffixes, self.tools.metas);
                    self.give_up(task, &message(panic.as_ref()));
                }
            }
        }
    }

    /// Returns how the work went.
    pub fn results(self) -> Results {
        self.results.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives out the next archive: of the batch at hand, of an untouched one, of the longest.
    fn take(&self, last: Option<usize>) -> Option<Task> {
        if self.is_over() {
            return None;
        }
        let mut given_out = lock(&self.given_out);
        let left = |given_out: &[usize], batch: usize| {
            let all = self.batches.get(batch).map_or(0, |batch| batch.inputs.len());
            all - given_out.get(batch).copied().unwrap_or(all)
        };
        let untouched = || given_out.iter().position(|count| *count == 0);
        let longest = || {
            let batches = 0..self.batches.len();
            batches.filter(|batch| left(&given_out, *batch) > 0).max_by_key(|batch| left(&given_out, *batch))
        };
        let batch = last.filter(|batch| left(&given_out, *batch) > 0).or_else(untouched).or_else(longest)?;
        let count = given_out.get_mut(batch)?;
        *count += 1;
        Some(Task { batch, input: *count - 1 })
    }

    fn is_over(&self) -> bool {
        let results = lock(&self.results);
        results.stopped || results.error.is_some()
    }

    fn read(&self, task: Task, reader: &mut RecordReader<'_>) -> Result<(), Halt> {
        let Some((batch, line)) = self.batches.get(task.batch).zip(self.lines.get(task.batch)) else {
            return Ok(());
        };
        let Some(input) = batch.inputs.get(task.input) else { return Ok(()) };
        if line.begin(|| BatchWriter::new(batch, self.tools.store, &self.tools.footer))? == Begun::GivenUp {
            return Ok(());
        }
        let mut outlet = LineOutlet { crew: self, line, batch, input: task.input };
        let tally = scan(input, reader, &mut outlet, self.tools.progress)?;
        assert!(
            tally.row.adds_up(),
            "records read = captures + no interest + lost does not hold: {:?}",
            tally.row
        );
        self.tools.progress.archive_ended(&input.name, &tally.row);
        if let Some(writer) = line.end_archive(batch, task.input, tally)? {
            let manifest = writer.commit()?;
            self.tools.progress.batch_ended(&manifest);
            lock(&self.results).manifests.push(manifest);
        }
        Ok(())
    }

    fn halt(&self, batch: usize, halt: Halt) {
        match halt {
            Halt::Stopped => lock(&self.results).stopped = true,
            // Another worker gave up and told why.
            Halt::Write(error) if is_given_up(&error) => {}
            Halt::Write(error) => {
                lock(&self.results).error.get_or_insert(error);
            }
        }
        if let Some(line) = self.lines.get(batch) {
            line.give_up();
        }
    }

    fn give_up(&self, task: Task, detail: &str) {
        let Some((batch, line)) = self.batches.get(task.batch).zip(self.lines.get(task.batch)) else {
            return;
        };
        line.give_up();
        let input = batch.inputs.get(task.input).map_or("", |input| input.name.filename());
        let detail = format!("{input}: {detail}");
        self.tools.progress.batch_failed(&batch.id, &detail);
        lock(&self.results).failed.push((batch.id.clone(), detail));
    }
}

/// Whether a batch is being worked on.
#[derive(PartialEq, Eq)]
enum Begun {
    Yes,
    GivenUp,
}

impl<'j> Line<'j> {
    /// Begins the batch, for the first archive that is read.
    fn begin(&self, writer: impl FnOnce() -> io::Result<BatchWriter<'j>>) -> io::Result<Begun> {
        let mut state = lock(&self.state);
        if state.given_up {
            return Ok(Begun::GivenUp);
        }
        if state.writer.is_none() {
            state.writer = Some(writer()?);
        }
        Ok(Begun::Yes)
    }

    /// Drops what was written and lets nobody wait any longer.
    fn give_up(&self) {
        let mut state = lock(&self.state);
        *state = LineState { given_up: true, ..LineState::default() };
        self.changed.notify_all();
    }

    /// Ends an archive; returns the writer where it was the batch's last one.
    fn end_archive(&self, batch: &Batch, input: usize, tally: Tally) -> io::Result<Option<BatchWriter<'j>>> {
        let mut state = lock(&self.state);
        state.kept.entry(input).or_default().tally = Some(tally);
        state.write_in_line(batch)?;
        self.changed.notify_all();
        Ok(if state.next == batch.inputs.len() { state.writer.take() } else { None })
    }
}

impl LineState<'_> {
    /// Writes all that is next in line.
    fn write_in_line(&mut self, batch: &Batch) -> io::Result<()> {
        let writer = self.writer.as_mut().ok_or_else(given_up)?;
        while let Some((kept, input)) = self.kept.get_mut(&self.next).zip(batch.inputs.get(self.next)) {
            kept.bytes = 0;
            for piece in kept.pieces.drain(..) {
                writer.add(input, &piece)?;
            }
            let Some(tally) = kept.tally.take() else { break };
            writer.end_input(input, &tally);
            self.kept.remove(&self.next);
            self.next += 1;
        }
        Ok(())
    }
}

/// Takes the pieces of one archive.
struct LineOutlet<'c, 'j> {
    crew: &'c Crew<'j>,
    line: &'c Line<'j>,
    batch: &'c Batch,
    input: usize,
}

impl Outlet for LineOutlet<'_, '_> {
    fn send(&mut self, piece: Piece) -> io::Result<()> {
        if self.crew.is_over() {
            return Err(given_up());
        }
        let limit = self.crew.tools.held_back_bytes;
        let mut state = lock(&self.line.state);
        while state.next != self.input && !state.given_up && state.kept_bytes(self.input) > limit {
            state = self.line.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.given_up {
            return Err(given_up());
        }
        let kept = state.kept.entry(self.input).or_default();
        kept.bytes += bytes(&piece);
        kept.pieces.push(piece);
        if state.next == self.input { state.write_in_line(self.batch) } else { Ok(()) }
    }
}

impl LineState<'_> {
    fn kept_bytes(&self, input: usize) -> usize {
        self.kept.get(&input).map_or(0, |kept| kept.bytes)
    }
}

/// Returns about how much memory a piece takes.
fn bytes(piece: &Piece) -> usize {
    match piece {
        Piece::Captures(rows) => RecordBatch::get_array_memory_size(rows),
        Piece::SiteFile(site_file) => site_file.body.len(),
        Piece::Failure(damage) => damage.detail.len(),
    }
}

/// What a worker is told whose work another one gave up.
#[derive(Debug, thiserror::Error)]
#[error("the work was given up")]
struct GivenUp;

fn given_up() -> io::Error {
    io::Error::other(GivenUp)
}

fn is_given_up(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<GivenUp>)
}

/// Returns what a panic said.
pub fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message").to_owned()
}

/// Locks; a lock that a panic left behind is used on, for the batch is given up anyway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
