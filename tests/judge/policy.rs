//! Which documents a policy keeps, and what it costs.

use crate::fixture::{judge, list, pages, value, write_lines};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

/// Returns the documents of all pages with an id, and of a site that is not in the tables.
fn documents() -> Vec<Value> {
    let mut documents: Vec<Value> = pages()
        .into_iter()
        .map(|(page, _)| page)
        .filter(|page| page["id"].is_string())
        .collect();
    documents.push(json!({"id": "x", "url": "https://nobody.example/"}));
    for (document, number) in documents.iter_mut().zip(1..) {
        document["text"] = "é".repeat(number).into();
        document["token_count"] = number.into();
    }
    documents
}

/// Judges documents by a policy; returns the ids that are kept, and the reasons of the others.
fn sorted(folder: &Path, policy: &str) -> (Vec<String>, BTreeMap<String, String>) {
    let (input, file) = (folder.join("a.jsonl"), folder.join("policy.toml"));
    write_lines(&input, &documents());
    fs::write(&file, policy).expect("a file");
    let preset = ["robots", "labels", "strict"].contains(&policy);
    let name = if preset {
        policy.to_owned()
    } else {
        file.to_string_lossy().into_owned()
    };
    let (kept, dropped) = (folder.join("kept"), folder.join("dropped"));
    let flags = [
        "--policy",
        &name,
        "--overwrite",
        "--dropped",
        &dropped.to_string_lossy(),
    ];
    let (status, text) = judge(&[&input], &kept, &flags);
    assert_eq!(status, 0, "{text}");
    let lines = |folder: &Path| -> Vec<Value> {
        let text = fs::read_to_string(folder.join("a.jsonl")).expect("an output");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    };
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let kept = lines(&kept).iter().map(|line| text(&line["id"])).collect();
    (
        kept,
        lines(&dropped)
            .iter()
            .map(|line| (text(&line["id"]), text(&line["reason"])))
            .collect(),
    )
}

#[test]
fn local_what_is_disallowed_is_dropped_and_what_is_unknown_is_as_the_policy_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let verdicts: BTreeMap<String, Value> = pages()
        .into_iter()
        .filter_map(|(page, verdict)| Some((page["id"].as_str()?.to_owned(), verdict)))
        .collect();
    let is = |id: &str, name: &str, value: &str| {
        verdicts
            .get(id)
            .is_some_and(|verdict| verdict[name] == value)
    };
    let (kept, dropped) = sorted(folder.path(), "labels");
    assert_eq!(dropped["x"], "site_unknown");
    assert!(
        kept.len() > 20
            && kept
                .iter()
                .all(|id| is(id, "access", "allow") && !is(id, "train_ai", "disallow"))
    );
    for (id, reason) in dropped.iter().filter(|(id, _)| *id != "x") {
        let expected = match reason.as_str() {
            "access_disallow" => is(id, "access", "disallow"),
            "access_unknown" => is(id, "access", "unknown"),
            "train_ai_disallow" => is(id, "train_ai", "disallow"),
            "train_genai_disallow" => is(id, "train_genai", "disallow"),
            _ => false,
        };
        assert!(expected, "{id}: {reason}");
    }
    let (kept, dropped) = sorted(folder.path(), "strict");
    assert!(
        !kept.is_empty()
            && kept
                .iter()
                .all(|id| is(id, "train_ai", "allow") && is(id, "train_genai", "allow"))
    );
    assert!(dropped.values().any(|reason| reason == "train_ai_unknown"));
    let (_, dropped) = sorted(
        folder.path(),
        "preset = 'strict'
order = ['not_seen', 'unread', 'doubt']
",
    );
    assert_eq!(dropped["x"], "not_seen");
    // Each kind of not known is a key of its own (KNOW-11).
    let kinds = ["unread", "doubt", "not_seen"];
    assert!(
        kinds
            .iter()
            .all(|kind| dropped.values().any(|reason| reason == *kind)),
        "{dropped:?}"
    );
    for kept in kinds {
        let asked: Vec<&str> = kinds.into_iter().filter(|kind| *kind != kept).collect();
        let policy = format!("preset = 'strict'\norder = {asked:?}\n[unknown]\n{kept} = 'keep'\n");
        let (_, without) = sorted(folder.path(), &policy);
        let of = |dropped: &BTreeMap<String, String>, kind: &str| {
            dropped
                .values()
                .filter(|reason| reason.as_str() == kind)
                .count()
        };
        for kind in kinds {
            assert!(
                if kind == kept {
                    of(&without, kind) == 0
                } else {
                    of(&without, kind) > 0
                },
                "{kept} {kind}"
            );
        }
    }
    let keep = "preset = 'robots'\n[unknown]\nsite = 'keep'\naccess = 'keep'\n";
    let (_, dropped) = sorted(folder.path(), keep);
    assert!(!dropped.is_empty() && dropped.values().all(|reason| reason == "access_disallow"));
    let order = "order = ['train_genai_disallow', 'access_unknown']\n";
    let (_, dropped) = sorted(folder.path(), order);
    assert_eq!(dropped["x"], "access_unknown");
    assert!(
        dropped
            .values()
            .any(|reason| reason == "train_genai_disallow")
    );
    assert!(!dropped.values().any(|reason| reason == "site_unknown"));
    let agents = "agents = ['gptbot', 'CCBot']\nlabels = []\n";
    let (kept, dropped) = sorted(folder.path(), agents);
    let lets_in = |id: &String| {
        let agents = list(&verdicts[id]["disallowed_agents"]);
        is(id, "access", "allow") && !agents.contains(&"GPTBot")
    };
    assert!(kept.iter().all(lets_in));
    assert!(
        dropped.values().any(|reason| reason == "GPTBot_disallow"),
        "{dropped:?}"
    );
}

