//! What an audit finds of a document: a violation of the policy, something unknown, or neither.
//!
//! Example: by `labels`, a document whose site says `Content-Signal: ai-train=no` is a violation; one whose headers were not seen
//! is unknown, even if the policy would keep it. Ours: a policy may keep what is unknown, but nobody can say that it conforms.

use crate::web::names::names;
use serde::{Serialize, Serializer};

names! {
    /// What an audit finds about a document; of several findings, the last one in this order counts.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Finding {
        /// Everything that the policy asks is known, and nothing in it is a no.
        #[default]
        Conforms => "conforms",
        /// No no was found, but something that the policy asks is unknown, was not seen, or was not understood.
        Unknown => "unknown",
        /// A no that the policy heeds: the document should not be in a data set that honours it.
        Violation => "violation",
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
