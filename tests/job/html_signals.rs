//! Signals of HTML heads and of answers that cost money, from the archive to `pages` and `statements`.

use crate::resolved::{pages, resolve, response, rows, scanned, view};

const HTML: &str = "Content-Type: text/html\r\n";

/// Returns carrier, key, value, category and preference of every statement of a system.
fn statements(out: &std::path::Path, system: &str) -> Vec<String> {
    let of_system = rows(out, "statements")
        .into_iter()
        .filter(|row| row.text("system") == Some(system));
    let cell = |row: &crate::resolved::Fields, column| row.text(column).unwrap_or("-").to_owned();
    let columns = ["carrier", "key", "value", "category", "preference"];
    of_system
        .map(|row| columns.map(|column| cell(&row, column)).join(" | "))
        .collect()
}

#[test]
fn live_6_rsl_of_the_html_head_reaches_the_tables() {
    let head = "<link rel=license type=application/rsl+xml href=/l.xml><link rel=license href=https://cc.example/by>\
                <script type=application/rsl+xml><rsl><permits type='usage'>search</permits></rsl></script><p>";
    let folder = scanned(&[response("https://a.example/", "07:00:00", 200, HTML, head)]);
    resolve(folder.path(), folder.path(), &view());
    let captures = rows(folder.path(), "evidence/captures");
    let script = "<rsl><permits type='usage'>search</permits></rsl>";
    assert_eq!(
        captures[0].structs("signals"),
        [
            "header content-type text/html".to_owned(),
            "link application/rsl+xml /l.xml".to_owned(),
            "link  https://cc.example/by".to_owned(),
            format!("script application/rsl+xml {script}"),
        ]
    );
    assert_eq!(
        statements(folder.path(), "rsl"),
        [
            "link | link | /l.xml | license | -",
            "script | script | - | license | -",
            "script | permits | search | search | allow",
        ]
    );
    let row = &pages(folder.path())["https://a.example/"];
    assert_eq!(
        (row.texts("rsl_license"), row.text("search")),
        (Some(vec!["/l.xml"]), Some("unknown"))
    );
    assert_eq!(row.texts("unread"), Some(vec![]));
}

/// LABEL-3: what was cut is unread, and then no label is allow.
#[test]
fn live_6_a_script_that_is_cut_is_unread() {
    let terms = "<permits type='usage'>search</permits>".repeat(2000);
    let body = format!("<script type=application/rsl+xml>{terms}</script><p>");
    let fields = format!("{HTML}Content-Usage: search=y\r\n");
    let folder = scanned(&[response(
        "https://a.example/",
        "07:00:00",
        200,
        &fields,
        &body,
    )]);
    resolve(folder.path(), folder.path(), &view());
    let row = &pages(folder.path())["https://a.example/"];
    assert_eq!(
        (row.texts("unread"), row.text("search")),
        (Some(vec!["meta"]), Some("unknown"))
    );
}

#[test]
fn live_9_a_price_with_402_is_a_statement() {
    let fields = format!(
        "{HTML}crawler-price: USD 0.01\r\nWWW-Authenticate: License error=\"invalid_request\"\r\n"
    );
    let folder = scanned(&[response(
        "https://a.example/",
        "07:00:00",
        402,
        &fields,
        "<p>",
    )]);
    resolve(folder.path(), folder.path(), &view());
    assert_eq!(
        statements(folder.path(), "pay_per_crawl"),
        ["header | crawler-price | USD 0.01 | price | -"]
    );
    assert_eq!(
        statements(folder.path(), "rsl"),
        ["header | www-authenticate | error=\"invalid_request\" | license | -"]
    );
}

/// VOCAB-6: parameters say nothing, and are kept.
#[test]
fn vocab_6_parameters_of_members_are_kept() {
    let fields = format!("{HTML}Content-Usage: train-ai=n;reason=\"a, b\";x, search=y\r\n");
    let folder = scanned(&[response(
        "https://a.example/",
        "07:00:00",
        200,
        &fields,
        "<p>",
    )]);
    resolve(folder.path(), folder.path(), &view());
    assert_eq!(
        statements(folder.path(), "aipref"),
        [
            "header | train-ai | n;reason=\"a, b\";x | train-ai | disallow",
            "header | search | y | search | allow",
        ]
    );
}
