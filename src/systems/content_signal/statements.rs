//! Content-Signal's rows of the table `statements`: one for each member, for any crawler.
//!
//! Example: `Content-Signal: /a search=yes, x=1` on line 3 gives two rows, both with the path `/a`
//! and line 3, the first flagged `with_path` and the second `unknown_key`.
//! Left out: what is stated for a page.

use super::member::{SignalMember, members};
use super::{NAMES, SYSTEM};
use crate::robots::RobotsTxt;
use crate::systems::Statement;
use crate::systems::path_rules::split_path;
use crate::web::field::{Carrier, Field};

/// Whether a line is in a group, which the published form demands.
#[derive(Clone, Copy)]
enum SignalPlace {
    Group,
    NoGroup,
    Header,
}

/// Gives the statements of the header field's lines.
pub(super) fn give_header<'a>(values: impl Iterator<Item = &'a [u8]>, give: &mut dyn FnMut(&Statement<'_>)) {
    for value in values {
        let mut row = Statement::unread(SYSTEM, Carrier::Header.as_str(), value);
        give_members(value, SignalPlace::Header, &mut row, give);
    }
}

/// Gives the statements of a meta that is named like the header field.
pub(super) fn give_meta(field: &Field<'_>, give: &mut dyn FnMut(&Statement<'_>)) {
    let mut row = Statement::unread(SYSTEM, field.carrier.as_str(), field.value);
    give_members(field.value, SignalPlace::Header, &mut row, give);
}

/// Gives the statements of a robots.txt, those before any group first.
pub(super) fn give_robots(robots: &RobotsTxt, give: &mut dyn FnMut(&Statement<'_>)) {
    Statement::of_lines(SYSTEM, robots, |record| record.is_any(&NAMES), &mut |record, row| {
        let place = if record.group.is_some() { SignalPlace::Group } else { SignalPlace::NoGroup };
        row.agent.get_or_insert_with(|| "*".to_owned());
        give_members(record.value, place, row, give);
    });
}

fn give_members<'a>(
    value: &'a [u8],
    place: SignalPlace,
    row: &mut Statement<'a>,
    give: &mut dyn FnMut(&Statement<'_>),
) {
    let (path, text) = split_path(value);
    row.path = path;
    let mut found = members(text).peekable();
    if found.peek().is_none() {
        fill(row, None, Some("no_statement"));
        give(row);
    }
    for member in found {
        let defect = member.meaning.defect().or(flag(place, path));
        fill(row, Some(&member), defect);
        give(row);
    }
}

/// Returns what is odd about a statement that can be read.
///
/// Ours: a row has one defect. That for which a member says nothing comes first, then the group, for
/// the path has a column of its own.
fn flag(place: SignalPlace, path: Option<&[u8]>) -> Option<&'static str> {
    match place {
        SignalPlace::NoGroup => Some("no_group"),
        SignalPlace::Group | SignalPlace::Header => path.map(|_| "with_path"),
    }
}

fn fill<'a>(row: &mut Statement<'a>, member: Option<&SignalMember<'a>>, defect: Option<&'static str>) {
    row.key = member.map(|member| member.key);
    row.value = member.and_then(|member| member.value);
    row.category = member.and_then(|member| member.meaning.category());
    row.preference = member.and_then(|member| member.meaning.preference());
    row.defect = defect;
}
