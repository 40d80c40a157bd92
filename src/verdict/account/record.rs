//! The account of a record: its header fields and metas.
//!
//! Example: in `Content-Usage: search=y; train-ai=n` the label with the no is a parameter, so that the field says yes to search
//! alone. Its words may be a no, and no label may rest on the header.
//! Ours: a unit that one system reads is read, even if another cannot: `Content-Usage` is in AIPREF and in SUP.

use super::known::{is_crawler, is_known_field, reserves_rights};
use super::refusal::{TopicPlace, UnitWords, has_no_of_its_own, is_about_ai, refuses};
use super::words::{JOINED, Words, is_compound_no};
use super::{Fate, SUPERSEDED, UNRECOGNISED, Units, doubt, fate};
use crate::systems::robots_tag::{Agent, NAME_IN_LIST};
use crate::systems::{LabelSet, SYSTEMS, Source, Statement, Viewpoint};
use crate::web::{field::Field, preference::Preference};
use std::collections::{BTreeMap, BTreeSet};

/// The fields of one carrier and name, which a system may read as one.
type SameName<'a> = Vec<Field<'a>>;

/// Returns the fields that pass a test, with all other fields of their carriers and names.
fn same_names<'a>(
    fields: &[Field<'a>],
    is_wanted: impl Fn(&Field<'_>) -> bool,
) -> Vec<SameName<'a>> {
    let name = |field: &Field<'a>| (field.carrier.as_str(), field.name);
    let wanted = fields.iter().filter(|field| is_wanted(field));
    let mut wanted: Vec<(&str, &str)> = wanted.map(name).collect();
    wanted.sort_unstable();
    let is_named = |field: &&Field<'a>| wanted.binary_search(&name(field)).is_ok();
    let mut found: SameName<'a> = fields.iter().filter(is_named).copied().collect();
    found.sort_by_key(name);
    let alike = found.chunk_by(|one, other| name(one) == name(other));
    alike.map(<[_]>::to_vec).collect()
}

/// Returns the fields of a record that may be a no and are not understood (ACCT-2), each with the labels of its doubt.
pub fn doubtful_fields<'a>(
    fields: &[Field<'a>],
    viewpoint: &Viewpoint,
) -> Vec<(Field<'a>, LabelSet)> {
    let may_be_topic = |field: &Field<'_>| {
        let words = unit(field).words();
        words.may_be_topic()
            || words.refuses() && may_address(field, viewpoint)
            || is_tag(field) && has_compound_no(field.value)
    };
    let mut doubtful = Vec::new();
    for group in same_names(fields, may_be_topic) {
        let labels = Said::of(&group, viewpoint).doubt(&group, viewpoint);
        doubtful.extend(
            group
                .iter()
                .filter(|_| !labels.is_empty())
                .map(|field| (*field, labels)),
        );
    }
    doubtful
}

fn has_compound_no(value: &[u8]) -> bool {
    value
        .split(|byte| !byte.is_ascii_alphanumeric())
        .any(is_compound_no)
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
    /// Members that a system did not understand, and the labels to which each may be a no; `None` is a whole value without members.
    defective: Vec<(Option<StatedMember>, LabelSet)>,
    /// The labels of members that were read and have parameters that may be a no, or are a no for a name that is no crawler's.
    read_with_doubt: LabelSet,
    /// Whether a member has a name such as `noai`; then its own doubt counts.
    names_a_no: bool,
}

