//! The account of a record: its header fields and metas.
//!
//! Example: in `Content-Usage: search=y; train-ai=n` the label with the no is a parameter, so that the field says yes to search
//! alone. Its words may be a no, and no label may rest on the header.
//! Ours: a unit that one system reads is read, even if another cannot: `Content-Usage` is in AIPREF and in SUP.

use super::known::{is_known_field, reserves_rights};
use super::refusal::{TopicPlace, has_no_of_its_own, is_about_ai, may_be_no};
use super::{Fate, SUPERSEDED, UNRECOGNISED, Units, fate, is_doubt, words::Words};
use crate::systems::{SYSTEMS, Source, Statement, Viewpoint};
use crate::web::{field::Field, preference::Preference};
use std::collections::{BTreeMap, BTreeSet};

/// The fields of one carrier and name, which a system may read as one.
type SameName<'a> = Vec<Field<'a>>;

/// Returns the fields that pass a test, with all other fields of their carriers and names.
fn same_names<'a>(fields: &[Field<'a>], is_wanted: impl Fn(&Field<'_>) -> bool) -> Vec<SameName<'a>> {
    let name = |field: &Field<'a>| (field.carrier.as_str(), field.name);
    let wanted: BTreeSet<(&str, &str)> = fields.iter().filter(|field| is_wanted(field)).map(name).collect();
    let mut found: BTreeMap<(&str, &str), SameName<'a>> = BTreeMap::new();
    for field in fields.iter().filter(|field| wanted.contains(&name(field))) {
        found.entry(name(field)).or_default().push(*field);
    }
    found.into_values().collect()
}

/// Returns the carriers of a record with content that may be a no and is not understood (ACCT-2): `header`, `meta`.
pub fn doubtful_carriers(fields: &[Field<'_>], viewpoint: &Viewpoint) -> Vec<&'static str> {
    let may_be_topic = |field: &Field<'_>| {
        let words = Words::of(field.name.as_bytes()).and(Words::of(field.value));
        words.may_be_topic() || words.refuses() && may_address(field, viewpoint)
    };
    let mut carriers = Vec::new();
    for group in same_names(fields, may_be_topic) {
        let Some(first) = group.first() else { continue };
        let carrier = first.carrier.unread_name();
        if !carriers.contains(&carrier) && Said::of(&group, viewpoint).is_doubt(&group) {
            carriers.push(carrier);
        }
    }
    carriers
}

/// The key and the value of a member of a statement.
type StatedMember = (Vec<u8>, Vec<u8>);

/// What the systems read in fields of one carrier and name.
#[derive(Default)]
struct Said {
    is_taken: bool,
    read: BTreeSet<StatedMember>,
    /// Members that a later one of the same key replaces: read if the later one is read.
    superseded: Vec<StatedMember>,
    /// Members that a system did not understand, and whether each may be a no; `None` is a whole value without members.
    defective: Vec<(Option<StatedMember>, bool)>,
    /// Whether a member that was read has parameters that may be a no, or is a no for a name that may be no crawler's.
    is_read_with_doubt: bool,
}

impl Said {
    fn of(group: &[Field<'_>], viewpoint: &Viewpoint) -> Self {
        let mut said = Self::default();
        for system in SYSTEMS {
            system.statements(&Source::Record(group), viewpoint, &mut |statement| {
                said.add(statement, viewpoint);
            });
        }
        for (key, value) in std::mem::take(&mut said.superseded) {
            let mut from_key = said.read.range((key.clone(), Vec::new())..);
            if from_key.next().is_some_and(|(read, _)| *read == key) {
                said.read.insert((key, value));
            }
        }
        said
    }

    fn add(&mut self, statement: &Statement<'_>, viewpoint: &Viewpoint) {
        self.is_taken = true;
        let value = statement.value.unwrap_or_default();
        let member = statement.key.map(|key| (key.to_ascii_lowercase(), value.to_vec()));
        let is_doubt =
            binds(statement, viewpoint) && is_doubt(statement) || is_no_by_name(statement, viewpoint);
        match fate(statement) {
            Fate::Defective => self.defective.push((member, is_doubt)),
            Fate::Read if is_doubt => self.is_read_with_doubt = true,
            Fate::Read if statement.defect == Some(SUPERSEDED) => self.superseded.extend(member),
            Fate::Read => self.read.extend(member),
            Fate::Blank | Fate::Rule | Fate::Known | Fate::Unrecognised => {}
        }
    }

    /// Returns, for each member that no system understood, whether it may be a no.
    fn not_understood(&self) -> impl Iterator<Item = bool> {
        let is_read = |member: &StatedMember| self.read.contains(member);
        let defective = self.defective.iter();
        defective
            .filter(move |(member, _)| !member.as_ref().is_some_and(is_read))
            .map(|(_, is_doubt)| *is_doubt)
    }

    fn is_doubt(&self, group: &[Field<'_>]) -> bool {
        let of_systems = self.is_read_with_doubt || self.not_understood().any(|is_doubt| is_doubt);
        of_systems || !self.is_taken && group.iter().any(may_be_a_no)
    }

    fn fate(&self, field: &Field<'_>) -> Fate {
        match self.is_taken {
            true if self.not_understood().next().is_some() => Fate::Defective,
            true => Fate::Read,
            false if is_known_field(field) => Fate::Known,
            false if field.value.trim_ascii().is_empty() => Fate::Blank,
            false => Fate::Unrecognised,
        }
    }
}

/// Decides for each statement of a record whether it is a doubt; a member that another system reads is not.
pub(super) struct RecordDoubts<'a> {
    pub(super) fields: &'a [Field<'a>],
    pub(super) viewpoint: &'a Viewpoint,
    /// The members that systems read, computed when first needed.
    pub(super) read: Option<BTreeSet<StatedMember>>,
}

impl RecordDoubts<'_> {
    pub(super) fn has(&mut self, statement: &Statement<'_>) -> bool {
        if is_no_by_name(statement, self.viewpoint) {
            return true;
        }
        if !is_doubt(statement) {
            return false;
        }
        let Some(key) = statement.key.filter(|_| fate(statement) == Fate::Defective) else { return true };
        let member = (key.to_ascii_lowercase(), statement.value.unwrap_or_default().to_vec());
        let read = self.read.get_or_insert_with(|| Said::of(self.fields, self.viewpoint).read);
        !read.contains(&member)
    }
}

/// Returns whether a field that no system knows may be a no.
fn may_be_a_no(field: &Field<'_>) -> bool {
    !is_known_field(field)
        && (may_be_no(field.name.as_bytes(), field.value, TopicPlace::Name) || reserves_rights(field))
}

/// Ours: a rule of a robots tag for another crawler does not bind this one, whatever it means.
fn binds(statement: &Statement<'_>, viewpoint: &Viewpoint) -> bool {
    let is_bound = |agent: &str| agent == "*" || agent.eq_ignore_ascii_case(viewpoint.token.as_str());
    statement.agent.as_deref().is_none_or(is_bound)
}

/// Returns whether a field may name the crawler for its rules, which then need no topic.
fn may_address(field: &Field<'_>, viewpoint: &Viewpoint) -> bool {
    field.name.eq_ignore_ascii_case(viewpoint.token.as_str()) || field.name.ends_with("robots-tag")
}

/// Returns whether a rule of a robots tag may be a no because of the name it is for. A name about AI may not be a crawler's:
/// `ai: no`, `<meta name="ai-policy" content="noai">`. A refusal of the crawler itself needs no topic (`ccbot: no`).
fn is_no_by_name(statement: &Statement<'_>, viewpoint: &Viewpoint) -> bool {
    let Some(agent) = statement.agent.as_deref() else { return false };
    // In lower case, `GPTBot` is one word and not a topic.
    let is_topic = || is_about_ai(agent.to_ascii_lowercase().as_bytes());
    let (key, value) = (statement.key.unwrap_or_default(), statement.value.unwrap_or_default());
    match fate(statement) {
        Fate::Defective => {
            may_be_no(key, value, TopicPlace::Implied)
                && (agent.eq_ignore_ascii_case(viewpoint.token.as_str()) || is_topic())
        }
        Fate::Read => {
            statement.preference == Some(Preference::Disallow) && has_no_of_its_own(key) && is_topic()
        }
        Fate::Blank | Fate::Rule | Fate::Known | Fate::Unrecognised => false,
    }
}

/// Passes on the fields that no system knows and that have a name about AI or a value that may be a no (ACCT-6).
pub(super) fn unrecognised(
    fields: &[Field<'_>],
    viewpoint: &Viewpoint,
    each: &mut dyn FnMut(&Statement<'_>),
) {
    let is_wanted = |field: &Field<'_>| {
        !is_known_field(field) && (is_about_ai(field.name.as_bytes()) || may_be_a_no(field))
    };
    for group in same_names(fields, is_wanted) {
        if !Said::of(&group, viewpoint).is_taken {
            for field in &group {
                each(&row(field));
            }
        }
    }
}

fn row<'a>(field: &Field<'a>) -> Statement<'a> {
    Statement {
        key: Some(field.name.as_bytes()),
        value: Some(field.value),
        category: Some(field.name),
        defect: Some(UNRECOGNISED),
        ..Statement::unread(UNRECOGNISED, field.carrier.as_str(), field.value)
    }
}

pub(super) fn units(fields: &[Field<'_>], viewpoint: &Viewpoint) -> Units {
    let mut units = Units::default();
    for group in same_names(fields, |_| true) {
        let said = Said::of(&group, viewpoint);
        for field in &group {
            units.add(said.fate(field));
        }
    }
    units
}
