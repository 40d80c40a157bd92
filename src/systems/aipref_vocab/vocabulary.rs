//! Vocabularies: labels, and the label each falls back to.
//!
//! Documents: draft-ietf-aipref-vocab-01 to -08, Usage Category Labels and Vocabulary Definition.
//! Example: under -03, `train-genai` falls back to `train-ai`, and that to `bots`.
//! Left out: what the categories mean, because `train-ai` is not the same use in -03, -05, -06 and -08.

/// How many labels a vocabulary may have.
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

/// A label, and the label it falls back to.
type LabelRow = (&'static str, Option<&'static str>);

struct Draft {
    name: &'static str,
    rows: &'static [LabelRow],
    /// The label whose fallback the draft itself calls into question.
    doubtful: Option<&'static str>,
}

impl Draft {
    const fn new(name: &'static str, rows: &'static [LabelRow]) -> Self {
        Self { name, rows, doubtful: None }
    }
}

/// -05 to -07 are flat: their text has two categories, neither within the other.
const FLAT: &[LabelRow] = &[("train-ai", None), ("search", None)];

static DRAFTS: [Draft; 8] = [
    Draft {
        name: "01",
        rows: &[
            ("tdm", None),
            ("ai", Some("tdm")),
            ("genai", Some("ai")),
            ("search", Some("tdm")),
            ("inference", Some("tdm")),
        ],
        // draft-ietf-aipref-vocab-01, More Specific Instructions: a statement "shall not be interpreted as restricting the use
        // [...] strictly for the purpose of search".
        doubtful: Some("search"),
    },
    Draft::new(
        "02",
        &[
            ("all", None),
            ("train-ai", Some("all")),
            ("train-genai", Some("train-ai")),
            ("ai-use", Some("all")),
            ("search", Some("all")),
        ],
    ),
    Draft::new(
        "03",
        &[
            ("bots", None),
            ("train-ai", Some("bots")),
            ("train-genai", Some("train-ai")),
            ("search", Some("bots")),
        ],
    ),
    Draft::new(
        "04",
        &[
            ("bots", None),
            ("train-ai", Some("bots")),
            ("ai-output", Some("bots")),
            ("search", Some("ai-output")),
        ],
    ),
    Draft::new("05", FLAT),
    Draft::new("06", FLAT),
    Draft::new("07", FLAT),
    // Also flat.
    Draft::new("08", &[("train-ai", None), ("ai-use", None), ("search", None)]),
];

/// The days of the drafts: for -03 to -07 from the head of each, for -01 and -02 from the tag in the working group's
/// repository; the text of -08 with its number was not read.
static DAYS: [(&str, &str); 8] = [
    ("01", "2025-06-19"),
    ("02", "2025-07-21"),
    ("03", "2025-09-05"),
    ("04", "2025-10-28"),
    ("05", "2025-12-01"),
    ("06", "2026-04-28"),
    ("07", "2026-08-19"),
    ("08", "2026-09-13"),
];

/// A label of a vocabulary: its place in the vocabulary's order, below [`MAX_LABELS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(usize);

impl Label {
    pub(super) fn place(self) -> usize {
        self.0
    }
}

