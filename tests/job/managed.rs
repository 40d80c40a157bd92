//! A statement says in whose text its line stands.

use crate::resolved::{page, resolve, response, robots, rows, scanned, view};

#[test]
fn local_a_statement_in_a_vendors_text_names_the_vendor() {
    let file = "# BEGIN Cloudflare Managed content\nUser-agent: *\nContent-Signal: ai-train=no\n\
                # END Cloudflare Managed Content\nUser-agent: *\nContent-Signal: search=yes\nLicense: https://l.example/\n";
    let header = response("https://a.example/x", "10:00:00", 200, "Content-Signal: ai-input=no\r\n", "x");
    let evidence =
        scanned(&[robots("a.example", "09:00:00", file), page("https://a.example/", "10:00:00"), header]);
    let out = tempfile::tempdir().expect("a temporary folder");
    resolve(evidence.path(), out.path(), &view());
    let rows = rows(out.path(), "statements");
    let mut found: Vec<_> = rows
        .iter()
        .map(|row| (row.number("line"), row.text("system").expect("never null"), row.text("managed_by")))
        .collect();
    found.sort_unstable();
    let expected = [
        (None, "content_signal", None),
        (Some(3), "content_signal", Some("cloudflare")),
        (Some(6), "content_signal", None),
        (Some(7), "rsl", None),
    ];
    assert_eq!(found, expected);
}
