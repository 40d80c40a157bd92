//! The words of a text that are about AI, refuse or agree (RULES ACCT-3), and the labels that they are about (ACCT-8).
//!
//! Examples: `DisallowAITraining` has the words disallow, ai and training; `train_ai: off` has train, ai and off; of
//! `grounding=no` the topic is `ai_input` alone. The table is `data/words.tsv`. A `0` or `1` in a number with full stops is no
//! word: `Spec-Version: 1.0` (ACCT-11).
//! Left out: what the words of a name and a value mean together (`refusal`).

use crate::systems::{Label, LabelSet};
use crate::web::known_names::KnownNames;
use crate::web::steps;
use std::ops::Range;
use std::sync::LazyLock;

/// The meanings of the words of a text, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    meaning: u16,
    labels: LabelSet,
}

/// AI, its training, or a reservation of rights.
pub(super) const TOPIC: u16 = 1;
/// A topic that a yes reserves.
const RESERVATION: u16 = TOPIC | 2;
const REFUSAL: u16 = 4;
/// Agreement that also confirms a reservation.
const ASSENT: u16 = YES | 8;
/// An everyday word: a topic only in statements.
pub(super) const EVERYDAY: u16 = 16;
/// Agreement.
pub(super) const YES: u16 = 32;
/// A label for everything, including training.
pub(super) const EVERYTHING: u16 = EVERYDAY | 64;
/// A topic and a refusal in one word.
pub(super) const JOINED: u16 = TOPIC | REFUSAL;
const HALF: u16 = 128;
const OTHER_HALF: u16 = 256;

const KINDS: [(&str, u16); 12] = [
    ("topic", TOPIC),
    ("everyday", EVERYDAY),
    ("everything", EVERYTHING),
    ("half", HALF),
    ("half2", OTHER_HALF),
    ("reservation", RESERVATION),
    ("no", REFUSAL),
    ("joined", JOINED),
    ("joined_everyday", EVERYDAY | REFUSAL),
    ("reserved", RESERVATION | REFUSAL),
    ("yes", YES),
    ("assent", ASSENT),
];

/// The table: a row for each kind, with the words of it and their labels.
const TABLE: &str = include_str!("../../../data/words.tsv");

/// The longest word, in bytes.
pub(super) const LONGEST_WORD: usize = 24;

/// `IN_WORD` marks letters and digits, `UPPER` upper-case letters. The bits below are the lengths of the words that begin with
/// the byte in any case: few other words of a text begin with it and have one of these lengths.
const IN_WORD: u32 = 1 << 31;
const UPPER: u32 = 1 << 30;

struct Known {
    words: KnownNames<Words>,
    bits: [u32; 256],
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    let words = rows.flat_map(|row| {
        let mut cells = row.split('\t');
        let (kind, labels) = (
            cells.next().unwrap_or_default(),
            cells.next().unwrap_or_default(),
        );
        let meaning = KINDS
            .iter()
            .find(|(name, _)| *name == kind)
            .map_or(0, |(_, meaning)| *meaning);
        let labels = match labels {
            "all" => LabelSet::ALL,
            names => names.split(',').filter_map(Label::named).collect(),
        };
        cells
            .next()
            .unwrap_or_default()
            .split(' ')
            .map(move |word| (word, Words { meaning, labels }))
    });
    let words = KnownNames::new(words);
    let mut bits = [0; 256];
    for (bits, byte) in bits.iter_mut().zip(0_u8..=u8::MAX) {
        let is_upper = if byte.is_ascii_uppercase() { UPPER } else { 0 };
        *bits = if byte.is_ascii_alphanumeric() {
            IN_WORD | is_upper
        } else {
            0
        };
    }
    for word in words.names() {
        for first in word
            .bytes()
            .take(1)
            .flat_map(|first| [first, first.to_ascii_uppercase()])
        {
            if let Some(bits) = bits.get_mut(usize::from(first)) {
                *bits |= 1 << word.len().min(LONGEST_WORD);
            }
        }
    }
    Known { words, bits }
});

