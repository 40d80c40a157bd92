//! `judge`: the verdicts of documents are those of the tables, and their rows come out as they were.

mod audit;
mod copied;
mod damaged;
mod depths;
mod dialects;
mod diff;
mod exceptions;
mod explained;
mod faults;
mod fixture;
mod foreign;
mod forged;
mod formats;
mod inputs;
mod intervals;
#[path = "../support/kept_folder.rs"]
mod kept_folder;
mod limits;
mod lines;
mod near_captures;
mod other_records;
mod pairs;
mod parquet_files;
mod policy;
mod removals;
#[path = "../support/rounds.rs"]
mod rounds;
mod sampled;
mod sites;
mod slips;
mod summary;
mod times;
mod twins;

mod wacz;
#[path = "../support/warc.rs"]
mod warc;
#[path = "../support/zipped.rs"]
mod zipped;
