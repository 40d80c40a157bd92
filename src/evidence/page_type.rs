//! The type of a page by its Content-Type, as far as metas are concerned.
//!
//! Document: RFC 9110 8.3; WHATWG MIME Sniffing, "Interpreting the resource metadata"; RULES READ-7 and READ-8.
//! Example: `Content-Type: text/plain` and `Content-Type: text/html`, two fields of one head, are HTML.
//! Left out: the look of the body, see `web::body_text`.

use super::fields::BodyFields;
use crate::web::media_type::essence;

/// The type of a page by its Content-Type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageType {
    Html,
    Xhtml,
    /// XML, which is XHTML if its root says so.
    Xml,
    /// Both HTML and a kind of XML.
    HtmlAndXml,
    /// Something without metas.
    Other,
    /// No type is named: the body decides.
    Unknown,
}

impl PageType {
    /// Returns the type of a page; if there are several values, one that may have metas (READ-7).
    pub fn of(fields: &BodyFields<'_>) -> Self {
        let members = fields.content_types.iter().flat_map(|value| value.split(|byte| *byte == b','));
        let types = members.filter_map(essence).map(|essence| Self::named(&essence));
        types.reduce(Self::and).unwrap_or(Self::Unknown)
    }

    fn named(essence: &str) -> Self {
        match essence {
            // The second: parts of a page of any type.
            "text/html" | "multipart/byteranges" => Self::Html,
            "application/xhtml+xml" | "application/vnd.wap.xhtml+xml" => Self::Xhtml,
            "application/xml" | "text/xml" => Self::Xml,
            // WHATWG MIME Sniffing: types that say nothing.
            "*/*" | "unknown/unknown" | "application/unknown" => Self::Unknown,
            other if other.ends_with("+xml") => Self::Xml,
            _ => Self::Other,
        }
    }

    /// Ours: a page named both HTML and a kind of XML is read as both.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::HtmlAndXml, _)
            | (_, Self::HtmlAndXml)
            | (Self::Html, Self::Xml | Self::Xhtml)
            | (Self::Xml | Self::Xhtml, Self::Html) => Self::HtmlAndXml,
            (Self::Xhtml, _) | (_, Self::Xhtml) => Self::Xhtml,
            (Self::Html, _) | (_, Self::Html) => Self::Html,
            (Self::Xml, _) | (_, Self::Xml) => Self::Xml,
            (Self::Other, _) | (_, Self::Other) => Self::Other,
            (Self::Unknown, Self::Unknown) => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PageType;
    use crate::evidence::fields::BodyFields;
    use crate::evidence::http_head::HttpHead;

    #[test]
    fn read_7_any_value_that_is_html_counts() {
        for (lines, expected) in [
            ("", PageType::Unknown),
            ("Content-Type: text/html", PageType::Html),
            ("Content-Type: text/plain\r\nContent-Type: Text/HTML", PageType::Html),
            ("Content-Type: text/plain, text/html; charset=utf-8", PageType::Html),
            ("Content-Type: html\r\nContent-Type: application/xhtml+xml", PageType::Xhtml),
            ("Content-Type: text/html, application/xml", PageType::HtmlAndXml),
            ("Content-Type: application/rss+xml", PageType::Xml),
            ("Content-Type: application/vnd.wap.xhtml+xml;charset=utf-8", PageType::Xhtml),
            ("Content-Type: */*", PageType::Unknown),
            ("Content-Type: unknown/unknown\r\nContent-Type: ,", PageType::Unknown),
            ("Content-Type: application/unknown\r\nContent-Type: image/png", PageType::Other),
            ("Content-Type: text/plain; a=text/html", PageType::Other),
        ] {
            let block = format!("HTTP/1.1 200 OK\r\n{lines}\r\n\r\n");
            let head = HttpHead::parse(block.as_bytes()).expect("a status line");
            assert_eq!(PageType::of(&BodyFields::of(&head)), expected, "{lines}");
        }
    }
}
