//! One field line or meta content, read member by member.
//!
//! Document: draft-illyes-repext-02, Application Layer Response Header and HTML meta element; [`super`] describes the older
//! forms. Example: `BadBot: noindex, googlebot: nofollow` has a rule for each. One pass, no failure. Lines are read one by one:
//! if they were joined, the agent of one would bind the rules of the next.
//! Left out: merging and deduplication, which is for those who resolve.

use super::known::{OF_AI, bare, known};
use super::value::{is_blank, is_dictionary, is_name_byte, value_len};
use super::{Agent, Syntax, TagPlace, TagRule, kept};
use crate::systems::words::{quoted_len, unescaped};
use crate::web::steps;
use std::borrow::Cow;

/// How much of a line is read, in bytes. draft-illyes-repext-02: "The parsing limit MUST be at least 8 kibibytes".
pub const MAX_VALUE_BYTES: usize = 64 << 10;

/// How many rules of a line are kept.
pub const MAX_RULES: usize = 1000;

/// How far an agent's name of several words is searched, in bytes; keeps the time linear.
const AGENT_WORDS_BYTES: usize = 128;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed<'a> {
    /// The rules in their order, repeats included.
    pub rules: Vec<TagRule<'a>>,
    /// The agents that are declared without a rule, with their forms.
    pub agents_without_rules: Vec<(Agent<'a>, Syntax)>,
    /// Whether the part beyond [`MAX_VALUE_BYTES`] or [`MAX_RULES`] was not read.
    pub is_cut: bool,
    /// The part that was dropped around the rules (TAG-22), as in the tables.
    pub flaw: Option<&'static str>,
}

pub fn parse<'a>(place: TagPlace<'a>, line: &'a [u8]) -> Parsed<'a> {
    let (text, is_cut) = within_limit(line);
    steps::count(text.len());
    let (text, flaw) = bare(text);
    let parsed = Parsed {
        is_cut,
        flaw,
        ..Parsed::default()
    };
    let scope = match place {
        TagPlace::RobotsTag | TagPlace::XRobotsTag => Agent::All,
        TagPlace::Meta(agent) => agent,
    };
    let (prefix, behind_comma, has_unclosed) = (None, false, false);
    let mut reader = Reader {
        place,
        rest: text,
        scope,
        prefix,
        behind_comma,
        has_unclosed,
        parsed,
    };
    while reader.skip_separators() {
        if reader.is_full() {
            reader.parsed.is_cut = true;
            break;
        }
        reader.member();
    }
    reader.parsed
}

/// draft-illyes-repext-03, Application Layer Response Header: members that are complete up to the limit count, a cut member
/// does not. Ours: a line as long as the limit counts as cut, because records keep longer lines that way.
fn within_limit(line: &[u8]) -> (&[u8], bool) {
    let Some(start) = line.get(..MAX_VALUE_BYTES) else {
        return (line, false);
    };
    let end = memchr::memrchr(b',', start).unwrap_or(0);
    (start.get(..end).unwrap_or_default(), true)
}

pub(super) struct Reader<'a> {
    place: TagPlace<'a>,
    pub(super) rest: &'a [u8],
    scope: Agent<'a>,
    /// The number of rules before the last `agent:`, if the line had one.
    prefix: Option<usize>,
    behind_comma: bool,
    /// Whether a quote was never closed; so no later one is closed, and all are ordinary characters.
    pub(super) has_unclosed: bool,
    pub(super) parsed: Parsed<'a>,
}

impl<'a> Reader<'a> {
    fn member(&mut self) {
        let start = self.rest;
        match start.first() {
            Some(b';') if !self.is_list_of_rules() => return self.omitted_agent(start),
            Some(byte) if !is_name_byte(*byte) => return self.skip(1),
            Some(_) | None => {}
        }
        let name = self.name();
        self.skip_blanks();
        match self.rest.first() {
            None | Some(b',') => self.bare(name),
            Some(b';') => self.before_semicolon(start, name),
            Some(b'=') => self.before_equals(start, name),
            Some(b':') => self.before_colon(name),
            Some(_) => self.before_word(start, name),
        }
    }

