//! Documents in lines: JSON objects, or URLs.
//!
//! A line of JSON keeps its bytes; the members of the verdict stand before its closing brace. A URL becomes an object
//! with the member `url`. Blank lines stay in a file of JSON, and are passed over among URLs.
//! Left out: objects of several lines, and arrays.

use super::fault::Fault;
use super::input::{Codec, End, Input, OutputFiles, lines};
use super::members::Members;
use super::names::Names;
use super::sorter::{Facts, Sorter};
use crate::judge::columns::write_members;
use crate::judge::documents::{Document, Documents};
use crate::judge::verdict::Verdict;
use crate::store::StoreFile;
use crate::verdict::Resolver;
use crate::web::timestamp::Timestamp;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::value::RawValue;
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// The most bytes of a line.
const LINE_BYTES: u64 = 256 << 20;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// A JSON object.
    Json,
    /// A URL.
    Urls,
}

/// A file of lines.
pub struct LinesInput<'r> {
    kind: Lines,
    names: &'r Names,
    documents: Reader,
    /// The date of URLs, which have none of their own.
    date: Option<Timestamp>,
    /// The names of members that no line has had.
    missing: Vec<&'r [String]>,
    rows: Reader,
    out: Out,
    dropped: Option<Out>,
    resolver: &'r Resolver,
}

impl<'r> LinesInput<'r> {
    /// Opens a file, whose rows go to `out`, compressed as the file is if it has JSON; URLs have the date `date`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn open(
        path: &Path,
        (kind, codec): (Lines, Codec),
        (names, date): (&'r Names, Option<Timestamp>),
        (out, dropped): OutputFiles,
        resolver: &'r Resolver,
    ) -> Result<Self, Fault> {
        let reader = || lines(path, codec).map(Reader::new).map_err(Fault::input);
        let out_codec = match kind {
            Lines::Json => codec,
            Lines::Urls => Codec::Plain,
        };
        let out = Out::new(out, out_codec).map_err(Fault::Output)?;
        let dropped =
            dropped.map(|dropped| Out::new(dropped, out_codec)).transpose().map_err(Fault::Output)?;
        let missing = match kind {
            Lines::Json => [names.url.as_slice()].into_iter().chain(names.required.chunks(1)).collect(),
            Lines::Urls => Vec::new(),
        };
        Ok(Self { kind, names, documents: reader()?, date, missing, rows: reader()?, out, dropped, resolver })
    }

    /// Reads a line to a document.
    fn document(&mut self, documents: &mut Documents) -> Result<(), Fault> {
        let line = self.documents.text();
        match self.kind {
            Lines::Urls => {
                documents.push(&Document { url: Some(line), date: self.date, ..Document::default() });
            }
            Lines::Json => {
                let number = self.documents.number;
                let at = |detail: &str| Fault::Input(format!("line {number}: {detail}"));
                let members = Members::read(line).ok_or_else(|| at("not a JSON object, or cut off"))?;
                if members.is_judged() {
                    return Err(at("it has a member prefs_access already; judge the file without"));
                }
                let url = members.text(&self.names.url);
                self.missing.retain(|names| members.text(names).is_none());
                let file = members.text(&self.names.file);
                documents.push(&Document {
                    url: url.as_deref().map(str::as_bytes),
                    date: members.text(&self.names.date).and_then(|date| Timestamp::new(date.as_bytes())),
                    id: members.text(&self.names.id).as_deref(),
                    place: file.as_deref().zip(members.number(&self.names.offset)),
                });
            }
        }
        Ok(())
    }

    /// Reads the next row; blank lines before it stay in a file of JSON.
    fn next_row(&mut self) -> Result<(), Fault> {
        loop {
            if !self.rows.next()? {
                return Err(Fault::input("its lines ended while they were read"));
            }
            if !self.rows.text().is_empty() {
                return Ok(());
            }
            if self.kind == Lines::Json {
                self.out.write_all(&self.rows.line).map_err(Fault::Output)?;
            }
        }
    }
}

impl Input for LinesInput<'_> {
    fn read(&mut self, documents: &mut Documents, bytes: usize) -> Result<End, Fault> {
        while documents.byte_count() < bytes {
            if !self.documents.next()? {
                return match self.missing.first().filter(|_| self.documents.number > 0) {
                    Some(names) => {
                        let names = names.join(" or ");
                        Err(Fault::Input(format!("no line has a member {names} with a string")))
                    }
                    None => Ok(End::Reached),
                };
            }
            if !self.documents.text().is_empty() {
                self.document(documents)?;
            }
        }
        Ok(End::No)
    }

    fn write(&mut self, verdicts: &[Arc<Verdict>], sorter: &mut Sorter<'_>) -> Result<(), Fault> {
        for verdict in verdicts {
            self.next_row()?;
            let line = self.rows.text();
            let members = match self.kind {
                Lines::Json if sorter.has_policy() => Members::read(line),
                Lines::Json | Lines::Urls => None,
            };
            let url = members.as_ref().and_then(|members| members.text(&self.names.url));
            let text = members.as_ref().and_then(|members| members.text(&self.names.text));
            let tokens = members.as_ref().and_then(|members| members.number(&self.names.tokens));
            let facts = Facts {
                url: match self.kind {
                    Lines::Json => url.as_deref().map(str::as_bytes),
                    Lines::Urls => Some(line),
                },
                text_bytes: text.map_or(0, |text| text.len() as u64),
                tokens: tokens.and_then(|tokens| u64::try_from(tokens).ok()),
            };
            let reason = sorter.sort(verdict, &facts)?;
            let written = match (reason, &mut self.dropped, self.kind) {
                (Some(_), None, _) => Ok(()),
                (Some(reason), Some(out), _) => {
                    let id = members.as_ref().and_then(|members| members.value(&self.names.id));
                    dropped_line(id, facts.url, reason, out)
                }
                (None, _, Lines::Json) => json_line(&self.rows.line, verdict, self.resolver, &mut self.out),
                (None, _, Lines::Urls) => url_line(line, verdict, self.resolver, &mut self.out),
            };
            written.map_err(Fault::Output)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), Fault> {
        while self.kind == Lines::Json && self.rows.next()? {
            self.out.write_all(&self.rows.line).map_err(Fault::Output)?;
        }
        let Self { out, dropped, .. } = *self;
        let mut outputs = dropped.into_iter().chain([out]);
        outputs.try_for_each(|out| out.finish()?.commit()).map_err(Fault::Output)
    }
}

