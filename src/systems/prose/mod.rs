//! Reservations in prose, in the comments of robots.txt.
//!
//! Document: none; Article 4(3) of Directive (EU) 2019/790 lets a right be reserved in any fitting way, and
//! some do it here. Example: `# We reserve the use of our content for text and data mining.`
//!
//! A flag for people who look: a line is found by a phrase of a closed list, and what it says is left to
//! them. So there is no preference, no column of `pages`, and no part in the labels.
//! Left out: phrases that are wrapped over more than two lines; phrases that occur as often in other comments,
//! which say what a crawler is for, or welcome it: `AI training`, `LLM`, `generative AI`.
//! How many reservations are found, and what else: docs/rules.md.

mod phrases;

use super::{About, Lines, Source, Statement, System, Viewpoint};
use crate::robots::RobotsTxt;
use phrases::{PHRASES, ProseClass};

/// Reservations in prose.
pub struct Prose;

const SYSTEM: &str = "prose";

static ABOUT: About = About {
    name: SYSTEM,
    title: "prose",
    documents: &[],
    carriers: "comments of robots.txt",
    left_out: "what the words mean: a reservation in prose is found, not interpreted",
    columns: &[],
    column_prefix: "",
    lines: Lines::NONE,
    fields_of_others: &[],
    site_file: None,
    labels: &[],
};

impl System for Prose {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn statements(&self, source: &Source<'_>, _: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::Robots(robots) => give_comment_statements(robots, give),
            Source::Record(_) | Source::SiteFile(..) => {}
        }
    }
}

/// A comment and the line that it is on.
struct CommentLine<'a> {
    number: u32,
    comment: &'a [u8],
    /// Nothing but the comment is on the line: a sentence may go on from it, and to it.
    is_alone: bool,
}

impl<'a> CommentLine<'a> {
    fn of(number: u32, line: &'a [u8]) -> Option<Self> {
        let at = memchr::memchr(b'#', line)?;
        let (before, comment) = line.split_at(at);
        let before = before.strip_prefix(b"\xef\xbb\xbf").unwrap_or(before);
        Some(Self { number, comment, is_alone: before.trim_ascii().is_empty() })
    }

    fn is_followed_by(&self, next: &Self) -> bool {
        self.is_alone && next.is_alone && self.number + 1 == next.number
    }
}

/// Gives one statement for each class with a phrase that begins on the line.
///
/// The statements are for all agents: RFC 9309 has groups of rules, not of comments.
fn give_comment_statements(robots: &RobotsTxt, give: &mut dyn FnMut(&Statement<'_>)) {
    if memchr::memchr(b'#', robots.bytes()).is_none() {
        return;
    }
    let mut comments = robots.lines().filter_map(|(number, line)| CommentLine::of(number, line)).peekable();
    let (mut words, mut next_words) = (Vec::new(), Vec::new());
    let mut is_read = false;
    while let Some(line) = comments.next() {
        if !std::mem::take(&mut is_read) {
            words.clear();
            push_words(line.comment, &mut words);
        }
        let own = words.len();
        if let Some(next) = comments.peek().filter(|next| line.is_followed_by(next)) {
            next_words.clear();
            push_words(next.comment, &mut next_words);
            words.extend_from_slice(&next_words);
            is_read = true;
        }
        for class in classes(&words, own) {
            give(&Statement {
                category: Some(class.as_str()),
                line: Some(line.number),
                ..Statement::unread(SYSTEM, "robots", line.comment.trim_ascii())
            });
        }
        if is_read {
            std::mem::swap(&mut words, &mut next_words);
        }
    }
}

/// Returns the classes of the phrases that begin in the first `own` bytes of words, each once.
fn classes(words: &[u8], own: usize) -> impl Iterator<Item = ProseClass> {
    let mut found = [false; ProseClass::ALL.len()];
    let mut at = 0;
    while at < own {
        let rest = words.get(at..).unwrap_or_default();
        for (phrase, class) in phrases_from(rest) {
            if rest.starts_with(phrase.as_bytes()) {
                found[*class as usize] = true;
            }
        }
        at += memchr::memchr(b' ', rest).map_or(rest.len(), |blank| blank + 1);
    }
    ProseClass::ALL.into_iter().filter(move |class| found[*class as usize])
}

/// Returns the phrases that begin with the first letter of `words`.
fn phrases_from(words: &[u8]) -> &'static [(&'static str, ProseClass)] {
    let Some(first) = words.first() else { return &[] };
    let letter = |(phrase, _): &(&str, ProseClass)| phrase.as_bytes().first().copied().unwrap_or_default();
    let from = PHRASES.partition_point(|phrase| letter(phrase) < *first);
    let rest = PHRASES.get(from..).unwrap_or_default();
    rest.get(..rest.partition_point(|phrase| letter(phrase) == *first)).unwrap_or_default()
}

/// Writes the words of a comment, each with one blank behind it: in lower case, Latin letters without their accents.
///
/// Ours: `text- and data-mining` and `Text and data mining` are one phrase, as `modèles` and `modeles` are. Every character but
/// letters, digits, `/` and `&` parts words. Bytes that are no UTF-8 are read as Latin-1.
fn push_words(comment: &[u8], words: &mut Vec<u8>) {
    let mut part = |letter: Option<u8>| match letter {
        Some(letter) => words.push(letter),
        None if words.last().is_some_and(|last| *last != b' ') => words.push(b' '),
        None => {}
    };
    for chunk in comment.utf8_chunks() {
        chunk.valid().chars().for_each(|letter| part(plain_letter(letter)));
        chunk.invalid().iter().for_each(|byte| part(plain_letter(char::from(*byte))));
    }
    part(None);
}

/// Returns a letter or digit in lower case and without its accent; none for what parts words.
fn plain_letter(letter: char) -> Option<u8> {
    Some(match letter {
        'a'..='z' | '0'..='9' | '/' | '&' => u8::try_from(letter).ok()?,
        'A'..='Z' => u8::try_from(letter).ok()?.to_ascii_lowercase(),
        '\u{c0}'..='\u{c5}' | '\u{e0}'..='\u{e5}' | '\u{104}' | '\u{105}' => b'a',
        '\u{c7}' | '\u{e7}' | '\u{106}' | '\u{107}' => b'c',
        '\u{c8}'..='\u{cb}' | '\u{e8}'..='\u{eb}' | '\u{118}' | '\u{119}' => b'e',
        '\u{cc}'..='\u{cf}' | '\u{ec}'..='\u{ef}' => b'i',
        '\u{141}' | '\u{142}' => b'l',
        '\u{d1}' | '\u{f1}' | '\u{143}' | '\u{144}' => b'n',
        '\u{d2}'..='\u{d6}' | '\u{f2}'..='\u{f6}' => b'o',
        '\u{df}' | '\u{15a}' | '\u{15b}' => b's',
        '\u{d9}'..='\u{dc}' | '\u{f9}'..='\u{fc}' => b'u',
        '\u{179}'..='\u{17c}' => b'z',
        _ => return None,
    })
}
