//! Several indexes asked as one give the answers of the one that they merge to, in any order.

use crate::random::one_of;
use crate::world::{CRAWLS, origin, segments, time};
use crate::{KeptFolder, asked, done, evidence, failed, of_world, run};
use crawlprefs::judge::{At, Document, Documents, Judge, JudgeOptions};
use crawlprefs::runs::TableOptions;
use crawlprefs::sites::SiteLayers;
use crawlprefs::store::Places;
use crawlprefs::systems::Viewpoint;
use fastrand::Rng;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// The world in layers: `crawls/N` has an index for each crawl, `three/N` three of several, `segments/N` one for each segment.
static LAYERS: LazyLock<KeptFolder> = LazyLock::new(|| {
    let folder = KeptFolder::new("layers");
    let make = |name: &str, flags: &[&str]| {
        let out = folder.path().join(name).to_string_lossy().into_owned();
        done(&[&["index", "-q", "-o", &out], flags].concat());
    };
    let all = evidence();
    for (number, of_crawl) in all.iter().enumerate() {
        make(&format!("crawls/{number}"), &[of_crawl]);
        for (place, segment) in segments(number).iter().enumerate() {
            make(
                &format!("segments/{}", 2 * number + place),
                &[of_crawl, "--segment", segment],
            );
        }
    }
    // Neighbours are in different layers.
    for third in 0..3 {
        let of_third: Vec<&str> = all
            .iter()
            .skip(third)
            .step_by(3)
            .map(String::as_str)
            .collect();
        make(&format!("three/{third}"), &of_third);
    }
    folder
});

/// Returns the places of layers, in any order.
fn layers(kind: &str, random: &mut Rng) -> Vec<String> {
    let folder = LAYERS.path().join(kind);
    let count = fs::read_dir(&folder).expect("a folder").count();
    let mut places: Vec<String> = (0..count)
        .map(|number| {
            folder
                .join(number.to_string())
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    random.shuffle(&mut places);
    places
}

/// Runs a command by indexes; returns what it printed.
fn by(places: &[String], command: &[&str]) -> String {
    let flags: Vec<&str> = places.iter().flat_map(|place| ["--sites", place]).collect();
    done(&[command, &flags].concat())
}

/// Returns lines of JSON without what names the index.
fn nameless(text: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| {
        let mut value: Value = serde_json::from_str(line).expect("JSON");
        if let Some(members) = value.as_object_mut() {
            members.retain(|name, _| !["index", "index_sha256"].contains(&name.as_str()));
        }
        value
    });
    lines.collect()
}

/// Every way to have the world in layers; `crawls` as the folder that they are in, too.
fn ways(random: &mut Rng) -> Vec<Vec<String>> {
    let mut ways: Vec<Vec<String>> = ["crawls", "three", "segments", "crawls"]
        .iter()
        .map(|kind| layers(kind, random))
        .collect();
    ways.push(vec![
        LAYERS.path().join("crawls").to_string_lossy().into_owned(),
    ]);
    // What two have counts once.
    ways.push(
        [
            layers("crawls", random),
            layers("three", random)[..1].to_vec(),
        ]
        .concat(),
    );
    ways
}

#[test]
fn local_documents_are_judged_by_layers_as_by_the_merged_index() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let documents = folder
        .path()
        .join("documents.jsonl")
        .to_string_lossy()
        .into_owned();
    fs::write(&documents, crate::judged::documents(crate::judged::count())).expect("a file");
    let mut random = Rng::with_seed(50);
    for at in ["page", "newest", "2026-04-02T01:00:00Z"] {
        let judge = ["judge", "-q", "--at", at, "--audit", &documents];
        let merged = by(&[of_world("index")], &judge);
        for way in ways(&mut random) {
            assert!(by(&way, &judge) == merged, "{at} {way:?}");
        }
    }
}

