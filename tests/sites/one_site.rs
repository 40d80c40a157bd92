//! A huge site beside an ordinary one: it costs time when it is asked for, and other sites cost no more.

use crate::rounds::rounds;
use crate::world::warc;
use crate::{done, run};
use crawlprefs::sites::SiteLayers;
use crawlprefs::store::Places;
use crawlprefs::tables::site_index::SiteHost;
use fastrand::Rng;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";

/// Makes an index of an archive, and one of victim.test; returns its folder.
fn index(folder: &Path, records: &[u8]) -> String {
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let victim = format!("{OK}User-agent: *\nDisallow: /no\n");
    let victim = warc::response(
        "https://victim.test/robots.txt",
        "2026-03-01T00:00:00Z",
        "",
        victim.as_bytes(),
    );
    fs::write(at("a.warc"), [records, &victim].concat()).expect("an archive");
    done(&["scan", "-q", &at("a.warc"), "-o", &at("evidence")]);
    done(&[
        "index",
        "-q",
        &at("evidence"),
        "-o",
        &at("index"),
        "--memory-limit",
        "1M",
    ]);
    done(&["index", "-q", &at("evidence"), "-o", &at("whole")]);
    let same =
        crate::files::files(&folder.join("index")) == crate::files::files(&folder.join("whole"));
    assert!(same, "the index depends on the memory");
    done(&["index", "-q", &at("index"), "-o", &at("again")]);
    assert!(
        crate::files::files(&folder.join("again")) == crate::files::files(&folder.join("index"))
    );
    at("index")
}

fn reader(index: &str) -> SiteLayers {
    SiteLayers::open(&[index.into()], &Places::default()).expect("an index")
}

/// Judges URLs by the index and by the evidence, which agree; returns how each may be fetched.
fn judged(folder: &Path, urls: &[String]) -> Vec<String> {
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    fs::write(at("urls.txt"), urls.join("\n") + "\n").expect("URLs");
    done(&[
        "resolve",
        "-q",
        &at("evidence"),
        "-o",
        &at("tables"),
        "--overwrite",
    ]);
    let by = |source: &[&str]| {
        done(&[&["judge", "-q", &at("urls.txt"), "--at", "newest"], source].concat())
    };
    let printed = by(&["--sites", &at("index")]);
    assert_eq!(
        printed,
        by(&["--tables", &at("tables"), "--evidence", &at("evidence")])
    );
    let access =
        |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["prefs_access"].clone();
    printed
        .lines()
        .map(|line| access(line).as_str().expect("access").to_owned())
        .collect()
}

#[test]
fn local_hosts_that_differ_in_www_alone_are_looked_up_one_by_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let record = |number: usize| {
        let message = format!("{OK}User-agent: *\nDisallow: /{number}\n");
        let url = format!("https://www{number}.evil.test/robots.txt");
        warc::response(&url, "2026-03-01T00:00:00Z", "", message.as_bytes())
    };
    let index = index(
        folder.path(),
        &(1..=8_400).flat_map(record).collect::<Vec<u8>>(),
    );
    let reader = reader(&index);
    let groups = reader.ranges().iter().flat_map(|part| &part.groups);
    assert!(groups.clone().count() > 1, "a row group has all hosts");
    let host = |name: &str| BTreeSet::from([SiteHost::new(name)]);
    for name in [
        "www1.evil.test",
        "www777.evil.test",
        "www8400.evil.test",
        "victim.test",
    ] {
        assert_eq!(
            reader
                .load_fetches(&host(name), None)
                .expect("read")
                .fetches
                .len(),
            1,
            "{name}"
        );
    }
    let url = |number: usize| format!("https://www{number}.evil.test/{number}");
    let urls = [
        url(1),
        url(8399),
        "https://www3.evil.test/4".to_owned(),
        "https://victim.test/no".to_owned(),
    ];
    assert_eq!(
        judged(folder.path(), &urls),
        ["disallow", "disallow", "allow", "disallow"]
    );
}

#[test]
fn local_a_host_with_many_versions_and_ports_is_in_many_row_groups() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut random = Rng::with_seed(5);
    let mut records = Vec::new();
    let mut noise = || {
        (0..60)
            .map(|_| format!("{:016x}", random.u64(..)))
            .collect::<String>()
    };
    for number in 0..140_u64 {
        let noise: String = (0..240).map(|_| format!("# {}\n", noise())).collect();
        let message = format!("{OK}{noise}User-agent: *\nDisallow: /{number}\n");
        let at = format!("2026-03-01T{:02}:{:02}:00Z", number / 60, number % 60);
        records.extend(warc::response(
            "https://evil.test/robots.txt",
            &at,
            "",
            message.as_bytes(),
        ));
    }
    let ports = rounds(300, 3000);
    for port in (1000..).take(ports) {
        let message = format!("{OK}User-agent: *\nDisallow: /{port}\n");
        let url = format!("https://evil.test:{port}/robots.txt");
        records.extend(warc::response(
            &url,
            "2026-03-01T00:00:00Z",
            "",
            message.as_bytes(),
        ));
    }
    let index = index(folder.path(), &records);
    let reader = reader(&index);
    let loaded = reader
        .load_fetches(&BTreeSet::from([SiteHost::new("evil.test")]), None)
        .expect("read");
    assert!(
        loaded.body_bytes > 30 << 20 && loaded.fetches.len() == 140 + ports,
        "{}",
        loaded.fetches.len()
    );
    // No row group of bodies has all of them: each is some 1 MiB.
    for name in crate::files::files(Path::new(&index))
        .keys()
        .filter(|name| name.contains("bodies/"))
    {
        let file = fs::File::open(Path::new(&index).join(name)).expect("a part");
        let footer = parquet::file::metadata::ParquetMetaDataReader::new().parse_and_finish(&file);
        for group in footer.expect("a footer").row_groups() {
            assert!(
                group.total_byte_size() < 2 << 20,
                "{name}: {}",
                group.total_byte_size()
            );
        }
    }
    let urls = [
        "https://evil.test/139".to_owned(),
        "https://evil.test/138".to_owned(),
        "https://evil.test:1299/1299".to_owned(),
        "https://victim.test/no".to_owned(),
    ];
    assert_eq!(
        judged(folder.path(), &urls),
        ["disallow", "allow", "disallow", "disallow"]
    );
    let history = run(&[
        "history",
        "https://evil.test/x",
        "--sites",
        &index,
        "--json",
    ]);
    let entries = String::from_utf8_lossy(&history.stdout)
        .matches(r#""item":"entry""#)
        .count();
    assert!(history.status.success() && entries == 140, "{entries}");
    let out = folder.path().join("as-of");
    let as_of = [
        "sites",
        "-q",
        &index,
        "--at",
        "2026-03-02",
        "-o",
        &out.to_string_lossy(),
    ];
    assert!(run(&as_of).status.success());
}