impl Words {
    /// Reads the words of a text: each run of ASCII letters and digits, whole and split at changes of case.
    pub(super) fn read(text: &[u8]) -> Self {
        steps::count(text.len());
        let known = &*KNOWN;
        let mut words = Self::default();
        // The bits of the first byte of a run of letters and digits, its place, and the combined bits of the other bytes.
        let (mut first, mut begin, mut others) = (0, 0, 0);
        for (at, byte) in text.iter().enumerate() {
            match known.bits(*byte) {
                0 if first == 0 => {}
                0 => {
                    words.see_run(known, text, begin..at, first, others);
                    first = 0;
                }
                bits if first == 0 => (first, begin, others) = (bits, at, 0),
                bits => others |= bits,
            }
        }
        if first != 0 {
            words.see_run(known, text, begin..text.len(), first, others);
        }
        if words.has(HALF | OTHER_HALF) {
            words.meaning |= TOPIC;
        }
        words
    }

    #[inline]
    fn see_run(&mut self, known: &Known, text: &[u8], run: Range<usize>, first: u32, others: u32) {
        let is_one = others & UPPER == 0;
        if is_one && !has_length(first, run.len())
            || is_in_number(text, &run)
            || is_archiver(text, &run)
        {
            return;
        }
        self.see_parts(known, text.get(run).unwrap_or_default());
    }

    fn see_parts(&mut self, known: &Known, run: &[u8]) {
        self.see(known, run);
        let mut start = 0;
        for at in 1..run.len() {
            if is_new_word(run, at) {
                self.see(known, run.get(start..at).unwrap_or_default());
                start = at;
            }
        }
        if start > 0 {
            self.see(known, run.get(start..).unwrap_or_default());
        }
    }

    fn see(&mut self, known: &Known, word: &[u8]) {
        if word
            .first()
            .is_some_and(|first| has_length(known.bits(*first), word.len()))
        {
            *self = known
                .words
                .get(word)
                .map_or(*self, |found| self.and(*found));
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            meaning: self.meaning | other.meaning,
            labels: self.labels.with(other.labels),
        }
    }

    pub(super) fn may_be_topic(self) -> bool {
        self.meaning & (TOPIC | EVERYDAY | HALF) != 0
    }

    pub(super) fn refuses(self) -> bool {
        self.has(REFUSAL) || self.has(RESERVATION) && self.has(ASSENT)
    }

    /// Returns whether it has a yes that also confirms a reservation.
    pub(super) fn assents(self) -> bool {
        self.has(ASSENT)
    }

    pub(super) fn has(self, bits: u16) -> bool {
        self.meaning & bits == bits
    }

    /// Returns the labels of its topics, all if it has none.
    pub(super) fn labels(self) -> LabelSet {
        if self.labels.is_empty() {
            LabelSet::ALL
        } else {
            self.labels
        }
    }

    /// Returns whether its topic is a use with labels of its own, and not AI in general.
    pub(super) fn is_specific(self) -> bool {
        self.has(TOPIC) && self.labels != LabelSet::ALL
    }
}

