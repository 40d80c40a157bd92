//! The fate of a unit, and whether a unit that is not understood may be a no (RULES ACCT-1, ACCT-2).
//!
//! Example: of `Content-Signal: ai-train=disallowed` a statement has the defect `unknown_value`: the unit is defective, and
//! its words may be a no, so that it is a doubt.
//! Left out: for whom and where a doubt counts (`robots`, `record`, `site_file`).

use super::known;
use super::words::{TopicPlace, may_be_no};
use crate::systems::{SYSTEMS, Statement};
use crate::web::capture_kind::CaptureKind;
use crate::web::preference::Preference;

/// What became of a unit: a line, an entry, a field or a meta.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// It is empty, or a comment.
    Blank,
    /// It is a user-agent, allow or disallow line that counts.
    Rule,
    /// A system took its value, without a defect.
    Read,
    /// Its name is known to state no preference about use.
    Known,
    /// It has the name of a system, and a value that the system does not understand.
    Defective,
    /// It is not known.
    Unrecognised,
}

impl Fate {
    /// Every fate.
    pub const ALL: [Self; 6] =
        [Self::Blank, Self::Rule, Self::Read, Self::Known, Self::Defective, Self::Unrecognised];

    /// Returns its name in the documentation.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Rule => "rule",
            Self::Read => "read",
            Self::Known => "known",
            Self::Defective => "defective",
            Self::Unrecognised => UNRECOGNISED,
        }
    }
}

/// The name of the fate, and what rows of `statements` have for an unknown system.
pub const UNRECOGNISED: &str = "unrecognised";

/// The defect of a member in whose place a later one of the same key came.
pub(super) const SUPERSEDED: &str = "superseded";

/// Defects with which a system still takes the value, or takes none because the document says so, sorted. Any other makes a
/// unit defective, so that a new one is a doubt before it is listed here.
const READ_WITH_DEFECT: &[&str] = &[
    "dictionary_differs",
    "name_repeated",
    "no_array",
    "no_path",
    "no_rules",
    "number_as_string",
    "path_in_block",
    "path_without_conditional",
    "quoted",
    SUPERSEDED,
    "training_missing",
    "truth_value",
    "underscores",
    "url_location",
    "with_path",
    "wrapped_array",
];

/// The defect of a line before all groups. A system that reads it as one of `*` says so by its agent.
const NO_GROUP: &str = "no_group";

/// Returns the fate of the unit from which a system took this statement.
pub fn fate(statement: &Statement<'_>) -> Fate {
    match statement.defect {
        None => Fate::Read,
        Some(defect) if READ_WITH_DEFECT.binary_search(&defect).is_ok() => Fate::Read,
        Some(NO_GROUP) if is_read_as_everyones(statement) => Fate::Read,
        Some(_) => Fate::Defective,
    }
}

/// Returns whether it is a line before all groups that is read as if it was in the group of `*`.
pub(super) fn is_read_as_everyones(statement: &Statement<'_>) -> bool {
    statement.defect == Some(NO_GROUP) && statement.agent.as_deref() == Some("*")
}

/// Returns whether a statement may be a no that is not understood (ACCT-2).
pub fn is_doubt(statement: &Statement<'_>) -> bool {
    match statement.system {
        UNRECOGNISED => statement_may_be_no(statement),
        system if !has_labels(system) => false,
        _ => match fate(statement) {
            Fate::Defective => statement_may_be_no(statement),
            _ => has_refusing_parameter(statement),
        },
    }
}

/// Returns whether a yes has parameters that may be a no: `search=y; train-ai=n` has a semicolon for a comma.
pub(super) fn has_refusing_parameter(statement: &Statement<'_>) -> bool {
    let value =
        statement.value.filter(|_| statement.preference == Some(Preference::Allow)).unwrap_or_default();
    let parameters = memchr::memchr(b';', value).and_then(|at| value.get(at..));
    parameters.is_some_and(|parameters| may_be_no(parameters, b"", TopicPlace::Anywhere))
}

/// Returns whether the words of a statement may be a no.
pub(super) fn statement_may_be_no(statement: &Statement<'_>) -> bool {
    let name = statement.key.unwrap_or(statement.raw);
    may_be_no(name, statement.value.unwrap_or_default(), topic_place(statement))
}

fn topic_place(statement: &Statement<'_>) -> TopicPlace {
    let of_kind = CaptureKind::named(statement.carrier).map_or(TopicPlace::Name, known::topic_place);
    match of_kind {
        TopicPlace::Name if statement.system != UNRECOGNISED => TopicPlace::Anywhere,
        of_kind => of_kind,
    }
}

/// A system without labels cannot hold a no that a label loses.
fn has_labels(system: &str) -> bool {
    SYSTEMS.iter().map(|one| one.about()).any(|about| about.name == system && !about.labels.is_empty())
}
