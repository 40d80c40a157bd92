//! The layers: imports point down only, files import each other in no circle, and a package is used
//! in its layer alone.

mod circles;
mod names;
mod size;
mod source;
mod tour;

use source::sources;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The layers from top to bottom, each with those directly below it. A layer may use what is below
/// it, directly or not. The two lower halves, archives to evidence and the web's words to verdicts,
/// do not know each other.
const LAYERS: &[(&str, &[&str])] = &[
    ("main", &["cli"]),
    ("cli", &["explain", "judge", "job"]),
    ("explain", &["sites"]),
    ("judge", &["sites"]),
    ("job", &["sites"]),
    ("sites", &["runs"]),
    ("runs", &["tables", "plan"]),
    ("plan", &["web"]),
    ("tables", &["store", "verdict"]),
    ("store", &["evidence"]),
    ("evidence", &["archive"]),
    ("archive", &["web", "error"]),
    ("verdict", &["systems"]),
    ("systems", &["robots"]),
    ("robots", &["web", "error"]),
    ("web", &[]),
    ("error", &[]),
];

/// Packages and the layers that alone may use them.
const PACKAGES: &[(&str, &[&str])] = &[
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("anstyle", &["cli"]),
    ("textwrap", &["cli"]),
    ("glob", &["job"]),
    ("signal_hook", &["cli"]),
    ("indicatif", &["cli"]),
    ("mimalloc", &["main"]),
    ("rayon", &["explain", "job", "judge", "runs", "sites"]),
    ("sfv", &["systems"]),
    ("parquet", &["tables", "judge"]),
    ("arrow_array", &["tables", "job", "judge", "sites", "runs"]),
    ("arrow_buffer", &["tables"]),
    ("arrow_schema", &["tables", "judge"]),
    ("arrow_select", &["tables", "judge"]),
    ("bytes", &["tables", "store"]),
    (
        "sha2",
        &["tables", "sites", "judge", "evidence", "archive", "job"],
    ),
    ("async_trait", &["store"]),
    ("futures_util", &["store"]),
    ("http", &["store"]),
    ("http_body", &["store"]),
    ("object_store", &["store"]),
    ("reqwest", &["store"]),
    ("rustls", &["store"]),
    ("tokio", &["store"]),
    ("libdeflate_sys", &["archive"]),
    ("encoding_rs", &["evidence"]),
    ("quick_xml", &["evidence"]),
    ("brotli_decompressor", &["evidence"]),
    ("zip", &["archive"]),
    ("zstd", &["archive", "evidence", "job", "judge"]),
    ("csv", &["tables", "judge"]),
    ("toml", &["judge"]),
    ("url", &["web", "store"]),
    (
        "thiserror",
        &[
            "error", "explain", "job", "judge", "runs", "tables", "store", "verdict", "systems",
            "robots", "web",
        ],
    ),
];

/// Returns the layers below one, or nothing if it is not a layer.
fn below(layer: &str) -> Option<BTreeSet<&'static str>> {
    let (_, direct) = LAYERS.iter().find(|(name, _)| *name == layer)?;
    let further = direct.iter().filter_map(|name| below(name)).flatten();
    Some(direct.iter().copied().chain(further).collect())
}

#[test]
fn local_imports_point_down_only() {
    let mut checked = 0;
    for source in sources().iter().filter(|source| source.layer() != "lib") {
        let layer = source.layer();
        let below = below(layer).unwrap_or_else(|| panic!("{layer} is no layer"));
        for named in source.named_paths() {
            let Some(used) = named
                .first()
                .filter(|name| LAYERS.iter().any(|(layer, _)| layer == name))
            else {
                continue;
            };
            let allowed = used == layer || below.contains(used.as_str());
            assert!(
                allowed,
                "{}: {layer} uses {used}, which is not below it",
                source.path.display()
            );
            checked += 1;
        }
    }
    assert!(checked > 500, "{checked} imports");
}

#[test]
fn local_a_package_is_used_in_its_layer_alone() {
    let mut unused: BTreeSet<&str> = PACKAGES.iter().map(|(package, _)| *package).collect();
    for source in sources() {
        let code = source.code();
        for (package, allowed) in PACKAGES {
            let used = code.match_indices(&format!("{package}::")).any(|(at, _)| {
                let before = code[..at].chars().next_back().unwrap_or(' ');
                !before.is_alphanumeric() && !matches!(before, '_' | ':')
            });
            let inside = allowed.contains(&source.layer());
            assert!(
                !used || inside,
                "{}: {package} is used outside of {allowed:?}",
                source.path.display()
            );
            if used {
                unused.remove(package);
            }
        }
    }
    assert!(unused.is_empty(), "used nowhere: {unused:?}");
}

