//! Documents in lines: JSON objects, or URLs.
//!
//! A line of JSON keeps its bytes, and gets the members of the verdict before its closing brace. A URL becomes an object with
//! the member `url`. Blank lines stay in a file of JSON, and are skipped among URLs. A line that is too long to hold is not
//! judged: JSON also keeps its bytes then, and a URL becomes null. Left out: objects of several lines, and arrays.

use super::dialect::ColumnNames;
use super::input::{DocumentInput, End, Finished, OutputFiles, Writing};
use super::kind::{
    Codec, DocumentLine, FileFault, FileResult, LineKind, LineReader, LineSource, encoded,
};
use super::long_line::LongObject;
use super::members::{MemberValue, Members, without};
use super::sorter::{DocumentFate, Facts, Sorter};
use crate::judge::{Document, Documents, RecordKey, Taken, Unjudged, Verdict};
use crate::store::StoreFile;
use crate::web::interval::Interval;
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

pub struct LinesInput<'r> {
    kind: LineKind,
    names: &'r ColumnNames,
    read: Vec<&'r str>,
    /// The names of record ids, each with whether it says that it is of a WARC.
    record_ids: Vec<(bool, &'r [String])>,
    documents: LineReader,
    /// The date of URLs, which have none of their own.
    date: Option<Interval>,
    /// The names of members that no line has had.
    missing: Vec<&'r [String]>,
    rows: LineReader,
    out: Box<dyn StoreFile>,
    dropped: Option<Box<dyn StoreFile>>,
    /// Which outputs have rows.
    has_rows: Finished,
    writing: Writing<'r>,
}

