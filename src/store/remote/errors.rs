//! Errors of stores and servers as errors of reading and writing, without URLs, as those may have keys in them.

use crate::web::shown::shown;
use std::error::Error;
use std::io::{self, ErrorKind};

/// So much of a server's own words is shown.
const SHOWN_BYTES: usize = 300;

/// Returns what went wrong, by its first cause.
pub fn io_error(error: &object_store::Error) -> io::Error {
    use object_store::Error as Found;
    match error {
        Found::NotFound { .. } => io::Error::new(ErrorKind::NotFound, "no such object"),
        Found::AlreadyExists { .. } => io::Error::new(ErrorKind::AlreadyExists, "the object exists"),
        Found::Precondition { .. } => changed(),
        Found::PermissionDenied { .. } | Found::Unauthenticated { .. } => io::Error::new(
            ErrorKind::PermissionDenied,
            "access was denied (401 or 403); check credentials, region and endpoint, or --no-sign-request",
        ),
        Found::NotSupported { .. } => io::Error::new(ErrorKind::Unsupported, of_cause(error)),
        other => of_cause(other),
    }
}

/// Returns the error that an object has changed.
pub fn changed() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "the object has changed while it was read")
}

fn of_cause(error: &(dyn Error + 'static)) -> io::Error {
    let chain = std::iter::successors(Some(error), |error| (*error).source());
    let is_late = |error: &io::Error| error.kind() == ErrorKind::TimedOut;
    let late = chain.clone().any(|error| error.downcast_ref::<io::Error>().is_some_and(is_late));
    let text = chain.last().map(ToString::to_string).unwrap_or_default();
    let text = shown(text.as_bytes().get(..SHOWN_BYTES).unwrap_or(text.as_bytes())).into_owned();
    let kind = match () {
        () if late => ErrorKind::TimedOut,
        // RFC 9110 15.5.17: no such range.
        () if text.contains("status code: 416") => ErrorKind::InvalidInput,
        () => ErrorKind::Other,
    };
    io::Error::new(kind, text)
}
