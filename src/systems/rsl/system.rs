//! RSL as a system: its column and statements.
//!
//! Example: `License: /license.xml` on line 1 gives a statement with the value `/license.xml` and the defect `not_absolute`;
//! the value is in the column `rsl_license` all the same.
//! Left out: reading lines, links and terms (`robots`, `link.rs`, `terms.rs`).

use super::link::{Link, after_member, links};
use super::terms::terms;
use crate::robots::RobotsRecord;
use crate::systems::{
    About, Answer, Compiled, Give, Ground, LineScope, Lines, MAX_GROUNDS, Page, Site,
};
use crate::systems::{Source, Statement, System, Value, Viewpoint};
use crate::web::column::Column;
use crate::web::field::{Carrier, Field, header_fields};
use crate::web::lines::split_once;
use crate::web::media_type::essence;
use crate::web::shown::shown;
use std::collections::HashSet;

const SYSTEM: &str = "rsl";
const NAME: &str = "License";
const AUTHENTICATE: &str = "www-authenticate";
const FIELDS: [&str; 2] = ["link", AUTHENTICATE];

pub static RSL: System = System {
    about: &About {
        name: SYSTEM,
        title: "RSL",
        documents: &["Really Simple Licensing 1.0", "rfc8288"],
        carriers: "`License:` lines, the headers `Link` and `WWW-Authenticate`, links and scripts of the HTML head",
        left_out: "terms in other files; in a page, everything except the uses that are permitted and prohibited",
        columns: &[Column::texts(
            "rsl_license",
            "RSL licences that the page names, as written: those of robots.txt for product_token, else for all; then those of the header and of the HTML head; also on closed paths",
        )],
        column_prefix: "rsl_",
        lines: Lines::new(
            &[NAME],
            "has_license",
            "whether a License line is there",
            LineScope::Site,
        ),
        ..About::NONE
    },
    compile: |files, _| Box::new(RslPolicy::new(files.robots)),
    statements: |source, _, give| match source {
        Source::Record(fields) => {
            own_fields(fields).for_each(|field| give_field_statements(&field, give));
        }
        Source::Robots(robots) => {
            Statement::of_lines(
                SYSTEM,
                robots,
                |record| record.is_named(NAME),
                &mut |record, row| {
                    (row.key, row.value) = (Some(record.name), Some(record.value));
                    (row.category, row.defect) = (Some("license"), defect_of_line(record.value));
                    give(row);
                },
            );
        }
        Source::SiteFile(..) => {}
    },
};

/// The licences that robots.txt names to the viewpoint, in its order, each once: the first line, the address as written.
struct RslPolicy(Vec<(u32, String)>);

impl RslPolicy {
    /// Takes the lines of the selected groups or, if they have none, those before any group. Ours: no document says which of
    /// the two counts; the nearer one does, as with groups for one crawler and for all.
    fn new(site: Option<&Site<'_>>) -> Self {
        let own = distinct(site.into_iter().flat_map(Site::lines));
        let before = site
            .into_iter()
            .flat_map(|site| site.robots.records_before_groups());
        Self(if own.is_empty() {
            distinct(before)
        } else {
            own
        })
    }
}

impl Compiled for RslPolicy {
    /// The distinct licences of robots.txt (the first [`MAX_GROUNDS`]), then of the page's header and HTML head.
    fn answer<'a>(&'a self, page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let mut urls: Vec<String> = self
            .0
            .iter()
            .take(MAX_GROUNDS)
            .map(|(_, url)| url.clone())
            .collect();
        for link in own_fields(page.fields).flat_map(|field| named(&field)) {
            let url = shown(link.target);
            if !urls.iter().any(|known| *known == url) {
                urls.push(url.into_owned());
            }
        }
        answer.values.push(Value::Texts(urls));
    }

    fn other_grounds<'a>(&'a self, page: &Page<'a>) -> Vec<Ground<'a>> {
        let links = own_fields(page.fields)
            .flat_map(|field| named(&field).map(move |_| Ground::field(&field)));
        self.0
            .iter()
            .map(|(line, _)| Ground::line("robots", *line))
            .chain(links)
            .collect()
    }
}

fn distinct<'a>(records: impl Iterator<Item = RobotsRecord<'a>>) -> Vec<(u32, String)> {
    let mut seen = HashSet::new();
    let named = records.filter(|record| {
        record.is_named(NAME)
            && defect_of_line(record.value).is_none_or(|defect| defect == "not_absolute")
    });
    let first = named.filter(|record| seen.insert(record.value));
    first
        .map(|record| (record.line, shown(record.value).into_owned()))
        .collect()
}

