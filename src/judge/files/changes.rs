//! What changed since an earlier judgement: documents that were kept and are dropped now, and the reverse.
//!
//! Each input has its lines in a file of its own; once all inputs are judged, all lines are in `changes.jsonl`,
//! `changes.parquet`, and `removed.txt`, which has the id or the URL of each document to remove, as the earlier judgement knows
//! it. Documents keep the order of their inputs.

use super::counts::ChangeCounts;
use super::earlier::{BY_ID, EarlierJudgement, FoundThen, Then};
use super::judged_rows::DocumentKey;
use super::kind::{Codec, encoded};
use crate::store::{FileRange, Store, StoreFile};
use crate::tables::{RowsFile, Table, declared};
use crate::web::column::Column;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Write};
use std::sync::Arc;

const COLUMNS: &[Column] = declared![
    text "id" or_null: "id of the document",
    text "url" or_null: "URL of the document",
    text "known_by": "by what the earlier judgement knows the document: id or url",
    text "change": "removed: kept then, dropped now; added: the reverse",
    text "reason_then" or_null: "reason to drop it then; NULL where it was kept, or the reason is not known",
    text "reason_now" or_null: "reason to drop it now; NULL where it is kept",
];

static CHANGES: Table = Table {
    name: "changes",
    folder: "",
    row: "document",
    columns: || vec![COLUMNS],
};

#[derive(Debug, Serialize, Deserialize)]
struct ChangeLine<'l> {
    id: Option<Cow<'l, str>>,
    url: Option<Cow<'l, str>>,
    known_by: Cow<'l, str>,
    change: Cow<'l, str>,
    reason_then: Option<Cow<'l, str>>,
    reason_now: Option<Cow<'l, str>>,
}

const REMOVED: &str = "removed";
const ADDED: &str = "added";

pub struct Changes {
    earlier: Arc<EarlierJudgement>,
    /// Keys found in a list that other inputs also use; `None` if the earlier judgement is about this input alone.
    matched: Option<Box<dyn StoreFile>>,
    out: Box<dyn StoreFile>,
    pub counts: ChangeCounts,
}

impl Changes {
    /// Begins the file of an input's changes, and the file of the keys that it has of a list.
    pub fn new(
        earlier: Arc<EarlierJudgement>,
        matched: Option<Box<dyn StoreFile>>,
        out: Box<dyn StoreFile>,
    ) -> Self {
        Self {
            earlier,
            matched,
            out,
            counts: ChangeCounts::default(),
        }
    }

    /// Compares a document; `now` is the reason why it is dropped now, or `None` if it is kept.
    pub fn compare(
        &mut self,
        id: Option<&[u8]>,
        url: Option<&[u8]>,
        now: Option<&str>,
    ) -> io::Result<()> {
        let Some(FoundThen { then, by, key }) = self.earlier.of(id, url) else {
            self.counts.unknown += 1;
            return Ok(());
        };
        if let (Some(matched), Some(key)) = (&mut self.matched, key) {
            matched.write_all(&DocumentKey::to_be_bytes(key))?;
        }
        let counts = &mut self.counts;
        let (count, change) = match (then, now) {
            (Then::New, _) => (&mut counts.new, None),
            (Then::Kept, None) => (&mut counts.kept, None),
            (Then::Kept, Some(_)) => (&mut counts.removed, Some((REMOVED, None))),
            (Then::Dropped(reason), None) => (&mut counts.added, Some((ADDED, reason))),
            (Then::Dropped(_), Some(_)) => (&mut counts.dropped, None),
        };
        *count += 1;
        let Some((change, reason_then)) = change else {
            return Ok(());
        };
        let line = ChangeLine {
            id: id.map(String::from_utf8_lossy),
            url: url.map(String::from_utf8_lossy),
            known_by: by.into(),
            change: change.into(),
            reason_then: reason_then.map(Cow::Borrowed),
            reason_now: now.map(Cow::Borrowed),
        };
        serde_json::to_writer(&mut self.out, &line).map_err(io::Error::other)?;
        self.out.write_all(b"\n")
    }

    /// Ends the file; returns the counts.
    pub fn finish(mut self) -> io::Result<ChangeCounts> {
        if self.matched.is_none() {
            self.counts.gone = self.earlier.unseen();
        }
        self.matched
            .into_iter()
            .chain([self.out])
            .try_for_each(StoreFile::commit)?;
        Ok(self.counts)
    }
}

pub fn write(store: &dyn Store, files: &[String]) -> io::Result<()> {
    let mut lines = encoded(store.create("changes.jsonl")?, Codec::Plain)?;
    let mut removed = encoded(store.create("removed.txt")?, Codec::Plain)?;
    let mut rows = RowsFile::new(&CHANGES, store.create("changes.parquet")?)?;
    for file in files {
        let reader = BufReader::with_capacity(1 << 20, FileRange::new(store.open(file)?.into(), 0));
        for line in reader.split(b'\n') {
            let line = line?;
            let change: ChangeLine<'_> = serde_json::from_slice(&line).map_err(|error| {
                io::Error::other(format!("{}: {error}", store.location_of(file)))
            })?;
            lines.write_all(&line)?;
            lines.write_all(b"\n")?;
            let known_by = if change.known_by == BY_ID {
                &change.id
            } else {
                &change.url
            };
            // Each line is one document.
            let is_listed =
                |text: &&Cow<'_, str>| change.change == REMOVED && !text.contains(['\n', '\r']);
            if let Some(known_by) = known_by.as_ref().filter(is_listed) {
                writeln!(removed, "{known_by}")?;
            }
            let cells = rows.row()?;
            cells.text_or_null("id", change.id);
            cells.text_or_null("url", change.url);
            cells.text("known_by", change.known_by);
            cells.text("change", change.change);
            cells.text_or_null("reason_then", change.reason_then);
            cells.text_or_null("reason_now", change.reason_now);
        }
    }
    rows.commit()?;
    [lines, removed].into_iter().try_for_each(StoreFile::commit)
}
