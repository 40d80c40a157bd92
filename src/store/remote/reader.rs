//! An object as a stream: its ranges one after the other, with the next ones under way.
//!
//! Each range is a task of its own, so that it arrives while the last one is inflated, and not only when it is waited
//! for. So a reader holds four ranges at most. A range that cannot be read ends the stream with its error.

use super::network::Network;
use super::object::{Object, RANGE_BYTES};
use bytes::{Buf, Bytes};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// How many ranges are under way while one is read.
const AHEAD: usize = 3;

/// An object from its first byte on.
pub struct RangeReader {
    object: Arc<Object>,
    network: Arc<Network>,
    current: Bytes,
    under_way: VecDeque<JoinHandle<io::Result<Bytes>>>,
    /// Where the next range begins.
    next: u64,
    end: u64,
}

impl RangeReader {
    /// Begins an object with its first range, which is waited for.
    pub fn new(object: Arc<Object>, network: Arc<Network>) -> io::Result<Self> {
        let current = network.wait(object.first())?;
        let (next, end) = (current.len() as u64, object.bytes().unwrap_or(0));
        let mut reader = Self { object, network, current, under_way: VecDeque::new(), next, end };
        reader.ask();
        Ok(reader)
    }

    /// Asks for the next ranges.
    fn ask(&mut self) {
        while self.under_way.len() < AHEAD && self.next < self.end {
            let range = self.next..self.end.min(self.next + RANGE_BYTES);
            self.next = range.end;
            let object = Arc::clone(&self.object);
            self.under_way.push_back(self.network.spawn(async move { object.bounded(range).await }));
        }
    }
}

impl Read for RangeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.current.is_empty()
            && let Some(range) = self.under_way.pop_front()
        {
            self.current = self.network.wait(async { range.await.map_err(io::Error::other)? })?;
            self.ask();
        }
        let count = self.current.len().min(buffer.len());
        self.current.copy_to_slice(buffer.get_mut(..count).unwrap_or_default());
        Ok(count)
    }
}

impl Drop for RangeReader {
    fn drop(&mut self) {
        for range in &self.under_way {
            range.abort();
        }
    }
}
