//! The statements of an automation-preferences.txt: for each scope of each group, what is allowed there.
//!
//! Example: `scope: /a/`, `allowed-methods: HEAD` states for the path `/a/` the value `HEAD`, which is
//! disallow for GET. What is disregarded is there with its defect; of a file in which no line is
//! one of the draft's, such as a page that says that nothing was found, only one row is given.

use super::SYSTEM;
use super::directive::Directive;
use super::file::{AutomationFile, AutomationGroup, AutomationLine, Opening};
use super::methods::Method;
use crate::systems::Statement;
use crate::web::capture_kind::CaptureKind;
use crate::web::preference::Preference;
use crate::web::shown::joined;

/// Gives the statements of a file.
pub(super) fn give(bytes: &[u8], give: &mut dyn FnMut(&Statement<'_>)) {
    let file = AutomationFile::parse(bytes);
    let is_known =
        |line: &AutomationLine| !matches!(line.directive, Directive::Unknown | Directive::Unreadable);
    let mut lines = file.blocks.iter().flat_map(|block| &block.lines);
    if !lines.any(is_known) {
        let first = file.blocks.first().and_then(|block| block.lines.first());
        if let Some(line) = first {
            give(&Statement { defect: Some("other_text"), ..of_line(line) });
        }
        return;
    }
    for block in &file.blocks {
        give_group(block, file.control_byte_line, give);
    }
}

fn give_group(group: &AutomationGroup, control_byte_line: Option<u32>, give: &mut dyn FnMut(&Statement<'_>)) {
    // It is repeated in each statement of the group, and a file may have ten thousands of both.
    let agent = group.agents().next().is_some().then(|| joined(group.agents()));
    let lines: Vec<&AutomationLine> = group.lines_of(Directive::AllowedMethods).collect();
    let values: Vec<&[u8]> = lines.iter().map(|line| line.value.as_slice()).collect();
    let value = values.join(&b", "[..]);
    let get = group.methods().contains(&Method::Get);
    let mut has_scope = false;
    for (line, place) in group.scopes() {
        has_scope = true;
        let (scope, line) = (line, lines.first().copied().unwrap_or(line));
        give(&Statement {
            agent: agent.clone(),
            path: Some(&scope.value),
            key: Some(b"allowed-methods"),
            value: (!lines.is_empty()).then_some(&value),
            category: Some(Method::Get.as_str()),
            preference: Some(if get { Preference::Allow } else { Preference::Disallow }),
            defect: match control_byte_line {
                Some(_) => Some("control_byte_in_file"),
                None if !place.can_match() => Some("path_without_slash"),
                None => (group.opening == Opening::Name).then_some("blank_line_missing"),
            },
            ..of_line(line)
        });
    }
    for line in &group.lines {
        give_line(line, agent.as_deref(), has_scope, give);
    }
}

/// Gives what of a line is not in the rows of its group's scopes.
fn give_line(
    line: &AutomationLine,
    agent: Option<&str>,
    has_scope: bool,
    give: &mut dyn FnMut(&Statement<'_>),
) {
    let row = Statement { agent: agent.map(str::to_owned), ..of_line(line) };
    match line.directive {
        Directive::AllowedPurposes => give(&Statement { category: Some("purposes"), ..row }),
        Directive::AllowedMethods if has_scope => {
            for name in line.members().filter(|name| Method::named(name).is_none()) {
                give(&Statement { value: Some(name), defect: Some("unknown_method"), ..row.clone() });
            }
        }
        // AMB-AUTO-3: a group MUST contain at least one scope.
        Directive::Host | Directive::UserAgent if !has_scope => {
            give(&Statement { defect: Some("no_scope"), ..row });
        }
        Directive::AllowedMethods => give(&Statement { defect: Some("no_scope"), ..row }),
        Directive::Unknown => give(&Statement { defect: Some("unknown_directive"), ..row }),
        Directive::Unreadable => give(&Statement { key: None, defect: Some("no_colon"), ..row }),
        Directive::Scope | Directive::Host | Directive::UserAgent => {}
    }
}

fn of_line(line: &AutomationLine) -> Statement<'_> {
    Statement {
        key: Some(&line.name),
        value: Some(&line.value),
        line: Some(line.number),
        ..Statement::unread(SYSTEM, CaptureKind::Automation.as_str(), &line.raw)
    }
}
