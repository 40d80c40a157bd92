//! automation-preferences.txt as a system of preferences: its columns and its answers.

use super::decide::AutomationRules;
use super::methods::Method;
use super::{AutomationFile, SYSTEM, statements};
use crate::systems::{
    About, Answer, Compiled, Lines, MAX_GROUNDS, Page, SiteFiles, Source, Statement, System, Value, Viewpoint,
};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::preference::Preference;

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
            Source::SiteFile(CaptureKind::Automation, body) => statements::give(body.bytes, give),
            Source::SiteFile(..) | Source::Record(_) | Source::Robots(_) => {}
        }
    }
}

/// What a site's file says to the viewpoint.
pub struct AutomationPolicy {
    rules: AutomationRules,
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

    /// Returns what is said of a page; `None` where no group applies, so that nothing is said.
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
