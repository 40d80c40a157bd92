//! Documents in lines: JSON objects, or URLs.
//!
//! A line of JSON keeps its bytes, and gets the members of the verdict before its closing brace. A URL becomes an object with
//! the member `url`. Blank lines stay in a file of JSON, and are skipped among URLs. A line that is too long to hold is not
//! judged: JSON also keeps its bytes then, and a URL becomes null. Left out: objects of several lines, and arrays.

use super::input::{End, Input, OutputFiles, Writing};
use super::kind::FileFault;
use super::kind::{Codec, lines};
use super::line_reader::{DocumentLine, Out, Reader};
use super::long_line::LongObject;
use super::members::{Members, Value, WantedMembers, without};
use super::names::ColumnNames;
use super::sorter::{Facts, Sorter};
use crate::judge::Taken;
use crate::judge::added::write_members;
use crate::judge::documents::{Document, Documents, Unjudged};
use crate::judge::verdict::Verdict;
use crate::web::timestamp::Timestamp;
use serde_json::value::RawValue;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A JSON object.
    Json,
    Urls,
}

/// A file of lines.
pub struct LinesInput<'r> {
    kind: LineKind,
    names: &'r ColumnNames,
    /// The names of the members that are read.
    read: Vec<&'r str>,
    documents: Reader,
    /// The date of URLs, which have none of their own.
    date: Option<Timestamp>,
    /// The names of members that no line has had.
    missing: Vec<&'r [String]>,
    rows: Reader,
    out: Out,
    dropped: Option<Out>,
    writing: Writing<'r>,
}

impl<'r> LinesInput<'r> {
    /// Opens a file. Its rows go to `out`, compressed as the file is if it has JSON; URLs get the date `date`.
    pub fn open(
        path: &Path,
        (kind, codec): (LineKind, Codec),
        (names, date): (&'r ColumnNames, Option<Timestamp>),
        (out, dropped): OutputFiles,
        writing: Writing<'r>,
    ) -> Result<Self, FileFault> {
        if kind == LineKind::Urls && !names.further_urls.is_empty() {
            return Err(FileFault::input("a list of URLs has one URL a line, and --url names several"));
        }
        if let (LineKind::Urls, Some(name)) = (kind, names.excepted.names.first()) {
            return Err(FileFault::Input(format!("a list of URLs has no {name}, which the policy asks for")));
        }
        let reader = || lines(path, codec).map(Reader::new).map_err(FileFault::input);
        let out_codec = match kind {
            LineKind::Json => codec,
            LineKind::Urls => Codec::Plain,
        };
        let out = Out::new(out, out_codec).map_err(FileFault::Output)?;
        let dropped =
            dropped.map(|dropped| Out::new(dropped, out_codec)).transpose().map_err(FileFault::Output)?;
        let missing = match kind {
            LineKind::Json => {
                let given = names.required.chunks(1).chain(names.excepted.names.chunks(1));
                [names.url.as_slice()].into_iter().chain(given).collect()
            }
            LineKind::Urls => Vec::new(),
        };
        let (read, documents, rows) = (names.first_steps(), reader()?, reader()?);
        Ok(Self { kind, names, read, documents, date, missing, rows, out, dropped, writing })
    }

    fn members<'l>(&self, line: &'l [u8]) -> Option<Members<'l>> {
        Members::read(line, WantedMembers { names: &self.read, added: Some(self.writing.added) })
    }

    fn document(&mut self, documents: &mut Documents) -> Result<(), FileFault> {
        let line = self.documents.text();
        if self.kind == LineKind::Urls {
            documents.push(&Document { url: Some(line), date: self.date, ..Document::default() });
            return Ok(());
        }
        let at = |detail: &str| self.documents.fault(detail);
        let members = self.members(line).ok_or_else(|| at("not a JSON object, or cut off"))?;
        if memchr::memchr(b'\r', line).is_some() {
            return Err(at(
                "a carriage return inside the object, which some readers take for the end of the line",
            ));
        }
        if let (Some(name), Taken::Refused) = (members.taken(), self.writing.added.taken) {
            let detail = format!("it has a member {name} already; see --prefix and --replace-prefs");
            return Err(at(&detail));
        }
        let ColumnNames { url, further_urls, id, date, file, offset, excepted, .. } = self.names;
        let several = |names: &&Vec<String>| matches!(members.value(names), Some(Value::Several));
        self.missing.retain(|names| members.value(names).is_none_or(Value::is_no_text));
        let further: Vec<Vec<String>> = further_urls.iter().map(|name| vec![name.clone()]).collect();
        let values: Vec<Vec<String>> = excepted.names.iter().map(|name| vec![name.clone()]).collect();
        let mut asked = [url, id, date, file, offset].into_iter().chain(&further).chain(&values);
        if asked.any(|names| several(&names)) {
            documents.push_unjudged(Unjudged::MemberRepeated);
            return Ok(());
        }
        let (url, file) = (members.text(url), members.text(file));
        let further: Vec<_> = further.iter().map(|names| members.text(names)).collect();
        let further: Vec<_> = further.iter().map(|url| url.as_deref().map(str::as_bytes)).collect();
        let values: Vec<_> = values.iter().map(|names| members.text(names)).collect();
        documents.push(&Document {
            further_urls: &further,
            url: url.as_deref().map(str::as_bytes),
            date: members.date(date),
            id: members.text(id).as_deref(),
            place: file.as_deref().zip(members.number(offset)),
            matched: excepted.matched(|column| values.get(column)?.as_deref().map(str::as_bytes)),
        });
        Ok(())
    }

    /// Reads a line that is too long as a document that is not judged.
    fn long_document(&mut self, documents: &mut Documents) -> Result<(), FileFault> {
        documents.push_unjudged(match self.kind {
            LineKind::Json => Unjudged::LineTooLong,
            LineKind::Urls => Unjudged::UrlTooLong,
        });
        let mut object = LongObject::new(self.writing.added);
        let number = self.documents.number;
        let reader = &mut self.documents;
        let mut read = |piece: &[u8]| match self.kind {
            LineKind::Urls => Ok(()),
            LineKind::Json => match object.read(piece) {
                Ok(_) => Ok(()),
                Err(detail) => Err(FileFault::Input(format!("line {number}: {detail}"))),
            },
        };
        read(reader.line.get(reader.mark_bytes()..).unwrap_or_default())?;
        reader.rest(&mut read)?;
        if self.kind == LineKind::Json && !object.is_whole() {
            return Err(self.documents.fault("not a JSON object, or cut off"));
        }
        self.missing.clear();
        Ok(())
    }

    /// Reads the next row; blank lines before it stay in a file of JSON.
    fn next_row(&mut self) -> Result<DocumentLine, FileFault> {
        loop {
            let line = self.rows.next()?;
            if line == DocumentLine::None {
                return Err(FileFault::input("its lines ended while they were read"));
            }
            if line == DocumentLine::Long || !self.rows.text().is_empty() {
                return Ok(line);
            }
            if self.kind == LineKind::Json {
                self.out.write_all(&self.rows.line).map_err(FileFault::Output)?;
            }
        }
    }
}

