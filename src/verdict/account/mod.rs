//! The account of what a site said: every received unit has one fate, and a yes needs proof (RULES ACCT).
//!
//! A unit is a line of a site file, an entry of a JSON file, a header field or a meta. Units = blank + rule + read + known +
//! defective + unrecognised. A defective or unrecognised unit that may be a no is a doubt: its carrier counts as unread, so
//! that no label is allow. Example: `Content-Signal: ai-train=disallowed` under a yes for the whole site.
//!
//! It uses what systems already pass on: the lines and fields that they take, and their defects. So a new system is accounted
//! for without a line here. Left out: what was not received (READ), and unreadable rules of robots.txt, which also concern
//! access (`near_miss`).

mod known;
mod lines;
mod record;
mod refusal;
mod robots;
mod words;

pub use lines::{file_doubts, unknown_lines};
pub use record::doubtful_carriers;
pub use robots::RobotsDoubts;

use crate::robots::{NearMiss, RobotsTxt};
use crate::systems::{SYSTEMS, Shown, Source, Statement, Viewpoint, shown, shown_statements};
use crate::web::path_pattern::{PathPattern, UrlPath, can_match};
use crate::web::{
    capture_kind::CaptureKind, names::names, pattern_index::PatternIndex, preference::Preference,
};
use lines::TakenLines;
use record::RecordDoubts;
use refusal::{TopicPlace, has_no_of_its_own, is_about_ai, lacks_a_yes, may_be_no};
use std::sync::LazyLock;

/// A statement, and what the account of its source says about it.
pub struct AccountedStatement<'a> {
    /// The place of its system in `SYSTEMS`; `None` if no system knows its unit.
    pub system: Option<usize>,
    pub statement: &'a Statement<'a>,
    /// Whether it is a row of `statements`.
    pub shown: Shown,
    /// Whether it may be a no that is not understood.
    pub is_doubt: bool,
}

