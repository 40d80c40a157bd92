//! The media type of a response, without its parameters.
//!
//! Document: RFC 9110 8.3.1 (`type "/" subtype`, both tokens, case-insensitive). Example: `Text/HTML; charset=utf-8` gives
//! `text/html`. Left out: parameters, and guessing from the body. For content that is sent as mere bytes, the URL's extension
//! decides whether it is an image; without an extension it may be one.
//!
//! Like Common Crawl's `content_mime_type`, the type ends at a semicolon or a blank. Ours: it is in lower case and also ends at
//! a comma (joined fields). A value other than `type/subtype` is not a type; the index keeps its text, or `unk` for none.

use super::in_lower_case;
use std::borrow::Cow;

/// Returns the type and subtype of a `Content-Type` value in lower case.
pub fn essence(content_type: &[u8]) -> Option<Cow<'_, str>> {
    let ends = |byte: &u8| matches!(byte, b';' | b',') || byte.is_ascii_whitespace();
    let first = content_type.trim_ascii().split(ends).next()?;
    let text = str::from_utf8(first).ok()?;
    let (kind, subtype) = text.split_once('/')?;
    (is_token(kind) && is_token(subtype)).then(|| in_lower_case(text))
}

/// Returns whether a `Content-Type` value names HTML, in either syntax.
pub fn is_html(content_type: &[u8]) -> bool {
    let html = |name: Cow<'_, str>| matches!(&*name, "text/html" | "application/xhtml+xml");
    essence(content_type).is_some_and(html)
}

/// The types that say nothing: the content is some bytes. RFC 9110 8.3: an absent type may be taken for the first.
const BYTES: [&str; 3] = [
    "application/octet-stream",
    "binary/octet-stream",
    "application/x-octet-stream",
];

const IMAGE_EXTENSIONS: [&str; 23] = [
    "apng", "avif", "bmp", "dng", "gif", "heic", "heif", "ico", "jfif", "jp2", "jpe", "jpeg",
    "jpf", "jpg", "jpx", "jxl", "pjp", "pjpeg", "png", "svg", "tif", "tiff", "webp",
];

/// Returns whether a response with this media type (in lower case) from this path is an image, for labels. Ours: if the type
/// says nothing, the path's extension counts; without one, bytes may be an image and count as one, so that a no about images is
/// not lost.
pub fn is_image(media_type: Option<&str>, path: Option<&str>) -> bool {
    if media_type.is_some_and(|media_type| !BYTES.contains(&media_type)) {
        return media_type.is_some_and(|media_type| media_type.starts_with("image/"));
    }
    let name = path.and_then(|path| path.rsplit('/').next());
    name.and_then(|name| name.rsplit_once('.'))
        .map_or(media_type.is_some(), |(_, extension)| {
            IMAGE_EXTENSIONS
                .iter()
                .any(|own| own.eq_ignore_ascii_case(extension))
        })
}

/// RFC 9110 5.6.2.
fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9110 8.3.1: parameters and case do not count. Ours: the type ends at a blank or a comma; anything else is no type.
    #[test]
    fn rfc9110_8_3_1_a_type_is_the_part_before_parameters_in_lower_case() {
        let cases: [(&[u8], &str); 19] = [
            (b"text/html", "text/html"),
            (b"text/html;charset=utf-8", "text/html"),
            (b"Text/HTML; Charset=\"utf-8\"", "text/html"),
            (b"application/xhtml+xml", "application/xhtml+xml"),
            (
                b"application/vnd.ms-excel.12",
                "application/vnd.ms-excel.12",
            ),
            (b"  text/plain\t", "text/plain"),
            (b"text/html charset=utf-8", "text/html"),
            (b"text/html, text/html; charset=utf-8", "text/html"),
            (b"text/html;\xFF", "text/html"),
            (b"", ""),
            (b" ", ""),
            (b";", ""),
            (b"html", ""),
            (b"text/", ""),
            (b"/html", ""),
            (b"text/html/x", ""),
            (b"<b>/x", ""),
            (b"text/h\xE9", ""),
            (b"text /html", ""),
        ];
        for (value, expected) in cases {
            let expected = Some(expected).filter(|expected| !expected.is_empty());
            assert_eq!(
                essence(value).as_deref(),
                expected,
                "{}",
                value.escape_ascii()
            );
        }
        for (value, expected) in [
            ("text/html; charset=utf-8", true),
            ("Application/XHTML+XML", true),
            ("text/htm", false),
            ("text/plain; x=text/html", false),
            ("", false),
        ] {
            assert_eq!(is_html(value.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn local_an_image_is_one_by_its_type_and_where_that_says_nothing_by_the_extension_of_its_path()
    {
        for (media_type, path, expected) in [
            (Some("image/png"), Some("/a"), true),
            (Some("image/png"), None, true),
            (Some("application/octet-stream"), Some("/b.d/a.JPG"), true),
            (Some("binary/octet-stream"), Some("/a.b.webp"), true),
            (None, Some("/a.png"), true),
            (Some("application/octet-stream"), Some("/a.png/"), true),
            (Some("application/octet-stream"), Some("/a.bin"), false),
            (Some("application/octet-stream"), Some("/images/12"), true),
            (Some("application/octet-stream"), None, true),
            (None, Some("/images/12"), false),
            (Some("text/html"), Some("/a.png"), false),
            (None, None, false),
        ] {
            assert_eq!(
                is_image(media_type, path),
                expected,
                "{media_type:?} {path:?}"
            );
        }
    }
}
