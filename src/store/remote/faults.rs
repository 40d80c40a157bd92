//! Why a request was not answered, and whether another attempt may end differently; errors of stores and servers as
//! `io::Error`, without URLs, which may contain keys.
//!
//! Example: an unknown certificate authority will still be unknown in a minute, and the message names `SSL_CERT_FILE`; a port
//! that refuses connections is tried again for some seconds. Left out: answers that report an error.

use super::address_kind::AddressKind;
use crate::web::shown::shown;
use object_store::client::{HttpError, HttpErrorKind};
use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::Duration;

/// A fault before there is a connection.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Fault {
    /// No connection to the address is allowed.
    #[error(
        "{host} has a {} address, and was named by a server or a list, not by you; give --allow-private if it is meant",
        .kind.as_str()
    )]
    Address { host: String, kind: AddressKind },
    /// There is no such host, or no name server that knows it.
    #[error(
        "{host}: the host is not known; check its name, and whether this machine resolves names"
    )]
    UnknownHost { host: String },
}

/// Whether the fault stays: whether another attempt may end differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    No,
    /// It may within seconds.
    Seconds,
    Yes,
}

/// A request without an answer.
#[derive(Debug)]
pub struct Failed {
    pub error: HttpError,
    pub lasting: Lasting,
    /// Whether the host did not answer; otherwise the request was not allowed.
    pub is_of_host: bool,
}

impl Failed {
    fn new(kind: HttpErrorKind, why: impl Error + Send + Sync + 'static, lasting: Lasting) -> Self {
        Self {
            error: HttpError::new(kind, why),
            lasting,
            is_of_host: true,
        }
    }

    /// Returns a failure that ends a request for good and is not a fault of the host.
    pub fn refused(why: impl Error + Send + Sync + 'static) -> Self {
        Self {
            is_of_host: false,
            ..Self::new(HttpErrorKind::Unknown, why, Lasting::Yes)
        }
    }

    pub fn because(why: String) -> Self {
        Self::refused(io::Error::other(why))
    }

    pub fn too_slow(timeout: Duration) -> Self {
        Self {
            error: too_slow(timeout),
            lasting: Lasting::No,
            is_of_host: true,
        }
    }
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Address { .. } => Self::refused(fault),
            Fault::UnknownHost { .. } => Self::new(HttpErrorKind::Connect, fault, Lasting::Seconds),
        }
    }
}

impl From<reqwest::Error> for Failed {
    fn from(error: reqwest::Error) -> Self {
        if let Some(fault) = causes(&error).find_map(|cause| cause.downcast_ref::<Fault>()) {
            return fault.clone().into();
        }
        if let Some(detail) = causes(&error).find_map(of_certificate) {
            return Self::new(
                HttpErrorKind::Unknown,
                io::Error::other(detail),
                Lasting::Yes,
            );
        }
        if is_of_kind(&error, ErrorKind::ConnectionRefused) {
            let detail =
                "the port refuses connections; check host and port, and whether the server runs";
            return Self::new(
                HttpErrorKind::Connect,
                io::Error::other(detail),
                Lasting::Seconds,
            );
        }
        let is_redirect = error.is_redirect();
        let error = http_error(error);
        let lasting = if error.kind() == HttpErrorKind::Unknown {
            Lasting::Yes
        } else {
            Lasting::No
        };
        Self {
            error,
            lasting,
            is_of_host: !is_redirect,
        }
    }
}

pub fn causes<'e>(
    error: &'e (dyn Error + 'static),
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

fn is_of_kind(error: &(dyn Error + 'static), kind: ErrorKind) -> bool {
    let is_it = |error: &io::Error| error.kind() == kind;
    causes(error).any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_it))
}

/// Returns what is wrong with a certificate, and what to do.
fn of_certificate(cause: &(dyn Error + 'static)) -> Option<String> {
    let Some(error) = cause.downcast_ref::<rustls::Error>() else {
        // An `io::Error` may contain another one, at any depth, that is not its source.
        let inner = cause
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)?;
        return of_certificate(inner);
    };
    let rustls::Error::InvalidCertificate(why) = error else {
        return None;
    };
    Some(format!(
        "the certificate of the server is not accepted ({why:?}); install the certificates of the system \
         (ca-certificates) or, if you trust its authority, name a file with the authority's certificate in SSL_CERT_FILE"
    ))
}

pub fn too_slow(timeout: Duration) -> HttpError {
    let detail = format!("no whole answer within {} s", timeout.as_secs());
    HttpError::new(
        HttpErrorKind::Timeout,
        io::Error::new(ErrorKind::TimedOut, detail),
    )
}

/// Returns an error without its URL; its kind says whether another attempt may end differently.
pub fn http_error(error: reqwest::Error) -> HttpError {
    let kind = match () {
        // Data that is invalid is a fault of TLS.
        () if error.is_redirect() || is_of_kind(&error, ErrorKind::InvalidData) => {
            HttpErrorKind::Unknown
        }
        () if error.is_timeout() => HttpErrorKind::Timeout,
        () if error.is_connect() => HttpErrorKind::Connect,
        () => HttpErrorKind::Interrupted,
    };
    HttpError::new(kind, error.without_url())
}

/// The most that is shown of a server's own words: characters of XML, bytes of other text; any number of this size.
const SHOWN_BYTES: usize = 300;

