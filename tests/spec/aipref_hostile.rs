//! Statements that no author would write: random octets, and good values with damage.
//!
//! The visitor's reading is compared with the dictionary that crate `sfv` builds, which is slow and
//! obvious: one map from the keys to the last values.

use crate::random::{one_of, some_of};
use crate::rounds::rounds;
use crawlprefs::systems::aipref_attach::{AiprefPolicy, header_statement};
use crawlprefs::systems::aipref_vocab::{Vocabulary, VocabularyStatement, members};
use crawlprefs::systems::path_rules::split_path;
use crawlprefs::systems::structured_field::FieldDefect;
use crawlprefs::web::path_pattern::UrlPath;
use crawlprefs::web::preference::Preference;
use fastrand::Rng;
use sfv::{BareItem, Dictionary, Item, ListEntry, Parser};

const SEEDS: [&str; 12] = [
    "train-ai=n",
    "train-ai=y, search=n",
    "train-ai=n, train-ai=y;why=\"x,y=z\", search=(y n);q",
    "bots=n,  search=y \t,\ttrain-genai=\"n\"",
    "foo=1.5, bar=@1659578233, baz=%\"f%c3%bc\", search=?1",
    "ai=:cHJldGVuZA==:, tdm=-17;a;b=*c/d",
    "/path train-ai=n",
    "a.b_c-*=y;x;y=1, *=n",
    "train-ai=\"a\\\"b\\\\c\", search=y",
    "train-ai;has;parameters=\"?\", bots=y",
    "train-ai=Y, Search=n",
    "",
];

const PIECES: [&str; 24] = [
    "train-ai",
    "search",
    "bots",
    "train-genai",
    "=",
    "=y",
    "=n",
    ", ",
    ",",
    ";",
    ";a",
    "=\"",
    "\"",
    "\\",
    "(",
    ")",
    " ",
    "\t",
    "?1",
    "1.0",
    "@1",
    ":YQ==:",
    "%\"",
    "\u{e9}",
];

fn generated(random: &mut Rng) -> Vec<u8> {
    match random.usize(..4) {
        0 => (0..random.usize(..24)).map(|_| random.u8(..)).collect(),
        1 => some_of(random, &PIECES.map(str::as_bytes), 10),
        2 => damaged(one_of(random, &SEEDS).into(), random),
        _ => [one_of(random, &SEEDS), one_of(random, &SEEDS)]
            .join(", ")
            .into_bytes(),
    }
}

fn damaged(mut value: Vec<u8>, random: &mut Rng) -> Vec<u8> {
    for _ in 0..=random.usize(..3) {
        let at = random.usize(..=value.len());
        match random.usize(..3) {
            0 => value.truncate(at),
            1 => value.insert(at, one_of(random, &PIECES).as_bytes()[0]),
            _ => drop((at < value.len()).then(|| value.remove(at))),
        }
    }
    value
}

/// The preference which a dictionary holds for a key.
fn preference(dictionary: &Dictionary, key: &str) -> Preference {
    let entry = dictionary.iter().find(|(other, _)| other.as_str() == key);
    let Some((
        _,
        ListEntry::Item(Item {
            bare_item: BareItem::Token(token),
            ..
        }),
    )) = entry
    else {
        return Preference::Unknown;
    };
    match token.as_str() {
        "y" => Preference::Allow,
        "n" => Preference::Disallow,
        _ => Preference::Unknown,
    }
}

fn check_members(value: &[u8], dictionary: &Dictionary, vocabulary: &Vocabulary) {
    let members = members(value, vocabulary).expect("it parsed before");
    let lasting = members
        .iter()
        .filter(|member| member.defect != Some("superseded"));
    assert_eq!(lasting.clone().count(), dictionary.len());
    for member in lasting {
        let (key, entry) = dictionary
            .iter()
            .find(|(key, _)| key.as_str().as_bytes() == member.key)
            .expect("the same keys");
        let value = member.value.expect("it is written");
        let equals = if value.is_empty() || value.starts_with(b";") {
            ""
        } else {
            "="
        };
        let again = [member.key, equals.as_bytes(), value].concat();
        let again: Dictionary = Parser::new(&again)
            .parse()
            .expect("a member is a dictionary");
        assert_eq!(again.get(key), Some(entry));
        if let (Some(stated), None) = (member.preference, member.defect) {
            assert_eq!(stated, preference(dictionary, key.as_str()));
        }
    }
}

/// Returns whether the value was accepted.
fn check(value: &[u8], vocabulary: &Vocabulary) -> bool {
    let ours = VocabularyStatement::parse(value, vocabulary);
    let theirs: Result<Dictionary, _> = Parser::new(value).parse();
    match (ours, theirs) {
        (Ok(statement), Ok(dictionary)) => {
            for (label, text) in vocabulary.labels() {
                let mut at = Some((label, text));
                let mut expected = Preference::Unknown;
                while let (Preference::Unknown, Some((label, text))) = (expected, at) {
                    expected = preference(&dictionary, text);
                    at = vocabulary
                        .parent(label)
                        .and_then(|above| Some((above, vocabulary.text(above)?)));
                }
                assert_eq!(statement.answers(vocabulary).of(label), expected);
            }
            check_members(value, &dictionary, vocabulary);
            true
        }
        (
            Err(FieldDefect::NotADictionary { at_byte } | FieldDefect::KeyCase { at_byte }),
            Err(error),
        ) => {
            assert_eq!(Some(at_byte), error.index());
            assert!(at_byte <= value.len());
            false
        }
        (ours, theirs) => panic!("{ours:?} but {theirs:?}"),
    }
}

#[test]
fn rfc9651_4_2_2_hostile_statements_read_as_the_dictionary_does() {
    let vocabularies: Vec<_> = Vocabulary::names().filter_map(Vocabulary::named).collect();
    let mut random = Rng::with_seed(0x5EED_0001);
    let (mut accepted, values) = (0, rounds(20_000, 100_000));
    for round in 0..values {
        let value = generated(&mut random);
        accepted += usize::from(check(&value, &vocabularies[round % vocabularies.len()]));
    }
    assert!(
        (values / 10..values / 10 * 9).contains(&accepted),
        "{accepted} accepted: the input tests one side only"
    );
}

#[test]
fn local_hostile_rules_and_fields_never_panic() {
    let vocabulary = Vocabulary::named("03").expect("a draft");
    let mut random = Rng::with_seed(0x5EED_0002);
    for _ in 0..rounds(5_000, 20_000) {
        let (first, second) = (generated(&mut random), generated(&mut random));
        let (path, statement) = split_path(&first);
        assert!(path.map_or(0, <[u8]>::len) + statement.len() <= first.len());
        let policy = AiprefPolicy::compile([(1, &first[..]), (2, &second)], &vocabulary);
        assert!(policy.longest(&UrlPath::new(b"/path/x", None)).len() <= 2);
        let joined = header_statement(&[&first, &second], &vocabulary).expect("two lines");
        // A dictionary on each line is a dictionary on both, unless a line is empty.
        let alone =
            |line: &[u8]| header_statement(&[line], &vocabulary).is_some_and(|it| it.is_ok());
        let blank = |line: &[u8]| line.iter().all(|byte| matches!(byte, b' ' | b'\t'));
        if alone(&first) && alone(&second) {
            assert_eq!(joined.is_ok(), !blank(&first) && !blank(&second));
        }
    }
}
