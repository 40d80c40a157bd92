//! draft-ietf-aipref-vocab: what statements say.

use crawlprefs::systems::aipref_vocab::{Answers, Vocabulary, VocabularyStatement};
use crawlprefs::web::preference::Preference;
use serde_json::Value;

use crate::vectors::{self, Vector};

/// Reads each statement; null where it is no dictionary.
fn statements(vector: &Vector, vocabulary: &Vocabulary) -> Vec<Option<VocabularyStatement>> {
    let raw = vector
        .input("statements")
        .and_then(Value::as_array)
        .expect("statements");
    raw.iter()
        .map(|raw| {
            VocabularyStatement::parse(raw.as_str().expect("a string").as_bytes(), vocabulary).ok()
        })
        .collect()
}

fn combined(statements: &[Option<VocabularyStatement>], vocabulary: &Vocabulary) -> Answers {
    let answers = statements
        .iter()
        .flatten()
        .map(|statement| statement.answers(vocabulary));
    answers.fold(Answers::UNKNOWN, |sum, answers| sum.and(&answers))
}

#[test]
fn aipref_vocab_vectors() {
    let vectors = [vectors::read("vocab"), vectors::read("vocab08")].concat();
    let has_statements = |vector: &&Vector| vector.input("statements").is_some();
    let vectors: Vec<&Vector> = vectors.iter().filter(has_statements).collect();
    for vector in &vectors {
        let vocabulary = vector.vocabulary();
        let statements = statements(vector, &vocabulary);
        let answers = combined(&statements, &vocabulary);
        for key in vector.expected_keys() {
            let found = match key {
                "preferences" => vectors::shown(&vocabulary, |label| answers.of(label).as_str()),
                "parses" => statements.iter().map(Option::is_some).collect(),
                other => panic!("{}: {other} is not a key of this module", vector.id),
            };
            assert_eq!(Some(&found), vector.expected(key), "{}", vector.id);
        }
    }
    assert_eq!(vectors.len(), 26 + 7);
}

fn preferences(vocabulary: &str, statements: &[&str]) -> Vec<Preference> {
    let vocabulary = Vocabulary::named(vocabulary).expect("a draft");
    let parse = |text: &&str| VocabularyStatement::parse(text.as_bytes(), &vocabulary).ok();
    let answers = combined(
        &statements.iter().map(parse).collect::<Vec<_>>(),
        &vocabulary,
    );
    vocabulary
        .labels()
        .map(|(label, _)| answers.of(label))
        .collect()
}

/// The example is not a dictionary, as it ends in `;`; without it, it states nothing all the same.
#[test]
fn aipref_vocab_preference_parameters_example_states_nothing() {
    use Preference::Unknown;
    for statement in [
        "train-ai;has;parameters=\"?\";",
        "train-ai;has;parameters=\"?\"",
    ] {
        assert_eq!(preferences("07", &[statement]), [Unknown; 2]);
        assert_eq!(preferences("03", &[statement]), [Unknown; 4]);
    }
}

/// Ours: the text combines "answers", so fallback comes first.
#[test]
fn local_statements_are_answered_before_they_are_combined() {
    use Preference::{Allow, Disallow, Unknown};
    assert_eq!(
        preferences("03", &["train-ai=n", "train-genai=y"]),
        [Unknown, Disallow, Disallow, Unknown]
    );
    assert_eq!(
        preferences("03", &["train-ai=n, train-genai=y"]),
        [Unknown, Disallow, Allow, Unknown]
    );
    assert_eq!(
        preferences("04", &["ai-output=n", "search=y"]),
        [Unknown, Unknown, Disallow, Disallow]
    );
    assert_eq!(
        preferences("05", &["train-ai=n", "search=y"]),
        [Disallow, Allow]
    );
}

/// A file written for -03 says nothing under the flat vocabularies, and one for -01 nothing but search.
#[test]
fn aipref_vocab_syntax_extensions_labels_of_other_drafts_are_unknown() {
    use Preference::{Disallow, Unknown};
    for flat in ["05", "06", "07"] {
        assert_eq!(
            preferences(flat, &["bots=n, tdm=n, all=n"]),
            [Unknown, Unknown]
        );
    }
    assert_eq!(
        preferences("03", &["tdm=n, ai=n, search=n"]),
        [Unknown, Unknown, Unknown, Disallow]
    );
}

/// A user's vocabulary is read as a draft's is, fallback included.
#[test]
fn local_user_vocabulary_answers() {
    use Preference::{Allow, Disallow};
    let text = b"train-genai train-ai\ntrain-ai bots\nbots\nx-summary bots\n";
    let vocabulary = Vocabulary::from_lines("mine", text).expect("a vocabulary");
    let statement =
        VocabularyStatement::parse(b"bots=n, x-summary=y", &vocabulary).expect("a dictionary");
    let answers = statement.answers(&vocabulary);
    let found: Vec<_> = vocabulary
        .labels()
        .map(|(label, _)| answers.of(label))
        .collect();
    assert_eq!(found, [Disallow, Disallow, Disallow, Allow]);
    let columns = vocabulary
        .columns()
        .map(|label| label.map(|label| answers.of(label)));
    assert_eq!(columns.iter().flatten().count(), 3);
}