/// Passes on every statement of a source: those of each system, with its place, then the units about AI that no system knows.
pub fn each_statement(
    source: &Source<'_>,
    viewpoint: &Viewpoint,
    each: &mut dyn FnMut(&AccountedStatement<'_>),
) {
    let mut taken = TakenLines::default();
    let mut doubts = match source {
        Source::Record(fields) => Some(RecordDoubts { fields, viewpoint, read: None }),
        Source::Robots(_) | Source::SiteFile(..) => None,
    };
    let mut give = |system: Option<usize>, statement: &Statement<'_>, shown: Shown| {
        let is_doubt = doubts.as_mut().map_or_else(|| is_doubt(statement), |doubts| doubts.has(statement));
        each(&AccountedStatement { system, statement, shown, is_doubt });
    };
    for (place, system) in SYSTEMS.iter().enumerate() {
        shown_statements(system, source, viewpoint, &mut |statement, is_row| {
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

/// Counts the units of a source by fate (ACCT-1).
pub fn units(source: &Source<'_>, viewpoint: &Viewpoint) -> Units {
    match source {
        Source::Record(fields) => record::units(fields, viewpoint),
        Source::Robots(_) | Source::SiteFile(..) => lines::units(source, viewpoint),
    }
}

/// The number of units of a source by fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Units {
    counts: [u64; Fate::ALL.len()],
}

impl Units {
    pub fn add(&mut self, fate: Fate) {
        if let Some(count) = self.counts.get_mut(fate as usize) {
            *count += 1;
        }
    }

    pub fn of(&self, fate: Fate) -> u64 {
        self.counts.get(fate as usize).copied().unwrap_or(0)
    }

    pub fn sum(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// Returns the unreadable lines that begin as a rule or as a line of a system.
pub fn near_misses(robots: &RobotsTxt) -> Vec<NearMiss<'_>> {
    robots.near_misses(|letters| {
        let names = || SYSTEMS.iter().flat_map(|system| system.about().lines.names);
        // A name is compared by its letters alone.
        names().any(|name| begins_as(letters, name))
    })
}

fn begins_as(letters: &[u8], name: &str) -> bool {
    let mut letters = letters.iter();
    let mut name = name.bytes().filter(u8::is_ascii_alphabetic);
    name.all(|byte| letters.next() == Some(&byte.to_ascii_lowercase()))
}

/// What may be a no and was not understood in a file, by path.
#[derive(Debug, Default)]
pub struct Doubts {
    has_doubt: bool,
    /// Whether a unit without a path is a doubt.
    is_everywhere: bool,
    /// Paths, and whether each is one of a doubt.
    paths: Vec<(PathPattern, bool)>,
    index: PatternIndex,
}

impl Doubts {
    /// Adds a doubt. A path that can match nothing was not understood, so that the doubt counts everywhere.
    fn add(&mut self, path: Option<&[u8]>) {
        self.add_rule(path.filter(|path| can_match(path)), true);
    }

    /// Adds a rule, which may be a doubt. Of rules, the one with the longest path counts.
    fn add_rule(&mut self, path: Option<&[u8]>, is_doubt: bool) {
        self.has_doubt |= is_doubt;
        match path {
            Some(path) => self.paths.push((PathPattern::new(path), is_doubt)),
            None => self.is_everywhere |= is_doubt,
        }
    }

    fn compiled(mut self) -> Self {
        if self.is_everywhere && self.paths.iter().all(|(_, is_doubt)| *is_doubt) {
            self.paths = Vec::new();
        }
        // Of equally long paths, a doubt comes first; each has its own rank, so that one is found.
        let rank = |path: &PathPattern, is_doubt: bool| {
            ((path.octet_count() as u64) << 1 | u64::from(is_doubt)) << u32::BITS
        };
        let ranked = (0..).zip(&self.paths);
        let ranked =
            ranked.map(|(number, (path, is_doubt))| (path.as_bytes(), rank(path, *is_doubt) | number));
        self.index = PatternIndex::new(ranked);
        self
    }

    /// Returns whether a doubt counts for a page; for a page without a path, every doubt counts.
    pub fn hold(&self, path: Option<&UrlPath>) -> bool {
        let Some(path) = path else { return self.has_doubt };
        let longest = self.index.best(path).numbers().next();
        let longest = longest.and_then(|number| self.paths.get(number as usize));
        longest.map_or(self.is_everywhere, |(_, is_doubt)| *is_doubt)
    }
}

names! {
    /// The fate of a unit: a line, an entry, a field or a meta.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Fate {
        /// It is empty, or a comment.
        Blank => "blank",
        /// It is a user-agent, allow or disallow line that counts.
        Rule => "rule",
        /// A system took its value, without a defect.
        Read => "read",
        /// Its name is known to state no preference about use.
        Known => "known",
        /// It has the name of a system, and a value that the system does not understand.
        Defective => "defective",
        /// It is not known.
        Unrecognised => "unrecognised",
    }
}

/// The system and the defect of rows in `statements` about units that no system knows.
pub const UNRECOGNISED: &str = Fate::Unrecognised.as_str();

/// The defect of a member that a later one with the same key replaces.
const SUPERSEDED: &str = "superseded";

/// Defects with which a system still takes the value, or takes none because the document says so. Any other defect makes a unit
/// defective, so that a new defect is a doubt until it is listed here.
static READ_WITH_DEFECT: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let defects = "\
        dictionary_differs name_repeated no_array no_path no_rules number_as_string path_in_block \
        path_without_conditional quoted superseded training_missing truth_value underscores url_location \
        with_path wrapped_array";
    defects.split(' ').collect()
});

/// The defect of a line before all groups. A system that reads it as a line of `*` says so by its agent.
const NO_GROUP: &str = "no_group";

/// Returns the fate of the unit from which a system took this statement.
pub fn fate(statement: &Statement<'_>) -> Fate {
    match statement.defect {
        None => Fate::Read,
        Some(defect) if READ_WITH_DEFECT.contains(&defect) => Fate::Read,
        Some(NO_GROUP) if is_read_as_everyones(statement) => Fate::Read,
        Some(_) => Fate::Defective,
    }
}

/// Returns whether it is a line before all groups that is read as if it were in the group of `*`.
fn is_read_as_everyones(statement: &Statement<'_>) -> bool {
    statement.defect == Some(NO_GROUP) && statement.agent.as_deref() == Some("*")
}

/// Returns whether a statement may be a no that is not understood (ACCT-2).
pub fn is_doubt(statement: &Statement<'_>) -> bool {
    match statement.system {
        UNRECOGNISED => statement_may_be_no(statement),
        system if !has_labels(system) => withholds_a_yes(statement),
        _ => match fate(statement) {
            Fate::Defective => statement_may_be_no(statement) || statement_lacks_a_yes(statement),
            _ => has_refusing_parameter(statement),
        },
    }
}

/// Systems that count for no label and can hold a no. Ours: not prose, by which managed files introduce their signals, and not
/// an AI-Disclosure, which says how content was made.
const HOLD_NOES: [&str; 3] = ["app_directives", "automation_preferences", "rsl"];

/// Returns whether a statement of a system that counts for no label is a no about AI: what an RSL script prohibits, a directive
/// such as `noai` or `ai-train=?0`, a line of automation-preferences.txt.
fn withholds_a_yes(statement: &Statement<'_>) -> bool {
    let (name, value) = (statement.key.unwrap_or(statement.raw), statement.value.unwrap_or_default());
    if name != b"prohibits" && !is_about_ai(name) && !is_about_ai(value) {
        return false;
    }
    let may_hold = HOLD_NOES.contains(&statement.system);
    may_hold && (name == b"prohibits" || may_be_no(name, value, TopicPlace::Name))
        || (may_hold || fate(statement) == Fate::Defective) && has_no_of_its_own(value)
}

/// Returns whether a yes has parameters that may be a no: `search=y; train-ai=n` has a semicolon in place of a comma.
fn has_refusing_parameter(statement: &Statement<'_>) -> bool {
    let value =
        statement.value.filter(|_| statement.preference == Some(Preference::Allow)).unwrap_or_default();
    let parameters = memchr::memchr(b';', value).and_then(|at| value.get(at..));
    parameters.is_some_and(|parameters| may_be_no(parameters, b"", TopicPlace::Anywhere))
}

fn statement_may_be_no(statement: &Statement<'_>) -> bool {
    let name = statement.key.unwrap_or(statement.raw);
    may_be_no(name, statement.value.unwrap_or_default(), topic_place(statement))
}

/// A value other than yes, on a system's own topic, is no yes. Whole texts are left out: the topic of a broken line is not known.
fn statement_lacks_a_yes(statement: &Statement<'_>) -> bool {
    let value = statement.value.unwrap_or_default();
    // A variable of trust.txt without a value says nothing.
    let is_blank = value.is_empty() && statement.carrier == CaptureKind::TrustTxt.as_str();
    !is_blank && statement.key.is_some_and(|key| lacks_a_yes(key, value))
}

fn topic_place(statement: &Statement<'_>) -> TopicPlace {
    let of_kind = CaptureKind::named(statement.carrier).map_or(TopicPlace::Name, known::topic_place);
    match of_kind {
        TopicPlace::Name if statement.system != UNRECOGNISED => TopicPlace::Anywhere,
        of_kind => of_kind,
    }
}

/// A system without labels cannot have a no that a label loses.
fn has_labels(system: &str) -> bool {
    SYSTEMS.iter().map(|one| one.about()).any(|about| about.name == system && !about.labels.is_empty())
}
