//! The words of a text that are about AI, refuse or agree (RULES ACCT-3).
//!
//! Examples: `DisallowAITraining` has the words disallow, ai and training; `train_ai: off` has train, ai and off.
//! Left out: what the words of a name and a value mean together (`refusal`).

use crate::web::product_token::order_without_case;
use crate::web::steps;
use std::ops::Range;
use std::sync::LazyLock;

/// The meanings of the words of a text, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Words(u8);

/// AI, its training, or a reservation of rights.
pub(super) const TOPIC: u8 = 1;
/// A topic that a yes reserves.
const RESERVATION: u8 = TOPIC | 2;
const REFUSAL: u8 = 4;
/// Agreement.
pub(super) const YES: u8 = 32;
/// Agreement that also confirms a reservation.
const ASSENT: u8 = YES | 8;
/// A label of a vocabulary that is an everyday word: a topic only in statements.
pub(super) const LABEL: u8 = 16;
/// A label for everything, including training.
pub(super) const EVERYTHING: u8 = LABEL | 64;
/// A topic and a refusal in one word.
pub(super) const JOINED: u8 = TOPIC | REFUSAL;
const RESERVED: u8 = RESERVATION | REFUSAL;

/// The words of each meaning, in lower case and with one blank between them.
const MEANINGS: &[(u8, &str)] = &[
    (
        TOPIC,
        "ai aitrain aitraining datamining dataset datasets datatraining datatrainingallow \
         datatrainingallowed genai generative gpt inference llm llms mining ml train trainai trained \
         traingenai training trainingallowed usage usages",
    ),
    (RESERVATION, "reservation tdm tdmrep tdmreservation"),
    (
        REFUSAL,
        "0 ask ban banned bans block blocked blocks cannot cant closed conditional denied denies deny \
         disable disabled disallow disallowed disallows dont exclude excluded excludes false forbid \
         forbidden forbids interdit kein keine n nein never nicht nil no non none nope not null off \
         optout out prohibido prohibit prohibited prohibition prohibits refuse refused refuses reject \
         rejected rejects required reserve restrict restricted stop unauthorised unauthorized unlicensed \
         verboten vietato without",
    ),
    (
        JOINED,
        "datatrainingnotallowed disallowai disallowaitraining donottrain noai noaitrain noaitraining \
         nogenai nogpt noimageai nollm noml notrain notraining trainingnotallowed",
    ),
    (RESERVED, "notdm reserved"),
    (LABEL, "bots search"),
    (EVERYTHING, "all"),
    (YES, "allow allowed permit permitted y"),
    (ASSENT, "1 on true yes"),
];

/// Every word with its meaning, sorted.
static WORDS: LazyLock<Vec<(&str, u8)>> = LazyLock::new(|| {
    let words = MEANINGS.iter().flat_map(|(meaning, words)| words.split(' ').map(|word| (word, *meaning)));
    let mut words: Vec<(&str, u8)> = words.collect();
    words.sort_unstable();
    words
});

/// The longest word, in bytes.
pub(super) const LONGEST_WORD: usize = 24;

/// `IN_WORD` marks letters and digits, `UPPER` upper-case letters. The bits below are the lengths of the words that begin with
/// the byte in any case: few other words of a text begin with it and have one of these lengths.
const IN_WORD: u32 = 1 << 31;
const UPPER: u32 = 1 << 30;

const BITS: [u32; 256] = {
    let mut bits = [0; 256];
    let mut byte = b'0';
    while byte <= b'z' {
        if byte.is_ascii_alphanumeric() {
            bits[byte as usize] |= IN_WORD;
        }
        if byte.is_ascii_uppercase() {
            bits[byte as usize] |= UPPER;
        }
        byte += 1;
    }
    let mut meaning = 0;
    while meaning < MEANINGS.len() {
        let words = MEANINGS[meaning].1.as_bytes();
        let (mut start, mut end) = (0, 0);
        while end <= words.len() {
            if end == words.len() || words[end] == b' ' {
                let length = end - start;
                assert!(length > 0 && length <= LONGEST_WORD);
                bits[words[start] as usize] |= 1 << length;
                bits[words[start].to_ascii_uppercase() as usize] |= 1 << length;
                start = end + 1;
            }
            end += 1;
        }
        meaning += 1;
    }
    bits
};

impl Words {
    /// Reads the words of a text: each run of ASCII letters and digits, whole and split at changes of case.
    pub(super) fn of(text: &[u8]) -> Self {
        steps::count(text.len());
        let mut words = Self::default();
        // The bits of the first byte of a run of letters and digits, its place, and the combined bits of the other bytes.
        let (mut first, mut begin, mut others) = (0, 0, 0);
        for (at, byte) in text.iter().enumerate() {
            match bits(*byte) {
                0 if first == 0 => {}
                0 => {
                    words.see_run(text, begin..at, first, others);
                    first = 0;
                }
                bits if first == 0 => (first, begin, others) = (bits, at, 0),
                bits => others |= bits,
            }
        }
        if first != 0 {
            words.see_run(text, begin..text.len(), first, others);
        }
        words
    }

    #[inline]
    fn see_run(&mut self, text: &[u8], run: Range<usize>, first: u32, others: u32) {
        if others & UPPER != 0 || has_length(first, run.len()) {
            self.see_parts(text.get(run).unwrap_or_default());
        }
    }

    fn see_parts(&mut self, run: &[u8]) {
        self.see(run);
        let mut start = 0;
        for at in 1..run.len() {
            if is_new_word(run, at) {
                self.see(run.get(start..at).unwrap_or_default());
                start = at;
            }
        }
        if start > 0 {
            self.see(run.get(start..).unwrap_or_default());
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn may_be_topic(self) -> bool {
        self.0 & (TOPIC | LABEL) != 0
    }

    pub(super) fn refuses(self) -> bool {
        self.has(REFUSAL) || self.has(RESERVATION) && self.has(ASSENT)
    }

    pub(super) fn has(self, bits: u8) -> bool {
        self.0 & bits == bits
    }

    fn see(&mut self, word: &[u8]) {
        if word.first().is_some_and(|first| has_length(bits(*first), word.len())) {
            let order = |known: &(&str, u8)| order_without_case(word, known.0.as_bytes()).reverse();
            let known = WORDS.binary_search_by(order).ok().and_then(|place| WORDS.get(place));
            self.0 |= known.map_or(0, |(_, bits)| *bits);
        }
    }
}

fn bits(byte: u8) -> u32 {
    BITS.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Returns whether a byte with these bits begins a word of this length.
fn has_length(bits: u32, length: usize) -> bool {
    length <= LONGEST_WORD && bits >> length & 1 == 1
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
    fn local_each_word_has_one_meaning_and_is_in_lower_case() {
        assert!(WORDS.is_sorted_by(|left, right| left.0 < right.0));
        assert!(WORDS.iter().all(|(word, _)| *word == word.to_ascii_lowercase()));
    }
}
