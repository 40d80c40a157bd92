//! A user's own vocabulary: lines of `label parent`.
//!
//! Ours: no document has this form. It opens the way to drafts that are not built in, and to extensions
//! (draft-ietf-aipref-vocab-03, Vocabulary Extensions). Example, -03 and one more label:
//!
//! ```text
//! bots
//! train-ai bots      # falls back to bots
//! train-genai train-ai
//! search bots
//! x-summary bots
//! ```
//!
//! A comma may separate the two words, blank lines and comments from `#` on are skipped, and a parent may be declared after its
//! children. Left out: several parents of one label, because the draft's categories have at most one.

use sfv::KeyRef;

use super::vocabulary::{MAX_LABELS, Vocabulary};
use crate::web::lines::without_byte_order_mark;

/// Why a file is not a vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("line {line}: {fault}")]
pub struct VocabularyError {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong there.
    pub fault: VocabularyFault,
}

/// What is wrong with a line of a vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VocabularyFault {
    /// A word is not a key of RFC 9651, so no statement could hold it.
    #[error("`{word}` cannot be a label; expected a-z or *, then a-z, 0-9, _, -, . or *")]
    NotAKey {
        /// The word as written.
        word: String,
    },
    /// A line has more than two words.
    #[error("{words} words; expected a label, and the label it falls back to if there is one")]
    TooManyWords { words: usize },
    /// A label is declared twice.
    #[error("label `{label}` is already on line {first_line}")]
    Duplicate {
        label: String,
        /// Where it is declared first, from 1.
        first_line: u32,
    },
    /// A parent is declared nowhere in the file.
    #[error("label `{label}` falls back to `{parent}`, which no line declares")]
    UnknownParent {
        label: String,
        /// The parent as written.
        parent: String,
    },
    /// A label falls back to itself, directly or through others.
    #[error("label `{label}` falls back to itself: {path}")]
    Cycle {
        label: String,
        /// The labels from it to itself, joined by ` > `.
        path: String,
    },
    /// There are more labels than a statement can hold.
    #[error("more than {MAX_LABELS} labels")]
    TooManyLabels,
    /// The file has no label.
    #[error("no label in the whole file")]
    NoLabel,
}

struct Declaration<'a> {
    line: u32,
    label: &'a str,
    parent: Option<&'a str>,
}

impl Declaration<'_> {
    fn error(&self, fault: VocabularyFault) -> VocabularyError {
        VocabularyError { line: self.line, fault }
    }
}

impl Vocabulary {
    /// Reads a user's vocabulary; `name` is its name in the tables.
    ///
    /// # Errors
    /// Fails with the line if a word cannot be a label, a label is declared twice, a parent is declared nowhere, labels fall
    /// back in a circle, or there are no labels or too many.
    pub fn from_lines(name: &str, text: &[u8]) -> Result<Self, VocabularyError> {
        let declarations = declarations(text)?;
        let mut rows = Vec::with_capacity(declarations.len());
        for declaration in &declarations {
            rows.push((declaration.label, parent_place(declaration, &declarations)?));
        }
        for (place, declaration) in declarations.iter().enumerate() {
            refuse_cycle(place, &rows).map_err(|fault| declaration.error(fault))?;
        }
        Ok(Self::of_user(name, &rows))
    }
}

fn declarations(text: &[u8]) -> Result<Vec<Declaration<'_>>, VocabularyError> {
    let text = without_byte_order_mark(text);
    let mut found: Vec<Declaration<'_>> = Vec::new();
    let mut line = 0;
    for bytes in text.split(|byte| *byte == b'\n') {
        line += 1;
        let Some(declaration) = declaration(line, bytes)? else { continue };
        if let Some(first) = found.iter().find(|earlier| earlier.label == declaration.label) {
            let label = declaration.label.to_owned();
            return Err(declaration.error(VocabularyFault::Duplicate { label, first_line: first.line }));
        }
        if found.len() == MAX_LABELS {
            return Err(declaration.error(VocabularyFault::TooManyLabels));
        }
        found.push(declaration);
    }
    if found.is_empty() {
        return Err(VocabularyError { line, fault: VocabularyFault::NoLabel });
    }
    Ok(found)
}