impl LinesInput<'_> {
    /// Writes a line that was read, or why it is dropped.
    fn write_line(&mut self, verdict: &Verdict, sorter: &mut Sorter<'_>) -> Result<(), FileFault> {
        let line = self.rows.text();
        let members = match self.kind {
            LineKind::Json if sorter.has_policy() => self.members(line),
            LineKind::Json | LineKind::Urls => None,
        };
        let url = members.as_ref().and_then(|members| members.text(&self.names.url));
        let date = members.as_ref().and_then(|members| members.date(&self.names.date));
        let text = members.as_ref().and_then(|members| members.text(&self.names.text));
        let tokens = members.as_ref().and_then(|members| members.number(&self.names.tokens));
        let id = members.as_ref().and_then(|members| members.written(&self.names.id));
        let facts = Facts {
            id: id.as_deref().map(str::as_bytes),
            url: match self.kind {
                LineKind::Json => url.as_deref().map(str::as_bytes),
                LineKind::Urls => Some(line),
            },
            date,
            text_bytes: text.map_or(0, |text| text.len() as u64),
            tokens: tokens.and_then(|tokens| u64::try_from(tokens).ok()),
        };
        let written = match (sorter.sort(verdict, &facts)?, &mut self.dropped, self.kind) {
            (Some(_), None, _) => Ok(()),
            (Some(reason), Some(out), _) => {
                let id = members.as_ref().and_then(|members| members.value(&self.names.id));
                dropped_line(id.and_then(Value::one), &facts, (reason, verdict), self.writing, out)
            }
            (None, _, LineKind::Json) => json_line(&self.rows, verdict, self.writing, &mut self.out),
            (None, _, LineKind::Urls) => url_line(Some(line), verdict, self.writing, &mut self.out),
        };
        written.map_err(FileFault::Output)
    }

    /// Writes a line that is too long, or why it is dropped.
    fn write_long_line(&mut self, verdict: &Verdict, sorter: &mut Sorter<'_>) -> Result<(), FileFault> {
        match (sorter.sort(verdict, &Facts::default())?, &mut self.dropped, self.kind) {
            (Some(_), None, _) => self.rows.rest(|_| Ok(())),
            (Some(reason), Some(out), _) => {
                dropped_line(None, &Facts::default(), (reason, verdict), self.writing, out)
                    .map_err(FileFault::Output)?;
                self.rows.rest(|_| Ok(()))
            }
            (None, _, LineKind::Json) => long_json_line(&mut self.rows, verdict, self.writing, &mut self.out),
            (None, _, LineKind::Urls) => {
                url_line(None, verdict, self.writing, &mut self.out).map_err(FileFault::Output)?;
                self.rows.rest(|_| Ok(()))
            }
        }
    }
}

