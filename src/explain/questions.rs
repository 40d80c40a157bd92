//! Questions of scenarios about single systems, beyond the columns of `pages`.
//!
//! Example: the application `examplesearch` asks for its App-Directives, and the expressions `ai=n` and `genai=y` ask SUP for
//! preferences. Left out: the decision about the page (`page`).

use super::robots_lines::{RobotsLine, RobotsText};
use super::scenario::{Questions, TagQuestion};
use crate::systems::aipref_vocab::{Answers, Statement, Vocabulary};
use crate::systems::app_directives::{AppDirectives, DirectiveValue};
use crate::systems::automation_preferences::{AutomationFile, AutomationPolicy};
use crate::systems::path_rules::lines_of;
use crate::systems::robots_tag::{
    Agent, Binding, Parsed, Syntax, TagPlace, is_dictionary_of_lines, lower, parse, tags,
};
use crate::systems::structured_field::field_value;
use crate::systems::sup::{LabelValues, SupLabel, field_lines, pieces, usage_lines};
use crate::systems::{FileBody, Page, Viewpoint};
use crate::web::field::Field;
use crate::web::preference::Preference;
use crate::web::product_token::ProductToken;
use crate::web::shown::shown;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The preferences of a source, by label.
pub type Preferences = BTreeMap<String, Preference>;

/// The rules in the draft of robots tags (Robots controls rules: "Unsupported rules must be ignored").
const OF_DRAFT: [&str; 2] = ["noindex", "nosnippet"];

/// The combined meaning of statements of the AI preference vocabulary.
#[derive(Debug, Serialize)]
pub struct StatementsAnswer {
    /// Whether each statement can be parsed.
    pub parses: Vec<bool>,
    /// The defects of those that cannot.
    #[serde(skip)]
    pub defects: Vec<String>,
    /// The preferences of all statements together.
    pub preferences: Preferences,
}

/// The App-Directives for one application.
#[derive(Debug)]
pub struct AppDirectivesAnswer {
    pub application: String,
    /// Its directives by name; `None` if no line names it.
    pub directives: Option<BTreeMap<String, DirectiveValue>>,
    /// The lines that name it.
    pub rules: Vec<RobotsLine>,
}

/// The answer of an automation-preferences.txt for a page; without a group that applies, only whether it is rejected.
#[derive(Debug, Serialize)]
pub struct AutomationAnswer {
    /// Whether the whole file is rejected.
    pub rejected: bool,
    /// The scope by which the group applies that decides, as written.
    pub group_scope: Option<String>,
    /// The methods that it allows.
    pub allowed_methods: Option<Vec<&'static str>>,
    /// The purposes, as written.
    pub allowed_purposes: Option<Vec<String>>,
    /// Whether it allows the method in question.
    pub method_allowed: Option<bool>,
    /// The numbers of its lines.
    #[serde(skip)]
    pub lines: Option<Vec<u32>>,
}

/// The meaning of robots tags for the viewpoint's crawler.
#[derive(Debug, Serialize)]
pub struct RobotsTags {
    /// The draft's rules for each product token, in lower case.
    pub rules_by_token: BTreeMap<String, BTreeSet<&'static str>>,
    /// The draft's rules that bind the crawler.
    pub effective_tags: Vec<&'static str>,
    /// Every rule that binds the crawler.
    #[serde(skip)]
    pub rules: Vec<String>,
}

/// The meaning of the lines of one robots tag.
#[derive(Debug, Serialize)]
pub struct TagAnswer {
    /// The rules in their order.
    pub rules: Vec<TagLineRule>,
    /// The agents without a rule.
    pub agents_without_rules: Vec<TagAgent>,
    /// Whether the lines are a dictionary of RFC 9651; `None` for metas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_rfc9651_dictionary: Option<bool>,
}

/// A rule of a robots tag.
#[derive(Debug, Serialize)]
pub struct TagLineRule {
    /// The agent, in lower case, and the form in which the rule was written.
    #[serde(flatten)]
    pub agent: TagAgent,
    /// The rule, in lower case.
    pub rule: String,
    pub value: Option<String>,
}

