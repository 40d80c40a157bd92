//! What may be a no about AI (RULES ACCT-3).
//!
//! Examples: `DisallowAITraining` has a topic and a refusal, and so has a piece `ai-train=no` of any value. `ai-train=nope` has
//! a topic and no yes. `noai: false` also has both: negated refusals are not considered. Left out: a meaning. A unit that may
//! be a no is a doubt, never a no.

use super::words::{EVERYDAY, EVERYTHING, JOINED, LONGEST_WORD, TOPIC, Words, YES};
use crate::systems::LabelSet;
use crate::web::lines::trimmed;
use std::borrow::Cow;

/// Where the topic of a unit can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TopicPlace {
    /// In its name, or in a value that is a list of names, such as `noai`.
    Name,
    /// In its name or its value, like the keys and rules of statements.
    Anywhere,
    /// It needs none: the file is about nothing else.
    Implied,
}

/// The longest line of prose that is considered, in bytes.
const PROSE_BYTES: usize = 128;

/// The words of a unit, of its name and of its value, read once.
pub(super) struct UnitWords<'a> {
    value: &'a [u8],
    named: Words,
    valued: Words,
}

impl<'a> UnitWords<'a> {
    pub(super) fn new(name: &[u8], value: &'a [u8]) -> Self {
        Self {
            value,
            named: Words::read(name),
            valued: Words::read(value),
        }
    }

    pub(super) fn words(&self) -> Words {
        self.named.and(self.valued)
    }

    /// Returns whether its name has a topic.
    pub(super) fn is_about_ai(&self) -> bool {
        self.named.has(TOPIC)
    }

    pub(super) fn has_refusing_value(&self) -> bool {
        self.valued.refuses()
    }

    /// Returns whether its name or its value has a topic.
    pub(super) fn mentions_ai(&self) -> bool {
        self.words().has(TOPIC)
    }

    /// Returns the labels to which it may be a no; none if it cannot be one.
    pub(super) fn may_be_no(&self, place: TopicPlace) -> LabelSet {
        let Self { value, named, .. } = *self;
        let both = self.words();
        // Permissions-Policy: an empty list allows nobody.
        let is_empty_list =
            || value.ends_with(b"()") || memchr::memmem::find(value, b"(),").is_some();
        let is_no = (both.refuses() || is_empty_list())
            && match place {
                TopicPlace::Name => {
                    // The value of `Disallowed-Purposes: training` is a topic alone. That of `Noindex: /ai/` is a path.
                    let is_a_topic_alone = || !value.contains(&b'/') && names_a_topic(value);
                    named.has(TOPIC)
                        || has_no_of_its_own(value)
                        || named.refuses() && is_a_topic_alone()
                }
                TopicPlace::Anywhere => both.has(TOPIC) || both.has(EVERYDAY),
                TopicPlace::Implied => true,
            };
        // A file that is about nothing else has its own words for labels.
        let labels = if place == TopicPlace::Implied {
            LabelSet::ALL
        } else {
            both.labels()
        };
        labels.only_if(is_no)
    }

    /// Returns the labels on which it, as a member of a statement, has a topic and no yes: `ai-train=nope`, `ai-train=`.
    pub(super) fn lacks_a_yes(&self) -> LabelSet {
        let words = self.words();
        let has_everything = !self.value.is_empty() && words.has(EVERYTHING);
        let lacks = !words.has(YES) && (words.has(TOPIC) || has_everything);
        words.labels().only_if(lacks)
    }
}

/// ACCT-10: returns whether a member only refuses, without saying what: `deny`, `*=no`.
pub(super) fn refuses_alone(key: &[u8], value: &[u8]) -> bool {
    let is_mark_or_all =
        !key.iter().any(u8::is_ascii_alphanumeric) || Words::read(key).has(EVERYTHING);
    let is_refusal = |text: &[u8]| Words::read(text).refuses() && has_known_words_alone(text);
    is_refusal(key) && value.is_empty() || is_mark_or_all && is_refusal(value)
}

/// Returns whether a sentence of a text refuses something about AI. `All rights reserved` does not.
pub(super) fn reserves_in_prose(value: &[u8]) -> bool {
    // ACCT-11: "All rights (also those for text and data mining) are reserved."
    let reserves = |sentence: &[u8]| {
        let words = Words::read(sentence);
        words.refuses() && names_a_use(sentence) && contains_word(sentence, b"reserved")
    };
    let refuses = |part: &[u8]| is_about_ai(part) && refuses_in_prose(part.trim_ascii());
    let value = without_stops_of_letters(value);
    sentences(&value).any(|sentence| {
        let mut parts = sentence.split(|byte| matches!(byte, b'(' | b')'));
        reserves(sentence) || parts.any(refuses)
    })
}

