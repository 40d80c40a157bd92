//! Vocabularies: labels, and the label each falls back to.
//!
//! Documents: draft-ietf-aipref-vocab-01 to -08, Usage Category Labels and Vocabulary Definition.
//! Example: under -03, `train-genai` falls back to `train-ai`, and that to `bots`.
//! Left out: what the categories mean, because `train-ai` is not the same use in -03, -05, -06 and -08.

pub const MAX_LABELS: usize = 32;

/// The labels of all drafts, and the columns of `pages` for their preferences.
pub static COLUMNS: [(&str, &str); 11] = [
    ("all", "aipref_all"),
    ("bots", "aipref_bots"),
    ("tdm", "aipref_tdm"),
    ("ai", "aipref_ai"),
    ("genai", "aipref_genai"),
    ("train-ai", "aipref_train_ai"),
    ("train-genai", "aipref_train_genai"),
    ("ai-use", "aipref_ai_use"),
    ("ai-output", "aipref_ai_output"),
    ("inference", "aipref_inference"),
    ("search", "aipref_search"),
];

/// The drafts: name, day, and labels as in a user's file, each with the label it falls back to. -05 to -08 are flat: their text
/// has categories that are not within each other. The days of -03 to -07 are from the head of each, those of -01 and -02 from
/// the tag in the working group's repository; the text of -08 with its number was not read.
const DRAFTS: [(&str, &str, &str); 8] = [
    (
        "01",
        "2025-06-19",
        "tdm\nai tdm\ngenai ai\nsearch tdm\ninference tdm",
    ),
    (
        "02",
        "2025-07-21",
        "all\ntrain-ai all\ntrain-genai train-ai\nai-use all\nsearch all",
    ),
    (
        "03",
        "2025-09-05",
        "bots\ntrain-ai bots\ntrain-genai train-ai\nsearch bots",
    ),
    (
        "04",
        "2025-10-28",
        "bots\ntrain-ai bots\nai-output bots\nsearch ai-output",
    ),
    ("05", "2025-12-01", "train-ai\nsearch"),
    ("06", "2026-04-28", "train-ai\nsearch"),
    ("07", "2026-08-19", "train-ai\nsearch"),
    ("08", "2026-09-13", "train-ai\nai-use\nsearch"),
];

/// A label of a vocabulary: its place in the vocabulary's order, below [`MAX_LABELS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub(super) usize);

impl From<Label> for usize {
    fn from(label: Label) -> Self {
        label.0
    }
}

/// The labels that have a meaning, in a fixed order, and the label each falls back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    pub(super) name: Box<str>,
    /// At most [`MAX_LABELS`], without circles.
    pub(super) labels: Vec<(Box<str>, Option<Label>)>,
}

impl Default for Vocabulary {
    /// Returns the vocabulary that draft-ietf-aipref-attach-03 names: 03.
    fn default() -> Self {
        Self::named("03").unwrap_or_else(|| unreachable!("a draft"))
    }
}

impl Vocabulary {
    /// Returns the vocabularies of the drafts with their days, oldest first.
    pub fn dated() -> impl Iterator<Item = (&'static str, Self)> {
        DRAFTS
            .iter()
            .filter_map(|(name, day, _)| Some((*day, Self::named(name)?)))
    }

    /// Returns the vocabulary of a draft: `01` to `08`.
    pub fn named(name: &str) -> Option<Self> {
        let (.., labels) = DRAFTS.iter().find(|(draft, ..)| *draft == name)?;
        Self::from_lines(name, labels.as_bytes()).ok()
    }

    /// Returns the names that [`Vocabulary::named`] knows, oldest first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        DRAFTS.iter().map(|(name, ..)| *name)
    }

    /// Returns the name: `01` to `08`, or the user's.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the labels with their texts, in the order of the document or of the user's file.
    pub fn labels(&self) -> impl Iterator<Item = (Label, &str)> {
        self.labels
            .iter()
            .enumerate()
            .map(|(place, (text, _))| (Label(place), &**text))
    }

    /// Returns the label with this text. draft-ietf-aipref-vocab-03, Usage Category Labels: "These tokens are case sensitive."
    pub fn label(&self, text: &str) -> Option<Label> {
        self.labels()
            .find(|(_, known)| *known == text)
            .map(|(label, _)| label)
    }

    pub fn text(&self, label: Label) -> Option<&str> {
        self.labels.get(label.0).map(|(text, _)| &**text)
    }

    pub fn parent(&self, label: Label) -> Option<Label> {
        self.labels.get(label.0)?.1
    }

    /// Returns the label of each column of [`COLUMNS`], `None` if this vocabulary lacks it.
    pub fn columns(&self) -> [Option<Label>; COLUMNS.len()] {
        COLUMNS.map(|(text, _)| self.label(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hierarchy(name: &str) -> Vec<String> {
        let vocabulary = Vocabulary::named(name).expect("a draft");
        let shown = |(label, text): (Label, &str)| match vocabulary.parent(label) {
            Some(parent) => format!(
                "{} > {text}",
                vocabulary.text(parent).expect("its own label")
            ),
            None => text.to_owned(),
        };
        vocabulary.labels().map(shown).collect()
    }

    #[test]
    fn aipref_vocab_usage_category_labels_of_each_draft() {
        for (name, labels) in [
            (
                "01",
                &[
                    "tdm",
                    "tdm > ai",
                    "ai > genai",
                    "tdm > search",
                    "tdm > inference",
                ][..],
            ),
            (
                "02",
                &[
                    "all",
                    "all > train-ai",
                    "train-ai > train-genai",
                    "all > ai-use",
                    "all > search",
                ],
            ),
            (
                "03",
                &[
                    "bots",
                    "bots > train-ai",
                    "train-ai > train-genai",
                    "bots > search",
                ],
            ),
            (
                "04",
                &[
                    "bots",
                    "bots > train-ai",
                    "bots > ai-output",
                    "ai-output > search",
                ],
            ),
            ("05", &["train-ai", "search"]),
            ("06", &["train-ai", "search"]),
            ("07", &["train-ai", "search"]),
            ("08", &["train-ai", "ai-use", "search"]),
        ] {
            assert_eq!(hierarchy(name), labels);
        }
    }

    #[test]
    fn local_names_are_01_to_08() {
        let names = ["01", "02", "03", "04", "05", "06", "07", "08"];
        assert_eq!(Vocabulary::names().collect::<Vec<_>>(), names);
        assert!(
            Vocabulary::dated()
                .map(|(_, vocabulary)| vocabulary.name)
                .map(String::from)
                .eq(names)
        );
        for unknown in ["00", "09", "3", "", " 03"] {
            assert_eq!(Vocabulary::named(unknown), None);
        }
    }

    #[test]
    fn local_columns_are_the_union_of_the_drafts() {
        let mut used = [false; COLUMNS.len()];
        for vocabulary in Vocabulary::names().filter_map(Vocabulary::named) {
            let columns = vocabulary.columns();
            assert_eq!(
                columns.iter().flatten().count(),
                vocabulary.labels().count(),
                "{}",
                vocabulary.name
            );
            for (used, label) in used.iter_mut().zip(columns) {
                *used |= label.is_some();
            }
        }
        assert_eq!(used, [true; COLUMNS.len()]);
        for (label, column) in COLUMNS {
            assert_eq!(column, format!("aipref_{}", label.replace('-', "_")));
        }
    }
}