/// An agent of a robots tag.
#[derive(Debug, Serialize)]
pub struct TagAgent {
    /// The agent, in lower case.
    pub agent: String,
    /// The form in which it was written.
    pub syntax: &'static str,
}

#[derive(Debug, Serialize)]
pub struct SupAnswer {
    /// The preference for each label.
    pub sup_preferences: BTreeMap<&'static str, Preference>,
    /// The same, if the scenario has expressions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferences: Option<BTreeMap<&'static str, Preference>>,
    /// The answer for the usage in question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub determination: Option<Preference>,
    /// The lines of robots.txt that state something.
    #[serde(skip)]
    pub rules: Vec<RobotsLine>,
    /// Whether the header field states something.
    #[serde(skip)]
    pub header: bool,
    /// The expressions of the scenario that state something.
    #[serde(skip)]
    pub expressions: Vec<String>,
}

/// Returns the combined meaning of statements.
pub fn statements(statements: &[String], vocabulary: &Vocabulary) -> StatementsAnswer {
    let parsed: Vec<_> =
        statements.iter().map(|text| Statement::parse(text.as_bytes(), vocabulary)).collect();
    let answers =
        parsed.iter().flatten().fold(Answers::UNKNOWN, |all, one| all.and(&one.answers(vocabulary)));
    StatementsAnswer {
        parses: parsed.iter().map(Result::is_ok).collect(),
        defects: parsed.iter().filter_map(|one| Some(one.as_ref().err()?.to_string())).collect(),
        preferences: by_label(&answers, vocabulary),
    }
}

/// Returns answers by the names of their labels.
pub fn by_label(answers: &Answers, vocabulary: &Vocabulary) -> Preferences {
    vocabulary.labels().map(|(label, name)| (name.to_owned(), answers.of(label))).collect()
}

/// Returns the App-Directives for an application.
pub fn app_directives(
    application: &str,
    page: &Page<'_>,
    file: Option<&RobotsText<'_>>,
    viewpoint: &Viewpoint,
) -> Option<AppDirectivesAnswer> {
    let site = file.map(RobotsText::site);
    let rules = AppDirectives::compile_for(application, site.as_ref(), viewpoint);
    let path = page.path?;
    let lines = lines_of(rules.naming(application, path)).into_iter();
    let lines = file.map(|file| file.records(lines)).unwrap_or_default();
    let applications = rules.first_applications(path, usize::MAX);
    let named = applications.iter().find(|one| one.name == application);
    let directives = named.map(|named| named.directives.iter().cloned().collect());
    Some(AppDirectivesAnswer { application: application.to_owned(), directives, rules: lines })
}

/// Returns the answer of an automation-preferences.txt for a page.
pub fn automation(
    copy: FileBody<'_>,
    page: &Page<'_>,
    viewpoint: &Viewpoint,
    method: Option<&str>,
) -> AutomationAnswer {
    let file = AutomationFile::parse(copy.bytes);
    let policy = AutomationPolicy::new(&file, viewpoint);
    let group = policy.decide(page);
    let method = method.unwrap_or("GET");
    AutomationAnswer {
        rejected: file.control_byte_line.is_some(),
        group_scope: group.map(|(_, scope)| scope.to_owned()),
        allowed_methods: group.map(|(rule, _)| rule.methods.clone()),
        allowed_purposes: group.map(|(rule, _)| rule.purposes.clone()),
        // A method outside the grammar cannot be listed.
        method_allowed: group
            .map(|(rule, _)| rule.methods.iter().any(|allowed| allowed.eq_ignore_ascii_case(method))),
        lines: group.map(|(rule, _)| rule.lines.clone()),
    }
}

