//! Values that are wrong by a slip of the pen: they end the command with status 2, and the nearest valid one is named.

use crate::fixture::run;
use std::fs;

const ROBOTS: &str = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n";

fn explain(flags: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let robots = folder.path().join("robots.txt");
    fs::write(&robots, ROBOTS).expect("a file");
    let robots = robots.to_string_lossy().into_owned();
    let args = [
        &[
            "explain",
            "--json",
            "--url",
            "https://a.example/x",
            "--robots",
            &robots,
        ],
        flags,
    ]
    .concat();
    let ran = run(&args, b"");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        ran.status.code().unwrap_or(-1),
        text(&ran.stdout),
        text(&ran.stderr),
    )
}

/// `*` would answer for a name that nobody has, and the answer would be allow.
#[test]
fn local_a_slip_in_the_name_of_a_crawler_is_no_crawler() {
    for agent in ["GTPBot", "GPTBott", "GPT-Bot", "GPT Bot", "gptbo"] {
        let (status, out, err) = explain(&["--agent", agent]);
        assert_eq!((status, out.as_str()), (2, ""), "{agent}: {err}");
        let message = format!("--agent {agent}: not in the agents table, which has GPTBot");
        assert!(
            err.contains(&message) && err.contains("--agent-unknown"),
            "{err}"
        );
        let (status, out, err) = explain(&["--agent", agent, "--agent-unknown"]);
        assert!(status == 0 && !out.is_empty(), "{agent}: {err}");
        assert!(
            err.contains(&format!(
                "warning: --agent {agent}: not in the agents table"
            )),
            "{err}"
        );
    }
    for agent in ["GPTBot", "gptbot", "GPTBot/1.2"] {
        let (status, out, err) = explain(&["--agent", agent]);
        assert_eq!((status, err.as_str()), (0, ""), "{agent}");
        assert!(out.contains("\"access\":\"disallow\""), "{out}");
    }
    let (status, _, err) = explain(&["--agent", "ExampleBot"]);
    assert!(
        status == 0 && err.contains("warning: --agent ExampleBot: not in the agents table"),
        "{err}"
    );
}

#[test]
fn local_several_crawlers_are_no_agent() {
    let (status, out, err) = explain(&["--agent", "GPTBot,CCBot"]);
    assert_eq!((status, out.as_str()), (2, ""), "{err}");
    assert!(
        err.contains("--agent GPTBot,CCBot: found a list, expected one product token"),
        "{err}"
    );
}

#[test]
fn local_an_agent_of_a_policy_that_is_a_slip_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("policy.toml");
    fs::write(&file, "agents = ['GTPBot']\n").expect("a file");
    let (tables, file) = (
        crate::fixture::tables(),
        file.to_string_lossy().into_owned(),
    );
    let ran = run(
        &["judge", "-", "--tables", &tables, "--policy", &file],
        b"https://a.example/\n",
    );
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(
        err.contains(
            "GTPBot is not in the agents table that the tables were made with; try GPTBot"
        ),
        "{err}"
    );
}

#[test]
fn local_wrong_values_have_status_2_and_the_nearest_valid_one() {
    let tables = crate::fixture::tables();
    let judge = |flags: &[&str]| {
        [&["judge", "-", "--tables", &tables], flags]
            .concat()
            .join("\n")
    };
    let explain = |flags: &[&str]| [&["explain"], flags].concat().join("\n");
    for (args, message) in [
        (
            judge(&["--policy", "label"]),
            "--policy label: neither one of robots, labels, strict nor a file; try --policy labels",
        ),
        (
            judge(&["--columns", "acess"]),
            "--columns: found acess, expected some of ",
        ),
        (judge(&["--columns", "acess"]), "; try access"),
        (
            explain(&["--url", "a.example/x"]),
            "--url a.example/x: found no scheme, expected a URL such as https://a.example/x",
        ),
        (
            explain(&["--url", "https://a.example/x", "--vocab", "99"]),
            "--vocab 99: neither one of 01, 02, ",
        ),
        (
            explain(&["--url", "https://a.example/x", "--agent", "*"]),
            "--agent *: found byte 0x2A in a product token",
        ),
    ] {
        let args: Vec<&str> = args.lines().collect();
        let ran = run(&args, b"https://a.example/\n");
        let err = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{args:?}: {err}");
        assert!(
            ran.stdout.is_empty() && err.contains(message),
            "{args:?}: {err}"
        );
    }
}

/// To open a pipe waits for its writer.
#[test]
fn local_a_pipe_that_nobody_writes_to_ends_the_command() {
    let (tables, folder) = (
        crate::fixture::tables(),
        tempfile::tempdir().expect("a temporary folder"),
    );
    let (pipe, out) = (folder.path().join("pipe"), folder.path().join("out"));
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .expect("mkfifo")
            .success()
    );
    let [pipe, out] = [pipe, out].map(|path| path.to_string_lossy().into_owned());
    let calls = [
        vec!["judge", "-", "--tables", &tables, "--policy", &pipe],
        vec!["run", "sample-data", "-o", &out, "--agents", &pipe],
        vec!["judge", &pipe, "--tables", &tables, "-o", &out],
        vec![
            "judge", "-", "--tables", &tables, "--diff", &pipe, "--policy", "robots", "-o", &out,
        ],
        vec!["run", "--paths-from", &pipe, "-o", &out],
        vec!["lint", &pipe],
    ];
    std::thread::scope(|scope| {
        for call in &calls {
            scope.spawn(move || {
                let ran = run(call, b"https://a.example/\n");
                let err =
                    String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
                assert!(
                    !ran.status.success() && err.contains("pipe"),
                    "{call:?}: {err}"
                );
            });
        }
    });
    // One with a writer is read.
    let writer = pipe.clone();
    let writer = std::thread::spawn(move || fs::write(writer, "preset = 'robots'\n"));
    let ran = run(
        &["judge", "-q", "-", "--tables", &tables, "--policy", &pipe],
        b"https://rep.example/\n",
    );
    assert!(
        ran.status.success() && !ran.stdout.is_empty(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    writer.join().expect("no panic").expect("all of it is read");
}
