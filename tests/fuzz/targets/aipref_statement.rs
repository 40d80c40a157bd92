//! A statement of preference, held against a dictionary of the parser's own.

#![no_main]

use crawlprefs::systems::aipref_vocab::{Vocabulary, VocabularyStatement, members};
use crawlprefs::web::preference::Preference;
use libfuzzer_sys::fuzz_target;
use sfv::{BareItem, Dictionary, Item, ListEntry, Parser};

fn preference(dictionary: &Dictionary, label: &str) -> Preference {
    match dictionary.get(label) {
        Some(ListEntry::Item(Item {
            bare_item: BareItem::Token(token),
            ..
        })) => match token.as_str() {
            "y" => Preference::Allow,
            "n" => Preference::Disallow,
            _ => Preference::Unknown,
        },
        Some(_) | None => Preference::Unknown,
    }
}

fn check(value: &[u8], vocabulary: &Vocabulary) {
    let read = VocabularyStatement::parse(value, vocabulary);
    let dictionary = Parser::new(value).parse::<Dictionary>();
    let members = members(value, vocabulary);
    assert_eq!(
        (read.is_ok(), members.is_ok()),
        (dictionary.is_ok(), dictionary.is_ok())
    );
    let (Ok(statement), Ok(members), Ok(dictionary)) = (read, members, dictionary) else {
        return;
    };
    let lasting = members
        .iter()
        .filter(|member| member.defect != Some("superseded"));
    assert_eq!(lasting.count(), dictionary.len());
    for (label, text) in vocabulary.labels() {
        let stated = preference(&dictionary, text);
        let expected = match (stated, vocabulary.parent(label)) {
            (Preference::Unknown, Some(above)) => statement.answer(vocabulary, above),
            (Preference::Unknown | Preference::Allow | Preference::Disallow, _) => stated,
        };
        assert_eq!(statement.answers(vocabulary).of(label), expected);
    }
}

fuzz_target!(|value: &[u8]| {
    for vocabulary in Vocabulary::names().filter_map(Vocabulary::named) {
        check(value, &vocabulary);
    }
});