/// Returns the sentences of a text. A full stop before a word in lower case ends none: `All rights, incl. data mining`.
fn sentences(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_end = move |at: usize| match text.get(at..) {
        Some([b';' | b'|', ..]) => true,
        Some([b'.', rest @ ..]) => {
            let next = rest.trim_ascii_start();
            next.len() == rest.len() || !next.first().is_some_and(u8::is_ascii_lowercase)
        }
        _ => false,
    };
    let mut rest = 0..text.len();
    std::iter::from_fn(move || {
        (!rest.is_empty()).then_some(())?;
        let end = rest.clone().find(|at| is_end(*at)).unwrap_or(rest.end);
        let sentence = text.get(rest.start..end);
        rest.start = end + 1;
        sentence
    })
}

/// Returns a text without the full stops behind single letters: `A.I. training` is `AI training`.
fn without_stops_of_letters(text: &[u8]) -> Cow<'_, [u8]> {
    let is_letter = |at: Option<usize>| {
        at.and_then(|at| text.get(at))
            .is_some_and(u8::is_ascii_alphabetic)
    };
    let is_of_letter = |at: usize| {
        let before = at.checked_sub(1);
        is_letter(before) && !is_letter(before.and_then(|before| before.checked_sub(1)))
    };
    if !memchr::memchr_iter(b'.', text).any(is_of_letter) {
        return Cow::Borrowed(text);
    }
    let kept = (0..)
        .zip(text)
        .filter(|(at, byte)| **byte != b'.' || !is_of_letter(*at));
    Cow::Owned(kept.map(|(_, byte)| *byte).collect())
}

/// Returns whether a text names a use with labels of its own, and not AI in general alone.
pub(super) fn names_a_use(text: &[u8]) -> bool {
    let is_use = |word: Words| word.is_specific() && !word.refuses();
    text.split(|byte| !byte.is_ascii_alphanumeric())
        .any(|word| is_use(Words::read(word)))
}

fn contains_word(text: &[u8], wanted: &[u8]) -> bool {
    text.split(|byte| !byte.is_ascii_alphanumeric())
        .any(|word| word.eq_ignore_ascii_case(wanted))
}

/// Returns whether a text names a topic and has only words of topics and refusals: `AI`, `train-ai=n`.
pub(super) fn names_a_topic(text: &[u8]) -> bool {
    Words::read(text).has(TOPIC) && has_known_words_alone(text)
}

/// Further topics of prose in a robots.txt.
const OF_CRAWLING: [&str; 7] = [
    "bots", "crawl", "crawlers", "crawling", "robots", "scrape", "scraping",
];

/// Returns whether a line of text has a refusal and a topic or crawling, like `No AI training`, but not `All rights reserved`.
pub(super) fn refuses_in_prose(text: &[u8]) -> bool {
    if text.len() > PROSE_BYTES {
        return false;
    }
    let text = &*without_stops_of_letters(text);
    // `No AI training (see terms)` ends with a remark.
    let text = match memchr::memmem::find(text, b" (") {
        Some(at) if text.ends_with(b")") => text.get(..at).unwrap_or(text),
        _ => text,
    };
    // Of words that belong together, and not of paths: `No AI/ML training`.
    let is_between_words = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        [before, text.get(at + 1)]
            .iter()
            .all(|byte| byte.is_some_and(u8::is_ascii_alphabetic))
            && memchr::memchr(b' ', text).is_some()
    };
    let is_prose = |(at, byte): (usize, &u8)| match byte {
        b'/' => is_between_words(at),
        byte => !matches!(byte, b'<' | b'>' | b'{' | b'}' | b'(' | b')' | b'='),
    };
    let words = || {
        text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
            .filter(|word| !word.eq_ignore_ascii_case(b"reserved"))
    };
    let is_of_crawling = |word: &[u8]| {
        OF_CRAWLING
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
    };
    let said = words().map(Words::read).fold(Words::default(), Words::and);
    !is_error_message(text)
        && text.iter().enumerate().all(is_prose)
        && said.refuses()
        && (said.has(TOPIC) || words().any(is_of_crawling))
}

/// ACCT-11: returns whether a text says that there is no robots.txt: `could not find robots.txt`.
fn is_error_message(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    let has = |part: &[u8]| memchr::memmem::find(&text, part).is_some();
    has(b"robots.txt")
        && [
            "not find",
            "not found",
            "not exist",
            "not available",
            "no such",
        ]
        .iter()
        .any(|part| has(part.as_bytes()))
}

