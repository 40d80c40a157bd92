//! TDMRep as a system of preferences: its columns, its answers for a page, its statements.
//!
//! Document: TDMRep, on precedence: file, then header field, then meta, the later replacing the earlier.
//! Example: a file that reserves `/` and a header `tdm-reservation: 0` give 0.
//! Ours: a meta that is named like the header field in another way, or is behind a head that ended early, counts if it
//! reserves, over all of them. Of several lines of one carrier a reservation counts over none, because a lost no is worse.
//!
//! Each reservation and each policy is a statement. Example: `tdm-reservation: 1` is a row with category `tdm` and preference
//! disallow. Ours: a 0 is not an allow, as it grants nothing; its row has the value, and the preference unknown.

use super::file::Entry;
use super::{NAMES, POLICY, RESERVATION, Reservation, SYSTEM, TdmrepFile};
use crate::systems::{
    About, Answer, Compiled, Ground, Label, Lines, Mapping, Page, SiteFiles, Source, Statement, System,
    Value, Viewpoint,
};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::field::{Carrier, Field, header_fields, twins};
use crate::web::path_pattern::{PathPattern, UrlPath};
use crate::web::pattern_index::PatternIndex;
use crate::web::preference::Preference;
use crate::web::shown::shown;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// TDMRep: the TDM Reservation Protocol.
pub struct Tdmrep;

const COLUMNS: [Column; 2] = [
    Column::text(
        "tdm_reservation",
        "TDMRep reservation that counts, as sent: 1 (reserved), 0 (not reserved); NULL where none is stated",
    )
    .or_null(),
    Column::text("tdm_policy", "URL of the policy that comes with a reservation").or_null(),
];

static ABOUT: About = About {
    name: SYSTEM,
    title: "TDMRep",
    documents: &["TDM Reservation Protocol 2024-02-02"],
    carriers: "tdmrep.json, header, meta, also by `http-equiv`",
    left_out: "EPUB and PDF, which are rare in archives of pages; the policies that its URLs point to",
    columns: &COLUMNS,
    column_prefix: "tdm_",
    lines: Lines::NONE,
    fields_of_others: &[],
    site_file: Some(CaptureKind::Tdmrep),
    labels: &[Mapping::disallow(RESERVATION, &[Label::Tdm, Label::TrainAi, Label::TrainGenai])],
};

impl System for Tdmrep {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn compile(&self, files: &SiteFiles<'_>, _viewpoint: &Viewpoint) -> Box<dyn Compiled> {
        let file = files.copies.first().map(|copy| TdmrepFile::parse(copy.bytes));
        Box::new(TdmrepPolicy::new(file.unwrap_or_default()))
    }

    fn statements(&self, source: &Source<'_>, _viewpoint: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::Record(fields) => give_record(fields, give),
            Source::SiteFile(CaptureKind::Tdmrep, body) => give_file(body.bytes, give),
            Source::SiteFile(..) | Source::Robots(_) => {}
        }
    }
}

impl Compiled for TdmrepPolicy {
    fn answer<'a>(&'a self, page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let Some(TdmrepAnswer { reservation, ground, policy }) = self.decide(page) else {
            return answer.values.extend([Value::Null, Value::Null]);
        };
        answer.values.push(Value::Word(reservation.as_str()));
        answer.values.push(policy.map_or(Value::Null, |policy| Value::Text(policy.into_owned())));
        // Ours: what is not reserved is not granted either.
        if reservation == Reservation::Reserved {
            answer.opinion(RESERVATION, Preference::Disallow, [ground]);
        }
    }

    fn other_grounds<'a>(&'a self, page: &Page<'a>) -> Vec<Ground<'a>> {
        self.decide(page).map(|answer| answer.ground).into_iter().collect()
    }
}

