//! `fetches`: one row per origin, kind of site file and distinct answer, with all times at which it was fetched.
//!
//! Times are seconds, as crawlers note them, with the microseconds beside them if there are any: that takes a quarter of the
//! bytes of microseconds alone. Left out: digests, which `bodies` has.

use super::super::stored::{column, optional, range, typed};
use super::super::{Table, element_field};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::{Column, Kind};
use crate::web::host::surt_host_name;
use crate::web::url::Scheme;
use arrow_array::builder::{
    BooleanBuilder, Int16Builder, Int32Builder, Int64Builder, ListBuilder, PrimitiveBuilder, StringBuilder,
};
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Int16Array, Int32Array, Int64Array, ListArray, RecordBatch, StringArray,
};
use std::io;
use std::ops::Range;
use std::sync::Arc;

const COLUMNS: &[Column] = &[
    Column::text("surt_host_name", "labels of the host from last to first, without www; rows are sorted by it and by url_host_name"),
    Column::text("url_host_name", "host"),
    Column::text("url_protocol", "http or https"),
    Column::int32("url_port", "port, where it is not the protocol's own").or_null(),
    Column::text("kind", "robots, automation, tdmrep, ai_txt, trust_txt: the site file that the path names; robots_hop, page: where redirects lead"),
    Column::text("url", "URL, where it is not that of the first path of the kind").or_null(),
    Column::int16("fetch_status", "status of the answer; NULL where its status line cannot be read").or_null(),
    Column::text("fetch_redirect", "where a redirect leads, as in captures").or_null(),
    Column::int64("body", "number of the body in bodies; NULL where the answer has no file or its body was not kept").or_null(),
    Column::int32("body_bytes", "bytes of the body").or_null(),
    Column::boolean("is_cut", "whether the end of the body was not received"),
    Column::boolean("is_undecodable", "whether a body was received in a coding that could not be undone"),
    Column::numbers("fetch_unix_s", &Kind::Int64, "when it was fetched, in seconds since 1970 UTC, ascending"),
    Column::numbers("fetch_us", &Kind::Int32, "microseconds within these seconds; NULL where all are 0").or_null(),
    Column::numbers("archives", &Kind::Int32, "for each time, the number of the archive with the capture, in archives"),
    Column::numbers("capture_rows", &Kind::Int64, "for each time, the capture's row in its archive, where that archive has another answer of the origin with the same time, else -1; NULL where all are -1. Of captures of one URL and time, the last one counts: pages behind the other kinds, then by archive, then by row").or_null(),
    Column::numbers("undated_archives", &Kind::Int32, "archives with captures that state no usable time").or_null(),
];

pub static FETCHES: Table = Table {
    name: "fetches",
    folder: "fetches",
    row: "origin, kind of site file and distinct answer",
    columns: || vec![COLUMNS],
};

/// A host, in the order of the table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteHost {
    /// `surt_host_name`
    pub surt: Arc<str>,
    /// `url_host_name`
    pub name: Arc<str>,
}

impl SiteHost {
    /// Returns a host by its name.
    pub fn new(name: &str) -> Self {
        Self { surt: surt_host_name(name).into(), name: name.into() }
    }
}

/// A capture of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// The time in microseconds since 1970; `None` if it states no usable time.
    pub at_us: Option<i64>,
    /// The number of its archive.
    pub archive: u32,
    /// Its row in the archive, if that decides which of two answers counts.
    pub row: Option<u32>,
}

/// An answer, without the captures: everything in which two answers can differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteFetch<B> {
    pub host: SiteHost,
    pub scheme: Scheme,
    /// The port, if it is not the scheme's default.
    pub port: Option<u16>,
    /// The requested kind of file.
    pub kind: CaptureKind,
    /// The URL, if it is not that of the kind's first path.
    pub url: Option<Box<str>>,
    pub status: Option<u16>,
    /// The target of a redirect.
    pub redirect: Option<Box<str>>,
    pub body: Option<B>,
    /// Whether the end of the body is missing.
    pub is_cut: bool,
    /// Whether the body could not be decoded.
    pub is_undecodable: bool,
}

/// An answer with the number and the length of its body, and its captures.
pub type NumberedFetch = (SiteFetch<(u64, u32)>, Vec<Seen>);

