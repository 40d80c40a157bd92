//! The account of what a site said: every received unit has one fate, and a yes needs proof (RULES ACCT).
//!
//! A unit is a line of a site file, an entry of a JSON file, a header field or a meta. Units = blank + rule + read + known +
//! defective + unrecognised. A defective or unrecognised unit that may be a no is a doubt: its carrier counts as unread, so
//! that no label is allow. Example: `Content-Signal: ai-train=disallowed` under a yes for the whole site.
//!
//! It uses what systems already pass on: the lines and fields that they take, and their defects. So a new system is accounted
//! for without a line here. Left out: what was not received (READ), and unreadable rules of robots.txt, which also concern
//! access (`near_miss`).

mod doubts;
mod known;
mod lines;
mod odd_paths;
mod record;
mod refusal;
mod robots;
mod words;

pub use doubts::{DoubtPlace, Doubts};
pub use lines::{file_doubts, unknown_lines};
pub use record::doubtful_fields;
pub use robots::{RobotsDoubts, UrlRules};

use crate::robots::{LineKind, NearMiss, RobotsRecord, RobotsTxt};
use crate::systems::path_rules::split_path;
use crate::systems::{
    LabelSet, SYSTEMS, Shown, Source, Statement, Viewpoint, shown, shown_statements,
};
use crate::web::{
    capture_kind::CaptureKind, field::Carrier, known_names::KnownNames, names::names,
    preference::Preference,
};
use lines::TakenLines;
use record::RecordDoubts;
use refusal::{TopicPlace, UnitWords, has_no_of_its_own, pieces, refuses_alone};
use std::sync::LazyLock;
use words::is_compound_no;

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
        Source::Record(fields) => Some(RecordDoubts {
            fields,
            viewpoint,
            read: None,
        }),
        Source::Robots(_) | Source::SiteFile(..) => None,
    };
    let mut give = |system: Option<usize>, statement: &Statement<'_>, shown: Shown| {
        let is_doubt = doubts.as_mut().map_or_else(
            || !doubt(statement).is_empty(),
            |doubts| doubts.has(statement),
        );
        each(&AccountedStatement {
            system,
            statement,
            shown,
            is_doubt,
        });
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
    shown(UNRECOGNISED, unrecognised, &mut |statement, is_row| {
        give(None, statement, is_row);
    });
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
    robots.near_misses(is_of_system)
}

/// Returns a file with its near misses written as the rules that they were meant as (ACCT-14); `None` if that is not known of one of
/// them, or if a line of the file may be a statement, which may belong to another group than the one that it is read in.
pub fn rewritten(robots: &RobotsTxt, misses: &[NearMiss<'_>]) -> Option<RobotsTxt> {
    let rewritten = (!misses.is_empty())
        .then(|| robots.rewritten(misses, is_of_system))
        .flatten()?;
    let is_rule = |record: &RobotsRecord<'_>| match record.kind {
        LineKind::UserAgent | LineKind::Allow | LineKind::Disallow => true,
        LineKind::ExtensionRule => false,
        LineKind::Other => robots::is_known(record),
    };
    let has_rules_alone = rewritten.records().all(|record| is_rule(&record));
    has_rules_alone.then_some(rewritten)
}

/// Returns whether letters begin as the name of a line of a system, also behind an `X-`. A name is compared by its letters alone.
fn is_of_system(letters: &[u8]) -> bool {
    let letters = letters.strip_prefix(b"x").unwrap_or(letters);
    SYSTEMS
        .iter()
        .flat_map(|system| system.about().lines.names)
        .any(|name| begins_as(letters, name))
}

