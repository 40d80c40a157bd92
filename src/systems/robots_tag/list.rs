//! The part after the `=` of a structured member: `bot=(noindex nosnippet)`, `bot=noindex`, `bot="noindex, nosnippet"`,
//! `bot=?1`, `bot=`.
//!
//! Documents: draft-illyes-repext-02, Application Layer Response Header, says "dictionary containing lists of rules"; RFC 9651
//! 3.1.1 and 3.2 say how these are written. Ours: commas and semicolons in an inner list separate, and a list without `)` goes
//! to the end of the line, so that no rule is lost. Left out: nested lists, which RFC 9651 does not have.

use super::known::{RuleKind, known};
use super::line::{Quotes, Reader};
use super::value::{is_name_byte, run_len};
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
        let value = match self.rest.first() {
            Some(b':' | b'=') => {
                self.skip(1);
                self.value(name)
            }
            Some(_) | None => None,
        };
        self.push(agent, name, value, Syntax::Draft);
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
        let name = if has_value { from.get(..item_len(from)).unwrap_or(name) } else { name };
        self.rest = from;
        self.skip(name.len());
        self.push(agent, name, None, Syntax::Draft);
    }

    /// Reads the content of a string: a list of rules in the older form, all for one agent.
    fn list_in(&mut self, content: &'a [u8], agent: Agent<'a>) {
        let outside = (self.rest, self.quotes);
        (self.rest, self.quotes) = (content, Quotes::Unclosed);
        while let Some(byte) = self.rest.first() {
            if is_name_byte(*byte) {
                self.listed(agent);
            } else {
                self.skip(1);
            }
        }
        (self.rest, self.quotes) = outside;
    }

    fn listed(&mut self, agent: Agent<'a>) {
        let name = self.name();
        self.skip_blanks();
        let value = match (known(name).map(|rule| rule.kind), self.rest.first()) {
            (Some(RuleKind::Valued), Some(b':' | b'='))
            | (Some(RuleKind::Restricts | RuleKind::Permits), Some(b'=')) => {
                self.skip(1);
                self.value(name)
            }
            (Some(_) | None, _) => None,
        };
        self.push(agent, name, value, Syntax::Draft);
    }
}

fn item_len(text: &[u8]) -> usize {
    let run = run_len(text);
    text.iter().take(run).position(|byte| *byte == b')').unwrap_or(run)
}
