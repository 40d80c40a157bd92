//! The columns that are added to documents: their names, and which columns of a document have those names.
//!
//! Example: `prefs_access`; with the prefix `later_`, `later_access`. A document could bring its own `prefs_train_ai` with a
//! yes, and many readers take the first of two members of one name, or do not distinguish `Prefs_Train_AI` from it. This is the
//! only description of them: files, rows in memory and Python's declaration to Spark are made by it.
//! Left out: names inside structs and objects, which every reader distinguishes.

use super::at::At;
use super::columns::{
    AUDITED, Cell, CellContext, CellOf, DROP, FINDING, FOUND_BY, JUDGED, OWN_PREFIX, cell_of,
};
use super::verdict::Verdict;
use crate::tables::{Cells, field};
use crate::web::{column::Column, nearest::nearest, shown::visible};
use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use std::io::{self, Write};
use std::sync::Arc;

/// What is done with columns of documents that have the names of added columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Taken {
    /// The file is refused.
    #[default]
    Refused,
    /// They are left out of the output.
    Replaced,
}

/// The columns that are added to documents.
#[derive(Clone, Debug)]
pub struct Added {
    prefix: String,
    /// The suffixes of the names, for the times whose verdicts have columns.
    suffixes: Vec<String>,
    is_audited: bool,
    has_reason: bool,
    has_finding: bool,
    /// The names of the columns, without the prefix; `None`: all except [`Added::ON_REQUEST`].
    chosen: Option<Vec<&'static str>>,
    /// The columns: those of [`JUDGED`] and, on request, [`AUDITED`], for each time, then [`DROP`], or [`FINDING`] and [`FOUND_BY`].
    pub columns: Vec<AddedColumn>,
    /// The columns as a schema.
    pub schema: SchemaRef,
    /// What is done with columns of documents that have these names.
    pub taken: Taken,
}

/// A column that is added to documents.
#[derive(Clone, Debug)]
pub struct AddedColumn {
    /// Its name.
    pub name: String,
    /// The column; its own name begins with `prefs_`, and ends without a time.
    pub column: &'static Column,
    /// The place of the time of its verdicts.
    pub(super) time: usize,
    pub(super) cell: CellOf,
}

impl Default for Added {
    fn default() -> Self {
        Self::of(OWN_PREFIX, Taken::Refused)
    }
}

impl Added {
    /// The most bytes of a prefix; any number of this size.
    const PREFIX_BYTES: usize = 64;
    /// Written only if named: lists of hundreds of tokens would be half of the output; the newest copy's age changes daily.
    const ON_REQUEST: [&str; 2] = ["prefs_disallowed_agents", "prefs_robots_age_days"];

