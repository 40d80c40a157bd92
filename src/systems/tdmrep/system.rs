//! TDMRep as a system of preferences: its columns and its answers.

use super::{RESERVATION, Reservation, SYSTEM, TdmrepAnswer, TdmrepFile, TdmrepPolicy, statements};
use crate::systems::{
    About, Answer, Compiled, Ground, Label, Lines, Mapping, Page, SiteFiles, Source, Statement, System,
    Value, Viewpoint,
};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::preference::Preference;

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
            Source::Record(fields) => statements::give_record(fields, give),
            Source::SiteFile(CaptureKind::Tdmrep, body) => statements::give_file(body.bytes, give),
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
