//! The metas of an XHTML head, its licence links and RSL scripts, read by the rules of XML.
//!
//! Documents: XML 1.0, Namespaces in XML 1.0; RULES READ-8. The tokens are those of the crate `quick-xml`.
//! Example: `<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:script src="a.js"/><h:meta name="robots" .../>` has
//! one meta, which the rules of HTML do not find.
//! Ours (RULES READ-20): a root `html` in another namespace, or in none, makes its elements those of XHTML. HTML's named
//! references are known, whatever the document type declaration; white space in a value is unchanged, as in HTML. Left out:
//! declarations of an internal subset, so a head behind one is broken; external subsets; checks of names, characters and
//! comments that are not needed to find the tags.

use super::char_refs;
use super::html_head::{Visit, is_license, is_rsl};
use super::markup::{META_ATTRIBUTES, content_of};
use crate::web::field::Carrier;
use memchr::{memchr, memmem};
use quick_xml::NsReader;
use quick_xml::events::{BytesStart, BytesText, Event};
use quick_xml::name::{Namespace, ResolveResult};
use std::convert::Infallible;

const XHTML: ResolveResult<'_> = ResolveResult::Bound(Namespace(b"http://www.w3.org/1999/xhtml"));

/// Elements in a head that is read are not nested deeper than this.
const DEPTH: usize = 64;

/// The most namespace declarations that are examined, over all elements: each element may examine all that apply to it.
const LOOKED_AT: usize = 1 << 22;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XmlEnd {
    /// The head ended: all of it was read.
    Found,
    OtherRoot,
    /// The text is not well-formed, or ends, before its head does.
    Broken,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// `html` in the namespace of XHTML.
    #[default]
    Xhtml,
    /// `html` in any namespace or none, in a page named XML (READ-20).
    AnyHtml,
}

/// Visits the metas of the head of `text`, its licence links and its RSL scripts, in their order.
pub fn xhtml_fields(text: &[u8], roots: Roots, visit: Visit<'_>) -> XmlEnd {
    let Err(end) = XhtmlHead {
        roots,
        ..XhtmlHead::default()
    }
    .read(text, visit);
    end
}

#[derive(Default)]
struct XhtmlHead {
    depth: usize,
    inside: bool,
    templates: usize,
    subset: bool,
    /// For each open element the highest possible number of namespace declarations that apply in it.
    declared: Vec<usize>,
    looked_at: usize,
    roots: Roots,
    namespace: Option<Vec<u8>>,
}

impl XhtmlHead {
    fn read(&mut self, text: &[u8], visit: Visit<'_>) -> Result<Infallible, XmlEnd> {
        let mut reader = NsReader::from_reader(text);
        reader.config_mut().check_end_names = true;
        loop {
            let (namespace, event) = reader.read_resolved_event().map_err(|_| XmlEnd::Broken)?;
            let (tag, is_empty) = match event {
                Event::Start(tag) => (tag, false),
                Event::Empty(tag) => (tag, true),
                Event::End(_) => {
                    self.templates = self.templates.saturating_sub(1);
                    self.leave()?;
                    continue;
                }
                Event::GeneralRef(name) => {
                    decoded(&[b"&", &name[..], b";"].concat()).ok_or(XmlEnd::Broken)?;
                    continue;
                }
                Event::DocType(declaration) => {
                    self.subset = memchr(b'[', &declaration).is_some();
                    continue;
                }
                Event::Eof => return Err(XmlEnd::Broken),
                Event::Text(_)
                | Event::CData(_)
                | Event::Comment(_)
                | Event::Decl(_)
                | Event::PI(_) => {
                    continue;
                }
            };
            self.start(&tag, &namespace)?;
            let rsl = self
                .element(&tag, &namespace, visit)
                .ok_or(XmlEnd::Broken)?;
            let mut is_ended = is_empty;
            if let Some(media_type) = rsl {
                let text = if is_empty {
                    Ok(BytesText::from_escaped(""))
                } else {
                    reader.read_text(tag.name())
                };
                let text = text.map_err(|_| XmlEnd::Broken)?;
                let flow = visit(Carrier::Script, media_type.trim_ascii(), script_text(&text));
                flow.continue_value().ok_or(XmlEnd::Broken)?;
                is_ended = true;
            } else if !is_empty && (self.templates > 0 || self.is(&tag, &namespace, b"template")) {
                self.templates += 1;
            }
            if is_ended {
                self.leave()?;
            }
        }
    }

    /// Enters an element, if the reading does not end there.
    fn start(&mut self, tag: &BytesStart<'_>, namespace: &ResolveResult<'_>) -> Result<(), XmlEnd> {
        let declarations =
            memmem::find_iter(tag, b"xmlns").count() + self.declared.last().unwrap_or(&0);
        self.looked_at += declarations + 1;
        if self.depth >= DEPTH
            || self.looked_at > LOOKED_AT
            || matches!(namespace, ResolveResult::Unknown(_))
        {
            return Err(XmlEnd::Broken);
        }
        if let (0, ResolveResult::Bound(Namespace(root))) = (self.depth, namespace) {
            self.namespace = Some(root.to_vec());
        }
        match self.depth {
            0 if !self.is_root(tag, namespace) => return Err(XmlEnd::OtherRoot),
            0 if self.subset => return Err(XmlEnd::Broken),
            1 if self.is(tag, namespace, b"body") => return Err(XmlEnd::Found),
            _ => {}
        }
        self.inside |= self.depth == 1 && self.is(tag, namespace, b"head");
        self.depth += 1;
        self.declared.push(declarations);
        Ok(())
    }

