//! `fetches`: one row per origin, kind of site file and distinct answer, with all times at which it was fetched.
//!
//! Times are seconds, as crawlers note them, with the microseconds beside them if there are any: that takes a quarter of the
//! bytes of microseconds alone. Left out: digests, which `bodies` has.

use super::super::joined::{SITE_FILE_KINDS, joined};
use super::super::slice::{ListOf, OrNull, slice};
use super::super::{Rows, Table};
use crate::verdict::timeline::Validator;
use crate::web::capture_kind::CaptureKind;
use crate::web::column::{Column, ColumnKind};
use crate::web::host::surt_host_name;
use crate::web::url::Scheme;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{BooleanArray, Int16Array, Int32Array, Int64Array, StringArray};
use std::fmt::Display;
use std::io;
use std::ops::Range;
use std::sync::Arc;

cells! {
    ANSWER = fn append_answer(cells, fetch: &SiteFetch<impl Sized>, body: Option<(u64, u32)>) {
        text("surt_host_name", &fetch.host.surt):
            "labels of the host from last to first, without www; rows are sorted by it and by url_host_name",
        text("url_host_name", &fetch.host.name): "host",
        text("url_protocol", fetch.scheme.as_str()): "http or https",
        int32_or_null("url_port", fetch.port): "port, where it is not the protocol's own",
        text("kind", fetch.kind.as_str()):
            joined!(SITE_FILE_KINDS, ": the site file that the path names; robots_hop, page: where redirects lead"),
        text_or_null("url", fetch.url.as_deref()): "URL, where it is not that of the first path of the kind",
        int16_or_null("fetch_status", fetch.status):
            "status of the answer; NULL where its status line cannot be read",
        text_or_null("fetch_redirect", fetch.redirect.as_deref()): "where a redirect leads, as in captures",
        int64_or_null("body", body.map(|(number, _)| number)):
            "number of the body in bodies; NULL where the answer has no file or its body was not kept",
        int32_or_null("body_bytes", body.map(|(_, bytes)| i32::try_from(bytes).unwrap_or(i32::MAX))):
            "bytes of the body",
        boolean("is_cut", fetch.is_cut): "whether the end of the body was not received",
        boolean("is_undecodable", fetch.is_undecodable):
            "whether a body was received in a coding that could not be undone",
        boolean("is_resource", fetch.is_resource):
            "whether a tool stored the body without the server's answer (a resource record)",
        int64_or_null("validator", fetch.validator.map(|validator| validator.number().cast_signed())):
            "hash (FNV-1a) of the answer's ETag without its mark of weak ones, else of its Last-Modified, by which a later 304 confirms the body; NULL where it has neither, and unless the status is 2xx or 304",
    }
}

const TIMES: &[Column] = columns![
    numbers "fetch_unix_s" (&ColumnKind::Int64): "when it was fetched, in seconds since 1970 UTC, ascending",
    numbers "fetch_us" (&ColumnKind::Int32) or_null: "microseconds within these seconds; NULL where all are 0",
    numbers "archives" (&ColumnKind::Int32): "for each time, the number of the archive with the capture, in archives",
    numbers "capture_rows" (&ColumnKind::Int64) or_null: "for each time, the capture's row in its archive, where that archive has another answer of the origin with the same time, else -1; NULL where all are -1. Of captures of one URL and time, the last one counts: pages behind the other kinds, then by archive, then by row",
    numbers "undated_archives" (&ColumnKind::Int32) or_null: "archives with captures that state no usable time",
];

pub static FETCHES: Table = Table::new(
    "fetches",
    "origin, kind of site file and distinct answer",
    || vec![ANSWER, TIMES],
);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteHost {
    pub surt: Arc<str>,
    pub name: Arc<str>,
}

