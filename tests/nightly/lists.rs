//! Lists of inputs, and the product token: what is skipped, and what is refused with a hint.

use crate::command::{crawlprefs, path, refused};
use crate::files::files;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;

#[test]
fn local_comments_and_blank_lines_are_no_inputs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let list = path(folder.path(), "list");
    let text = "\u{feff}# two archives\r\n\r\n  local/site.warc  \r\n\t\n  # local/gone.warc\nlocal/a#b.warc";
    fs::write(&list, text).expect("it can be written");
    for given in [
        vec!["--paths-from".to_owned(), list.clone()],
        vec![format!("@{list}")],
    ] {
        let mut args = vec!["scan", "--dry-run", "-o", "unused", "--base", "sample-data"];
        args.extend(given.iter().map(String::as_str));
        let ran = crawlprefs(&args);
        assert_eq!(ran.status, 0, "{}", ran.err);
        let names: Vec<&str> = ran
            .out
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.strip_suffix(": to read (new)"))
            .collect();
        assert_eq!(names.len(), 2, "{}", ran.out);
        assert!(
            names.contains(&"local/site.warc") && names.contains(&"local/a#b.warc"),
            "{names:?}"
        );
    }
    fs::write(&list, "# nothing\n\n").expect("it can be written");
    let ran = crawlprefs(&["scan", &format!("@{list}"), "-o", "unused"]);
    assert!(
        ran.status == 1 && ran.err.contains("an empty list"),
        "{}",
        ran.err
    );
}

#[test]
fn local_an_empty_list_on_standard_input_is_nothing_to_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = path(folder.path(), "out");
    let done = |args: &[&str]| {
        let ran = crawlprefs(args);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{args:?}");
        ran.out
    };
    done(&["run", "-q", "sample-data/local", "-o", &out]);
    let before = files(folder.path());
    for command in ["scan", "run"] {
        let text = done(&[command, "--paths-from", "-", "-o", &out]);
        assert_eq!(text, "no archives, nothing to do\n", "{command}");
    }
    assert!(files(folder.path()) == before);
    // By an empty list everything would be complete.
    for args in [
        &["status", &out, "--paths-from", "-"][..],
        &["resolve", &out, "--require", "-"],
    ] {
        refused(&crawlprefs(args), "standard input: an empty list");
    }
}

#[test]
fn local_a_dry_run_of_scan_says_what_is_done_already() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = path(folder.path(), "out");
    let dry = || {
        let ran = crawlprefs(&["scan", "--dry-run", "sample-data/local", "-o", &out]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran.out
    };
    let of = |plan: &str, done: bool| {
        let lines: Vec<&str> = plan.lines().filter(|line| line.starts_with("  ")).collect();
        assert_eq!(lines.len(), 2, "{plan}");
        assert!(
            lines.iter().all(|line| line.ends_with(": done") == done),
            "{plan}"
        );
    };
    of(&dry(), false);
    assert!(!std::path::Path::new(&out).exists());
    let ran = crawlprefs(&["scan", "-q", "sample-data/local", "-o", &out]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    of(&dry(), true);
}

/// What a call will do is what it then does.
#[test]
fn local_a_dry_run_of_scan_decides_as_the_call_does() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| path(folder.path(), name);
    let [archives, out] = ["in", "out"].map(at);
    fs::create_dir(&archives).expect("a folder");
    let archive = format!("{archives}/site.warc");
    let bytes = fs::read("sample-data/local/site.warc").expect("an archive");
    fs::write(&archive, &bytes).expect("an archive");
    let scan = |flags: &[&str]| {
        let args = ["scan", &archives, "-o", &out];
        crawlprefs(&[&args[..], flags].concat())
    };
    let planned = |flags: &[&str]| scan(&[&["--dry-run"], flags].concat()).out;
    assert_eq!(scan(&["-q", "--depth", "heads"]).status, 0);
    assert!(planned(&["--depth", "heads"]).contains("site.warc: done\n"));
    let deeper = planned(&[]);
    assert!(
        deeper.contains("site.warc: to read (it was read less deep)\n"),
        "{deeper}"
    );
    scan(&["-q"]);
    let again = planned(&["--again", "site.warc"]);
    assert!(again.contains("site.warc: to read (--again)\n"), "{again}");

    let record = bytes
        .windows(4)
        .position(|end| end == b"\r\n\r\n")
        .map_or(0, |at| at + 4);
    let other = [&bytes[..record], b" ", &bytes[record..bytes.len() - 1]].concat();
    fs::write(&archive, &other).expect("an archive");
    let refusal = "as long as that of the evidence";
    assert!(planned(&[]).contains(refusal), "{}", planned(&[]));
    let ran = scan(&["-q"]);
    assert!(ran.status == 3 && ran.err.contains(refusal), "{}", ran.err);
    // Where a file of the evidence is gone, too, the same is refused, and the same wish is heard.
    let evidence = files(std::path::Path::new(&out));
    let captures = evidence.keys().find(|name| name.contains("/captures/"));
    fs::remove_file(format!("{out}/{}", captures.expect("captures"))).expect("removed");
    let ran = scan(&["-q"]);
    assert!(ran.status == 3 && ran.err.contains(refusal), "{}", ran.err);
    let ran = scan(&["-q", "--again", "site.warc"]);
    assert!(!ran.err.contains(refusal), "{}", ran.err);
    assert!(planned(&[]).contains("site.warc: done\n"));
}

