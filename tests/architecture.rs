//! The house: imports point down only, and a package is used in its room alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms from top to bottom; a room may use those below it.
const ROOMS: &[&str] = &[
    "main", "cli", "progress", "voice", "explain", "job", "tables", "resolve", "signals", "records",
    "archive", "web", "error",
];

/// Packages and the rooms that alone may use them.
const PACKAGES: &[(&str, &[&str])] = &[
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("glob", &["cli"]),
    ("signal_hook", &["cli"]),
    ("indicatif", &["progress"]),
    ("rayon", &["job"]),
    ("sfv", &["signals"]),
    ("parquet", &["tables"]),
    ("arrow_array", &["tables", "job"]),
    ("arrow_buffer", &["tables"]),
    ("arrow_schema", &["tables"]),
    ("arrow_select", &["tables"]),
    ("bytes", &["tables"]),
    ("libdeflate_sys", &["archive"]),
    ("encoding_rs", &["records"]),
    ("brotli_decompressor", &["records"]),
    ("zstd", &["records"]),
    ("publicsuffix", &["web"]),
    ("url", &["web"]),
    ("thiserror", &["error", "explain", "job", "resolve", "signals"]),
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("src is there") {
        let path = entry.expect("a folder can be read").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Returns each file of `src` with its room.
fn rooms() -> Vec<(PathBuf, String, String)> {
    let mut paths = Vec::new();
    files(Path::new("src"), &mut paths);
    assert!(paths.len() > 30);
    let room = |path: &Path| {
        let below = path.strip_prefix("src").expect("below src");
        let first = below.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
        first.trim_end_matches(".rs").to_owned()
    };
    paths
        .into_iter()
        .map(|path| (path.clone(), room(&path), fs::read_to_string(&path).expect("source")))
        .collect()
}

/// Returns the code of a file: no comments, no tests.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn local_imports_point_down_only() {
    let level = |room: &str| ROOMS.iter().position(|known| *known == room);
    for (path, room, text) in rooms() {
        if room == "lib" {
            continue;
        }
        let here = level(&room).unwrap_or_else(|| panic!("{room} is no room of the map"));
        for prefix in ["crate::", "crawlprefs::"] {
            for used in code(&text).split(prefix).skip(1) {
                let used: String = used.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
                let Some(there) = level(&used) else { continue };
                assert!(there >= here, "{}: {room} uses {used}, which stands above it", path.display());
            }
        }
    }
}

#[test]
fn local_a_package_is_used_in_its_room_alone() {
    for (path, room, text) in rooms() {
        let code = code(&text);
        for (package, allowed) in PACKAGES {
            let used = [format!("use {package}::"), format!("{package}::")].iter().any(|use_of| {
                code.match_indices(use_of.as_str()).any(|(at, _)| {
                    let before = code[..at].chars().next_back().unwrap_or(' ');
                    !before.is_alphanumeric() && !matches!(before, '_' | ':')
                })
            });
            let inside = allowed.contains(&room.as_str());
            assert!(!used || inside, "{}: {package} is used outside of {allowed:?}", path.display());
        }
    }
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
        assert!(contributing.contains(&format!("`{package}`")), "{package} is not in CONTRIBUTING.md");
    }
}

/// Returns the packages of a lock file with their versions.
fn locked(path: &str) -> BTreeSet<(String, String)> {
    let text = fs::read_to_string(path).expect("a lock file");
    let packages = text.split("[[package]]").skip(1);
    let value = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        line.expect("every package has one").to_owned()
    };
    packages.map(|package| (value(package, "name"), value(package, "version"))).collect()
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
        let known = built.contains(&(name.clone(), version.clone())) || !names.contains(name.as_str());
        assert!(
            known,
            "{name}: {version} is fuzzed, another one is built; cargo update --precise in tests/fuzz"
        );
    }
    let manifest = fs::read_to_string("tests/fuzz/Cargo.toml").expect("the fuzz package");
    for entry in fs::read_dir("tests/fuzz/targets").expect("targets") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        assert!(
            manifest.contains(&format!("path = \"targets/{name}\"")),
            "{name} is not in the fuzz package"
        );
    }
}

#[test]
fn local_files_and_functions_stay_short() {
    for (path, _, text) in rooms() {
        let lines = text.lines().count();
        assert!(lines <= 400, "{} has {lines} lines", path.display());
        assert!(text.starts_with("//!"), "{} does not say what it is", path.display());
    }
}

#[test]
fn local_unsafe_code_stands_in_one_module() {
    for (path, _, text) in rooms() {
        let unsafe_code = code(&text).contains("unsafe {") || code(&text).contains("unsafe impl");
        assert_eq!(unsafe_code, path.ends_with("archive/libdeflate.rs"), "{}", path.display());
    }
}

/// Files in `signals/` that are no signal of their own, each with the reason.
const NO_SIGNALS: &[(&str, &str)] = &[
    ("mod", "the registry"),
    ("signal", "what every signal can be asked"),
    ("robots_txt", "the ground on which others stand; access is resolve's"),
    ("aipref_vocab", "read through aipref_attach"),
];

#[test]
fn local_the_registry_names_every_signal_in_the_folder() {
    let names = fs::read_dir("src/signals").expect("signals").map(|entry| {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        name.trim_end_matches(".rs").to_owned()
    });
    let mut rooms: Vec<String> =
        names.filter(|name| !NO_SIGNALS.iter().any(|(known, _)| known == name)).collect();
    rooms.sort();
    let registry = fs::read_to_string("src/signals/mod.rs").expect("the registry");
    let listed = registry.split("pub static SYSTEMS").nth(1).expect("a registry");
    for room in &rooms {
        assert!(listed.contains(&format!("&{room}::")), "{room} is not in SYSTEMS");
    }
    assert_eq!(crawlprefs::systems::SYSTEMS.len(), rooms.len());
}
