//! What `_judge.json` says of all documents of an output folder, whichever call judged them, and what an audit found.
//!
//! It is written when a call ends, and removed when one begins. Shares of what is kept say little without it: of documents
//! whose headers and metas were not seen, nobody knows what these said.

use super::audit::AuditReport;
use super::counts::Counts;
use super::state::{Judgement, OutputFolder};
use super::sums::FolderState;
use crate::error::Error;
use crate::runs::RunFile;
use crate::systems::Label;
use serde_json::{Map, Value, json};

/// Writes what is known of all documents of a folder, and again if other calls have judged files meanwhile.
pub fn write(folder: OutputFolder<'_>, audit: Option<&AuditReport>) -> Result<(), Error> {
    let unwritable = folder.unwritable();
    loop {
        let state = FolderState::read(folder).map_err(&unwritable)?;
        let text = folder
            .about
            .read(RunFile::Judge.name())
            .map_err(&unwritable)?
            .unwrap_or_default();
        let Ok(judgement) = serde_json::from_slice::<Judgement>(&text) else {
            return Ok(());
        };
        let inputs = json!({"judged": state.judged(), "not_judged": state.not_judged()});
        let documents = Some(json!({"inputs": inputs, "counts": of_counts(&state.counts())}));
        let audit = audit.map(serde_json::to_value).transpose();
        let audit = audit.map_err(|error| unwritable(error.into()))?;
        let judgement = Judgement {
            documents,
            audit,
            ..judgement
        };
        let calls = folder.calls().map_err(&unwritable)?;
        folder.write(judgement).map_err(&unwritable)?;
        let is_same = FolderState::read(folder).map_err(&unwritable)? == state;
        if is_same && folder.calls().map_err(&unwritable)? == calls {
            return Ok(());
        }
    }
}

fn of_counts(counts: &Counts) -> Value {
    let preferences = |[allow, disallow, unknown]: [u64; 3]| json!({"allow": allow, "disallow": disallow, "unknown": unknown});
    let access = std::iter::once([counts.allow, counts.disallow, counts.unknown])
        .chain(counts.further.clone());
    let age = |[month, year, more, none]: &[u64; 4]| json!({"up_to_30_days": month, "up_to_365_days": year, "more": more, "none": none});
    let labels = Label::ALL.into_iter().zip(counts.labels);
    let labels: Map<String, Value> = labels
        .map(|(label, counts)| (label.as_str().to_owned(), preferences(counts)))
        .collect();
    json!({
        "documents": counts.documents,
        "by_source": {
            "record": counts.by_record,
            "record_of_other_url": counts.by_other_url,
            "record_by_url": counts.by_url,
            "site": counts.by_site - counts.by_url,
            "none": counts.unknown_site,
        },
        "access_by_time": access.map(preferences).collect::<Vec<_>>(),
        "labels": labels,
        "headers_or_metas_not_seen": counts.unseen,
        "unread": counts.unread,
        "doubt": counts.doubt,
        "dates": {"intervals": counts.intervals, "undated": counts.undated, "only_later_robots": counts.later},
        "by_twin": counts.by_twin,
        "not_judged": counts.unjudged,
        "robots_age_by_time": counts.robots_ages.iter().map(age).collect::<Vec<_>>(),
    })
}