impl<B> SiteFetch<B> {
    /// Returns the requested URL.
    pub fn full_url(&self) -> String {
        match &self.url {
            Some(url) => url.to_string(),
            None => first_url(&self.host.name, self.scheme, self.port, self.kind),
        }
    }

    /// Returns the same answer with another name for its body.
    pub fn with_body<C>(self, body: Option<C>) -> SiteFetch<C> {
        let Self { host, scheme, port, kind, url, status, redirect, is_cut, is_undecodable, .. } = self;
        SiteFetch { host, scheme, port, kind, url, status, redirect, body, is_cut, is_undecodable }
    }
}

/// Returns the URL of the first path of a kind of file.
pub fn first_url(host: &str, scheme: Scheme, port: Option<u16>, kind: CaptureKind) -> String {
    let (scheme, path) = (scheme.as_str(), kind.paths().first().copied().unwrap_or("/"));
    match port {
        Some(port) => format!("{scheme}://{host}:{port}{path}"),
        None => format!("{scheme}://{host}{path}"),
    }
}

/// Rows of `fetches` while they are filled.
#[derive(Default)]
pub struct FetchRows {
    surt: StringBuilder,
    host: StringBuilder,
    protocol: StringBuilder,
    port: Int32Builder,
    kind: StringBuilder,
    url: StringBuilder,
    status: Int16Builder,
    redirect: StringBuilder,
    body: Int64Builder,
    body_bytes: Int32Builder,
    is_cut: BooleanBuilder,
    is_undecodable: BooleanBuilder,
    lists: Lists,
}

struct Lists {
    seconds: ListBuilder<Int64Builder>,
    micros: ListBuilder<Int32Builder>,
    archives: ListBuilder<Int32Builder>,
    rows: ListBuilder<Int64Builder>,
    undated: ListBuilder<Int32Builder>,
}

fn list<T: ArrowPrimitiveType>() -> ListBuilder<PrimitiveBuilder<T>> {
    ListBuilder::new(PrimitiveBuilder::<T>::new()).with_field(element_field(T::DATA_TYPE))
}

impl Default for Lists {
    fn default() -> Self {
        Self { seconds: list(), micros: list(), archives: list(), rows: list(), undated: list() }
    }
}

const MICROS: i64 = 1_000_000;

impl Lists {
    fn append(&mut self, seen: &[Seen]) {
        let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        let undated = seen.iter().take_while(|seen| seen.at_us.is_none()).count();
        let (undated, dated) = seen.split_at(undated);
        let at = |seen: &Seen| seen.at_us.unwrap_or_default();
        self.seconds.append_value(dated.iter().map(|seen| Some(at(seen).div_euclid(MICROS))));
        let micros = |seen: &Seen| i32::try_from(at(seen).rem_euclid(MICROS)).unwrap_or_default();
        let has_micros = dated.iter().any(|seen| micros(seen) != 0);
        self.micros.append_option(has_micros.then(|| dated.iter().map(|seen| Some(micros(seen)))));
        self.archives.append_value(dated.iter().map(|seen| Some(number(seen.archive))));
        let has_rows = dated.iter().any(|seen| seen.row.is_some());
        let row = |seen: &Seen| Some(seen.row.map_or(-1, i64::from));
        self.rows.append_option(has_rows.then(|| dated.iter().map(row)));
        let archive = |seen: &Seen| Some(number(seen.archive));
        self.undated.append_option((!undated.is_empty()).then(|| undated.iter().map(archive)));
    }
}

impl FetchRows {
    /// Adds an answer with the number and length of its body, and its captures, which are sorted.
    pub fn append<B>(&mut self, fetch: &SiteFetch<B>, body: Option<(u64, u32)>, seen: &[Seen]) {
        self.surt.append_value(&fetch.host.surt);
        self.host.append_value(&fetch.host.name);
        self.protocol.append_value(fetch.scheme.as_str());
        self.port.append_option(fetch.port.map(i32::from));
        self.kind.append_value(fetch.kind.as_str());
        self.url.append_option(fetch.url.as_deref());
        self.status.append_option(fetch.status.and_then(|status| i16::try_from(status).ok()));
        self.redirect.append_option(fetch.redirect.as_deref());
        self.body.append_option(body.map(|(number, _)| i64::try_from(number).unwrap_or(i64::MAX)));
        self.body_bytes.append_option(body.map(|(_, bytes)| i32::try_from(bytes).unwrap_or(i32::MAX)));
        self.is_cut.append_value(fetch.is_cut);
        self.is_undecodable.append_value(fetch.is_undecodable);
        self.lists.append(seen);
    }

