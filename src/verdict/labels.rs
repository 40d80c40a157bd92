//! Five labels over all systems, and whose word decided.
//!
//! RULES LABEL: ours, for no document ranks the systems. Every system's answer for a page, already
//! resolved by its own rules, is translated by the closed table below; what is not in it never speaks.
//! Any disallow makes a label disallow, else any allow makes it allow, else it is unknown. Example:
//! `Content-Signal: ai-train=no` in robots.txt and `Content-Usage: train-ai=y` in the header disallow
//! `train_ai`, and `train_ai` is in conflict.
//! Left out: other policies, which are SQL over `statements`.

use crate::systems::{Ground, Said, Viewpoint};
use crate::web::preference::Preference;

/// A use of content, over all systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Search indexes and their results.
    Search,
    /// Training AI models.
    TrainAi,
    /// Training generative AI models.
    TrainGenai,
    /// Input of AI systems: retrieval, grounding, answers.
    AiInput,
    /// Text and data mining.
    Tdm,
}

impl Label {
    /// Every label, in the order of the columns.
    pub const ALL: [Self; 5] = [Self::Search, Self::TrainAi, Self::TrainGenai, Self::AiInput, Self::Tdm];

    /// Returns its name in the tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::TrainAi => "train_ai",
            Self::TrainGenai => "train_genai",
            Self::AiInput => "ai_input",
            Self::Tdm => "tdm",
        }
    }

    /// Returns the label of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.as_str() == name)
    }

    fn place(self) -> usize {
        match self {
            Self::Search => 0,
            Self::TrainAi => 1,
            Self::TrainGenai => 2,
            Self::AiInput => 3,
            Self::Tdm => 4,
        }
    }
}

use Label::{AiInput, Search, Tdm, TrainAi, TrainGenai};

/// What each category of each system speaks for. A no of the robots tags, of TDMRep and of ai.txt
/// speaks; these systems have no yes that does.
const TABLE: &[(&str, &str, &[Label])] = &[
    ("aipref", "search", &[Search]),
    ("aipref", "train-ai", &[TrainAi]),
    ("aipref", "ai", &[TrainAi]),
    ("aipref", "train-genai", &[TrainGenai]),
    ("aipref", "genai", &[TrainGenai]),
    ("aipref", "ai-output", &[AiInput]),
    ("aipref", "ai-use", &[AiInput]),
    ("aipref", "inference", &[AiInput]),
    // Their narrower labels speak for themselves, through the fallback.
    ("aipref", "bots", &[Tdm]),
    ("aipref", "all", &[Tdm]),
    ("aipref", "tdm", &[Tdm]),
    ("sup", "search", &[Search]),
    ("sup", "tdm", &[Tdm]),
    ("sup", "genai", &[TrainGenai]),
    // draft-thomson-aipref-sup: "training or use".
    ("sup", "ai", &[TrainAi, AiInput]),
    ("content_signal", "search", &[Search]),
    ("content_signal", "ai-input", &[AiInput]),
    ("content_signal", "ai-train", &[TrainAi, TrainGenai]),
    ("tdmrep", "tdm-reservation", &[Tdm, TrainAi, TrainGenai]),
    ("robots_tag", "noai", &[TrainAi, TrainGenai]),
    ("robots_tag", "noml", &[TrainAi, TrainGenai]),
    ("robots_tag", "noimageai", &[TrainAi, TrainGenai]),
    ("robots_tag", "noindex", &[Search]),
    ("robots_tag", "none", &[Search]),
    ("ai_training", "ai-training", &[TrainAi, TrainGenai]),
    ("trust_txt", "data-training", &[TrainAi, TrainGenai]),
    ("ai_txt", "ai-training", &[TrainAi, TrainGenai]),
];

/// An answer that decided a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence<'a> {
    /// The label.
    pub label: Label,
    /// What the answer says.
    pub preference: Preference,
    /// The system.
    pub system: &'static str,
    /// What it rests on.
    pub ground: Ground<'a>,
}

/// The answers of all systems, label by label.
#[derive(Debug, Default)]
pub struct Answers<'a> {
    evidence: Vec<Evidence<'a>>,
}

/// What was found out about the labels of one page.
#[derive(Debug)]
pub struct Labels<'a> {
    /// By [`Label::ALL`].
    preferences: [Preference; 5],
    /// The labels on which answers contradict each other.
    pub conflict: Vec<Label>,
    /// The answers that decided, in the order of the labels.
    pub evidence: Vec<Evidence<'a>>,
    /// The answers that decided nothing: those against, and what cannot allow where not all was read.
    pub overruled: Vec<Evidence<'a>>,
}