    /// draft-illyes-repext-02, Application Layer Response Header: "The global identifier may be omitted". Ours: not in a meta
    /// and not after `agent:`, where nothing has parameters; there a semicolon must not widen a rule for one agent to all.
    fn omitted_agent(&mut self, start: &'a [u8]) {
        let before = self.parsed.rules.len();
        self.params(Agent::All);
        self.settle(start, before, Syntax::SfParams);
    }

    /// A name alone. Ours: an unknown one is an agent in `Robots-Tag`, by the draft's form; elsewhere a rule, by the older one.
    fn bare(&mut self, name: &'a [u8]) {
        if known(name).is_none() && self.place == TagPlace::RobotsTag && self.prefix.is_none() {
            let syntax = if is_dictionary(name) {
                Syntax::SfParams
            } else {
                Syntax::Draft
            };
            self.parsed
                .agents_without_rules
                .push((Agent::of_member(name), syntax));
        } else {
            self.push(self.scope_of(name), name, None, self.usual());
        }
    }

    /// READ-17: in `googlebot: nofollow, noai`, which may be two lines joined, the rule about AI is for everybody.
    fn scope_of(&self, name: &[u8]) -> Agent<'a> {
        let is_of_ai = || known(name).is_some_and(|rule| OF_AI.contains(&rule.name));
        let is_behind_rule = self
            .prefix
            .is_some_and(|rules| self.parsed.rules.len() > rules);
        if is_behind_rule && self.behind_comma && is_of_ai() {
            Agent::All
        } else {
            self.scope
        }
    }

    fn before_semicolon(&mut self, start: &'a [u8], name: &'a [u8]) {
        if known(name).is_some() || self.is_list_of_rules() {
            self.push(self.scope_of(name), name, None, self.lenient());
            return self.skip(1);
        }
        self.structured(
            start,
            Agent::of_member(name),
            Syntax::SfParams,
            self.parsed.rules.len(),
        );
    }

    fn before_equals(&mut self, start: &'a [u8], name: &'a [u8]) {
        self.skip(1);
        if known(name).is_some() {
            let value = self.value(name);
            return self.push(self.scope, name, value, self.lenient());
        }
        let before = self.parsed.rules.len();
        let agent = Agent::of_member(name);
        self.skip_blanks();
        if let Some(form) = self.member_value(agent) {
            return self.structured(start, agent, form, before);
        }
        let value = self.value(name);
        self.push(self.scope, name, value, self.lenient());
    }

    fn before_colon(&mut self, name: &'a [u8]) {
        self.skip(1);
        match known(name).map(|rule| rule.preference) {
            Some(None) => {
                let value = self.value(name);
                self.push(self.scope, name, value, self.usual());
            }
            Some(Some(_)) => self.push(self.scope_of(name), name, None, self.lenient()),
            None => self.begin_scope(name),
        }
    }

    /// A comma was forgotten after a rule, or an agent's name has several words.
    fn before_word(&mut self, start: &'a [u8], name: &'a [u8]) {
        if known(name).is_none()
            && let Some((agent, rest)) = agent_of_words(start)
        {
            self.rest = rest;
            return self.begin_scope(agent);
        }
        let name = if known(name).is_none() {
            self.unknown_words(start, name)
        } else {
            name
        };
        self.push(self.scope_of(name), name, None, self.lenient());
    }

    /// Reads the words behind an unknown one, up to one that is known or ends otherwise than at a blank: `no ai` is one rule.
    fn unknown_words(&mut self, start: &'a [u8], first: &'a [u8]) -> &'a [u8] {
        let mut length = first.len();
        loop {
            let rest = self.rest;
            let word = self.name();
            let is_alone = self
                .rest
                .first()
                .is_none_or(|byte| is_blank(*byte) || matches!(byte, b',' | b';'));
            if word.is_empty() || !is_alone || known(word).is_some() || length > AGENT_WORDS_BYTES {
                self.rest = rest;
                return start.get(..length).unwrap_or(first);
            }
            length = start.len() - self.rest.len();
            self.skip_blanks();
        }
    }

    fn begin_scope(&mut self, name: &'a [u8]) {
        self.scope = Agent::of_prefix(name);
        self.prefix = Some(self.parsed.rules.len());
    }

    /// The value of the member is already read.
    fn structured(&mut self, start: &'a [u8], agent: Agent<'a>, form: Syntax, before: usize) {
        self.params(agent);
        let syntax = self.settle(start, before, form);
        if self.parsed.rules.len() == before {
            self.parsed.agents_without_rules.push((agent, syntax));
        }
    }

    /// Gives a member's rules their form: strict if the whole member is RFC 9651.
    fn settle(&mut self, start: &[u8], before: usize, strict: Syntax) -> Syntax {
        let member = start
            .get(..start.len() - self.rest.len())
            .unwrap_or_default();
        self.skip_blanks();
        let is_whole = matches!(self.rest.first(), None | Some(b','));
        let syntax = if is_whole && is_dictionary(member.trim_ascii_end()) {
            strict
        } else {
            Syntax::Draft
        };
        for rule in self.parsed.rules.iter_mut().skip(before) {
            rule.syntax = syntax;
        }
        syntax
    }

    /// In such a list, semicolons separate.
    fn is_list_of_rules(&self) -> bool {
        self.prefix.is_some() || matches!(self.place, TagPlace::Meta(_))
    }

    fn usual(&self) -> Syntax {
        match (self.place, self.prefix) {
            (TagPlace::Meta(_), _) => Syntax::Meta,
            (_, Some(_)) => Syntax::LegacyAgent,
            (_, None) => Syntax::Legacy,
        }
    }

    fn lenient(&self) -> Syntax {
        match self.place {
            TagPlace::Meta(_) => Syntax::Meta,
            TagPlace::RobotsTag | TagPlace::XRobotsTag => Syntax::LegacyLenient,
        }
    }

    pub(super) fn push(
        &mut self,
        agent: Agent<'a>,
        name: &'a [u8],
        value: Option<Cow<'a, [u8]>>,
        syntax: Syntax,
    ) {
        if self.is_full() {
            self.parsed.is_cut = true;
        } else {
            self.parsed.rules.push(TagRule {
                agent,
                name,
                value,
                syntax,
            });
        }
    }

    fn is_full(&self) -> bool {
        self.parsed.rules.len() >= MAX_RULES
    }

    /// Reads the value of a rule: a string without its quotes, anything else as written.
    pub(super) fn value(&mut self, name: &[u8]) -> Option<Cow<'a, [u8]>> {
        self.skip_blanks();
        match self.quoted() {
            Some(content) => kept(unescaped(content)),
            None => kept(Cow::Borrowed(self.take(value_len(name, self.rest)))),
        }
    }

    pub(super) fn quoted(&mut self) -> Option<&'a [u8]> {
        let content = self
            .rest
            .strip_prefix(b"\"")
            .filter(|_| !self.has_unclosed)?;
        let end = quoted_len(content);
        steps::count(end.unwrap_or(content.len()));
        self.has_unclosed = end.is_none();
        let (content, rest) = content.split_at_checked(end?)?;
        self.rest = rest.get(1..).unwrap_or_default();
        Some(content)
    }

    pub(super) fn name(&mut self) -> &'a [u8] {
        self.take(
            self.rest
                .iter()
                .take_while(|byte| is_name_byte(**byte))
                .count(),
        )
    }

    pub(super) fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .unwrap_or((self.rest, b""));
        self.rest = rest;
        taken
    }

    pub(super) fn skip(&mut self, count: usize) {
        let _ = self.take(count);
    }

    pub(super) fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn skip_separators(&mut self) -> bool {
        let count = self
            .rest
            .iter()
            .take_while(|byte| **byte == b',' || is_blank(**byte))
            .count();
        let skipped = self.take(count);
        self.behind_comma = skipped.contains(&b',');
        !self.rest.is_empty()
    }
}

/// Returns an agent's name of several words, and the text behind its colon.
fn agent_of_words(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let near = text.get(..AGENT_WORDS_BYTES).unwrap_or(text);
    let end = near
        .iter()
        .position(|byte| !is_name_byte(*byte) && !is_blank(*byte))?;
    let (words, from) = text.split_at_checked(end)?;
    let rest = from.strip_prefix(b":")?;
    let words = words.trim_ascii_end();
    let last = words.rsplit(|byte| is_blank(*byte)).next()?;
    known(last).is_none().then_some((words, rest))
}