    /// Returns the columns whose names begin with a prefix.
    pub fn new(prefix: &str, taken: Taken) -> Result<Self, String> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let starts_well = prefix
            .bytes()
            .next()
            .is_some_and(|first| !first.is_ascii_digit());
        if starts_well && prefix.bytes().all(is_name) && prefix.len() <= Self::PREFIX_BYTES {
            return Ok(Self::of(prefix, taken));
        }
        Err(format!(
            "prefix: found {prefix:?}, expected up to {} letters, digits and underscores, the first no digit",
            Self::PREFIX_BYTES
        ))
    }

    fn of(prefix: &str, taken: Taken) -> Self {
        Self {
            prefix: prefix.to_owned(),
            suffixes: vec![String::new()],
            is_audited: false,
            has_reason: false,
            has_finding: false,
            chosen: None,
            columns: Vec::new(),
            schema: Arc::new(Schema::empty()),
            taken,
        }
        .with_columns()
    }

    /// Returns the columns for each of some times; names for further times end with the name of the time.
    pub fn at(self, times: &[At]) -> Self {
        let further = times.iter().skip(1).map(|at| at.suffix());
        Self {
            suffixes: std::iter::once(String::new()).chain(further).collect(),
            ..self
        }
        .with_columns()
    }

    /// Returns them with the columns of [`AUDITED`].
    pub fn audited(self) -> Self {
        Self {
            is_audited: true,
            ..self
        }
        .with_columns()
    }

    /// Returns them with the reason to drop a document, for rows in memory that are judged by a policy.
    pub fn with_reason(self) -> Self {
        Self {
            has_reason: true,
            ..self
        }
        .with_columns()
    }

    /// Returns them with what an audit finds, for a sample that is judged by a policy.
    pub fn with_finding(self) -> Self {
        Self {
            has_finding: true,
            ..self
        }
        .with_columns()
    }

    /// Returns those of some names, with or without `prefs_`: of [`JUDGED`] and [`AUDITED`].
    pub fn of_names(self, names: &[String]) -> Result<Self, String> {
        let column = |name: &String| {
            let name = name.strip_prefix(OWN_PREFIX).unwrap_or(name);
            all()
                .find(|column| column.strip_prefix(OWN_PREFIX) == Some(name))
                .ok_or_else(|| {
                    let known: Vec<&str> = all()
                        .filter_map(|name| name.strip_prefix(OWN_PREFIX))
                        .collect();
                    let hint = nearest(name, known.iter().copied());
                    let hint = hint.map_or_else(String::new, |name| format!("; try {name}"));
                    format!(
                        "found {}, expected some of {}{hint}",
                        visible(name),
                        known.join(", ")
                    )
                })
        };
        let chosen = names
            .iter()
            .map(column)
            .collect::<Result<Vec<_>, String>>()?;
        Ok(Self {
            chosen: Some(chosen),
            ..self
        }
        .with_columns())
    }

    /// Returns its columns of [`AUDITED`], which say what the drop of a document rests on; `None` without any.
    pub fn of_audit(&self) -> Option<Self> {
        let chosen = Some(self.audit().collect());
        let audit = || {
            let without = Self {
                has_reason: false,
                has_finding: false,
                ..self.clone()
            };
            Self {
                chosen,
                is_audited: false,
                ..without
            }
            .with_columns()
        };
        self.is_audited().then(audit)
    }

    /// Returns the columns that are written, of each table, in its order.
    fn written(&self) -> impl Iterator<Item = &'static Column> {
        let is_chosen = |column: &&Column| match &self.chosen {
            Some(chosen) => chosen.contains(&column.name),
            None => !Self::ON_REQUEST.contains(&column.name),
        };
        let is_audit =
            move |column: &&Column| self.is_audited || self.chosen.is_some() && is_chosen(column);
        JUDGED
            .columns()
            .filter(is_chosen)
            .chain(AUDITED.columns().filter(is_audit))
    }

    fn with_columns(mut self) -> Self {
        let column = |column: &'static Column, time, suffix: &str| AddedColumn {
            name: self.name(column.name) + suffix,
            column,
            time,
            cell: cell_of(column.name),
        };
        let at = |(time, suffix)| self.written().map(move |own| column(own, time, suffix));
        let reason = self.has_reason.then(|| column(&DROP, 0, ""));
        let of_audit = [&FINDING, &FOUND_BY]
            .into_iter()
            .filter(|_| self.has_finding);
        let finding = of_audit.map(|own| column(own, 0, ""));
        let suffixes = self.suffixes.iter().map(String::as_str).enumerate();
        let columns: Vec<_> = suffixes.flat_map(at).chain(reason).chain(finding).collect();
        let fields = columns
            .iter()
            .map(|own| field(own.column).with_name(&own.name));
        self.schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        self.columns = columns;
        self
    }

    /// Returns the name of a column that is called `prefs_...` by default.
    pub fn name(&self, column: &str) -> String {
        self.prefix.clone() + column.strip_prefix(OWN_PREFIX).unwrap_or(column)
    }

    /// Returns whether they say what a decision rests on.
    pub fn is_audited(&self) -> bool {
        self.audit().next().is_some()
    }

    fn audit(&self) -> impl Iterator<Item = &'static str> {
        let names = self.columns.iter().map(|own| own.column.name);
        names.filter(|name| AUDITED.columns().any(|column| column.name == *name))
    }

    /// Returns the text that two calls must have in common to count as one.
    pub fn text(&self) -> String {
        let prefix = self.prefix.as_str();
        let columns: Vec<String> = self
            .suffixes
            .iter()
            .map(|suffix| format!("{prefix}{suffix}"))
            .collect();
        let audited = if self.is_audited { ", audited" } else { "" };
        let replaced = if self.taken == Taken::Replaced {
            ", replaced"
        } else {
            ""
        };
        let chosen = self
            .chosen
            .iter()
            .map(|chosen| format!(", {}", chosen.join(" ")));
        columns.join(" ") + audited + replaced + &chosen.collect::<String>()
    }

    /// Returns whether a reader may take a document's column for one of these, for one not asked for, or for [`DROP`] and the like.
    pub fn has(&self, name: &str) -> bool {
        let is_own = |suffix: &String| all().any(|own| is_same(name, &(self.name(own) + suffix)));
        same_start(name, &self.prefix)
            && (self.suffixes.iter().any(is_own)
                || [&DROP, &FINDING, &FOUND_BY]
                    .iter()
                    .any(|own| is_same(name, &self.name(own.name))))
    }
}

/// Returns the names of all columns that documents may get, with `prefs_`.
fn all() -> impl Iterator<Item = &'static str> {
    JUDGED
        .columns()
        .chain(AUDITED.columns())
        .map(|column| column.name)
}

