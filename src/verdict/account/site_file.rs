//! The account of the site files beside robots.txt.
//!
//! Example: `{"/": {"tdm-reservation": 1}}` is JSON and no entry of a tdmrep.json: one unit, defective, and a doubt.
//! Left out: which copies were current, and what is missing of them.

use super::doubts::Doubts;
use super::fate::{Fate, fate, is_doubt};
use super::lines::{TakenLines, each_line, kind_of};
use super::near_miss::near_misses;
use super::units::Units;
use crate::robots::RobotsTxt;
use crate::systems::{FileBody, Source, Statement, System, Viewpoint};
use crate::web::capture_kind::{CaptureKind, FileForm};
use crate::web::path_pattern::UrlPath;
use crate::web::product_token::AgentName;

/// Defects by which a path is not understood, though it could match.
const PATH_NOT_UNDERSTOOD: &[&str] = &["regex_in_path"];

/// The units of a system's own files that may be a no and were not understood.
#[derive(Debug, Default)]
pub struct FileDoubts(Doubts);

impl FileDoubts {
    /// Looks at the copies of a system's own file.
    pub fn of(system: &dyn System, copies: &[FileBody<'_>], viewpoint: &Viewpoint) -> Self {
        let mut doubts = Doubts::default();
        let about = system.about();
        let Some(kind) = about.site_file.filter(|_| !about.labels.is_empty()) else { return Self::default() };
        for body in copies {
            let (source, mut taken) = (Source::SiteFile(kind, *body), TakenLines::default());
            system.statements(&source, viewpoint, &mut |statement| {
                taken.add(statement);
                if statement.defect != Some("other_text")
                    && is_doubt(statement)
                    && binds(statement, viewpoint)
                {
                    let is_understood =
                        statement.defect.is_none_or(|defect| !PATH_NOT_UNDERSTOOD.contains(&defect));
                    doubts.add(statement.path.filter(|_| is_understood));
                }
            });
            if kind.form() == Some(FileForm::Groups) && !near_misses(&RobotsTxt::parse(body.bytes)).is_empty()
            {
                doubts.add(None);
            }
            each_line(&source, &mut |line| {
                if line.fate(&taken, kind) == Fate::Unrecognised && line.may_be_no(kind) {
                    doubts.add(line.path());
                }
            });
        }
        Self(doubts.compiled())
    }

    /// Returns whether one counts for a page.
    pub fn hold(&self, path: Option<&UrlPath>) -> bool {
        self.0.hold(path)
    }
}

/// Returns whether a statement is for everybody or for the viewpoint's crawler.
fn binds(statement: &Statement<'_>, viewpoint: &Viewpoint) -> bool {
    let how = viewpoint.token_match;
    let is_meant = |name: &str| match AgentName::new(name.trim().as_bytes(), how) {
        AgentName::Everyone | AgentName::Nobody => true,
        name @ AgentName::Token(_) => name.is_token(viewpoint.token.compared(how)),
    };
    statement.agent.as_deref().is_none_or(|agents| agents.split(',').any(is_meant))
}

/// Counts the units of a file by their fates: its lines, or the entries of a tdmrep.json.
pub(super) fn units(source: &Source<'_>, taken: &TakenLines, entries: &Units) -> Units {
    match kind_of(source) {
        Some(_) => super::lines::units(source, taken),
        None => *entries,
    }
}

/// Counts the entry from which a system took a statement; a policy is part of an entry.
pub(super) fn add_entry(statement: &Statement<'_>, entries: &mut Units) {
    let is_policy = statement.category == Some("tdm-policy");
    if statement.carrier == CaptureKind::Tdmrep.as_str() && !is_policy {
        entries.add(fate(statement));
    }
}
