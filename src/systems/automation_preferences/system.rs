//! automation-preferences.txt as a system of preferences: its columns, answers and statements. For each scope of each group,
//! one statement says what is allowed there.
//!
//! Example: `scope: /a/`, `allowed-methods: HEAD` states for the path `/a/` the value `HEAD`, which is disallow for GET.
//! Disregarded lines are there with their defects; a file without any line of the draft, such as a page that says that nothing
//! was found, gives only one row.

use super::cut::Directive;
use super::decide::AutomationPolicy;
use super::file::{AutomationFile, AutomationGroup, AutomationLine, is_method};
use crate::systems::{About, Answer, Compiled, Give, MAX_GROUNDS, Page, Source, Statement, System};
use crate::systems::{Value, Viewpoint};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::preference::Preference;
use crate::web::shown::joined;

const SYSTEM: &str = "automation_preferences";
const GET: &str = "GET";

const COLUMNS: [Column; 3] = [
    Column::text(
        "automation_get",
        "answer of automation-preferences.txt for GET: allow, disallow, unknown; it never opens a closed page",
    ),
    Column::texts(
        "automation_methods",
        "methods that its deciding group allows; NULL if no group applies",
    )
    .or_null(),
    Column::texts(
        "automation_purposes",
        "purposes for which that group allows them, as written; NULL if no group applies",
    )
    .or_null(),
];

pub static AUTOMATION_PREFERENCES: System = System {
    about: &About {
        name: SYSTEM,
        title: "automation",
        documents: &["draft-liao-aipref-autoctl-core-01"],
        carriers: "`/automation-preferences.txt`",
        left_out: "freshness, and what purposes mean: the draft leaves both open",
        columns: &COLUMNS,
        column_prefix: "automation_",
        site_file: Some(CaptureKind::Automation),
        ..About::NONE
    },
    compile: |files, viewpoint| {
        let file = files.copies.first().map_or(&b""[..], |copy| copy.bytes);
        Box::new(AutomationPolicy::new(
            &AutomationFile::parse(file),
            viewpoint,
        ))
    },
    statements: |source, _, give| {
        if let Source::SiteFile(CaptureKind::Automation, body) = source {
            give_file(body.bytes, give);
        }
    },
};

fn get(methods: &[&str]) -> Preference {
    if methods.contains(&GET) {
        Preference::Allow
    } else {
        Preference::Disallow
    }
}

impl Compiled for AutomationPolicy {
    fn answer<'a>(&'a self, page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let Some((rule, _)) = self.decide(page) else {
            let unknown = Value::Word(Preference::Unknown.as_str());
            return answer.values.extend([unknown, Value::Null, Value::Null]);
        };
        let methods = rule.methods.iter().map(|method| (*method).to_owned());
        let purposes = rule.purposes.iter().take(MAX_GROUNDS).cloned();
        answer.values.push(Value::Word(get(&rule.methods).as_str()));
        answer.values.extend([
            Value::Texts(methods.collect()),
            Value::Texts(purposes.collect()),
        ]);
    }
}

fn give_file(bytes: &[u8], give: &mut Give<'_>) {
    let file = AutomationFile::parse(bytes);
    let mut lines = file.blocks.iter().flat_map(|block| &block.lines);
    let first = lines.clone().next();
    if !lines.any(|line| !matches!(line.directive, Directive::Unknown | Directive::Unreadable)) {
        let other_text = |line| Statement {
            defect: Some("other_text"),
            ..of_line(line)
        };
        return first.into_iter().for_each(|line| give(&other_text(line)));
    }
    for block in &file.blocks {
        give_group(block, file.control_byte_line, give);
    }
}

fn give_group(group: &AutomationGroup, control_byte_line: Option<u32>, give: &mut Give<'_>) {
    // The agent is repeated in each statement of the group, and a file may have ten thousands of both.
    let mut agents = group.members_of(Directive::UserAgent).peekable();
    let agent = agents.peek().is_some().then(|| joined(agents));
    let lines: Vec<&AutomationLine> = group.lines_of(Directive::AllowedMethods).collect();
    let values: Vec<&[u8]> = lines.iter().map(|line| line.value.as_slice()).collect();
    let value = values.join(&b", "[..]);
    let get = get(&group.methods());
    let mut has_scope = false;
    for (line, place) in group.scopes() {
        has_scope = true;
        let (scope, line) = (line, lines.first().copied().unwrap_or(line));
        give(&Statement {
            agent: agent.clone(),
            path: Some(&scope.value),
            key: Some(b"allowed-methods"),
            value: (!lines.is_empty()).then_some(&value),
            category: Some(GET),
            preference: Some(get),
            defect: match control_byte_line {
                Some(_) => Some("control_byte_in_file"),
                None if !place.can_match() => Some("path_without_slash"),
                None => group.lacks_blank_line.then_some("blank_line_missing"),
            },
            ..of_line(line)
        });
    }
    for line in &group.lines {
        give_line(line, agent.as_deref(), has_scope, give);
    }
}

/// Gives the parts of a line that are not in the rows of its group's scopes.
fn give_line(line: &AutomationLine, agent: Option<&str>, has_scope: bool, give: &mut Give<'_>) {
    let row = Statement {
        agent: agent.map(str::to_owned),
        ..of_line(line)
    };
    match line.directive {
        Directive::AllowedPurposes => give(&Statement {
            category: Some("purposes"),
            ..row
        }),
        Directive::AllowedMethods if has_scope => {
            for name in line.members().filter(|name| !is_method(name)) {
                give(&Statement {
                    value: Some(name),
                    defect: Some("unknown_method"),
                    ..row.clone()
                });
            }
        }
        Directive::Scope => {}
        Directive::Host | Directive::UserAgent if has_scope => {}
        // AMB-AUTO-3: a group MUST contain at least one scope.
        Directive::Host | Directive::UserAgent | Directive::AllowedMethods => {
            give(&Statement {
                defect: Some("no_scope"),
                ..row
            });
        }
        Directive::Unknown => give(&Statement {
            defect: Some("unknown_directive"),
            ..row
        }),
        Directive::Unreadable => give(&Statement {
            key: None,
            defect: Some("no_colon"),
            ..row
        }),
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
