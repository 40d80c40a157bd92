//! Why a request was not answered, and whether another attempt may end otherwise.
//!
//! Example: an unknown authority of certificates will be unknown in a minute, too, and the message names `SSL_CERT_FILE`; a
//! port that refuses connections is tried again for some seconds. Left out: answers that report an error.

use super::address_kind::AddressKind;
use object_store::client::{HttpError, HttpErrorKind};
use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

/// What is wrong before there is a connection.
#[derive(Clone, Debug)]
pub enum Fault {
    /// No connection to the address is allowed.
    Address {
        /// The host.
        host: String,
        /// What its address is.
        kind: AddressKind,
    },
    /// There is no such host, or no server of names that knows it.
    UnknownHost {
        /// The host.
        host: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address { host, kind } => write!(
                f,
                "{host} has a {} address, and was named by a server or a list, not by you; give --allow-private if it is meant",
                kind.as_str()
            ),
            Self::UnknownHost { host } => {
                write!(
                    f,
                    "{host}: the host is not known; check its name, and whether this machine resolves names"
                )
            }
        }
    }
}

impl Error for Fault {}

/// Whether another attempt may end otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// It may.
    No,
    /// It may within seconds.
    Seconds,
    /// It will not.
    Yes,
}

/// A request without an answer.
#[derive(Debug)]
pub struct Failed {
    /// Why.
    pub error: HttpError,
    /// Whether another attempt may end otherwise.
    pub lasting: Lasting,
    /// Whether the host did not answer, rather than that it was not to be asked.
    pub is_of_host: bool,
}

impl Failed {
    /// Returns what ends a request for good, and is not a fault of the host.
    pub fn refused(why: impl Error + Send + Sync + 'static) -> Self {
        let error = HttpError::new(HttpErrorKind::Unknown, why);
        Self { error, lasting: Lasting::Yes, is_of_host: false }
    }

    /// Returns what ends a request for good by its words.
    pub fn because(why: String) -> Self {
        Self::refused(io::Error::other(why))
    }

    /// Returns that no answer came in time.
    pub fn too_slow(timeout: Duration) -> Self {
        Self { error: too_slow(timeout), lasting: Lasting::No, is_of_host: true }
    }
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        let lasting = match fault {
            Fault::Address { .. } => return Self::refused(fault),
            Fault::UnknownHost { .. } => Lasting::Seconds,
        };
        Self { error: HttpError::new(HttpErrorKind::Connect, fault), lasting, is_of_host: true }
    }
}

impl From<reqwest::Error> for Failed {
    fn from(error: reqwest::Error) -> Self {
        if let Some(fault) = causes(&error).find_map(|cause| cause.downcast_ref::<Fault>()) {
            return fault.clone().into();
        }
        if let Some(detail) = causes(&error).find_map(of_certificate) {
            let error = HttpError::new(HttpErrorKind::Unknown, io::Error::other(detail));
            return Self { error, lasting: Lasting::Yes, is_of_host: true };
        }
        let refuses = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
        if causes(&error).any(|cause| cause.downcast_ref::<io::Error>().is_some_and(refuses)) {
            let detail = "the port refuses connections; check host and port, and whether the server runs";
            let error = HttpError::new(HttpErrorKind::Connect, io::Error::other(detail));
            return Self { error, lasting: Lasting::Seconds, is_of_host: true };
        }
        let is_redirect = error.is_redirect();
        let error = http_error(error);
        let lasting = if error.kind() == HttpErrorKind::Unknown { Lasting::Yes } else { Lasting::No };
        Self { error, lasting, is_of_host: !is_redirect }
    }
}

/// Returns an error and its causes.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// Returns what is wrong with a certificate, and what to do.
fn of_certificate(cause: &(dyn Error + 'static)) -> Option<String> {
    let Some(error) = cause.downcast_ref::<rustls::Error>() else {
        // An error of input has another one in it, at any depth, which is not its source.
        let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref)?;
        return of_certificate(inner);
    };
    match error {
        rustls::Error::InvalidCertificate(why) => Some(format!(
            "the certificate of the server is not accepted ({why:?}); install the certificates of the system \
             (ca-certificates) or, if you trust its authority, name a file with the authority's certificate in SSL_CERT_FILE"
        )),
        _ => None,
    }
}

/// Returns that no whole answer came in time.
pub fn too_slow(timeout: Duration) -> HttpError {
    let detail = format!("no whole answer within {} s", timeout.as_secs());
    HttpError::new(HttpErrorKind::Timeout, io::Error::new(io::ErrorKind::TimedOut, detail))
}

/// Returns an error without its URL, of a kind that says whether another attempt may end otherwise.
pub fn http_error(error: reqwest::Error) -> HttpError {
    let is_tls = |error: &io::Error| error.kind() == io::ErrorKind::InvalidData;
    let is_lasting = error.is_redirect()
        || causes(&error).any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_tls));
    let kind = match () {
        () if is_lasting => HttpErrorKind::Unknown,
        () if error.is_timeout() => HttpErrorKind::Timeout,
        () if error.is_connect() => HttpErrorKind::Connect,
        () => HttpErrorKind::Interrupted,
    };
    HttpError::new(kind, error.without_url())
}

#[cfg(test)]
mod tests {
    use super::of_certificate;
    use std::io;

    #[test]
    fn local_a_certificate_is_found_in_errors_of_errors() {
        let mut error =
            io::Error::other(rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer));
        for _ in 0..3 {
            assert!(of_certificate(&error).is_some_and(|detail| detail.contains("SSL_CERT_FILE")), "{error}");
            error = io::Error::other(error);
        }
        assert!(of_certificate(&io::Error::other(io::Error::from(io::ErrorKind::TimedOut))).is_none());
    }
}