/// Ours: engines compare names without regard to case; those of the JVM also take the long s and the Kelvin sign as ASCII.
fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars().map(|letter| {
        let upper = letter.to_uppercase().next().unwrap_or(letter);
        upper.to_lowercase().next().unwrap_or(upper)
    })
}

fn is_same(name: &str, own: &str) -> bool {
    folded(name).eq(folded(own))
}

fn same_start(name: &str, prefix: &str) -> bool {
    let mut letters = folded(name);
    folded(prefix).all(|letter| letters.next() == Some(letter))
}

/// Returns the columns of verdicts.
pub fn batch(
    verdicts: &[Arc<Verdict>],
    context: &CellContext<'_>,
    added: &Added,
) -> io::Result<RecordBatch> {
    let mut cells = Cells::new(
        added.columns.iter().map(|column| column.column),
        verdicts.len(),
    );
    for verdict in verdicts {
        cells.begin_row();
        for column in &added.columns {
            let name = column.column.name;
            match (column.cell)(verdict.at(column.time), context) {
                None => cells.null(name),
                Some(Cell::Text(text)) => cells.text(name, text),
                Some(Cell::List(list)) => cells.text(name, list),
                Some(Cell::Number(number)) => cells.int32_or_null(name, Some(number)),
                Some(Cell::Time(time)) => cells.timestamp_or_null(name, Some(time)),
            }
        }
    }
    RecordBatch::try_new(Arc::clone(&added.schema), cells.finish()?).map_err(io::Error::other)
}

/// Writes a verdict as the last members of a JSON object, without the braces.
pub fn write_members(
    verdict: &Verdict,
    context: &CellContext<'_>,
    added: &Added,
    out: &mut dyn Write,
) -> io::Result<()> {
    // The output takes long pieces faster than many short ones.
    let mut text = Vec::with_capacity(1024);
    for (number, column) in added.columns.iter().enumerate() {
        text.extend_from_slice(if number > 0 { b",\"" } else { b"\"" });
        text.extend_from_slice(column.name.as_bytes());
        text.extend_from_slice(b"\":");
        let cell = (column.cell)(verdict.at(column.time), context);
        serde_json::to_writer(&mut text, &cell).map_err(io::Error::other)?;
    }
    out.write_all(&text)
}

#[cfg(test)]
mod tests {
    use super::{Added, At, Taken};

    #[test]
    fn local_a_name_is_one_of_ours_in_each_spelling_that_a_reader_takes_for_it() {
        let added = Added::default();
        for name in [
            "prefs_access",
            "PREFS_Access",
            "pref\u{17f}_acce\u{17f}\u{17f}",
            "prefs_drop",
            "prefs_Unread",
        ] {
            assert!(added.has(name), "{name}");
        }
        for name in [
            "access",
            "prefs_",
            "prefs_acces",
            "prefs_access2",
            "prefs.access",
            "later_access",
            "",
        ] {
            assert!(!added.has(name), "{name}");
        }
        let later = Added::new("Later_", Taken::Refused).unwrap();
        assert!(later.has("later_access") && !later.has("prefs_access"));
        assert_eq!(later.columns[0].name, "Later_access");
        let twice = added.clone().at(&At::list("page,newest").unwrap());
        assert_eq!((added.columns.len(), twice.columns.len()), (12, 24));
        assert_eq!(twice.columns[12].name, "prefs_access_newest");
        assert_eq!(twice.clone().audited().schema.fields().len(), 40);
        // The reason is for all times, and comes last.
        let with_reason = twice.clone().with_reason();
        assert_eq!(with_reason.columns.last().unwrap().name, "prefs_drop");
        assert_eq!(with_reason.schema.fields().len(), 25);
        assert!(twice.has("prefs_Access_newest") && !later.has("later_access_newest"));
        // A column that was not asked for is also refused: a reader would take it for a verdict.
        let few = added
            .clone()
            .of_names(&["access", "prefs_robots_line"].map(str::to_owned))
            .unwrap();
        let names: Vec<&str> = few
            .columns
            .iter()
            .map(|column| column.name.as_str())
            .collect();
        assert_eq!(names, ["prefs_access", "prefs_robots_line"]);
        assert!(
            few.has("prefs_train_ai") && few.has("prefs_disallowed_agents") && few.is_audited()
        );
        assert!(
            !added.is_audited()
                && added
                    .of_names(&["acces".to_owned()])
                    .unwrap_err()
                    .contains("acces")
        );
        for prefix in ["", "1_", "a b", "pr\u{e9}fs_", "a.b", &"a".repeat(65)] {
            assert!(Added::new(prefix, Taken::Refused).is_err(), "{prefix}");
        }
    }
}