pub(super) fn refuses(word: &[u8]) -> bool {
    Words::read(word).refuses()
}

pub(super) fn is_about_ai(name: &[u8]) -> bool {
    Words::read(name).has(TOPIC)
}

/// Returns whether a piece of a list is a no by itself, whatever its name is: a name with a topic and a refusal (`noai`,
/// `no-ai-training`), the same in words, or a topic and its refusal (`ai-train=no`).
pub(super) fn has_no_of_its_own(value: &[u8]) -> bool {
    pieces(value).any(|piece| {
        let is_joined = is_name(piece) || has_known_words_alone(piece);
        is_joined && Words::read(piece).has(JOINED)
            || is_refused(piece)
            || piece.split(u8::is_ascii_whitespace).any(is_refused)
    })
}

/// Returns the pieces of a value that may be a list.
pub(super) fn pieces(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value
        .split(|byte| matches!(byte, b',' | b';' | b'|'))
        .map(<[u8]>::trim_ascii)
}

/// Returns whether all words of a short text are in the table.
pub(super) fn has_known_words_alone(text: &[u8]) -> bool {
    let mut words = text
        .split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    text.len() <= 2 * LONGEST_WORD && words.all(|word| Words::read(word) != Words::default())
}

/// Returns whether a text is a name with a topic and a value that refuses.
fn is_refused(pair: &[u8]) -> bool {
    let place = pair.iter().position(|byte| matches!(byte, b'=' | b':'));
    let Some((name, value)) = place.and_then(|at| pair.split_at_checked(at)) else {
        return false;
    };
    // Permissions-Policy: an empty list allows nobody.
    let is_empty_list = value
        .get(1..)
        .is_some_and(|value| value.trim_ascii() == b"()");
    let (name, value) = (without_marks(name), without_marks(value));
    let refuses = is_empty_list || is_name(value) && Words::read(value).refuses();
    is_name(name) && Words::read(name).has(TOPIC) && refuses
}

fn without_marks(text: &[u8]) -> &[u8] {
    trimmed(text, |byte| !byte.is_ascii_alphanumeric())
}

