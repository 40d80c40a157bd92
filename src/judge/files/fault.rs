//! Why a file of documents could not be judged.

use std::io;

/// Why a file of documents could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    /// It cannot be read, or is not what it should be; other files are still judged.
    #[error("{0}")]
    Input(String),
    /// The output cannot be written: the call cannot go on.
    #[error("{0}")]
    Output(io::Error),
}

impl FileFault {
    /// An error of the input.
    pub fn input(error: impl std::fmt::Display) -> Self {
        Self::Input(error.to_string())
    }
}
