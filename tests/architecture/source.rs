//! The files of `src`: their modules, their code, and the modules that this code names.
//!
//! Example: in `src/web/url.rs`, the line `use super::{host::Host, origin};` names `web::host::Host`
//! and `web::origin`. Paths that `mod.rs` re-exports are not followed.

use std::fs;
use std::path::{Path, PathBuf};

/// One file of `src`.
pub struct Source {
    pub path: PathBuf,
    /// The path of its module: `["web", "url"]`.
    pub module: Vec<String>,
    pub text: String,
}

impl Source {
    /// Returns the layer, which is the first folder or the file itself.
    pub fn layer(&self) -> &str {
        &self.module[0]
    }

    /// Returns the code: no comments, no tests.
    pub fn code(&self) -> String {
        let code = self.text.split("#[cfg(test)]").next().unwrap_or_default();
        code.lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Returns the paths in this crate that the code names, each from the crate's root.
    pub fn named_paths(&self) -> Vec<Vec<String>> {
        let code = self.code();
        let mut paths = Vec::new();
        for root in ["crate::", "crawlprefs::", "super::"] {
            for (at, _) in code.match_indices(root) {
                let before = code[..at].chars().next_back().unwrap_or(' ');
                if !before.is_alphanumeric() && !matches!(before, '_' | ':') {
                    expand(&code[at..], &mut Vec::new(), &mut paths);
                }
            }
        }
        paths.into_iter().map(|path| self.absolute(&path)).collect()
    }

    fn absolute(&self, path: &[String]) -> Vec<String> {
        let supers = path
            .iter()
            .take_while(|segment| *segment == "super")
            .count();
        let base = if supers == 0 {
            &[]
        } else {
            &self.module[..self.module.len() - supers]
        };
        let rest = if supers == 0 {
            &path[1..]
        } else {
            &path[supers..]
        };
        [base, rest].concat()
    }
}

/// Reads one path, or the paths of a group in braces, and returns the text that follows.
fn expand<'a>(text: &'a str, prefix: &mut Vec<String>, paths: &mut Vec<Vec<String>>) -> &'a str {
    let mut text = text.trim_start();
    if let Some(group) = text.strip_prefix('{') {
        text = group.trim_start();
        while !text.starts_with('}') {
            text = expand(text, prefix, paths)
                .trim_start()
                .trim_start_matches(',')
                .trim_start();
        }
        return &text[1..];
    }
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    let (segment, rest) = text.split_at(end.max(1));
    prefix.push(segment.to_owned());
    let rest = if let Some(below) = rest.strip_prefix("::") {
        expand(below, prefix, paths)
    } else {
        paths.push(prefix.clone());
        // The new name of `path as name` is not a path.
        match rest.trim_start().strip_prefix("as ") {
            Some(name) => name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'),
            None => rest,
        }
    };
    prefix.pop();
    rest
}

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

fn module(path: &Path) -> Vec<String> {
    let below = path
        .strip_prefix("src")
        .expect("below src")
        .with_extension("");
    let names = below
        .components()
        .map(|name| name.as_os_str().to_string_lossy().into_owned());
    names.filter(|name| name != "mod").collect()
}

/// Returns every file of `src`, sorted.
pub fn sources() -> Vec<Source> {
    let mut paths = Vec::new();
    files(Path::new("src"), &mut paths);
    paths.sort();
    assert!(paths.len() > 30);
    let text = |path: &Path| fs::read_to_string(path).expect("source");
    paths
        .into_iter()
        .map(|path| Source {
            module: module(&path),
            text: text(&path),
            path,
        })
        .collect()
}

#[test]
fn local_groups_and_new_names_in_a_use_line_are_read() {
    let source = |text: &str| Source {
        path: PathBuf::new(),
        module: vec!["web".to_owned(), "url".to_owned()],
        text: text.to_owned(),
    };
    for (text, expected) in [
        (
            "use super::{host::Host, origin};",
            "web::host::Host web::origin",
        ),
        ("use crate::error::Error as Other;", "error::Error"),
        (
            "use crate::{web::{\n    host::{A as B, C},\n    url::*,\n}};",
            "web::host::A web::host::C web::url::*",
        ),
        ("let a = super::super::robots::read(b);", "robots::read"),
        ("// use super::a;\nuse other_crate::super_b::c;", ""),
        ("#[cfg(test)]\nmod tests { use super::a; }", ""),
    ] {
        let paths: Vec<String> = source(text)
            .named_paths()
            .iter()
            .map(|path| path.join("::"))
            .collect();
        assert_eq!(paths.join(" "), expected, "{text}");
    }
}
