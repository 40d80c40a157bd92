//! The dimensions: what servers, proxies and writers of archives do to a response.

pub mod charset;
pub mod coding;
pub mod ending;
pub mod head;
pub mod media_type;
pub mod partial;

use crate::message::Message;

/// What must hold of a changed response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It gives what the plain response gives, every yes included.
    Same,
    /// It gives no yes that the plain response does not give.
    NoNewYes,
    /// Its access gives no yes that the plain response does not give. Its labels may, where another carrier says yes
    /// (LABEL-3): the answer is another one, and was understood.
    NoNewAccess,
}

/// One place in a dimension.
pub struct Variant {
    pub dimension: &'static str,
    pub name: String,
    pub expected: Expected,
    pub message: Message,
}

/// The variants of one message.
pub struct Variants<'a> {
    pub plain: &'a Message,
    pub found: Vec<Variant>,
}

impl<'a> Variants<'a> {
    /// Returns every variant of a message, dimension by dimension.
    pub fn of(plain: &'a Message) -> Vec<Variant> {
        let mut variants = Self {
            plain,
            found: Vec::new(),
        };
        coding::add(&mut variants);
        charset::add(&mut variants);
        media_type::add(&mut variants);
        partial::add(&mut variants);
        head::add(&mut variants);
        ending::add(&mut variants);
        variants.found
    }

    /// Adds a variant that gives what the plain response gives.
    pub fn same(&mut self, dimension: &'static str, name: impl Into<String>, message: Message) {
        self.push(dimension, name.into(), Expected::Same, message);
    }

    /// Adds a variant of which not more is known than that it gives no new yes.
    pub fn no_new_yes(
        &mut self,
        dimension: &'static str,
        name: impl Into<String>,
        message: Message,
    ) {
        self.push(dimension, name.into(), Expected::NoNewYes, message);
    }

    pub fn push(
        &mut self,
        dimension: &'static str,
        name: String,
        expected: Expected,
        message: Message,
    ) {
        self.found.push(Variant {
            dimension,
            name,
            expected,
            message,
        });
    }
}
