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

use super::vocabulary::{Label, MAX_LABELS, Vocabulary};
use crate::systems::words::UserFileError;
use crate::web::lines::without_byte_order_mark;
use sfv::KeyRef;

struct Declaration<'a> {
    line: u32,
    label: &'a str,
    parent: Option<&'a str>,
}

impl Vocabulary {
    /// Reads a user's vocabulary; `name` is its name in the tables.
    pub fn from_lines(name: &str, text: &[u8]) -> Result<Self, UserFileError> {
        let declarations = declarations(text)?;
        let mut labels: Vec<(Box<str>, Option<Label>)> = Vec::with_capacity(declarations.len());
        for Declaration {
            line,
            label,
            parent,
        } in &declarations
        {
            let place =
                |parent: &&str| declarations.iter().position(|other| other.label == *parent);
            let found = parent.as_ref().and_then(place).map(Label);
            if let (Some(parent), None) = (parent, found) {
                let fault =
                    format!("label `{label}` falls back to `{parent}`, which no line declares");
                return Err(UserFileError { line: *line, fault });
            }
            labels.push(((*label).into(), found));
        }
        for (place, Declaration { line, label, .. }) in declarations.iter().enumerate() {
            if let Some(path) = cycle(place, &labels) {
                let fault = format!("label `{label}` falls back to itself: {path}");
                return Err(UserFileError { line: *line, fault });
            }
        }
        Ok(Self {
            name: name.into(),
            labels,
        })
    }
}

fn declarations(text: &[u8]) -> Result<Vec<Declaration<'_>>, UserFileError> {
    let mut found: Vec<Declaration<'_>> = Vec::new();
    let mut last = 0;
    for (line, bytes) in (1..).zip(without_byte_order_mark(text).split(|byte| *byte == b'\n')) {
        last = line;
        let refused = |fault: String| UserFileError { line, fault };
        let Some((label, parent)) = declaration(bytes).map_err(refused)? else {
            continue;
        };
        if let Some(first) = found.iter().find(|earlier| earlier.label == label) {
            return Err(refused(format!(
                "label `{label}` is already on line {}",
                first.line
            )));
        }
        if found.len() == MAX_LABELS {
            return Err(refused(format!("more than {MAX_LABELS} labels")));
        }
        found.push(Declaration {
            line,
            label,
            parent,
        });
    }
    if found.is_empty() {
        return Err(UserFileError {
            line: last,
            fault: "no label in the whole file".to_owned(),
        });
    }
    Ok(found)
}

fn declaration(line: &[u8]) -> Result<Option<(&str, Option<&str>)>, String> {
    let before_comment = line.split(|byte| *byte == b'#').next().unwrap_or_default();
    let words = before_comment.split(|byte| byte.is_ascii_whitespace() || *byte == b',');
    let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
    match *words.as_slice() {
        [] => Ok(None),
        [label] => Ok(Some((key(label)?, None))),
        [label, parent] => Ok(Some((key(label)?, Some(key(parent)?)))),
        _ => Err(format!(
            "{} words; expected a label, and the label it falls back to if there is one",
            words.len()
        )),
    }
}

/// RFC 9651 3.1.2.
fn key(word: &[u8]) -> Result<&str, String> {
    KeyRef::from_bytes(word).map(KeyRef::as_str).map_err(|_| {
        let word = String::from_utf8_lossy(word);
        format!("`{word}` cannot be a label; expected a-z or *, then a-z, 0-9, _, -, . or *")
    })
}

/// Returns the labels from one to itself. A way longer than all labels has reached a circle of other labels.
fn cycle(start: usize, labels: &[(Box<str>, Option<Label>)]) -> Option<String> {
    let above = |place: &usize| labels.get(*place)?.1.map(usize::from);
    let way: Vec<usize> = std::iter::successors(Some(start), above)
        .take(labels.len() + 1)
        .collect();
    let end = way.iter().skip(1).position(|place| *place == start)? + 1;
    let texts = way
        .get(..=end)?
        .iter()
        .filter_map(|place| labels.get(*place))
        .map(|(text, _)| &**text);
    Some(texts.collect::<Vec<_>>().join(" > "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Vocabulary::from_lines("mine", text.as_bytes())
            .expect_err("no vocabulary")
            .to_string()
    }

    #[test]
    fn local_user_vocabulary_equals_the_draft() {
        let text = "\u{FEFF}# -03\r\n\r\nbots\r\n\ttrain-ai  bots # training\r\ntrain-genai, train-ai\nsearch,bots";
        let user = Vocabulary::from_lines("03", text.as_bytes());
        assert_eq!(user, Ok(Vocabulary::named("03").expect("a draft")));
    }

    #[test]
    fn local_parents_may_stand_below() {
        let user = Vocabulary::from_lines("mine", b"a b\nb c\nc\n").expect("a vocabulary");
        assert_eq!(
            user.labels().map(|(_, text)| text).collect::<Vec<_>>(),
            ["a", "b", "c"]
        );
        assert_eq!(
            user.parent(user.label("a").expect("a label")),
            user.label("b")
        );
    }

    #[test]
    fn local_errors_name_the_line() {
        for (text, message) in [
            (
                "bots\nai tdm\n",
                "line 2: label `ai` falls back to `tdm`, which no line declares",
            ),
            ("a a\n", "line 1: label `a` falls back to itself: a > a"),
            (
                "z\nd a\na b\nb c\nc a\n",
                "line 3: label `a` falls back to itself: a > b > c > a",
            ),
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
            assert!(
                error(&format!("bots\n{word}\n"))
                    .starts_with(&format!("line 2: `{word}` cannot be"))
            );
            assert!(
                error(&format!("bots {word}\n"))
                    .starts_with(&format!("line 1: `{word}` cannot be"))
            );
        }
        assert!(Vocabulary::from_lines("mine", b"*x\na.b_c-0*\n").is_ok());
        assert!(Vocabulary::from_lines("mine", b"\xFF\n").is_err());
    }

    #[test]
    fn local_at_most_32_labels() {
        let labels = |count: usize| {
            (0..count)
                .map(|n| format!("l{n}"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert!(Vocabulary::from_lines("mine", labels(MAX_LABELS).as_bytes()).is_ok());
        assert_eq!(
            error(&labels(MAX_LABELS + 1)),
            "line 33: more than 32 labels"
        );
    }
}
