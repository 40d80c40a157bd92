//! Lines that were meant as rules and have no form by which they could be read (RULES ACCT-4).
//!
//! Examples: `- Disallow: /` as in a list, `Disallow; /`, a whole file in one JSON string, a name with a control byte
//! (READ-10). Ours: RFC 9309 skips what cannot be parsed; but what was meant to be closed is not open.
//! Left out: typos that are read (`line`), and names of other documents, which their readers know.

use super::RobotsTxt;
use super::line::{DISALLOW_MISSPELT, without_comment};
use crate::web::steps;

/// How many letters of a word are compared.
const WORD_LETTERS: usize = 32;

impl RobotsTxt {
    /// Returns the numbers of the lines that nobody can read and that begin as a user-agent or Disallow line, or as another
    /// line of which `begins_as_known` knows the first letters, in lower case and without anything between them.
    pub fn near_misses(&self, begins_as_known: impl Fn(&[u8]) -> bool) -> Vec<u32> {
        let mut odd = self.odd_lines.iter().copied().peekable();
        if odd.peek().is_none() {
            return Vec::new();
        }
        let odd = self.lines().filter(|(number, _)| odd.next_if_eq(number).is_some());
        odd.filter(|(_, line)| is_near_miss(line, &begins_as_known)).map(|(number, _)| number).collect()
    }
}

/// Returns whether a record has a name that is no name, or is a rule's with other marks between its letters.
pub(super) fn is_odd_name(name: &[u8]) -> bool {
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.iter().all(in_name) || matches!(letters(name).as_slice(), b"useragent" | b"disallow")
}

/// Returns whether the value of a user-agent line has another line in it: `* Disallow: /`.
pub(super) fn holds_a_rule(value: &[u8]) -> bool {
    memchr::memchr(b':', value).is_some() && names_a_rule(value)
}

fn is_near_miss(line: &[u8], begins_as_known: &dyn Fn(&[u8]) -> bool) -> bool {
    let text = without_comment(line);
    steps::count(text.len());
    let mut words = text.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b':' | b'='));
    let mut word = || words.by_ref().map(letters).find(|word| !word.is_empty()).unwrap_or_default();
    let first = word();
    let is_rule = |word: &[u8]| {
        word.starts_with(b"useragent")
            || word.starts_with(b"disallow")
            || DISALLOW_MISSPELT.iter().any(|known| word.starts_with(known.as_bytes()))
    };
    let has_value = text.iter().any(|byte| matches!(byte, b':' | b'='));
    is_rule(&first)
        || first == b"user" && is_rule(&[first.as_slice(), &word()].concat())
        || has_value && (begins_as_known(&first) || names_a_rule(text))
}

/// Returns the first ASCII letters of a word, in lower case.
fn letters(word: &[u8]) -> Vec<u8> {
    let letters = word.iter().filter(|byte| byte.is_ascii_alphabetic());
    letters.map(u8::to_ascii_lowercase).take(WORD_LETTERS).collect()
}

/// Returns whether `user-agent` or `disallow`, a colon and a value are anywhere in a text.
fn names_a_rule(text: &[u8]) -> bool {
    memchr::memchr_iter(b':', text).any(|at| {
        let before = text.get(..at).unwrap_or_default().trim_ascii_end();
        let says_something = text.get(at + 1..).is_some_and(|value| !value.trim_ascii().is_empty());
        says_something
            && [&b"user-agent"[..], b"disallow"].into_iter().any(|name| {
                let start = before.len().checked_sub(name.len());
                let is_name =
                    |start: usize| before.get(start..).is_some_and(|it| it.eq_ignore_ascii_case(name));
                start.is_some_and(|start| {
                    is_name(start)
                        && !start
                            .checked_sub(1)
                            .and_then(|at| before.get(at))
                            .is_some_and(u8::is_ascii_alphanumeric)
                })
            })
    })
}

#[cfg(test)]
mod tests {
    use super::RobotsTxt;

    fn near(file: &str) -> Vec<u32> {
        RobotsTxt::parse(file).near_misses(|letters| letters.starts_with(b"contentsignal"))
    }

    #[test]
    fn acct_4_what_was_meant_as_a_rule_and_cannot_be_read_is_a_near_miss() {
        for line in [
            "- Disallow: /",
            "* User-agent: GPTBot",
            "\"User-agent: GPTBot\"",
            "'Disallow: /'",
            "`Disallow: /`",
            "<p>Disallow: /</p>",
            "&nbsp;Disallow: /",
            "\u{a0}Disallow: /",
            "Disallow\u{a0}: /",
            "Dis\u{ad}allow: /",
            "User\u{2010}agent: GPTBot",
            "User_agent: GPTBot",
            "1. Disallow: /",
            "Disallow; /",
            "Disallow = /",
            "Disallow/",
            "Disallow /a b",
            "User-agent; GPTBot",
            "User agent GPTBot CCBot",
            "- Dissallow: /",
            "- Content-Signal: ai-train=no",
            "Disallow: /\u{1}",
            "Disa\u{7f}llow: /",
            "{\"robots\": \"User-agent: *\\nDisallow: /\"}",
            "echo \"User-agent: *\\n\"",
            "User-agent: * Disallow: /",
        ] {
            assert_eq!(near(&format!("User-agent: a\n{line}\nAllow: /x\n")), [2], "{line}");
        }
    }

    #[test]
    fn acct_4_what_is_read_or_was_not_meant_as_a_rule_is_not() {
        for line in [
            "",
            "# - Disallow: /",
            "User agent: GPTBot",
            "Disallow /a",
            "Dissallow: /",
            "DisallowAITraining: /",
            "user-agent-purpose: x",
            "Crawl delay: 1",
            "Site map: /a",
            "Content signals are welcome here",
            "Welcome to our site",
            "The rules for user agents follow",
            "Allow; /",
            "User-agent: * Disallow:",
            "<html>",
        ] {
            assert_eq!(near(&format!("User-agent: a\n{line}\nAllow: /x\n")), [0; 0], "{line}");
        }
    }
}
