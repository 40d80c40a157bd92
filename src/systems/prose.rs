//! Reservations in prose, in the comments of robots.txt.
//!
//! Document: none; Article 4(3) of Directive (EU) 2019/790 lets a right be reserved in any fitting way, and some do it here.
//! Example: `# We reserve the use of our content for text and data mining.`
//!
//! A flag for people who look: a phrase of a closed list finds a line, and its meaning is left to them. So there is no
//! preference, no column of `pages`, and no part in the labels. Left out: phrases that are wrapped over more than two lines;
//! phrases that are as frequent in other comments, which say what a crawler is for, or welcome it: `AI training`, `LLM`,
//! `generative AI`. How many reservations are found, and what else is found: docs/rules/prose.md.

use super::{About, Give, Source, Statement, System};
use crate::robots::RobotsTxt;
use std::sync::LazyLock;

const SYSTEM: &str = "prose";

pub static PROSE: System = System {
    about: &About {
        name: SYSTEM,
        title: "prose",
        carriers: "comments of robots.txt",
        left_out: "what the words mean: a reservation in prose is found, not interpreted",
        can_refuse: false, // managed files introduce their signals with it
        ..About::NONE
    },
    compile: |_, _| Box::new(()),
    statements: |source, _, give| {
        if let Source::Robots(robots) = source {
            give_comment_statements(robots, give);
        }
    },
};

struct CommentLine<'a> {
    number: u32,
    comment: &'a [u8],
    /// Only the comment is on the line: a sentence may continue from it and onto it.
    is_alone: bool,
}

impl<'a> CommentLine<'a> {
    fn of(number: u32, line: &'a [u8]) -> Option<Self> {
        let at = memchr::memchr(b'#', line)?;
        let (before, comment) = line.split_at(at);
        let before = before.strip_prefix(b"\xef\xbb\xbf").unwrap_or(before);
        Some(Self {
            number,
            comment,
            is_alone: before.trim_ascii().is_empty(),
        })
    }
}

