//! What a run has written.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Returns every file below `out` with its bytes, but for what it remembers, which has times.
pub fn files(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![out.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the output can be read") {
            let path = entry.expect("the output can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path
                    .strip_prefix(out)
                    .expect("below it")
                    .to_string_lossy()
                    .into_owned();
                if !name.starts_with("_known/") && !name.starts_with("_changed/") {
                    found.insert(name, fs::read(&path).expect("the output can be read"));
                }
            }
        }
    }
    found
}
