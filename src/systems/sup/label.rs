//! The labels of uses, and which of them is more general.
//!
//! Document: draft-thomson-aipref-sup (21 July 2025), Usage Labels, and Table 2.
//! Example: `genai` is more specific than `ai`, which is more specific than `tdm`.
//! Left out: labels that a registry may add one day; they are unknown here and ignored.

/// A label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SupLabel {
    /// All forms of automated processing of content.
    Tdm,
    /// Training or use of machine learning.
    Ai,
    /// Training or use of machine learning that can generate content.
    Genai,
    /// Search indexes. "search" is not more specific than the "ai" label.
    Search,
}

impl SupLabel {
    /// All labels, in the order of the draft.
    pub const ALL: [Self; 4] = [Self::Tdm, Self::Ai, Self::Genai, Self::Search];

    /// Returns the label as it is in expressions.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tdm => "tdm",
            Self::Ai => "ai",
            Self::Genai => "genai",
            Self::Search => "search",
        }
    }

    /// Returns the label that is written so; labels have case (The "robots.txt" Format).
    pub fn named(text: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.as_str().as_bytes() == text)
    }

    /// Returns the next more general label (Table 2, Narrows).
    pub fn broader(self) -> Option<Self> {
        match self {
            Self::Tdm => None,
            Self::Ai | Self::Search => Some(Self::Tdm),
            Self::Genai => Some(Self::Ai),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SupLabel;

    #[test]
    fn sup_usage_labels_names_and_order() {
        assert_eq!(SupLabel::ALL.map(SupLabel::as_str), ["tdm", "ai", "genai", "search"]);
        assert_eq!(
            SupLabel::ALL.map(SupLabel::broader),
            [None, Some(SupLabel::Tdm), Some(SupLabel::Ai), Some(SupLabel::Tdm)]
        );
    }

    #[test]
    fn sup_robots_txt_format_labels_have_case() {
        for label in SupLabel::ALL {
            assert_eq!(SupLabel::named(label.as_str().as_bytes()), Some(label));
        }
        for text in ["", "AI", "Tdm", "ai ", "a", "aix", "train-ai"] {
            assert_eq!(SupLabel::named(text.as_bytes()), None, "{text}");
        }
    }
}
