//! What to do about an error, where that depends on what was given.

/// Returns what to do about a name of which there is no file: it may be a URL without its scheme.
pub(super) fn instead_of(location: &str) -> &'static str {
    let (first, rest) = location.split_once('/').unwrap_or((location, ""));
    let is_letters = |text: &str| text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_host = first.rsplit_once('.').is_some_and(|(name, last)| !name.is_empty() && is_letters(last));
    if !rest.is_empty() && (is_host || first.ends_with(':')) {
        "check the name; a URL begins with https:// or s3://"
    } else {
        "check the name, or quote a glob for the shell"
    }
}
