//! One robots.txt has one answer, whatever is asked: an archive's tables, the site index, `judge`, `explain`, and the library.
//!
//! `readings.jsonl` has the files, with whether `CCBot` may fetch the page. `python/tests/test_explain.py` asks the Python package
//! for the same.

use crate::container::{Archive, Container};
use crate::kinds::PAGE;
use crate::message::{Carrier, Message};
use crate::world::{judged, tables};
use crawlprefs::evidence::{SITE_FILE_BYTES, body::plain};
use crawlprefs::explain::json::explain;
use crawlprefs::robots::RobotsTxt;
use crawlprefs::verdict::decide;
use crawlprefs::web::body_text::ReadAs;
use data_encoding::BASE64;
use serde_json::{Value, json};

#[test]
fn local_a_robots_txt_has_the_same_answer_everywhere() {
    let files: Vec<Value> = include_str!("readings.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert!(files.len() >= 60);
    let bytes = |file: &Value| match file["base64"].as_str() {
        Some(base64) => BASE64.decode(base64.as_bytes()).expect("Base64"),
        None => file["text"].as_str().expect("a text").as_bytes().to_vec(),
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut archive = Archive::new(Container::WarcGz);
    let page = Message::new(
        Carrier::Page,
        PAGE,
        "text/html",
        b"<html><head></head><body></body></html>",
    );
    for (number, file) in files.iter().enumerate() {
        let robots = Message::new(Carrier::Robots, "/robots.txt", "text/plain", &bytes(file));
        let host = format!("r{number}.example");
        assert!(archive.add(&robots, &host, "06:00:00") && archive.add(&page, &host, "07:00:00"));
    }
    archive.into_input(folder.path(), "a");
    let pages = tables(folder.path());
    let judged = judged(folder.path(), &pages);
    let mut wrong = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let (url, bytes) = (format!("https://r{number}.example{PAGE}"), bytes(file));
        let text = plain(&bytes, SITE_FILE_BYTES, ReadAs::RobotsTxt);
        let asked = decide(&url).robots(&text).decision().expect("a URL");
        let explained = explain(&json!({
            "id": "x", "url": url, "product_token": "CCBot", "robots_txt_base64": BASE64.encode(&bytes),
        }));
        // Of what is in a coding, the library alone knows nothing, which is no yes.
        let is_allowed = RobotsTxt::parse(&bytes).access("CCBot", &url).is_allowed();
        let unaided = if is_allowed {
            json!("allow")
        } else {
            file["access"].clone()
        };
        for (reader, access) in [
            ("tables", &pages[&url]["access"]),
            ("judge by record", &judged["record"][&url]["prefs_access"]),
            ("judge by index", &judged["index"][&url]["prefs_access"]),
            ("explain", &explained["access"]),
            ("decide", &json!(asked.access.as_str())),
            (
                "RobotsTxt",
                &json!(
                    RobotsTxt::parse(&text)
                        .access("CCBot", &url)
                        .verdict
                        .as_str()
                ),
            ),
            ("RobotsTxt alone", &unaided),
        ] {
            if *access != file["access"] {
                wrong.push(format!("{reader} says {access}: {file}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