impl Input for LinesInput<'_> {
    fn read(&mut self, documents: &mut Documents, bytes: usize) -> Result<End, FileFault> {
        while documents.byte_count() < bytes {
            match self.documents.next()? {
                DocumentLine::None => {
                    return match self.missing.first().filter(|_| self.documents.number > 0) {
                        Some(names) => {
                            let names = names.join(" or ");
                            Err(FileFault::Input(format!("no line has a member {names} with a string")))
                        }
                        None => Ok(End::Reached),
                    };
                }
                DocumentLine::Long => self.long_document(documents)?,
                DocumentLine::Whole if self.documents.text().is_empty() => {
                    if self.writing.is_mask {
                        return Err(self
                            .documents
                            .fault("it is blank, and a mask has a line for each document"));
                    }
                }
                DocumentLine::Whole => self.document(documents)?,
            }
        }
        Ok(End::No)
    }

    fn write(&mut self, verdicts: &[Arc<Verdict>], sorter: &mut Sorter<'_>) -> Result<(), FileFault> {
        for verdict in verdicts {
            match self.next_row()? {
                DocumentLine::Long => self.write_long_line(verdict, sorter)?,
                DocumentLine::Whole | DocumentLine::None => self.write_line(verdict, sorter)?,
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), FileFault> {
        while self.kind == LineKind::Json && self.rows.next()? != DocumentLine::None {
            self.out.write_all(&self.rows.line).map_err(FileFault::Output)?;
        }
        let Self { out, dropped, .. } = *self;
        let mut outputs = dropped.into_iter().chain([out]);
        outputs.try_for_each(|out| out.finish()?.commit()).map_err(FileFault::Output)
    }
}

/// Writes a line with the members of its verdict before the closing brace.
fn json_line(row: &Reader, verdict: &Verdict, writing: Writing<'_>, out: &mut impl Write) -> io::Result<()> {
    let replaced = match writing.added.taken {
        Taken::Replaced => without(row.text(), writing.added),
        Taken::Refused => None,
    };
    let object = row.line.trim_ascii_end();
    let end = row.line.get(object.len()..).unwrap_or_default();
    let object = replaced.as_deref().unwrap_or(object);
    let members = object.strip_suffix(b"}").unwrap_or(object);
    out.write_all(members)?;
    if !members.trim_ascii_end().ends_with(b"{") {
        out.write_all(b",")?;
    }
    write_members(verdict, &writing.context, writing.added, out)?;
    out.write_all(b"}")?;
    out.write_all(end)
}

/// Writes a line that is too long with the members of its verdict before the closing brace.
fn long_json_line(
    row: &mut Reader,
    verdict: &Verdict,
    writing: Writing<'_>,
    out: &mut impl Write,
) -> Result<(), FileFault> {
    let (mut object, mark, number) = (LongObject::new(writing.added), row.mark_bytes(), row.number);
    let line = std::mem::take(&mut row.line);
    let (mark, first) = line.split_at_checked(mark).unwrap_or_default();
    out.write_all(mark).map_err(FileFault::Output)?;
    let mut write = |piece: &[u8]| -> Result<(), FileFault> {
        let end =
            object.read(piece).map_err(|detail| FileFault::Input(format!("line {number}: {detail}")))?;
        let Some((members, rest)) = end.and_then(|end| piece.split_at_checked(end)) else {
            return out.write_all(piece).map_err(FileFault::Output);
        };
        let comma: &[u8] = if object.has_members() { b"," } else { b"" };
        out.write_all(members)
            .and_then(|()| out.write_all(comma))
            .and_then(|()| write_members(verdict, &writing.context, writing.added, out))
            .and_then(|()| out.write_all(rest))
            .map_err(FileFault::Output)
    };
    write(first)?;
    row.rest(write)
}

/// Writes a URL and its verdict as an object.
fn url_line(
    url: Option<&[u8]>,
    verdict: &Verdict,
    writing: Writing<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    out.write_all(b"{\"url\":")?;
    serde_json::to_writer(&mut *out, &url.map(String::from_utf8_lossy)).map_err(io::Error::other)?;
    out.write_all(b",")?;
    write_members(verdict, &writing.context, writing.added, out)?;
    out.write_all(b"}\n")
}

/// Writes which document is dropped, and why.
fn dropped_line(
    id: Option<&RawValue>,
    facts: &Facts<'_>,
    (reason, verdict): (&str, &Verdict),
    writing: Writing<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let url = facts.url.map(String::from_utf8_lossy);
    write!(out, "{{\"id\":{},\"url\":", id.map_or("null", RawValue::get))?;
    serde_json::to_writer(&mut *out, &url).map_err(io::Error::other)?;
    out.write_all(b",\"date\":")?;
    serde_json::to_writer(&mut *out, &facts.date.map(|date| date.to_string())).map_err(io::Error::other)?;
    out.write_all(b",\"reason\":")?;
    serde_json::to_writer(&mut *out, reason).map_err(io::Error::other)?;
    if let Some(audit) = writing.audit {
        out.write_all(b",")?;
        write_members(verdict, &writing.context, audit, out)?;
    }
    out.write_all(b"}\n")
}
