//! Symbolic links: below an output none is followed, and below an input each file is read once.

use crate::files::files;
use crate::fixture::{captures, options};
use crawlprefs::archive::Input;
use crawlprefs::error::Error;
use crawlprefs::job::{Named, ResolveOptions, Silent, discover, resolve, scan};
use crawlprefs::runs::Existing;
use crawlprefs::store::{FolderStore, Places};
use crawlprefs::systems::Viewpoint;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Writes two archives, and returns their folder.
fn archives(folder: &Path) -> PathBuf {
    let archives = folder.join("archives");
    fs::create_dir_all(archives.join("deep")).expect("it can be made");
    fs::write(archives.join("a.warc"), captures("a", 3)).expect("it can be written");
    fs::write(archives.join("deep/b.warc"), captures("b", 3)).expect("it can be written");
    archives
}

fn found(input: &str) -> Vec<Input> {
    let inputs = [input.to_owned()];
    let named = Named {
        inputs: &inputs,
        lists: &[],
        base: None,
        stdin_name: None,
        places: &Places::default(),
    };
    discover(&named).expect("archives").inputs
}

/// Scans and resolves archives.
fn run(inputs: Vec<Input>, out: &Path) -> Result<(), Error> {
    let store = FolderStore::new(out.to_owned());
    scan(&options(inputs, 1), &store, &Silent)?;
    resolve_again(out, out, Existing::Replace)
}

fn resolve_again(evidence: &Path, out: &Path, existing: Existing) -> Result<(), Error> {
    let options = ResolveOptions {
        existing,
        ..ResolveOptions::new(Viewpoint::default())
    };
    let evidence = if evidence == out {
        FolderStore::new(out.to_owned())
    } else {
        FolderStore::of_input(evidence.to_owned())
    };
    resolve(
        &[&evidence],
        &FolderStore::new(out.to_owned()),
        &options,
        &Silent,
    )
    .map(drop)
}

#[test]
fn local_nothing_behind_a_link_below_an_output_is_written_or_removed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inputs = found(&archives(folder.path()).to_string_lossy());
    for (number, link) in [
        "pages",
        "pages/crawl=local",
        "pages/crawl=x",
        "_resolved",
        "evidence/captures",
    ]
    .into_iter()
    .enumerate()
    {
        let [out, elsewhere] =
            ["out", "elsewhere"].map(|name| folder.path().join(format!("{name}{number}")));
        run(inputs.clone(), &out).expect("a run");
        // What is there moves elsewhere; a crawl of its own has somebody's file.
        let (from, to) = (out.join(link), elsewhere.join("crawl=x"));
        fs::create_dir_all(&to).expect("it can be made");
        fs::write(to.join("theirs.parquet"), "theirs").expect("it can be written");
        if from.exists() {
            fs::rename(&from, elsewhere.join("moved")).expect("it can be moved");
        }
        symlink(
            if link.contains('=') {
                to
            } else {
                elsewhere.clone()
            },
            &from,
        )
        .expect("a link");
        let (before, inside) = (
            files(&elsewhere),
            fs::read(out.join("_resolved.json")).expect("a mark"),
        );
        for ran in [
            resolve_again(&out, &out, Existing::Replace),
            run(inputs.clone(), &out),
        ] {
            let error = ran.expect_err("it is refused").to_string();
            assert!(
                error.contains(&format!("{link}: a symbolic link")),
                "{link}: {error}"
            );
        }
        assert_eq!(files(&elsewhere), before, "{link}");
        assert_eq!(
            fs::read(out.join("_resolved.json")).expect("a mark"),
            inside
        );
    }
}

#[test]
fn local_an_output_may_be_named_by_a_link() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inputs = found(&archives(folder.path()).to_string_lossy());
    fs::create_dir(folder.path().join("disk")).expect("it can be made");
    symlink("disk", folder.path().join("out")).expect("a link");
    for _ in 0..2 {
        run(inputs.clone(), &folder.path().join("out")).expect("a run");
    }
    run(inputs, &folder.path().join("plain")).expect("a run");
    assert_eq!(
        files(&folder.path().join("disk")),
        files(&folder.path().join("plain"))
    );
}

#[test]
fn local_archives_behind_links_are_read_once_and_loops_end() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archives = archives(folder.path());
    let inputs = folder.path().join("inputs");
    fs::create_dir(&inputs).expect("it can be made");
    for (to, link) in [
        (&inputs, "loop"),
        (&folder.path().to_owned(), "up"),
        (&archives, "one"),
        (&archives, "two"),
        (&archives.join("a.warc"), "c.warc"),
    ] {
        symlink(to, inputs.join(link)).expect("a link");
    }
    for name in ["inputs", "inputs/**/*.warc", "inp*"] {
        let named = folder.path().join(name);
        let mut names: Vec<String> = found(&named.to_string_lossy())
            .iter()
            .map(|input| {
                input
                    .source
                    .location()
                    .rsplit('/')
                    .next()
                    .expect("a name")
                    .to_owned()
            })
            .collect();
        names.sort();
        assert_eq!(names, ["b.warc", "c.warc"], "{name}");
    }
}

#[test]
fn local_evidence_may_lie_behind_links() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inputs = found(&archives(folder.path()).to_string_lossy());
    let [whole, linked, out] = ["whole", "linked", "out"].map(|name| folder.path().join(name));
    run(inputs, &whole).expect("a run");
    fs::create_dir(&linked).expect("it can be made");
    for name in ["_crawlprefs.json", "_manifest", "evidence"] {
        symlink(whole.join(name), linked.join(name)).expect("a link");
    }
    resolve_again(&linked, &out, Existing::Continue).expect("tables");
    let tables = |of: &Path| -> Vec<(String, Vec<u8>)> {
        files(of)
            .into_iter()
            .filter(|(name, _)| name.starts_with("pages/"))
            .collect()
    };
    assert!(!tables(&out).is_empty());
    assert_eq!(tables(&out), tables(&whole));
}
