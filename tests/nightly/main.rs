//! What a nightly job reads of a call: its log, its report, its metrics; the lists that it gives; and what
//! odd files, names and outputs do to it.

mod apart;
mod command;
mod complete;
mod crawls;
mod faults;
#[path = "../support/files.rs"]
mod files;
mod help;
mod lists;
mod log;
mod manners;
mod metrics;
mod repair;
mod report;
#[path = "../support/rounds.rs"]
mod rounds;
mod rows;
mod status;
mod terminal;
mod upgrade;
#[path = "../support/warc.rs"]
mod warc;
mod year;
