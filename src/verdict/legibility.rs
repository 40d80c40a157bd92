//! Whether the body of a site file can be read at all.
//!
//! Document: RULES READ-2, READ-3, READ-4 and READ-9. Example: a PNG at `/robots.txt` has no line that closes anything, and is
//! not a robots.txt that opens everything.
//! Left out: missing parts of a body, which belong to its capture, and the consequences for access and labels.

use super::timeline::BodyState;
use crate::web::body_text::{BodyText, Markup, ReadAs, Wide, binary_format, is_written, markup};
use crate::web::capture_kind::{CaptureKind, FileForm};
use crate::web::lines::without_byte_order_marks;
use memchr::memmem;
use serde_json::value::RawValue;

/// What a decoded body is, read as a site file: a file, a page of HTML at the path of a file other than robots.txt, which states
/// nothing (READ-3), or unreadable: not text, or against the grammar that its document sets for the whole file.
pub type Legibility = BodyState<()>;

impl Legibility {
    pub const READABLE: Self = Self::Body(());

    /// Returns what a body is, read as a file of this kind; a page is read as the robots.txt that redirects to it.
    pub fn from_body(kind: CaptureKind, body: &[u8]) -> Self {
        if !kind.is_beside_robots() {
            return Self::of_text(body, ReadAs::RobotsTxt);
        }
        let is_one_of_ours =
            || is_written(body) && binary_format(body).is_none() && Wide::detect(body).is_none();
        let as_file = match kind.form() {
            Some(FileForm::Json) => Self::of_json(body),
            // AMB-AUTO-4: its parser refuses a whole file for one control byte, and says so.
            Some(FileForm::AllOrNothing) if is_one_of_ours() => Self::READABLE,
            _ => Self::of_text(body, ReadAs::SiteFile),
        };
        // READ-3: servers answer any path with a page. A page with a few control bytes is still a page.
        let is_page = markup(after_comments(body)) == Markup::Html
            && BodyText::classify(body, ReadAs::Page) == BodyText::Text;
        if is_page { Self::Html } else { as_file }
    }

    /// Ours: our parsers read bytes, so that UTF-16 and UTF-32 hide a line from them in any file (READ-4).
    fn of_text(body: &[u8], read_as: ReadAs) -> Self {
        match BodyText::classify(body, read_as) {
            BodyText::Text => Self::READABLE,
            BodyText::Wide(_) | BodyText::Binary => Self::Unreadable,
        }
    }

    /// RFC 8259: one JSON value in UTF-8. Ours: a byte order mark is skipped, and a file of only blanks states nothing.
    fn of_json(body: &[u8]) -> Self {
        // Blank lines may be in front of the mark.
        let text = without_byte_order_marks(body.trim_ascii_start());
        let is_json =
            text.trim_ascii().is_empty() || serde_json::from_slice::<&RawValue>(text).is_ok();
        if is_json && std::str::from_utf8(text).is_ok() {
            Self::READABLE
        } else {
            Self::Unreadable
        }
    }
}

