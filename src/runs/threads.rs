//! Threads with a name, which belong to one call.
//!
//! Those that all calls of a process share are not there in a process that was forked.

use crate::error::Error;
use crate::store::Store;
use std::io;

/// Returns a number of threads, with names for debuggers and profilers; for 0 as many as there are cores.
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

/// Returns threads that wait for small objects of a store.
///
/// # Errors
/// Why there are no threads, [`Error::Workers`].
pub fn many_requests(store: &dyn Store, objects: usize) -> io::Result<rayon::ThreadPool> {
    pool("manifests", objects.clamp(1, store.requests())).map_err(io::Error::other)
}
