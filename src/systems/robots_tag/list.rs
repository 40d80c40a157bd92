//! The part after the `=` of a structured member: `bot=(noindex nosnippet)`, `bot=noindex`, `bot="noindex, nosnippet"`,
//! `bot=?1`, `bot=`.
//!
//! Documents: draft-illyes-repext-02, Application Layer Response Header, says "dictionary containing lists of rules"; RFC 9651
//! 3.1.1 and 3.2 say how these are written. Ours: commas and semicolons in an inner list separate, and a list without `)` goes
//! to the end of the line, so that no rule is lost. Left out: nested lists, which RFC 9651 does not have.
//!
//! The parameters of a member: `;noindex;max-snippet=20` (RFC 9651 3.1.2). Ours: blanks around semicolons, an empty parameter,
//! and a colon for `=` only change the form's name. Left out: typed values; they are kept as written.

use super::known::known;
use super::line::Reader;
use super::value::{is_dictionary, is_name_byte, run_len};
use super::{Agent, Syntax, kept};
use std::borrow::Cow;

impl<'a> Reader<'a> {
    /// Reads the value of a member and returns its form; if it names no rule, reads nothing and returns `None`.
    pub(super) fn member_value(&mut self, agent: Agent<'a>) -> Option<Syntax> {
        if self.rest.first() == Some(&b'(') {
            self.skip(1);
            self.inner_list(agent);
            return Some(Syntax::SfInnerList);
        }
        if let Some(content) = self.quoted() {
            self.list_in(content, agent);
            return Some(Syntax::SfItem);
        }
        self.token(agent)
    }

    fn token(&mut self, agent: Agent<'a>) -> Option<Syntax> {
        let length = run_len(self.rest);
        // Ours: an agent whose value is `?0` is declared, and has the rules that follow, if any.
        if matches!(self.rest.get(..length), Some(b"" | b"?0" | b"?1")) {
            self.skip(length);
            return Some(Syntax::SfParams);
        }
        // Ours: a quote here is never closed, and the rule after it counts.
        let text = self.rest.strip_prefix(b"\"").unwrap_or(self.rest);
        let name = text.get(..text.iter().take_while(|byte| is_name_byte(**byte)).count())?;
        known(name)?;
        self.rest = text;
        self.skip(name.len());
        self.push_draft(agent, name, b":=");
        Some(Syntax::SfItem)
    }

    fn inner_list(&mut self, agent: Agent<'a>) {
        while let Some(byte) = self.rest.first() {
            match byte {
                b')' => return self.skip(1),
                byte if is_name_byte(*byte) => self.item(agent),
                _ => match self.quoted() {
                    Some(content) => self.list_in(content, agent),
                    None => self.skip(1),
                },
            }
        }
    }

    /// One item of an inner list: `noindex`, `max-snippet:20`.
    fn item(&mut self, agent: Agent<'a>) {
        let from = self.rest;
        let name = self.name();
        let has_value = matches!(self.rest.first(), Some(b':' | b'='));
        if has_value && known(name).is_some() {
            self.skip(1);
            let value = match self.quoted() {
                Some(content) => kept(Cow::Borrowed(content)),
                None => kept(Cow::Borrowed(self.take(item_len(self.rest)))),
            };
            return self.push(agent, name, value, Syntax::Draft);
        }
        // Ours: an item that is not a known rule is kept whole.
        let name = if has_value {
            from.get(..item_len(from)).unwrap_or(name)
        } else {
            name
        };
        self.rest = from;
        self.skip(name.len());
        self.push(agent, name, None, Syntax::Draft);
    }

    /// Reads the content of a string: a list of rules in the older form, all for one agent.
    fn list_in(&mut self, content: &'a [u8], agent: Agent<'a>) {
        let outside = (self.rest, self.has_unclosed);
        (self.rest, self.has_unclosed) = (content, true);
        while let Some(byte) = self.rest.first() {
            if is_name_byte(*byte) {
                self.listed(agent);
            } else {
                self.skip(1);
            }
        }
        (self.rest, self.has_unclosed) = outside;
    }

    fn listed(&mut self, agent: Agent<'a>) {
        let name = self.name();
        self.skip_blanks();
        let marks: &[u8] = match known(name).map(|rule| rule.preference) {
            Some(None) => b":=",
            Some(Some(_)) => b"=",
            None => b"",
        };
        self.push_draft(agent, name, marks);
    }

    /// Reads parameters, each a rule for the agent, until one cannot be read.
    pub(super) fn params(&mut self, agent: Agent<'a>) {
        loop {
            self.skip_blanks();
            if self.rest.first() != Some(&b';') {
                return;
            }
            self.skip(1);
            self.skip_blanks();
            let name = self.name();
            if !name.is_empty() {
                self.skip_blanks();
                self.push_draft(agent, name, b":=");
            }
        }
    }

    /// Adds a rule, with the value behind one of these marks if it has one.
    fn push_draft(&mut self, agent: Agent<'a>, name: &'a [u8], marks: &[u8]) {
        let mut value = None;
        if self.rest.first().is_some_and(|byte| marks.contains(byte)) {
            self.skip(1);
            value = self.value(name);
        }
        self.push(agent, name, value, Syntax::Draft);
    }
}

/// Returns whether the lines of a field, joined as RFC 9651 4.2 says, are a dictionary.
pub fn is_dictionary_of_lines(lines: &[&[u8]]) -> bool {
    let lines: Vec<&[u8]> = lines.iter().map(|line| line.trim_ascii()).collect();
    is_dictionary(&lines.join(b", ".as_slice()))
}

fn item_len(text: &[u8]) -> usize {
    let run = run_len(text);
    text.iter()
        .take(run)
        .position(|byte| *byte == b')')
        .unwrap_or(run)
}

#[cfg(test)]
mod tests {
    use super::is_dictionary_of_lines;

    #[test]
    fn rfc9651_4_2_lines_are_joined() {
        assert!(is_dictionary_of_lines(&[b"a ", b" b"]));
        assert!(!is_dictionary_of_lines(&[b"a", b""]));
    }
}
