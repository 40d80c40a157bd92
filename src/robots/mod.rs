//! Parse robots.txt and ask who may fetch what (RFC 9309).
//!
//! ```
//! use crawlprefs::robots::RobotsTxt;
//!
//! let robots = RobotsTxt::parse("User-agent: GPTBot\nDisallow: /private/");
//! let answer = robots.access("GPTBot", "https://a.example/private/a.html");
//! assert!(answer.is_disallowed());
//! assert_eq!(answer.line, Some(2));
//! assert!(!robots.access("CCBot", "/private/a.html").is_disallowed());
//! ```
//!
//! For many paths compile the rules once: [`RobotsTxt::rules`] for one crawler, [`RobotsTxt::rules_for`] for a table of
//! crawlers. A file reads like this:
//!
//! ```text
//! User-agent: ExampleBot      a group: its user-agent lines,
//! Disallow: /private/         its rules,
//! Content-Usage: train-ai=n   and lines of other documents, kept as they are
//! ```
//!
//! Left out: how the file was fetched (2.3.1), which its bytes do not say, and the meaning of lines of other documents:
//! `systems` reads them here with their group and line, so that a file is read once.

use std::sync::Arc;

mod access;
mod agents;
mod joined_lines;
mod limit;
mod line;
mod lost_for;
mod lost_rules;
mod managed;
mod near_miss;
mod parser;
mod record;
mod rewritten;
mod rules;
mod selection;
mod slips;
mod token_match;

pub use access::{Access, Reason, Verdict};
pub use agents::{AgentRules, Agents, TokenSet};
pub use limit::{Extent, NotALimit, ParseLimit};
pub use line::{Defect, Fault};
#[doc(hidden)]
pub use lost_for::NearMiss;
#[doc(hidden)]
pub use lost_rules::LostRules;
pub use managed::{FoundVendors, How, Managed, VendorTexts, managed_of, vendor_of};
pub use record::{AGENTS_TEXT_BYTES, Group, LineKind, RobotsRecord};
pub use rules::Rules;
pub use selection::{Matched, NamedGroups, Selection};
#[doc(hidden)]
pub use token_match::BothMatches;

use parser::ReadLines;
use record::RecordOffsets;

use crate::web::body_text::{BodyText, ReadAs, without_end_marks};
use crate::web::lines::numbered_lines;
use crate::web::path_pattern::UrlPath;
use crate::web::product_token::{NotAToken, ProductToken, TokenMatch};
use crate::web::u32_of;
use crate::web::url::PageUrl;

/// A robots.txt file, read once, with everything that its lines say.
#[derive(Clone, Debug)]
pub struct RobotsTxt {
    bytes: Arc<[u8]>,
    read: ReadLines,
    is_cut: bool,
    text: BodyText,
}

impl RobotsTxt {
    /// Reads a file that was received whole, up to 500 KiB (RFC 9309 2.5).
    ///
    /// No bytes are refused (RFC 9309 2.3.1.5: use what can be parsed). Padding at the end is dropped (READ-10). Encoded bytes,
    /// such as gzip, are unreadable: decode them first.
    pub fn parse(body: impl AsRef<[u8]>) -> Self {
        Self::parse_within(body, Extent::Whole, ParseLimit::default())
    }

    /// Reads a file up to `limit`; `extent` says whether all of it was received.
    pub fn parse_within(body: impl AsRef<[u8]>, extent: Extent, limit: ParseLimit) -> Self {
        let text = BodyText::classify(body.as_ref(), ReadAs::RobotsTxt);
        Self {
            text,
            ..Self::parse_text(body, extent, limit)
        }
    }

    /// Reads a file that is known to be text, without checking its bytes for that again.
    pub(crate) fn parse_text(body: impl AsRef<[u8]>, extent: Extent, limit: ParseLimit) -> Self {
        let (kept, is_cut) = limit.apply(without_end_marks(body.as_ref()), extent);
        Self {
            bytes: kept.into(),
            read: ReadLines::read(kept),
            is_cut,
            text: BodyText::Text,
        }
    }

