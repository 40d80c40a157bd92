//! What a nightly job reads of a call: its log, its report, its metrics; and the lists that it gives.

mod command;
mod lists;
mod log;
mod metrics;
mod report;
