//! A header field, or an element of the HTML head, as it was received, and what carried it.
//!
//! Example: `X-Robots-Tag: noindex` is a field with the carrier `header` and the name `x-robots-tag`.
//! Left out: what a field means, which the systems know.

use super::names::names;

/// What carried a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carrier {
    /// A header field of the response.
    Header,
    /// A meta element of the HTML head, named by `name`.
    Meta,
    /// A meta element of the HTML head, named by `http-equiv`.
    HttpEquiv,
    /// A link of the HTML head that is a licence, named by its type.
    Link,
    /// A script of the HTML head, named by its type.
    Script,
}

names! {
    Carrier {
        Header => "header",
        Meta => "meta",
        HttpEquiv => "http_equiv",
        Link => "link",
        Script => "script",
    }
}

/// One header field, meta, link or script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// What carried it.
    pub carrier: Carrier,
    /// Its name in lower case.
    pub name: &'a str,
    /// Its value as received.
    pub value: &'a [u8],
}

impl<'a> Field<'a> {
    /// Returns a header field; its name is given in lower case.
    pub const fn header(name: &'a str, value: &'a [u8]) -> Self {
        Self { carrier: Carrier::Header, name, value }
    }

    /// Returns a meta element of the HTML head; its name is given in lower case.
    pub const fn meta(name: &'a str, content: &'a [u8]) -> Self {
        Self { carrier: Carrier::Meta, name, value: content }
    }
}

impl Field<'_> {
    /// Returns whether it is a header field of one of these names, which are in lower case.
    pub fn is_field(&self, names: &[&str]) -> bool {
        self.carrier == Carrier::Header && names.contains(&self.name)
    }
}
