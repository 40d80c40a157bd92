//! The answer of each system for a page, the lines and fields on which it rests, and the system's other statements.
//!
//! Example: a `Content-Signal` line decides `ai-train`, and another one belongs to a group that is not the crawler's: the first
//! is a ground, the second is listed as a statement elsewhere. Left out: which rule of a system gives an answer.

use super::robots_lines::{MAX_LINES, RobotsText, lines_of, text_of};
use crate::robots::{ParseLimit, RobotsTxt, VendorTexts};
use crate::systems::{About, FileBody, Ground, Label, Source, Statement, System, Value, Viewpoint};
use crate::verdict::{
    SiteBodies, SiteBody, SiteCopies, SystemAnswer, decide::InDoubt, labels::LabelAnswer,
};
use crate::web::{
    capture_kind::CaptureKind, column::Column, field::Field, preference::Preference, shown::shown,
};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// The answer of one system for a page.
#[derive(Debug)]
pub struct SystemExplanation {
    pub about: &'static About,
    /// The values of its columns, in their order.
    pub values: Vec<Value>,
    /// The grounds of its yes and no to categories of use.
    pub grounds: Vec<Citation>,
    /// The other grounds of its values.
    pub other_grounds: Vec<Citation>,
    /// Its other statements that were found, for any crawler.
    pub elsewhere: Vec<Citation>,
    pub elsewhere_count: usize,
}

/// A line or field on which an answer rests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Citation {
    pub carrier: &'static str,
    /// The number of the line in a site file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The text of the line or field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The vendor whose text it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defect: Option<&'static str>,
}

/// An answer of a system to a label.
#[derive(Debug, Serialize)]
pub struct LabelEvidence {
    pub label: Label,
    pub preference: Preference,
    pub system: &'static str,
    #[serde(flatten)]
    pub citation: Citation,
}

/// A line or field in doubt.
#[derive(Debug, Serialize)]
pub struct DoubtCitation {
    /// `line_lost` or `may_be_no`.
    pub reason: &'static str,
    #[serde(flatten)]
    pub citation: Citation,
}

impl SystemExplanation {
    /// Returns the columns that state something, with their values.
    pub fn stated(&self) -> impl Iterator<Item = (&'static Column, &Value)> {
        self.about
            .columns
            .iter()
            .zip(&self.values)
            .filter(|(_, value)| is_stated(value))
    }

    /// Returns whether the system found nothing that is meant for it.
    ///
    /// Ours: AIPREF's field has the same name as SUP's; statements without a label of SUP are not meant for SUP.
    pub fn is_silent(&self) -> bool {
        let is_meant =
            |one: &Citation| self.about.name != "sup" || one.defect != Some("unknown_label");
        self.stated().next().is_none()
            && self.grounds.is_empty()
            && !self.elsewhere.iter().any(is_meant)
    }
}

fn is_stated(value: &Value) -> bool {
    match value {
        Value::Null | Value::Truth(false) | Value::Word("unknown" | "not_applicable") => false,
        Value::Texts(texts) => !texts.is_empty(),
        Value::Structs(structs) => !structs.is_empty(),
        Value::Text(_) | Value::Word(_) | Value::Truth(true) => true,
    }
}

/// Distinguishes citations: carrier and line, and the text if there is no line.
type CitationKey = (&'static str, Option<u32>, Option<String>);

impl Citation {
    fn key(&self) -> CitationKey {
        (
            self.carrier,
            self.line,
            self.text.clone().filter(|_| self.line.is_none()),
        )
    }
}

/// The site files, header fields and metas that state something about a page.
pub struct Sources<'q> {
    pub file: Option<&'q RobotsText<'q>>,
    /// The other site files that count.
    pub copies: &'q [(CaptureKind, FileBody<'q>)],
    pub fields: &'q [Field<'q>],
    /// Their lines, and those of the captures of the same second that also count.
    lines: Vec<(CaptureKind, Vec<&'q [u8]>)>,
}

pub fn robots_of<B: SiteBodies>(
    bodies: &B,
    body: Option<SiteBody>,
) -> Result<Option<RobotsTxt>, B::Error> {
    let read = |body: SiteBody| {
        Ok(RobotsTxt::parse_within(
            bodies.read(body.number)?,
            body.extent,
            ParseLimit::default(),
        ))
    };
    body.map(read).transpose()
}

