//! WARC records for tests.

/// Returns a record with these lines of fields, each with its end, and a Content-Length behind them.
pub fn record(fields: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\n{fields}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// Returns a response record of a URL, with `more` lines of fields; `at` is a time of day on 10 August 2026, or a date and
/// time.
#[allow(dead_code, reason = "not every test that includes this file needs it")]
pub fn response(url: &str, at: &str, more: &str, block: &[u8]) -> Vec<u8> {
    let date = if at.contains('T') {
        at.to_owned()
    } else {
        format!("2026-08-10T{at}Z")
    };
    let fields =
        format!("WARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n{more}");
    record(&fields, block)
}
