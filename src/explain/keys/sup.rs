//! What SUP answers to a scenario of `explain --json`.
//!
//! Document: draft-thomson-aipref-sup (21 July 2025), Determination and Multiple Preference
//! Expressions. Example: `{"expressions": ["ai=n", "genai=y"]}` has `sup_preferences` with `genai`
//! allowed.
//! Left out: `preferences` of a scenario with a page, which is AIPREF's.

use super::Question;
use crate::robots::Record;
use crate::systems::sup::{FIELD, FieldLines, Label, LabelValues, Piece, SupPolicy, usage_lines};
use crate::web::preference::Preference;
use crate::web::shown::shown;
use serde_json::{Map, Value as Json, json};

/// The keys of a scenario that are SUP's, read.
struct Asked<'q> {
    /// Expressions, each from a source of its own.
    expressions: Option<Vec<&'q str>>,
    /// The labels of one usage, with their defaults.
    usage: Option<Vec<(Option<Label>, Preference)>>,
}

/// Adds `sup_preferences`, `determination` and a reason; for expressions also `preferences`, if no
/// other system has them. A scenario without page, header fields and expressions is no matter of SUP.
pub(super) fn explain(question: &Question<'_>, answer: &mut Map<String, Json>) {
    let asked = match Asked::read(question.scenario) {
        Ok(asked) => asked,
        Err(error) => {
            answer.insert("error".to_owned(), error.into());
            return;
        }
    };
    if question.page.is_none() && question.scenario["headers"].is_null() && asked.expressions.is_none() {
        return;
    }
    let field = field(question);
    let values = values(question, &field, &asked);
    let preferences = by_label(values);
    if asked.expressions.is_some() {
        answer.entry("preferences").or_insert_with(|| preferences.clone());
    }
    answer.insert("sup_preferences".to_owned(), preferences);
    if let Some(usage) = &asked.usage {
        answer.insert("determination".to_owned(), values.determination(usage).as_str().into());
    }
    if let Json::Array(reasons) = answer.entry("reasons").or_insert_with(|| Vec::<Json>::new().into()) {
        reasons.extend(reason(question, &field, &asked));
    }
}

impl<'q> Asked<'q> {
    fn read(scenario: &'q Json) -> Result<Self, String> {
        let labels = texts(scenario, "usage_labels")?;
        let default = &scenario["default"];
        let usage = labels.map(|labels| {
            let with_default =
                |label: &str| Ok((Label::named(label.as_bytes()), default_of(default, label)?));
            labels.into_iter().map(with_default).collect::<Result<Vec<_>, String>>()
        });
        Ok(Self { expressions: texts(scenario, "expressions")?, usage: usage.transpose()? })
    }
}

fn texts<'q>(scenario: &'q Json, key: &str) -> Result<Option<Vec<&'q str>>, String> {
    let read = match scenario.get(key) {
        None | Some(Json::Null) => return Ok(None),
        Some(Json::Array(list)) => list.iter().map(Json::as_str).collect(),
        Some(_) => None,
    };
    let Some(texts) = read else { return Err(wrong(key, &scenario[key], "a list of strings")) };
    Ok(Some(texts))
}

/// Returns the default policy for a label; unknown where there is none.
fn default_of(defaults: &Json, label: &str) -> Result<Preference, String> {
    let default = match defaults {
        Json::Null => None,
        Json::Object(defaults) => defaults.get(label),
        _ => return Err(wrong("default", defaults, "an object")),
    };
    let words = [Preference::Allow, Preference::Disallow, Preference::Unknown];
    match default {
        None => Ok(Preference::Unknown),
        Some(word) => words
            .into_iter()
            .find(|preference| word.as_str() == Some(preference.as_str()))
            .ok_or_else(|| wrong("default", word, "allow, disallow or unknown")),
    }
}

fn wrong(key: &str, found: &Json, expected: &str) -> String {
    const SHOWN: usize = 80;
    let found: String = found.to_string().chars().take(SHOWN).collect();
    format!("{key}: found {found}, expected {expected}")
}

/// Returns the header field of the page, or of a scenario that has header fields and no page.
fn field<'q>(question: &'q Question<'_>) -> FieldLines<'q> {
    if let Some(page) = question.page {
        return FieldLines::of(page.fields);
    }
    let headers = question.scenario["headers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let lines = headers
        .iter()
        .filter(|header| header[0].as_str().is_some_and(|name| name.eq_ignore_ascii_case(FIELD)));
    FieldLines::from_lines(lines.filter_map(|header| header[1].as_str().map(str::as_bytes)))
}

fn values(question: &Question<'_>, field: &FieldLines<'_>, asked: &Asked<'_>) -> LabelValues {
    let mut values = match question.page {
        Some(page) => SupPolicy::new(question.site).values(page),
        None => LabelValues::UNKNOWN,
    };
    if question.page.is_none() {
        field.record_into(&mut values);
    }
    for expression in asked.expressions.iter().flatten() {
        values.record(expression.as_bytes());
    }
    values
}

fn by_label(values: LabelValues) -> Json {
    let by_label = Label::ALL.map(|label| (label.as_str(), values.preference(label).as_str()));
    by_label.into_iter().map(|(label, preference)| (label.to_owned(), Json::from(preference))).collect()
}

/// Tells which sources took part, if any did.
fn reason(question: &Question<'_>, field: &FieldLines<'_>, asked: &Asked<'_>) -> Option<Json> {
    let states = |expression: &[u8]| Piece::all(expression).any(|piece| piece.is_stated());
    let lines: Vec<Record<'_>> =
        question.site.into_iter().flat_map(usage_lines).filter(|line| states(line.value)).collect();
    let numbers: Vec<u32> = lines.iter().map(|line| line.line).collect();
    let rules: Vec<_> = lines.iter().map(|line| shown(line.text)).collect();
    let header = field.value().is_some_and(|value| states(&value));
    let expressions: Vec<&str> =
        asked.expressions.iter().flatten().copied().filter(|text| states(text.as_bytes())).collect();
    let nothing = lines.is_empty() && !header && expressions.is_empty();
    (!nothing).then(|| {
        json!({ "system": "sup", "lines": numbers, "rules": rules, "header": header, "expressions": expressions })
    })
}
