//! How much memory a job may use by default: half of what the machine has, or of what its control group allows.
//!
//! Documents: proc(5), cgroups(7), and the kernel's "Control Group v2" (`memory.max`) and "Memory Resource Controller"
//! (`memory.limit_in_bytes`). Example: `MemTotal: 8 kB` in `/proc/meminfo`. Without `/proc`, 4 GiB are assumed.
//!
//! Also named threads that belong to one call: those that all calls of a process share do not exist in a forked process.

use crate::error::Error;
use crate::store::Store;
use std::path::Path;
use std::{fs, io};

/// Assumed if the machine does not say what it has; any number of this size.
const UNKNOWN_BYTES: u64 = 4 << 30;

/// Returns half of the memory of the machine, or of its control group if that allows less.
pub fn default_memory_bytes() -> u64 {
    half(Path::new("/"))
}

fn half(root: &Path) -> u64 {
    let read = |file: &str| fs::read_to_string(root.join(file)).ok();
    let machine = read("proc/meminfo").as_deref().and_then(total_bytes);
    let groups = read("proc/self/cgroup").unwrap_or_default();
    let of_groups = limit_files(&groups)
        .into_iter()
        .filter_map(|file| read(&file)?.trim().parse().ok());
    machine
        .into_iter()
        .chain(of_groups)
        .min()
        .unwrap_or(UNKNOWN_BYTES)
        / 2
}

fn total_bytes(meminfo: &str) -> Option<u64> {
    let total = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    total
        .trim()
        .strip_suffix(" kB")?
        .trim()
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}

/// The files that may hold a limit: of the process's groups and all above them; a container's own group is at the top.
fn limit_files(groups: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (base, file) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|one| one == "memory") => {
                ("sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let groups = Path::new(path.trim_start_matches('/')).ancestors();
        files.extend(
            groups.map(|group| Path::new(base).join(group).join(file).display().to_string()),
        );
    }
    files
}

/// Returns a number that memory allows, as a count of at least one.
pub fn fitting(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX).max(1)
}

/// Returns a pool of `jobs` threads, named for debuggers and profilers; for 0, as many as there are cores.
pub fn pool(name: &'static str, jobs: usize) -> Result<rayon::ThreadPool, Error> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .thread_name(move |number| format!("{name}-{number}"))
        .build()
        .map_err(|error| Error::Workers {
            jobs,
            detail: error.to_string(),
        })
}

/// Returns a pool of threads that wait for small objects of a store.
pub fn many_requests(store: &dyn Store, objects: usize) -> io::Result<rayon::ThreadPool> {
    pool("manifests", objects.clamp(1, store.requests())).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::{UNKNOWN_BYTES, half};

    fn allowed(files: &[(&str, &str)]) -> u64 {
        let root = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        half(root.path())
    }

    #[test]
    fn local_half_of_the_machine_or_of_the_smallest_group() {
        let machine = ("proc/meminfo", "MemFree: 1 kB\nMemTotal:       8 kB\n");
        let two = ("proc/self/cgroup", "0::/a/b\n");
        let old = ("proc/self/cgroup", "9:cpu,memory:/c\n8:pids:/d\n");
        assert_eq!(allowed(&[]), UNKNOWN_BYTES / 2);
        assert_eq!(allowed(&[machine]), 4096);
        assert_eq!(
            allowed(&[machine, two, ("sys/fs/cgroup/a/memory.max", "max\n")]),
            4096
        );
        assert_eq!(
            allowed(&[machine, two, ("sys/fs/cgroup/a/memory.max", "6000\n")]),
            3000
        );
        assert_eq!(
            allowed(&[machine, two, ("sys/fs/cgroup/memory.max", "5000\n")]),
            2500
        );
        let limit = (
            "sys/fs/cgroup/memory/c/memory.limit_in_bytes",
            "9223372036854771712\n",
        );
        assert_eq!(allowed(&[machine, old, limit]), 4096);
        let limit = ("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "1000\n");
        assert_eq!(allowed(&[machine, old, limit]), 500);
    }
}
