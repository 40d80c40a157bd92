//! Evidence that is being replaced when the process ends: it is the old one, the new one, or said to be missing.

use crate::ending::Ending;
use crate::files::files;
use crate::fixture::{archive, options, run};
use crate::resolved::{pages, robots, try_resolve, view};
use crawlprefs::archive::Input;
use crawlprefs::job::{self, Changed, Silent};
use std::path::Path;

fn made(rule: &str) -> Input {
    let site = robots(
        "a.example",
        "05:00:00",
        &format!("User-agent: *\n{rule}: /\n"),
    );
    let page = crate::resolved::page("https://a.example/", "06:00:00");
    archive("made.warc", [site, page].concat().into_bytes())
}

/// Replaces evidence by a call that ends after some changes; returns whether it came to its end.
fn replace(out: &Path, changes: usize) -> bool {
    let store = Ending::after(changes, out);
    let mut options = options(vec![made("Disallow")], 1);
    options.changed = Changed::Replace;
    job::scan(&options, &store, &Silent).is_ok()
}

/// A later call finds evidence that is old, new, or said to be missing; and a scan without flags repairs it.
#[test]
fn local_evidence_whose_replacement_was_ended_is_never_taken_for_another() {
    let new = tempfile::tempdir().expect("a temporary folder");
    run(vec![made("Disallow")], new.path(), 1);
    let new = files(new.path());
    for changes in 0.. {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("out");
        run(vec![made("Allow")], &out, 1);
        let old = files(&out);
        let ended = replace(&out, changes);
        let found = files(&out);
        let said = rows_after(&out, folder.path());
        if found == old {
            assert_eq!(said, Ok(vec!["allow".to_owned()]), "{changes}");
            continue;
        }
        if ended {
            assert!(found == new, "{changes}: {:?}", found.keys());
            assert_eq!(said, Ok(vec!["disallow".to_owned()]), "{changes}");
            assert!(changes > 2, "it was never ended");
            return;
        }
        assert!(
            said != Ok(vec!["disallow".to_owned()]) || found == new,
            "{changes}: {said:?}"
        );
        assert!(
            said != Ok(vec!["allow".to_owned()]),
            "{changes}: the old verdict from what is not the old evidence"
        );
        let summary = run(vec![made("Disallow")], &out, 1);
        assert!(
            summary.failed_inputs.is_empty(),
            "{changes}: {:?}",
            summary.failed_inputs
        );
        assert!(files(&out) == new, "{changes}: {:?}", files(&out).keys());
    }
}

/// Returns who may fetch the page by tables made of what is there, or why none are made.
fn rows_after(out: &Path, folder: &Path) -> Result<Vec<String>, String> {
    let tables = folder.join("tables");
    try_resolve(out, &tables, &view()).map_err(|error| error.to_string())?;
    Ok(pages(&tables)
        .values()
        .map(|page| page.verdict().1.to_owned())
        .collect())
}