#[test]
fn local_explain_and_history_say_by_layers_what_the_merged_index_says() {
    let mut random = Rng::with_seed(51);
    let urls: Vec<String> = (0..asked("CRAWLPREFS_EXPLAINED", 16))
        .map(|_| origin(&mut random) + "/p/x")
        .collect();
    for url in &urls {
        let month = 2 + random.usize(..CRAWLS.len() + 2);
        let at = time(&mut random, month);
        let explain = ["explain", "--json", "--url", url, "--at", &at];
        let merged = by(&[of_world("index")], &explain);
        let ways = ways(&mut random);
        let way = &ways[random.usize(..ways.len())];
        assert_eq!(by(way, &explain), merged, "{url} {at} {way:?}");
    }
    for number in 0..asked("CRAWLPREFS_HISTORIES", 12) {
        let host = format!(
            "{}h{}.example",
            one_of(&mut random, &["", "", "www.", "www2."]),
            number % 40
        );
        let history = ["history", "--json", &host];
        let merged = run(&["history", "--json", &host, "--sites", &of_world("index")]);
        let ways = ways(&mut random);
        let way = &ways[random.usize(..ways.len())];
        if merged.status.success() {
            let merged = nameless(&String::from_utf8(merged.stdout).expect("UTF-8"));
            assert_eq!(nameless(&by(way, &history)), merged, "{host} {way:?}");
        }
    }
}

#[test]
fn local_tables_at_times_are_the_same_by_layers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut random = Rng::with_seed(52);
    let made = |name: &str, places: &[String], times: &str| {
        let out = folder.path().join(name);
        let words = ["sites", "-q", "--at", times, "-o", &out.to_string_lossy()];
        done(
            &words
                .into_iter()
                .chain(places.iter().map(String::as_str))
                .collect::<Vec<_>>(),
        );
        let mut rows: Vec<String> = crate::rows::rows(&out.join("sites"))
            .iter()
            .map(ToString::to_string)
            .collect();
        rows.sort();
        rows
    };
    for times in ["each-crawl", "2026-03-02,2026-04-02T01:00:00Z,2030-01-01"] {
        let merged = made(
            &format!("merged-{}", times.len()),
            &[of_world("index")],
            times,
        );
        assert!(merged.len() > 100);
        for (number, way) in ways(&mut random).into_iter().enumerate() {
            assert!(
                made(&format!("{number}-{}", times.len()), &way, times) == merged,
                "{times} {way:?}"
            );
        }
    }
}

fn copied(from: &Path, to: &Path) {
    for (name, content) in crate::files(from) {
        let file = to.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, content).expect("a file");
    }
}

