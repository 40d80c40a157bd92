//! Rows that `judge` wrote, read again: kept documents, dropped ones, and lists of the user.
//!
//! Example: `{"id":"5a1b","url":"https://a.example/","date":null,"reason":"access_disallow"}` of a dropped document.

use super::columns::{DateColumns, DatePaths, FileColumn, footer, if_typed, is_text, rows};
use super::dates::DateNames;
use super::dialect::{ColumnNames, DocumentNames};
use super::kind::{FileFault, FileKind, FileResult, LineKind, LineSource, form, kind, lines};
use super::members::Members;
use super::state::{Judgement, outputs};
use crate::judge::columns::{FINDING, FOUND_BY, OWN_PREFIX};
use crate::tables::guard::AskedRows;
use crate::web::interval::Interval;
use crate::web::lines::without_byte_order_mark;
use arrow_schema::Field;
use sha1::{Digest, Sha1};
use std::borrow::Cow;
use std::io::BufRead;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOf<'p> {
    Kept,
    Dropped,
    /// A user's list of documents that were kept.
    List,
    /// A sample for an audit; the names of its columns begin with this.
    Sample(&'p str),
}

impl FileOf<'_> {
    /// Returns the columns with the reason, and with what an audit found.
    fn columns(self) -> [Option<String>; 2] {
        match self {
            Self::Kept | Self::List => [None, None],
            Self::Dropped => [Some(REASON.to_owned()), None],
            Self::Sample(prefix) => [FOUND_BY, FINDING]
                .map(|column| Some(prefix.to_owned() + column.name.trim_start_matches(OWN_PREFIX))),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct JudgedRow<'r> {
    pub id: Option<&'r [u8]>,
    pub url: Option<&'r [u8]>,
    pub date: Option<Interval>,
    /// Why it was dropped, or the rule behind what an audit found; `None` if it was kept.
    pub reason: Option<&'r [u8]>,
    /// What an audit found.
    pub finding: Option<&'r [u8]>,
}

type Visit<'v> = &'v mut dyn FnMut(&JudgedRow<'_>);

/// The column with the reason of a dropped document.
const REASON: &str = "reason";
/// Rows that are read at once; any number of this size.
const ROWS: usize = 8192;

pub fn dropped_names() -> ColumnNames {
    let one = |name: &str| vec![name.to_owned()];
    ColumnNames {
        url: one("url"),
        id: one("id"),
        date: DateNames::one("date"),
        ..ColumnNames::default()
    }
}

/// Visits the documents of a file, in their order.
pub fn each(path: &Path, names: &ColumnNames, of: FileOf<'_>, visit: Visit<'_>) -> FileResult {
    match (form(path).map_err(FileFault::input)?.0, of) {
        (FileKind::Parquet, _) => of_parquet(path, names, of, visit),
        (FileKind::Lines(LineKind::Json, source), _) => of_objects(path, source, names, of, visit),
        (FileKind::Lines(LineKind::Urls, source), FileOf::List) => of_list(path, source, visit),
        (FileKind::Lines(..), _) => Err(FileFault::input(
            "its lines are not documents that judge wrote",
        )),
    }
}

fn of_list(path: &Path, source: LineSource, visit: Visit<'_>) -> FileResult {
    for line in lines(path, source).map_err(FileFault::input)?.split(b'\n') {
        let line = line.map_err(FileFault::input)?;
        // A byte order mark is before the first line, and no URL or id begins with one.
        let line = without_byte_order_mark(&line).trim_ascii();
        let is_url = line.starts_with(b"http://") || line.starts_with(b"https://");
        let (id, url) = if is_url {
            (None, Some(line))
        } else {
            (Some(line), None)
        };
        visit(&JudgedRow {
            id,
            url,
            ..JudgedRow::default()
        });
    }
    Ok(())
}

fn of_objects(
    path: &Path,
    source: LineSource,
    names: &ColumnNames,
    of: FileOf<'_>,
    visit: Visit<'_>,
) -> FileResult {
    let [reason, finding] = of.columns();
    let mut wanted = names.first_steps();
    wanted.extend(reason.iter().chain(&finding).map(String::as_str));
    for (number, line) in (1..).zip(lines(path, source).map_err(FileFault::input)?.split(b'\n')) {
        let line = line.map_err(FileFault::input)?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let members = Members::read(&line, &wanted, None)
            .ok_or_else(|| FileFault::Input(format!("line {number}: not a JSON object")))?;
        let is_there = |text: &Cow<'_, str>| !text.is_empty();
        let id = members.written(&names.id).filter(is_there);
        let url = members.text(&names.url).filter(is_there);
        let [reason, finding] = [&reason, &finding].map(|name| {
            name.as_ref()
                .and_then(|name| members.text(std::slice::from_ref(name)))
        });
        visit(&JudgedRow {
            id: id.as_deref().map(str::as_bytes),
            url: url.as_deref().map(str::as_bytes),
            date: members.date(&names.date),
            reason: reason.as_deref().map(str::as_bytes),
            finding: finding.as_deref().map(str::as_bytes),
        });
    }
    Ok(())
}

fn of_parquet(path: &Path, names: &ColumnNames, of: FileOf<'_>, visit: Visit<'_>) -> FileResult {
    let footer = footer(path).map_err(FileFault::input)?;
    let column =
        |names: &[String], is_one: fn(&Field) -> bool| if_typed(footer.schema(), names, is_one);
    let [reason, finding] = of
        .columns()
        .map(|name| name.map_or_else(Vec::new, |name| column(&[name], is_text)));
    let id = column(&names.id, is_text);
    let url = column(&names.url, is_text);
    let paths = [id, url, reason, finding];
    let dates = DatePaths::if_typed(footer.schema(), &names.date);
    let read = paths.iter().chain(&dates.0);
    for rows in rows(path, &footer, read, AskedRows::all(ROWS)).map_err(FileFault::input)? {
        let rows = rows.map_err(FileFault::input)?;
        let [id, url, reason, finding] = paths
            .each_ref()
            .map(|path| FileColumn::from_rows(&rows, path));
        let date = DateColumns::from_rows(&rows, &dates);
        for row in 0..rows.num_rows() {
            let [id, url, reason, finding] =
                [&id, &url, &reason, &finding].map(|column| column.text(row));
            visit(&JudgedRow {
                id,
                url,
                date: date.interval(row),
                reason,
                finding,
            });
        }
    }
    Ok(())
}

/// What a document is known by: 16 bytes of a digest of its id or URL.
pub type DocumentKey = u128;

pub const KEY_BYTES: usize = size_of::<DocumentKey>();

fn key(kind: &[u8], text: &[u8]) -> DocumentKey {
    let digest = Sha1::new_with_prefix(kind)
        .chain_update([0])
        .chain_update(text)
        .finalize();
    digest
        .iter()
        .take(KEY_BYTES)
        .fold(0, |key, byte| key << 8 | DocumentKey::from(*byte))
}

/// Returns what a document is known by: its id, bare and in lower case if it is a record's, else its URL.
pub fn key_of(id: Option<&[u8]>, url: Option<&[u8]>) -> Option<DocumentKey> {
    id.and_then(|id| {
        let id = id.trim_ascii();
        let bare = id
            .strip_prefix(b"<")
            .and_then(|id| id.strip_suffix(b">"))
            .unwrap_or(id);
        let bare = bare.to_ascii_lowercase();
        let bare = bare.strip_prefix(b"urn:uuid:").unwrap_or(&bare);
        (!bare.is_empty()).then(|| key(b"id", bare))
    })
    .or_else(|| {
        url.filter(|url| !url.is_empty())
            .map(|url| key(b"url", url))
    })
}

/// A document that was judged.
#[derive(Clone, Debug)]
pub struct JudgedDocument {
    /// The file that it is in.
    pub file: String,
    /// Its id.
    pub id: Option<String>,
    /// Its URL.
    pub url: Option<String>,
    /// Its date.
    pub date: Option<Interval>,
    /// Why it was dropped, or the rule behind what an audit found; `None` if it was kept.
    pub reason: Option<String>,
    /// What an audit found.
    pub finding: Option<String>,
}

/// Finds a document in an output folder of `judge`, also among the dropped ones: the first with the id, else with the URL.
pub fn find_judged(folder: &Path, wanted: &str) -> Result<(JudgedDocument, Judgement), String> {
    let (judgement, about) = Judgement::read(folder)?;
    let dropped = judgement.dropped_folder();
    let of_documents = judgement
        .sample_prefix()
        .map_or(FileOf::Kept, FileOf::Sample);
    let keys = [
        key_of(Some(wanted.as_bytes()), None),
        key_of(None, Some(wanted.as_bytes())),
    ];
    for name in outputs(&about).map_err(|error| format!("{}: {error}", folder.display()))? {
        let of_dropped = dropped
            .as_ref()
            .map(|dropped| (dropped.join(&name), FileOf::Dropped));
        let files = [(folder.join(&name), of_documents)]
            .into_iter()
            .chain(of_dropped);
        for (path, of) in files.filter(|(path, _)| path.exists()) {
            let found = find_in(&path, &name, of, &keys);
            if let Some(found) = found.map_err(|fault| format!("{}: {fault}", path.display()))? {
                return Ok((found, judgement.clone()));
            }
        }
    }
    let hint = match (of_documents, &dropped) {
        (FileOf::Sample(_), _) => "; an audit has only the documents that were drawn",
        (_, None) => "; what was dropped is known where judge was called with --dropped",
        (_, Some(_)) => "",
    };
    Err(format!(
        "{}: no document {wanted} in it{hint}",
        folder.display()
    ))
}

fn find_in(
    path: &Path,
    name: &str,
    of: FileOf<'_>,
    keys: &[Option<DocumentKey>],
) -> FileResult<Option<JudgedDocument>> {
    let names = match of {
        FileOf::Dropped => dropped_names().into(),
        FileOf::Kept | FileOf::List | FileOf::Sample(_) => DocumentNames::default(),
    };
    let mut found = None;
    let mut visit = |row: &JudgedRow<'_>| {
        let is_it = |key: Option<u128>| key.is_some() && keys.contains(&key);
        if found.is_none() && (is_it(key_of(row.id, None)) || is_it(key_of(None, row.url))) {
            let text =
                |text: Option<&[u8]>| text.map(|text| String::from_utf8_lossy(text).into_owned());
            let [id, url, reason, finding] = [row.id, row.url, row.reason, row.finding].map(text);
            found = Some(JudgedDocument {
                file: name.to_owned(),
                id,
                url,
                date: row.date,
                reason,
                finding,
            });
        }
    };
    let names = kind(path)
        .and_then(|kind| names.of_file(path, kind))
        .map_err(FileFault::input)?;
    each(path, names.0, of, &mut visit)?;
    Ok(found)
}
