//! The answer of each system for a page, the lines and fields on which it rests, and the system's other statements.
//!
//! Example: a `Content-Signal` line decides `ai-train`, and another one belongs to a group that is not the crawler's: the first
//! is a ground, the second is listed as a statement elsewhere. Left out: which rule of a system gives an answer.

use super::robots_lines::{FileLines, MAX_LINES, RobotsText};
use crate::systems::{About, FileBody, Ground, Label, SYSTEMS, Source, Statement, System, Value, Viewpoint};
use crate::verdict::labels::LabelAnswer;
use crate::verdict::{Labels, SystemAnswer};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::field::Field;
use crate::web::preference::Preference;
use crate::web::shown::shown;
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// The answer of one system for a page.
#[derive(Debug)]
pub struct SystemExplanation {
    /// The system.
    pub about: &'static About,
    /// The values of its columns, in their order.
    pub values: Vec<Value>,
    /// The grounds of its yes and no to categories of use.
    pub grounds: Vec<Citation>,
    /// The other grounds of its values.
    pub other_grounds: Vec<Citation>,
    /// Its other statements that were found, for any crawler.
    pub elsewhere: Vec<Citation>,
    /// The number of all of them.
    pub elsewhere_count: usize,
}

/// A line or field on which an answer rests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Citation {
    /// What carries it.
    pub carrier: &'static str,
    /// The number of the line in a site file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The name of the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The text of the line or field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The vendor whose text it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<String>,
    /// Its defect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defect: Option<&'static str>,
}

/// The labels over all systems.
#[derive(Debug)]
pub struct LabelsExplanation {
    /// Each label, its preference, and the systems and carriers that decided it.
    pub labels: Vec<(Label, Preference, Vec<String>)>,
    /// The labels on which answers contradict each other.
    pub conflict: Vec<Label>,
    /// The answers that decided.
    pub evidence: Vec<LabelEvidence>,
    /// The answers that did not.
    pub overruled: Vec<LabelEvidence>,
}

/// An answer of a system to a label.
#[derive(Debug, Serialize)]
pub struct LabelEvidence {
    pub label: Label,
    /// The answer.
    pub preference: Preference,
    pub system: &'static str,
    /// Its ground.
    #[serde(flatten)]
    pub citation: Citation,
}

impl SystemExplanation {
    /// Returns the columns that state something, with their values.
    pub fn stated(&self) -> impl Iterator<Item = (&'static Column, &Value)> {
        self.about.columns.iter().zip(&self.values).filter(|(_, value)| is_stated(value))
    }

    /// Returns whether the system found nothing that is meant for it.
    ///
    /// Ours: AIPREF's field has the same name as SUP's; statements without a label of SUP are not meant for SUP.
    pub fn is_silent(&self) -> bool {
        let is_meant = |one: &Citation| self.about.name != "sup" || one.defect != Some("unknown_label");
        self.stated().next().is_none() && self.grounds.is_empty() && !self.elsewhere.iter().any(is_meant)
    }
}

fn is_stated(value: &Value) -> bool {
    match value {
        Value::Null | Value::Truth(false) => false,
        Value::Word(word) => !matches!(*word, "unknown" | "not_applicable"),
        Value::Texts(texts) => !texts.is_empty(),
        Value::Structs(structs) => !structs.is_empty(),
        Value::Text(_) | Value::Truth(true) => true,
    }
}

/// Distinguishes citations: carrier and line, and the text if there is no line.
type CitationKey = (&'static str, Option<u32>, Option<String>);

impl Citation {
    fn key(&self) -> CitationKey {
        (self.carrier, self.line, self.text.clone().filter(|_| self.line.is_none()))
    }
}

/// The site files, header fields and metas that state something about a page.
pub struct Sources<'q> {
    file: Option<&'q RobotsText<'q>>,
    copies: &'q [(CaptureKind, FileBody<'q>)],
    fields: &'q [Field<'q>],
    /// The lines of the other site files, and of the captures of the same second that also count.
    lines: Vec<(CaptureKind, FileLines<'q>)>,
}