#[test]
fn local_costs_are_counted_per_reason_and_site_and_for_each_rule_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (kept, dropped) = sorted(folder.path(), "labels");
    let cost = fs::read_to_string(folder.path().join("_kept.judge/cost.json")).expect("costs");
    let cost: Value = serde_json::from_str(&cost).expect("JSON");
    let numbers: BTreeMap<String, u64> = documents()
        .iter()
        .zip(1..)
        .map(|(one, number)| (one["id"].to_string(), number))
        .collect();
    let number = |id: &String| numbers[&Value::from(id.as_str()).to_string()];
    let amount = |ids: Vec<&String>| {
        let sum: u64 = ids.iter().map(|id| number(id)).sum();
        json!({"documents": ids.len(), "text_bytes": 2 * sum, "tokens": sum})
    };
    assert_eq!(cost["kept"], amount(kept.iter().collect()));
    assert_eq!(cost["dropped"], amount(dropped.keys().collect()));
    let mut sum = 0;
    for reason in cost["reasons"].as_array().expect("a list") {
        let ids = dropped
            .iter()
            .filter(|(_, own)| reason["reason"] == **own)
            .map(|(id, _)| id)
            .collect();
        let mut expected: Value = amount(ids);
        expected["reason"] = reason["reason"].clone();
        if expected["documents"] == 0 {
            expected["tokens"] = Value::Null;
        }
        assert_eq!(*reason, expected);
        sum += reason["documents"].as_u64().expect("a number");
    }
    assert_eq!(sum, dropped.len() as u64);
    let alone = cost["each_rule_alone"].as_array().expect("a list");
    let of = |name: &str| {
        alone
            .iter()
            .find(|rule| rule["reason"] == name)
            .expect("a rule")["documents"]
            .clone()
    };
    let genai = pages()
        .iter()
        .filter(|(page, verdict)| page["id"].is_string() && verdict["train_genai"] == "disallow")
        .count();
    assert_eq!(of("train_genai_disallow"), genai);
    assert_eq!(of("site_unknown"), 1);
    let sites = site_rows(&folder.path().join("_kept.judge"));
    let all: u64 = sites.iter().map(|site| site.2).sum();
    assert_eq!(all, (kept.len() + dropped.len()) as u64);
    let nobody = sites
        .iter()
        .find(|site| site.0 == "nobody.example")
        .expect("a site");
    assert_eq!((nobody.1.as_str(), nobody.2), ("site_unknown", 1));
}

