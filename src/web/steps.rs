//! Counts steps of work, so that tests can check that work grows no faster than its input.
//!
//! Example: a search counts the bytes that it looks at, a decoder those that it reads and writes. Steps are counted per thread,
//! in builds with debug assertions; other builds do nothing here.

use std::cell::Cell;

thread_local!(static STEPS: Cell<u64> = const { Cell::new(0) });

#[inline]
pub fn count(steps: usize) {
    if cfg!(debug_assertions) {
        STEPS.set(STEPS.get().saturating_add(steps as u64));
    }
}

/// Returns the result of some work, and the number of steps it took on this thread.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = STEPS.get();
    let done = work();
    (done, STEPS.get() - before)
}
