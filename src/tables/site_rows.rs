//! Rows of `robots_agents`, `robots_lines` and `robots_lints`, being filled.

use super::Table;
use super::robots_agents::ROBOTS_AGENTS;
use super::robots_lines::ROBOTS_LINES;
use super::robots_lints::ROBOTS_LINTS;
use super::values::TextLists;
use super::writer::rows;
use crate::robots::Record;
use crate::verdict::site::{AgentFacts, Class, Finding};
use crate::web::shown::{SHOWN_BYTES, beginning, shown};
use arrow_array::builder::{BooleanBuilder, Int32Builder, StringBuilder};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, new_null_array};
use arrow_schema::DataType;
use std::io;
use std::sync::Arc;

/// Returns the column of the segment.
fn segments(segment: Option<&str>, count: usize) -> ArrayRef {
    match segment {
        Some(segment) => Arc::new(StringArray::from(vec![segment; count])),
        None => new_null_array(&DataType::Utf8, count),
    }
}

/// Returns rows of which the first column is the segment.
fn finish(table: &Table, segment: Option<&str>, own: Vec<ArrayRef>) -> io::Result<RecordBatch> {
    let count = own.first().map_or(0, Array::len);
    let mut columns = vec![segments(segment, count)];
    columns.extend(own);
    rows(table, columns)
}

fn int32(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Rows of `robots_agents`.
#[derive(Default)]
pub struct AgentRows {
    /// Digest, agent, as written, class, verdict for the root, crawl delay, the two studies' classes.
    texts: [StringBuilder; 8],
    counts: [Int32Builder; 2],
}

impl AgentRows {
    /// Adds what a body says to an agent.
    pub fn push(&mut self, body_digest: &str, facts: &AgentFacts<'_>) {
        let [digest, agent, raw, class, root, delay, dpi, imc] = &mut self.texts;
        digest.append_value(body_digest);
        agent.append_value(cut(&shown(facts.agent)));
        raw.append_value(cut(&shown(facts.agent_raw)));
        class.append_value(facts.rules.class.as_str());
        root.append_value(facts.rules.root.as_str());
        match facts.rules.crawl_delay.map(shown) {
            Some(text) => delay.append_value(cut(&text)),
            None => delay.append_null(),
        }
        dpi.append_value(facts.class_dpi.as_str());
        imc.append_option(facts.class_imc.map(Class::as_str));
        for (builder, count) in
            self.counts.iter_mut().zip([facts.rules.allow_count, facts.rules.disallow_count])
        {
            builder.append_value(int32(count));
        }
    }

    /// Returns the rows and starts anew.
    ///
    /// # Errors
    /// None, unless the builder does not fit the declaration, which is a bug.
    pub fn finish(&mut self, segment: Option<&str>) -> io::Result<RecordBatch> {
        let [digest, agent, raw, class, root, delay, dpi, imc] = &mut self.texts;
        let [allow, disallow] = &mut self.counts;
        let mut own: Vec<ArrayRef> =
            [digest, agent, raw, class, root].map(|texts| Arc::new(texts.finish()) as ArrayRef).to_vec();
        own.extend([allow, disallow].map(|counts| Arc::new(counts.finish()) as ArrayRef));
        own.extend([delay, dpi, imc].map(|texts| Arc::new(texts.finish()) as ArrayRef));
        finish(&ROBOTS_AGENTS, segment, own)
    }
}

/// A text that is shown as it is, up to a limit.
fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(SHOWN_BYTES)).unwrap_or(text)
}

/// What its system says of a line.
#[derive(Clone, Copy, Debug)]
pub struct LineReading<'a> {
    /// The path of its statement.
    pub path: Option<&'a [u8]>,
    /// Whether it has no defect.
    pub valid: bool,
}

/// Rows of `robots_lines`.
#[derive(Default)]
pub struct LineRows {
    /// Digest, key, as written, path, value.
    texts: [StringBuilder; 5],
    /// Line, group.
    numbers: [Int32Builder; 2],
    agents: TextLists,
    known: BooleanBuilder,
    valid: BooleanBuilder,
}

impl LineRows {
    /// Adds a line of a body; `agents` are those of its group, `reading` what a system says of it.
    pub fn push(
        &mut self,
        body_digest: &str,
        record: &Record<'_>,
        agents: &[String],
        reading: Option<LineReading<'_>>,
    ) {
        let [digest, key, raw, path, value] = &mut self.texts;
        digest.append_value(body_digest);
        key.append_value(shown(&beginning(record.name).to_ascii_lowercase()));
        raw.append_value(shown(beginning(record.name)));
        path.append_option(reading.and_then(|reading| reading.path).map(|path| shown(beginning(path))));
        value.append_value(shown(beginning(record.value)));
        let [line, group] = &mut self.numbers;
        line.append_value(int32(record.line));
        group.append_option(record.group.and_then(|group| i32::try_from(group + 1).ok()));
        self.agents.push(agents.iter().map(String::as_str));
        self.known.append_value(reading.is_some());
        self.valid.append_option(reading.map(|reading| reading.valid));
    }

    /// Returns the rows and starts anew.
    ///
    /// # Errors
    /// None, unless the builder does not fit the declaration, which is a bug.
    pub fn finish(&mut self, segment: Option<&str>) -> io::Result<RecordBatch> {
        let [digest, key, raw, path, value] = &mut self.texts;
        let [line, group] = &mut self.numbers;
        let own: Vec<ArrayRef> = vec![
            Arc::new(digest.finish()),
            Arc::new(line.finish()),
            Arc::new(group.finish()),
            self.agents.finish(),
            Arc::new(key.finish()),
            Arc::new(raw.finish()),
            Arc::new(self.known.finish()),
            Arc::new(path.finish()),
            Arc::new(value.finish()),
            Arc::new(self.valid.finish()),
        ];
        finish(&ROBOTS_LINES, segment, own)
    }
}

/// Rows of `robots_lints`.
#[derive(Default)]
pub struct LintRows {
    /// Digest, lint.
    texts: [StringBuilder; 2],
    /// Line, how many.
    numbers: [Int32Builder; 2],
}

impl LintRows {
    /// Adds what is odd in a body.
    pub fn push(&mut self, body_digest: &str, finding: &Finding) {
        let [digest, name] = &mut self.texts;
        digest.append_value(body_digest);
        name.append_value(finding.lint.as_str());
        let [line, count] = &mut self.numbers;
        line.append_value(int32(finding.line));
        count.append_value(int32(finding.count));
    }

    /// Returns the rows and starts anew.
    ///
    /// # Errors
    /// None, unless the builder does not fit the declaration, which is a bug.
    pub fn finish(&mut self, segment: Option<&str>) -> io::Result<RecordBatch> {
        let [digest, name] = &mut self.texts;
        let [line, count] = &mut self.numbers;
        let own: Vec<ArrayRef> = vec![
            Arc::new(digest.finish()),
            Arc::new(name.finish()),
            Arc::new(line.finish()),
            Arc::new(count.finish()),
        ];
        finish(&ROBOTS_LINTS, segment, own)
    }
}