#[test]
fn local_a_line_that_is_neither_path_nor_url_is_refused_with_its_number() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (list, out) = (path(folder.path(), "list"), path(folder.path(), "out"));
    let long = vec![b'a'; 9000];
    for (line, found) in [
        (&b"a\0b.warc"[..], "found byte 0x00"),
        (b"a\x1b[2J.warc", "found byte 0x1B"),
        (b"a\tb.warc", "found byte 0x09"),
        (b"a\x7f", "found byte 0x7F"),
        ("a\u{9b}31m.warc".as_bytes(), "found a control character"),
        (
            b"https://host.example/\xff.warc.gz",
            "found a URL that is not UTF-8",
        ),
        (
            b"https://host.example/a b.warc.gz",
            "found a URL with a blank",
        ),
        (&long, "found 9000 bytes"),
    ] {
        let text = [b"# a list\nsample-data/local/site.warc\n", line, b"\n"].concat();
        fs::write(&list, text).expect("it can be written");
        let ran = crawlprefs(&["scan", "--paths-from", &list, "-o", &out]);
        let expected = format!("{list}: line 3: {found}; expected a path or URL");
        assert_eq!(ran.status, 1, "{}", ran.err);
        assert!(
            ran.err.contains(&expected),
            "expected {expected:?} in {:?}",
            ran.err
        );
        assert!(
            !fs::exists(&out).expect("the folder is there"),
            "something was left behind"
        );
    }
}

/// Writes a gzipped list.
fn write_list(file: &str, lines: impl Iterator<Item = String>) {
    let file = fs::File::create(file).expect("it can be written");
    let mut list = std::io::BufWriter::new(GzEncoder::new(file, Compression::fast()));
    lines.for_each(|line| list.write_all(line.as_bytes()).expect("it can be written"));
    list.into_inner()
        .expect("it can be written")
        .finish()
        .expect("it can be written");
}

#[test]
fn local_a_list_has_limits_that_its_refusal_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (list, out) = (path(folder.path(), "list.gz"), path(folder.path(), "out"));
    let refused = |limit: &str| {
        let ran = crawlprefs(&["scan", "--paths-from", &list, "-o", &out]);
        assert_eq!(ran.status, 1, "{}", ran.err);
        assert!(
            ran.err.contains(&format!("list.gz: more than {limit}")),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("split it"), "{}", ran.err);
    };
    write_list(&list, (0..500_001).map(|number| format!("{number}\n")));
    refused("500000 inputs, the limit for one list");
    write_list(
        &list,
        std::iter::once("a\n".to_owned())
            .chain((0..33).map(|_| format!("#{}\n", "x".repeat(4000)).repeat(1 << 10))),
    );
    refused("134217728 bytes of text, the limit for one list");
    // A line that repeats the one before is one input, however often it does.
    write_list(
        &list,
        (0..1000).map(|_| "sample-data/local/site.warc\n".repeat(1000)),
    );
    let ran = crawlprefs(&["scan", "--dry-run", "--paths-from", &list, "-o", &out]);
    assert_eq!((ran.status, ran.out.lines().count()), (0, 2), "{}", ran.out);
}

#[test]
#[cfg(target_os = "linux")]
fn local_a_path_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStringExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (list, out) = (path(folder.path(), "list"), path(folder.path(), "out"));
    let mut archive = folder.path().to_owned().into_os_string().into_vec();
    archive.extend(b"/caf\xe9.warc");
    fs::copy(
        "sample-data/local/site.warc",
        std::ffi::OsString::from_vec(archive.clone()),
    )
    .expect("a copy");
    fs::write(&list, archive).expect("it can be written");
    let ran = crawlprefs(&["scan", "--paths-from", &list, "-o", &out, "-v"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.err.starts_with("caf\\xE9.warc: "), "{}", ran.err);
}

#[test]
fn local_a_full_user_agent_string_is_refused_with_the_token_that_was_meant() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = path(folder.path(), "out");
    let agent = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
    let url = ["--url", "http://a.example/"];
    for args in [
        vec!["run", "sample-data", "-o", &out, "--agent", agent],
        vec!["resolve", &out, "--agent", agent],
        [&["explain"][..], &url, &["--agent", agent]].concat(),
    ] {
        let ran = crawlprefs(&args);
        assert_eq!(
            (ran.status, ran.out.as_str()),
            (2, ""),
            "{args:?}: {}",
            ran.err
        );
        let hint = "found a full user-agent string, expected a product token; try --agent GPTBot\n";
        assert!(ran.err.contains(hint), "{}", ran.err);
        assert_eq!(
            fs::read_dir(folder.path()).map_or(0, Iterator::count),
            0,
            "something was left behind"
        );
    }
}

#[test]
fn local_the_token_that_was_meant_is_one_of_the_given_agents_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let agents = path(folder.path(), "agents.tsv");
    fs::write(&agents, "token\nOwnBot\n").expect("written");
    let agent = "Mozilla/5.0 (compatible; GPTBot/1.2; like OwnBot/3.0)";
    let (out, index) = (path(folder.path(), "out"), path(folder.path(), "index"));
    assert_eq!(
        crawlprefs(&["run", "-q", "sample-data/local", "-o", &out]).status,
        0
    );
    assert_eq!(crawlprefs(&["index", "-q", &out, "-o", &index]).status, 0);
    for args in [
        &["explain", "--url", "http://a.example/"][..],
        &["history", "local.test", "--sites", &index],
        &["resolve", &out],
    ] {
        let ran = crawlprefs(&[args, &["--agents", &agents, "--agent", agent]].concat());
        assert!(
            ran.status == 2 && ran.err.contains("try --agent OwnBot\n"),
            "{args:?}: {}",
            ran.err
        );
    }
}