fn is_name(text: &[u8]) -> bool {
    let is_in_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !text.is_empty() && text.len() <= 2 * LONGEST_WORD && text.iter().all(is_in_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acct_3_a_topic_and_a_refusal_may_be_a_no() {
        let may = |name: &str, value: &str| {
            !UnitWords::new(name.as_bytes(), value.as_bytes())
                .may_be_no(TopicPlace::Name)
                .is_empty()
        };
        for (name, value) in [
            ("AI-Training", "disallow"),
            ("Allow-Training", "ask"),
            ("DisallowAITraining", "/"),
            ("DISALLOWAITRAINING", "/"),
            ("disAllowAITraining", "/"),
            ("noAI", ""),
            ("noai", "false"),
            ("x-no-train", "1"),
            ("tdm", "yes"),
            ("tdm-reservation", "\"1\""),
            ("tdm_reservation", "1, 1"),
            ("rights_reserved", ""),
            ("train-ai", "?0"),
            ("train.ai", "N"),
            ("genAI", "opt-out"),
            ("ai:training", "prohibited"),
            ("content-usage", "none"),
            ("x-policy", "noai, noimageai"),
            ("x-policy", "index; no-ai-training"),
            ("Content_Signal", "search=yes, ai-train=no"),
            ("ContentSignal", "search=yes ai-train=no"),
            ("Content-Usages", "train-ai=n"),
            ("x-policy", "ai-train: no"),
            ("x-policy", "ai-train=?0"),
            ("crawl-policy", "no ai"),
            ("trainingallowed", "no"),
            ("datatrainingnotallowed", "yes"),
            ("dcterms.rights", "All rights reserved, no AI training"),
            ("x-policy", "{\"ai-train\": \"no\"}"),
        ] {
            assert!(may(name, value), "{name}: {value}");
        }
        for (name, value) in [
            ("AI-Training", "allow"),
            ("training", "yes"),
            ("ai", "1"),
            ("no-transform", "no"),
            ("search", "no"),
            ("all", "none"),
            ("aim", "no"),
            ("maintain", "no"),
            ("email", "off"),
            ("headline", "No AI in schools, says the board"),
            ("keywords", "no, ai"),
            ("x-policy", "ai-train=yes, cache=no"),
            ("x-link", "https://a.example/?ai=0"),
            ("x-text", "AI: no thanks"),
            ("ai-content-license", "CC-BY-4.0"),
            ("LLMs", "https://h.example/llms-v2.0.txt"),
            ("", ""),
        ] {
            assert!(!may(name, value), "{name}: {value}");
        }
    }

    #[test]
    fn acct_3_a_name_that_refuses_a_topic_may_be_a_no() {
        let may = |name: &str, value: &str| {
            !UnitWords::new(name.as_bytes(), value.as_bytes())
                .may_be_no(TopicPlace::Name)
                .is_empty()
        };
        assert!(may("x-policy", "camera=(), ai-training=()") && may("KI", "verboten"));
        assert!(may("X-No-Machine-Learning", "true"));
        assert!(
            may("disallowed-purposes", "training") && may("Prohibited-Use", "AI training, TDM")
        );
        assert!(
            may("AI-Training", "disabled") && may("dont-train-ai", "1") && may("x-ai", "verboten")
        );
        assert!(!may("Noindex", "/ai/") && !may("no-snippet", "AI weekly"));
    }

    #[test]
    fn acct_3_a_value_that_is_no_yes_may_be_a_no() {
        for (key, value) in [
            ("ai-train", ""),
            ("!ai-train", ""),
            ("ai-train", "nope"),
            ("all", "nein"),
        ] {
            assert!(
                !UnitWords::new(key.as_bytes(), value.as_bytes())
                    .lacks_a_yes()
                    .is_empty(),
                "{key}={value}"
            );
        }
        for (key, value) in [
            ("ai-train", "y"),
            ("search", "maybe"),
            ("all", ""),
            ("cache", "nope"),
            ("", ""),
        ] {
            assert!(
                UnitWords::new(key.as_bytes(), value.as_bytes())
                    .lacks_a_yes()
                    .is_empty(),
                "{key}={value}"
            );
        }
    }

    #[test]
    fn acct_3_a_line_of_prose_may_be_a_no() {
        assert!(refuses_in_prose(b"noai") && refuses_in_prose(b"We do not allow AI training."));
        assert!(
            refuses_in_prose(b"No robots allowed") && refuses_in_prose(b"Crawling is prohibited.")
        );
        for text in [
            "<p>no ai</p>",
            "no cookies",
            "robots welcome",
            "could not find robots.txt in your space",
            "All rights reserved, example Ltd.",
            "/ai/no",
            "wp/no/ai.html",
            "no(ai)",
            "if (ai) { no }",
        ] {
            assert!(!refuses_in_prose(text.as_bytes()), "{text}");
        }
        for text in [
            "No AI training (see terms)",
            "No AI/ML training",
            "No A.I. training",
        ] {
            assert!(refuses_in_prose(text.as_bytes()), "{text}");
        }
        for text in [
            "All rights (including text and data mining) are reserved",
            "All rights, incl. text and data mining, are reserved.",
            "\u{a9} Example (no A.I. training)",
            "No reproduction. No AI/ML training",
        ] {
            assert!(reserves_in_prose(text.as_bytes()), "{text}");
        }
        for text in [
            "\u{a9} AI Weekly (no reproduction)",
            "All rights reserved. Data Mining Weekly Ltd.",
        ] {
            assert!(!reserves_in_prose(text.as_bytes()), "{text}");
        }
        let of_rights = "\u{a9} 2026 Example (example.com). All rights reserved; no AI training.";
        assert!(
            reserves_in_prose(of_rights.as_bytes())
                && reserves_in_prose(b"No text and data mining")
        );
        assert!(!reserves_in_prose(
            b"AI Weekly Ltd. No reproduction. All rights reserved"
        ));
        assert!(names_a_topic(b"AI") && names_a_topic(b"train-ai=n"));
        assert!(!names_a_topic(b"ai.html") && !names_a_topic(b"no"));
    }

    #[test]
    fn acct_3_the_topic_of_a_statement_may_be_in_its_value_or_an_everyday_label() {
        let may = |name: &str, value: &str| {
            !UnitWords::new(name.as_bytes(), value.as_bytes())
                .may_be_no(TopicPlace::Anywhere)
                .is_empty()
        };
        assert!(may("use", "full; ai-train=no"));
        assert!(may("search", "yes|no"));
        assert!(may("Bots", "n"));
        assert!(!may("use", "no"));
        assert!(!may("search", "y"));
        assert_eq!(
            UnitWords::new(b"Disallow", b"everything").may_be_no(TopicPlace::Implied),
            LabelSet::ALL
        );
        assert_eq!(
            UnitWords::new(b"Allow", b"everything").may_be_no(TopicPlace::Implied),
            LabelSet::EMPTY
        );
    }
}