impl<'r> LinesInput<'r> {
    /// Opens a file. Its rows go to `out`, compressed like the file if that has JSON; URLs get the date `date`.
    pub fn open(
        path: &Path,
        (kind, source): (LineKind, LineSource),
        (names, date): (&'r ColumnNames, Option<Interval>),
        (out, dropped): OutputFiles,
        writing: Writing<'r>,
    ) -> FileResult<Self> {
        let (missing, out_codec) = match kind {
            LineKind::Json => {
                let given = names
                    .required
                    .chunks(1)
                    .chain(names.excepted.names.chunks(1));
                (
                    [names.url.as_slice()].into_iter().chain(given).collect(),
                    source.codec(),
                )
            }
            LineKind::Urls if !names.further_urls.is_empty() => {
                return Err(FileFault::input(
                    "a list of URLs has one URL a line, and --url names several",
                ));
            }
            LineKind::Urls => (Vec::new(), Codec::Plain),
        };
        if let (LineKind::Urls, Some(name)) = (kind, names.excepted.names.first()) {
            let detail = format!("a list of URLs has no {name}, which the policy asks for");
            return Err(FileFault::Input(detail));
        }
        let documents = LineReader::open(path, source)?;
        let rows = LineReader::open(path, source)?;
        let out = encoded(out, out_codec).map_err(FileFault::Output)?;
        let dropped = dropped
            .map(|dropped| encoded(dropped, out_codec))
            .transpose();
        let dropped = dropped.map_err(FileFault::Output)?;
        let read = names.first_steps();
        let has_rows = Finished {
            has_documents: writing.is_stream,
            has_dropped: false,
        };
        Ok(Self {
            kind,
            names,
            read,
            record_ids: names.record_ids().collect(),
            documents,
            date,
            missing,
            rows,
            out,
            dropped,
            has_rows,
            writing,
        })
    }

    fn members<'l>(&self, line: &'l [u8]) -> Option<Members<'l>> {
        Members::read(line, &self.read, Some(self.writing.added))
    }

    fn document(&mut self, documents: &mut Documents) -> FileResult {
        let line = self.documents.text();
        if self.kind == LineKind::Urls {
            documents.push(&Document {
                url: Some(line),
                date: self.date,
                ..Document::default()
            });
            return Ok(());
        }
        let at = |detail: &str| self.documents.fault(detail);
        let members = self
            .members(line)
            .ok_or_else(|| at("not a JSON object, or cut off"))?;
        if memchr::memchr(b'\r', line).is_some() {
            let detail = "a carriage return inside the object, which some readers take for the end of the line";
            return Err(at(detail));
        }
        if let (Some(name), Taken::Refused) = (&members.taken, self.writing.added.taken) {
            let detail =
                format!("it has a member {name} already; see --prefix and --replace-prefs");
            return Err(at(&detail));
        }
        let ColumnNames {
            url,
            further_urls,
            id,
            date,
            file,
            offset,
            excepted,
            ..
        } = self.names;
        let of_warc = self.record_ids.iter().filter(|(is_of_warc, _)| *is_of_warc);
        self.missing
            .retain(|names| members.value(names).is_none_or(MemberValue::is_no_text));
        let further = further_urls.chunks(1);
        let values = excepted.names.chunks(1);
        let own = [url, id, file, offset]
            .into_iter()
            .chain(date.lists())
            .map(Vec::as_slice);
        let mut asked = own
            .chain(of_warc.map(|(_, name)| *name))
            .chain(further.clone())
            .chain(values.clone());
        if asked.any(|names| matches!(members.value(names), Some(MemberValue::Several))) {
            documents.push_unjudged(Unjudged::MemberRepeated);
            return Ok(());
        }
        let url = members.text(url);
        let file = members.text(file);
        let further: Vec<_> = further.map(|names| members.text(names)).collect();
        let further: Vec<_> = further
            .iter()
            .map(|url| url.as_deref().map(str::as_bytes))
            .collect();
        let values: Vec<_> = values.map(|names| members.text(names)).collect();
        let record_ids = self.record_ids.iter();
        let record_ids =
            record_ids.filter_map(|(is_of_warc, name)| Some((*is_of_warc, members.text(name)?)));
        documents.push(&Document {
            further_urls: &further,
            url: url.as_deref().map(str::as_bytes),
            date: members.date(date),
            id: RecordKey::id_among(record_ids).as_deref(),
            place: file.as_deref().zip(members.number(offset)),
            matched: excepted.matched(|column| values.get(column)?.as_deref().map(str::as_bytes)),
        });
        Ok(())
    }

    fn long_document(&mut self, documents: &mut Documents) -> FileResult {
        self.missing.clear();
        let reader = &mut self.documents;
        if self.kind == LineKind::Urls {
            documents.push_unjudged(Unjudged::UrlTooLong);
            return reader.rest(|_| Ok(()));
        }
        documents.push_unjudged(Unjudged::LineTooLong);
        let mut object = LongObject::new(self.writing.added);
        let number = reader.number;
        let mut read = |piece: &[u8]| match object.read(piece) {
            Ok(_) => Ok(()),
            Err(detail) => Err(FileFault::Input(format!("line {number}: {detail}"))),
        };
        read(reader.line.get(reader.mark_bytes()..).unwrap_or_default())?;
        reader.rest(&mut read)?;
        if object.is_whole() {
            Ok(())
        } else {
            Err(reader.fault("not a JSON object, or cut off"))
        }
    }

    /// Reads the next row; returns whether it is too long. Blank lines before it stay in a file of JSON.
    fn next_row(&mut self) -> FileResult<bool> {
        loop {
            match self.rows.next()? {
                DocumentLine::None => {
                    return Err(FileFault::input("its lines ended while they were read"));
                }
                DocumentLine::Long => return Ok(true),
                DocumentLine::Whole if !self.rows.text().is_empty() => return Ok(false),
                DocumentLine::Whole if self.kind == LineKind::Json => {
                    self.out
                        .write_all(&self.rows.line)
                        .map_err(FileFault::Output)?;
                }
                DocumentLine::Whole => {}
            }
        }
    }

    /// Writes a row that was read, or why it is dropped; nothing is known of one that is too long.
    fn write_row(
        &mut self,
        is_long: bool,
        verdict: &Verdict,
        sorter: &mut Sorter<'_>,
    ) -> FileResult {
        let line = (!is_long).then(|| self.rows.text());
        let counted =
            line.filter(|_| self.kind == LineKind::Json && self.writing.context.policy.is_some());
        let members = counted
            .and_then(|line| self.members(line))
            .unwrap_or_default();
        let names = self.names;
        let id = members.written(&names.id);
        let url = members.text(&names.url);
        let text = members.text(&names.text);
        let facts = Facts {
            id: id.as_deref().map(str::as_bytes),
            url: match self.kind {
                LineKind::Json => url.as_deref().map(str::as_bytes),
                LineKind::Urls => line,
            },
            date: members.date(&names.date),
            text_bytes: text.map_or(0, |text| text.len() as u64),
            tokens: members
                .number(&names.tokens)
                .and_then(|tokens| u64::try_from(tokens).ok()),
        };
        let fate = sorter.sort(verdict, &facts)?;
        let out = &mut self.out;
        self.has_rows.has_documents |= fate == DocumentFate::Kept;
        self.has_rows.has_dropped |=
            matches!(fate, DocumentFate::Dropped(_)) && self.dropped.is_some();
        let written = match (fate, &mut self.dropped, self.kind) {
            (DocumentFate::NotDrawn, ..) | (DocumentFate::Dropped(_), None, _) => Ok(()),
            (DocumentFate::Dropped(reason), Some(dropped), _) => {
                self.writing.dropped_line(&facts, reason, verdict, dropped)
            }
            (DocumentFate::Kept, _, LineKind::Json) if is_long => {
                return self.writing.long_json_line(&mut self.rows, verdict, out);
            }
            (DocumentFate::Kept, _, LineKind::Json) => {
                self.writing.json_line(&self.rows, verdict, out)
            }
            (DocumentFate::Kept, _, LineKind::Urls) => self.writing.url_line(line, verdict, out),
        };
        written.map_err(FileFault::Output)?;
        if is_long {
            self.rows.rest(|_| Ok(()))
        } else {
            Ok(())
        }
    }
}

