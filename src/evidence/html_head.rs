//! The meta elements of an HTML head, its licence links and its RSL scripts, read in one pass over the bytes.
//!
//! Document: HTML Living Standard, "Tree construction", the insertion modes from "initial" to "after head", with scripting on
//! and off. Example: `<meta name="robots" content="noindex"><p>` holds one meta, and `<p>` ends the head.
//! The elements read are those that a browser's tree has inside `head` and outside `template`: after `</head>` metas still
//! count until `<body>`, another start tag or text.
//!
//! Ours (RULES READ-13): real heads go on behind an element or a text that ends them, as in `<head><div></div><meta ...>`.
//! From there to `</head>`, to `<body` or for 16 KiB metas are visited as [`Carrier::AfterHead`].
//!
//! Ours (RULES TAG-20): the content of a `noscript` in the head is also read, as by a client without scripting. Nothing in it
//! ends the head: without scripting a tracking `<img>` in it would, and rules below it would be lost.
//!
//! Left out: other links and scripts; metas of an explicit body and of templates; metas moved by scripts; within a template,
//! the rules of tables, selects, SVG and `MathML` for raw text, CDATA or another template, so a head with such a template is
//! doubtful; named character references beyond those of `char_refs`. The bytes must be an ASCII superset, see `charset`.
//! XHTML is read as HTML here, and as XML in `xhtml`.

pub use super::markup::Visit;

use super::char_refs;
use super::markup::{self, Token, attributes_named, read_meta};
use crate::web::{field::Carrier, lines::without_byte_order_mark, media_type::essence};
use memchr::memchr;
use std::ops::ControlFlow;

/// Returns whether scripts of a type are kept (RULES LIVE-6).
pub(super) fn is_rsl(media_type: &[u8]) -> bool {
    essence(media_type.trim_ascii()).is_some_and(|essence| essence == "application/rsl+xml")
}

pub(super) fn is_license(rel: &[u8]) -> bool {
    rel.split(u8::is_ascii_whitespace)
        .any(|kind| kind.eq_ignore_ascii_case(b"license"))
}

/// How many bytes are searched for metas behind a head that ended early (READ-13).
const AFTER_HEAD_BYTES: usize = 16 << 10;

/// Whether the head ended within the bytes given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HtmlHeadEnd {
    /// The end of the head was read, and any rest behind a head that ended early: more bytes hold no more metas.
    Found,
    /// The bytes ended while still inside the head: more bytes can hold more metas.
    Missing,
    /// The head ended early, and the bytes ended before its possible rest: more bytes can hold metas with a no that counts.
    Early,
    /// Metas may be lost: a template needs rules that are left out, or a `noscript` ends elsewhere without scripting.
    Doubtful,
}

/// The meaning of an element for the scanner, by its start tag.
#[derive(Clone, Copy)]
enum Element {
    Meta,
    Link,
    /// Allowed in a head, without text to skip.
    Plain,
    /// Allowed in a head; its text is not markup.
    RawText,
    /// As `RawText`, but allowed in a head only before `</head>`.
    Noscript,
    Script,
    Template,
    /// Ends a head; its text is not markup.
    BodyRawText,
    /// Ends a head; everything behind it is text.
    Plaintext,
    Other,
}

/// Visits the metas of the head of `html`, its licence links and its RSL scripts, in their order. A meta with both a `name` and an `http-equiv` is visited twice, as each has its effect (HTML, "Standard metadata names",
/// "Pragma directives"); one without any name is not visited. If the visitor breaks off, the end is not found.
pub fn head_fields(html: &[u8], visit: Visit<'_>) -> HtmlHeadEnd {
    let mut reader = HeadReader {
        visit,
        flow: ControlFlow::Continue(()),
        is_doubtful: false,
    };
    let end = match reader.scan(html) {
        Some(HeadStop::Broken(rest)) if reader.read_after_head(rest).is_none() => {
            HtmlHeadEnd::Early
        }
        Some(HeadStop::Broken(_) | HeadStop::Explicit) => HtmlHeadEnd::Found,
        None => HtmlHeadEnd::Missing,
    };
    if reader.is_doubtful {
        HtmlHeadEnd::Doubtful
    } else {
        end
    }
}

