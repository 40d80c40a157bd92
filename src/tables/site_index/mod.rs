//! The tables of a site index: what each origin's site files were, and when.
//!
//! `fetches` has a row for each distinct answer, `bodies` for each distinct body of a range of hosts, `archives` for each
//! archive that was read. Their layout follows from what is asked: the rows of one host are in one row group, and its
//! bodies in one, so that a look-up reads two groups. Left out: which rows there are (`sites`).

mod archives;
mod bodies;
mod body_groups;
mod fetches;
mod group;
mod part;

pub use archives::{INDEX_ARCHIVES, IndexedArchive, archive_rows, indexed_archives};
pub use bodies::{BODIES, Bodies, BodyRows, SharedBytes};
pub use body_groups::{BodyGroup, BodyGroups};
pub use fetches::{FETCHES, FetchRows, Fetches, NumberedFetch, Seen, SiteFetch, SiteHost, first_url};
pub use group::ReadGroup;
pub use part::{EncodedGroup, GroupEncoder, GroupRange, IndexPart, IndexPartWriter, part_file};

use crate::tables::{Table, markdown_columns};
use std::fmt::Write;

/// Describes the tables in Markdown, the end of `docs/site-index.md`.
pub fn index_markdown() -> String {
    let tables: [&Table; 3] = [&FETCHES, &BODIES, &INDEX_ARCHIVES];
    let mut text = String::new();
    for table in tables {
        // Writing to a String does not fail.
        let _ =
            write!(text, "\n### {}\n\nOne row per {}.\n\n{}", table.name, table.row, markdown_columns(table));
    }
    text
}

/// The version of the format of a site index.
pub const INDEX_FORMAT: &str = "1";
