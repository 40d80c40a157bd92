//! The job: the same bytes with any workers, restart, failures of inputs, of the output, of ours.

#[path = "../support/counted.rs"]
mod counted;
mod cuts;
mod duplicates;
#[path = "../support/ending.rs"]
mod ending;
mod evidence;
#[path = "../support/files.rs"]
mod files;
mod fixture;
mod formats;
mod hosts;
mod html_signals;
mod identical;
mod inputs;
mod known;
mod languages;
mod limits;
#[cfg(unix)]
mod links;
mod managed;
#[path = "../support/memory.rs"]
mod memory;
mod mixing;
mod odd_records;
mod replaced;
mod resolve;
mod resolved;
mod restart;
mod revisits;
mod robots_tables;
#[path = "../support/rounds.rs"]
mod rounds;
mod sample;
mod segments;
mod site_files;
mod sites;
mod sorted;
mod unreadable;
mod verdicts;
mod viewpoint;
mod wacz;
#[path = "../support/warc.rs"]
mod warc;
#[path = "../support/zipped.rs"]
mod zipped;
