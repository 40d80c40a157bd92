//! What an upgrade costs: evidence of earlier versions and of other lists is continued, and resolved.
//!
//! `tests/nightly/evidence/format-3` was written by `crawlprefs scan -q sample-data/local -o format-3` of a version with
//! another suffix list, which had the rule `test`, and with the noise list 1.

use crate::command::{crawlprefs_in, done, refused};
use crate::files::files;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const FORMATS: [&str; 1] = ["format-3"];

/// Returns a folder with a copy of the kept evidence of a format, in the folder `kept`.
fn kept(format: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, bytes) in files(&Path::new("tests/nightly/evidence").join(format)) {
        let path = folder.path().join("kept").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, bytes).expect("written");
    }
    folder
}

/// Returns the tables in a folder, but for `archives`, which has the version of the noise list.
fn tables(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = files(folder);
    files.retain(|name, _| name.ends_with(".parquet") && !name.starts_with("evidence/"));
    files
}

fn sample() -> String {
    let sample = Path::new("sample-data/local").canonicalize().expect("sample-data is in the repository");
    sample.to_string_lossy().into_owned()
}

#[test]
fn local_evidence_of_each_format_gives_the_tables_of_today() {
    for format in FORMATS {
        let folder = kept(format);
        done(folder.path(), &["run", "-q", &sample(), "-o", "today"]);
        done(folder.path(), &["resolve", "-q", "kept", "-o", "tables"]);
        let (today, of_kept) = (tables(&folder.path().join("today")), tables(&folder.path().join("tables")));
        assert!(!today.is_empty() && today == of_kept, "{format}");
    }
}

#[test]
fn local_other_lists_refuse_no_output() {
    let folder = kept("format-3");
    let mark = folder.path().join("kept/_crawlprefs.json");
    let text = fs::read_to_string(&mark).expect("a mark");
    fs::write(&mark, text.replace("\"evidence_format\"", "\"noise_list\": \"1\", \"evidence_format\""))
        .expect("written");
    // Known archives are not read again, and new ones are added.
    let before = files(&folder.path().join("kept/evidence"));
    done(folder.path(), &["scan", "-q", &sample(), "-o", "kept"]);
    assert!(files(&folder.path().join("kept/evidence")) == before);
    let archive = fs::read(Path::new(&sample()).join("site.warc")).expect("an archive");
    fs::write(folder.path().join("another.warc"), archive).expect("written");
    done(folder.path(), &["run", "-q", "another.warc", "-o", "kept"]);
    // Another format is refused with what to do.
    fs::write(&mark, text.replace("\"3\"", "\"4\"")).expect("written");
    let ran = crawlprefs_in(folder.path(), &["scan", "-q", "another.warc", "-o", "kept"]);
    refused(
        &ran,
        "written by a newer version of crawlprefs (evidence_format is 4, this one writes 3); use that version",
    );
    let ran = crawlprefs_in(folder.path(), &["resolve", "-q", "kept", "-o", "tables"]);
    refused(&ran, "its format is 4, this version reads 3; it was written by a newer version of crawlprefs");
}

#[test]
fn local_tables_of_a_newer_version_are_left_to_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    done(folder.path(), &["run", "-q", &sample(), "-o", "out"]);
    let mark = folder.path().join("out/_resolved.json");
    let text = fs::read_to_string(&mark).expect("a mark");
    for key in ["rules_version", "schema_version"] {
        let newer = text.replace(&format!("\"{key}\": \""), &format!("\"{key}\": \"99"));
        assert!(newer != text, "{key}");
        fs::write(&mark, newer).expect("written");
        for args in [&["resolve", "out"][..], &["run", &sample(), "-o", "out"]] {
            let ran = crawlprefs_in(folder.path(), args);
            refused(&ran, &format!("written by a newer version of crawlprefs ({key} is 99"));
            assert!(!ran.err.contains("--overwrite"), "{}", ran.err);
        }
        let status = crawlprefs_in(folder.path(), &["status", "out"]);
        assert_eq!(status.status, 3);
        assert!(
            status.out.contains("use the newer version of crawlprefs that made its tables"),
            "{}",
            status.out
        );
        assert!(!status.out.contains("--overwrite"), "{}", status.out);
    }
}

