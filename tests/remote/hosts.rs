//! Hosts that are busy, refuse, or are not there: how often they are asked, how soon that ends, and what is said.

use crate::files::files;
use crate::server::{Fault, Server};
use crate::{archives, listed, places, scan_list, scan_named};
use crawlprefs::error::Error;
use crawlprefs::job::{Named, discover};
use crawlprefs::store::{Places, RemoteOptions};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Returns so many names of archives below a server.
fn many(url: &str, count: usize) -> String {
    (0..count)
        .map(|number| format!("{url}/{number}.warc\n"))
        .collect()
}

/// Runs the command; returns its exit status, standard output and standard error.
pub fn crawlprefs(args: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crawlprefs"));
    let output = command
        .args(args)
        .envs(environment.iter().copied())
        .output()
        .expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn rfc9110_10_2_3_a_host_that_is_busy_for_long_is_left_alone_by_all() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::start(BTreeMap::new(), Fault::Later(900));
    let begun = Instant::now();
    let refused = scan_list(&many(&server.url, 60), None, &folder.path().join("out"));
    let Err(Error::Refused { detail }) = refused else {
        panic!("{refused:?}")
    };
    assert!(
        detail.contains("left alone for 900 s") && detail.contains("--request-rate"),
        "{detail}"
    );
    // As many as are asked at once.
    assert!(
        (1..=4).contains(&server.seen().len()),
        "{:?}",
        server.seen()
    );
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn local_after_five_failures_in_a_row_a_host_is_asked_no_more_and_others_are_read() {
    for fault in [Fault::Always(503), Fault::Always(500), Fault::Always(403)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let bad = Server::start(BTreeMap::new(), fault);
        let refused = scan_list(&many(&bad.url, 40), None, &folder.path().join("out"));
        let Err(Error::Refused { detail }) = refused else {
            panic!("{fault:?}: {refused:?}")
        };
        assert!(
            detail.contains("5 times in a row") || detail.contains("6 times"),
            "{detail}"
        );
        assert!(detail.contains("give the same command again"), "{detail}");
        // Two attempts for each of five archives, and what was under way then.
        assert!(
            bad.seen().len() <= 2 * (5 + 3),
            "{fault:?}: {}",
            bad.seen().len()
        );
        let good = Server::start(archives(), Fault::None);
        let urls: String = archives()
            .keys()
            .map(|name| format!("{}/{name}\n", good.url))
            .collect();
        let both = many(&bad.url, 40) + &urls;
        let summary = scan_list(&both, None, &folder.path().join("both")).expect("a scan");
        assert_eq!(
            (summary.failed_inputs.len(), summary.inputs),
            (40, 40 + archives().len()),
            "{fault:?}"
        );
        assert!(
            summary.failed_inputs.iter().all(|input| input.retry),
            "{fault:?}"
        );
        // Nothing is written of what was not asked for.
        let manifests = files(&folder.path().join("both"))
            .keys()
            .filter(|name| name.starts_with("_manifest"))
            .count();
        assert!(manifests <= archives().len() + 8, "{manifests}");
    }
}

#[test]
fn local_an_answer_ends_a_row_of_failures() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::start(archives(), Fault::Once(503));
    let names = listed(&archives());
    let summary = scan_list(&names, Some(&server.url), &folder.path().join("out")).expect("a scan");
    assert_eq!(summary.failed_inputs.len(), 0);
    // A missing archive is an answer.
    let server = Server::start(BTreeMap::new(), Fault::None);
    let summary =
        scan_list(&many(&server.url, 12), None, &folder.path().join("gone")).expect("a scan");
    assert_eq!((summary.failed_inputs.len(), server.seen().len()), (12, 12));
}

#[test]
fn local_what_stays_wrong_fails_within_seconds() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let closed = TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("its address");
    for (url, words) in [
        (format!("http://{closed}"), "refuses connections"),
        ("http://no-such-host.invalid".to_owned(), "not known"),
    ] {
        let file = folder.path().join("list");
        std::fs::write(&file, many(&url, 1)).expect("it can be written");
        let lists = [file.to_string_lossy().into_owned()];
        let many = NonZeroUsize::new(1000).expect("it is not 0");
        let places = Places::new(RemoteOptions {
            request_rate: many,
            ..RemoteOptions::default()
        });
        let named = Named {
            inputs: &[],
            lists: &lists,
            base: None,
            stdin_name: None,
            places: &places,
        };
        let begun = Instant::now();
        let summary = scan_named(&named, &folder.path().join("out")).expect("a scan");
        let detail = summary.failed_inputs[0].detail.clone().unwrap_or_default();
        assert!(
            detail.contains(words) && detail.contains("check"),
            "{detail}"
        );
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{url}: {:?}",
            begun.elapsed()
        );
    }
}

#[test]
fn local_a_list_that_breaks_off_is_read_on_as_an_archive_is() {
    let list: String = (0..2000).map(|number| format!("{number}.warc\n")).collect();
    for fault in [Fault::None, Fault::Cut, Fault::Once(503)] {
        let server = Server::start(
            [("list".to_owned(), list.clone().into_bytes())].into(),
            fault,
        );
        let lists = [format!("{}/list", server.url)];
        let places = places();
        let named = Named {
            inputs: &[],
            lists: &lists,
            base: None,
            stdin_name: None,
            places: &places,
        };
        assert_eq!(
            discover(&named).expect("a list").inputs.len(),
            2000,
            "{fault:?}"
        );
        assert_eq!(
            server.seen().len(),
            if fault == Fault::None { 1 } else { 2 }
        );
    }
}

