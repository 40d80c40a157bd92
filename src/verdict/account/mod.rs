//! The account of what a site said: every unit that was received has one fate, and a yes needs proof (RULES ACCT).
//!
//! A unit is a line of a site file, an entry of a JSON file, a header field or a meta. Units = blank + rule + read + known +
//! defective + unrecognised. A defective or unrecognised unit that may be a no is a doubt: its carrier counts as unread, so
//! that no label is allow. Example: `Content-Signal: ai-train=disallowed` under a yes for the whole site.
//!
//! It is made of what systems pass on anyway: the lines and fields that they take, and their defects. So a new system is
//! accounted for without a line here. Left out: what was not received (READ), and rules of robots.txt that no parser could
//! read, which are about access too (`near_miss`).

mod doubts;
mod fate;
mod known;
mod lines;
mod near_miss;
mod record;
mod robots;
mod site_file;
mod units;
mod words;

pub use fate::{Fate, UNRECOGNISED, fate, is_doubt};
pub use near_miss::near_misses;
pub use record::doubtful_carriers;
pub use robots::RobotsDoubts;
pub use site_file::FileDoubts;
pub use units::Units;

use crate::systems::{SYSTEMS, Shown, Source, Statement, Viewpoint, shown, shown_statements};
use lines::TakenLines;
use record::RecordDoubts;

/// A statement, and what the account of its source says of it.
pub struct AccountedStatement<'a> {
    /// The place of its system in `SYSTEMS`; none where no system knows its unit.
    pub system: Option<usize>,
    /// The statement.
    pub statement: &'a Statement<'a>,
    /// Whether it is a row of `statements`.
    pub shown: Shown,
    /// Whether it may be a no that is not understood.
    pub is_doubt: bool,
}

/// Passes on every statement of a source, those of each system by its place, then the units about AI that no system knows.
pub fn each_statement(
    source: &Source<'_>,
    viewpoint: &Viewpoint,
    each: &mut dyn FnMut(&AccountedStatement<'_>),
) {
    let mut taken = TakenLines::default();
    let mut doubts = match source {
        Source::Record(fields) => Some(RecordDoubts::new(fields, viewpoint)),
        Source::Robots(_) | Source::SiteFile(..) => None,
    };
    let mut give = |system: Option<usize>, statement: &Statement<'_>, shown: Shown| {
        let is_doubt = doubts.as_mut().map_or_else(|| is_doubt(statement), |doubts| doubts.has(statement));
        each(&AccountedStatement { system, statement, shown, is_doubt });
    };
    for (place, system) in SYSTEMS.iter().enumerate() {
        shown_statements(*system, source, viewpoint, &mut |statement, is_row| {
            taken.add(statement);
            give(Some(place), statement, is_row);
        });
    }
    let unrecognised = |give: &mut dyn FnMut(&Statement<'_>)| match source {
        Source::Record(fields) => record::unrecognised(fields, viewpoint, give),
        Source::Robots(_) | Source::SiteFile(..) => lines::unrecognised(source, &taken, give),
    };
    shown(UNRECOGNISED, unrecognised, &mut |statement, is_row| give(None, statement, is_row));
}

/// Counts the units of a source by their fates (ACCT-1).
pub fn units(source: &Source<'_>, viewpoint: &Viewpoint) -> Units {
    if let Source::Record(fields) = source {
        return record::units(fields, viewpoint);
    }
    let (mut taken, mut entries) = (TakenLines::default(), Units::default());
    for system in SYSTEMS {
        system.statements(source, viewpoint, &mut |statement| {
            taken.add(statement);
            site_file::add_entry(statement, &mut entries);
        });
    }
    site_file::units(source, &taken, &entries)
}