impl Said {
    fn of(group: &[Field<'_>], viewpoint: &Viewpoint) -> Self {
        let mut said = Self::default();
        for system in SYSTEMS {
            system.statements(&Source::Record(group), viewpoint, &mut |statement| {
                said.add(statement, viewpoint);
            });
        }
        let superseded = std::mem::take(&mut said.superseded);
        let mut alone = if superseded.is_empty() {
            BTreeMap::new()
        } else {
            not_understood_alone(group, viewpoint)
        };
        for member in superseded {
            if let Some(labels) = alone.remove(&member) {
                said.defective.push((Some(member), labels));
                continue;
            }
            let mut from_key = said.read.range((member.0.clone(), Vec::new())..);
            if from_key.next().is_some_and(|(read, _)| *read == member.0) {
                said.read.insert(member);
            }
        }
        said
    }

    fn add(&mut self, statement: &Statement<'_>, viewpoint: &Viewpoint) {
        self.is_taken = true;
        let value = statement.value.unwrap_or_default();
        let member = statement
            .key
            .map(|key| (key.to_ascii_lowercase(), value.to_vec()));
        let labels = labels_of(statement, viewpoint);
        self.names_a_no |= statement
            .key
            .is_some_and(|key| Words::read(key).has(JOINED));
        match fate(statement) {
            Fate::Defective => self.defective.push((member, labels)),
            Fate::Read if !labels.is_empty() => {
                self.read_with_doubt = self.read_with_doubt.with(labels);
            }
            Fate::Read if statement.defect == Some(SUPERSEDED) => self.superseded.extend(member),
            Fate::Read => self.read.extend(member),
            Fate::Blank | Fate::Rule | Fate::Known | Fate::Unrecognised => {}
        }
    }

    /// Returns, for each member that no system understood, the labels to which it may be a no.
    fn not_understood(&self) -> impl Iterator<Item = LabelSet> {
        let is_read = |member: &StatedMember| self.read.contains(member);
        let defective = self.defective.iter();
        defective
            .filter(move |(member, _)| !member.as_ref().is_some_and(is_read))
            .map(|(_, labels)| *labels)
    }

    fn doubt(&self, group: &[Field<'_>], viewpoint: &Viewpoint) -> LabelSet {
        let of_systems = self
            .not_understood()
            .fold(self.read_with_doubt, LabelSet::with);
        let is_taken = self.is_taken;
        let of_field = |field: &Field<'_>| {
            if !is_taken {
                let is_known = is_known_field(field);
                return may_be_a_no(field, &unit(field), viewpoint).only_if(!is_known);
            }
            // A value in which a tag reads no such name: `=?utf-8?Q?noai?=`, `content="noai"`.
            let is_lost = !self.names_a_no && is_tag(field) && Words::read(field.value).has(JOINED);
            Words::read(field.value).labels().only_if(is_lost)
        };
        group.iter().map(of_field).fold(of_systems, LabelSet::with)
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

/// READ-22: returns the members that may be a no and are not understood in their own field lines, of several: a later line does not
/// replace them.
fn not_understood_alone(
    group: &[Field<'_>],
    viewpoint: &Viewpoint,
) -> BTreeMap<StatedMember, LabelSet> {
    let lines = group.iter().filter(|_| group.len() > 1);
    let of_line = |field| {
        let Said {
            read, defective, ..
        } = Said::of(std::slice::from_ref(field), viewpoint);
        let members = defective
            .into_iter()
            .filter_map(|(member, labels)| Some((member?, labels)));
        members.filter(move |(member, labels)| !labels.is_empty() && !read.contains(member))
    };
    lines.flat_map(of_line).collect()
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
        if !labels_by_name(statement, self.viewpoint).is_empty() {
            return true;
        }
        if doubt(statement).is_empty() {
            return false;
        }
        let Some(key) = statement.key.filter(|_| fate(statement) == Fate::Defective) else {
            return true;
        };
        let member = (
            key.to_ascii_lowercase(),
            statement.value.unwrap_or_default().to_vec(),
        );
        let read = self
            .read
            .get_or_insert_with(|| Said::of(self.fields, self.viewpoint).read);
        !read.contains(&member)
    }
}

fn unit<'a>(field: &Field<'a>) -> UnitWords<'a> {
    UnitWords::new(field.name.as_bytes(), field.value)
}

/// Returns the labels to which a field that neither a system nor a list of names knows may be a no.
fn may_be_a_no(field: &Field<'_>, unit: &UnitWords<'_>, viewpoint: &Viewpoint) -> LabelSet {
    // `X-Google-Extended: disallow` names a crawler of AI.
    let names_a_crawler = || {
        let name = field.name.strip_prefix("x-").unwrap_or(field.name);
        unit.has_refusing_value() && is_crawler(name, viewpoint)
    };
    let labels = unit.may_be_no(TopicPlace::Name);
    labels.with(LabelSet::ALL.only_if(reserves_rights(field) || names_a_crawler()))
}

/// Returns the labels to which a statement may be a no that is not understood.
fn labels_of(statement: &Statement<'_>, viewpoint: &Viewpoint) -> LabelSet {
    let own = doubt(statement).only_if(binds(statement, viewpoint));
    own.with(labels_by_name(statement, viewpoint))
}

/// Ours: a rule of a robots tag for another crawler does not bind this one, whatever it means.
fn binds(statement: &Statement<'_>, viewpoint: &Viewpoint) -> bool {
    let is_bound = |agent: &str| {
        let name = agent.split('/').next().unwrap_or(agent);
        agent == "*" || name.eq_ignore_ascii_case(viewpoint.token.as_str())
    };
    statement.agent.as_deref().is_none_or(is_bound)
}

/// READ-19: returns whether a name of several words has the crawler's, or one for all: `ccbot gptbot`, `ccbot 2.0`.
fn is_among_words(agent: &str, viewpoint: &Viewpoint) -> bool {
    let mut words = agent.split_ascii_whitespace().map(str::as_bytes);
    agent.contains(char::is_whitespace)
        && words.any(|word| {
            let name = Agent::of_prefix(word);
            name.binds(&viewpoint.token)
        })
}

fn is_tag(field: &Field<'_>) -> bool {
    field.name.ends_with("robots-tag") || field.name.starts_with("robot")
}

/// Returns whether a field may name a crawler for its rules, or is a system's own, which then need no topic.
fn may_address(field: &Field<'_>, viewpoint: &Viewpoint) -> bool {
    let name = field.name.strip_prefix("x-").unwrap_or(field.name);
    is_tag(field) || name.starts_with("content-signal") || is_crawler(name, viewpoint)
}

/// Returns the labels to which a rule of a robots tag may be a no because of the name it is for. ACCT-7: a name that is no
/// crawler's binds nobody that is known, so that its noes are meant for everybody: `<meta name="all" content="noai">`, `ai: no`. A
/// refusal of the crawler itself needs no topic (`ccbot: no`).
fn labels_by_name(statement: &Statement<'_>, viewpoint: &Viewpoint) -> LabelSet {
    let is_wanted = |agent: &&str| *agent != "*" || statement.defect == Some(NAME_IN_LIST);
    let Some(agent) = statement.agent.as_deref().filter(is_wanted) else {
        return LabelSet::EMPTY;
    };
    let (key, value) = (
        statement.key.unwrap_or_default(),
        statement.value.unwrap_or_default(),
    );
    let is_own = binds(statement, viewpoint);
    let is_listed = statement.defect == Some(NAME_IN_LIST) || is_among_words(agent, viewpoint);
    // In lower case, `GPTBot` is one word and not a topic.
    let by_name = || Words::read(agent.to_ascii_lowercase().as_bytes());
    match fate(statement) {
        Fate::Defective if is_own || is_listed => {
            UnitWords::new(key, value).may_be_no(TopicPlace::Implied)
        }
        _ if !is_listed
            && (is_own
                || is_crawler(agent, viewpoint)
                    && !is_about_ai(agent.to_ascii_lowercase().as_bytes())) =>
        {
            LabelSet::EMPTY
        }
        Fate::Defective => {
            let of_name = by_name();
            let by_topic = of_name
                .labels()
                .only_if(of_name.may_be_topic() && refuses(key));
            UnitWords::new(key, value)
                .may_be_no(TopicPlace::Anywhere)
                .with(by_topic)
        }
        // A name in a list has no preference of its own.
        Fate::Read if matches!(statement.preference, Some(Preference::Disallow)) || is_listed => {
            let is_index = [&b"noindex"[..], b"none"]
                .iter()
                .any(|name| key.eq_ignore_ascii_case(name));
            let of_search = Words::read(b"noindex").labels().only_if(is_index);
            Words::read(key)
                .labels()
                .only_if(has_no_of_its_own(key) && !is_index)
                .with(of_search)
        }
        Fate::Read | Fate::Blank | Fate::Rule | Fate::Known | Fate::Unrecognised => LabelSet::EMPTY,
    }
}

/// Passes on the fields that no system knows and that have a name about AI or a value that may be a no (ACCT-6).
pub(super) fn unrecognised(
    fields: &[Field<'_>],
    viewpoint: &Viewpoint,
    each: &mut dyn FnMut(&Statement<'_>),
) {
    let is_wanted = |field: &Field<'_>| {
        let unit = unit(field);
        let is_wanted = unit.is_about_ai() || !may_be_a_no(field, &unit, viewpoint).is_empty();
        is_wanted && !is_known_field(field)
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