#[test]
fn local_tables_of_another_agents_table_are_all_made_again_and_never_mixed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let segment =
        Path::new("sample-data/crawl-data").canonicalize().expect("sample-data is in the repository");
    let run = ["run", "-q", &segment.to_string_lossy(), "-o", "out"];
    done(folder.path(), &run);
    let (out, mark) = (folder.path().join("out"), folder.path().join("out/_resolved.json"));
    let today = files(&out);
    let text = fs::read_to_string(&mark).expect("a mark");
    let digest =
        text.split("\"agents_digest\": \"").nth(1).and_then(|rest| rest.get(..32)).expect("a digest");
    let earlier = || fs::write(&mark, text.replace(digest, &"A".repeat(32))).expect("written");
    earlier();
    let ran = crawlprefs_in(folder.path(), &["status", "out"]);
    assert!(ran.status == 3 && ran.out.contains("with the agents table of another release"), "{}", ran.out);
    // A part of the folder cannot be made again: both tables would be in it.
    let part = ["resolve", "-q", "out", "--segment", "CC-MAIN-2026-34/1786000000000.1"];
    for args in
        [&run[..], &part, &["resolve", "-q", "out", "--slice", "1/2"], &["resolve", "out", "--limit", "1"]]
    {
        refused(
            &crawlprefs_in(folder.path(), args),
            "_resolved.json: from another run (agents_digest is AAAA",
        );
    }
    let listed = done(folder.path(), &["resolve", "out", "--dry-run"]).out;
    assert!(listed.contains("(new)") && !listed.contains(": done"), "{listed}");
    done(folder.path(), &["resolve", "-q", "out"]);
    assert!(files(&out) == today);
    done(folder.path(), &["status", "out"]);
    // Tables that could not be made again keep their agents table.
    done(folder.path(), &["run", "-q", run[2], "-o", "out", "--crawl", "CC-MAIN-2026-30"]);
    for removed in ["_manifest", "evidence/captures", "evidence/site_files"] {
        fs::remove_dir_all(out.join(removed).join("crawl=CC-MAIN-2026-30")).expect("removed");
    }
    let text = fs::read_to_string(&mark).expect("a mark");
    fs::write(&mark, text.replace(digest, &"A".repeat(32))).expect("written");
    let before = files(&out);
    refused(&crawlprefs_in(folder.path(), &["resolve", "out"]), "(agents_digest is AAAA");
    assert!(files(&out) == before);
}

#[test]
fn local_archives_that_were_read_by_older_rules_are_counted_and_complete() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = ["run", "-q", &sample(), "-o", "out"];
    done(folder.path(), &run);
    let out = folder.path().join("out");
    let manifest = files(&out).into_keys().find(|name| name.starts_with("_manifest/")).expect("a manifest");
    let text = fs::read_to_string(out.join(&manifest)).expect("a manifest");
    let older = text.replace("\"read_rules\": 1", "\"read_rules\": 0");
    assert!(older != text);
    fs::write(out.join(&manifest), &older).expect("written");
    done(folder.path(), &run);
    assert_eq!(fs::read_to_string(out.join(&manifest)).expect("a manifest"), older);
    let status = done(folder.path(), &["status", "out"]);
    assert!(status.out.contains("1 older rules"), "{}", status.out);
}

#[test]
fn local_tables_of_other_rules_are_refused_with_the_difference_and_made_again_when_asked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    done(folder.path(), &["run", "-q", &sample(), "-o", "out"]);
    let out = folder.path().join("out");
    let today = files(&out);
    for key in ["rules_version", "drafts", "schema_version"] {
        let text = String::from_utf8(today["_resolved.json"].clone()).expect("JSON");
        let earlier = text.replace(&format!("\"{key}\": \""), &format!("\"{key}\": \"earlier "));
        assert!(earlier != text, "{key}");
        fs::write(out.join("_resolved.json"), earlier).expect("written");
        refused(&crawlprefs_in(folder.path(), &["resolve", "out"]), &format!("{key} is earlier "));
        let status = crawlprefs_in(folder.path(), &["status", "out"]);
        assert!(
            status.status == 3 && status.out.contains("crawlprefs resolve out --overwrite"),
            "{}",
            status.out
        );
        done(folder.path(), &["resolve", "-q", "out", "--overwrite"]);
        assert!(files(&out) == today, "{key}");
    }
}
