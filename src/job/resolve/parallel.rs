//! Work on many items side by side.
//!
//! Example: batches of a segment, two at once, and the slices of each by all workers.

use rayon::prelude::*;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Works on so many items at once, each on a thread that waits while a pool's workers do the work; after an error
/// no further item is begun.
///
/// # Errors
/// The first of the work.
pub fn at_once<I: Sync>(
    items: &[I],
    count: usize,
    work: impl Fn(&I) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let first_error = Mutex::new(None);
    let error = || first_error.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..count.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                while error().is_none()
                    && let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if let Err(failed) = work(item) {
                        error().get_or_insert(failed);
                    }
                }
            });
        }
    });
    first_error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Works on items side by side, as many at once as there are workers, and hands the results over in their order:
/// while some are handed over, the next are worked on, and those behind them are read.
///
/// # Errors
/// The first of the items, of the work and of handing over.
pub fn in_order<I: Send, O: Send>(
    mut items: impl Iterator<Item = io::Result<I>> + Send,
    work: impl Fn(I) -> io::Result<O> + Sync,
    mut hand_over: impl FnMut(O) -> io::Result<()> + Send,
) -> io::Result<()> {
    let at_once = match rayon::current_num_threads() {
        1 => 1,
        // More items than workers, for some take longer.
        workers => 2 * workers,
    };
    let (mut read, mut worked): (Vec<I>, Vec<O>) = (Vec::new(), Vec::new());
    loop {
        let (handed_over, (now_worked, now_read)) = rayon::join(
            || worked.into_iter().try_for_each(&mut hand_over),
            || {
                rayon::join(
                    || read.into_par_iter().map(&work).collect::<io::Result<Vec<O>>>(),
                    || items.by_ref().take(at_once).collect::<io::Result<Vec<I>>>(),
                )
            },
        );
        handed_over?;
        (worked, read) = (now_worked?, now_read?);
        if worked.is_empty() && read.is_empty() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{at_once, in_order};
    use std::io;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn local_results_come_in_the_order_of_the_items() {
        for workers in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
            let mut squares = Vec::new();
            let numbers = (0..50_u64).map(io::Result::Ok);
            pool.install(|| {
                in_order(
                    numbers,
                    |number| Ok(number * number),
                    |square| {
                        squares.push(square);
                        Ok(())
                    },
                )
            })
            .unwrap();
            assert_eq!(squares, (0..50).map(|number| number * number).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn local_an_error_ends_it() {
        let numbers = || (0..50_u64).map(io::Result::Ok);
        let fails = |number| if number == 20 { Err(io::Error::other("20")) } else { Ok(number) };
        assert!(in_order(numbers(), fails, |_| Ok(())).is_err());
        assert!(in_order(numbers(), Ok, |number| fails(number).map(drop)).is_err());
        assert!(in_order(numbers().map(|number| number.and_then(fails)), Ok, |_| Ok(())).is_err());
    }

    #[test]
    fn local_every_item_is_worked_on_once_until_one_fails() {
        let items: Vec<u64> = (1..=30).collect();
        for count in [0, 1, 3, 50] {
            let sum = AtomicU64::new(0);
            let add = |item: &u64| {
                sum.fetch_add(*item, Ordering::Relaxed);
                Ok(())
            };
            at_once(&items, count, add).unwrap();
            assert_eq!(sum.into_inner(), 30 * 31 / 2);
        }
        let begun = AtomicU64::new(0);
        let fails = |_: &u64| {
            begun.fetch_add(1, Ordering::Relaxed);
            Err(io::Error::other("no"))
        };
        assert!(at_once(&items, 1, fails).is_err());
        assert_eq!(begun.into_inner(), 1);
    }
}
