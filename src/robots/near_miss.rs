//! Lines that were meant as rules but cannot be read (RULES ACCT-4).
//!
//! Examples: `- Disallow: /` as in a list, `Disallow; /`, a whole file in one JSON string, `User-agent: *%0ADisallow: /`, a
//! name with a control byte (READ-10).
//! Ours: RFC 9309 skips what cannot be parsed; but a path that was meant to be closed is not open.
//! Left out: typos that are read (`line`), and names of other documents, which their readers know.

use super::RobotsTxt;
use super::joined_lines::{
    ColonWord, behind_line_ends, ends_in_markup, letters, words_before_colons,
};
use super::line::{DISALLOW_MISSPELT, Line, has_control, without_comment};
use super::lost_for::NearMiss;
use super::record::LineKind;
use super::slips::{has_one_slip, is_misspelt_rule, is_odd_root};
use crate::web::lines::{split_line, without_line_marks};
use crate::web::steps;

/// The number of bytes of a text that are searched for its first words.
const START_BYTES: usize = 4096;
const DELETE: u8 = 0x7F;
/// About the length of a rule's name.
const NAME_BYTES: usize = 16;

impl RobotsTxt {
    /// Returns the unreadable lines that begin as a user-agent or Disallow line, or as a line that `begins_as_known` knows by
    /// its first letters, in lower case and without other bytes between them.
    pub fn near_misses(&self, begins_as_known: impl Fn(&[u8]) -> bool) -> Vec<NearMiss<'_>> {
        let (has_groups, is_one_line) = (!self.read.groups.is_empty(), self.read.line_count <= 1);
        let odd = self.read.odd_lines.iter().map(|odd| {
            let rest = self.bytes.get(odd.start as usize..).unwrap_or_default();
            (odd.number, without_line_marks(split_line(rest).0))
        });
        let is_near = |line: &[u8]| {
            steps::count(line.len());
            let text = without_comment(line);
            let may_be_open = !has_groups || is_one_line && !text.is_empty();
            is_in_comment(comment(line), may_be_open, has_groups, &begins_as_known)
                || behind_line_ends(line).any(|text| begins_as_rule(text, &begins_as_known))
                || is_near_miss(text, &begins_as_known)
        };
        odd.filter(|(_, line)| is_near(line))
            .map(|(number, line)| NearMiss::read(self, number, line, &begins_as_known))
            .collect()
    }
}

/// Returns whether the name of a record is not a name, or is a rule's with other marks between its letters or with one slip.
pub(super) fn is_odd_name(name: &[u8]) -> bool {
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.iter().all(in_name) || is_misspelt_rule(&letters(name))
}

/// Also 7F: RFC 9309 2.2 allows it, but such a name is unknown, and such a path matches nothing.
pub(super) fn has_odd_bytes(line: &Line<'_>) -> bool {
    [line.name, line.value]
        .into_iter()
        .any(|part| has_control(part) || part.contains(&DELETE))
}

/// Returns whether a line may contain other lines after escaped line ends, or ends in markup.
pub(super) fn has_marks(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b">")
        || behind_line_ends(line).any(|text| !text.trim_ascii().is_empty())
}

/// Returns whether the comment of a line may be a whole file with blanks in place of line ends.
pub(super) fn may_be_file(line: &[u8]) -> bool {
    words_before_colons(comment(line)).any(|word| word.ends_as("user-agent"))
}

/// Returns whether the comment of a file's only line may contain its other lines.
pub(super) fn may_be_lines(line: &[u8]) -> bool {
    words_before_colons(comment(line)).next().is_some() || is_group_without_colons(comment(line))
}

/// Returns whether a text has a user-agent line and a rule with a path behind it, both without a colon.
fn is_group_without_colons(text: &[u8]) -> bool {
    let mut words = text
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let has_agent = words.any(|word| letters(word) == b"useragent");
    let path_behind =
        |(word, next): (&[u8], &[u8])| letters(word) == b"disallow" && next.starts_with(b"/");
    has_agent && words.clone().zip(words.skip(1)).any(path_behind)
}

pub(super) fn is_near_miss(text: &[u8], begins_as_known: &dyn Fn(&[u8]) -> bool) -> bool {
    let record = Line::split(text).and_then(|line| Ok((line.kind()?.0, line)));
    match record {
        Ok((LineKind::Other, line)) if !is_odd_name(line.name) && !has_odd_bytes(&line) => {
            let is_of_system = begins_as_known(&letters(line.name));
            names_a_rule(line.value) || is_of_system && ends_in_markup(line.value)
        }
        Ok((kind, line)) if kind != LineKind::Other && !has_odd_bytes(&line) => {
            let is_line =
                |word: &ColonWord<'_>| word.is_rule() || begins_as_known(&letters(word.text));
            words_before_colons(line.value).any(|word| is_line(&word))
                || names_a_rule(line.value)
                || kind == LineKind::UserAgent && has_rule_behind(line.value)
                || ends_in_markup(line.value)
                || kind == LineKind::Disallow && is_odd_root(line.value)
        }
        Ok(_) | Err(_) => begins_as_rule(text, begins_as_known),
    }
}

