//! Threads with a name, which belong to one call.
//!
//! Those that all calls of a process share are not there in a process that was forked.

use crate::error::Error;

/// Returns so many threads, with names for debuggers and profilers; for 0 as many as there are cores.
///
/// # Errors
/// [`Error::Workers`]
pub fn pool(name: &'static str, jobs: usize) -> Result<rayon::ThreadPool, Error> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .thread_name(move |number| format!("{name}-{number}"))
        .build()
        .map_err(|error| Error::Workers { jobs, detail: error.to_string() })
}

/// So many requests are under way at once where a store has many small objects to read.
const REQUESTS: usize = 32;

/// Returns threads that wait for so many small objects, which may be in a store far away.
///
/// # Errors
/// [`Error::Workers`]
pub fn many_requests(objects: usize) -> Result<rayon::ThreadPool, Error> {
    pool("manifests", objects.clamp(1, REQUESTS))
}
