//! What TDMRep says of a page.
//!
//! Document: TDMRep, on precedence: file, then header field, then meta, the later replacing the earlier.
//! Example: a file that reserves `/` and a header `tdm-reservation: 0` come to 0.
//! Ours: a meta that is named like the header field in another way, or is behind a head that ended early, counts where it
//! reserves, over all of them. Of several lines of one carrier a reservation counts over none, because a lost no is the worse error.

use super::entry::{Entry, Reservation};
use super::file::TdmrepFile;
use super::{NAMES, POLICY, RESERVATION};
use crate::systems::{Ground, Page};
use crate::web::capture_kind::CaptureKind;
use crate::web::field::{Carrier, Field, header_fields, twins};
use crate::web::path_pattern::{PathPattern, UrlPath};
use crate::web::pattern_index::PatternIndex;
use crate::web::shown::shown;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a site's file says.
pub struct TdmrepPolicy {
    /// Those of its entries that say something, in their order.
    rules: Vec<TdmRule>,
    /// Those for any host, then those of one: the places of their rules by number.
    indexes: BTreeMap<Option<String>, (PatternIndex, Vec<usize>)>,
}

struct TdmRule {
    line: u32,
    reservation: Reservation,
    policy: Option<String>,
}

impl TdmRule {
    /// Reads an entry: its host and path, and what it says.
    fn of(entry: Entry) -> Option<((Option<String>, PathPattern), Self)> {
        let pattern = PathPattern::new(entry.location?.as_bytes());
        Some((
            (entry.host, pattern),
            Self { line: entry.line, reservation: entry.reservation?, policy: entry.policy },
        ))
    }
}

/// What is said of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TdmrepAnswer<'p> {
    /// The reservation that counts.
    pub reservation: Reservation,
    /// The line on which the file's entry begins, or the field's value.
    pub ground: Ground<'p>,
    /// The policy that counts; none where nothing is reserved.
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

    /// Returns what is said of a page, if anything is.
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

/// Returns a meta that is named like the header field, in whatever way, where it reserves (READ-13, READ-19).
fn reserving_twin<'a>(fields: &[Field<'a>]) -> Option<Field<'a>> {
    let reserves = |field: &Field<'_>| Reservation::of_field(field.value) == Some(Reservation::Reserved);
    twins(fields, &[RESERVATION]).find(reserves)
}

/// What one carrier of a record states.
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