fn declaration(line: u32, bytes: &[u8]) -> Result<Option<Declaration<'_>>, VocabularyError> {
    let before_comment = bytes.split(|byte| *byte == b'#').next().unwrap_or_default();
    let words: Vec<&[u8]> = before_comment
        .split(|byte| byte.is_ascii_whitespace() || *byte == b',')
        .filter(|word| !word.is_empty())
        .collect();
    let key = |word| key(word).map_err(|fault| VocabularyError { line, fault });
    match *words.as_slice() {
        [] => Ok(None),
        [label] => Ok(Some(Declaration { line, label: key(label)?, parent: None })),
        [label, parent] => Ok(Some(Declaration { line, label: key(label)?, parent: Some(key(parent)?) })),
        _ => Err(VocabularyError { line, fault: VocabularyFault::TooManyWords { words: words.len() } }),
    }
}

/// RFC 9651 3.1.2.
fn key(word: &[u8]) -> Result<&str, VocabularyFault> {
    match KeyRef::from_bytes(word) {
        Ok(key) => Ok(key.as_str()),
        Err(_) => Err(VocabularyFault::NotAKey { word: String::from_utf8_lossy(word).into_owned() }),
    }
}

fn parent_place(of: &Declaration<'_>, all: &[Declaration<'_>]) -> Result<Option<usize>, VocabularyError> {
    let Some(parent) = of.parent else { return Ok(None) };
    match all.iter().position(|other| other.label == parent) {
        Some(place) => Ok(Some(place)),
        None => Err(of
            .error(VocabularyFault::UnknownParent { label: of.label.to_owned(), parent: parent.to_owned() })),
    }
}

fn refuse_cycle(start: usize, rows: &[(&str, Option<usize>)]) -> Result<(), VocabularyFault> {
    let mut way = Vec::new();
    let mut at = start;
    // A way longer than all labels has reached a circle further up, which is the fault of another label.
    while way.len() <= rows.len() {
        let Some((label, parent)) = rows.get(at) else { return Ok(()) };
        way.push(*label);
        if at == start && way.len() > 1 {
            return Err(VocabularyFault::Cycle { label: (*label).to_owned(), path: way.join(" > ") });
        }
        let Some(parent) = parent else { return Ok(()) };
        at = *parent;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Vocabulary::from_lines("mine", text.as_bytes()).expect_err("no vocabulary").to_string()
    }

    #[test]
    fn local_user_vocabulary_equals_the_draft() {
        let text =
            "\u{FEFF}# -03\r\n\r\nbots\r\n\ttrain-ai  bots # training\r\ntrain-genai, train-ai\nsearch,bots";
        let user = Vocabulary::from_lines("03", text.as_bytes());
        assert_eq!(user, Ok(Vocabulary::named("03").expect("a draft")));
    }

    #[test]
    fn local_parents_may_stand_below() {
        let user = Vocabulary::from_lines("mine", b"a b\nb c\nc\n").expect("a vocabulary");
        assert_eq!(user.labels().map(|(_, text)| text).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(user.parent(user.label("a").expect("a label")), user.label("b"));
    }

    #[test]
    fn local_errors_name_the_line() {
        for (text, message) in [
            ("bots\nai tdm\n", "line 2: label `ai` falls back to `tdm`, which no line declares"),
            ("a a\n", "line 1: label `a` falls back to itself: a > a"),
            ("z\nd a\na b\nb c\nc a\n", "line 3: label `a` falls back to itself: a > b > c > a"),
            ("a\n\nb\na b\n", "line 4: label `a` is already on line 1"),
            (
                "a b c d\n",
                "line 1: 4 words; expected a label, and the label it falls back to if there is one",
            ),
            ("# nothing\n\n", "line 3: no label in the whole file"),
            ("", "line 1: no label in the whole file"),
        ] {
            assert_eq!(error(text), message);
        }
    }

    #[test]
    fn rfc9651_3_1_2_labels_are_keys() {
        for word in ["Train-AI", "3d", "-", "tr\u{e4}in", "a=b", "\"a\""] {
            assert!(error(&format!("bots\n{word}\n")).starts_with(&format!("line 2: `{word}` cannot be")));
            assert!(error(&format!("bots {word}\n")).starts_with(&format!("line 1: `{word}` cannot be")));
        }
        assert!(Vocabulary::from_lines("mine", b"*x\na.b_c-0*\n").is_ok());
        assert!(Vocabulary::from_lines("mine", b"\xFF\n").is_err());
    }

    #[test]
    fn local_at_most_32_labels() {
        let labels = |count: usize| (0..count).map(|n| format!("l{n}")).collect::<Vec<_>>().join("\n");
        assert!(Vocabulary::from_lines("mine", labels(MAX_LABELS).as_bytes()).is_ok());
        assert_eq!(error(&labels(MAX_LABELS + 1)), "line 33: more than 32 labels");
    }
}
