//! What the user sees while waiting: a bar on a terminal, a line a minute elsewhere.

use super::messages::{Voice, grouped, megabytes};
use crawlprefs::archive::ArchiveName;
use crawlprefs::job::{Plan, Progress, Scanned, When};
use crawlprefs::tables::archives::Outcome;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How progress looks.
#[derive(Clone, Copy)]
pub struct Looks {
    /// Time between two lines where there is no terminal for a bar; `None`: nothing is shown.
    pub period: Option<Duration>,
    /// What is told.
    pub detail: Detail,
}

/// What is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// How far the work is.
    Work,
    /// Every archive as it ends, too.
    Archives,
}

/// Shows a job's progress, and passes the user's wish to stop on.
pub struct Shown {
    voice: Voice,
    detail: Detail,
    signal: Arc<AtomicUsize>,
    records: AtomicU64,
    bytes: AtomicU64,
    archives: AtomicU64,
    all_archives: AtomicU64,
    all_captures: AtomicU64,
    begun: Instant,
    bar: Option<ProgressBar>,
    /// When the next line is due, where lines are written.
    next_line: Option<(Duration, Mutex<Instant>)>,
}

impl Shown {
    pub fn new(looks: Looks, voice: Voice, signal: Arc<AtomicUsize>) -> Self {
        let begun = Instant::now();
        let terminal = stderr().is_terminal();
        let bar = looks.period.filter(|_| terminal).map(|_| ProgressBar::no_length());
        let lines = looks.period.filter(|_| !terminal);
        Self {
            voice,
            detail: looks.detail,
            signal,
            records: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            archives: AtomicU64::new(0),
            all_archives: AtomicU64::new(0),
            all_captures: AtomicU64::new(0),
            begun,
            bar,
            next_line: lines.map(|period| (period, Mutex::new(begun + period))),
        }
    }

    /// Takes the bar away.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Writes a line, with the bar out of its way.
    fn say(&self, level: &str, message: &str) {
        let line = self.voice.line(level, message);
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    /// Returns archives, records and records per second so far.
    fn state(&self) -> String {
        let records = self.records.load(Ordering::Relaxed);
        let seconds = self.begun.elapsed().as_secs().max(1);
        let (archives, all) =
            (self.archives.load(Ordering::Relaxed), self.all_archives.load(Ordering::Relaxed));
        if all == 0 {
            // Resolving reads evidence, not archives.
            let all = grouped(self.all_captures.load(Ordering::Relaxed));
            return format!("{}/{all} captures, {}/s", grouped(records), grouped(records / seconds));
        }
        format!("{archives}/{all} archives, {} records, {}/s", grouped(records), grouped(records / seconds))
    }

    fn line_when_due(&self) {
        let Some((period, next)) = &self.next_line else { return };
        let Ok(mut next) = next.try_lock() else { return };
        if Instant::now() >= *next {
            *next = Instant::now() + *period;
            let bytes = megabytes(self.bytes.load(Ordering::Relaxed));
            self.say("info", &format!("{}, {bytes:.0} MB", self.state()));
        }
    }
}

impl Progress for Shown {
    fn started(&self, plan: &Plan) {
        self.all_archives.store(plan.archives as u64, Ordering::Relaxed);
        self.records.store(0, Ordering::Relaxed);
        self.all_captures.store(plan.captures, Ordering::Relaxed);
        let Some(bar) = &self.bar else { return };
        bar.set_position(0);
        let template = match plan.bytes.filter(|_| plan.archives > 0) {
            Some(bytes) => {
                bar.set_length(bytes);
                "{bar:24} {bytes}/{total_bytes}  {msg}  {eta} left"
            }
            None if plan.captures > 0 => {
                bar.set_length(plan.captures);
                "{bar:24} {msg}  {eta} left"
            }
            None => "{spinner} {bytes}  {msg}",
        };
        // The templates are ours and sound; the default style is good enough if not.
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
    }

    fn advanced(&self, bytes: u64, records: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.records.fetch_add(records, Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.inc(if self.all_captures.load(Ordering::Relaxed) > 0 { records } else { bytes });
            bar.set_message(self.state());
        }
        self.line_when_due();
    }

    fn archive_ended(&self, name: &ArchiveName, scanned: &Scanned) {
        self.archives.fetch_add(1, Ordering::Relaxed);
        if let Some(failed) = &scanned.failed {
            let detail = failed.detail.as_deref().unwrap_or_default();
            return self.say("warning", &format!("{name}: {}: {detail}", failed.outcome));
        }
        let Some(manifest) = &scanned.manifest else { return };
        let row = &manifest.row;
        if row.outcome != Outcome::Read {
            let detail = row.detail.as_deref().unwrap_or_default();
            self.say("warning", &format!("{name}: {}: {detail}", row.outcome.as_str()));
        } else if self.detail == Detail::Archives {
            let when = match scanned.when {
                When::Now => "",
                When::Earlier => " by an earlier call",
            };
            let (records, captures) = (grouped(row.records), grouped(row.captures()));
            self.say(
                "info",
                &format!("{name}: {records} records, {captures} captures, {} failures{when}", row.failures),
            );
        }
    }

    fn should_stop(&self) -> bool {
        self.signal.load(Ordering::Relaxed) != 0
    }
}
