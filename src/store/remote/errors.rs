//! Errors of stores and servers as errors of reading and writing, without URLs, as those may have keys in them.

use crate::web::shown::shown;
use std::error::Error;
use std::io::{self, ErrorKind};

/// The most characters of a server's own words that are shown.
const SHOWN_BYTES: usize = 300;

/// Returns what went wrong, by its first cause.
pub fn io_error(error: &object_store::Error) -> io::Error {
    use object_store::Error as Found;
    match (error, StoreAnswer::of(error)) {
        (Found::AlreadyExists { .. }, _) => io::Error::new(ErrorKind::AlreadyExists, "the object exists"),
        (Found::Precondition { .. }, _) => changed(),
        (_, Some(answer)) if answer.hint().is_some() => answer.into(),
        (Found::NotFound { .. }, _) => io::Error::new(ErrorKind::NotFound, "no such object"),
        (Found::PermissionDenied { .. } | Found::Unauthenticated { .. }, _) => io::Error::new(
            ErrorKind::PermissionDenied,
            format!("access was denied (401 or 403); {CREDENTIALS}"),
        ),
        (Found::NotSupported { .. }, _) => io::Error::new(ErrorKind::Unsupported, of_cause(error)),
        (_, Some(answer)) => answer.into(),
        (other, None) => of_cause(other),
    }
}

/// What to do where a store does not let somebody in.
const CREDENTIALS: &str = "check credentials, region and endpoint, or --no-sign-request";

/// What to do where another region has the bucket.
const REGION: &str = "the bucket is in another region; set AWS_REGION to it";

/// What a store says in its XML (Amazon S3, "Error responses"), which Google's and Azure's stores have alike.
struct StoreAnswer {
    code: String,
    message: String,
}

impl StoreAnswer {
    fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        std::iter::successors(Some(error), |error| (*error).source()).find_map(|error| {
            let text = error.to_string();
            let between = |name: &str| {
                let rest = text.split_once(&format!("<{name}>"))?.1;
                let text = unescaped(rest.split_once('<')?.0);
                Some(shown(text.as_bytes()).chars().take(SHOWN_BYTES).collect::<String>())
            };
            Some(Self { code: between("Code")?, message: between("Message").unwrap_or_default() })
        })
    }

    /// Returns the kind of error, and what to do, for what users meet.
    fn hint(&self) -> Option<(ErrorKind, &'static str)> {
        Some(match self.code.as_str() {
            "NoSuchBucket" | "ContainerNotFound" => {
                (ErrorKind::Other, "check the name of the bucket, and the endpoint (AWS_ENDPOINT_URL)")
            }
            "InvalidBucketName" => (ErrorKind::Other, "check the name of the bucket"),
            "PermanentRedirect" | "AuthorizationHeaderMalformed" | "IllegalLocationConstraintException" => {
                (ErrorKind::Other, REGION)
            }
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

/// Returns the text that XML has (XML 1.0, 4.6).
fn unescaped(text: &str) -> String {
    let named = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    named.iter().fold(text.to_owned(), |text, (name, character)| text.replace(name, character))
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
    if text.contains("redirect without LOCATION") {
        return io::Error::other(format!("the store leads elsewhere without saying where; {REGION}"));
    }
    let text = shown(text.as_bytes().get(..SHOWN_BYTES).unwrap_or(text.as_bytes())).into_owned();
    let kind = match () {
        () if late => ErrorKind::TimedOut,
        // RFC 9110 15.5.17: no such range.
        () if text.contains("status code: 416") => ErrorKind::InvalidInput,
        () => ErrorKind::Other,
    };
    io::Error::new(kind, text)
}
