//! Reservations in prose, in the comments of robots.txt.
//!
//! Document: none; Article 4(3) of Directive (EU) 2019/790 lets a right be reserved in any fitting way, and some do it here.
//! Example: `# We reserve the use of our content for text and data mining.`
//!
//! A flag for people who look: a phrase of a closed list finds a line, and its meaning is left to them. So there is no
//! preference, no column of `pages`, and no part in the labels. Left out: phrases that are wrapped over more than two lines;
//! phrases that are as frequent in other comments, which say what a crawler is for, or welcome it: `AI training`, `LLM`,
//! `generative AI`. How many reservations are found, and what else is found: docs/rules.md.
//!
//! The phrases by which a reservation in prose is found.

use super::{About, Lines, Source, Statement, System, Viewpoint};
use crate::robots::RobotsTxt;
use ProseClass::{AiTraining, Article4, AutomatedAccess};

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
        Some(Self { number, comment, is_alone: before.trim_ascii().is_empty() })
    }

    fn is_followed_by(&self, next: &Self) -> bool {
        self.is_alone && next.is_alone && self.number + 1 == next.number
    }
}

/// Gives one statement for each class with a phrase that begins on the line. The statements are for all agents: RFC 9309 has
/// groups of rules, not of comments.
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
        chunk.valid().chars().for_each(|letter| part(plain_letter(letter)));
        chunk.invalid().iter().for_each(|byte| part(plain_letter(char::from(*byte))));
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProseClass {
    /// Text and data mining, as in Article 4 of Directive (EU) 2019/790.
    Article4,
    AiTraining,
    /// Any access by a program.
    AutomatedAccess,
}

impl ProseClass {
    pub(super) const ALL: [Self; 3] = [Self::Article4, Self::AiTraining, Self::AutomatedAccess];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Article4 => "article_4",
            Self::AiTraining => "ai_training",
            Self::AutomatedAccess => "automated_access",
        }
    }
}

