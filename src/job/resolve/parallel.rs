//! Work on many items side by side: batches of a segment, two at once, and the slices of each by all workers.

use crate::job::lock;
use rayon::ScopeFifo;
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Works on `count` items at once, each on a thread that waits for a pool's workers; after an error no further item is begun.
pub fn at_once<I: Sync>(
    items: &[I],
    count: usize,
    work: impl Fn(&I) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let first_error = Mutex::new(None);
    let error = || lock(&first_error);
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
    first_error
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .map_or(Ok(()), Err)
}

/// Works on items side by side, and hands the results over one by one in the order of the items. Nothing waits for the slowest:
/// an item is read as soon as fewer than `capacity` are in memory, and worked on as soon as a worker is free.
pub fn in_order<I: Send, O: Send>(
    items: impl Iterator<Item = io::Result<I>> + Send,
    work: impl Fn(I) -> io::Result<O> + Sync,
    hand_over: impl FnMut(O) -> io::Result<()> + Send,
) -> io::Result<()> {
    let line = WorkLine {
        results: VecDeque::new(),
        first: 0,
        reading: false,
        handing_over: false,
    };
    let items = Mutex::new(items);
    let hand_over = Mutex::new(hand_over);
    let in_order = InOrder {
        items,
        work,
        hand_over,
        capacity: capacity(),
        line: Mutex::new(Ok(line)),
    };
    rayon::scope_fifo(|scope| in_order.read(scope));
    in_order
        .line
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .map(drop)
}

/// Like [`in_order`], but the work on an item may end early and return the rest of it. The rest is worked on after the result
/// before it was handed over, so that only one result of an item is in memory at a time.
pub fn in_order_by_pieces<I: Send, O: Send>(
    items: impl Iterator<Item = io::Result<I>> + Send,
    work: impl Fn(I) -> io::Result<(O, Option<I>)> + Sync,
    mut hand_over: impl FnMut(O) -> io::Result<()> + Send,
) -> io::Result<()> {
    in_order(items, &work, |(mut done, mut left)| {
        loop {
            hand_over(done)?;
            let Some(rest) = left else { return Ok(()) };
            (done, left) = work(rest)?;
        }
    })
}

/// How many items are in memory at once, read and not yet handed over: more than workers, because some take longer.
fn capacity() -> usize {
    let workers = rayon::current_num_threads();
    if workers == 1 { 1 } else { 4 * workers }
}

/// The arguments of [`in_order`], and its state.
struct InOrder<Items, Work, HandOver, O> {
    items: Mutex<Items>,
    work: Work,
    hand_over: Mutex<HandOver>,
    capacity: usize,
    /// Or the first error.
    line: Mutex<io::Result<WorkLine<O>>>,
}

/// The items that are read and not yet handed over.
struct WorkLine<O> {
    /// Their results, as far as they exist.
    results: VecDeque<Option<O>>,
    /// The number of the first of them.
    first: usize,
    /// Whether a task reads; it stays so after the last item.
    reading: bool,
    handing_over: bool,
}

impl<I, O, Items, Work, HandOver> InOrder<Items, Work, HandOver, O>
where
    I: Send,
    O: Send,
    Items: Iterator<Item = io::Result<I>> + Send,
    Work: Fn(I) -> io::Result<O> + Sync,
    HandOver: FnMut(O) -> io::Result<()> + Send,
{
    /// Reads items up to the capacity, unless another task does, and starts a task for each.
    fn read<'s>(&'s self, scope: &ScopeFifo<'s>)
    where
        I: 's,
    {
        while self.change(|line| line.begin_reading(self.capacity)) == Some(true) {
            let Some(item) = lock(&self.items).next() else {
                return;
            };
            let Some(item) = self.succeeded(item) else {
                return;
            };
            let Some(number) = self.change(WorkLine::push) else {
                return;
            };
            scope.spawn_fifo(move |scope| self.work(number, item, scope));
        }
    }

    /// Works on an item, and hands over what is ready, unless another task does.
    fn work<'s>(&'s self, number: usize, item: I, scope: &ScopeFifo<'s>)
    where
        I: 's,
    {
        let Some(result) = self.succeeded((self.work)(item)) else {
            return;
        };
        let mut next = self.change(|line| line.ready(number, result)).flatten();
        while let Some(result) = next {
            if self.succeeded(lock(&self.hand_over)(result)).is_none() {
                return;
            }
            next = self.change(WorkLine::handed_over).flatten();
            scope.spawn_fifo(|scope| self.read(scope));
        }
    }

    /// Changes the line, unless there was an error.
    fn change<T>(&self, change: impl FnOnce(&mut WorkLine<O>) -> T) -> Option<T> {
        lock(&self.line).as_mut().ok().map(change)
    }

    /// Returns the value, or keeps the error if it is the first.
    fn succeeded<T>(&self, made: io::Result<T>) -> Option<T> {
        made.map_err(|error| {
            let mut line = lock(&self.line);
            if line.is_ok() {
                *line = Err(error);
            }
        })
        .ok()
    }
}

