//! A statement of preference, as the table `statements` holds it.
//!
//! Example: the line `Usage: tdm=n,ai` gives two statements of its group, the second with the defect `no_value`.
//! Left out: what a system reads in a line or field; it gives that as [`StatementMember`]s.

use crate::robots::{RobotsRecord, RobotsTxt};
use crate::web::field::Field;
use crate::web::preference::Preference;

/// What takes statements.
pub type Give<'g> = dyn FnMut(&Statement<'_>) + 'g;

#[derive(Clone, Debug, Default)]
pub struct Statement<'a> {
    pub system: &'static str,
    pub vocabulary: Option<&'a str>,
    /// header, meta, `http_equiv`, robots, or another site file.
    pub carrier: &'static str,
    /// The product tokens of its group as written, or the application, joined by comma and blank.
    pub agent: Option<String>,
    pub path: Option<&'a [u8]>,
    pub key: Option<&'a [u8]>,
    pub value: Option<&'a [u8]>,
    /// Category of use, in the system's words.
    pub category: Option<&'a str>,
    pub preference: Option<Preference>,
    pub defect: Option<&'static str>,
    pub line: Option<u32>,
    pub raw: &'a [u8],
}

/// A member of a line or field, with what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatementMember<'a> {
    pub key: &'a [u8],
    pub value: Option<&'a [u8]>,
    /// The category of use that it names, or that was probably meant.
    pub category: Option<&'a str>,
    /// What it says; `None` without a category that is its own.
    pub preference: Option<Preference>,
    pub defect: Option<&'static str>,
}

impl<'a> Statement<'a> {
    pub fn unread(system: &'static str, carrier: &'static str, raw: &'a [u8]) -> Self {
        Self {
            system,
            carrier,
            raw,
            ..Self::default()
        }
    }

    pub fn of_field(system: &'static str, field: &Field<'a>) -> Self {
        Self::unread(system, field.carrier.as_str(), field.value)
    }

    pub fn fill(&mut self, member: StatementMember<'a>) {
        let StatementMember {
            key,
            value,
            category,
            preference,
            defect,
        } = member;
        (self.key, self.value, self.category) = (Some(key), value, category);
        (self.preference, self.defect) = (preference, defect);
    }

    /// Passes on its whole line or field, which says nothing.
    pub fn give_whole(&mut self, defect: &'static str, give: &mut Give<'_>) {
        self.fill(StatementMember {
            defect: Some(defect),
            ..StatementMember::default()
        });
        self.key = None;
        give(self);
    }

    /// Passes on its members, or the whole with the defect `no_statement` if there are none.
    pub fn give_members(
        &mut self,
        members: impl IntoIterator<Item = StatementMember<'a>>,
        give: &mut Give<'_>,
    ) {
        let mut members = members.into_iter().peekable();
        if members.peek().is_none() {
            self.give_whole("no_statement", give);
        }
        for member in members {
            self.fill(member);
            give(self);
        }
    }

    /// Returns it as the statement of a meta that no document defines: its no counts, and its yes does not (READ-19).
    pub fn without_yes(&self) -> Self {
        let preference = self.preference.map(|preference| match preference {
            Preference::Allow => Preference::Unknown,
            Preference::Disallow | Preference::Unknown => preference,
        });
        Self {
            preference,
            ..self.clone()
        }
    }

    /// Passes on the lines of a system in a robots.txt, those before any group first, each with its unread statement. One
    /// statement serves for all, so that the names of a group are not copied for each line.
    pub fn of_lines(
        system: &'static str,
        robots: &'a RobotsTxt,
        is_line: impl Fn(&RobotsRecord<'_>) -> bool,
        each: &mut dyn FnMut(&RobotsRecord<'a>, &mut Self),
    ) {
        let mut row = Self::unread(system, "robots", b"");
        let mut give = |row: &mut Self, record: &RobotsRecord<'a>| {
            (row.line, row.raw) = (Some(record.line), record.text);
            each(record, row);
        };
        let mut last = None;
        for record in robots.other_records().filter(is_line) {
            if record.group != last {
                last = record.group;
                row.agent = last
                    .and_then(|group| robots.group(group))
                    .map(|group| group.agents_text());
            }
            give(&mut row, &record);
        }
    }
}