/// Returns whether a text that is not a record begins like one.
fn begins_as_rule(text: &[u8], begins_as_known: &dyn Fn(&[u8]) -> bool) -> bool {
    let text = without_tags(text);
    let start = text.get(..START_BYTES).unwrap_or(text);
    let mut words = start.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b':' | b'='));
    let mut word = || {
        words
            .by_ref()
            .map(letters)
            .find(|word| !word.is_empty())
            .unwrap_or_default()
    };
    let first = word();
    let is_rule = |word: &[u8]| {
        word.starts_with(b"useragent")
            || word.starts_with(b"disallow")
            || is_misspelt_rule(word)
            || DISALLOW_MISSPELT
                .iter()
                .any(|known| word.starts_with(known.as_bytes()))
    };
    let has_value = memchr::memchr2(b':', b'=', text).is_some();
    is_rule(&first)
        || matches!(first.as_slice(), b"user" | b"dis")
            && is_rule(&[first.as_slice(), &word()].concat())
        || has_value && (begins_as_known(&first) || names_a_rule(text))
}

/// Returns whether a comment contains lines because its line end is escaped or became a blank.
///
/// Ours: rules are often commented out. So a rule in a comment counts only after an escaped line end, or if the file has no
/// groups and the comment has a group of its own, or if the file has groups and no other line.
fn is_in_comment(
    comment: &[u8],
    may_be_file: bool,
    has_groups: bool,
    begins_as_known: &dyn Fn(&[u8]) -> bool,
) -> bool {
    let is_line = |word: &ColonWord<'_>| word.is_rule() || begins_as_known(&letters(word.text));
    let mut words = words_before_colons(comment);
    words_before_colons(comment).any(|word| word.is_after_line_end && is_line(&word))
        || may_be_file && !has_groups && is_group_without_colons(comment)
        || may_be_file
            && (has_groups || words.any(|word| word.ends_as("user-agent")))
            && (words.any(|word| is_line(&word))
                || letters_before_colons(comment).any(|word| has_one_slip(&word, b"disallow")))
}

/// Returns a text without the tags at its beginning.
fn without_tags(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_start();
        let behind = memchr::memchr(b'>', text).filter(|_| text.starts_with(b"<"));
        let Some(behind) = behind.and_then(|end| text.get(end + 1..)) else {
            return text;
        };
        text = behind;
    }
}

fn comment(line: &[u8]) -> &[u8] {
    memchr::memchr(b'#', line)
        .and_then(|at| line.get(at..))
        .unwrap_or_default()
}

/// Returns whether a rule without a colon is behind the name of a user-agent line: `* Disallow /`.
fn has_rule_behind(value: &[u8]) -> bool {
    let separates = |byte: &u8| byte.is_ascii_whitespace() || b",;|".contains(byte);
    let words = || value.split(separates).filter(|word| !word.is_empty());
    // Without a value it closes nothing.
    words()
        .skip(1)
        .zip(words().skip(2))
        .any(|(word, _)| letters(word).starts_with(b"disallow"))
}

/// Returns whether a text contains `user-agent` or `disallow` with a colon and a value, also with a slip or with another letter
/// than those of ASCII.
fn names_a_rule(text: &[u8]) -> bool {
    let is_slip =
        |word: &[u8]| is_misspelt_rule(word) || matches!(word, b"disallow" | b"useragent");
    words_before_colons(text).any(|word| word.is_rule())
        || letters_before_colons(text).any(|word| is_slip(&word))
}

/// Returns the letters of each word that is followed by a colon and a value, whatever other bytes it has.
fn letters_before_colons(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    memchr::memchr_iter(b':', text).filter_map(|at| {
        text.get(at + 1..)?.trim_ascii().first()?;
        let before = text.get(..at)?.trim_ascii_end();
        let ends = |byte: &u8| {
            byte.is_ascii_whitespace() || byte.is_ascii_control() || b",;|".contains(byte)
        };
        let start = before.iter().rposition(ends).map_or(0, |start| start + 1);
        before
            .get(start..)
            .filter(|word| word.len() <= 2 * NAME_BYTES)
            .map(letters)
    })
}

#[cfg(test)]
mod tests {
    use super::RobotsTxt;

    fn near(file: &str) -> Vec<u32> {
        numbers(file, &|letters| letters.starts_with(b"contentsignal"))
    }