/// Gives one statement for each class with a phrase that begins on the line, for all agents: comments have no groups.
fn give_comment_statements(robots: &RobotsTxt, give: &mut Give<'_>) {
    if memchr::memchr(b'#', robots.bytes()).is_none() {
        return;
    }
    let mut comments = robots
        .lines()
        .filter_map(|(number, line)| CommentLine::of(number, line))
        .peekable();
    let (mut words, mut next_words) = (Vec::new(), Vec::new());
    let mut is_read = false;
    while let Some(line) = comments.next() {
        if !std::mem::take(&mut is_read) {
            words.clear();
            push_words(line.comment, &mut words);
        }
        let own = words.len();
        let continues = |next: &&CommentLine<'_>| {
            line.is_alone && next.is_alone && line.number + 1 == next.number
        };
        if let Some(next) = comments.peek().filter(continues) {
            next_words.clear();
            push_words(next.comment, &mut next_words);
            words.extend_from_slice(&next_words);
            is_read = true;
        }
        for class in classes(&words, own) {
            give(&Statement {
                category: Some(class),
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
fn classes(words: &[u8], own: usize) -> impl Iterator<Item = &'static str> {
    let mut found = [false; PHRASES.len()];
    let mut at = 0;
    while at < own {
        let rest = words.get(at..).unwrap_or_default();
        for (phrase, class) in phrases_from(rest) {
            if rest.starts_with(phrase.as_bytes()) {
                found[*class] = true;
            }
        }
        at += memchr::memchr(b' ', rest).map_or(rest.len(), |blank| blank + 1);
    }
    PHRASES
        .into_iter()
        .zip(found)
        .filter(|(_, found)| *found)
        .map(|((class, _), _)| class)
}

/// Returns the phrases that begin with the first letter of `words`.
fn phrases_from(words: &[u8]) -> &'static [(&'static str, usize)] {
    let first = words.first();
    let from = SORTED.partition_point(|(phrase, _)| phrase.as_bytes().first() < first);
    let rest = SORTED.get(from..).unwrap_or_default();
    rest.get(..rest.partition_point(|(phrase, _)| phrase.as_bytes().first() == first))
        .unwrap_or_default()
}

/// Writes the words of a comment, each with one blank behind it: in lower case, Latin letters without their accents. Ours:
/// `text- and data-mining` and `Text and data mining` are one phrase, as `modèles` and `modeles` are. Every character except
/// letters, digits, `/` and `&` separates words. Bytes that are not UTF-8 are read as Latin-1.
fn push_words(comment: &[u8], words: &mut Vec<u8>) {
    let mut part = |letter: Option<u8>| match letter {
        Some(letter) => words.push(letter),
        None if words.last().is_some_and(|last| *last != b' ') => words.push(b' '),
        None => {}
    };
    for chunk in comment.utf8_chunks() {
        chunk
            .valid()
            .chars()
            .for_each(|letter| part(plain_letter(letter)));
        chunk
            .invalid()
            .iter()
            .for_each(|byte| part(plain_letter(char::from(*byte))));
    }
    part(None);
}

/// Lower case without accent; `None` for a character that separates words.
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

/// The classes with their phrases as `push_words` writes them; a phrase begins with a word and may end within one. Ours: the
/// phrases of one half of the real files, their translations, and the words of Directive (EU) 2019/790 2(2) and of the laws that
/// follow it, in eight languages. docs/rules/prose.md has how they were chosen and what they find.
const PHRASES: [(&str, &str); 3] = [
    // Text and data mining, as in Article 4 of Directive (EU) 2019/790.
    (
        "article_4",
        "15o auteurswet, 15o van de auteurswet, 2019/790, 44 b urh, 44b des urh, 44b urh, 70 quater, \
         eksploracja tekstow i danych, eksploracje tekstow i danych, eksploracji tekstow i danych, \
         estrazione di testo e di dati, fouille de textes et de donnees, l 122 5 3, l122 5 3, ley \
         24/2021, mineracao de textos e dados, mineria de textos y datos, prospecao de textos e dados, \
         tdm reservation, tekst en datamining, text & data mining, text and data mining, text und data \
         mining",
    ),
    (
        "ai_training",
        "apprendimento automatico, apprentissage automatique, aprendizado de maquina, aprendizagem \
         automatica, aprendizaje automatico, artificial intelligence, grote taalmodellen, inteligencia \
         artificial, intelligence artificielle, intelligenza artificiale, ki modelle, kuenstliche \
         intelligenz, kuenstlicher intelligenz, kunstliche intelligenz, kunstlicher intelligenz, \
         kunstmatige intelligentie, large language model, machinaal leren, machine learning, maschinelle \
         lernen, maschinellen lernens, maschinelles lernen, modele jezykowe, modeles de langage, modeli \
         jezykowych, modelli linguistici, modelos de lenguaje, modelos de linguagem, sprachmodell, \
         sztuczna inteligencja, sztucznej inteligencji, taalmodel, train ai models, train machine \
         translation, training ai models, training of ai models, training von ki, uczenia maszynowego, \
         uczenie maszynowe",
    ),
    // Any access by a program.
    (
        "automated_access",
        "acces automatise, acceso automatizado, accesso automatizzato, acesso automatizado, any other use \
         of robots, automated access, automated data collection, automated device, automated means, \
         automated methods, automatic means, automatic methods, automatische methoden, automatisierte \
         mittel, automatisierte verfahren, automatisierte zugriffe, automatisierten mitteln, \
         automatisierten zugriff, automatisierter zugriff, automatycznych metod, geautomatiseerde \
         middelen, geautomatiseerde toegang, medios automatizados, meios automatizados, methodes \
         automatiques, metodi automatici, metodos automaticos, mezzi automatizzati, moyens automatises, \
         zautomatyzowanego dostepu, zautomatyzowany dostep, zautomatyzowanych srodkow",
    ),
];

/// Each phrase with the place of its class, in the order of the bytes.
static SORTED: LazyLock<Vec<(&str, usize)>> = LazyLock::new(|| {
    let phrases = PHRASES.iter().zip(0..);
    let phrases =
        phrases.flat_map(|((_, list), class)| list.split(", ").map(move |phrase| (phrase, class)));
    let mut phrases: Vec<(&str, usize)> = phrases.collect();
    phrases.sort_unstable();
    phrases
});

#[cfg(test)]
mod tests {
    use super::{PHRASES, SORTED};
    use std::collections::BTreeSet;

    #[test]
    fn phrases_are_different() {
        assert!(SORTED.is_sorted_by(|one, next| one.0 < next.0));
        assert_eq!(SORTED.len(), 94);
    }

    #[test]
    fn prose_1_docs_have_every_phrase() {
        let rules = include_str!("../../docs/rules/prose.md");
        let mut documented = BTreeSet::new();
        for row in rules.lines() {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let class = PHRASES
                .iter()
                .position(|(class, _)| cells.get(2) == Some(&&*format!("`{class}`")));
            if let (Some(class), Some(phrases)) = (class, cells.get(3)) {
                documented.extend(
                    phrases
                        .split(", ")
                        .map(|phrase| (phrase.trim_matches('`'), class)),
                );
            }
        }
        assert_eq!(SORTED.iter().copied().collect::<BTreeSet<_>>(), documented);
    }
}