/// Returns the meaning of robots tags for a crawler.
pub fn robots_tags(fields: &[Field<'_>], token: &ProductToken) -> RobotsTags {
    let binding = Binding::new(fields, token, None);
    let effective_tags = OF_DRAFT.into_iter().filter(|name| binding.has(name)).collect();
    RobotsTags { rules_by_token: by_token(fields, token), effective_tags, rules: binding.rules }
}

/// draft-illyes-repext-02, Application Layer Response Header: equal product tokens merge; one without rules has an empty set.
fn by_token(fields: &[Field<'_>], token: &ProductToken) -> BTreeMap<String, BTreeSet<&'static str>> {
    let mut by_token: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    for tag in tags(fields, token) {
        for (agent, _) in &tag.parsed.agents_without_rules {
            by_token.entry(lower(agent.as_bytes())).or_default();
        }
        for rule in &tag.parsed.rules {
            let names = by_token.entry(lower(rule.agent.as_bytes())).or_default();
            names.extend(rule.known_name().filter(|name| rule.is_set() && OF_DRAFT.contains(name)));
        }
    }
    by_token
}

/// Returns the meaning of the lines of one robots tag.
///
/// Left out: agents that are written as a prefix alone (`bot:`), because they have no member.
pub fn tag(question: &TagQuestion) -> TagAnswer {
    let lines: Vec<&[u8]> = question.lines.iter().map(String::as_bytes).collect();
    let source = question.source.as_deref().unwrap_or_default();
    let place = match source.strip_prefix("meta:") {
        Some(name) => TagPlace::Meta(Agent::of_prefix(name.as_bytes())),
        None if source.eq_ignore_ascii_case("robots-tag") => TagPlace::RobotsTag,
        None => TagPlace::XRobotsTag,
    };
    let is_field = !matches!(place, TagPlace::Meta(_));
    let parsed: Vec<Parsed<'_>> = lines.iter().map(|line| parse(place, line)).collect();
    let agent = |agent: &Agent<'_>, syntax: Syntax| TagAgent {
        agent: lower(agent.as_bytes()),
        syntax: syntax.as_str(),
    };
    let rules = parsed.iter().flat_map(|line| &line.rules).map(|rule| TagLineRule {
        agent: agent(&rule.agent, rule.syntax),
        rule: lower(rule.name),
        value: rule.value.as_deref().map(|value| shown(value).into_owned()),
    });
    let agents = parsed.iter().flat_map(|line| &line.agents_without_rules);
    let agents = agents.map(|(one, syntax)| agent(one, *syntax));
    TagAnswer {
        rules: rules.collect(),
        agents_without_rules: agents.collect(),
        valid_rfc9651_dictionary: is_field.then(|| is_dictionary_of_lines(&lines)),
    }
}

/// Returns SUP's answer: robots.txt, the header field and the expressions are recorded together (draft-thomson-aipref-sup,
/// Multiple Preference Expressions).
pub fn sup(questions: &Questions, file: Option<&RobotsText<'_>>, fields: &[Field<'_>]) -> SupAnswer {
    let states = |expression: &[u8]| pieces(expression).any(|piece| piece.defect.is_none());
    let mut values = LabelValues::UNKNOWN;
    let mut lines = Vec::new();
    for record in file.map(RobotsText::site).iter().flat_map(usage_lines) {
        values.record(record.value);
        lines.extend(Some(record.line).filter(|_| states(record.value)));
    }
    let field = field_lines(fields);
    for line in &field {
        values.record(line);
    }
    let expressions = questions.expressions.iter().flatten();
    expressions.clone().for_each(|expression| values.record(expression.as_bytes()));
    let preferences = BTreeMap::from(SupLabel::ALL.map(|label| (label.as_str(), values.preference(label))));
    SupAnswer {
        preferences: questions.expressions.as_ref().map(|_| preferences.clone()),
        sup_preferences: preferences,
        determination: questions.usage.as_ref().map(|usage| values.determination(usage)),
        rules: file.map(|file| file.records(lines)).unwrap_or_default(),
        header: field_value(&field).is_some_and(|value| states(&value)),
        expressions: expressions.filter(|text| states(text.as_bytes())).cloned().collect(),
    }
}