/// Writes a line with the members of its verdict before the closing brace.
fn json_line(line: &[u8], verdict: &Verdict, resolver: &Resolver, out: &mut impl Write) -> io::Result<()> {
    let object = line.trim_ascii_end();
    let end = line.get(object.len()..).unwrap_or_default();
    let members = object.strip_suffix(b"}").unwrap_or(object);
    out.write_all(members)?;
    if !members.trim_ascii_end().ends_with(b"{") {
        out.write_all(b",")?;
    }
    write_members(verdict, resolver, out)?;
    out.write_all(b"}")?;
    out.write_all(end)
}

/// Writes a URL and its verdict as an object.
fn url_line(url: &[u8], verdict: &Verdict, resolver: &Resolver, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{\"url\":")?;
    serde_json::to_writer(&mut *out, &String::from_utf8_lossy(url)).map_err(io::Error::other)?;
    out.write_all(b",")?;
    write_members(verdict, resolver, out)?;
    out.write_all(b"}\n")
}

/// Writes which document is dropped, and why.
fn dropped_line(
    id: Option<&RawValue>,
    url: Option<&[u8]>,
    reason: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let url = url.map(String::from_utf8_lossy);
    write!(out, "{{\"id\":{},\"url\":", id.map_or("null", RawValue::get))?;
    serde_json::to_writer(&mut *out, &url).map_err(io::Error::other)?;
    out.write_all(b",\"reason\":")?;
    serde_json::to_writer(&mut *out, reason).map_err(io::Error::other)?;
    out.write_all(b"}\n")
}

/// Lines being read.
struct Reader {
    lines: Box<dyn BufRead + Send>,
    line: Vec<u8>,
    /// The line's number, from 1.
    number: u64,
}

impl Reader {
    fn new(lines: Box<dyn BufRead + Send>) -> Self {
        Self { lines, line: Vec::new(), number: 0 }
    }

    /// Returns the line without blanks around it, and without the byte order mark of a file.
    fn text(&self) -> &[u8] {
        let is_first = self.number == 1;
        self.line.strip_prefix(b"\xef\xbb\xbf").filter(|_| is_first).unwrap_or(&self.line).trim_ascii()
    }

    /// Reads the next line, with what ends it; returns whether there is one.
    fn next(&mut self) -> Result<bool, Fault> {
        self.line.clear();
        let read = (&mut self.lines).take(LINE_BYTES).read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| Fault::Input(format!("after line {}: {error}", self.number)))?;
        self.number += u64::from(read > 0);
        if read as u64 == LINE_BYTES {
            return Err(Fault::Input(format!("line {}: longer than {LINE_BYTES} bytes", self.number)));
        }
        Ok(read > 0)
    }
}

/// An output, compressed or not.
enum Out {
    Plain(BufWriter<Box<dyn StoreFile>>),
    Gzip(BufWriter<GzEncoder<Box<dyn StoreFile>>>),
    Zstd(BufWriter<zstd::stream::write::Encoder<'static, Box<dyn StoreFile>>>),
}

impl Out {
    fn new(file: Box<dyn StoreFile>, codec: Codec) -> io::Result<Self> {
        const BUFFER_BYTES: usize = 256 << 10;
        Ok(match codec {
            Codec::Plain => Self::Plain(BufWriter::with_capacity(BUFFER_BYTES, file)),
            Codec::Gzip => {
                let encoder = GzEncoder::new(file, Compression::default());
                Self::Gzip(BufWriter::with_capacity(BUFFER_BYTES, encoder))
            }
            Codec::Zstd => {
                let encoder = zstd::stream::write::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                Self::Zstd(BufWriter::with_capacity(BUFFER_BYTES, encoder))
            }
        })
    }

    /// Writes what is held; returns the file.
    fn finish(self) -> io::Result<Box<dyn StoreFile>> {
        match self {
            Self::Plain(out) => out.into_inner().map_err(io::IntoInnerError::into_error),
            Self::Gzip(out) => out.into_inner().map_err(io::IntoInnerError::into_error)?.finish(),
            Self::Zstd(out) => out.into_inner().map_err(io::IntoInnerError::into_error)?.finish(),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(bytes),
            Self::Gzip(out) => out.write(bytes),
            Self::Zstd(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            Self::Gzip(out) => out.flush(),
            Self::Zstd(out) => out.flush(),
        }
    }
}
