//! Verdicts for documents: files, and rows in memory by the Arrow C data interface.

use crate::jobs::error;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_pyarrow::PyArrowType;
use arrow_schema::Schema;
use crawlprefs::cli::called::{self, Called, Failure};
use crawlprefs::judge;
use crawlprefs::judge::files::{FilesOptions, documents_of};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pythonize::pythonize;
use std::ffi::OsString;
use std::sync::Arc;

/// Runs `judge`. Returns the exit status and the report.
#[pyfunction]
pub fn judge_files(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<(u8, Bound<'_, PyAny>)> {
    let called = py.detach(|| called::judged_files(arguments));
    let Called { status, report } = called.map_err(|refused| error(py, refused))?;
    Ok((status, pythonize(py, &report)?))
}

/// The tables of a run, by which rows in memory are judged.
#[pyclass(frozen, module = "crawlprefs._native")]
pub struct Judge {
    judge: judge::Judge,
    options: FilesOptions,
}

#[pymethods]
impl Judge {
    /// Opens the tables with the arguments of the command `judge`.
    #[new]
    fn new(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<Self> {
        let opened = py.detach(|| called::judge(arguments));
        let (judge, options) = opened.map_err(|refused| error(py, refused))?;
        Ok(Self { judge, options })
    }

    /// The columns whose values the exceptions of the policy ask for.
    #[getter]
    fn policy_columns(&self) -> Vec<String> {
        let policy = self.options.policy.as_ref();
        policy
            .map(|policy| policy.exceptions.columns.names.clone())
            .unwrap_or_default()
    }

    /// Whether URLs without dates are judged by the newest files, as nobody names another time.
    #[getter]
    fn urls_are_newest(&self) -> bool {
        self.options.urls_are_newest
    }

    /// Returns the verdicts of rows, in their order.
    fn judge(
        &self,
        py: Python<'_>,
        rows: PyArrowType<RecordBatch>,
    ) -> PyResult<PyArrowType<RecordBatch>> {
        let PyArrowType(rows) = rows;
        let judged = py.detach(|| self.verdicts(&rows));
        judged
            .map(PyArrowType)
            .map_err(|refused| error(py, refused))
    }

    /// Returns the verdicts of texts: of few, to make columns of them takes longer than to judge.
    fn judge_texts(
        &self,
        py: Python<'_>,
        urls: Vec<Option<String>>,
        dates: Option<Vec<Option<String>>>,
        ids: Option<Vec<Option<String>>>,
    ) -> PyResult<PyArrowType<RecordBatch>> {
        let columns = [("url", Some(urls)), ("date", dates), ("id", ids)].into_iter();
        let array = |texts: Vec<Option<String>>| Arc::new(StringArray::from(texts)) as ArrayRef;
        let columns = columns.filter_map(|(name, texts)| Some((name, array(texts?), true)));
        let rows = RecordBatch::try_from_iter_with_nullable(columns);
        let rows = rows.map_err(|error| PyTypeError::new_err(error.to_string()))?;
        self.judge(py, PyArrowType(rows))
    }
}

impl Judge {
    fn verdicts(&self, rows: &RecordBatch) -> Result<RecordBatch, Failure> {
        let added = &self.options.added;
        let documents = documents_of(rows, &self.options.names, added)
            .map_err(|fault| refused("bad_option", &fault))?;
        let verdicts = self.judge.judge(&[documents]).map_err(|error| Failure {
            kind: error.kind(),
            detail: error.to_string(),
            retry: error.may_be_retried(),
        })?;
        let verdicts = verdicts.into_iter().next().unwrap_or_default();
        let columns = self
            .judge
            .columns(&verdicts, added, self.options.policy.as_ref());
        columns.map_err(|error| refused("bug", &error))
    }
}

/// Returns the columns that [`Judge::judge`] would give by the arguments of `judge`, and which of some names are taken by them;
/// nothing is opened.
#[pyfunction]
pub fn judge_columns(
    py: Python<'_>,
    arguments: Vec<OsString>,
    names: Vec<String>,
) -> PyResult<(PyArrowType<Schema>, Vec<String>)> {
    let added = called::judge_columns(arguments).map_err(|refused| error(py, refused))?;
    let taken = names.into_iter().filter(|name| added.has(name)).collect();
    Ok((PyArrowType(added.schema.as_ref().clone()), taken))
}

fn refused(kind: &'static str, error: &dyn std::fmt::Display) -> Failure {
    Failure {
        kind,
        detail: error.to_string(),
        retry: false,
    }
}