impl SiteHost {
    pub fn new(name: &str) -> Self {
        Self {
            surt: surt_host_name(name).into(),
            name: name.into(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// The time in microseconds since 1970; `None` if it states no usable time.
    pub at_us: Option<i64>,
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
    pub kind: CaptureKind,
    /// The URL, if it is not that of the kind's first path.
    pub url: Option<Box<str>>,
    pub status: Option<u16>,
    pub redirect: Option<Box<str>>,
    pub body: Option<B>,
    pub is_cut: bool,
    pub is_undecodable: bool,
    pub is_resource: bool,
    pub validator: Option<Validator>,
}

/// An answer with the number and the length of its body, and its captures.
pub type NumberedFetch = (SiteFetch<(u64, u32)>, Vec<Seen>);

impl<B> SiteFetch<B> {
    /// Returns whether the end of the answer may be missing, as at the end of an archive that was cut.
    pub fn is_broken_off(&self) -> bool {
        let has_end = match self.status {
            // Its head may lack a target or a validator.
            Some(200..=399) => {
                self.body.is_some() || self.redirect.is_some() || self.validator.is_some()
            }
            Some(_) => true,
            None => self.is_resource,
        };
        self.is_cut || self.is_undecodable || !has_end
    }

    pub fn full_url(&self) -> String {
        match &self.url {
            Some(url) => url.to_string(),
            None => first_url(&self.host.name, self.scheme, self.port, self.kind),
        }
    }

    pub fn with_body<C>(self, body: Option<C>) -> SiteFetch<C> {
        SiteFetch {
            host: self.host,
            scheme: self.scheme,
            port: self.port,
            kind: self.kind,
            url: self.url,
            status: self.status,
            redirect: self.redirect,
            body,
            is_cut: self.is_cut,
            is_undecodable: self.is_undecodable,
            is_resource: self.is_resource,
            validator: self.validator,
        }
    }
}

/// Returns the URL of the first path of a kind of file.
pub fn first_url(host: &str, scheme: Scheme, port: Option<u16>, kind: CaptureKind) -> String {
    let (scheme, path) = (
        scheme.as_str(),
        kind.paths().first().copied().unwrap_or("/"),
    );
    match port {
        Some(port) => format!("{scheme}://{host}:{port}{path}"),
        None => format!("{scheme}://{host}{path}"),
    }
}

const MICROS: i64 = 1_000_000;

/// Appends an answer to rows of [`FETCHES`], with the number and length of its body, and its captures, which are sorted.
pub fn append_fetch<B>(
    rows: &mut Rows,
    fetch: &SiteFetch<B>,
    body: Option<(u64, u32)>,
    seen: &[Seen],
) {
    let cells = rows.row();
    append_answer(cells, fetch, body);
    let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    let (undated, dated) =
        seen.split_at(seen.iter().take_while(|seen| seen.at_us.is_none()).count());
    let at = |seen: &Seen| seen.at_us.unwrap_or_default();
    let archive = |seen: &Seen| number(seen.archive);
    cells.numbers::<Int64Type>(
        "fetch_unix_s",
        Some(dated.iter().map(|seen| at(seen).div_euclid(MICROS))),
    );
    let micros = |seen: &Seen| i32::try_from(at(seen).rem_euclid(MICROS)).unwrap_or_default();
    let has_micros = dated.iter().any(|seen| micros(seen) != 0);
    cells.numbers::<Int32Type>("fetch_us", has_micros.then(|| dated.iter().map(micros)));
    cells.numbers::<Int32Type>("archives", Some(dated.iter().map(archive)));
    let has_rows = dated.iter().any(|seen| seen.row.is_some());
    let row = |seen: &Seen| seen.row.map_or(-1, i64::from);
    cells.numbers::<Int64Type>("capture_rows", has_rows.then(|| dated.iter().map(row)));
    cells.numbers::<Int32Type>(
        "undated_archives",
        (!undated.is_empty()).then(|| undated.iter().map(archive)),
    );
}

slice! {
    /// Rows of `fetches`, read back; they are sorted.
    pub struct Fetches {
        surt: StringArray = "surt_host_name",
        name: StringArray = "url_host_name",
        protocol: StringArray = "url_protocol",
        port: OrNull<Int32Array> = "url_port",
        kind: StringArray = "kind",
        url: OrNull<StringArray> = "url",
        status: OrNull<Int16Array> = "fetch_status",
        redirect: OrNull<StringArray> = "fetch_redirect",
        body: OrNull<Int64Array> = "body",
        body_bytes: OrNull<Int32Array> = "body_bytes",
        is_cut: BooleanArray = "is_cut",
        is_undecodable: BooleanArray = "is_undecodable",
        is_resource: BooleanArray = "is_resource",
        validator: OrNull<Int64Array> = "validator",
        seconds: ListOf<Int64Array> = "fetch_unix_s",
        micros: ListOf<Int32Array> = "fetch_us",
        archives: ListOf<Int32Array> = "archives",
        capture_rows: ListOf<Int64Array> = "capture_rows",
        undated: ListOf<Int32Array> = "undated_archives",
    }
    check is_sorted
}

impl Fetches {
    fn is_sorted(&self) -> io::Result<()> {
        let is_sorted = (1..self.count()).all(|row| self.host(row - 1) <= self.host(row));
        if is_sorted {
            Ok(())
        } else {
            Err(io::Error::other("its rows are not sorted by their hosts"))
        }
    }

    pub fn host(&self, row: usize) -> (&str, &str) {
        (self.surt(row), self.name(row))
    }

    pub fn rows_of(&self, host: &SiteHost) -> Range<usize> {
        let host = (&*host.surt, &*host.name);
        let before = |is_before: &dyn Fn((&str, &str)) -> bool| {
            let (mut low, mut high) = (0, self.count());
            while low < high {
                let middle = low + (high - low) / 2;
                if is_before(self.host(middle)) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low
        };
        before(&|known| known < host)..before(&|known| known <= host)
    }

    /// Returns the answer of a row; it shares the host of the row before, if they are equal.
    pub fn fetch(
        &self,
        row: usize,
        before: Option<&SiteHost>,
    ) -> io::Result<SiteFetch<(u64, u32)>> {
        let (surt, name) = self.host(row);
        let same = before.filter(|before| *before.surt == *surt && *before.name == *name);
        // A host is looked up by both names.
        if same.is_none() && surt_host_name(name) != surt {
            return Err(unknown("surt_host_name", surt));
        }
        let (protocol, kind) = (self.protocol(row), self.kind(row));
        let body = |number| {
            let bytes = self.body_bytes(row).unwrap_or(-1);
            Ok::<_, io::Error>((fitting("body", number)?, fitting("body_bytes", bytes)?))
        };
        Ok(SiteFetch {
            host: same.cloned().unwrap_or_else(|| SiteHost {
                surt: surt.into(),
                name: name.into(),
            }),
            scheme: match protocol {
                "http" => Scheme::Http,
                "https" => Scheme::Https,
                other => return Err(unknown("url_protocol", other)),
            },
            // Another port would be another origin, another status another answer.
            port: self
                .port(row)
                .map(|port| fitting("url_port", port))
                .transpose()?,
            kind: CaptureKind::named(kind).ok_or_else(|| unknown("kind", kind))?,
            url: self.url(row).map(Box::from),
            status: self
                .status(row)
                .map(|status| fitting("fetch_status", status))
                .transpose()?,
            redirect: self.redirect(row).map(Box::from),
            body: self.body(row).map(body).transpose()?,
            is_cut: self.is_cut(row),
            is_undecodable: self.is_undecodable(row),
            is_resource: self.is_resource(row),
            validator: self
                .validator(row)
                .and_then(|number| Validator::from_number(number.cast_unsigned())),
        })
    }

    pub fn seen(&self, row: usize) -> io::Result<Vec<Seen>> {
        let unfit = || io::Error::other("the lists of a row have different lengths");
        let (seconds, archives) = (self.seconds(row), self.archives(row));
        let (mut micros, mut rows) = (self.micros(row), self.capture_rows(row));
        let is_fit = |length| length == 0 || length == seconds.len();
        if archives.len() != seconds.len() || !is_fit(micros.len()) || !is_fit(rows.len()) {
            return Err(unfit());
        }
        let archive = |number| u32::try_from(number).map_err(|_| unfit());
        let mut seen = Vec::with_capacity(seconds.len());
        for number in self.undated(row) {
            seen.push(Seen {
                at_us: None,
                archive: archive(number)?,
                row: None,
            });
        }
        for (second, number) in seconds.zip(archives) {
            let us = micros.next().map_or(0, i64::from);
            let at_us = second
                .checked_mul(MICROS)
                .and_then(|at| at.checked_add(us))
                .ok_or_else(unfit)?;
            let row = rows.next().and_then(|row| u32::try_from(row).ok());
            seen.push(Seen {
                at_us: Some(at_us),
                archive: archive(number)?,
                row,
            });
        }
        Ok(seen)
    }
}

fn unknown(name: &str, value: &(impl Display + ?Sized)) -> io::Error {
    io::Error::other(format!("{name} is `{value}`"))
}

fn fitting<N: Copy + Display, T: TryFrom<N>>(name: &str, number: N) -> io::Result<T> {
    T::try_from(number).map_err(|_| unknown(name, &number))
}
