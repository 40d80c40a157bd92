//! The statements of TDMRep: each reservation and each policy.
//!
//! Example: `tdm-reservation: 1` is a row with category `tdm` and preference disallow. Ours: a 0 is no
//! allow, as it grants nothing; its row has the value, and the preference unknown.

use super::entry::{Entry, Reservation};
use super::file::TdmrepFile;
use super::{NAMES, POLICY, RESERVATION, SYSTEM};
use crate::systems::Statement;
use crate::web::capture_kind::CaptureKind;
use crate::web::field::{Field, header_fields, twins};
use crate::web::preference::Preference;

/// Gives the statements of a record.
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

/// Gives the statements of a file; one that is no such file is one row.
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
    // Without a location or a value it is for no page.
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