impl DocumentInput for LinesInput<'_> {
    fn read(&mut self, documents: &mut Documents, bytes: usize) -> FileResult<End> {
        while documents.byte_count() < bytes {
            match self.documents.next()? {
                DocumentLine::None => {
                    let Some(names) = self.missing.first().filter(|_| self.documents.number > 0)
                    else {
                        return Ok(End::Reached);
                    };
                    let names = names.join(" or ");
                    return Err(FileFault::Input(format!(
                        "no line has a member {names} with a string"
                    )));
                }
                DocumentLine::Long => self.long_document(documents)?,
                DocumentLine::Whole if !self.documents.text().is_empty() => {
                    self.document(documents)?;
                }
                DocumentLine::Whole if self.writing.is_mask => {
                    return Err(self
                        .documents
                        .fault("it is blank, and a mask has a line for each document"));
                }
                DocumentLine::Whole => {}
            }
        }
        Ok(End::No)
    }

    fn write(&mut self, verdicts: &[Arc<Verdict>], sorter: &mut Sorter<'_>) -> FileResult {
        for verdict in verdicts {
            let is_long = self.next_row()?;
            self.write_row(is_long, verdict, sorter)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> FileResult<Finished> {
        while self.kind == LineKind::Json && self.rows.next()? != DocumentLine::None {
            self.out
                .write_all(&self.rows.line)
                .map_err(FileFault::Output)?;
        }
        let dropped = self.dropped.filter(|_| self.has_rows.has_dropped);
        let out = self.has_rows.has_documents.then_some(self.out);
        dropped
            .into_iter()
            .chain(out)
            .try_for_each(StoreFile::commit)
            .map_err(FileFault::Output)?;
        Ok(self.has_rows)
    }
}

impl Writing<'_> {
    /// Writes a line with the members of its verdict before the closing brace.
    fn json_line(self, row: &LineReader, verdict: &Verdict, out: &mut dyn Write) -> io::Result<()> {
        let is_replaced = self.added.taken == Taken::Replaced;
        let replaced = is_replaced
            .then(|| without(row.text(), self.added))
            .flatten();
        let object = row.line.trim_ascii_end();
        let end = row.line.get(object.len()..).unwrap_or_default();
        let object = replaced.as_deref().unwrap_or(object);
        let members = object.strip_suffix(b"}").unwrap_or(object);
        out.write_all(members)?;
        if !members.trim_ascii_end().ends_with(b"{") {
            out.write_all(b",")?;
        }
        self.members(verdict, self.added, out)?;
        out.write_all(b"}")?;
        out.write_all(end)
    }

    /// Writes a line that is too long with the members of its verdict before the closing brace.
    fn long_json_line(
        self,
        row: &mut LineReader,
        verdict: &Verdict,
        out: &mut dyn Write,
    ) -> FileResult {
        let (mut object, mark, number) =
            (LongObject::new(self.added), row.mark_bytes(), row.number);
        let line = std::mem::take(&mut row.line);
        let (mark, first) = line.split_at_checked(mark).unwrap_or_default();
        out.write_all(mark).map_err(FileFault::Output)?;
        let mut write = |piece: &[u8]| -> FileResult {
            let end = object
                .read(piece)
                .map_err(|detail| FileFault::Input(format!("line {number}: {detail}")))?;
            let Some((members, rest)) = end.and_then(|end| piece.split_at_checked(end)) else {
                return out.write_all(piece).map_err(FileFault::Output);
            };
            let comma: &[u8] = if object.has_members { b"," } else { b"" };
            out.write_all(members)
                .and_then(|()| out.write_all(comma))
                .and_then(|()| self.members(verdict, self.added, out))
                .and_then(|()| out.write_all(rest))
                .map_err(FileFault::Output)
        };
        write(first)?;
        row.rest(write)
    }

    fn url_line(
        self,
        url: Option<&[u8]>,
        verdict: &Verdict,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        out.write_all(b"{\"url\":")?;
        serde_json::to_writer(&mut *out, &url.map(String::from_utf8_lossy))
            .map_err(io::Error::other)?;
        out.write_all(b",")?;
        self.members(verdict, self.added, out)?;
        out.write_all(b"}\n")
    }

    /// Ours: what a document does not have is an empty text, because a file with nulls alone would give the column no type.
    fn dropped_line(
        self,
        facts: &Facts<'_>,
        reason: &str,
        verdict: &Verdict,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let text = |bytes: Option<&[u8]>| json!(String::from_utf8_lossy(bytes.unwrap_or_default()));
        let id = text(facts.id);
        let url = text(facts.url);
        let reason = json!(reason);
        let date = json!(facts.date.map(|date| date.to_string()).unwrap_or_default());
        write!(
            out,
            "{{\"id\":{id},\"url\":{url},\"date\":{date},\"reason\":{reason}"
        )?;
        if let Some(audit) = self.audit {
            out.write_all(b",")?;
            self.members(verdict, audit, out)?;
        }
        out.write_all(b"}\n")
    }
}