/// Whether all carriers of a page's record could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// They could.
    Whole,
    /// Some may hold a no that was not seen.
    Partial,
}

impl<'a> Answers<'a> {
    /// Adds an answer of a system to a page of this media type.
    pub fn add(
        &mut self,
        system: &'static str,
        said: &Said<'a>,
        media_type: Option<&str>,
        viewpoint: &Viewpoint,
    ) {
        let Some((.., labels)) =
            TABLE.iter().find(|(known, category, _)| *known == system && *category == said.category)
        else {
            return;
        };
        if !speaks(system, said, media_type) {
            return;
        }
        for label in labels.iter().copied().chain(also(system, said.category, viewpoint)) {
            self.speak(label, said.preference, system, &said.grounds);
        }
    }

    /// Adds an answer for one label.
    pub fn speak(
        &mut self,
        label: Label,
        preference: Preference,
        system: &'static str,
        grounds: &[Ground<'a>],
    ) {
        let grounds = grounds.iter().cloned();
        self.evidence.extend(grounds.map(|ground| Evidence { label, preference, system, ground }));
    }

    /// Decides every label.
    ///
    /// LABEL-3: where not everything could be read, nothing is allowed.
    #[must_use]
    pub fn decide(mut self, reading: Reading) -> Labels<'a> {
        let said = |label: Label, preference: Preference| {
            self.evidence.iter().any(|one| one.label == label && one.preference == preference)
        };
        let of =
            |label: Label| match (said(label, Preference::Disallow), said(label, Preference::Allow), reading)
            {
                (true, ..) => Preference::Disallow,
                (false, true, Reading::Whole) => Preference::Allow,
                (false, true, Reading::Partial) | (false, false, _) => Preference::Unknown,
            };
        let preferences = Label::ALL.map(of);
        let in_conflict =
            |label: &Label| said(*label, Preference::Disallow) && said(*label, Preference::Allow);
        let conflict = Label::ALL.into_iter().filter(in_conflict).collect();
        self.evidence.sort_by_key(|one| one.label);
        let decided = |one: &Evidence<'_>| preferences.get(one.label.place()) == Some(&one.preference);
        let (evidence, overruled) = self.evidence.into_iter().partition(decided);
        Labels { preferences, conflict, evidence, overruled }
    }
}

/// `noimageai` is about images; ai.txt has a no only.
fn speaks(system: &str, said: &Said<'_>, media_type: Option<&str>) -> bool {
    match (system, said.category) {
        ("robots_tag", "noimageai") => media_type.is_some_and(|media| media.starts_with("image/")),
        ("ai_txt", _) => said.preference == Preference::Disallow,
        _ => true,
    }
}

/// AIPREF's training label speaks for generative AI, too, where the vocabulary has no label for that.
fn also(system: &str, category: &str, viewpoint: &Viewpoint) -> Option<Label> {
    let has = |label: &str| viewpoint.vocabulary.label(label).is_some();
    let alone = match (system, category) {
        ("aipref", "train-ai") => !has("train-genai"),
        ("aipref", "ai") => !has("genai"),
        _ => false,
    };
    alone.then_some(TrainGenai)
}

impl Labels<'_> {
    /// Returns what was decided of a label.
    #[must_use]
    pub fn of(&self, label: Label) -> Preference {
        self.preferences.get(label.place()).copied().unwrap_or_default()
    }

    /// Returns whose word decided a label: each system and carrier once, as `system carrier`.
    #[must_use]
    pub fn from(&self, label: Label) -> Vec<String> {
        let mut from: Vec<String> = Vec::new();
        for one in self.evidence.iter().filter(|one| one.label == label) {
            let name = format!("{} {}", one.system, one.ground.carrier);
            if !from.contains(&name) {
                from.push(name);
            }
        }
        from
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::SYSTEMS;

    #[test]
    fn local_label_the_table_names_systems_that_there_are_each_category_once() {
        let systems: Vec<&str> = SYSTEMS.iter().map(|system| system.system()).collect();
        for (at, (system, category, labels)) in TABLE.iter().enumerate() {
            assert!(systems.contains(system), "{system}");
            assert!(!labels.is_empty());
            let rest = TABLE.iter().skip(at + 1);
            assert!(
                rest.into_iter().all(|(other, word, _)| (other, word) != (system, category)),
                "{system} {category}"
            );
        }
    }
}
