//! The bodies of site files that revisits refer to.
//!
//! Document: WARC 1.1, 6.7: a revisit with the profile identical-payload-digest has the body of an earlier record,
//! named by WARC-Refers-To or by the payload digest. Example: a robots.txt that has not changed since yesterday.
//!
//! Left out: records of other archives, and revisits by URL and date alone; their body is unread.

use super::capture::Body;
use crate::archive::Record;
use crate::web::body_mark::BodyMarks;
use crate::web::capture_kind::CaptureKind;
use std::borrow::Cow;
use std::collections::HashMap;

/// So many bodies are remembered.
const BODIES: usize = 1 << 16;

/// The bodies of an archive's site files, by what a revisit may name.
#[derive(Default)]
pub struct Referred {
    bodies: HashMap<(CaptureKind, Vec<u8>), ([u8; 20], BodyMarks)>,
}

impl Referred {
    /// Remembers the body of a record.
    pub fn remember(&mut self, record: &Record<'_>, kind: CaptureKind, body: &Body<'_>) {
        for name in [record.id, record.payload_digest].into_iter().flatten() {
            if self.bodies.len() < BODIES {
                self.bodies.insert((kind.read_as(), name.to_vec()), (body.digest, body.marks));
            }
        }
    }

    /// Returns the body that a revisit refers to. Its bytes are in the evidence already.
    pub fn find<'a>(&self, record: &Record<'_>, kind: CaptureKind) -> Option<Body<'a>> {
        let mut names = [record.refers_to, record.payload_digest].into_iter().flatten();
        let (digest, marks) = names.find_map(|name| self.bodies.get(&(kind.read_as(), name.to_vec())))?;
        Some(Body { digest: *digest, bytes: Cow::Borrowed(&[]), marks: *marks })
    }
}
