//! What each system says of a page, on which lines and fields that rests, and what else it found.
//!
//! Example: a `Content-Signal` line decides `ai-train`, and another one is of a group that is not the
//! crawler's: the first is a ground, the second stands elsewhere.
//! Left out: what is said by which rule; the systems' rooms know.

use super::file::{File, Lines, TOLD};
use crate::systems::{
    FileBody, Ground, Label, Opinion, SYSTEMS, Source, Statement, System, Value as CellValue, Viewpoint,
};
use crate::verdict::labels::LabelAnswer;
use crate::verdict::{Labels, SystemAnswer};
use crate::web::capture_kind::CaptureKind;
use crate::web::field::Field;
use crate::web::shown::shown;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// Where statements about a page stand.
pub struct Sources<'q> {
    /// The robots.txt that counts.
    pub file: Option<&'q File<'q>>,
    /// The other site files that were current.
    pub copies: &'q [(CaptureKind, FileBody<'q>)],
    /// The page's header fields and metas.
    pub fields: &'q [Field<'q>],
    /// The lines of the copies.
    lines: Vec<(CaptureKind, Lines<'q>)>,
}

/// What tells two places apart: carrier, line, and the text where there is no line.
type Key = (String, Option<u64>, String);

fn key(place: &Map<String, Value>) -> Key {
    let text = |key: &str| place.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let line = place.get("line").and_then(Value::as_u64);
    (text("carrier"), line, if line.is_some() { String::new() } else { text("text") })
}

