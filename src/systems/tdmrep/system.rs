//! TDMRep as a system of preferences: its columns, its answers for a page, its statements.
//!
//! Document: TDMRep, on precedence: file, then header field, then meta, the later replacing the earlier.
//! Example: a file that reserves `/` and a header `tdm-reservation: 0` give 0.
//! Ours: a meta that is named like the header field in another way, or is behind a head that ended early, counts if it
//! reserves, over all of them. Of several lines of one carrier a reservation counts over none, because a lost no is worse.
//!
//! Each reservation and each policy is a statement. Example: `tdm-reservation: 1` is a row with category `tdm` and preference
//! disallow. Ours: a 0 is not an allow, as it grants nothing; its row has the value, and the preference unknown.

use super::file::{Entry, Reservation, TdmrepFile};
use super::{NAMES, POLICY, RESERVATION};
use crate::systems::{
    About, Answer, Compiled, Give, Ground, Label, Mapping, Page, Source, Statement,
};
use crate::systems::{System, Value, Viewpoint};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::field::{Carrier, Field, header_fields, twins};
use crate::web::path_pattern::{PathPattern, UrlPath};
use crate::web::pattern_index::PatternIndex;
use crate::web::preference::Preference;
use crate::web::shown::shown;
use std::borrow::Cow;
use std::collections::BTreeMap;

const SYSTEM: &str = "tdmrep";

pub static TDMREP: System = System {
    about: &About {
        name: SYSTEM,
        title: "TDMRep",
        documents: &["TDM Reservation Protocol 2024-02-02"],
        carriers: "tdmrep.json, header, meta, also by `http-equiv`",
        left_out: "EPUB and PDF, which are rare in archives of pages; the policies that its URLs point to",
        columns: &[
            Column::text(
                "tdm_reservation",
                "TDMRep reservation that counts, as sent: 1 (reserved), 0 (not reserved); NULL where none is stated",
            )
            .or_null(),
            Column::text("tdm_policy", "URL of the policy that comes with a reservation").or_null(),
        ],
        column_prefix: "tdm_",
        site_file: Some(CaptureKind::Tdmrep),
        labels: &[Mapping::disallow(RESERVATION, &[Label::Tdm, Label::TrainAi, Label::TrainGenai])],
        ..About::NONE
    },
    compile: |files, _| {
        let file = files.copies.first().map(|copy| TdmrepFile::parse(copy.bytes));
        Box::new(TdmrepPolicy::new(file.unwrap_or_default()))
    },
    statements: |source, _, give| match source {
        Source::Record(fields) => give_record(fields, give),
        Source::SiteFile(CaptureKind::Tdmrep, body) => give_file(body.bytes, give),
        Source::SiteFile(..) | Source::Robots(_) => {}
    },
};

impl Compiled for TdmrepPolicy {
    fn answer<'a>(&'a self, page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let Some((reservation, ground, policy)) = self.decide(page) else {
            return answer.values.extend([Value::Null, Value::Null]);
        };
        answer.values.push(Value::Word(reservation.as_str()));
        answer
            .values
            .push(policy.map_or(Value::Null, |policy| Value::Text(policy.into_owned())));
        // Ours: what is not reserved is not granted either.
        if reservation == Reservation::Reserved {
            answer.opinion(RESERVATION, Preference::Disallow, [ground]);
        }
    }

    fn other_grounds<'a>(&'a self, page: &Page<'a>) -> Vec<Ground<'a>> {
        self.decide(page)
            .map(|(_, ground, _)| ground)
            .into_iter()
            .collect()
    }
}

struct TdmrepPolicy {
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

impl TdmrepPolicy {
    fn new(file: TdmrepFile) -> Self {
        let mut rules = Vec::new();
        let mut by_host: BTreeMap<Option<String>, Vec<(PathPattern, usize)>> = BTreeMap::new();
        for Entry {
            line,
            location,
            host,
            reservation,
            policy,
            ..
        } in file.entries
        {
            let (Some(location), Some(reservation)) = (location, reservation) else {
                continue;
            };
            let pattern = PathPattern::new(location.as_bytes());
            by_host
                .entry(host)
                .or_default()
                .push((pattern, rules.len()));
            rules.push(TdmRule {
                line,
                reservation,
                policy,
            });
        }
        let index = |patterns: Vec<(PathPattern, usize)>| {
            // The first that matches counts.
            let ranked = patterns
                .iter()
                .map(|(pattern, _)| pattern.as_bytes())
                .zip((0..u64::MAX).rev());
            (
                PatternIndex::new(ranked),
                patterns.iter().map(|(_, place)| *place).collect(),
            )
        };
        let indexes = by_host
            .into_iter()
            .map(|(host, patterns)| (host, index(patterns)))
            .collect();
        Self { rules, indexes }
    }

