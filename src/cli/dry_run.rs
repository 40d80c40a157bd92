//! `--dry-run`: a line for each step, such as `crawl=CC-MAIN-2026-34 17.1-warc-0000: to make from 50 archives (new)`.

use super::call::Ended;
use super::output;
use crawlprefs::error::Error;
use crawlprefs::job::{self, PartPlan, ScanOptions, ScanStep, Step};
use crawlprefs::runs::{PartState, batch_id};
use crawlprefs::store::Store;
use crawlprefs::web::shown::visible;
use std::collections::BTreeMap;

pub fn of_scan(options: &ScanOptions, out: &dyn Store) -> Result<u8, Ended> {
    let archives = options.archives()?;
    let unreadable = |source| Error::EvidenceUnreadable {
        location: out.location(),
        source,
    };
    let mut batches = BTreeMap::<(String, String), Vec<String>>::new();
    let steps = job::plan_scan(&archives, options, out).map_err(unreadable)?;
    for (archive, step) in archives.iter().zip(steps) {
        let name = &archive.input.name;
        let line = format!("  {}{}\n", visible(name.filename()), scan_step_text(&step));
        batches
            .entry((archive.crawl.to_string(), batch_id(name)))
            .or_default()
            .push(line);
    }
    let batch = |((crawl, batch), lines): ((String, String), Vec<String>)| {
        format!("crawl={crawl} {}\n{}", visible(&batch), lines.concat())
    };
    Ok(output::print(
        &batches.into_iter().map(batch).collect::<String>(),
    )?)
}

fn scan_step_text(step: &ScanStep) -> String {
    match step {
        ScanStep::Done => ": done".to_owned(),
        ScanStep::Compare => ": done, to compare with the archive".to_owned(),
        ScanStep::Read(None) => String::new(),
        ScanStep::Read(Some(why)) => format!(": to read again ({})", visible(why)),
        ScanStep::Refuse(why) => format!(": {}", visible(why)),
    }
}

pub fn of_resolve(plan: &[PartPlan]) -> Result<u8, Ended> {
    let line = |PartPlan { crawl, id, step }: &PartPlan| {
        format!("crawl={crawl} {}: {}\n", visible(id), step_text(step))
    };
    Ok(output::print(&plan.iter().map(line).collect::<String>())?)
}

fn step_text(step: &Step) -> String {
    match step {
        Step::Done => "done".to_owned(),
        Step::Make { archives: 0, state } => format!("to make ({})", state_text(state)),
        Step::Make { archives, state } => {
            format!("to make from {archives} archives ({})", state_text(state))
        }
        Step::Keep => "to keep, without evidence".to_owned(),
        Step::RemoveForGood => "to remove, without evidence".to_owned(),
        Step::Remove => "to remove; a call for its segment makes it again".to_owned(),
    }
}

fn state_text(state: &PartState) -> String {
    match state {
        PartState::Done => "done".to_owned(),
        PartState::New => "new".to_owned(),
        PartState::Stale | PartState::EarlierSiteFiles | PartState::Damaged(_) => {
            visible(&state.reason().unwrap_or_default()).into_owned()
        }
    }
}
