//! Who writes an index into a folder: one call at a time, in a folder on a disk or a prefix of a bucket.
//!
//! Example: two nightly jobs start for one folder; the second ends at once and says since when the first is at work. The claim of
//! a process that is gone is taken over. A process on another machine cannot be checked: its claim is taken over after it has
//! been silent for a while. Left out: readers, which need no claim.

use crate::error::Error;
use crate::store::{Claim, Store};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The file that says that an index is being written, and that the files in the folder are ours.
pub const UNFINISHED: &str = "_index_unfinished";

/// A process that has been silent for longer counts as gone: in this time, one at work renews its claim thirty times.
const SILENT: Duration = Duration::from_mins(30);
/// How often a process at work renews its claim.
const REPEATED: Duration = Duration::from_mins(1);

/// The claims that this process holds.
static HELD: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
static NEXT: AtomicU64 = AtomicU64::new(0);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Claimant {
    /// The boot of the machine and its process namespace.
    machine: String,
    process: u32,
    /// When the process began, to distinguish it from another one with its number.
    #[serde(rename = "begun")]
    start_ticks: String,
    number: u64,
    since_unix_ms: u64,
    /// Whether it ended without an index.
    #[serde(default)]
    has_ended: bool,
}

impl Claimant {
    fn new() -> Self {
        let read = |file: &str| {
            std::fs::read_to_string(file)
                .unwrap_or_default()
                .trim()
                .to_owned()
        };
        let spaces = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        Self {
            machine: format!(
                "{} {}",
                read("/proc/sys/kernel/random/boot_id"),
                spaces.display()
            ),
            process: std::process::id(),
            start_ticks: start_ticks(std::process::id()).unwrap_or_default(),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            since_unix_ms: u64::try_from(now_unix_ms()).unwrap_or_default(),
            has_ended: false,
        }
    }

    fn is_gone(&self, own: &Self) -> bool {
        if self.has_ended {
            return true;
        }
        // On systems other than Linux, nothing is known about other processes.
        if self.machine != own.machine || own.start_ticks.is_empty() {
            return false;
        }
        if (self.process, &self.start_ticks) == (own.process, &own.start_ticks) {
            return !HELD
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .contains(&self.number);
        }
        start_ticks(self.process).is_none_or(|start_ticks| start_ticks != self.start_ticks)
    }
}

/// Returns when a process began, in ticks since the machine's start.
fn start_ticks(process: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the command is in brackets and may contain anything.
    stat.rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(19)
        .map(str::to_owned)
}

fn now_unix_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A claimed folder, until this is dropped or the process ends.
pub struct Claimed<'s> {
    store: &'s dyn Store,
    claimant: Claimant,
    content: Vec<u8>,
    said: Mutex<Instant>,
}

impl<'s> Claimed<'s> {
    pub fn new(store: &'s dyn Store) -> Result<(Self, Claim), Error> {
        let claimant = Claimant::new();
        let unwritable = |source| Error::OutputUnwritable {
            location: store.location(),
            source,
        };
        let content = serde_json::to_vec(&claimant).map_err(|error| unwritable(error.into()))?;
        // Held before it is written: a reader of the file then knows that its process is at work.
        let claimed = Self {
            store,
            claimant,
            content,
            said: Mutex::new(Instant::now()),
        };
        HELD.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(claimed.claimant.number);
        let busy = |seconds| {
            Err(Error::IndexBusy {
                location: store.location(),
                seconds,
            })
        };
        let claim = || {
            store
                .claim(UNFINISHED, &claimed.content)
                .map_err(unwritable)
        };
        let first = claim()?;
        if first == Claim::Exists {
            if let Some(since_unix_ms) = busy_since(store, &claimed.claimant).map_err(unwritable)? {
                return busy(now_unix_ms().saturating_sub(since_unix_ms).max(0) / 1000);
            }
            if claim()? == Claim::Exists {
                return busy(0);
            }
        }
        Ok((claimed, first))
    }

    /// Renews the claim, if it is time.
    pub fn go_on(&self) -> io::Result<()> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.elapsed() < REPEATED {
            return Ok(());
        }
        *said = Instant::now();
        self.check()?;
        self.store.put(UNFINISHED, &self.content)
    }

    /// Fails if the folder is no longer claimed.
    pub fn check(&self) -> io::Result<()> {
        if self.store.read(UNFINISHED)?.as_ref() == Some(&self.content) {
            return Ok(());
        }
        Err(io::Error::other(
            "another call has taken the folder over meanwhile",
        ))
    }

    /// Ends without an index: the next call continues, wherever it runs.
    pub fn leave(&self) {
        let ended = Claimant {
            has_ended: true,
            ..self.claimant.clone()
        };
        // If this cannot be written, the next call waits as for a process that is gone.
        if self.check().is_ok()
            && let Ok(content) = serde_json::to_vec(&ended)
        {
            let _ = self.store.put(UNFINISHED, &content);
        }
    }

    pub fn release(self) -> io::Result<()> {
        self.store.remove(UNFINISHED)
    }
}

impl Drop for Claimed<'_> {
    fn drop(&mut self) {
        HELD.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.claimant.number);
    }
}

/// Returns since when an earlier call may be at work; the claim of one that is gone is removed.
fn busy_since(store: &dyn Store, own: &Claimant) -> io::Result<Option<i64>> {
    // If it was released, the file that exists now belongs to another call and must not be removed.
    let Some(found) = store.read(UNFINISHED)? else {
        return Ok(None);
    };
    let claimant = serde_json::from_slice::<Claimant>(&found)
        .ok()
        .filter(|found| !found.is_gone(own));
    if let Some(claimant) = claimant {
        let silent = store
            .modified_unix_ms(UNFINISHED)?
            .map(|said| u128::try_from(now_unix_ms() - said));
        if !silent.is_some_and(|ms| ms.is_ok_and(|ms| ms > SILENT.as_millis())) {
            return Ok(Some(
                i64::try_from(claimant.since_unix_ms).unwrap_or_default(),
            ));
        }
    }
    store.remove(UNFINISHED).map(|()| None)
}