impl<O> WorkLine<O> {
    /// Whether an item may be read; nothing else reads until it is pushed.
    fn begin_reading(&mut self, capacity: usize) -> bool {
        let may_read = !self.reading && self.results.len() < capacity;
        self.reading |= may_read;
        may_read
    }

    fn push(&mut self) -> usize {
        self.reading = false;
        self.results.push_back(None);
        self.first + self.results.len() - 1
    }

    /// Adds a result, and returns the one to hand over, unless another task does.
    fn ready(&mut self, number: usize, result: O) -> Option<O> {
        if let Some(place) = self.results.get_mut(number - self.first) {
            *place = Some(result);
        }
        if self.handing_over { None } else { self.next() }
    }

    /// Removes the first item, which was handed over, and returns the next to hand over.
    fn handed_over(&mut self) -> Option<O> {
        self.results.pop_front();
        self.first += 1;
        self.next()
    }

    /// The result to hand over, if it exists; else nothing is handed over until it does.
    fn next(&mut self) -> Option<O> {
        let next = self.results.front_mut().and_then(Option::take);
        self.handing_over = next.is_some();
        next
    }
}

#[cfg(test)]
mod tests {
    use super::{at_once, capacity, in_order};
    use std::io;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::time::Instant;

    #[test]
    fn local_results_come_in_the_order_of_the_items() {
        for workers in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(workers)
                .build()
                .unwrap();
            let mut squares = Vec::new();
            let numbers = (0..50_u64).map(io::Result::Ok);
            let mut keep = |square| {
                squares.push(square);
                Ok(())
            };
            pool.install(|| in_order(numbers, |number| Ok(number * number), &mut keep))
                .unwrap();
            assert_eq!(
                squares,
                (0..50).map(|number| number * number).collect::<Vec<u64>>()
            );
        }
    }

    #[test]
    fn local_a_slow_item_holds_up_no_other_within_the_capacity() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap();
        let capacity = pool.install(capacity);
        let (read, worked, handed_over) = (
            AtomicUsize::new(0),
            AtomicUsize::new(0),
            AtomicUsize::new(0),
        );
        let items = (0..50).map(|item| {
            let in_memory =
                read.fetch_add(1, Ordering::SeqCst) + 1 - handed_over.load(Ordering::SeqCst);
            assert!(in_memory <= capacity, "{in_memory} items are in memory");
            io::Result::Ok(item)
        });
        let begun = Instant::now();
        let work = |item| {
            while item == 0 && worked.load(Ordering::SeqCst) < capacity - 1 {
                assert!(
                    begun.elapsed().as_secs() < 60,
                    "the first item holds up the others"
                );
                std::thread::yield_now();
            }
            worked.fetch_add(1, Ordering::SeqCst);
            Ok(item)
        };
        let mut order = Vec::new();
        let hand_over = |item| {
            order.push(item);
            handed_over.fetch_add(1, Ordering::SeqCst);
            Ok(())
        };
        pool.install(|| in_order(items, work, hand_over)).unwrap();
        assert_eq!(order, (0..50).collect::<Vec<usize>>());
    }

    #[test]
    fn local_an_error_ends_it() {
        let numbers = || (0..50_u64).map(io::Result::Ok);
        let fails = |number| {
            if number == 20 {
                Err(io::Error::other("20"))
            } else {
                Ok(number)
            }
        };
        assert!(in_order(numbers(), fails, |_| Ok(())).is_err());
        assert!(in_order(numbers(), Ok, |number| fails(number).map(drop)).is_err());
        assert!(
            in_order(numbers().map(|number| number.and_then(fails)), Ok, |_| Ok(
                ()
            ))
            .is_err()
        );
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
