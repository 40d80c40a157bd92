//! TDMRep: are the rights to text and data mining reserved.
//!
//! Document: TDM Reservation Protocol (W3C Community Group, 2 February 2024). Examples:
//!
//! ```text
//! /.well-known/tdmrep.json   [{"location": "/news/*", "tdm-reservation": 1, "tdm-policy": "https://a.example/tdm"}]
//! response header            tdm-reservation: 1
//! meta in head               <meta name="tdm-reservation" content="1">
//! ```
//!
//! What is nearer to the page counts: a meta over a header field over the site's file; what is absent,
//! or has another value than 1 and 0, replaces nothing. Of the file's entries the first that matches
//! counts.
//! Ours: the shapes in which the file is really found are read, each flagged (see `file.rs`).
//! Left out: what is in EPUB and PDF files; the policy that a URL leads to.

mod file;
mod system;

pub use file::{Entry, Reservation, Shape, TdmrepFile};
pub use system::{Tdmrep, TdmrepAnswer, TdmrepPolicy};

/// The reservation as a header field, meta and key of the file.
const RESERVATION: &str = "tdm-reservation";
/// The policy as a header field, meta and key of the file.
const POLICY: &str = "tdm-policy";

/// The names of both.
const NAMES: [&str; 2] = [RESERVATION, POLICY];

/// Its name in the tables.
const SYSTEM: &str = "tdmrep";
