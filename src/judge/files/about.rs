//! The folder of an output, and the folder beside it for what is known of its documents.
//!
//! Example: documents go to `kept`, and what a policy costs to `_kept.judge`. The folder of documents holds documents alone, so
//! that a loader that gets it, or a glob below it, reads nothing else: pyarrow, pandas, Polars, DuckDB, datasets, datatrove and
//! Spark differ in which names inside of a folder they skip.

use crate::store::{Store, has_scheme};
use std::path::{Path, PathBuf};

/// A folder for documents, and the folder beside it.
#[derive(Clone, Copy)]
pub struct OutputFolder<'o> {
    /// The folder that holds documents alone.
    pub documents: &'o dyn Store,
    /// What is known of them.
    pub about: &'o dyn Store,
}

/// Returns the folder beside a folder of documents.
pub fn about_folder(out: &Path) -> Result<PathBuf, String> {
    let none = || {
        format!(
            "{}: it has no folder above it, in which what is known of the documents could be",
            out.display()
        )
    };
    if let Some(url) = out.to_str().filter(|text| has_scheme(text)) {
        let (above, name) = url.trim_end_matches('/').rsplit_once('/').ok_or_else(none)?;
        return if above.ends_with(":/") {
            Err(none())
        } else {
            Ok(format!("{above}/{}", about_name(name)).into())
        };
    }
    let named = if out.file_name().is_some() { Ok(out.to_owned()) } else { out.canonicalize() };
    let named = named.map_err(|error| format!("{}: {error}", out.display()))?;
    let name = named.file_name().ok_or_else(none)?.to_string_lossy();
    Ok(named.with_file_name(about_name(&name)))
}

fn about_name(name: &str) -> String {
    format!("_{name}.judge")
}

#[cfg(test)]
mod tests {
    use super::about_folder;
    use std::path::Path;

    #[test]
    fn local_what_is_known_of_documents_is_beside_their_folder() {
        for (out, about) in [
            ("kept", "_kept.judge"),
            ("a/kept/", "a/_kept.judge"),
            ("/a/./kept", "/a/./_kept.judge"),
            ("s3://bucket/a/kept/", "s3://bucket/a/_kept.judge"),
            ("s3://bucket/kept", "s3://bucket/_kept.judge"),
            ("file:///kept", "file:///_kept.judge"),
        ] {
            assert_eq!(about_folder(Path::new(out)).as_deref(), Ok(Path::new(about)), "{out}");
        }
        for out in ["s3://bucket", "s3://bucket/", "/"] {
            assert!(about_folder(Path::new(out)).is_err(), "{out}");
        }
        let here = about_folder(Path::new(".")).unwrap();
        assert!(here.is_absolute() && here.to_string_lossy().ends_with(".judge"), "{}", here.display());
    }
}
