//! automation-preferences.txt as a system of preferences: its columns, answers and statements. For each scope of each group,
//! one statement says what is allowed there.
//!
//! Example: `scope: /a/`, `allowed-methods: HEAD` states for the path `/a/` the value `HEAD`, which is disallow for GET.
//! Disregarded lines are there with their defects; a file without any line of the draft, such as a page that says that nothing
//! was found, gives only one row.

use super::cut::Directive;
use super::decide::AutomationRules;
use super::file::{AutomationGroup, AutomationLine, Method, Opening};
use super::{AutomationFile, SYSTEM};
use crate::systems::{
    About, Answer, Compiled, Lines, MAX_GROUNDS, Page, SiteFiles, Source, Statement, System, Value, Viewpoint,
};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::preference::Preference;
use crate::web::shown::joined;

/// automation-preferences.txt: draft-liao-aipref-autoctl-core.
pub struct AutomationPreferences;

const COLUMNS: [Column; 3] = [
    Column::text(
        "automation_get",
        "answer of automation-preferences.txt for GET: allow, disallow, unknown; it never opens a closed page",
    ),
    Column::texts("automation_methods", "methods that its deciding group allows; NULL if no group applies")
        .or_null(),
    Column::texts(
        "automation_purposes",
        "purposes for which that group allows them, as written; NULL if no group applies",
    )
    .or_null(),
];

static ABOUT: About = About {
    name: SYSTEM,
    title: "automation",
    documents: &["draft-liao-aipref-autoctl-core-01"],
    carriers: "`/automation-preferences.txt`",
    left_out: "freshness, and what purposes mean: the draft leaves both open",
    columns: &COLUMNS,
    column_prefix: "automation_",
    lines: Lines::NONE,
    fields_of_others: &[],
    site_file: Some(CaptureKind::Automation),
    labels: &[],
};

impl System for AutomationPreferences {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn compile(&self, files: &SiteFiles<'_>, viewpoint: &Viewpoint) -> Box<dyn Compiled> {
        let file = files.copies.first().map_or(&b""[..], |copy| copy.bytes);
        Box::new(AutomationPolicy::new(&AutomationFile::parse(file), viewpoint))
    }

    fn statements(&self, source: &Source<'_>, _viewpoint: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::SiteFile(CaptureKind::Automation, body) => give_file(body.bytes, give),
            Source::SiteFile(..) | Source::Record(_) | Source::Robots(_) => {}
        }
    }
}

/// A site's file, as it applies to the viewpoint.
pub struct AutomationPolicy {
    rules: AutomationRules,
}

/// The decision for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision<'p> {
    /// The scope, as written, by which the deciding group applies.
    pub scope: &'p str,
    /// The methods that this group allows, by name.
    pub methods: &'p [Method],
    /// The purposes, as written.
    pub purposes: &'p [String],
    pub lines: &'p [u32],
}

impl Decision<'_> {
    /// Returns whether a method is allowed: "Methods that are not listed are assumed to be disallowed".
    pub fn preference(&self, method: Method) -> Preference {
        if self.methods.contains(&method) { Preference::Allow } else { Preference::Disallow }
    }
}

impl AutomationPolicy {
    /// Compiles a file.
    pub fn new(file: &AutomationFile, viewpoint: &Viewpoint) -> Self {
        Self { rules: AutomationRules::new(file, viewpoint) }
    }

    /// Returns the decision for a page; `None` if no group applies, so that nothing is said.
    pub fn decide(&self, page: &Page<'_>) -> Option<Decision<'_>> {
        let (rule, scope) = self.rules.decide(page)?;
        Some(Decision { scope, methods: &rule.methods, purposes: &rule.purposes, lines: rule.lines() })
    }
}

impl Compiled for AutomationPolicy {
    fn answer<'a>(&'a self, page: &Page<'a>, _viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let decision = self.decide(page);
        let get = decision.as_ref().map_or(Preference::Unknown, |decision| decision.preference(Method::Get));
        answer.values.push(Value::Word(get.as_str()));
        let texts = |texts: Option<Vec<String>>| texts.map_or(Value::Null, Value::Texts);
        let names = |methods: &[Method]| methods.iter().map(|method| method.as_str().to_owned()).collect();
        answer.values.push(texts(decision.as_ref().map(|decision| names(decision.methods))));
        answer.values.push(texts(
            decision.map(|decision| decision.purposes.iter().take(MAX_GROUNDS).cloned().collect()),
        ));
    }
}

pub(super) fn give_file(bytes: &[u8], give: &mut dyn FnMut(&Statement<'_>)) {
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
    // The agent is repeated in each statement of the group, and a file may have ten thousands of both.
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

/// Gives the parts of a line that are not in the rows of its group's scopes.
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