    fn is(&self, tag: &BytesStart<'_>, namespace: &ResolveResult<'_>, name: &[u8]) -> bool {
        self.is_xhtml(namespace) && tag.local_name().as_ref() == name
    }

    fn is_root(&self, tag: &BytesStart<'_>, namespace: &ResolveResult<'_>) -> bool {
        match self.roots {
            Roots::Xhtml => *namespace == XHTML && tag.local_name().as_ref() == b"html",
            Roots::AnyHtml => tag.local_name().as_ref().eq_ignore_ascii_case(b"html"),
        }
    }

    /// Returns whether an element belongs to XHTML: by its namespace, or by that of a root that is called `html`.
    fn is_xhtml(&self, namespace: &ResolveResult<'_>) -> bool {
        let of_root = match namespace {
            ResolveResult::Bound(Namespace(found)) => self.namespace.as_deref() == Some(*found),
            ResolveResult::Unbound => self.namespace.is_none(),
            ResolveResult::Unknown(_) => false,
        };
        of_root || *namespace == XHTML
    }

    /// Leaves an element, if the head, or everything, does not end there.
    fn leave(&mut self) -> Result<(), XmlEnd> {
        self.depth = self.depth.saturating_sub(1);
        self.declared.pop();
        if self.depth == 0 || (self.depth == 1 && self.inside) {
            Err(XmlEnd::Found)
        } else {
            Ok(())
        }
    }

    #[allow(clippy::option_option)] // the outer one is what `?` takes
    /// Visits the fields of an element of the head; returns the type of an RSL script.
    fn element(
        &self,
        tag: &BytesStart<'_>,
        namespace: &ResolveResult<'_>,
        visit: Visit<'_>,
    ) -> Option<Option<Vec<u8>>> {
        if !self.inside || self.templates > 0 || !self.is_xhtml(namespace) {
            return Some(None);
        }
        match tag.local_name().as_ref() {
            b"meta" => {
                let [content, value, names @ ..] =
                    present(tag, META_ATTRIBUTES.map(str::as_bytes))?;
                let (content, carriers) = content_of(content, value);
                for (carrier, name) in carriers.into_iter().zip(names) {
                    let name = name.unwrap_or_default();
                    if !name.trim_ascii().is_empty() {
                        visit(carrier, name.trim_ascii(), &content).continue_value()?;
                    }
                }
            }
            b"link" => {
                let [rel, media_type, href] = values(tag, [b"rel", b"type", b"href"])?;
                if is_license(&rel) {
                    visit(Carrier::Link, media_type.trim_ascii(), href.trim_ascii())
                        .continue_value()?;
                }
            }
            b"script" => {
                let [media_type] = values(tag, [b"type"])?;
                return Some(Some(media_type).filter(|media_type| is_rsl(media_type)));
            }
            _ => {}
        }
        Some(None)
    }
}

/// Returns the text of a script, without the CDATA marks around it.
fn script_text(raw: &[u8]) -> &[u8] {
    let text = raw.trim_ascii();
    text.strip_prefix(b"<![CDATA[")
        .and_then(|text| text.strip_suffix(b"]]>"))
        .unwrap_or(raw)
}

/// Reads these attributes, empty if missing; `None` if one occurs twice or is undecodable, or the tag is not well-formed.
fn values<const N: usize>(tag: &BytesStart<'_>, names: [&[u8]; N]) -> Option<[Vec<u8>; N]> {
    Some(present(tag, names)?.map(Option::unwrap_or_default))
}

/// The same, `None` for each that is missing.
fn present<const N: usize>(
    tag: &BytesStart<'_>,
    names: [&[u8]; N],
) -> Option<[Option<Vec<u8>>; N]> {
    let mut values = [const { None }; N];
    for attribute in tag.attributes().with_checks(false) {
        let attribute = attribute.ok()?;
        if let Some((_, slot)) = names
            .iter()
            .zip(&mut values)
            .find(|(name, _)| attribute.key.as_ref() == **name)
        {
            let earlier = slot.replace(decoded(&attribute.value)?);
            earlier.is_none().then_some(())?;
        }
    }
    Some(values)
}

/// Decodes references; `None` if one is unknown or does not end.
fn decoded(value: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = memchr(b'&', rest) {
        let (plain, reference) = rest.split_at_checked(at)?;
        text.extend_from_slice(plain);
        let end = memchr(b';', reference)?;
        let name = reference.get(1..=end)?;
        let after = char_refs::reference(name, &mut text)?;
        after.is_empty().then_some(())?;
        rest = reference.get(end + 1..)?;
    }
    text.extend_from_slice(rest);
    Some(text)
}