/// Reads the files of a site that count, and passes them on with the fields of a page.
pub fn with_sources<B: SiteBodies, T>(
    (bodies, site): (&B, &SiteCopies),
    (viewpoint, vendors): (&Viewpoint, &VendorTexts),
    fields: &[Field<'_>],
    then: impl FnOnce(&Sources<'_>) -> T,
) -> Result<T, B::Error> {
    let robots = robots_of(bodies, site.current.body)?;
    let file = robots
        .as_ref()
        .map(|robots| RobotsText::new(robots, viewpoint, vendors));
    let read =
        |(kind, body): (CaptureKind, SiteBody)| Ok((kind, body.extent, bodies.read(body.number)?));
    let files = site.other_bodies().chain(site.rival_bodies()).map(read);
    let files: Vec<_> = files.collect::<Result<_, B::Error>>()?;
    let files = files.iter().map(|(kind, extent, bytes)| {
        (
            *kind,
            FileBody {
                bytes,
                extent: *extent,
            },
        )
    });
    let files: Vec<_> = files.collect();
    let lines = files
        .iter()
        .map(|(kind, body)| (*kind, lines_of(body.bytes)))
        .collect();
    let copies = files.get(..site.other_bodies().count()).unwrap_or_default();
    Ok(then(&Sources {
        file: file.as_ref(),
        copies,
        fields,
        lines,
    }))
}

impl Sources<'_> {
    /// Returns the answer of a system; `others` are the other grounds of its values.
    pub fn system(
        &self,
        system: &System,
        answer: &SystemAnswer<'_>,
        others: &[Ground<'_>],
        viewpoint: &Viewpoint,
    ) -> SystemExplanation {
        let SystemAnswer {
            about,
            values,
            opinions,
        } = answer;
        let mut grounds = Vec::new();
        let mut numbers = HashMap::new();
        for ground in opinions.iter().flat_map(|opinion| &opinion.grounds) {
            let citation = self.citation(ground);
            numbers.entry(citation.key()).or_insert_with(|| {
                grounds.push(citation);
                grounds.len() - 1
            });
        }
        let mut elsewhere = Vec::new();
        for statement in self.statements(system, viewpoint) {
            match numbers
                .get(&statement.key())
                .and_then(|number| grounds.get_mut(*number))
            {
                // A statement in JSON has more lines than its first.
                Some(ground) => ground.text = statement.text,
                None => elsewhere.push(statement),
            }
        }
        let elsewhere_count = elsewhere.len();
        elsewhere.truncate(MAX_LINES);
        let other_grounds = others.iter().map(|ground| self.citation(ground)).collect();
        let values = values.clone();
        SystemExplanation {
            about,
            values,
            grounds,
            other_grounds,
            elsewhere,
            elsewhere_count,
        }
    }

    /// Returns the statements that a system finds, for any crawler: one per line.
    fn statements(&self, system: &System, viewpoint: &Viewpoint) -> Vec<Citation> {
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        let copies = self
            .copies
            .iter()
            .filter(|(kind, _)| system.about().site_file == Some(*kind));
        let sources = [Source::Record(self.fields)]
            .into_iter()
            .chain(self.file.map(|file| Source::Robots(file.site().robots)))
            .chain(copies.map(|(kind, body)| Source::SiteFile(*kind, *body)));
        for source in sources {
            system.statements(&source, viewpoint, &mut |statement| {
                // For a line the key is enough: a line may have thousands of statements.
                if statement.line.is_some()
                    && known.contains(&(statement.carrier, statement.line, None))
                {
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
                let file = self
                    .file
                    .filter(|_| carrier == CaptureKind::Robots.as_str());
                // The first copy of a robots.txt is `file`.
                let copy = ground.copy.saturating_sub(usize::from(file.is_some()));
                let mut copies = self
                    .lines
                    .iter()
                    .filter(|(kind, _)| kind.as_str() == carrier);
                let text = || copies.nth(copy).and_then(|(_, lines)| text_of(lines, line));
                line_of(file.filter(|_| ground.copy == 0), carrier, line, text)
            }
            (None, Some(raw)) => self.field(carrier, raw),
            (None, None) => Citation {
                carrier,
                ..Citation::default()
            },
        }
    }

    fn citation_of(&self, statement: &Statement<'_>) -> Citation {
        let citation = match statement.line {
            Some(line) => {
                let own = self
                    .file
                    .filter(|_| statement.carrier == CaptureKind::Robots.as_str());
                line_of(own, statement.carrier, line, || {
                    Some(shown(statement.raw).into_owned())
                })
            }
            None => self.field(statement.carrier, statement.raw),
        };
        Citation {
            defect: statement.defect,
            ..citation
        }
    }

    /// Returns a field with its name; a value that was joined from several fields has no name.
    fn field(&self, carrier: &'static str, value: &[u8]) -> Citation {
        let field = self
            .fields
            .iter()
            .find(|field| std::ptr::eq(field.value, value));
        let name = field.map(|field| field.name.to_owned());
        Citation {
            carrier,
            name,
            text: Some(shown(value).into_owned()),
            ..Citation::default()
        }
    }

    pub fn doubts(&self, all: &[InDoubt<'_>]) -> Vec<DoubtCitation> {
        let cited = all
            .iter()
            .map(|InDoubt { ground, reason }| (*reason, self.citation(ground)));
        let mut found: Vec<DoubtCitation> = Vec::new();
        for (reason, citation) in cited.take(MAX_LINES) {
            if !found.iter().any(|known| known.citation == citation) {
                found.push(DoubtCitation { reason, citation });
            }
        }
        found
    }

    pub fn evidence(&self, answers: &[LabelAnswer<'_>]) -> Vec<LabelEvidence> {
        let evidence = answers.iter().map(|answer| {
            let LabelAnswer {
                label,
                preference,
                system,
                ref ground,
                ..
            } = *answer;
            LabelEvidence {
                label,
                preference,
                system,
                citation: self.citation(ground),
            }
        });
        evidence.collect()
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
    Citation {
        carrier,
        line: Some(line),
        text,
        managed_by,
        ..Citation::default()
    }
}