    /// Returns the rows, and starts anew.
    pub fn finish(&mut self) -> io::Result<RecordBatch> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.surt.finish()),
            Arc::new(self.host.finish()),
            Arc::new(self.protocol.finish()),
            Arc::new(self.port.finish()),
            Arc::new(self.kind.finish()),
            Arc::new(self.url.finish()),
            Arc::new(self.status.finish()),
            Arc::new(self.redirect.finish()),
            Arc::new(self.body.finish()),
            Arc::new(self.body_bytes.finish()),
            Arc::new(self.is_cut.finish()),
            Arc::new(self.is_undecodable.finish()),
            Arc::new(self.lists.seconds.finish()),
            Arc::new(self.lists.micros.finish()),
            Arc::new(self.lists.archives.finish()),
            Arc::new(self.lists.rows.finish()),
            Arc::new(self.lists.undated.finish()),
        ];
        RecordBatch::try_new(FETCHES.schema(), columns).map_err(io::Error::other)
    }
}

/// Rows of `fetches`, read back.
pub struct Fetches {
    surt: StringArray,
    host: StringArray,
    protocol: StringArray,
    port: Int32Array,
    kind: StringArray,
    url: StringArray,
    status: Int16Array,
    redirect: StringArray,
    body: Int64Array,
    body_bytes: Int32Array,
    is_cut: BooleanArray,
    is_undecodable: BooleanArray,
    seconds: (ListArray, Int64Array),
    micros: (ListArray, Int32Array),
    archives: (ListArray, Int32Array),
    rows: (ListArray, Int64Array),
    undated: (ListArray, Int32Array),
}

impl Fetches {
    /// Reads the columns of a batch.
    ///
    /// # Errors
    /// If it lacks those of `fetches`, or its rows are not sorted.
    pub fn new(rows: &RecordBatch) -> io::Result<Self> {
        let text = |name| column::<StringArray>(rows, name).cloned();
        let truth = |name| column::<BooleanArray>(rows, name).cloned();
        let fetches = Self {
            surt: text("surt_host_name")?,
            host: text("url_host_name")?,
            protocol: text("url_protocol")?,
            port: column::<Int32Array>(rows, "url_port")?.clone(),
            kind: text("kind")?,
            url: text("url")?,
            status: column::<Int16Array>(rows, "fetch_status")?.clone(),
            redirect: text("fetch_redirect")?,
            body: column::<Int64Array>(rows, "body")?.clone(),
            body_bytes: column::<Int32Array>(rows, "body_bytes")?.clone(),
            is_cut: truth("is_cut")?,
            is_undecodable: truth("is_undecodable")?,
            seconds: lists(rows, "fetch_unix_s")?,
            micros: lists(rows, "fetch_us")?,
            archives: lists(rows, "archives")?,
            rows: lists(rows, "capture_rows")?,
            undated: lists(rows, "undated_archives")?,
        };
        let is_sorted = (1..fetches.count()).all(|row| fetches.host(row - 1) <= fetches.host(row));
        if is_sorted { Ok(fetches) } else { Err(io::Error::other("its rows are not sorted by their hosts")) }
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.surt.len()
    }

    /// Returns the host of a row: `surt_host_name` and `url_host_name`.
    pub fn host(&self, row: usize) -> (&str, &str) {
        (self.surt.value(row), self.host.value(row))
    }

    pub fn rows_of(&self, host: &SiteHost) -> Range<usize> {
        let host = (&*host.surt, &*host.name);
        let before = |is_before: &dyn Fn((&str, &str)) -> bool| {
            let (mut low, mut high) = (0, self.count());
            while low < high {
                let middle = low + (high - low) / 2;
                if is_before(self.host(middle)) { low = middle + 1 } else { high = middle }
            }
            low
        };
        before(&|known| known < host)..before(&|known| known <= host)
    }