/// Ours: draft-liao-aipref-autoctl-core has HTML comments in its examples of a site file, so a comment alone makes no page.
fn after_comments(mut body: &[u8]) -> &[u8] {
    loop {
        body = without_byte_order_marks(body).trim_ascii_start();
        let end = body
            .strip_prefix(b"<!--")
            .and_then(|rest| memmem::find(rest, b"-->").map(|end| rest.get(end + 3..)));
        match end.flatten() {
            Some(rest) => body = rest,
            None => return body,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: CaptureKind, body: &[u8]) -> Legibility {
        Legibility::from_body(kind, body)
    }

    const PNG: &[u8] = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\nDisallow: /\n";

    #[test]
    fn local_read_2_and_3_what_is_not_text_is_unreadable_for_every_kind() {
        for kind in CaptureKind::ALL {
            for body in [
                PNG,
                b"\x1F\x8B\x08\0\0\0\0\0\0\x03",
                b"%PDF-1.7\n",
                b"PK\x03\x04",
            ] {
                assert_eq!(of(kind, body), Legibility::Unreadable, "{kind:?} {body:?}");
            }
        }
        assert_eq!(of(CaptureKind::Robots, b""), Legibility::READABLE);
        assert_eq!(
            of(CaptureKind::Robots, b"User-agent: *\nDisallow: /\n"),
            Legibility::READABLE
        );
    }

    #[test]
    fn local_read_3_html_is_no_site_file_but_a_robots_txt() {
        let html = b"\n<!DOCTYPE html><html><title>Not found</title></html>";
        for kind in CaptureKind::ALL {
            let is_read = kind.read_as() == CaptureKind::Robots;
            let expected = if is_read {
                Legibility::READABLE
            } else {
                Legibility::Html
            };
            assert_eq!(of(kind, html), expected, "{kind:?}");
        }
    }

    #[test]
    fn local_read_3_a_comment_of_html_alone_makes_no_page() {
        let automation = b"<!-- Group 1 -->\n<!-- all -->\nscope: /\nallowed-methods: GET\n";
        assert_eq!(
            of(CaptureKind::Automation, automation),
            Legibility::READABLE
        );
        assert_eq!(
            of(CaptureKind::Automation, b"<!-- a --><html><p>no"),
            Legibility::Html
        );
        assert_eq!(of(CaptureKind::Automation, b"<!-- a"), Legibility::Html);
    }

    #[test]
    fn local_read_4_utf_16_and_utf_32_are_unreadable_with_and_without_a_mark() {
        let text = "User-agent: *\nDisallow: /\n";
        let wide = |unit: &dyn Fn(u8) -> Vec<u8>| text.bytes().flat_map(unit).collect::<Vec<u8>>();
        let bodies = [
            wide(&|byte| vec![byte, 0]),
            wide(&|byte| vec![0, byte]),
            wide(&|byte| vec![byte, 0, 0, 0]),
            wide(&|byte| vec![0, 0, 0, byte]),
        ];
        let marks: [&[u8]; 4] = [b"\xFF\xFE", b"\xFE\xFF", b"\xFF\xFE\0\0", b"\0\0\xFE\xFF"];
        for (body, mark) in bodies.iter().zip(marks) {
            for body in [body.clone(), [mark, body].concat()] {
                assert_eq!(
                    of(CaptureKind::Robots, &body),
                    Legibility::Unreadable,
                    "{mark:?}"
                );
                assert_eq!(
                    of(CaptureKind::TrustTxt, &body),
                    Legibility::Unreadable,
                    "{mark:?}"
                );
            }
        }
    }

    #[test]
    fn local_read_9_json_is_read_as_a_whole_or_not_at_all() {
        let good = br#"[{"location": "/", "tdm-reservation": 1}]"#;
        for (body, expected) in [
            (good.to_vec(), Legibility::READABLE),
            ([b"\xEF\xBB\xBF", &good[..]].concat(), Legibility::READABLE),
            (b" \n".to_vec(), Legibility::READABLE),
            (b"{}".to_vec(), Legibility::READABLE),
            (
                br#"[{"location": "/", "tdm-reservation": 1},]"#.to_vec(),
                Legibility::Unreadable,
            ),
            ([b"// ours\n", &good[..]].concat(), Legibility::Unreadable),
            (good[..good.len() - 1].to_vec(), Legibility::Unreadable),
            ([&good[..], b"\0"].concat(), Legibility::Unreadable),
            (
                b"[{\"location\": \"/soci\xE9t\xE9\", \"tdm-reservation\": 1}]".to_vec(),
                Legibility::Unreadable,
            ),
            (b"\xFF\xFE[\0]\0".to_vec(), Legibility::Unreadable),
            (b"reserved".to_vec(), Legibility::Unreadable),
            (b"<html>".to_vec(), Legibility::Html),
        ] {
            assert_eq!(
                of(CaptureKind::Tdmrep, &body),
                expected,
                "{}",
                body.escape_ascii()
            );
        }
    }
}