/// The labels that have a meaning, in a fixed order, and the label each falls back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    name: Box<str>,
    categories: Vec<Category>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Category {
    label: Box<str>,
    parent: Option<Label>,
    fallback: Fallback,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fallback {
    Plain,
    /// The document says elsewhere that a restriction does not reach so far.
    Doubtful,
}

impl Default for Vocabulary {
    /// Returns the vocabulary that draft-ietf-aipref-attach-03 names: 03.
    fn default() -> Self {
        DRAFTS
            .iter()
            .find(|draft| draft.name == "03")
            .map_or_else(|| Self::of_user("03", &[]), Self::of_draft)
    }
}

impl Vocabulary {
    /// Returns the vocabularies of the drafts with their days, oldest first.
    pub fn dated() -> impl Iterator<Item = (&'static str, Self)> {
        DAYS.iter().filter_map(|(name, day)| Some((*day, Self::named(name)?)))
    }

    /// Returns the vocabulary of a draft: `01` to `08`.
    pub fn named(name: &str) -> Option<Self> {
        DRAFTS.iter().find(|draft| draft.name == name).map(Self::of_draft)
    }

    /// Returns the names that [`Vocabulary::named`] knows, oldest first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        DRAFTS.iter().map(|draft| draft.name)
    }

    fn of_draft(draft: &Draft) -> Self {
        let label = |text: &str| draft.rows.iter().position(|row| row.0 == text).map(Label);
        let category = |row: &LabelRow| Category {
            label: row.0.into(),
            parent: row.1.and_then(label),
            fallback: if draft.doubtful == Some(row.0) { Fallback::Doubtful } else { Fallback::Plain },
        };
        Self { name: draft.name.into(), categories: draft.rows.iter().map(category).collect() }
    }

    /// Rows are at most [`MAX_LABELS`] labels with the place of the parent, without circles. The caller has checked this.
    pub(super) fn of_user(name: &str, rows: &[(&str, Option<usize>)]) -> Self {
        let category = |(label, parent): &(&str, Option<usize>)| Category {
            label: (*label).into(),
            parent: parent.map(Label),
            fallback: Fallback::Plain,
        };
        Self { name: name.into(), categories: rows.iter().map(category).collect() }
    }

    /// Returns the name: `01` to `08`, or the user's.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the labels with their texts, in the order of the document or of the user's file.
    pub fn labels(&self) -> impl Iterator<Item = (Label, &str)> {
        self.categories.iter().enumerate().map(|(place, category)| (Label(place), &*category.label))
    }

    /// Returns the label with this text. draft-ietf-aipref-vocab-03, Usage Category Labels: "These tokens are case sensitive."
    pub fn label(&self, text: &str) -> Option<Label> {
        self.categories.iter().position(|category| *category.label == *text).map(Label)
    }

    /// Returns the text of a label of this vocabulary.
    pub fn text(&self, label: Label) -> Option<&str> {
        self.categories.get(label.0).map(|category| &*category.label)
    }

    /// Returns the label that a label falls back to if nothing is stated for it.
    pub fn parent(&self, label: Label) -> Option<Label> {
        self.categories.get(label.0)?.parent
    }

    /// Returns the label of each column of [`COLUMNS`], `None` if this vocabulary lacks it.
    pub fn columns(&self) -> [Option<Label>; COLUMNS.len()] {
        COLUMNS.map(|(text, _)| self.label(text))
    }

    pub(super) fn fallback(&self, label: Label) -> Fallback {
        self.categories.get(label.0).map_or(Fallback::Plain, |category| category.fallback)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hierarchy(name: &str) -> Vec<String> {
        let vocabulary = Vocabulary::named(name).expect("a draft");
        let shown = |(label, text): (Label, &str)| match vocabulary.parent(label) {
            Some(parent) => format!("{} > {text}", vocabulary.text(parent).expect("its own label")),
            None => text.to_owned(),
        };
        vocabulary.labels().map(shown).collect()
    }

    #[test]
    fn aipref_vocab_usage_category_labels_of_each_draft() {
        assert_eq!(hierarchy("01"), ["tdm", "tdm > ai", "ai > genai", "tdm > search", "tdm > inference"]);
        assert_eq!(
            hierarchy("02"),
            ["all", "all > train-ai", "train-ai > train-genai", "all > ai-use", "all > search"]
        );
        assert_eq!(hierarchy("03"), ["bots", "bots > train-ai", "train-ai > train-genai", "bots > search"]);
        assert_eq!(hierarchy("04"), ["bots", "bots > train-ai", "bots > ai-output", "ai-output > search"]);
        for flat in ["05", "06", "07"] {
            assert_eq!(hierarchy(flat), ["train-ai", "search"]);
        }
        assert_eq!(hierarchy("08"), ["train-ai", "ai-use", "search"]);
    }

    #[test]
    fn local_names_are_01_to_08() {
        let names = ["01", "02", "03", "04", "05", "06", "07", "08"];
        assert_eq!(Vocabulary::names().collect::<Vec<_>>(), names);
        for unknown in ["00", "09", "3", "", " 03"] {
            assert_eq!(Vocabulary::named(unknown), None);
        }
    }

    #[test]
    fn local_columns_are_the_union_of_the_drafts() {
        let mut used = [false; COLUMNS.len()];
        for draft in &DRAFTS {
            let vocabulary = Vocabulary::of_draft(draft);
            let columns = vocabulary.columns();
            assert_eq!(columns.iter().flatten().count(), vocabulary.labels().count(), "{}", draft.name);
            for (used, label) in used.iter_mut().zip(columns) {
                *used |= label.is_some();
            }
            let parents = vocabulary.categories.iter().filter(|category| category.parent.is_some()).count();
            assert_eq!(parents, draft.rows.iter().filter(|row| row.1.is_some()).count());
        }
        assert_eq!(used, [true; COLUMNS.len()]);
        for (label, column) in COLUMNS {
            assert_eq!(column, format!("aipref_{}", label.replace('-', "_")));
        }
    }
}