    /// Returns the reservation that counts for a page, its ground, and the policy that counts if rights are reserved.
    fn decide<'a>(
        &'a self,
        page: &Page<'a>,
    ) -> Option<(Reservation, Ground<'a>, Option<Cow<'a, str>>)> {
        let is_meta = |field: &&Field<'_>| field.carrier == Carrier::Meta;
        let (meta, meta_policy) = stated(page.fields.iter().filter(is_meta).copied());
        let (header, header_policy) = stated(header_fields(page.fields, &NAMES));
        let file = page.path.and_then(|path| self.rule(path, page.host));
        // A meta that is named like the header field, in any way, if it reserves (READ-13, READ-19).
        let twins = twins(page.fields, &[RESERVATION]);
        let mut twins =
            twins.filter_map(|field| Some((Reservation::of_field(field.value)?, field)));
        let twin = twins.find(|(reservation, _)| *reservation == Reservation::Reserved);
        let field = twin
            .or(meta)
            .or(header)
            .map(|(reservation, field)| (reservation, Ground::field(&field)));
        let of_rule = |rule: &TdmRule| {
            (
                rule.reservation,
                Ground::line(CaptureKind::Tdmrep.as_str(), rule.line),
            )
        };
        let (reservation, ground) = field.or_else(|| file.map(of_rule))?;
        let in_file = || {
            file.and_then(|rule| rule.policy.as_deref())
                .map(Cow::Borrowed)
        };
        let policy = meta_policy.or(header_policy).or_else(in_file);
        Some((
            reservation,
            ground,
            policy.filter(|_| reservation == Reservation::Reserved),
        ))
    }

    fn rule(&self, path: &UrlPath, host: Option<&str>) -> Option<&TdmRule> {
        let first = |host: Option<&str>| {
            let (index, places) = self.indexes.get(&host.map(str::to_owned))?;
            places
                .get(index.best(path).numbers().next()? as usize)
                .copied()
        };
        let places = [first(None), host.and_then(|host| first(Some(host)))];
        places
            .into_iter()
            .flatten()
            .min()
            .and_then(|place| self.rules.get(place))
    }
}

/// The statements of one carrier of a record: the reservation with the field or meta that states it, and the policy.
type StatedTdm<'a> = (Option<(Reservation, Field<'a>)>, Option<Cow<'a, str>>);

fn stated<'a>(fields: impl Iterator<Item = Field<'a>>) -> StatedTdm<'a> {
    let (mut stated, mut policy): StatedTdm<'a> = (None, None);
    for field in fields {
        match field.name {
            RESERVATION => {
                let new = Reservation::of_field(field.value).map(|read| (read, field));
                stated = match (stated, new) {
                    (Some((Reservation::NotReserved, _)), Some((Reservation::Reserved, _)))
                    | (None, _) => new,
                    _ => stated,
                };
            }
            POLICY if !field.value.trim_ascii().is_empty() => {
                policy = policy.or_else(|| Some(shown(field.value.trim_ascii())));
            }
            _ => {}
        }
    }
    (stated, policy)
}

fn give_record(fields: &[Field<'_>], give: &mut Give<'_>) {
    for field in header_fields(fields, &NAMES).chain(twins(fields, &NAMES)) {
        let mut row = Statement::of_field(SYSTEM, &field);
        (row.key, row.value) = (Some(field.name.as_bytes()), Some(field.value));
        if field.name == RESERVATION {
            let read = Reservation::of_field(field.value);
            row.defect = read.is_none().then_some("unknown_value");
            (row.category, row.preference) = (Some("tdm"), read.map(preference));
        } else {
            row.category = Some(POLICY);
        }
        give(&row);
    }
}

fn preference(reservation: Reservation) -> Preference {
    match reservation {
        Reservation::Reserved => Preference::Disallow,
        Reservation::NotReserved => Preference::Unknown,
    }
}

/// A file that is not a tdmrep.json is one row.
fn give_file(bytes: &[u8], give: &mut Give<'_>) {
    let file = TdmrepFile::parse(bytes);
    let carrier = CaptureKind::Tdmrep.as_str();
    if file.entries.is_empty() {
        let whole = Statement::unread(SYSTEM, carrier, bytes);
        give(&Statement {
            line: Some(1),
            defect: file.defect.or(Some("no_entry")),
            ..whole
        });
    }
    for entry in &file.entries {
        let row = Statement {
            path: entry.location.as_deref().map(str::as_bytes),
            line: Some(entry.line),
            ..Statement::unread(SYSTEM, carrier, entry.raw.as_bytes())
        };
        // Without a location or a value it applies to no page.
        let read = entry.reservation.filter(|_| entry.location.is_some());
        give(&Statement {
            key: entry.written.is_some().then_some(RESERVATION.as_bytes()),
            value: entry.written.as_deref().map(str::as_bytes),
            category: Some("tdm"),
            preference: read.map(preference),
            defect: entry.defect.or(file.defect),
            ..row.clone()
        });
        if let Some(policy) = &entry.policy {
            let (key, value) = (Some(POLICY.as_bytes()), Some(policy.as_bytes()));
            give(&Statement {
                key,
                value,
                category: Some(POLICY),
                ..row
            });
        }
    }
}
