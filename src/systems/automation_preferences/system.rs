//! automation-preferences.txt as a system of preferences: its columns and its answers.

use super::decide::{Rule, decide};
use super::methods::Method;
use super::{AutomationFile, explain, statements};
use crate::systems::{FileBody, Page, Policy, Question, Site, Source, Statement, System, Value, Viewpoint};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::preference::Preference;
use serde_json::{Map, Value as Json};

/// automation-preferences.txt: draft-liao-aipref-autoctl-core.
pub struct AutomationPreferences;

pub(super) const SYSTEM: &str = "automation_preferences";

const COLUMNS: [Column; 3] = [
    Column::text(
        "automation_get",
        "answer of automation-preferences.txt for GET: allow, disallow, unknown; it never widens access",
    ),
    Column::texts("automation_methods", "methods that its deciding group allows; NULL where none applies")
        .or_null(),
    Column::texts(
        "automation_purposes",
        "purposes for which that group allows them, as written; NULL where none applies",
    )
    .or_null(),
];

impl System for AutomationPreferences {
    fn system(&self) -> &'static str {
        SYSTEM
    }

    fn columns(&self) -> &'static [Column] {
        const { &COLUMNS }
    }

    fn compile(&self, _site: Option<&Site<'_>>, _viewpoint: &Viewpoint) -> Box<dyn Policy> {
        Box::new(AutomationPolicy { rules: Vec::new() })
    }

    fn site_file(&self) -> Option<CaptureKind> {
        Some(CaptureKind::Automation)
    }

    fn compile_copies(&self, copies: &[FileBody<'_>], viewpoint: &Viewpoint) -> Box<dyn Policy> {
        let file = copies.first().map_or(&b""[..], |copy| copy.bytes);
        Box::new(AutomationPolicy::new(&AutomationFile::parse(file), viewpoint))
    }

    fn explain(&self, question: &Question<'_>, answer: &mut Map<String, Json>) {
        explain::explain(question, answer);
    }

    fn statements(&self, source: &Source<'_>, _viewpoint: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::SiteFile(CaptureKind::Automation, body) => statements::give(body.bytes, give),
            Source::SiteFile(..) | Source::Record(_) | Source::Robots(_) => {}
        }
    }
}

/// What a site's file says to the viewpoint.
pub struct AutomationPolicy {
    rules: Vec<Rule>,
}

/// What is said of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision<'p> {
    /// The scope, as written, by which the deciding group applies.
    pub scope: &'p str,
    /// What that group allows, by name.
    pub methods: &'p [Method],
    /// For what, as written.
    pub purposes: &'p [String],
    /// Its lines.
    pub lines: &'p [u32],
}

impl Decision<'_> {
    /// Tells whether a method is allowed: "Methods that are not listed are assumed to be disallowed".
    #[must_use]
    pub fn preference(&self, method: Method) -> Preference {
        if self.methods.contains(&method) { Preference::Allow } else { Preference::Disallow }
    }
}

impl AutomationPolicy {
    /// Compiles a file.
    #[must_use]
    pub fn new(file: &AutomationFile, viewpoint: &Viewpoint) -> Self {
        Self { rules: Rule::all(file, viewpoint) }
    }

    /// Returns what is said of a page; `None` where no group applies, so that nothing is said.
    #[must_use]
    pub fn decide(&self, page: &Page<'_>) -> Option<Decision<'_>> {
        let (rule, scope) = decide(&self.rules, page)?;
        Some(Decision { scope, methods: &rule.methods, purposes: &rule.purposes, lines: rule.lines() })
    }
}

impl Policy for AutomationPolicy {
    fn answer(&self, page: &Page<'_>, _viewpoint: &Viewpoint, values: &mut Vec<Value>) {
        let decision = self.decide(page);
        let get = decision.as_ref().map_or(Preference::Unknown, |decision| decision.preference(Method::Get));
        values.push(Value::Word(get.as_str()));
        let texts = |texts: Option<Vec<String>>| texts.map_or(Value::Null, Value::Texts);
        let names = |methods: &[Method]| methods.iter().map(|method| method.as_str().to_owned()).collect();
        values.push(texts(decision.as_ref().map(|decision| names(decision.methods))));
        values.push(texts(decision.map(|decision| decision.purposes.to_vec())));
    }
}
