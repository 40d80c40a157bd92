//! Text for a terminal: names on the left, wrapped text beside them, and colours. No line is wider than the terminal, except for
//! a longer word: a URL is never broken. Example: `labels          search       disallow  robots_tag header`.

use crate::cli::output::{width, wrapped};
use anstyle::{AnsiColor, Style};
use crawlprefs::web::preference::Preference;
use crawlprefs::web::shown::is_hidden;
use std::fmt::Write as _;
use textwrap::core::display_width;

/// The columns of the names on the left.
const MARGIN: usize = 16;
/// The most characters shown of a text that others wrote; any number of this size.
const SHOWN: usize = 300;

const PLAIN: Style = Style::new();
pub const STRONG: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();
/// A word that needs attention.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();

#[derive(Clone, Debug, Default)]
pub struct Text(Vec<(String, Style)>);

impl<T: AsRef<str>> From<T> for Text {
    fn from(text: T) -> Self {
        Self::new(text.as_ref())
    }
}

impl Text {
    pub fn new(text: &str) -> Self {
        Self::styled(text, PLAIN)
    }

    pub fn styled(text: &str, style: Style) -> Self {
        Self(vec![(text.to_owned(), style)])
    }

    pub fn plain(mut self, text: &str) -> Self {
        self.0.push((text.to_owned(), PLAIN));
        self
    }

    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Adds a word of the tables in its colour.
    pub fn word(mut self, word: &str) -> Self {
        let style = match word {
            "allow" => AnsiColor::Green.on_default().bold(),
            "disallow" => AnsiColor::Red.on_default().bold(),
            "unknown" => WARNING,
            _ => PLAIN,
        };
        self.0.push((word.to_owned(), style));
        self
    }

    pub fn preference(self, preference: Preference) -> Self {
        self.word(preference.as_str())
    }

    /// Adds blanks up to a column.
    pub fn to(self, column: usize) -> Self {
        let width: usize = self.0.iter().map(|(text, _)| display_width(text)).sum();
        self.plain(&" ".repeat(column.saturating_sub(width)))
    }

    /// Returns the text; each word has its own escape sequences, so that it can be wrapped.
    fn render(&self, is_coloured: bool) -> String {
        let mut text = String::new();
        for (part, style) in &self.0 {
            if !is_coloured || *style == PLAIN {
                text.push_str(part);
                continue;
            }
            for word in part.split_inclusive(' ') {
                let (word, blank) = word
                    .strip_suffix(' ')
                    .map_or((word, ""), |word| (word, " "));
                if !word.is_empty() {
                    // Writing to a String does not fail.
                    let _ = write!(text, "{style}{word}{style:#}");
                }
                text.push_str(blank);
            }
        }
        text
    }
}

/// Returns what others wrote as one line that is safe on a terminal, cut if it is long.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    let mut is_broken = false;
    for (at, character) in text.chars().enumerate() {
        let was_broken = is_broken;
        is_broken = matches!(character, '\n' | '\r') || was_broken && character.is_whitespace();
        match character {
            _ if at == SHOWN => return quoted + " ...",
            // One blank replaces the end of a line and the indentation of the next one.
            _ if is_broken && was_broken => {}
            '\t' | '\n' | '\r' => quoted.push(' '),
            character if is_hidden(character) => {
                // Writing to a String does not fail.
                let _ = write!(quoted, "\\u{{{:X}}}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted
}

pub struct PageLines {
    is_coloured: bool,
    width: usize,
    pub text: String,
}

impl PageLines {
    pub fn new(is_coloured: bool) -> Self {
        Self {
            is_coloured,
            width: width(),
            text: String::new(),
        }
    }

    pub fn add_gap(&mut self) {
        self.text.push('\n');
    }

    /// Adds text that continues at the left.
    pub fn add_line(&mut self, text: impl Into<Text>) {
        self.add_wrapped("", text, 0);
    }

    /// Adds text two columns from the left.
    pub fn add_indented(&mut self, text: &str) {
        self.add_wrapped("  ", text, 2);
    }

    /// Adds a name on the left, and text beside it.
    pub fn add_named(&mut self, name: &str, text: impl Into<Text>) {
        let name = Text::styled(name, STRONG)
            .to(MARGIN)
            .render(self.is_coloured);
        self.add_wrapped(&name, text, MARGIN);
    }

    /// Adds more text beside the last name, which continues `hang` columns further right.
    pub fn add_beside(&mut self, text: impl Into<Text>, hang: usize) {
        self.add_wrapped(&" ".repeat(MARGIN), text, MARGIN + hang);
    }

    pub fn add_faint(&mut self, text: &str, hang: usize) {
        self.add_beside(Text::styled(text, FAINT), hang);
    }

    fn add_wrapped(&mut self, start: &str, text: impl Into<Text>, indent: usize) {
        let text = text.into().render(self.is_coloured);
        self.text += &wrapped(&text, self.width, start, &" ".repeat(indent));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(is_coloured: bool, write: impl FnOnce(&mut PageLines)) -> String {
        let mut lines = PageLines {
            width: 80,
            ..PageLines::new(is_coloured)
        };
        write(&mut lines);
        lines.text
    }

    #[test]
    fn local_lines_are_wrapped_between_words_and_words_are_not() {
        let words = "word ".repeat(40);
        let long = format!("see https://a.example/{} for it", "x".repeat(90));
        for is_coloured in [false, true] {
            let text = lines(is_coloured, |lines| {
                lines.add_named("name", Text::styled(&words, FAINT));
                lines.add_beside(&long, 2);
            });
            for line in text.lines() {
                let is_one_word = line.split_whitespace().count() == 1;
                assert!(display_width(line) <= 80 || is_one_word, "{line}");
                assert_eq!(line, line.trim_end());
            }
            assert_eq!(text.split_whitespace().count(), 1 + 40 + 4);
            assert_eq!(
                text.starts_with("name            word word"),
                !is_coloured,
                "{text}"
            );
        }
    }

    #[test]
    fn local_colours_are_escape_sequences_around_the_same_text() {
        let write = |lines: &mut PageLines| {
            lines.add_named("crawl", Text::default().word("disallow").plain(" it"));
        };
        assert_eq!(lines(false, write), "crawl           disallow it\n");
        let coloured = lines(true, write);
        assert!(
            coloured.contains("\u{1b}[1m\u{1b}[31mdisallow\u{1b}[0m it\n"),
            "{coloured:?}"
        );
    }

    #[test]
    fn local_what_others_wrote_does_not_reach_the_terminal_raw() {
        assert_eq!(
            quoted("a\u{1b}[2Jb\tc\u{202e}\u{9b}"),
            "a\\u{1B}[2Jb c\\u{202E}\\u{9B}"
        );
        assert_eq!(quoted("{\r\n  \"a\": 1\n}"), "{ \"a\": 1 }");
        assert_eq!(quoted(&"x".repeat(301)).len(), 304);
    }
}
