//! What all systems together say about five labels, and which answers decided.
//!
//! RULES LABEL: each opinion of a system, already resolved by its own rules, is mapped to labels as the system declares. Any
//! disallow makes a label disallow, else any allow makes it allow, else it is unknown. Example: `Content-Signal: ai-train=no`
//! in robots.txt and `Content-Usage: train-ai=y` in the header disallow `train_ai`, and `train_ai` is in conflict.
//! Left out: other policies, which are SQL over `statements`.

use crate::systems::{
    About, Condition, Ground, Label, LabelSet, Opinion, Viewpoint, same_field_as,
};
use crate::web::preference::Preference;
use std::collections::BTreeSet;

/// What stands in place of the carrier where a revision other than the viewpoint's refuses (KNOW-9).
pub const ANY_REVISION: &str = "any";

/// An answer that decided a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelAnswer<'a> {
    pub label: Label,
    pub preference: Preference,
    pub system: &'static str,
    pub ground: Ground<'a>,
    /// Whether a revision other than the viewpoint's gives it (KNOW-9).
    pub is_of_any_revision: bool,
}

#[derive(Debug, Default)]
pub struct LabelAnswers<'a>(Vec<LabelAnswer<'a>>);

/// The results for the labels of one page.
#[derive(Debug)]
pub struct Labels<'a> {
    /// In the order of [`Label::ALL`].
    preferences: [Preference; 5],
    /// The labels on which answers contradict each other.
    pub conflict: Vec<Label>,
    /// The conflicting labels that conflict only because two documents read one field differently.
    pub conflict_of_readings: Vec<Label>,
    /// The answers that decided, in the order of the labels.
    pub evidence: Vec<LabelAnswer<'a>>,
    /// The answers that decided nothing: those against, and those that cannot allow because not everything was read.
    pub overruled: Vec<LabelAnswer<'a>>,
}

impl<'a> LabelAnswers<'a> {
    /// Adds an opinion of a system about a page, which may be an image, for each label that it counts for.
    pub fn add(
        &mut self,
        system: &About,
        opinion: &Opinion<'a>,
        is_image: bool,
        viewpoint: &Viewpoint,
    ) {
        let of_category = system
            .labels
            .iter()
            .filter(|mapping| mapping.category == opinion.category);
        for mapping in of_category
            .filter(|one| one.counts(opinion.preference, is_image, &viewpoint.vocabulary))
        {
            let is_of_any_revision = mapping.condition == Condition::AnyRevision;
            for label in mapping.labels {
                let first = self.0.len();
                self.add_answer(*label, opinion.preference, system.name, &opinion.grounds);
                let added = self.0.iter_mut().skip(first);
                added.for_each(|answer| answer.is_of_any_revision = is_of_any_revision);
            }
        }
    }

    /// Adds an answer for one label.
    pub fn add_answer(
        &mut self,
        label: Label,
        preference: Preference,
        system: &'static str,
        grounds: &[Ground<'a>],
    ) {
        let grounds = grounds.iter().cloned();
        self.0.extend(grounds.map(|ground| {
            let is_of_any_revision = false;
            LabelAnswer {
                label,
                preference,
                system,
                ground,
                is_of_any_revision,
            }
        }));
    }

    /// Decides every label. LABEL-3, ACCT-8: what could not be read in full, or was not understood, may contain a no, and none of
    /// the labels to which that no may be is allowed. Of the files in `noes_only`, no yes counts.
    pub fn decide(mut self, in_doubt: LabelSet, noes_only: &[&str]) -> Labels<'a> {
        let is_spent = |one: &LabelAnswer<'_>| {
            one.preference == Preference::Allow && noes_only.contains(&one.ground.carrier)
        };
        let said = |label: Label, preference: Preference| {
            self.0
                .iter()
                .any(|one| one.label == label && one.preference == preference && !is_spent(one))
        };
        let of = |label: Label| match (
            said(label, Preference::Disallow),
            said(label, Preference::Allow),
        ) {
            (true, _) => Preference::Disallow,
            (false, true) if !in_doubt.contains(label) => Preference::Allow,
            (false, _) => Preference::Unknown,
        };
        let preferences = Label::ALL.map(of);
        let in_conflict =
            |label: &Label| said(*label, Preference::Disallow) && said(*label, Preference::Allow);
        let conflict: Vec<Label> = Label::ALL.into_iter().filter(in_conflict).collect();
        let are_readings = |label: &Label| {
            let [noes, yeses] = [Preference::Disallow, Preference::Allow]
                .map(|preference| sources(&self.0, *label, preference));
            noes.iter()
                .all(|no| yeses.iter().all(|yes| are_of_same_field(*no, *yes)))
        };
        let conflict_of_readings = conflict.iter().copied().filter(are_readings).collect();
        self.0.sort_by_key(|one| one.label);
        let decided = |one: &LabelAnswer<'_>| {
            preferences.get(one.label as usize) == Some(&one.preference) && !is_spent(one)
        };
        let (evidence, overruled) = self.0.into_iter().partition(decided);
        Labels {
            preferences,
            conflict,
            conflict_of_readings,
            evidence,
            overruled,
        }
    }
}

/// A system, the carrier of its answer, and whether another revision than the viewpoint's gives it.
type AnswerSource = (&'static str, &'static str, bool);

/// Returns whether two systems or revisions read one and the same field, as AIPREF and SUP do.
fn are_of_same_field(one: AnswerSource, other: AnswerSource) -> bool {
    let defined_by = |(system, carrier, _)| same_field_as(system, carrier).unwrap_or(system);
    (one.0, one.2) != (other.0, other.2) && one.1 == other.1 && defined_by(one) == defined_by(other)
}

/// Returns the sources of this preference for a label, each once.
fn sources(
    answers: &[LabelAnswer<'_>],
    label: Label,
    preference: Preference,
) -> BTreeSet<AnswerSource> {
    let of = answers
        .iter()
        .filter(|one| one.label == label && one.preference == preference);
    of.map(|one| (one.system, one.ground.carrier, one.is_of_any_revision))
        .collect()
}

impl Labels<'_> {
    pub fn of(&self, label: Label) -> Preference {
        self.preferences
            .get(label as usize)
            .copied()
            .unwrap_or_default()
    }

    /// Returns what decided a label: each system and carrier once, as `system carrier`. A field counts for the system that
    /// defines it, also if another system read it: SUP's reading of `Content-Usage` is `aipref header`. What another revision
    /// than the viewpoint's refuses is `aipref any` (KNOW-9).
    pub fn from(&self, label: Label) -> Vec<String> {
        let mut from: Vec<String> = Vec::new();
        for one in self.evidence.iter().filter(|one| one.label == label) {
            let carrier = one.ground.carrier;
            let system = same_field_as(one.system, carrier).unwrap_or(one.system);
            let name = format!(
                "{system} {}",
                if one.is_of_any_revision {
                    ANY_REVISION
                } else {
                    carrier
                }
            );
            if !from.contains(&name) {
                from.push(name);
            }
        }
        from
    }
}
