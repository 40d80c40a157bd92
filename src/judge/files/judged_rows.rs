//! Rows that `judge` wrote, read again: kept documents, dropped ones, and lists of the user.
//!
//! Example: `{"id":"5a1b","url":"https://a.example/","date":null,"reason":"access_disallow"}` of a dropped document.

use super::columns::{Column, find, is_text, is_time};
use super::kind::FileFault;
use super::kind::{Codec, FileKind, kind, lines};
use super::members::{Members, WantedMembers};
use super::names::ColumnNames;
use crate::tables::guard::{self, AskedRows};
use crate::web::timestamp::Timestamp;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use std::fs::File;
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOf {
    /// Documents that were kept.
    Kept,
    /// Dropped documents, and why they were dropped.
    Dropped,
    /// A user's list of documents that were kept.
    List,
}

/// A document in such a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct JudgedRow<'r> {
    pub id: Option<&'r [u8]>,
    pub url: Option<&'r [u8]>,
    pub date: Option<Timestamp>,
    /// Why it was dropped; `None` if it was kept.
    pub reason: Option<&'r [u8]>,
}

/// The column with the reason of a dropped document.
const REASON: &str = "reason";
/// Rows that are read at once.
const ROWS: usize = 8192;

/// Returns the names of the columns of dropped documents.
pub fn dropped_names() -> ColumnNames {
    let one = |name: &str| vec![name.to_owned()];
    ColumnNames { url: one("url"), id: one("id"), date: one("date"), ..ColumnNames::default() }
}

/// Visits the documents of a file, in their order.
pub fn each(
    path: &Path,
    names: &ColumnNames,
    of: FileOf,
    visit: &mut dyn FnMut(&JudgedRow<'_>),
) -> Result<(), FileFault> {
    match (kind(path).map_err(FileFault::input)?, of) {
        (FileKind::Parquet, _) => of_parquet(path, names, of, visit),
        (FileKind::Json(codec), _) => of_objects(path, codec, (names, of), visit),
        (FileKind::Urls(codec), FileOf::List) => of_list(path, codec, visit),
        (FileKind::Urls(_), _) if is_empty(path) => Ok(()),
        (FileKind::Urls(_), _) => Err(FileFault::input("its lines are not documents that judge wrote")),
    }
}

fn is_empty(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.len() == 0)
}

fn of_list(path: &Path, codec: Codec, visit: &mut dyn FnMut(&JudgedRow<'_>)) -> Result<(), FileFault> {
    for line in lines(path, codec).map_err(FileFault::input)?.split(b'\n') {
        let line = line.map_err(FileFault::input)?;
        let line = line.trim_ascii();
        let is_url = line.starts_with(b"http://") || line.starts_with(b"https://");
        let (id, url) = if is_url { (None, Some(line)) } else { (Some(line), None) };
        visit(&JudgedRow { id, url, ..JudgedRow::default() });
    }
    Ok(())
}

fn of_objects(
    path: &Path,
    codec: Codec,
    (names, of): (&ColumnNames, FileOf),
    visit: &mut dyn FnMut(&JudgedRow<'_>),
) -> Result<(), FileFault> {
    let reason = [REASON.to_owned()];
    let mut wanted = names.first_steps();
    wanted.extend((of == FileOf::Dropped).then_some(REASON));
    for (number, line) in (1..).zip(lines(path, codec).map_err(FileFault::input)?.split(b'\n')) {
        let line = line.map_err(FileFault::input)?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let members = Members::read(&line, WantedMembers { names: &wanted, added: None });
        let members = members.ok_or_else(|| FileFault::Input(format!("line {number}: not a JSON object")))?;
        let (id, url) = (members.written(&names.id), members.text(&names.url));
        let reason = members.text(&reason).filter(|_| of == FileOf::Dropped);
        visit(&JudgedRow {
            id: id.as_deref().map(str::as_bytes),
            url: url.as_deref().map(str::as_bytes),
            date: members.date(&names.date),
            reason: reason.as_deref().map(str::as_bytes),
        });
    }
    Ok(())
}

fn of_parquet(
    path: &Path,
    names: &ColumnNames,
    of: FileOf,
    visit: &mut dyn FnMut(&JudgedRow<'_>),
) -> Result<(), FileFault> {
    let file = || File::open(path).map_err(FileFault::input);
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = guard::metadata(&file()?, options).map_err(FileFault::input)?;
    let schema = Arc::clone(metadata.schema());
    let text =
        |names: &[String]| find(&schema, names).filter(|(_, field)| is_text(field)).map(|(path, _)| path);
    let (id, url) = (text(&names.id), text(&names.url));
    let date = find(&schema, &names.date).filter(|(_, field)| is_time(field)).map(|(path, _)| path);
    let reason = text(&[REASON.to_owned()]).filter(|_| of == FileOf::Dropped);
    let roots = [&id, &url, &date, &reason].into_iter().flatten().filter_map(|path| path.first());
    let parquet_schema = metadata.metadata().file_metadata().schema_descr();
    let mask = ProjectionMask::columns(parquet_schema, roots.map(String::as_str));
    let asked = AskedRows { columns: Some(mask), ..AskedRows::all(ROWS) };
    for rows in guard::rows(file()?, &metadata, asked).map_err(FileFault::input)? {
        let rows = rows.map_err(FileFault::input)?;
        let column = |path: &Option<Vec<String>>| Column::of(&rows, path.as_ref()?);
        let (id, url, date, reason) = (column(&id), column(&url), column(&date), column(&reason));
        for row in 0..rows.num_rows() {
            visit(&JudgedRow {
                id: id.as_ref().and_then(|id| id.text(row)),
                url: url.as_ref().and_then(|url| url.text(row)),
                date: date.as_ref().and_then(|date| date.time(row)),
                reason: reason.as_ref().and_then(|reason| reason.text(row)),
            });
        }
    }
    Ok(())
}