    /// Returns the answer of a row; it shares the host of the row before, if they are equal.
    pub fn fetch(&self, row: usize, before: Option<&SiteHost>) -> io::Result<SiteFetch<(u64, u32)>> {
        let (surt, name) = (self.surt.value(row), self.host.value(row));
        let same = before.filter(|before| *before.surt == *surt && *before.name == *name);
        let unknown = |name: &str, value: &str| io::Error::other(format!("{name} is `{value}`"));
        // A host is looked up by both names.
        if same.is_none() && surt_host_name(name) != surt {
            return Err(unknown("surt_host_name", surt));
        }
        let (protocol, kind) = (self.protocol.value(row), self.kind.value(row));
        // Another port would be another origin, another status another answer.
        let port = |port: i32| u16::try_from(port).map_err(|_| unknown("url_port", &port.to_string()));
        let status =
            |status: i16| u16::try_from(status).map_err(|_| unknown("fetch_status", &status.to_string()));
        let bytes = |number: i64| {
            let bytes = if self.body_bytes.is_valid(row) { self.body_bytes.value(row) } else { -1 };
            let bytes = u32::try_from(bytes).map_err(|_| unknown("body_bytes", &bytes.to_string()))?;
            let number = u64::try_from(number).map_err(|_| unknown("body", &number.to_string()))?;
            Ok::<_, io::Error>((number, bytes))
        };
        Ok(SiteFetch {
            host: same.cloned().unwrap_or_else(|| SiteHost { surt: surt.into(), name: name.into() }),
            scheme: match protocol {
                "http" => Scheme::Http,
                "https" => Scheme::Https,
                other => return Err(unknown("url_protocol", other)),
            },
            port: self.port.is_valid(row).then(|| port(self.port.value(row))).transpose()?,
            kind: CaptureKind::named(kind).ok_or_else(|| unknown("kind", kind))?,
            url: optional(&self.url, row).map(Box::from),
            status: self.status.is_valid(row).then(|| status(self.status.value(row))).transpose()?,
            redirect: optional(&self.redirect, row).map(Box::from),
            body: self.body.is_valid(row).then(|| bytes(self.body.value(row))).transpose()?,
            is_cut: self.is_cut.value(row),
            is_undecodable: self.is_undecodable.value(row),
        })
    }

    /// Returns the captures of a row, sorted.
    pub fn seen(&self, row: usize) -> io::Result<Vec<Seen>> {
        let unfit = || io::Error::other("the lists of a row have different lengths");
        let at = |lists: &ListArray| range(lists, row);
        let (seconds, archives) = (at(&self.seconds.0), at(&self.archives.0));
        let (micros, rows) = (at(&self.micros.0), at(&self.rows.0));
        let is_fit = |other: &Range<usize>| other.is_empty() || other.len() == seconds.len();
        if archives.len() != seconds.len() || !is_fit(&micros) || !is_fit(&rows) {
            return Err(unfit());
        }
        let archive = |at: usize, of: &Int32Array| u32::try_from(of.value(at)).map_err(|_| unfit());
        let mut seen = Vec::with_capacity(seconds.len());
        for at in at(&self.undated.0) {
            seen.push(Seen { at_us: None, archive: archive(at, &self.undated.1)?, row: None });
        }
        for place in 0..seconds.len() {
            let us = if micros.is_empty() { 0 } else { self.micros.1.value(micros.start + place).into() };
            let at_us = self.seconds.1.value(seconds.start + place).checked_mul(MICROS);
            let row = if rows.is_empty() {
                None
            } else {
                u32::try_from(self.rows.1.value(rows.start + place)).ok()
            };
            seen.push(Seen {
                at_us: Some(at_us.and_then(|at: i64| at.checked_add(us)).ok_or_else(unfit)?),
                archive: archive(archives.start + place, &self.archives.1)?,
                row,
            });
        }
        Ok(seen)
    }
}

fn lists<A: Array + Clone + 'static>(rows: &RecordBatch, name: &str) -> io::Result<(ListArray, A)> {
    let lists: &ListArray = column(rows, name)?;
    Ok((lists.clone(), typed::<A>(Some(lists.values()), name)?.clone()))
}
