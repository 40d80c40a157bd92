//! The labels that statements of AIPREF count for, and the noes to them under any revision (RULES KNOW-9).
//!
//! Example: `ai` is a label of 01 alone. `Content-Usage: ai=n` is a no to `train_ai` and `train_genai`, whatever revision the
//! columns are by: sites write labels of all revisions, and no revision revokes a no. Left out: yeses, which count by the
//! viewpoint's vocabulary alone.

use crate::systems::aipref_vocab::{Answers, Vocabulary, VocabularyStatement};
use crate::systems::structured_field::{dictionary, field_value};
use crate::systems::{Condition, Label, LabelPreferences, Mapping};
use crate::web::preference::Preference;
use std::sync::LazyLock;

/// The noes to labels, which have no yes.
pub type LabelNoes = LabelPreferences<{ Label::ALL.len() }>;

/// The categories of what another revision than the viewpoint's refuses.
pub(super) const OF_ANY_REVISION: [(&str, Label); Label::ALL.len()] = [
    ("any search", Label::Search),
    ("any train_ai", Label::TrainAi),
    ("any train_genai", Label::TrainGenai),
    ("any ai_input", Label::AiInput),
    ("any tdm", Label::Tdm),
];

pub(super) const MAPPINGS: &[Mapping] = &[
    Mapping::both("search", &[Label::Search]),
    // LABEL-5: 08 has `train-ai` for generative models alone, and a yes to a part is not a yes to the whole.
    Mapping::both("train-ai", &[Label::TrainAi]).only(Condition::VocabularyOtherThan("08")),
    Mapping::disallow("train-ai", &[Label::TrainAi]).only(Condition::Vocabulary("08")),
    // A training label counts for generative AI if the vocabulary has no label for that.
    Mapping::both("train-ai", &[Label::TrainGenai])
        .only(Condition::VocabularyWithout("train-genai")),
    Mapping::both("ai", &[Label::TrainAi]),
    Mapping::both("ai", &[Label::TrainGenai]).only(Condition::VocabularyWithout("genai")),
    Mapping::both("train-genai", &[Label::TrainGenai]),
    Mapping::both("genai", &[Label::TrainGenai]),
    Mapping::both("ai-output", &[Label::AiInput]),
    Mapping::both("ai-use", &[Label::AiInput]),
    Mapping::both("inference", &[Label::AiInput]),
    // The narrower labels of these have their own opinions, through the fallback.
    Mapping::both("bots", &[Label::Tdm]),
    Mapping::both("all", &[Label::Tdm]),
    Mapping::both("tdm", &[Label::Tdm]),
    Mapping::disallow("any search", &[Label::Search]).only(Condition::AnyRevision),
    Mapping::disallow("any train_ai", &[Label::TrainAi]).only(Condition::AnyRevision),
    Mapping::disallow("any train_genai", &[Label::TrainGenai]).only(Condition::AnyRevision),
    Mapping::disallow("any ai_input", &[Label::AiInput]).only(Condition::AnyRevision),
    Mapping::disallow("any tdm", &[Label::Tdm]).only(Condition::AnyRevision),
];

static REVISIONS: LazyLock<Vec<Vocabulary>> = LazyLock::new(|| {
    Vocabulary::dated()
        .map(|(_, vocabulary)| vocabulary)
        .collect()
});

/// Returns the labels that a statement refuses under any revision by a label that the chosen vocabulary does not have.
pub(super) fn further_noes(value: &[u8], chosen: &Vocabulary) -> LabelNoes {
    let Ok(members) = dictionary(value) else {
        return LabelNoes::UNKNOWN;
    };
    let of = |revision: &Vocabulary| {
        let statement = VocabularyStatement::of_members(&members, revision);
        let is_other = |at| {
            revision
                .text(at)
                .is_some_and(|text| chosen.label(text).is_none())
        };
        let mut answers = Answers::UNKNOWN;
        for (label, _) in revision.labels() {
            if let Some(at) = statement
                .stated_for(revision, label)
                .filter(|at| is_other(*at))
            {
                answers.set(label, statement.answer(revision, at));
            }
        }
        label_noes(&answers, revision)
    };
    REVISIONS
        .iter()
        .map(of)
        .fold(LabelNoes::UNKNOWN, |all, one| all.and(&one))
}

