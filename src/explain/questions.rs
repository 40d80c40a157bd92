//! Questions of scenarios about single systems, beyond the columns of `pages`.
//!
//! Example: the application `examplesearch` asks for its App-Directives, and the expressions `ai=n` and `genai=y` ask SUP for
//! preferences. Left out: the decision about the page (`page`).

use super::robots_lines::{RobotsText, numbers_and_texts};
use super::scenario::{Questions, TagQuestion};
use crate::systems::aipref_vocab::{Answers, Vocabulary, VocabularyStatement};
use crate::systems::app_directives::{AppDirectives, DirectiveValue};
use crate::systems::automation_preferences::{AutomationFile, AutomationPolicy};
use crate::systems::robots_tag::{
    Agent, Binding, Parsed, TagPlace, is_dictionary_of_lines, lower, parse, tags,
};
use crate::systems::structured_field::{field_value, header_lines};
use crate::systems::sup::{FIELD, LabelValues, SupLabel, pieces, usage_lines};
use crate::systems::{FileBody, Page, Viewpoint, path_rules::lines_of};
use crate::web::{field::Field, preference::Preference, product_token::ProductToken, shown::shown};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The preferences of a source, by label.
pub type Preferences = BTreeMap<String, Preference>;

/// The rules in the draft of robots tags (Robots controls rules: "Unsupported rules must be ignored").
const OF_DRAFT: [&str; 2] = ["noindex", "nosnippet"];

#[derive(Clone, Debug)]
pub struct Answered {
    /// The keys that it adds to the answer of a scenario.
    pub keys: Value,
    /// What it rests on.
    pub reasons: Vec<Value>,
}

/// The answer of an automation-preferences.txt for a page; without a group that applies, only whether it is rejected.
#[derive(Debug, Serialize)]
pub struct AutomationAnswer {
    pub rejected: bool,
    /// The scope by which the group applies that decides, as written.
    pub group_scope: Option<String>,
    pub allowed_methods: Option<Vec<&'static str>>,
    pub allowed_purposes: Option<Vec<String>>,
    pub method_allowed: Option<bool>,
    #[serde(skip)]
    pub lines: Option<Vec<u32>>,
}

/// Returns the combined meaning of statements of the AI preference vocabulary.
pub fn statements(statements: &[String], vocabulary: &Vocabulary) -> Answered {
    let parsed: Vec<_> = statements
        .iter()
        .map(|text| VocabularyStatement::parse(text.as_bytes(), vocabulary))
        .collect();
    let answers = parsed.iter().flatten().fold(Answers::UNKNOWN, |all, one| {
        all.and(&one.answers(vocabulary))
    });
    let are_read: Vec<bool> = parsed.iter().map(Result::is_ok).collect();
    let defects = parsed
        .iter()
        .filter_map(|one| Some(one.as_ref().err()?.to_string()));
    Answered {
        keys: json!({ "parses": are_read, "preferences": by_label(&answers, vocabulary) }),
        reasons: defects
            .map(|defect| json!({ "system": "aipref", "defect": defect }))
            .collect(),
    }
}

/// Returns answers by the names of their labels.
pub fn by_label(answers: &Answers, vocabulary: &Vocabulary) -> Preferences {
    vocabulary
        .labels()
        .map(|(label, name)| (name.to_owned(), answers.of(label)))
        .collect()
}

/// Returns the App-Directives for the application in question; they are null if no line names it.
pub fn app_directives(
    questions: &Questions,
    page: &Page<'_>,
    file: Option<&RobotsText<'_>>,
    viewpoint: &Viewpoint,
) -> Option<Answered> {
    let application = questions.application.as_deref()?;
    let site = file.map(RobotsText::site);
    let rules = AppDirectives::compile_for(application, site.as_ref(), viewpoint);
    let path = page.path?;
    let lines = lines_of(rules.naming(application, path));
    let applications = rules.first_applications(path, usize::MAX);
    let named = applications
        .iter()
        .find(|one| one.application.as_deref() == Some(application));
    let directive = |(name, value): &(String, DirectiveValue)| (name.clone(), directive(value));
    let directives = named.map(|named| {
        named
            .directives
            .iter()
            .map(directive)
            .collect::<Map<_, _>>()
    });
    let rules = file.map(|file| file.records(lines)).unwrap_or_default();
    let (lines, texts) = numbers_and_texts(&rules);
    let reason = json!({ "system": "app_directives", "application": application, "lines": lines, "rules": texts });
    let keys = json!({ "directives": directives, "directive_rules": texts, "directive_rule_lines": lines });
    Some(Answered {
        keys,
        reasons: vec![reason],
    })
}

/// Numbers and truth values are those of JSON; a date is a number, and other values are text.
fn directive(DirectiveValue { kind, text }: &DirectiveValue) -> Value {
    let of_json = match *kind {
        "integer" | "date" => text.parse::<i64>().ok().map(Value::from),
        "decimal" => text.parse::<f64>().ok().map(Value::from),
        "boolean" => text.parse::<bool>().ok().map(Value::from),
        _ => None,
    };
    json!({ "type": kind, "value": of_json.unwrap_or_else(|| text.as_str().into()) })
}