/// Its functions return `None` if the bytes end too early, or the visitor breaks off.
struct HeadReader<'v> {
    visit: Visit<'v>,
    /// Whether the visitor broke off.
    flow: ControlFlow<()>,
    /// Whether a template or a `noscript` is not read by the rules that are implemented here.
    is_doubtful: bool,
}

enum HeadStop<'a> {
    /// The head's end tag, or the body's start tag.
    Explicit,
    /// Something else, at the start of these bytes.
    Broken(&'a [u8]),
}

impl HeadReader<'_> {
    fn visit(&mut self, carrier: Carrier, name: &[u8], value: &[u8]) -> ControlFlow<()> {
        self.flow = (self.visit)(carrier, name, value);
        self.flow
    }

    fn scan<'a>(&mut self, html: &'a [u8]) -> Option<HeadStop<'a>> {
        let mut rest = without_byte_order_mark(html);
        let mut is_after_head = false;
        loop {
            let start = markup::after_blanks(rest)?;
            let (token, after) = markup::token(start)?;
            rest = match token {
                Token::Comment => after,
                Token::StartTag(name) => match element(name) {
                    Element::Noscript if !is_after_head => self.read_noscript(after)?,
                    Element::Noscript
                    | Element::BodyRawText
                    | Element::Plaintext
                    | Element::Other => {
                        let is_explicit = is_after_head || name.eq_ignore_ascii_case(b"body");
                        return Some(if is_explicit {
                            HeadStop::Explicit
                        } else {
                            HeadStop::Broken(start)
                        });
                    }
                    found => self.read_element(found, name, after)?,
                },
                // HTML, "in head" and "after head": these end tags act, all others but `head` are ignored.
                Token::EndTag(name) if !is_any(name, &[b"body", b"html", b"br"]) => {
                    is_after_head |= name.eq_ignore_ascii_case(b"head");
                    markup::after_attributes(after)?
                }
                Token::Text | Token::EndTag(_) if is_after_head => return Some(HeadStop::Explicit),
                Token::Text | Token::EndTag(_) => return Some(HeadStop::Broken(start)),
            };
        }
    }

    /// Visits the metas behind a head that ended early (READ-13).
    fn read_after_head(&mut self, rest: &[u8]) -> Option<()> {
        let window = rest.get(..AFTER_HEAD_BYTES);
        let is_doubtful = self.is_doubtful;
        let end = self.metas_to_the_end(window.unwrap_or(rest));
        self.is_doubtful = is_doubtful;
        self.flow.continue_value()?;
        // READ-13: if this number of bytes holds no end, nothing is doubtful.
        end.or(window.map(|_| ()))
    }

    fn metas_to_the_end(&mut self, html: &[u8]) -> Option<()> {
        let mut rest = html;
        loop {
            let (token, after) = markup::token(rest.get(memchr(b'<', rest)?..)?)?;
            rest = match token {
                Token::Text | Token::Comment => after,
                Token::EndTag(name) if name.eq_ignore_ascii_case(b"head") => return Some(()),
                Token::EndTag(_) => markup::after_attributes(after)?,
                Token::StartTag(name) if name.eq_ignore_ascii_case(b"body") => return Some(()),
                Token::StartTag(name) => match element(name) {
                    Element::Meta => read_meta(after, &mut |_, name, value| {
                        self.visit(Carrier::AfterHead, name, value)
                    })?,
                    Element::Template => self.after_template(after)?,
                    Element::Noscript => markup::after_attributes(after)?,
                    found => after_element(found, name, after)?,
                },
            };
        }
    }

    /// Visits what an element of the head states, and skips it with what is not markup in it.
    fn read_element<'a>(
        &mut self,
        found: Element,
        name: &[u8],
        bytes: &'a [u8],
    ) -> Option<&'a [u8]> {
        match found {
            Element::Meta => read_meta(bytes, &mut |carrier, name, value| {
                self.visit(carrier, name, value)
            }),
            Element::Link => self.read_link(bytes),
            Element::Script => self.read_script(bytes),
            Element::Template => self.after_template(bytes),
            _ => after_element(found, name, bytes),
        }
    }

    /// Visits the content of a `noscript` in the head, and skips its end tag (RULES TAG-20). With scripting it is text up to the
    /// first end tag. If that end tag is within a comment, a tag or a text without scripting, more may be in the head.
    fn read_noscript<'a>(&mut self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let inside = markup::after_attributes(bytes)?;
        let split = markup::raw_text(inside, b"noscript");
        let text = split.map_or(inside, |(text, _)| text);
        let end = self.read_within_noscript(text);
        self.flow.continue_value()?;
        let (_, closing) = split?;
        self.is_doubtful |= end.is_none();
        markup::after_attributes(closing)
    }

    fn read_within_noscript(&mut self, html: &[u8]) -> Option<()> {
        let mut rest = html;
        while let Some(start) = memchr(b'<', rest) {
            let (token, after) = markup::token(rest.get(start..)?)?;
            rest = match token {
                Token::Text | Token::Comment => after,
                Token::EndTag(_) => markup::after_attributes(after)?,
                Token::StartTag(name) => match element(name) {
                    Element::Noscript => markup::after_attributes(after)?,
                    // Everything behind it is text.
                    Element::Plaintext => return Some(()),
                    found => self.read_element(found, name, after)?,
                },
            };
        }
        Some(())
    }

    /// Skips a template's tag and content, including inner templates, and its end tag.
    fn after_template<'a>(&mut self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let mut rest = markup::after_attributes(bytes)?;
        let mut open_templates = 1_usize;
        while open_templates > 0 {
            let (token, after) = markup::token(rest.get(memchr(b'<', rest)?..)?)?;
            rest = match token {
                Token::Text | Token::Comment => after,
                Token::StartTag(name) => {
                    let found = element(name);
                    // HTML, "in template": behind these start tags other rules define raw text and templates.
                    self.is_doubtful |=
                        is_any(name, &[b"svg", b"math", b"col", b"colgroup", b"select"]);
                    open_templates += usize::from(matches!(found, Element::Template));
                    after_element(found, name, after)?
                }
                Token::EndTag(name) => {
                    open_templates -= usize::from(matches!(element(name), Element::Template));
                    markup::after_attributes(after)?
                }
            };
        }
        Some(rest)
    }

    fn read_link<'a>(&mut self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let (values, after) = attributes_named(bytes, ["rel", "type", "href"])?;
        let [rel, media_type, href] = values.map(Option::unwrap_or_default);
        if is_license(&char_refs::decode(rel)) {
            let [media_type, href] = [media_type, href].map(char_refs::decode);
            self.visit(Carrier::Link, media_type.trim_ascii(), href.trim_ascii())
                .continue_value()?;
        }
        Some(after)
    }

    fn read_script<'a>(&mut self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let ([media_type], after) = attributes_named(bytes, ["type"])?;
        let (text, after) = markup::script(after)?;
        let media_type = char_refs::decode(media_type.unwrap_or_default());
        if is_rsl(&media_type) {
            self.visit(Carrier::Script, media_type.trim_ascii(), text)
                .continue_value()?;
        }
        Some(after)
    }
}

