//! A page of text for a terminal: names on the left, wrapped text beside them, colour where it is wanted.
//!
//! Example: `labels          search       disallow  robots_tag header`.
//! No line is longer than 80 columns, but for a word that is: a URL is never broken.
//! Left out: characters that take two columns, or none; each counts as one.

use std::fmt::Write as _;

/// The columns of a line.
const WIDTH: usize = 80;
/// The columns of the names on the left.
pub const MARGIN: usize = 16;
/// The most that is shown of a text that others wrote.
const SHOWN: usize = 300;

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// As it comes.
    #[default]
    Plain,
    /// Bold.
    Strong,
    /// Grey.
    Faint,
    /// A yes.
    Allow,
    /// A no.
    Disallow,
    /// Neither.
    Unknown,
}

impl Style {
    /// Returns the style of a word of the tables.
    pub fn of(word: &str) -> Self {
        match word {
            "allow" => Self::Allow,
            "disallow" => Self::Disallow,
            "unknown" => Self::Unknown,
            _ => Self::Plain,
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::Plain => "0",
            Self::Strong => "1",
            Self::Faint => "2",
            Self::Allow => "1;32",
            Self::Disallow => "1;31",
            Self::Unknown => "1;33",
        }
    }
}

/// Whether a page has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Escape sequences of terminals.
    Colour,
    /// Text alone.
    Black,
}

/// Text in several styles.
#[derive(Clone, Debug, Default)]
pub struct Text(Vec<(char, Style)>);

impl Text {
    /// Returns plain text.
    pub fn new(text: &str) -> Self {
        Self::default().with(text, Style::Plain)
    }

    /// Returns text in a style.
    pub fn styled(text: &str, style: Style) -> Self {
        Self::default().with(text, style)
    }

    /// Adds text in a style.
    pub fn with(mut self, text: &str, style: Style) -> Self {
        self.0.extend(text.chars().map(|character| (character, style)));
        self
    }

    /// Adds plain text.
    pub fn plain(self, text: &str) -> Self {
        self.with(text, Style::Plain)
    }

    /// Adds a word of the tables in its colour.
    pub fn word(self, word: &str) -> Self {
        self.with(word, Style::of(word))
    }

    /// Adds blanks up to a column.
    pub fn to(self, column: usize) -> Self {
        let blanks = column.saturating_sub(self.0.len());
        self.plain(&" ".repeat(blanks))
    }
}

/// Returns what others wrote so that it is one line, safe on a terminal, and not endless.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    let mut is_broken = false;
    for (at, character) in text.chars().enumerate() {
        let was_broken = is_broken;
        is_broken = matches!(character, '\n' | '\r') || was_broken && character.is_whitespace();
        match character {
            _ if at == SHOWN => return quoted + " ...",
            // Of a line's end and what sets the next one in, one blank is left.
            _ if is_broken && was_broken => {}
            '\t' | '\n' | '\r' => quoted.push(' '),
            // A terminal would obey them, and some turn the text round.
            character if character.is_control() || is_direction(character) => {
                // Writing to a String does not fail.
                let _ = write!(quoted, "\\u{{{:X}}}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted
}

fn is_direction(character: char) -> bool {
    matches!(character, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// A page being written.
pub struct Paper {
    ink: Ink,
    text: String,
}

impl Paper {
    /// Returns an empty page.
    pub fn new(ink: Ink) -> Self {
        Self { ink, text: String::new() }
    }

    /// Returns what was written.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Leaves a line empty.
    pub fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Writes a line of its own; what does not fit goes on at the left.
    pub fn line(&mut self, text: &Text) {
        self.wrapped(&Text::default(), text, 0, 0);
    }

    /// Writes a name on the left, and text beside it.
    pub fn named(&mut self, name: &str, text: &Text) {
        self.wrapped(&Text::styled(name, Style::Strong).to(MARGIN), text, MARGIN, 0);
    }

    /// Writes more text beside the last name; what does not fit goes on `hang` columns further in.
    pub fn beside(&mut self, text: &Text, hang: usize) {
        self.wrapped(&Text::default().to(MARGIN), text, MARGIN, hang);
    }

    fn wrapped(&mut self, start: &Text, text: &Text, indent: usize, hang: usize) {
        let mut line = start.0.clone();
        if line.len() + text.0.len() <= WIDTH {
            line.extend(&text.0);
            return self.put(&line);
        }
        let mut is_fresh = true;
        for word in text.0.split(|(character, _)| *character == ' ') {
            let blank = usize::from(!is_fresh);
            if !is_fresh && !word.is_empty() && line.len() + blank + word.len() > WIDTH {
                self.put(&line);
                line = vec![(' ', Style::Plain); indent + hang];
                is_fresh = true;
            }
            if !is_fresh {
                line.push((' ', Style::Plain));
            }
            line.extend(word);
            // Blanks at the start of a text set it in; at the end of a line they say nothing.
            is_fresh = false;
        }
        self.put(&line);
    }

    fn put(&mut self, line: &[(char, Style)]) {
        let end = line.iter().rposition(|(character, _)| *character != ' ').map_or(0, |last| last + 1);
        let mut style = Style::Plain;
        for (character, own) in line.iter().take(end) {
            if *own != style && self.ink == Ink::Colour {
                self.switch(*own);
                style = *own;
            }
            self.text.push(*character);
        }
        if style != Style::Plain {
            self.switch(Style::Plain);
        }
        self.text.push('\n');
    }

    fn switch(&mut self, style: Style) {
        self.text.push_str(if style == Style::Plain { "\u{1b}[0m" } else { "\u{1b}[0;" });
        if style != Style::Plain {
            self.text.push_str(style.code());
            self.text.push('m');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(ink: Ink, write: impl Fn(&mut Paper)) -> String {
        let mut paper = Paper::new(ink);
        write(&mut paper);
        paper.into_text()
    }

    #[test]
    fn local_lines_are_wrapped_between_words_and_words_are_not() {
        let words = "word ".repeat(40);
        let long = format!("see https://a.example/{} for it", "x".repeat(90));
        let text = page(Ink::Black, |paper| {
            paper.named("name", &Text::new(&words));
            paper.beside(&Text::new(&long), 2);
        });
        for line in text.lines() {
            let is_one_word = line.split_whitespace().count() == 1;
            assert!(line.chars().count() <= WIDTH || is_one_word, "{line}");
            assert_eq!(line, line.trim_end());
        }
        assert!(text.starts_with("name            word word"), "{text}");
        assert_eq!(text.split_whitespace().count(), 1 + 40 + 4);
    }

    #[test]
    fn local_colours_are_escape_sequences_around_the_same_text() {
        let write = |paper: &mut Paper| paper.named("crawl", &Text::default().word("disallow").plain(" it"));
        assert_eq!(page(Ink::Black, write), "crawl           disallow it\n");
        let coloured = page(Ink::Colour, write);
        assert!(coloured.contains("\u{1b}[0;1;31mdisallow\u{1b}[0m it\n"), "{coloured:?}");
    }

    #[test]
    fn local_what_others_wrote_does_not_reach_the_terminal_raw() {
        assert_eq!(quoted("a\u{1b}[2Jb\tc\u{202e}"), "a\\u{1B}[2Jb c\\u{202E}");
        assert_eq!(quoted("{\r\n  \"a\": 1\n}"), "{ \"a\": 1 }");
        assert_eq!(quoted(&"x".repeat(301)).len(), 304);
    }
}
