//! The methods of HTTP that a group may allow.
//!
//! Document: draft-liao-aipref-autoctl-core-01, the ABNF's `method`. Example: `GET, head`.
//! Left out: names that the grammar has not, such as `PROPFIND`; they are skipped (AMB-AUTO-5).

/// A method that the grammar knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// `CONNECT`
    Connect,
    /// `DELETE`
    Delete,
    /// `GET`
    Get,
    /// `HEAD`
    Head,
    /// `OPTIONS`
    Options,
    /// `PATCH`
    Patch,
    /// `POST`
    Post,
    /// `PUT`
    Put,
    /// `TRACE`
    Trace,
}

impl Method {
    /// Every method, by name.
    pub const ALL: [Self; 9] = [
        Self::Connect,
        Self::Delete,
        Self::Get,
        Self::Head,
        Self::Options,
        Self::Patch,
        Self::Post,
        Self::Put,
        Self::Trace,
    ];

    /// Returns the method of a name, in upper or lower case.
    pub fn named(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|method| name.eq_ignore_ascii_case(method.as_str().as_bytes()))
    }

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "CONNECT",
            Self::Delete => "DELETE",
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Patch => "PATCH",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Trace => "TRACE",
        }
    }
}