/// Returns the header fields, also renamed ones (READ-18), and the fields of the HTML head, in the order of the record.
fn own_fields<'s, 'a>(fields: &'s [Field<'a>]) -> impl Iterator<Item = Field<'a>> + use<'s, 'a> {
    let of_head = fields
        .iter()
        .filter(|field| matches!(field.carrier, Carrier::Link | Carrier::Script));
    header_fields(fields, &FIELDS).chain(of_head.copied())
}

/// The field is the header field `Link` or a link of the HTML head.
fn licence_links<'a>(field: &Field<'a>) -> impl Iterator<Item = Link<'a>> + use<'a> {
    let header = if field.is_field(&["link"]) {
        field.value
    } else {
        b""
    };
    let (target, media_type) = (field.value, Some(field.name.as_bytes().into()));
    let rel = Some(b"license".as_slice().into());
    let element = (field.carrier == Carrier::Link).then_some(Link {
        target,
        rel,
        media_type,
        anchor: None,
    });
    links(header)
        .chain(element)
        .filter(|link| link.is_a("license") && is_rsl(link))
}

fn named<'a>(field: &Field<'a>) -> impl Iterator<Item = Link<'a>> + use<'a> {
    licence_links(field).filter(|link| defect(link).is_none())
}

/// A licence of another type, or of no type, need not be RSL.
fn is_rsl(link: &Link<'_>) -> bool {
    link.media_type
        .as_deref()
        .and_then(essence)
        .is_some_and(|essence| essence == "application/rsl+xml")
}

/// RFC 8288 3.1: a target may be relative. 3.2: a link with `anchor` is about something else.
fn defect(link: &Link<'_>) -> Option<&'static str> {
    match (link.target, &link.anchor) {
        ([], _) => Some("empty"),
        (_, Some(_)) => Some("other_context"),
        (_, None) => None,
    }
}

fn give_field_statements(field: &Field<'_>, give: &mut Give<'_>) {
    let row = Statement {
        category: Some("license"),
        ..Statement::of_field(SYSTEM, field)
    };
    for link in licence_links(field) {
        let (value, defect) = (Some(link.target), defect(&link));
        give(&Statement {
            key: Some(b"link"),
            value,
            defect,
            ..row.clone()
        });
    }
    if field.is_field(&[AUTHENTICATE])
        && let Some(parameters) = licence_challenge(field.value)
    {
        give(&Statement {
            key: Some(AUTHENTICATE.as_bytes()),
            value: Some(parameters),
            ..row.clone()
        });
    }
    if field.carrier == Carrier::Script {
        give(&Statement {
            key: Some(b"script"),
            ..row.clone()
        });
        for term in terms(field.value) {
            let mut row = row.clone();
            row.fill(term);
            give(&row);
        }
    }
}

/// Returns what follows the scheme `License` of a challenge (RFC 9110 11.6.1).
fn licence_challenge(field: &[u8]) -> Option<&[u8]> {
    let members = std::iter::successors(Some(field), |rest| after_member(rest).strip_prefix(b","));
    members.map(<[u8]>::trim_ascii_start).find_map(|member| {
        let (scheme, rest) = member.split_at_checked("License".len())?;
        let ends = rest
            .first()
            .is_none_or(|byte| matches!(byte, b' ' | b'\t' | b','));
        let parameters = rest.trim_ascii();
        // A parameter of another challenge may have that name.
        (ends && !parameters.starts_with(b"=") && scheme.eq_ignore_ascii_case(b"License"))
            .then_some(parameters)
    })
}

/// LIVE-6: a value that is neither a URL nor a path, or belongs to Creative Commons, is not RSL.
fn defect_of_line(value: &[u8]) -> Option<&'static str> {
    let is_path = memchr::memchr(b'/', value).is_some()
        || value
            .get(value.len().saturating_sub(4)..)
            .is_some_and(|end| end.eq_ignore_ascii_case(b".xml"));
    let is_commons =
        memchr::memmem::find(&value.to_ascii_lowercase(), b"creativecommons.org").is_some();
    match value {
        [] => Some("empty"),
        _ if !is_path || is_commons => Some("no_rsl"),
        value => (!is_absolute(value)).then_some("not_absolute"),
    }
}

/// RFC 3986 3.1: an absolute URL starts with a scheme.
fn is_absolute(url: &[u8]) -> bool {
    let Some((scheme, _)) = split_once(url, b':') else {
        return false;
    };
    let in_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    scheme.first().is_some_and(u8::is_ascii_alphabetic) && scheme.iter().all(in_scheme)
}