fn begins_as(letters: &[u8], name: &str) -> bool {
    let mut letters = letters.iter();
    let mut name = name.bytes().filter(u8::is_ascii_alphabetic);
    name.all(|byte| letters.next() == Some(&byte.to_ascii_lowercase()))
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
static READ_WITH_DEFECT: LazyLock<KnownNames> = LazyLock::new(|| {
    KnownNames::from_words(
        "dictionary_differs name_in_list name_repeated no_array no_path no_rules number_as_string path_in_block \
         path_without_conditional quoted superseded training_missing truth_value underscores url_location \
         vendor_default with_path wrapped_array",
    )
});

/// The defect of a line before all groups. A system that reads it as a line of `*` says so by its agent.
const NO_GROUP: &str = "no_group";

/// Returns the fate of the unit from which a system took this statement.
pub fn fate(statement: &Statement<'_>) -> Fate {
    match statement.defect {
        None => Fate::Read,
        Some(defect) if READ_WITH_DEFECT.has(defect.as_bytes()) => Fate::Read,
        Some(NO_GROUP) if is_read_as_everyones(statement) => Fate::Read,
        Some(_) => Fate::Defective,
    }
}

/// Returns whether it is a line before all groups that is read as if it were in the group of `*`.
fn is_read_as_everyones(statement: &Statement<'_>) -> bool {
    statement.defect == Some(NO_GROUP) && statement.agent.as_deref() == Some("*")
}

/// Returns the labels to which a statement may be a no that is not understood (ACCT-2, ACCT-8).
pub fn doubt(statement: &Statement<'_>) -> LabelSet {
    match statement.system {
        UNRECOGNISED => unit(statement).may_be_no(topic_place(statement)),
        system if !has_labels(system) => LabelSet::ALL.only_if(withholds_a_yes(statement)),
        _ => match fate(statement) {
            Fate::Defective => defective(statement),
            _ => refusing_parameter(statement),
        },
    }
}

fn defective(statement: &Statement<'_>) -> LabelSet {
    let is_tag = statement.system == "robots_tag";
    let is_alone = || {
        statement
            .key
            .is_some_and(|key| refuses_alone(key, statement.value.unwrap_or_default()))
    };
    let is_compound = || statement.key.is_some_and(is_compound_no);
    let is_map =
        || statement.carrier == CaptureKind::Tdmrep.as_str() && is_map_of_paths(statement.raw);
    // `index: no`: the topic of a refusal is a rule beside it. `no follow` is about none of the labels.
    let beside = if is_tag && is_alone() {
        UnitWords::new(statement.raw, b"").may_be_no(TopicPlace::Anywhere)
    } else {
        LabelSet::EMPTY
    };
    let is_piece_alone = || pieces(statement.raw).any(|piece| refuses_alone(piece, b""));
    let is_all_of_tag = || is_compound() || is_alone() && beside.is_empty() && is_piece_alone();
    let all = if is_tag { is_all_of_tag() } else { is_alone() } || is_map();
    let unit = unit(statement);
    // The topic of a whole text that is broken is not known; a variable of trust.txt without a value says nothing.
    let is_blank = statement.carrier == CaptureKind::TrustTxt.as_str()
        && statement.value.is_none_or(<[u8]>::is_empty);
    let lacks = unit
        .lacks_a_yes()
        .only_if(statement.key.is_some() && !is_blank);
    let lacking = broken_without_yes(statement).with(lacks);
    unit.may_be_no(topic_place(statement))
        .with(beside)
        .with(lacking)
        .with(LabelSet::ALL.only_if(all))
}

/// READ-24: returns whether an entry of a tdmrep.json that states nothing may be paths with reservations, or a policy that
/// prohibits: `{"/": 1}`.
fn is_map_of_paths(entry: &[u8]) -> bool {
    let has = |text: &[u8]| memchr::memmem::find(entry, text).is_some();
    words::Words::read(entry).assents() && (has(b"\"/") || has(b"\"*")) || has(b"prohibition")
}

/// Returns the labels of the pieces of a statement that could not be read as a whole and have a topic and no yes: `!train-ai`.
fn broken_without_yes(statement: &Statement<'_>) -> LabelSet {
    if statement.key.is_some() || !matches!(statement.defect, Some("not_dictionary" | "key_case")) {
        return LabelSet::EMPTY;
    }
    let value = match Carrier::named(statement.carrier) {
        Some(_) => statement.raw,
        None => memchr::memchr(b':', statement.raw)
            .and_then(|at| statement.raw.get(at + 1..))
            .unwrap_or_default(),
    };
    let (_, value) = split_path(value);
    let of_piece = |piece: &[u8]| {
        let refuses = LabelSet::ALL.only_if(refuses_alone(piece, b""));
        UnitWords::new(piece, piece).lacks_a_yes().with(refuses)
    };
    pieces(value)
        .map(of_piece)
        .fold(LabelSet::EMPTY, LabelSet::with)
}

/// Returns whether a statement of a system that counts for no label is a no about AI: what an RSL script prohibits, a directive
/// such as `noai` or `ai-train=?0`, a line of automation-preferences.txt.
fn withholds_a_yes(statement: &Statement<'_>) -> bool {
    let unit = unit(statement);
    let is_prohibition = statement.key.unwrap_or(statement.raw) == b"prohibits";
    if !is_prohibition && !unit.mentions_ai() {
        return false;
    }
    let may_hold = can_refuse_without_labels(statement.system);
    let value = statement.value.unwrap_or_default();
    may_hold && (is_prohibition || !unit.may_be_no(TopicPlace::Name).is_empty())
        || (may_hold || fate(statement) == Fate::Defective) && has_no_of_its_own(value)
}

/// Returns the labels to which the parameters of a yes may be a no: `search=y; train-ai=n` has a semicolon in place of a comma.
fn refusing_parameter(statement: &Statement<'_>) -> LabelSet {
    let value = statement
        .value
        .filter(|_| statement.preference == Some(Preference::Allow))
        .unwrap_or_default();
    let parameters = memchr::memchr(b';', value)
        .and_then(|at| value.get(at..))
        .unwrap_or_default();
    UnitWords::new(parameters, b"").may_be_no(TopicPlace::Anywhere)
}

/// Returns a statement as a unit: of one without a key, its text is the name.
fn unit<'a>(statement: &Statement<'a>) -> UnitWords<'a> {
    let name = statement.key.unwrap_or(statement.raw);
    UnitWords::new(name, statement.value.unwrap_or_default())
}

fn topic_place(statement: &Statement<'_>) -> TopicPlace {
    let of_kind =
        CaptureKind::named(statement.carrier).map_or(TopicPlace::Name, known::topic_place);
    match of_kind {
        TopicPlace::Name if statement.system != UNRECOGNISED => TopicPlace::Anywhere,
        of_kind => of_kind,
    }
}

/// Ours: not prose, by which managed files introduce their signals, and not an AI-Disclosure, which says how content was made.
fn can_refuse_without_labels(system: &str) -> bool {
    SYSTEMS
        .iter()
        .map(|one| one.about())
        .any(|about| about.name == system && about.labels.is_empty() && about.can_refuse)
}

/// A system without labels cannot have a no that a label loses.
fn has_labels(system: &str) -> bool {
    SYSTEMS
        .iter()
        .map(|one| one.about())
        .any(|about| about.name == system && !about.labels.is_empty())
}