#[test]
fn local_a_crawl_is_corrected_and_retired_by_its_own_index() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    copied(&LAYERS.path().join("crawls"), &folder.path().join("layers"));
    // Archives of the same names, with other captures.
    crate::world::crawl(&folder.path().join("archives"), 0, 99);
    done(&["scan", "-q", &at("archives"), "-o", &at("evidence")]);
    done(&["index", "-q", &at("evidence"), "-o", &at("other")]);
    let history = ["history", "h1.example", "--sites", &at("layers")];
    let (status, message) = failed(&[&history[..], &["--sites", &at("other")]].concat());
    assert_eq!(status, Some(1));
    for said in [
        at("other"),
        at("layers/0"),
        "both have evidence of".to_owned(),
    ] {
        assert!(message.contains(&said), "{message}");
    }
    // The same index twice is one.
    let once = done(&history);
    assert_eq!(
        done(&[&history[..], &["--sites", &at("layers/1")]].concat()),
        once
    );
    done(&[
        "index",
        "-q",
        "--overwrite",
        &at("evidence"),
        "-o",
        &at("layers/0"),
    ]);
    let others: Vec<String> = evidence()[1..].to_vec();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    done(
        &[
            &["index", "-q", "-o", &at("corrected"), &at("evidence")],
            others.as_slice(),
        ]
        .concat(),
    );
    let said = |place: &str| {
        nameless(&done(&[
            "history",
            "--json",
            "h1.example",
            "--sites",
            place,
        ]))
    };
    assert_eq!(said(&at("layers")), said(&at("corrected")));
    fs::remove_dir_all(at("layers/0")).expect("removed");
    done(&[&["index", "-q", "-o", &at("retired")], others.as_slice()].concat());
    assert_eq!(said(&at("layers")), said(&at("retired")));
    fs::remove_file(at("layers/2/_index.json")).expect("removed");
    let judged = run(&["history", "h1.example", "--sites", &at("layers")]);
    let said = String::from_utf8_lossy(&judged.stderr).into_owned();
    assert!(
        judged.status.success()
            && said.contains("layers/2: it has no _index.json, and is passed over"),
        "{said}"
    );
    let status: serde_json::Value =
        serde_json::from_str(&done(&["status", "--json", &at("layers")])).expect("JSON");
    let count = fs::read_dir(at("layers")).expect("a folder").count();
    assert_eq!(status["indexes"].as_array().map(Vec::len), Some(count - 1));
    assert_eq!(status["without_index"], serde_json::json!([at("layers/2")]));
    let captures = |index: &serde_json::Value| index["captures"].as_u64().expect("a number");
    let of_each: u64 = status["indexes"]
        .as_array()
        .expect("indexes")
        .iter()
        .map(captures)
        .sum();
    assert_eq!(captures(&status), of_each);
    let part = fs::read_dir(at("layers/1/bodies"))
        .expect("a folder")
        .next()
        .expect("a part")
        .expect("it is");
    fs::remove_file(part.path()).expect("removed");
    let (status, message) = (run(&["status", &at("layers")]), part.file_name());
    assert_eq!(status.status.code(), Some(3));
    let said = String::from_utf8(status.stdout).expect("UTF-8");
    assert!(
        said.contains(&*message.to_string_lossy()) && said.contains("layers/2: no _index.json"),
        "{said}"
    );
    let (_, message) = failed(&[
        "explain",
        "--sites",
        &at("archives"),
        "--url",
        "http://h1.example/",
    ]);
    assert!(message.contains("no site index there"), "{message}");
}

#[test]
fn local_a_judge_that_lives_long_goes_on_by_the_index_that_replaced_its_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [layers, published] = ["layers", "published"].map(|name| folder.path().join(name));
    copied(&LAYERS.path().join("crawls"), &layers);
    done(&[
        "index",
        "-q",
        &evidence()[0],
        "-o",
        &published.to_string_lossy(),
    ]);
    let open = |place: &Path| {
        let index = SiteLayers::open(&[place.to_owned()], &Places::default()).expect("indexes");
        let options = JudgeOptions {
            times: vec![At::Newest],
            ..JudgeOptions::default()
        };
        Judge::open_index(
            index,
            None,
            TableOptions::new(Viewpoint::default()),
            options,
        )
        .expect("a judge")
    };
    let mut documents = Documents::default();
    for number in 0..400 {
        let url = format!("{}/p/{number}", origin(&mut Rng::with_seed(number)));
        documents.push(&Document {
            url: Some(url.as_bytes()),
            ..Document::default()
        });
    }
    let documents = [documents];
    let (by_layers, by_published) = (open(&layers), open(&published));
    // Nothing was read yet but `_index.json`.
    fs::remove_dir_all(layers.join("0")).expect("removed");
    done(&[
        "index",
        "-q",
        "--overwrite",
        &evidence()[1],
        "-o",
        &published.to_string_lossy(),
    ]);
    for (judge, place) in [(by_layers, &layers), (by_published, &published)] {
        let before = judge.fingerprint().expect("a fingerprint");
        let expected = open(place);
        let judged = judge.judge(&documents).expect("it judges by the new ones");
        assert_eq!(judged, expected.judge(&documents).expect("verdicts"));
        assert_eq!(
            judge.fingerprint().expect("one"),
            expected.fingerprint().expect("one")
        );
        assert_ne!(judge.fingerprint().expect("one"), before);
    }
}