    fn numbers(file: &str, begins_as_known: &dyn Fn(&[u8]) -> bool) -> Vec<u32> {
        let robots = RobotsTxt::parse(file);
        robots
            .near_misses(begins_as_known)
            .iter()
            .map(|miss| miss.line)
            .collect()
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
            "User-agent: * Dissalow: /",
            "User-agent: * Content-Signal: ai-train=no Allow: /",
            "User-agent: *%0ADisallow: /%0A",
            "User-agent:*%0d%0aContent-Signal:ai-train=no",
            "User-agent: *\\nDisallow: /\\n",
            "User-agent: GPTBotDisallow: /",
            "Disallow: /a User-agent: GPTBot",
            "Sitemap: https://a.example/s.xml User-agent: * Disallow: /",
            "User-agent: *<br>",
            "Disallow: /</p>",
            "Disallow: /<BR />",
            "Content-Signal: ai-train=no<br/>",
            "# rules%0AUser-agent: *%0ADisallow: /",
            "\"# rules\\n\\nUser-agent: *\\nDisallow: /\"",
            "# rules\\n\u{feff}User-agent *\\nDisallow /\\n",
            "Sitemap: /s%0AUser-agent *%0ADisallow /",
            "<pre>User-agent *",
            "<pre>User_agent: *",
            "<html><body><pre>User\u{2013}agent: *",
        ] {
            assert_eq!(
                near(&format!("User-agent: a\n{line}\nAllow: /x\n")),
                [2],
                "{line}"
            );
        }
    }

    #[test]
    fn acct_4_slips_of_the_pen_are_near_misses() {
        for line in [
            "User-agents: GPTBot",
            "User-Agen: GPTBot",
            "Uesr-agent: GPTBot",
            "Disallowed: /",
            "Dsallow: /",
            "Disallow-All: /",
            "Dis allow: /",
            "Disallow: \"/\"",
            "Disallow: '/*'",
            "Disallow: [/]",
            "Disallow: /;",
            "Disallow: / ;",
            "Disallow: /\u{a0}",
            "Disallow:\u{a0}/",
            "Disallow: \u{200b}/",
            "Disallow:: /",
            "Disallow: All",
            "disallow: \u{ff0f}",
        ] {
            assert_eq!(
                near(&format!("User-agent: a\n{line}\nAllow: /x\n")),
                [2],
                "{line}"
            );
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
            "Disallow-AI: /",
            "Disallow: /\u{65e5}",
            "Disallow: /?",
            "Disallow: /.",
            "Disallow: allow.html",
            "Disallow: \"/a\"",
            "Agent: GPTBot",
            "user-agent-purpose: x",
            "Crawl delay: 1",
            "Site map: /a",
            "Content signals are welcome here",
            "Welcome to our site",
            "The rules for user agents follow",
            "Dis is our site: welcome",
            "Allow; /",
            "User-agent: * Disallow:",
            "User-agent: Bot (see: https://a.example/)",
            "Disallow: /*%0A",
            "Disallow: /a>",
            "Disallow: /*<b>",
            "Sitemap: https://a.example/s.xml</loc>",
            "# User-agent: * Disallow: /",
            "# Usage: see https://a.example/ Disallow: /",
            "<html>",
        ] {
            assert_eq!(
                near(&format!("User-agent: a\n{line}\nAllow: /x\n")),
                [0; 0],
                "{line}"
            );
        }
    }

    #[test]
    fn acct_4_a_file_in_one_comment_is_a_near_miss_where_nothing_else_is_a_group() {
        let near = |file: &str| numbers(file, &|letters| letters == b"contentsignal");
        assert_eq!(
            near("# rules  User-agent: * Allow: /  User-agent: GPTBot Disallow: /news/"),
            [1]
        );
        assert_eq!(
            near("Sitemap: /s # User-agent: * Content-Signal: ai-train=no"),
            [1]
        );
        assert_eq!(near("User-agent: * # why \tDisallow: / # why \t"), [1]);
        assert_eq!(
            near("User-agent: * # why Content-Signal: ai-train=no # why"),
            [1]
        );
        assert_eq!(near("User-agent: * # Disallow: /\nAllow: /\n"), [0; 0]);
        assert_eq!(near("# Disallow: /\n"), [0; 0]);
        assert_eq!(near("# User-agent: *\n# Disallow: /\n"), [0; 0]);
        let wide = near(
            "# rules  User-agent\u{ff1a} * Allow\u{ff1a} /  User-agent\u{ff1a} a Disallow\u{ff1a} /",
        );
        assert_eq!(wide, [1]);
        assert_eq!(near("# User-agent: * Allow: /"), [0; 0]);
    }
}