/// The content of a site's file.
pub struct TdmrepPolicy {
    /// The entries that say something, in their order.
    rules: Vec<TdmRule>,
    /// For any host (`None`), then for single hosts: an index, and the places in `rules` of its numbers.
    indexes: BTreeMap<Option<String>, (PatternIndex, Vec<usize>)>,
}

struct TdmRule {
    line: u32,
    reservation: Reservation,
    policy: Option<String>,
}

impl TdmRule {
    fn of(entry: Entry) -> Option<((Option<String>, PathPattern), Self)> {
        let pattern = PathPattern::new(entry.location?.as_bytes());
        Some((
            (entry.host, pattern),
            Self { line: entry.line, reservation: entry.reservation?, policy: entry.policy },
        ))
    }
}

/// The decision for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TdmrepAnswer<'p> {
    /// The reservation that counts.
    pub reservation: Reservation,
    /// The line on which the file's entry begins, or the field's value.
    pub ground: Ground<'p>,
    /// The policy that counts; none if nothing is reserved.
    pub policy: Option<Cow<'p, str>>,
}

impl TdmrepPolicy {
    /// Compiles a file.
    pub fn new(file: TdmrepFile) -> Self {
        let (places, rules): (Vec<_>, Vec<_>) = file.entries.into_iter().filter_map(TdmRule::of).unzip();
        let mut by_host: BTreeMap<Option<String>, Vec<(PathPattern, usize)>> = BTreeMap::new();
        for (place, (host, pattern)) in places.into_iter().enumerate() {
            by_host.entry(host).or_default().push((pattern, place));
        }
        let index = |patterns: Vec<(PathPattern, usize)>| {
            // The first that matches counts.
            let ranked = patterns.iter().map(|(pattern, _)| pattern.as_bytes()).zip((0..u64::MAX).rev());
            (PatternIndex::new(ranked), patterns.iter().map(|(_, place)| *place).collect())
        };
        let indexes = by_host.into_iter().map(|(host, patterns)| (host, index(patterns))).collect();
        Self { rules, indexes }
    }

    /// Returns the decision for a page, if any.
    pub fn decide<'a>(&'a self, page: &Page<'a>) -> Option<TdmrepAnswer<'a>> {
        let is_meta = |field: &&Field<'_>| field.carrier == Carrier::Meta;
        let meta = StatedTdm::of(page.fields.iter().filter(is_meta).copied());
        let header = StatedTdm::of(header_fields(page.fields, &NAMES));
        let file = page.path.and_then(|path| self.rule(path, page.host));
        let twin = reserving_twin(page.fields).map(|field| (Reservation::Reserved, field));
        let (reservation, ground) = match (twin.or(meta.reservation), header.reservation, file) {
            (Some((reservation, field)), ..) | (None, Some((reservation, field)), _) => {
                (reservation, Ground::field(&field))
            }
            (None, None, Some(rule)) => {
                (rule.reservation, Ground::line(CaptureKind::Tdmrep.as_str(), rule.line))
            }
            (None, None, None) => return None,
        };
        let in_file = || file.and_then(|rule| rule.policy.as_deref()).map(Cow::Borrowed);
        let policy = match reservation {
            Reservation::Reserved => meta.policy.or(header.policy).or_else(in_file),
            Reservation::NotReserved => None,
        };
        Some(TdmrepAnswer { reservation, ground, policy })
    }

    fn rule(&self, path: &UrlPath, host: Option<&str>) -> Option<&TdmRule> {
        let first = |host: Option<&str>| {
            let (index, places) = self.indexes.get(&host.map(str::to_owned))?;
            places.get(index.best(path).numbers().next()? as usize).copied()
        };
        let places = [first(None), host.and_then(|host| first(Some(host)))];
        places.into_iter().flatten().min().and_then(|place| self.rules.get(place))
    }
}