#[test]
fn local_every_package_is_listed_with_its_reason() {
    let manifest = fs::read_to_string("Cargo.toml").expect("Cargo.toml");
    let contributing = fs::read_to_string("CONTRIBUTING.md").expect("CONTRIBUTING.md");
    let mut packages = BTreeSet::new();
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line == "[dependencies]" || line == "[dev-dependencies]";
        } else if let Some((name, _)) = line.split_once(" = ")
            && inside
        {
            packages.insert(name.to_owned());
        }
    }
    assert!(packages.len() > 15);
    for package in packages {
        assert!(
            contributing.contains(&format!("`{package}`")),
            "{package} is not in CONTRIBUTING.md"
        );
    }
}

/// Returns the packages of a lock file with their versions.
fn locked(path: &str) -> BTreeSet<(String, String)> {
    let text = fs::read_to_string(path).expect("a lock file");
    let packages = text.split("[[package]]").skip(1);
    let value = |package: &str, key: &str| {
        let line = package
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        line.expect("every package has one").to_owned()
    };
    packages
        .map(|package| (value(package, "name"), value(package, "version")))
        .collect()
}

#[test]
fn local_what_is_fuzzed_is_what_is_built() {
    // A published package comes without packages in its folders.
    if !Path::new("tests/fuzz").is_dir() {
        return;
    }
    let built = locked("Cargo.lock");
    let names: BTreeSet<&str> = built.iter().map(|(name, _)| name.as_str()).collect();
    for (name, version) in locked("tests/fuzz/Cargo.lock") {
        let known =
            built.contains(&(name.clone(), version.clone())) || !names.contains(name.as_str());
        assert!(
            known,
            "{name}: {version} is fuzzed, another one is built; cargo update --precise in tests/fuzz"
        );
    }
    let manifest = fs::read_to_string("tests/fuzz/Cargo.toml").expect("the fuzz package");
    for entry in fs::read_dir("tests/fuzz/targets").expect("targets") {
        let name = entry
            .expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned();
        assert!(
            manifest.contains(&format!("path = \"targets/{name}\"")),
            "{name} is not in the fuzz package"
        );
    }
}

#[test]
fn local_files_stay_short() {
    for source in sources() {
        let lines = source.text.lines().count();
        assert!(lines <= 600, "{} has {lines} lines", source.path.display());
        assert!(
            source.text.starts_with("//!"),
            "{} does not say what it is",
            source.path.display()
        );
    }
}

#[test]
fn local_unsafe_code_is_in_one_module() {
    for source in sources() {
        let code = source.code();
        let count: usize = ["unsafe {", "unsafe impl", "unsafe fn"]
            .iter()
            .map(|form| code.matches(form).count())
            .sum();
        // Three calls, each with its reason, and that a decompressor may go to another thread.
        let allowed = if source.path.ends_with("archive/libdeflate.rs") {
            4
        } else {
            0
        };
        assert_eq!(count, allowed, "{}", source.path.display());
        assert!(
            source.text.matches("SAFETY:").count() >= count,
            "{}",
            source.path.display()
        );
    }
}

/// Modules of `systems/` that are not a system of their own, each with the reason.
const NO_SYSTEMS: &[(&str, &str)] = &[
    ("mod", "the registry"),
    ("label", "which answers of systems count for labels"),
    (
        "path_rules",
        "lines that hold for paths, of several systems",
    ),
    ("statement", "a statement and its members, of every system"),
    (
        "structured_field",
        "members of structured fields, of several systems",
    ),
    ("system", "what every system can be asked"),
    (
        "words",
        "words, preferences by label and errors of users' files, of several systems",
    ),
    ("aipref_vocab", "read through aipref_attach"),
];

#[test]
fn local_the_registry_names_every_system_in_the_folder() {
    let names = fs::read_dir("src/systems").expect("systems").map(|entry| {
        let name = entry
            .expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned();
        name.trim_end_matches(".rs").to_owned()
    });
    let systems: Vec<String> = names
        .filter(|name| !NO_SYSTEMS.iter().any(|(known, _)| known == name))
        .collect();
    let registry = fs::read_to_string("src/systems/mod.rs").expect("the registry");
    let listed = registry
        .split("pub static SYSTEMS")
        .nth(1)
        .expect("a registry");
    for system in &systems {
        assert!(
            listed.contains(&format!("&{system}::")),
            "{system} is not in SYSTEMS"
        );
    }
    assert_eq!(crawlprefs::systems::SYSTEMS.len(), systems.len());
}