/// Returns host, reason and number of documents of each row of `cost_sites.parquet`.
fn site_rows(about: &Path) -> Vec<(String, String, u64)> {
    let file = File::open(about.join("cost_sites.parquet")).expect("sites");
    let batches = ParquetRecordBatchReaderBuilder::try_new(file)
        .expect("Parquet")
        .build()
        .expect("rows");
    let mut rows = Vec::new();
    for batch in batches {
        let batch = batch.expect("rows");
        let text = |name: &str, row: usize| {
            batch
                .column_by_name(name)
                .expect("a column")
                .as_string::<i32>()
                .value(row)
                .to_owned()
        };
        let documents = batch
            .column_by_name("documents")
            .expect("a column")
            .as_primitive::<Int64Type>();
        for row in 0..batch.num_rows() {
            let count = u64::try_from(documents.value(row)).expect("a count");
            rows.push((text("host", row), text("reason", row), count));
        }
    }
    rows
}

#[test]
fn local_hosts_that_break_tables_of_text_are_rows_and_no_formulas() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let hosts = [
        "\"quoted",
        "a\"b.example",
        "=1+1",
        "+1",
        "-1",
        "@sum",
        "plain.example",
        "a,b",
    ];
    let long = "l".repeat(300);
    let documents: Vec<Value> = hosts
        .iter()
        .chain([&long.as_str()])
        .map(|host| json!({"url": format!("http://{host}/")}))
        .collect();
    let (input, kept) = (folder.path().join("a.jsonl"), folder.path().join("kept"));
    write_lines(&input, &documents);
    let (status, text) = judge(&[&input], &kept, &["--policy", "labels"]);
    assert_eq!(status, 0, "{text}");
    let about = folder.path().join("_kept.judge");
    let mut rows = site_rows(&about);
    assert_eq!(
        rows.iter().map(|row| row.2).sum::<u64>(),
        documents.len() as u64
    );
    assert!(
        rows.iter().any(|row| row.0 == "=1+1") && rows.iter().any(|row| row.0 == "\"quoted"),
        "{rows:?}"
    );
    assert!(rows.iter().all(|row| row.0.len() < 300), "{rows:?}");
    let mut lines = csv::Reader::from_path(about.join("cost_sites.csv")).expect("CSV");
    assert_eq!(
        lines.headers().expect("a header"),
        ["host", "reason", "documents", "text_bytes", "tokens"].as_slice()
    );
    let mut of_csv: Vec<(String, String, u64)> = Vec::new();
    for line in lines.records() {
        let line = line.expect("a line");
        assert!(!line[0].starts_with(['=', '+', '-', '@']), "{line:?}");
        of_csv.push((
            line[0].trim_start_matches('\'').to_owned(),
            line[1].to_owned(),
            line[2].parse().expect("a count"),
        ));
    }
    rows.sort();
    of_csv.sort();
    assert_eq!(of_csv, rows);
    // The folder of documents holds documents alone.
    let names = |folder: &Path| -> Vec<_> {
        fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name())
            .collect()
    };
    assert!(names(&kept).is_empty());
}

#[test]
fn local_rows_of_parquet_are_kept_whole_and_the_others_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, kept, dropped) = (
        folder.path().join("a.parquet"),
        folder.path().join("kept"),
        folder.path().join("dropped"),
    );
    let documents = documents();
    let text = |name| -> ArrayRef {
        Arc::new(StringArray::from_iter(
            documents.iter().map(|one| one[name].as_str()),
        ))
    };
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values((0..).take(documents.len())));
    let rows_of =
        RecordBatch::try_from_iter([("n", numbers), ("url", text("url")), ("id", text("id"))]);
    let batch = rows_of.expect("columns");
    let file = fs::File::create(&input).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("Parquet");
    writer.write(&batch).expect("written");
    writer.close().expect("written");
    let flags = [
        "--policy",
        "labels",
        "--dropped",
        &dropped.to_string_lossy(),
    ];
    let (status, text) = judge(&[&input], &kept, &flags);
    assert_eq!(status, 0, "{text}");
    let of = |name: &str| {
        let reader = parquet::file::reader::SerializedFileReader::new(
            fs::File::open(folder.path().join(name).join("a.parquet")).expect("an output"),
        );
        let reader = reader.expect("Parquet").into_iter();
        reader.map(|row| row.expect("a row")).collect::<Vec<_>>()
    };
    let (kept, dropped) = (of("kept"), of("dropped"));
    assert_eq!(kept.len() + dropped.len(), documents.len());
    for row in &kept {
        let document = &documents
            [usize::try_from(value(row, "n").as_u64().expect("a number")).expect("a row")];
        assert_eq!(
            [value(row, "url"), value(row, "id")],
            [document["url"].clone(), document["id"].clone()]
        );
        assert_eq!(value(row, "prefs_access"), "allow");
    }
    assert!(
        dropped
            .iter()
            .any(|row| value(row, "reason") == "site_unknown" && value(row, "id") == "x")
    );
}