impl<'q> Sources<'q> {
    /// Collects the sources of a page.
    pub fn new(
        file: Option<&'q RobotsText<'q>>,
        copies: &'q [(CaptureKind, FileBody<'q>)],
        rivals: impl Iterator<Item = (CaptureKind, FileBody<'q>)>,
        fields: &'q [Field<'q>],
    ) -> Self {
        let lines = copies.iter().copied().chain(rivals);
        let lines = lines.map(|(kind, body)| (kind, FileLines::of(body.bytes))).collect();
        Self { file, copies, fields, lines }
    }

    /// Returns the answer of each system; `others` returns the other grounds of a system's values, by its number in `SYSTEMS`.
    pub fn systems<'g>(
        &self,
        answers: Vec<SystemAnswer<'_>>,
        viewpoint: &Viewpoint,
        others: impl Fn(usize) -> Vec<Ground<'g>>,
    ) -> Vec<SystemExplanation> {
        let systems = SYSTEMS.iter().zip(answers).enumerate();
        let explained = systems.map(|(number, (system, answer))| {
            let other_grounds = others(number).iter().map(|ground| self.citation(ground)).collect();
            SystemExplanation { other_grounds, ..self.system(system, answer, viewpoint) }
        });
        explained.collect()
    }

    fn system(&self, system: &System, answer: SystemAnswer<'_>, viewpoint: &Viewpoint) -> SystemExplanation {
        let SystemAnswer { about, values, opinions } = answer;
        let mut grounds = Vec::new();
        let mut numbers = HashMap::new();
        for citation in
            opinions.iter().flat_map(|opinion| &opinion.grounds).map(|ground| self.citation(ground))
        {
            numbers.entry(citation.key()).or_insert_with(|| {
                grounds.push(citation);
                grounds.len() - 1
            });
        }
        let mut elsewhere = Vec::new();
        for statement in self.statements(system, viewpoint) {
            match numbers.get(&statement.key()).and_then(|number| grounds.get_mut(*number)) {
                // A statement in JSON has more lines than its first.
                Some(ground) => ground.text = statement.text,
                None => elsewhere.push(statement),
            }
        }
        let elsewhere_count = elsewhere.len();
        elsewhere.truncate(MAX_LINES);
        let other_grounds = Vec::new();
        SystemExplanation { about, values, grounds, other_grounds, elsewhere, elsewhere_count }
    }

    /// Returns the statements that a system finds, for any crawler: one per line.
    fn statements(&self, system: &System, viewpoint: &Viewpoint) -> Vec<Citation> {
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        let copies = self.copies.iter().filter(|(kind, _)| system.about().site_file == Some(*kind));
        let sources = [Source::Record(self.fields)]
            .into_iter()
            .chain(self.file.map(|file| Source::Robots(file.site().robots)))
            .chain(copies.map(|(kind, body)| Source::SiteFile(*kind, *body)));
        for source in sources {
            system.statements(&source, viewpoint, &mut |statement| {
                // For a line the key is enough: a line may have thousands of statements.
                if statement.line.is_some() && known.contains(&(statement.carrier, statement.line, None)) {
                    return;
                }
                let citation = self.citation_of(statement);
                if known.insert(citation.key()) {
                    found.push(citation);
                }
            });
        }
        found
    }

    fn citation(&self, ground: &Ground<'_>) -> Citation {
        let carrier = ground.carrier;
        match (ground.line, ground.raw) {
            (Some(line), _) => {
                let is_robots = carrier == CaptureKind::Robots.as_str();
                // The first copy of a robots.txt is `file`.
                let (copy, own) = match self.file.filter(|_| is_robots) {
                    Some(file) => (ground.copy.checked_sub(1), Some(file).filter(|_| ground.copy == 0)),
                    None => (Some(ground.copy), None),
                };
                let mut copies = self.lines.iter().filter(|(kind, _)| kind.as_str() == carrier);
                let text = || copies.nth(copy?).and_then(|(_, lines)| lines.text(line));
                line_of(own, carrier, line, text)
            }
            (None, Some(raw)) => self.field(carrier, raw),
            (None, None) => Citation { carrier, ..Citation::default() },
        }
    }

    fn citation_of(&self, statement: &Statement<'_>) -> Citation {
        let citation = match statement.line {
            Some(line) => {
                let own = self.file.filter(|_| statement.carrier == CaptureKind::Robots.as_str());
                line_of(own, statement.carrier, line, || Some(shown(statement.raw).into_owned()))
            }
            None => self.field(statement.carrier, statement.raw),
        };
        Citation { defect: statement.defect, ..citation }
    }

    /// Returns a field with its name; a value that was joined from several fields has no name.
    fn field(&self, carrier: &'static str, value: &[u8]) -> Citation {
        let field = self.fields.iter().find(|field| std::ptr::eq(field.value, value));
        let name = field.map(|field| field.name.to_owned());
        Citation { carrier, name, text: Some(shown(value).into_owned()), ..Citation::default() }
    }

    /// Returns the labels over all systems.
    pub fn labels(&self, labels: &Labels<'_>) -> LabelsExplanation {
        LabelsExplanation {
            labels: Label::ALL.map(|label| (label, labels.of(label), labels.from(label))).to_vec(),
            conflict: labels.conflict.clone(),
            evidence: self.evidence(&labels.evidence),
            overruled: self.evidence(&labels.overruled),
        }
    }

    fn evidence(&self, evidence: &[LabelAnswer<'_>]) -> Vec<LabelEvidence> {
        let one = |one: &LabelAnswer<'_>| LabelEvidence {
            label: one.label,
            preference: one.preference,
            system: one.system,
            citation: self.citation(&one.ground),
        };
        evidence.iter().map(one).collect()
    }
}

/// Returns a line of `robots`, or else of another file, with the given text.
fn line_of(
    robots: Option<&RobotsText<'_>>,
    carrier: &'static str,
    line: u32,
    text: impl FnOnce() -> Option<String>,
) -> Citation {
    let (text, managed_by) = match robots.map(|file| file.line(line)) {
        Some(line) => (Some(line.text), line.managed_by),
        None => (text(), None),
    };
    Citation { carrier, line: Some(line), text, managed_by, ..Citation::default() }
}