/// Phrases as `push_words` writes them, in the order of their bytes; a phrase begins with a word and may end within one. Ours:
/// the phrases of one half of the real files, their translations, and the words of Directive (EU) 2019/790 2(2) and of the laws
/// that follow it, in eight languages. docs/rules.md has how they were chosen and what they find.
const PHRASES: [(&str, ProseClass); 94] = [
    ("15o auteurswet", Article4),
    ("15o van de auteurswet", Article4),
    ("2019/790", Article4),
    ("44 b urh", Article4),
    ("44b des urh", Article4),
    ("44b urh", Article4),
    ("70 quater", Article4),
    ("acces automatise", AutomatedAccess),
    ("acceso automatizado", AutomatedAccess),
    ("accesso automatizzato", AutomatedAccess),
    ("acesso automatizado", AutomatedAccess),
    ("any other use of robots", AutomatedAccess),
    ("apprendimento automatico", AiTraining),
    ("apprentissage automatique", AiTraining),
    ("aprendizado de maquina", AiTraining),
    ("aprendizagem automatica", AiTraining),
    ("aprendizaje automatico", AiTraining),
    ("artificial intelligence", AiTraining),
    ("automated access", AutomatedAccess),
    ("automated data collection", AutomatedAccess),
    ("automated device", AutomatedAccess),
    ("automated means", AutomatedAccess),
    ("automated methods", AutomatedAccess),
    ("automatic means", AutomatedAccess),
    ("automatic methods", AutomatedAccess),
    ("automatische methoden", AutomatedAccess),
    ("automatisierte mittel", AutomatedAccess),
    ("automatisierte verfahren", AutomatedAccess),
    ("automatisierte zugriffe", AutomatedAccess),
    ("automatisierten mitteln", AutomatedAccess),
    ("automatisierten zugriff", AutomatedAccess),
    ("automatisierter zugriff", AutomatedAccess),
    ("automatycznych metod", AutomatedAccess),
    ("eksploracja tekstow i danych", Article4),
    ("eksploracje tekstow i danych", Article4),
    ("eksploracji tekstow i danych", Article4),
    ("estrazione di testo e di dati", Article4),
    ("fouille de textes et de donnees", Article4),
    ("geautomatiseerde middelen", AutomatedAccess),
    ("geautomatiseerde toegang", AutomatedAccess),
    ("grote taalmodellen", AiTraining),
    ("inteligencia artificial", AiTraining),
    ("intelligence artificielle", AiTraining),
    ("intelligenza artificiale", AiTraining),
    ("ki modelle", AiTraining),
    ("kuenstliche intelligenz", AiTraining),
    ("kuenstlicher intelligenz", AiTraining),
    ("kunstliche intelligenz", AiTraining),
    ("kunstlicher intelligenz", AiTraining),
    ("kunstmatige intelligentie", AiTraining),
    ("l 122 5 3", Article4),
    ("l122 5 3", Article4),
    ("large language model", AiTraining),
    ("ley 24/2021", Article4),
    ("machinaal leren", AiTraining),
    ("machine learning", AiTraining),
    ("maschinelle lernen", AiTraining),
    ("maschinellen lernens", AiTraining),
    ("maschinelles lernen", AiTraining),
    ("medios automatizados", AutomatedAccess),
    ("meios automatizados", AutomatedAccess),
    ("methodes automatiques", AutomatedAccess),
    ("metodi automatici", AutomatedAccess),
    ("metodos automaticos", AutomatedAccess),
    ("mezzi automatizzati", AutomatedAccess),
    ("mineracao de textos e dados", Article4),
    ("mineria de textos y datos", Article4),
    ("modele jezykowe", AiTraining),
    ("modeles de langage", AiTraining),
    ("modeli jezykowych", AiTraining),
    ("modelli linguistici", AiTraining),
    ("modelos de lenguaje", AiTraining),
    ("modelos de linguagem", AiTraining),
    ("moyens automatises", AutomatedAccess),
    ("prospecao de textos e dados", Article4),
    ("sprachmodell", AiTraining),
    ("sztuczna inteligencja", AiTraining),
    ("sztucznej inteligencji", AiTraining),
    ("taalmodel", AiTraining),
    ("tdm reservation", Article4),
    ("tekst en datamining", Article4),
    ("text & data mining", Article4),
    ("text and data mining", Article4),
    ("text und data mining", Article4),
    ("train ai models", AiTraining),
    ("train machine translation", AiTraining),
    ("training ai models", AiTraining),
    ("training of ai models", AiTraining),
    ("training von ki", AiTraining),
    ("uczenia maszynowego", AiTraining),
    ("uczenie maszynowe", AiTraining),
    ("zautomatyzowanego dostepu", AutomatedAccess),
    ("zautomatyzowany dostep", AutomatedAccess),
    ("zautomatyzowanych srodkow", AutomatedAccess),
];

#[cfg(test)]
mod tests {
    use super::{PHRASES, ProseClass};
    use std::collections::BTreeSet;

    #[test]
    fn phrases_are_in_order_and_different() {
        assert!(PHRASES.is_sorted_by(|a, b| a.0.as_bytes() < b.0.as_bytes()));
    }

    #[test]
    fn prose_1_docs_have_every_phrase() {
        let rules = include_str!("../../docs/rules.md");
        let mut documented = BTreeSet::new();
        for row in rules.lines() {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let class = |class: &&ProseClass| cells.get(2) == Some(&&*format!("`{}`", class.as_str()));
            if let (Some(class), Some(phrases)) = (ProseClass::ALL.iter().find(class), cells.get(3)) {
                let phrases = phrases.split(", ").map(|phrase| phrase.trim_matches('`').to_owned());
                documented.extend(phrases.map(|phrase| (phrase, class.as_str())));
            }
        }
        let known = PHRASES.iter().map(|(phrase, class)| ((*phrase).to_owned(), class.as_str()));
        assert_eq!(known.collect::<BTreeSet<_>>(), documented);
    }
}
