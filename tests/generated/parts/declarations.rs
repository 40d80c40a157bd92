//! What the systems declare, for the hostile archives of `tests/hostile`, which are made of it.

use crawlprefs::systems::SYSTEMS;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Returns what the systems declare, and the headers and metas of the vectors.
pub fn declarations() -> String {
    let abouts = || SYSTEMS.iter().map(|system| system.about());
    let lines: BTreeMap<&str, &[&str]> = abouts()
        .filter(|about| !about.lines.names.is_empty())
        .map(|about| (about.name, about.lines.names))
        .collect();
    let categories: BTreeMap<&str, BTreeSet<&str>> = abouts()
        .map(|about| {
            (
                about.name,
                about
                    .labels
                    .iter()
                    .map(|mapping| mapping.category)
                    .collect(),
            )
        })
        .collect();
    let files: BTreeSet<&str> = abouts()
        .filter_map(|about| about.site_file)
        .flat_map(|kind| kind.paths())
        .copied()
        .collect();
    let (mut headers, mut metas) = (BTreeSet::new(), BTreeSet::new());
    for entry in Path::new("tests/vectors")
        .read_dir()
        .expect("the vectors are in the project")
    {
        let path = entry.expect("an entry").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let vectors: Value =
                serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON");
            for vector in vectors["vectors"].as_array().expect("a list") {
                let list = |key: &str| vector["input"][key].as_array().cloned().unwrap_or_default();
                headers.extend(
                    list("headers")
                        .iter()
                        .filter_map(|one| Some(one[0].as_str()?.to_ascii_lowercase())),
                );
                metas.extend(
                    list("meta")
                        .iter()
                        .filter_map(|one| Some(one["name"].as_str()?.to_ascii_lowercase())),
                );
            }
        }
    }
    let declared = json!({ "lines": lines, "categories": categories, "site_files": files, "headers": headers, "metas": metas });
    serde_json::to_string_pretty(&declared).expect("JSON") + "\n"
}
