//! The extension module of the Python package: the command, its jobs, `judge`, `explain` and robots.txt.
//!
//! It is `crawlprefs._native`; users import `crawlprefs`, whose modules hold the types and the documentation.
//! Left out: the rows of tables, which are read from their Parquet files.

#![deny(unsafe_code)]
#![warn(clippy::pedantic)]
// A signature says that a call can fail, and what it returns.
#![allow(
    clippy::missing_errors_doc,
    clippy::must_use_candidate,
    clippy::return_self_not_must_use
)]

mod jobs;
mod judge;
mod robots;
mod tables;

use mimalloc::MiMalloc;
use pyo3::prelude::*;

/// As the command has it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(jobs::command, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::job, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::archives, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::explained, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::history, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::answer, module)?)?;
    module.add_function(wrap_pyfunction!(tables::queries, module)?)?;
    module.add_function(wrap_pyfunction!(tables::verify_script, module)?)?;
    module.add_function(wrap_pyfunction!(tables::events, module)?)?;
    module.add_function(wrap_pyfunction!(tables::tables, module)?)?;
    module.add_function(wrap_pyfunction!(tables::sql, module)?)?;
    module.add_function(wrap_pyfunction!(judge::judge_files, module)?)?;
    module.add_function(wrap_pyfunction!(judge::judge_columns, module)?)?;
    module.add_function(wrap_pyfunction!(robots::check_agent, module)?)?;
    module.add_class::<judge::Judge>()?;
    module.add_class::<robots::RobotsTxt>()?;
    module.add_class::<robots::Access>()
}