#[test]
fn local_each_request_that_is_sent_again_is_a_line_an_event_and_a_metric() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = archives().into_keys().next().expect("an archive");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let metrics = path("metrics.prom");
    for (fault, cause) in [
        (Fault::Once(503), "status 503"),
        (Fault::Cut, "the answer broke off"),
    ] {
        let server = Server::start(archives(), fault);
        let url = format!("{}/{name}", server.url);
        let args = [
            "scan",
            &url,
            "-o",
            &path(&format!("{fault:?}")),
            "--metrics",
            &metrics,
        ];
        let (status, _, said) = crawlprefs(&[&args[..], &["-v"]].concat(), &[]);
        assert_eq!(status, Some(0), "{said}");
        assert!(
            said.lines()
                .any(|line| line.contains("sent again in") && line.ends_with(cause)),
            "{said}"
        );
        let text = std::fs::read_to_string(&metrics).expect("metrics");
        let has = |name: &str, value: &str| {
            let labels = format!("crawlprefs_{name}{{command=\"scan\",");
            text.lines()
                .any(|line| line.starts_with(&labels) && line.contains(&format!("}} {value}")))
        };
        assert!(
            has("requests_repeated_total", "1") && has("request_wait_seconds_total", "0."),
            "{text}"
        );
        let server = Server::start(archives(), fault);
        let url = format!("{}/{name}", server.url);
        let args = [
            "scan",
            &url,
            "-o",
            &path(&format!("{fault:?}-json")),
            "-v",
            "--log-format",
            "json",
        ];
        let (_, _, said) = crawlprefs(&args, &[]);
        let events: Vec<Value> = said
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let event = events
            .iter()
            .find(|event| event["event"] == "request_repeated")
            .expect("an event");
        assert_eq!(
            (&event["cause"], &event["attempt"]),
            (&cause.into(), &1.into())
        );
    }
    let server = Server::start(BTreeMap::new(), Fault::Later(900));
    let (status, _, said) = crawlprefs(
        &[
            "scan",
            "-q",
            many(&server.url, 1).trim(),
            "-o",
            &path("left"),
        ],
        &[],
    );
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("left alone for 900 s"), "{said}");
}

#[test]
fn local_extract_reports_its_requests_as_scan_does() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = archives().into_keys().next().expect("an archive");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (metrics, list) = (path("metrics.prom"), path("few.csv"));
    let rows = format!("warc_filename,warc_record_offset,warc_record_length\n{name},0,200\n");
    std::fs::write(&list, rows).expect("it can be written");
    for format in ["text", "json"] {
        let server = Server::start(archives(), Fault::Once(503));
        let given = [
            "extract",
            "--from",
            &list,
            "--base",
            &server.url,
            "-o",
            &path("few.warc.gz"),
        ];
        let watch = ["-v", "--log-format", format, "--metrics", &metrics];
        let (_, _, said) = crawlprefs(&[&given[..], &watch].concat(), &[]);
        let expected = if format == "text" {
            "sent again in"
        } else {
            "\"event\":\"request_repeated\""
        };
        assert!(
            said.lines()
                .any(|line| line.contains(expected) && line.contains("status 503")),
            "{said}"
        );
        let text = std::fs::read_to_string(&metrics).expect("metrics");
        assert!(
            text.contains("\ncrawlprefs_requests_repeated_total{command=\"extract\",out=\"\"} 1\n"),
            "{text}"
        );
        assert!(
            text.contains("crawlprefs_info{command=\"extract\""),
            "{text}"
        );
    }
}

#[cfg(unix)]
#[test]
fn local_a_signal_ends_the_wait_for_a_busy_server() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // A pause that is waited for.
    let server = Server::start(BTreeMap::new(), Fault::Later(290));
    let (url, out) = (
        many(&server.url, 1),
        folder.path().join("out").to_string_lossy().into_owned(),
    );
    let args = ["scan", "-q", url.trim(), "-o", &out];
    let mut child = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(args)
        .spawn()
        .expect("the command starts");
    while server.seen().is_empty() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let begun = Instant::now();
    let killed = Command::new("kill")
        .arg(child.id().to_string())
        .status()
        .expect("kill starts");
    assert!(killed.success());
    let ended = child.wait().expect("it ends");
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(ended.code(), Some(143));
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn local_what_is_wrong_with_a_bucket_is_said_in_words() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (status, code, words) in [
        (404, "NoSuchBucket", "check the name of the bucket"),
        (301, "PermanentRedirect", "AWS_REGION"),
        (403, "InvalidAccessKeyId", "check credentials"),
        (418, "Teapot", "Teapot: It is <short> and stout"),
    ] {
        let text = format!(
            "<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>It is &lt;short&gt; and stout.</Message><BucketName>b</BucketName></Error>"
        );
        let server = Server::start(BTreeMap::new(), Fault::Text(status, text.leak()));
        let environment = [
            ("AWS_ENDPOINT_URL", server.url.as_str()),
            ("AWS_ACCESS_KEY_ID", "k"),
            ("AWS_SECRET_ACCESS_KEY", "s"),
            ("AWS_REGION", "us-east-1"),
        ];
        for input in ["s3://b/folder/", "s3://b/folder/a.warc.gz"] {
            let out = folder.path().join(format!("{code}{}", input.len()));
            let (_, _, said) =
                crawlprefs(&["scan", input, "-o", &out.to_string_lossy()], &environment);
            assert!(
                said.contains(words) && !said.contains("<Code>") && !said.contains("<?xml"),
                "{input}: {said}"
            );
        }
    }
    assert!(!Path::new("s3:").exists());
}
