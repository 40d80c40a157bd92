//! The AI preference vocabulary: what a statement of preference says.
//!
//! Documents: draft-ietf-aipref-vocab-01 to -08; syntax by RFC 9651, a Dictionary.
//! Example: `train-ai=n, search=y` disallows training and allows search.
//!
//! A [`Vocabulary`] is a list of labels and their fallbacks, from a draft or from a user. A [`VocabularyStatement`] is what one
//! dictionary says in the words of a vocabulary, and [`Answers`] are its preferences after fallback. Several statements are
//! first answered one by one and then joined, because the draft combines "answers": `train-ai=n` and `train-genai=y` in two
//! statements disallow generative training under -03, in one statement they allow it.
//!
//! Left out: -00, which has no labels. -08 is read from digests of it, as its text was not available. `aipref_attach` finds the
//! statements; the labels decide what -08's `train-ai` says about all training.

mod member;
mod statement;
mod user_file;
mod vocabulary;

pub use member::members;
pub use statement::{Answers, VocabularyStatement};
pub use vocabulary::{COLUMNS, Label, MAX_LABELS, Vocabulary};