/// The same for a header field: for its whole value, and for each of its lines. READ-22: a line that a CDN appends does not
/// revoke the no of an earlier one.
pub(super) fn further_noes_of_header(lines: &[&[u8]], chosen: &Vocabulary) -> LabelNoes {
    let joined =
        field_value(lines).map_or(LabelNoes::UNKNOWN, |value| further_noes(&value, chosen));
    let of_line = |line: &&[u8]| {
        let statement = VocabularyStatement::parse(line, chosen).ok();
        let own = statement.map(|statement| label_noes(&statement.answers(chosen), chosen));
        further_noes(line, chosen).and(&own.unwrap_or(LabelNoes::UNKNOWN))
    };
    let several = lines.iter().filter(|_| lines.len() > 1);
    several.map(of_line).fold(joined, |all, one| all.and(&one))
}

/// Returns the labels to which the answers of one vocabulary are a no.
pub(super) fn label_noes(answers: &Answers, vocabulary: &Vocabulary) -> LabelNoes {
    let mut noes = LabelNoes::UNKNOWN;
    let refused = vocabulary
        .labels()
        .filter(|(label, _)| answers.of(*label) == Preference::Disallow);
    for (_, category) in refused {
        let counts = |one: &&Mapping| {
            one.category == category && one.counts(Preference::Disallow, false, vocabulary)
        };
        for label in MAPPINGS
            .iter()
            .filter(counts)
            .flat_map(|mapping| mapping.labels)
        {
            noes.set(*label, Preference::Disallow);
        }
    }
    noes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn know_9_a_no_under_any_revision_is_a_no_to_the_labels_that_it_gives() {
        use Label::{AiInput, Search, Tdm, TrainAi, TrainGenai};
        for (value, labels) in [
            ("ai=n", &[TrainAi, TrainGenai][..]),
            ("genai=n", &[TrainGenai]),
            ("inference=n", &[AiInput]),
            ("tdm=n", &[Search, TrainAi, TrainGenai, AiInput, Tdm]),
            ("all=n", &[Search, TrainAi, TrainGenai, AiInput, Tdm]),
            ("all=n, search=y", &[TrainAi, TrainGenai, AiInput, Tdm]),
            ("ai-use=n", &[AiInput]),
            ("ai-output=n", &[Search, AiInput]),
            ("bots=n, train-ai=n, train-genai=n, search=n", &[]),
            ("train-ai=y, foo=n", &[]),
            ("Train-AI=n", &[]),
        ] {
            let noes = further_noes(value.as_bytes(), &Vocabulary::default());
            let found = Label::ALL
                .into_iter()
                .filter(|label| noes.of(*label) == Preference::Disallow);
            assert!(found.eq(labels.iter().copied()), "{value}");
        }
        for (category, label) in OF_ANY_REVISION {
            let mapping = MAPPINGS.iter().find(|mapping| mapping.category == category);
            assert!(
                mapping.is_some_and(|mapping| *mapping.labels == [label]),
                "{category}"
            );
        }
    }

    #[test]
    fn read_22_a_line_of_the_header_does_not_revoke_the_no_of_another() {
        let no = |lines: &[&str]| {
            let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
            further_noes_of_header(&lines, &Vocabulary::default()).of(Label::TrainAi)
                == Preference::Disallow
        };
        assert!(no(&["train-ai=n", "train-ai=y"]) && no(&["foo=\"a", "b\", ai=n"]));
        assert!(!no(&["train-ai=n, train-ai=y"]) && !no(&["train-ai=y"]) && !no(&[]));
    }
}
