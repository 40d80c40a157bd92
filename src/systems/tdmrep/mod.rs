//! TDMRep: whether the rights to text and data mining are reserved.
//!
//! Document: TDM Reservation Protocol (W3C Community Group, 2 February 2024). Examples:
//!
//! ```text
//! /.well-known/tdmrep.json   [{"location": "/news/*", "tdm-reservation": 1, "tdm-policy": "https://a.example/tdm"}]
//! response header            tdm-reservation: 1
//! meta in head               <meta name="tdm-reservation" content="1">
//! ```
//!
//! The carrier nearest to the page counts: a meta over a header field over the site's file; an absent value, or one other than
//! 1 and 0, replaces nothing. Of the file's entries the first that matches counts. Ours: the shapes in which the file really
//! occurs are read, each flagged (see `file.rs`). Left out: reservations in EPUB and PDF files; the policy that a URL leads to.

mod file;
mod system;

pub use file::Reservation;
pub use system::TDMREP;

const RESERVATION: &str = "tdm-reservation";
const POLICY: &str = "tdm-policy";
const NAMES: [&str; 2] = [RESERVATION, POLICY];
