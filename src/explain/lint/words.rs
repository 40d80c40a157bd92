//! The words for yes, no and training that people write, and how they are compared.
//!
//! Example: `Never` is a no, and `Train-AI` is about training. Left out: whole sentences.

/// Words for a no and for a yes, in lower case.
pub(super) const NOES: &str = "n no none never not deny denied disallow disallowed false off 0 ?0 block blocked forbid forbidden \
    prohibited refuse refused";
pub(super) const YESES: &str = "y yes allow allowed true on 1 ?1 permit permitted ok";

/// Words for the training of AI, by their letters.
pub(super) const TRAINING: &str =
    "trainai aitrain train training aitraining trainingai ai ml llm tdm mlai";

pub(super) fn letters(word: &str) -> String {
    word.chars()
        .filter(char::is_ascii_alphabetic)
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

pub(super) fn bare(word: &str) -> String {
    word.trim_matches(|mark: char| mark.is_whitespace() || "\"'`()".contains(mark))
        .to_ascii_lowercase()
}

pub(super) fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}