#[test]
fn local_unknown_sites_are_kept_by_their_key_alone_and_later_ones_have_a_reason_of_their_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, file, out) = (
        folder.path().join("a.jsonl"),
        folder.path().join("policy.toml"),
        folder.path().join("out"),
    );
    write_lines(
        &input,
        &[
            json!({"url": "https://nobody.example/", "date": "2026-08-10"}),
            json!({"url": "https://rep.example/", "date": "1990-01-01"}),
            json!({"url": "https://rep.example/private/x", "date": "2100-01-01"}),
        ],
    );
    let line = "{\"url\":\"https://a.example/\",\"url\":\"https://b.example/\"}\n";
    fs::write(&input, fs::read_to_string(&input).expect("lines") + line).expect("a file");
    let reasons = |policy: &str| {
        fs::write(&file, policy).expect("a file");
        let dropped = folder.path().join("dropped");
        let flags = [
            "--policy",
            &file.to_string_lossy(),
            "--overwrite",
            "--dropped",
            &dropped.to_string_lossy(),
        ];
        let (status, text) = judge(&[&input], &out, &flags);
        assert_eq!(status, 0, "{text}");
        assert!(
            text.contains("with only a later robots.txt of the site, so unknown: 1 (tables"),
            "{text}"
        );
        let text = fs::read_to_string(dropped.join("a.jsonl")).expect("an output");
        let reason = |line| {
            serde_json::from_str::<Value>(line).expect("JSON")["reason"]
                .as_str()
                .map(str::to_owned)
        };
        text.lines().filter_map(reason).collect::<Vec<_>>()
    };
    let expected = [
        "site_unknown",
        "site_later",
        "access_disallow",
        "access_unknown",
    ];
    assert_eq!(reasons("preset = 'labels'"), expected);
    for preset in ["labels", "strict"] {
        assert_eq!(
            reasons(&format!("preset = '{preset}'\n[unknown]\nsite = 'keep'")),
            expected[2..]
        );
    }
}

#[test]
fn local_a_bad_policy_is_refused_with_what_is_expected() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, file) = (
        folder.path().join("a.jsonl"),
        folder.path().join("policy.toml"),
    );
    write_lines(&input, &documents());
    for (text, expected) in [
        (
            "preset = 'nice'",
            "preset: found nice, expected one of robots, labels, strict",
        ),
        (
            "preset = \"ni\\nce\"",
            "preset: found ni\\x0Ace, expected one of robots, labels, strict",
        ),
        (
            "agents = ['NoBot']",
            "agents: NoBot is not in the agents table that the tables were made with",
        ),
        (
            "labels = ['train']",
            "labels: found train, expected some of search, train_ai",
        ),
        (
            "order = ['unread']",
            "order: found unread, expected some of site_unknown, site_later, access_disallow",
        ),
        ("labels = 'train_ai'", "expected a sequence"),
        ("[unknown]\naccess = 'maybe'", "expected `keep` or `drop`"),
        ("agent = ['CCBot']", "unknown field `agent`"),
    ] {
        fs::write(&file, text).expect("a file");
        let flags = ["--policy", &file.to_string_lossy()];
        let (status, text) = judge(&[&input], &folder.path().join("out"), &flags);
        assert!(
            status == 1 && text.contains(expected),
            "expected {expected} in {text}"
        );
    }
}
