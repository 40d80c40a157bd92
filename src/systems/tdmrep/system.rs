//! TDMRep as a system of preferences: its columns and its answers.

use super::{Answer, RESERVATION, Reservation, TdmrepFile, TdmrepPolicy, statements};
use crate::systems::{
    FileBody, Page, Policy, Question, Said, Site, Source, Statement, System, Value, Viewpoint, add_reason,
};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::preference::Preference;
use serde_json::{Map, Value as Json, json};

/// TDMRep: the TDM Reservation Protocol.
pub struct Tdmrep;

pub(super) const SYSTEM: &str = "tdmrep";

const COLUMNS: [Column; 2] = [
    Column::text(
        "tdm_reservation",
        "TDMRep reservation that counts, as sent: 1 (reserved), 0 (not reserved); NULL where none is stated",
    )
    .or_null(),
    Column::text("tdm_policy", "URL of the policy that comes with a reservation").or_null(),
];

impl System for Tdmrep {
    fn system(&self) -> &'static str {
        SYSTEM
    }

    fn columns(&self) -> &'static [Column] {
        const { &COLUMNS }
    }

    fn compile(&self, _site: Option<&Site<'_>>, viewpoint: &Viewpoint) -> Box<dyn Policy> {
        self.compile_copies(&[], viewpoint)
    }

    fn site_file(&self) -> Option<CaptureKind> {
        Some(CaptureKind::Tdmrep)
    }

    fn compile_copies(&self, copies: &[FileBody<'_>], _viewpoint: &Viewpoint) -> Box<dyn Policy> {
        Box::new(compiled(copies))
    }

    fn explain(&self, question: &Question<'_>, answer: &mut Map<String, Json>) {
        let Some(page) = question.page else { return };
        let policy = compiled(&question.copies_of(CaptureKind::Tdmrep));
        let said = policy.answer(page);
        answer.insert("tdm".to_owned(), said.as_ref().map(|said| said.reservation.as_str()).into());
        if let Some(Answer { ground, policy, .. }) = said {
            let (carrier, line) = (ground.carrier, ground.line);
            add_reason(
                answer,
                json!({ "system": SYSTEM, "carrier": carrier, "line": line, "policy": policy }),
            );
        }
    }

    fn statements(&self, source: &Source<'_>, _viewpoint: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::Record(fields) => statements::of_record(fields, give),
            Source::SiteFile(CaptureKind::Tdmrep, body) => statements::of_file(body.bytes, give),
            Source::SiteFile(..) | Source::Robots(_) => {}
        }
    }
}

fn compiled(copies: &[FileBody<'_>]) -> TdmrepPolicy {
    let empty = TdmrepFile { shape: super::Shape::Array, entries: Vec::new() };
    TdmrepPolicy::new(copies.first().map_or(empty, |copy| TdmrepFile::parse(copy.bytes)))
}

impl Policy for TdmrepPolicy {
    fn answer(&self, page: &Page<'_>, _viewpoint: &Viewpoint, values: &mut Vec<Value>) {
        let answer = Self::answer(self, page);
        let reservation = answer.as_ref().map(|answer| answer.reservation.as_str());
        values.push(reservation.map_or(Value::Null, Value::Word));
        let policy = answer.and_then(|answer| answer.policy);
        values.push(policy.map_or(Value::Null, |policy| Value::Text(policy.into_owned())));
    }

    fn say<'a>(&'a self, page: &Page<'a>, _viewpoint: &'a Viewpoint, give: &mut dyn FnMut(Said<'a>)) {
        // Ours: what is not reserved is not granted either.
        if let Some(Answer { reservation: Reservation::Reserved, ground, .. }) = Self::answer(self, page) {
            give(Said { category: RESERVATION, preference: Preference::Disallow, grounds: vec![ground] });
        }
    }
}