pub fn automation(
    copy: FileBody<'_>,
    page: &Page<'_>,
    viewpoint: &Viewpoint,
    questions: &Questions,
) -> AutomationAnswer {
    let file = AutomationFile::parse(copy.bytes);
    let policy = AutomationPolicy::new(&file, viewpoint);
    let group = policy.decide(page);
    let method = questions.method.as_deref().unwrap_or("GET");
    AutomationAnswer {
        rejected: file.control_byte_line.is_some(),
        group_scope: group.map(|(_, scope)| scope.to_owned()),
        allowed_methods: group.map(|(rule, _)| rule.methods.clone()),
        allowed_purposes: group.map(|(rule, _)| rule.purposes.clone()),
        // A method outside the grammar cannot be listed.
        method_allowed: group.map(|(rule, _)| {
            rule.methods
                .iter()
                .any(|allowed| allowed.eq_ignore_ascii_case(method))
        }),
        lines: group.map(|(rule, _)| rule.lines.clone()),
    }
}

/// Returns the draft's rules for each product token in lower case, and those that bind a crawler.
pub fn robots_tags(fields: &[Field<'_>], token: &ProductToken) -> Answered {
    let binding = Binding::new(fields, token, None);
    let effective: Vec<&str> = OF_DRAFT
        .into_iter()
        .filter(|name| binding.has(name))
        .collect();
    let rules = Some(binding.rules).filter(|rules| !rules.is_empty());
    Answered {
        keys: json!({ "rules_by_token": by_token(fields, token), "effective_tags": effective }),
        reasons: rules
            .iter()
            .map(|rules| json!({ "system": "robots_tag", "rules": rules }))
            .collect(),
    }
}

/// draft-illyes-repext-02, Application Layer Response Header: equal product tokens merge; one without rules has an empty set.
fn by_token(
    fields: &[Field<'_>],
    token: &ProductToken,
) -> BTreeMap<String, BTreeSet<&'static str>> {
    let mut by_token: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    for tag in tags(fields, token) {
        for (agent, _) in &tag.parsed.agents_without_rules {
            by_token.entry(lower(agent.as_bytes())).or_default();
        }
        for rule in &tag.parsed.rules {
            let names = by_token.entry(lower(rule.agent.as_bytes())).or_default();
            names.extend(
                rule.known_name()
                    .filter(|name| rule.is_set() && OF_DRAFT.contains(name)),
            );
        }
    }
    by_token
}

/// Returns the meaning of the lines of one robots tag.
///
/// Left out: agents that are written as a prefix alone (`bot:`), because they have no member.
pub fn tag(question: &TagQuestion) -> Answered {
    let lines: Vec<&[u8]> = question.lines.iter().map(String::as_bytes).collect();
    let source = question.source.as_deref().unwrap_or_default();
    let place = match source.strip_prefix("meta:") {
        Some(name) => TagPlace::Meta(Agent::of_prefix(name.as_bytes())),
        None if source.eq_ignore_ascii_case("robots-tag") => TagPlace::RobotsTag,
        None => TagPlace::XRobotsTag,
    };
    let parsed: Vec<Parsed<'_>> = lines.iter().map(|line| parse(place, line)).collect();
    let rules = parsed.iter().flat_map(|line| &line.rules).map(|rule| {
        json!({
            "agent": lower(rule.agent.as_bytes()), "rule": lower(rule.name),
            "value": rule.value.as_deref().map(shown), "syntax": rule.syntax.as_str(),
        })
    });
    let agents = parsed.iter().flat_map(|line| &line.agents_without_rules);
    let agents = agents.map(
        |(agent, syntax)| json!({ "agent": lower(agent.as_bytes()), "syntax": syntax.as_str() }),
    );
    let (rules, agents): (Vec<Value>, Vec<Value>) = (rules.collect(), agents.collect());
    let mut tag = json!({ "rules": rules, "agents_without_rules": agents });
    if !matches!(place, TagPlace::Meta(_)) {
        tag["valid_rfc9651_dictionary"] = is_dictionary_of_lines(&lines).into();
    }
    Answered {
        keys: json!({ "robots_tag": tag }),
        reasons: Vec::new(),
    }
}

/// Returns SUP's answer: robots.txt, the header field and the expressions are recorded together (draft-thomson-aipref-sup,
/// Multiple Preference Expressions). `preferences` of a scenario with expressions are those of SUP.
pub fn sup(questions: &Questions, file: Option<&RobotsText<'_>>, fields: &[Field<'_>]) -> Answered {
    let states = |expression: &[u8]| pieces(expression).any(|piece| piece.defect.is_none());
    let mut values = LabelValues::UNKNOWN;
    let mut lines = Vec::new();
    for record in file.map(RobotsText::site).iter().flat_map(usage_lines) {
        values.record(record.value);
        lines.extend(Some(record.line).filter(|_| states(record.value)));
    }
    let field = header_lines(fields, &[FIELD]);
    for line in &field {
        values.record(line);
    }
    let expressions = questions.expressions.iter().flatten();
    expressions
        .clone()
        .for_each(|expression| values.record(expression.as_bytes()));
    let preferences =
        BTreeMap::from(SupLabel::ALL.map(|label| (label.as_str(), values.preference(label))));
    let mut keys = json!({ "sup_preferences": preferences });
    if questions.expressions.is_some() {
        keys["preferences"] = json!(preferences);
    }
    if let Some(usage) = &questions.usage {
        keys["determination"] = json!(values.determination(usage));
    }
    let rules = file.map(|file| file.records(lines)).unwrap_or_default();
    let (lines, texts) = numbers_and_texts(&rules);
    let header = field_value(&field).is_some_and(|value| states(&value));
    let expressions: Vec<&String> = expressions.filter(|text| states(text.as_bytes())).collect();
    let reason = json!({ "system": "sup", "lines": lines, "rules": texts, "header": header, "expressions": expressions });
    let has_reason = header || !lines.is_empty() || !expressions.is_empty();
    Answered {
        keys,
        reasons: has_reason.then_some(reason).into_iter().collect(),
    }
}