/// Returns an error by its first cause.
#[allow(clippy::needless_pass_by_value, reason = "as map_err gives it")]
pub fn io_error(error: object_store::Error) -> io::Error {
    use object_store::Error as Found;
    match (&error, StoreAnswer::of(&error)) {
        // The store has not decided which of two requests counts: the object may not exist.
        (Found::AlreadyExists { .. }, Some(answer))
            if answer.code == "ConditionalRequestConflict" =>
        {
            answer.into()
        }
        (Found::AlreadyExists { .. }, _) => {
            io::Error::new(ErrorKind::AlreadyExists, "the object exists")
        }
        (Found::Precondition { .. }, _) => changed(),
        (_, Some(answer)) if answer.hint().is_some() => answer.into(),
        (Found::NotFound { .. }, _) => io::Error::new(ErrorKind::NotFound, "no such object"),
        (Found::PermissionDenied { .. } | Found::Unauthenticated { .. }, _) => io::Error::new(
            ErrorKind::PermissionDenied,
            format!("access was denied (401 or 403); {CREDENTIALS}"),
        ),
        (Found::NotSupported { .. }, _) => io::Error::new(ErrorKind::Unsupported, of_cause(&error)),
        (_, Some(answer)) => answer.into(),
        (other, None) => of_cause(other),
    }
}

const CREDENTIALS: &str = "check credentials, region and endpoint, or --no-sign-request";

const REGION: &str = "the bucket is in another region; set AWS_REGION to it";

/// The XML of an error answer (Amazon S3, "Error responses"); Google's and Azure's stores have the same.
struct StoreAnswer {
    code: String,
    message: String,
}

impl StoreAnswer {
    fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        causes(error).find_map(|error| {
            let text = error.to_string();
            let between = |name: &str| {
                let rest = text.split_once(&format!("<{name}>"))?.1;
                let text = unescaped(rest.split_once('<')?.0);
                Some(
                    shown(text.as_bytes())
                        .chars()
                        .take(SHOWN_BYTES)
                        .collect::<String>(),
                )
            };
            Some(Self {
                code: between("Code")?,
                message: between("Message").unwrap_or_default(),
            })
        })
    }

    fn hint(&self) -> Option<(ErrorKind, &'static str)> {
        Some(match self.code.as_str() {
            "NoSuchBucket" | "ContainerNotFound" => (
                ErrorKind::Other,
                "check the name of the bucket, and the endpoint (AWS_ENDPOINT_URL)",
            ),
            "InvalidBucketName" => (ErrorKind::Other, "check the name of the bucket"),
            "PermanentRedirect"
            | "AuthorizationHeaderMalformed"
            | "IllegalLocationConstraintException" => (ErrorKind::Other, REGION),
            "InvalidAccessKeyId" | "SignatureDoesNotMatch" | "ExpiredToken" | "AccessDenied" => {
                (ErrorKind::PermissionDenied, CREDENTIALS)
            }
            _ => return None,
        })
    }
}

impl From<StoreAnswer> for io::Error {
    fn from(answer: StoreAnswer) -> Self {
        let StoreAnswer { code, message } = &answer;
        let message = message.trim_end_matches('.');
        match answer.hint() {
            Some((kind, hint)) => Self::new(kind, format!("{code}: {message}; {hint}")),
            None => Self::other(format!("{code}: {message}")),
        }
    }
}

/// Returns the text that XML encodes (XML 1.0, 4.6).
pub fn unescaped(text: &str) -> String {
    let named = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    named
        .iter()
        .fold(text.to_owned(), |text, (name, character)| {
            text.replace(name, character)
        })
}

pub fn changed() -> io::Error {
    io::Error::new(
        ErrorKind::InvalidData,
        "the object has changed while it was read",
    )
}

fn of_cause(error: &(dyn Error + 'static)) -> io::Error {
    let text = causes(error)
        .last()
        .map(ToString::to_string)
        .unwrap_or_default();
    if text.contains("redirect without LOCATION") {
        return io::Error::other(format!(
            "the store leads elsewhere without saying where; {REGION}"
        ));
    }
    let text = shown(
        text.as_bytes()
            .get(..SHOWN_BYTES)
            .unwrap_or(text.as_bytes()),
    )
    .into_owned();
    let kind = match () {
        () if is_of_kind(error, ErrorKind::TimedOut) => ErrorKind::TimedOut,
        // RFC 9110 15.5.17: no such range.
        () if text.contains("status code: 416") => ErrorKind::InvalidInput,
        () if text.contains("non-partial response") => ErrorKind::Unsupported,
        () => ErrorKind::Other,
    };
    io::Error::new(kind, text)
}

#[cfg(test)]
mod tests {
    use super::of_certificate;
    use std::io;

    #[test]
    fn local_a_certificate_is_found_in_errors_of_errors() {
        let mut error = io::Error::other(rustls::Error::InvalidCertificate(
            rustls::CertificateError::UnknownIssuer,
        ));
        for _ in 0..3 {
            assert!(
                of_certificate(&error).is_some_and(|detail| detail.contains("SSL_CERT_FILE")),
                "{error}"
            );
            error = io::Error::other(error);
        }
        assert!(
            of_certificate(&io::Error::other(io::Error::from(io::ErrorKind::TimedOut))).is_none()
        );
    }
}
