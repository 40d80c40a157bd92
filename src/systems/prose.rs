//! Reservations in prose, in the comments of robots.txt.
//!
//! Document: none; Article 4(3) of Directive (EU) 2019/790 lets a right be reserved in any fitting way, and
//! some do it here. Example: `# We reserve the use of our content for text and data mining.`
//!
//! A flag for people who look: a line is found by a phrase of a closed list, and what it says is left to
//! them. So there is no preference, no column of `pages`, and no part in the labels.
//! Left out: phrases that are wrapped over two lines; phrases that occur as often in other comments, which
//! say what a crawler is for, or welcome it: `AI training`, `LLM`, `generative AI`.

use super::{About, Lines, Source, Statement, System, Viewpoint};
use crate::robots::RobotsTxt;
use memchr::memmem;

/// Reservations in prose.
pub struct Prose;

const SYSTEM: &str = "prose";

/// What a reservation is about: text and data mining, or AI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProseKind {
    Article4,
    Ai,
}

impl ProseKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Article4 => "article_4",
            Self::Ai => "ai",
        }
    }
}

/// The phrases as `collapse` leaves them; of a line's several the first counts.
///
/// Ours: those that occur in 14,361 real files, and other spellings of them. There they are in reservations
/// only, 115 lines of 23 hosts; `2019/790` mostly in text that is the vendor's and not the host's own.
const PHRASES: [(&str, ProseKind); 13] = [
    ("2019/790", ProseKind::Article4),
    ("text and data mining", ProseKind::Article4),
    ("text & data mining", ProseKind::Article4),
    ("text und data mining", ProseKind::Article4),
    ("44b urh", ProseKind::Article4),
    ("44 b urh", ProseKind::Article4),
    ("tdm reservation", ProseKind::Article4),
    ("large language model", ProseKind::Ai),
    ("mod\u{e8}les de langage", ProseKind::Ai),
    ("machine learning", ProseKind::Ai),
    ("artificial intelligence", ProseKind::Ai),
    ("intelligence artificielle", ProseKind::Ai),
    ("training ai models", ProseKind::Ai),
];

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
            Source::Robots(robots) => of_comments(robots, give),
            Source::Record(_) | Source::SiteFile(..) => {}
        }
    }
}

/// A comment is no one's: RFC 9309 has groups of rules, not of comments.
fn of_comments(robots: &RobotsTxt, give: &mut dyn FnMut(&Statement<'_>)) {
    if memchr::memchr(b'#', robots.bytes()).is_none() {
        return;
    }
    let mut text = Vec::new();
    for (number, line) in robots.lines() {
        let Some(comment) = memchr::memchr(b'#', line).and_then(|at| line.get(at..)) else {
            continue;
        };
        collapse(comment, &mut text);
        if let Some((_, kind)) = PHRASES.iter().find(|(phrase, _)| has(&text, phrase)) {
            give(&Statement {
                category: Some(kind.as_str()),
                line: Some(number),
                ..Statement::unread(SYSTEM, "robots", comment.trim_ascii())
            });
        }
    }
}

fn has(text: &[u8], phrase: &str) -> bool {
    memmem::find(text, phrase.as_bytes()).is_some()
}

/// Writes a comment in lower case, with one blank for white space and hyphens, however many.
///
/// Ours: `text- and data-mining` and `Text and data mining` are one phrase.
fn collapse(comment: &[u8], text: &mut Vec<u8>) {
    text.clear();
    for byte in comment {
        match byte {
            b' ' | b'\t' | b'-' if text.last() == Some(&b' ') => {}
            b' ' | b'\t' | b'-' => text.push(b' '),
            byte => text.push(byte.to_ascii_lowercase()),
        }
    }
}