/// Returns whether a text is `no` and topics in one word: `noaiinput`, `nochatgpt`.
pub(super) fn is_compound_no(text: &[u8]) -> bool {
    if !matches!(text, [b'n' | b'N' | b'd' | b'D', _, _, _, ..]) {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    let nos = ["disallow", "deny", "dont", "not", "non", "no"];
    let rest = nos.iter().find_map(|no| lower.strip_prefix(no.as_bytes()));
    rest.is_some_and(|rest| rest.len() <= LONGEST_WORD && is_of_topics(rest, false))
}

/// Returns whether a text consists of topics, one of which is not an everyday word.
fn is_of_topics(text: &[u8], has_topic: bool) -> bool {
    let is_topic = |word: &[u8]| KNOWN.words.get(word).filter(|words| words.may_be_topic());
    (1..=text.len()).rev().any(|end| {
        let (word, rest) = text.split_at_checked(end).unwrap_or_default();
        let found = is_topic(word);
        let has_topic = has_topic || found.is_some_and(|words| words.has(TOPIC));
        found.is_some()
            && if rest.is_empty() {
                has_topic
            } else {
                is_of_topics(rest, has_topic)
            }
    })
}

impl Known {
    fn bits(&self, byte: u8) -> u32 {
        self.bits.get(usize::from(byte)).copied().unwrap_or(0)
    }
}

/// Returns whether a byte with these bits begins a word of this length.
fn has_length(bits: u32, length: usize) -> bool {
    length <= LONGEST_WORD && bits >> length & 1 == 1
}

/// Returns whether a run of digits is a part of a number with full stops: `4.0`, `v2.0`.
fn is_in_number(text: &[u8], run: &Range<usize>) -> bool {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let is_stop = |at: Option<usize>| at.is_some_and(|at| text.get(at) == Some(&b'.'));
    is_digit(run.start)
        && (is_stop(run.start.checked_sub(1)) && run.start > 1
            || is_stop(Some(run.end)) && is_digit(run.end + 1))
        && text
            .get(run.clone())
            .is_some_and(|run| run.iter().all(u8::is_ascii_digit))
}

/// Returns whether a run is the first word of the crawler `ia_archiver`, and not French for AI.
fn is_archiver(text: &[u8], run: &Range<usize>) -> bool {
    let behind = || text.get(run.end..run.end + b"_archiver".len());
    run.len() == 2 && behind().is_some_and(|behind| behind.eq_ignore_ascii_case(b"_archiver"))
}

/// `trainAI` is two words, and so is `AITraining`.
fn is_new_word(run: &[u8], at: usize) -> bool {
    let is_upper = |at: usize| run.get(at).is_some_and(u8::is_ascii_uppercase);
    is_upper(at) && (!is_upper(at - 1) || run.get(at + 1).is_some_and(u8::is_ascii_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_each_row_of_the_table_is_read_and_each_word_is_there_once() {
        for row in TABLE.lines().filter(|line| !line.starts_with('#')).skip(1) {
            let cells: Vec<&str> = row.split('\t').collect();
            assert!(cells.len() == 4 && !cells[3].is_empty(), "{row}");
            assert!(KINDS.iter().any(|(kind, _)| *kind == cells[0]), "{row}");
            let mut labels = cells[1].split(',');
            assert!(
                matches!(cells[1], "all" | "-") || labels.all(|name| Label::named(name).is_some()),
                "{row}"
            );
            assert!(
                cells[2]
                    .split(' ')
                    .all(|word| (1..=LONGEST_WORD).contains(&word.len())),
                "{row}"
            );
        }
        KNOWN.words.assert_different();
    }

    #[test]
    fn acct_8_each_topic_has_its_labels() {
        let labels = |text: &str| Words::read(text.as_bytes()).labels();
        assert_eq!(labels("no-index"), [Label::Search].into_iter().collect());
        assert_eq!(labels("grounding"), [Label::AiInput].into_iter().collect());
        assert_eq!(labels("ai-grounding"), LabelSet::ALL);
        assert!(
            !labels("notrain").contains(Label::Search)
                && labels("notrain").contains(Label::TrainGenai)
        );
        assert!(
            Words::read(b"machine-learning").has(TOPIC) && !Words::read(b"e-learning").has(TOPIC)
        );
    }

    #[test]
    fn acct_11_a_number_with_full_stops_has_no_refusal() {
        for text in ["1.0", "CC-BY-4.0", "v2.0", "2.0.1", "ia_archiver"] {
            assert_eq!(Words::read(text.as_bytes()).meaning, 0, "{text}");
        }
        for text in ["0", "ai=0.", "?0", "0;q"] {
            assert!(Words::read(text.as_bytes()).refuses(), "{text}");
        }
    }

    #[test]
    fn acct_3_no_and_topics_in_one_word_are_a_no() {
        assert!(
            is_compound_no(b"noAIinput")
                && is_compound_no(b"nochatgpt")
                && is_compound_no(b"dontmachinetrain")
        );
        for text in [
            "noindex", "nosearch", "nothing", "notes", "noble", "no", "ai",
        ] {
            assert!(!is_compound_no(text.as_bytes()), "{text}");
        }
    }
}
