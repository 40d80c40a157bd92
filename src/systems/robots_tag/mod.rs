//! Robots tags: what may be done with one response, said in its header or its HTML head.
//!
//! Document: draft-illyes-repext-02 (-03 writes a list where -02 writes a dictionary; both are read), with the older forms of
//! `X-Robots-Tag` and of the robots meta, which are nearly all of the tags in use. Examples:
//!
//! ```text
//! Robots-Tag: *;noindex;nosnippet, ExampleBot;      the draft
//! Robots-Tag: examplebot=(noindex nosnippet)        RFC 9651
//! X-Robots-Tag: googlebot: noindex, nofollow        older
//! <meta name="robots" content="noindex, max-snippet:-1">
//! ```
//!
//! The draft's own examples are not valid RFC 9651, and the most common older value, `noindex, nofollow`, is a valid dictionary
//! of two names. So the form is found member by member, by the known names of rules, and no value is ever rejected as a whole.
//!
//! The rules are about what was fetched; they change neither crawling nor the preferences of other systems. Ours: metas that
//! are named like the header field, and metas behind a head that ended early, are also read (RULES READ-13, READ-19).
//! Left out: what a rule means to one search engine or another.

mod binding;
mod known;
mod line;
mod list;
mod meta;
mod system;
mod value;

pub use binding::{Binding, lower, tags};
pub use line::{MAX_RULES, MAX_VALUE_BYTES, Parsed, parse};
pub use list::is_dictionary_of_lines;
pub use system::{NAME_IN_LIST, NOIMAGEAI_LABELS, ROBOTS_TAG, is_noimageai};

use crate::web::names::names;
use crate::web::product_token::ProductToken;
use known::KnownRule;
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagPlace<'a> {
    RobotsTag,
    XRobotsTag,
    Meta(Agent<'a>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent<'a> {
    /// To everyone: `*` in a header, `robots` in a meta.
    All,
    /// To the crawler of this name, as written; compared without case.
    Named(&'a [u8]),
}

impl<'a> Agent<'a> {
    /// Returns the name as it is written, `*` for all.
    pub fn as_bytes(&self) -> &'a [u8] {
        match self {
            Self::All => b"*",
            Self::Named(name) => name,
        }
    }

    /// draft-illyes-repext-02, HTML meta element: "the sum of negative rules specific to their product token and the global
    /// product token"; -03 says so also for the header. Names are compared whole and without case (RFC 9309 2.2.1).
    pub fn binds(&self, token: &ProductToken) -> bool {
        match self {
            Self::All => true,
            // Ours: as in robots.txt, a version is not part of a name.
            Self::Named(name) => {
                let name = name.split(|byte| *byte == b'/').next().unwrap_or(name);
                name.eq_ignore_ascii_case(token.as_str().as_bytes())
            }
        }
    }

    /// draft-illyes-repext-02, Application Layer Response Header, has `*` for all; `robots` is an ordinary name there.
    fn of_member(name: &'a [u8]) -> Self {
        if name == b"*" {
            Self::All
        } else {
            Self::Named(name)
        }
    }

    /// Reads the name before a colon. Ours: this older form is copied from metas, where `robots` means all.
    pub fn of_prefix(name: &'a [u8]) -> Self {
        if name.eq_ignore_ascii_case(b"robots") {
            Self::All
        } else {
            Self::of_member(name)
        }
    }
}

// As in the answers of `explain`.
names! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Syntax {
        /// Rules between commas, for everyone.
        Legacy => "legacy",
        /// The same after the name of an agent and a colon.
        LegacyAgent => "legacy-agent",
        /// A rule that ends with a blank or a semicolon, or that has `=` before its value.
        LegacyLenient => "legacy-lenient",
        /// A member of a strict RFC 9651 dictionary, with parameters.
        SfParams => "sf-params",
        /// A strict member that is an inner list.
        SfInnerList => "sf-inner-list",
        /// A strict member that is a token or a string.
        SfItem => "sf-item",
        /// A structured form that is not valid RFC 9651.
        Draft => "draft",
        Meta => "meta",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagRule<'a> {
    pub agent: Agent<'a>,
    pub name: &'a [u8],
    /// Its value, unquoted; `None` for a flag and for `?1`.
    pub value: Option<Cow<'a, [u8]>>,
    pub syntax: Syntax,
}

impl TagRule<'_> {
    /// Returns whether the rule is switched on: `?0` sets nothing.
    pub fn is_set(&self) -> bool {
        self.value.as_deref() != Some(b"?0")
    }

    fn known(&self) -> Option<&'static KnownRule> {
        known::known(self.name)
    }

    /// Returns the name of the rule in lower case, if it is known.
    pub fn known_name(&self) -> Option<&'static str> {
        self.known().map(|known| known.name)
    }
}

/// Drops an empty value and `?1`, which say no more than the name.
fn kept(value: Cow<'_, [u8]>) -> Option<Cow<'_, [u8]>> {
    (!value.is_empty() && *value != *b"?1").then_some(value)
}