/// Tells what each system says of a page, in the order of `SYSTEMS`; those that say nothing are named.
pub fn systems(
    answers: &[SystemAnswer<'_>],
    viewpoint: &Viewpoint,
    sources: &Sources<'_>,
) -> (Vec<Value>, Vec<&'static str>) {
    let (mut speaking, mut silent) = (Vec::new(), Vec::new());
    for (system, answer) in SYSTEMS.iter().zip(answers) {
        let name = answer.about.name;
        let columns = answer.about.columns.iter().zip(&answer.values).filter(|(_, value)| speaks(value));
        let says: Map<String, Value> =
            columns.map(|(column, value)| (column.name.to_owned(), cell(value))).collect();
        let mut grounds = sources.grounds(&answer.opinions);
        let mut elsewhere = Vec::new();
        for (place, statement) in sources.statements(*system, viewpoint) {
            match grounds.get_mut(&place) {
                // A statement of JSON takes more than its first line.
                Some((_, ground)) => drop(ground.insert("text".to_owned(), statement["text"].clone())),
                None => elsewhere.push(Value::Object(statement)),
            }
        }
        let mut grounds: Vec<_> = grounds.into_values().collect();
        grounds.sort_by_key(|(order, _)| *order);
        let grounds: Vec<Value> = grounds.into_iter().map(|(_, ground)| ground.into()).collect();
        let nothing = says.is_empty() && grounds.is_empty();
        if nothing && (elsewhere.is_empty() || !is_meant(name, &elsewhere)) {
            silent.push(name);
        } else {
            let count = elsewhere.len();
            elsewhere.truncate(TOLD);
            speaking.push(json!({
                "system": name, "says": says, "grounds": grounds, "elsewhere": elsewhere,
                "elsewhere_count": count,
            }));
        }
    }
    (speaking, silent)
}

fn speaks(value: &CellValue) -> bool {
    match value {
        CellValue::Null | CellValue::Truth(false) => false,
        CellValue::Word(word) => !matches!(*word, "unknown" | "not_applicable"),
        CellValue::Texts(texts) => !texts.is_empty(),
        CellValue::Structs(structs) => !structs.is_empty(),
        CellValue::Text(_) | CellValue::Truth(true) => true,
    }
}

/// Returns the value of a column; structs are arrays of their fields.
pub fn cell(value: &CellValue) -> Value {
    match value {
        CellValue::Null => Value::Null,
        CellValue::Word(word) => (*word).into(),
        CellValue::Text(text) => text.as_str().into(),
        CellValue::Texts(texts) => texts.clone().into(),
        CellValue::Truth(truth) => (*truth).into(),
        CellValue::Structs(structs) => json!(structs),
    }
}

/// Ours: the field of AIPREF has the name of SUP's; what is no label of SUP's there is not meant for it.
fn is_meant(system: &str, statements: &[Value]) -> bool {
    system != "sup" || statements.iter().any(|statement| statement["defect"] != "unknown_label")
}

impl<'q> Sources<'q> {
    /// Takes what there is about a page.
    pub fn new(
        file: Option<&'q File<'q>>,
        copies: &'q [(CaptureKind, FileBody<'q>)],
        fields: &'q [Field<'q>],
    ) -> Self {
        let lines = copies.iter().map(|(kind, body)| (*kind, Lines::of(body.bytes))).collect();
        Self { file, copies, fields, lines }
    }

    /// Returns on what a system's answers rest, each line and field once, with their order.
    fn grounds(&self, opinions: &[Opinion<'_>]) -> HashMap<Key, (usize, Map<String, Value>)> {
        let mut grounds = HashMap::new();
        for ground in opinions.iter().flat_map(|opinion| &opinion.grounds) {
            let (place, order) = (self.place(ground), grounds.len());
            grounds.entry(key(&place)).or_insert((order, place));
        }
        grounds
    }

    /// Returns the places where a system found statements, for whomever and whatever they are: two may
    /// stand in one line.
    fn statements(&self, system: &dyn System, viewpoint: &Viewpoint) -> Vec<(Key, Map<String, Value>)> {
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        let mut sources = vec![Source::Record(self.fields)];
        sources.extend(self.file.map(|file| Source::Robots(file.robots())));
        let copies = self.copies.iter().filter(|(kind, _)| system.about().site_file == Some(*kind));
        sources.extend(copies.map(|(kind, body)| Source::SiteFile(*kind, *body)));
        for source in &sources {
            system.statements(source, viewpoint, &mut |statement| {
                let place = self.place_of(statement);
                let key = key(&place);
                if known.insert(key.clone()) {
                    found.push((key, place));
                }
            });
        }
        found
    }

    /// Returns where a ground stands, and what stands there.
    fn place(&self, ground: &Ground<'_>) -> Map<String, Value> {
        let mut place = match (ground.line, self.file) {
            (Some(line), Some(file)) if ground.carrier == CaptureKind::Robots.as_str() => file.line(line),
            (Some(line), _) => {
                let mut copies = self.lines.iter().filter(|(kind, _)| kind.as_str() == ground.carrier);
                let text = copies.nth(ground.copy).and_then(|(_, lines)| lines.text(line));
                Map::from_iter([("line".to_owned(), line.into()), ("text".to_owned(), text.into())])
            }
            (None, _) => ground.raw.map(|raw| self.field(raw)).unwrap_or_default(),
        };
        place.insert("carrier".to_owned(), ground.carrier.into());
        place
    }

    fn place_of(&self, statement: &Statement<'_>) -> Map<String, Value> {
        let mut place = match (statement.line, self.file) {
            (Some(line), Some(file)) if statement.carrier == CaptureKind::Robots.as_str() => file.line(line),
            (Some(line), _) => Map::from_iter([
                ("line".to_owned(), line.into()),
                ("text".to_owned(), shown(statement.raw).into()),
            ]),
            (None, _) => self.field(statement.raw),
        };
        place.insert("carrier".to_owned(), statement.carrier.into());
        if let Some(defect) = statement.defect {
            place.insert("defect".to_owned(), defect.into());
        }
        place
    }

    /// Returns the name and value of a field; a value that was put together from several has no name.
    fn field(&self, value: &[u8]) -> Map<String, Value> {
        let name = self.fields.iter().find(|field| std::ptr::eq(field.value, value));
        let name = name.map(|field| ("name".to_owned(), field.name.into()));
        name.into_iter().chain([("text".to_owned(), shown(value).into())]).collect()
    }

    /// Returns the answers to labels that decided, or that did not.
    pub fn evidence(&self, evidence: &[LabelAnswer<'_>]) -> Value {
        let told = evidence.iter().map(|one| {
            let mut told = self.place(&one.ground);
            told.insert("label".to_owned(), one.label.as_str().into());
            told.insert("preference".to_owned(), one.preference.as_str().into());
            told.insert("system".to_owned(), one.system.into());
            Value::Object(told)
        });
        told.collect()
    }
}

/// The labels over all systems: what each is, whose word decided, and where systems contradict each other.
pub fn labels(labels: &Labels<'_>, sources: &Sources<'_>, answer: &mut Map<String, Value>) {
    let by_label = |value: &dyn Fn(Label) -> Value| -> Value {
        Value::Object(Label::ALL.map(|label| (label.as_str().to_owned(), value(label))).into_iter().collect())
    };
    answer.insert("labels".to_owned(), by_label(&|label| labels.of(label).as_str().into()));
    answer.insert("labels_from".to_owned(), by_label(&|label| labels.from(label).into()));
    let conflict: Vec<&str> = labels.conflict.iter().map(|label| label.as_str()).collect();
    answer.insert("conflict".to_owned(), conflict.into());
    answer.insert("evidence".to_owned(), sources.evidence(&labels.evidence));
    answer.insert("overruled".to_owned(), sources.evidence(&labels.overruled));
}
