//! Where servers and lists may lead: to public addresses, and to those of the kind that the user named.

use crate::hosts::crawlprefs;
use crate::server::{Fault, Server};
use crate::{archives, places, scan_list, scan_named};
use crawlprefs::error::Error;
use crawlprefs::job::{Named, discover};
use crawlprefs::store::{Addresses, Places, RemoteOptions};
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn rfc6890_a_redirect_to_an_address_of_another_kind_is_not_followed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for place in [
        "http://10.255.255.1/x",
        "http://192.168.255.1:1/x",
        "http://169.254.169.254/latest/meta-data/",
        "http://100.100.100.200/x",
        "http://[fe80::1]/x",
        "http://[fd00::1]/x",
        "http://[::ffff:10.255.255.1]/x",
        "http://[64:ff9b::a9fe:a9fe]/x",
        "http://0x0a.0xff.0xff.0x01/x",
    ] {
        let server = Server::start(BTreeMap::new(), Fault::Redirect(place));
        let summary =
            scan_list("a.warc", Some(&server.url), &folder.path().join("out")).expect("a scan");
        let detail = summary.failed_inputs[0].detail.clone().unwrap_or_default();
        assert!(detail.contains("--allow-private"), "{place}: {detail}");
        assert_eq!(server.seen().len(), 1);
    }
}

/// Runs a scan of an input behind a proxy, which resolves names of hosts that are not there; `localhost` is asked without.
fn behind_proxy(server: &Server, input: &[&str], more: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let args = [&["scan", "-o", &out, "--retries", "0"][..], input, more].concat();
    let environment = [
        ("http_proxy", server.url.as_str()),
        ("no_proxy", "localhost,127.0.0.1"),
    ];
    let (status, _, said) = crawlprefs(&args, &environment);
    (status, said)
}

#[test]
fn rfc6890_a_public_host_leads_to_no_private_address_nor_to_a_name_of_one() {
    let name = archives().into_keys().next().expect("an archive");
    let inner = Server::start(archives(), Fault::None);
    for host in ["127.0.0.1", "localhost"] {
        let place = format!("{}/{name}", inner.url.replace("127.0.0.1", host));
        let proxy = Server::start(BTreeMap::new(), Fault::Redirect(place.leak()));
        let input = ["http://public.invalid/a.warc.gz"];
        let (status, said) = behind_proxy(&proxy, &input, &[]);
        assert_eq!(status, Some(3), "{said}");
        assert!(
            said.contains("--allow-private") && said.contains("loopback"),
            "{said}"
        );
        assert_eq!((proxy.seen().len(), inner.seen().len()), (1, 0));
        // A list is as little a way in.
        let list = format!("{}/{name}\n", inner.url.replace("127.0.0.1", host));
        let proxy = Server::start([("list".to_owned(), list.into_bytes())].into(), Fault::None);
        let input = ["--paths-from", "http://public.invalid/list"];
        let (status, said) = behind_proxy(&proxy, &input, &[]);
        assert_eq!(status, Some(3), "{said}");
        assert!(
            said.contains("--allow-private") && inner.seen().is_empty(),
            "{said}"
        );
        assert_eq!(
            behind_proxy(&proxy, &input, &["--allow-private"]).0,
            Some(0)
        );
        assert_eq!(inner.seen().len(), 1);
        let inner_seen = inner.seen().len();
        let input = [format!("{}/{name}", inner.url)];
        assert_eq!(
            behind_proxy(&proxy, &[&input[0]], &[]).0,
            Some(0),
            "what the user names is asked"
        );
        assert_eq!(inner.seen().len(), inner_seen + 1);
        inner.forget();
    }
}

/// Discovers what a list behind a server names.
fn discover_list(line: &str, base: Option<&Path>, places: &Places) -> Result<usize, Error> {
    let server = Server::start(
        [("list".to_owned(), line.as_bytes().to_vec())].into(),
        Fault::None,
    );
    let lists = [format!("{}/list", server.url)];
    let named = Named {
        inputs: &[],
        lists: &lists,
        base,
        stdin_name: None,
        places,
    };
    discover(&named).map(|found| found.inputs.len())
}

#[test]
fn local_a_list_from_a_server_names_no_bucket_and_nothing_outside_a_local_base() {
    let any = Places::new(RemoteOptions {
        addresses: Addresses::Any,
        ..RemoteOptions::default()
    });
    let bucket = "s3://somebodys-bucket/a.warc.gz";
    let refused = discover_list(bucket, None, &places());
    assert!(refused.is_err_and(|error| error.to_string().contains("--allow-private")));
    assert_eq!(discover_list(bucket, None, &any).ok(), Some(1));
    assert_eq!(
        discover_list(bucket, Some(Path::new("s3://somebodys-bucket/")), &places()).ok(),
        Some(1)
    );
    for line in ["../a.warc", "x/../../a.warc", "/etc/passwd"] {
        let refused = discover_list(line, Some(Path::new("sample-data")), &places());
        assert!(
            matches!(&refused, Err(Error::BadLine { line: 1, .. })),
            "{line}: {refused:?}"
        );
    }
    assert_eq!(
        discover_list("local/site.warc", Some(Path::new("sample-data")), &places()).ok(),
        Some(1)
    );
}

#[test]
fn local_a_list_from_a_server_names_hosts_of_its_own_kind() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = archives().into_keys().next().expect("an archive");
    let other = Server::start(archives(), Fault::None);
    let list = format!("{}/{name}\nhttp://10.255.255.1/x.warc\n", other.url);
    let server = Server::start([("list".to_owned(), list.into_bytes())].into(), Fault::None);
    let (lists, places) = ([format!("{}/list", server.url)], places());
    let named = Named {
        inputs: &[],
        lists: &lists,
        base: None,
        stdin_name: None,
        places: &places,
    };
    let summary = scan_named(&named, &folder.path().join("out")).expect("a scan");
    let details: Vec<_> = summary
        .failed_inputs
        .iter()
        .filter_map(|input| input.detail.as_deref())
        .collect();
    assert_eq!(
        (summary.inputs, details.len(), other.seen().len()),
        (2, 1, 1)
    );
    assert!(
        details[0].contains("10.255.255.1 has a private address"),
        "{details:?}"
    );
}