/// Returns a meta that is named like the header field, in any way, if it reserves (READ-13, READ-19).
fn reserving_twin<'a>(fields: &[Field<'a>]) -> Option<Field<'a>> {
    let reserves = |field: &Field<'_>| Reservation::of_field(field.value) == Some(Reservation::Reserved);
    twins(fields, &[RESERVATION]).find(reserves)
}

/// The statements of one carrier of a record.
struct StatedTdm<'a> {
    /// The reservation, and the field or meta that states it.
    reservation: Option<(Reservation, Field<'a>)>,
    policy: Option<Cow<'a, str>>,
}

impl<'a> StatedTdm<'a> {
    fn of(fields: impl Iterator<Item = Field<'a>>) -> Self {
        let (mut stated, mut policy): (Vec<(Reservation, Field<'a>)>, _) = (Vec::new(), None);
        for field in fields {
            match field.name {
                RESERVATION => stated.extend(Reservation::of_field(field.value).map(|read| (read, field))),
                POLICY if !field.value.trim_ascii().is_empty() => {
                    policy = policy.or_else(|| Some(shown(field.value.trim_ascii())));
                }
                _ => {}
            }
        }
        let reserved = stated.iter().find(|(stated, _)| *stated == Reservation::Reserved);
        Self { reservation: reserved.or(stated.first()).copied(), policy }
    }
}

pub(super) fn give_record(fields: &[Field<'_>], give: &mut dyn FnMut(&Statement<'_>)) {
    let metas = twins(fields, &NAMES);
    for field in header_fields(fields, &NAMES).chain(metas) {
        let row = Statement {
            key: Some(field.name.as_bytes()),
            value: Some(field.value),
            ..Statement::unread(SYSTEM, field.carrier.as_str(), field.value)
        };
        if field.name == RESERVATION {
            give(&reservation(row, field.value));
        } else {
            give(&Statement { category: Some(POLICY), ..row });
        }
    }
}

fn reservation<'a>(row: Statement<'a>, value: &[u8]) -> Statement<'a> {
    let read = Reservation::of_field(value);
    let defect = read.is_none().then_some("unknown_value");
    Statement { category: Some("tdm"), preference: read.map(preference), defect, ..row }
}

fn preference(reservation: Reservation) -> Preference {
    match reservation {
        Reservation::Reserved => Preference::Disallow,
        Reservation::NotReserved => Preference::Unknown,
    }
}

/// A file that is not a tdmrep.json is one row.
pub(super) fn give_file(bytes: &[u8], give: &mut dyn FnMut(&Statement<'_>)) {
    let file = TdmrepFile::parse(bytes);
    let whole = Statement::unread(SYSTEM, CaptureKind::Tdmrep.as_str(), bytes);
    if file.entries.is_empty() {
        let defect = file.shape.defect().or(Some("no_entry"));
        give(&Statement { line: Some(1), defect, ..whole.clone() });
    }
    for entry in &file.entries {
        give_entry(entry, &whole, file.shape.defect(), give);
    }
}

fn give_entry(
    entry: &Entry,
    whole: &Statement<'_>,
    shape_defect: Option<&'static str>,
    give: &mut dyn FnMut(&Statement<'_>),
) {
    let row = Statement {
        path: entry.location.as_deref().map(str::as_bytes),
        line: Some(entry.line),
        raw: entry.raw.as_bytes(),
        ..whole.clone()
    };
    // Without a location or a value it applies to no page.
    let read = entry.reservation.filter(|_| entry.location.is_some());
    give(&Statement {
        key: entry.written.is_some().then_some(RESERVATION.as_bytes()),
        value: entry.written.as_deref().map(str::as_bytes),
        category: Some("tdm"),
        preference: read.map(preference),
        defect: entry.defect.or(shape_defect),
        ..row.clone()
    });
    if let Some(policy) = &entry.policy {
        give(&Statement {
            key: Some(POLICY.as_bytes()),
            value: Some(policy.as_bytes()),
            category: Some(POLICY),
            ..row
        });
    }
}