    /// Returns whether a crawler may fetch a URL or a path, which may have a query: `/a?b`. It does not check that the URL
    /// belongs to the site of this file.
    ///
    /// The answer is unknown if the file is not readable text ([`Self::is_unreadable`]). It is unknown instead of allow if a
    /// line was meant as a rule and cannot be read.
    ///
    /// `crawler` is a product token such as `GPTBot`, compared without case; a name that no user-agent line can have is
    /// answered by the groups for `*`.
    ///
    /// Ours: a whole User-Agent field (`Mozilla/5.0 (compatible; GPTBot/1.2)`) and a list of names, which are no product token,
    /// are answered by the first of their words with groups that disallow, so that no rule for a word is lost.
    pub fn access(&self, crawler: &str, url_or_path: &str) -> Access<'_> {
        // Anything that begins with a slash has no scheme.
        let url = (!url_or_path.starts_with('/')).then(|| PageUrl::new(url_or_path.as_bytes()));
        let (path, query) = match (&url, url_or_path.split_once('?')) {
            (Some(Ok(url)), _) => (url.path(), url.query()),
            (_, Some((path, query))) => (path, Some(query)),
            (_, None) => (url_or_path, None),
        };
        let path = UrlPath::new(path.as_bytes(), query.map(str::as_bytes));
        let of_token = |token: &ProductToken| self.access_of(Some(token), &path);
        let of_everyone = || self.access_of(None, &path);
        match ProductToken::of_crawler(crawler) {
            Ok(token) => of_token(&token),
            Err(NotAToken::UserAgentField | NotAToken::List) => {
                let words = crawler.split([' ', '\t', '/', ';', '(', ')', ',', '|']);
                let mut answers = words
                    .filter_map(|word| ProductToken::new(word).ok())
                    .map(|word| of_token(&word));
                answers
                    .find(Access::is_disallowed)
                    .unwrap_or_else(of_everyone)
            }
            Err(NotAToken::Empty | NotAToken::Byte(_)) => of_everyone(),
        }
    }

    /// Returns the answer for a token, or for a crawler that no user-agent line can name.
    fn access_of(&self, token: Option<&ProductToken>, path: &UrlPath) -> Access<'_> {
        let selection = match token {
            Some(token) => self.selection(token, TokenMatch::Exact),
            None => self.wildcard_selection(TokenMatch::Exact),
        };
        let answer = self.access_once(&selection, path);
        if answer.reason == Reason::RobotsTxtItself {
            answer
        } else if self.is_unreadable() {
            Access::unknown(Reason::Unreadable)
        } else if answer.is_allowed() && self.may_close_by_lost_lines(token, path) {
            Access::unknown(Reason::LineLost)
        } else {
            answer
        }
    }

    /// Returns whether a line that was meant as a rule and cannot be read may close a path.
    fn may_close_by_lost_lines(&self, token: Option<&ProductToken>, path: &UrlPath) -> bool {
        let misses = self.near_misses(|_| false);
        if misses.is_empty() {
            return false;
        }
        let agents = Agents::of_one(token, TokenMatch::Exact);
        let rewritten = self.rewritten(&misses, |_| false);
        let rules = self.rules_for(&agents);
        LostRules::new(&misses, rewritten.as_ref(), &agents, &rules).may_close(0, path)
    }

    /// Returns whether the file is not readable text: an image, gzip, UTF-16 (RULES READ-2 to READ-4). Its lines say nothing.
    pub fn is_unreadable(&self) -> bool {
        !matches!(self.text, BodyText::Text)
    }

    /// Returns the groups in the order of the file; groups of one crawler are not merged.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = Group<'_>> {
        (0..self.read.groups.len()).map(|index| self.group_at(index))
    }

    /// Returns one group, counted from 0.
    pub fn group(&self, index: usize) -> Option<Group<'_>> {
        (index < self.read.groups.len()).then(|| self.group_at(index))
    }

    /// Returns the records before the first user-agent line, which are in no group.
    pub fn records_before_groups(&self) -> impl Iterator<Item = RobotsRecord<'_>> {
        let first = self
            .read
            .groups
            .first()
            .map_or(self.read.entries.len(), |first| *first as usize);
        self.read
            .entries
            .iter()
            .take(first)
            .map(|entry| entry.record(&self.bytes))
    }

    /// Returns the records that are neither user-agent lines nor rules of RFC 9309, in the order of the file.
    pub(crate) fn other_records(&self) -> impl Iterator<Item = RobotsRecord<'_>> {
        let entries = self
            .read
            .others
            .iter()
            .filter_map(|place| self.read.entries.get(*place as usize));
        entries.map(|entry| entry.record(&self.bytes))
    }

    /// Returns every line that could be read, in the order of the file.
    pub fn records(&self) -> impl ExactSizeIterator<Item = RobotsRecord<'_>> {
        self.read
            .entries
            .iter()
            .map(|entry| entry.record(&self.bytes))
    }

    /// Returns the record on a line, counted from 1.
    pub fn record_on(&self, line: u32) -> Option<RobotsRecord<'_>> {
        let at = self
            .read
            .entries
            .binary_search_by_key(&line, |entry| entry.line)
            .ok()?;
        self.read
            .entries
            .get(at)
            .map(|entry| entry.record(&self.bytes))
    }

    /// Returns the faults and remarks, in the order of the file.
    pub fn defects(&self) -> &[Defect] {
        &self.read.defects
    }

    /// Returns whether a fault occurs anywhere in the file.
    pub fn has(&self, fault: Fault) -> bool {
        self.read.defects.iter().any(|defect| defect.fault == fault)
    }

    /// Returns the number of lines that have content but could not be read.
    pub fn bad_line_count(&self) -> usize {
        self.read
            .defects
            .iter()
            .filter(|defect| defect.fault.loses_the_line())
            .count()
    }

    /// Returns the number of lines, blank ones included.
    pub fn line_count(&self) -> u32 {
        self.read.line_count
    }

    /// Returns whether bytes were left unread because of the limit or because the record was cut off.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the bytes that were read.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns every line that was read, including comments and blank lines, without its line end, with its number in records.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &[u8])> {
        numbered_lines(&self.bytes)
    }

    fn group_at(&self, index: usize) -> Group<'_> {
        let (first, end) = (self.first_entry(index), self.first_entry(index + 1));
        let place = |entry: u32| self.read.agents.partition_point(|agent| *agent < entry);
        let agents = self
            .read
            .agents
            .get(place(first)..place(end))
            .unwrap_or_default();
        Group {
            index,
            entries: self.entries_of(index),
            agents: (first, agents),
            bytes: &self.bytes,
        }
    }

    fn entries_of(&self, index: usize) -> &[RecordOffsets] {
        let (first, end) = (self.first_entry(index), self.first_entry(index + 1));
        self.read
            .entries
            .get(first as usize..end as usize)
            .unwrap_or_default()
    }

    fn first_entry(&self, group: usize) -> u32 {
        self.read
            .groups
            .get(group)
            .copied()
            .unwrap_or(u32_of(self.read.entries.len()))
    }
}

#[cfg(test)]
mod tests;