/// HTML, "in head" for the elements allowed there; "in body" for other elements with raw text.
fn element(name: &[u8]) -> Element {
    let mut buffer = [0; 9];
    let Some(lower) = buffer.get_mut(..name.len()) else {
        return Element::Other;
    };
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    match &*lower {
        b"meta" => Element::Meta,
        b"link" => Element::Link,
        b"html" | b"head" | b"base" | b"basefont" | b"bgsound" => Element::Plain,
        b"title" | b"style" | b"noframes" => Element::RawText,
        b"noscript" => Element::Noscript,
        b"script" => Element::Script,
        b"template" => Element::Template,
        b"textarea" | b"xmp" | b"iframe" | b"noembed" => Element::BodyRawText,
        b"plaintext" => Element::Plaintext,
        _ => Element::Other,
    }
}

/// Skips a start tag, and the element's text and end tag if the text is not markup.
fn after_element<'a>(element: Element, name: &[u8], bytes: &'a [u8]) -> Option<&'a [u8]> {
    let after = markup::after_attributes(bytes)?;
    match element {
        Element::Meta | Element::Link | Element::Plain | Element::Template | Element::Other => {
            Some(after)
        }
        Element::RawText | Element::Noscript | Element::BodyRawText => {
            markup::after_attributes(markup::raw_text(after, name)?.1)
        }
        Element::Script => Some(markup::script(after)?.1),
        Element::Plaintext => None,
    }
}

fn is_any(name: &[u8], known: &[&[u8]]) -> bool {
    known.iter().any(|known| name.eq_ignore_ascii_case(known))
}
