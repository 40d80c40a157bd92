//! `explain DIR --url URL`: a folder that was given without a flag.
//!
//! Example: of an output folder of `run` it is `--tables DIR`, of a site index `--sites DIR`. Anything else is refused: an answer
//! that rests on no file of the site would look like one that does.

use crate::cli::args::ExplainArgs;
use crate::cli::resolve::Refusal;
use crawlprefs::runs::RunFile;
use crawlprefs::sites::INDEX_FILE;
use crawlprefs::store::{Places, Store};
use std::path::{Path, PathBuf};

/// Returns the flags, with the folder under the flag that it is for.
pub fn with_subject(args: &ExplainArgs, places: &Places) -> Result<ExplainArgs, Refusal> {
    let mut args = args.clone();
    let Some(folder) = args.subject.take() else { return Ok(args) };
    let refused = |expected: &str| Err(format!("{folder}: {expected}"));
    if args.url.is_none() {
        return refused(
            "expected --url with the page to explain, or --judged with the folder that judge wrote",
        );
    }
    if args.tables.is_some() || !args.sites.is_empty() || has_files(&args) {
        return refused("a folder besides --tables, --sites or files of the site; give one of them");
    }
    let place = folder.rsplit_once("#sha256=").map_or(folder.as_str(), |(place, _)| place);
    let unreadable = |error: std::io::Error| format!("{folder}: cannot be read: {error}");
    let store = places.files(Path::new(place)).map_err(unreadable)?;
    let has =
        |store: &dyn Store, file: &str| store.bytes(file).map(|bytes| bytes.is_some()).map_err(unreadable);
    if has(store.as_ref(), INDEX_FILE)? {
        args.sites = vec![PathBuf::from(folder)];
    } else if has(store.as_ref(), RunFile::Resolve.name())? {
        args.tables = Some(PathBuf::from(folder));
    } else {
        return refused(
            "neither tables nor a site index there; expected a folder that run, resolve or index wrote",
        );
    }
    Ok(args)
}

/// Returns whether something of the site or of the page is given by flags.
fn has_files(args: &ExplainArgs) -> bool {
    args.robots.is_some() || !args.site_file.is_empty() || !args.header.is_empty() || !args.meta.is_empty()
}
