//! Cores, memory, and disks.

use super::finding::{Finding, shown_bytes};
use crawlprefs::runs::default_memory_bytes;
use std::io;
use std::path::Path;

/// A resolve of a segment needs so much (docs/nightly.md, "Planning figures").
const LEAST_MEMORY: u64 = 1_500_000_000;
/// The bodies of a segment's site files take so much in the folder for temporary files.
const LEAST_TEMP: u64 = 2_000_000_000;

/// Returns how many workers a job has.
pub fn cores() -> Finding {
    match std::thread::available_parallelism() {
        Ok(cores) => Finding::good("cores", format!("{cores}; a job has a worker for each (-j)")),
        Err(error) => Finding::odd("cores", format!("not known: {error}"), "give -j N"),
    }
}

/// Returns how much memory a job uses where nobody says.
pub fn memory() -> Finding {
    let bytes = default_memory_bytes();
    let found = format!("{}, half of what there is (--memory-limit)", shown_bytes(bytes));
    if bytes < LEAST_MEMORY {
        let advice = format!("the resolve of a segment of Common Crawl needs {}", shown_bytes(LEAST_MEMORY));
        return Finding::odd("memory", found, advice);
    }
    Finding::good("memory", found)
}

/// Returns whether temporary files can be written, and how much.
pub fn temp_folder(folder: &Path) -> Finding {
    let shown = folder.display();
    if let Err(error) = write_in(folder) {
        let found = format!("{shown}: cannot be written: {error}");
        return Finding::wrong(
            "temp folder",
            found,
            "set TMPDIR, or give --temp-dir a folder of a local disk",
        );
    }
    let Some(disk) = Disk::of(folder) else { return Finding::good("temp folder", format!("{shown}")) };
    let found = format!("{shown}: {} free{}", shown_bytes(disk.free), disk.kind());
    if disk.in_memory || disk.free < LEAST_TEMP {
        let advice = format!("give --temp-dir a local disk with {}", shown_bytes(LEAST_TEMP));
        return Finding::odd("temp folder", found, advice);
    }
    Finding::good("temp folder", found)
}

/// Writes a file without a name, as jobs do, or why that fails.
pub fn write_in(folder: &Path) -> io::Result<()> {
    crawlprefs::store::Scratch::new(folder).map(drop)
}

/// What is known of the file system of a folder.
pub struct Disk {
    pub free: u64,
    pub in_memory: bool,
}

impl Disk {
    /// Returns that of a folder; `None` where the system does not say.
    #[cfg(unix)]
    pub fn of(folder: &Path) -> Option<Self> {
        let found = rustix::fs::statvfs(folder).ok()?;
        let free = found.f_bavail.checked_mul(found.f_frsize)?;
        Some(Self { free, in_memory: in_memory(folder) })
    }

    /// Returns nothing: it is not asked.
    #[cfg(not(unix))]
    pub fn of(_: &Path) -> Option<Self> {
        None
    }

    /// Returns what is to be said of it.
    pub fn kind(&self) -> &'static str {
        if self.in_memory { ", in memory (tmpfs)" } else { "" }
    }
}

/// tmpfs(5): its type is 0x01021994.
#[cfg(target_os = "linux")]
fn in_memory(folder: &Path) -> bool {
    rustix::fs::statfs(folder).is_ok_and(|found| found.f_type == 0x0102_1994)
}

#[cfg(not(target_os = "linux"))]
fn in_memory(_: &Path) -> bool {
    false
}
