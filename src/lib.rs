//! Reads web archives and writes down, for every page in them, who may crawl it and what may be
//! done with it.
//!
//! ```text
//! inputs ─ scan ─> evidence (Parquet)          what was received, uninterpreted
//!
//! archive  ->  records  ->  tables             imports point to the left, and to web and error
//! bytes        evidence     Parquet
//! ```
//!
//! [`job::Job::run`] is the entry: it takes inputs, a [`tables::Store`] and a [`job::Progress`], and
//! returns a [`job::Summary`]. The command `crawlprefs` is a thin layer over it.

#![deny(unsafe_code, missing_docs)]
#![warn(clippy::pedantic)]

#[cfg(feature = "archive")]
pub mod archive;
#[cfg(feature = "tables")]
pub mod error;
#[cfg(feature = "archive")]
pub mod evidence;
#[cfg(feature = "explain")]
pub mod explain;
#[cfg(feature = "tables")]
pub mod job;
pub mod robots;
#[cfg(feature = "tables")]
pub mod store;
pub mod systems;
#[cfg(feature = "tables")]
pub mod tables;
pub mod verdict;
pub mod web;
