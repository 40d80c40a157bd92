//! Requests over HTTP, sent with manners: how many a second and at once, what is sent again, and when nothing more is.
//!
//! Documents: RFC 9110 10.2.3 (Retry-After) and 15.4 (redirects), RFC 6585 4 (429). Example: a server that answers
//! `503` with `Retry-After: 2` is left alone by all workers for two seconds. A redirect to another scheme is not followed.
//! Left out: `Retry-After` as a date, for which the usual pause is made.

use super::hosts::{Host, Hosts, Turn};
use super::options::RemoteOptions;
use async_trait::async_trait;
use bytes::Bytes;
use http::request::Parts;
use http::uri::Authority;
use http_body::{Body, Frame, SizeHint};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpResponseBody, HttpService,
};
use reqwest::header::{AUTHORIZATION, HeaderValue, RETRY_AFTER, USER_AGENT};
use reqwest::{Request, Response, StatusCode, redirect};
use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Sleep;

/// How often a redirect is followed.
const MOST_REDIRECTS: usize = 5;
/// A server that asks for a longer pause is not asked again.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);
/// Where a machine of a cloud asks for its credentials; elsewhere nobody answers.
const CREDENTIALS_HOST: &str = "169.254.169.254";
const CREDENTIALS_TIMEOUT: Duration = Duration::from_secs(2);
/// So much of an answer that reports an error is read.
const LONGEST_ERROR_BYTES: usize = 64 << 10;
/// The longest pause that we choose ourselves.
const LONGEST_BACKOFF: Duration = Duration::from_mins(1);

/// Whose servers are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manners {
    /// Somebody else's, which many people use.
    Public,
    /// The user's own store, which is billed to them.
    Own,
}

/// Sends the requests of one host or bucket.
#[derive(Clone, Debug)]
pub struct Transport {
    client: reqwest::Client,
    hosts: Arc<Hosts>,
    manners: Manners,
    authorization: Option<HeaderValue>,
    retries: u32,
    timeout: Duration,
}

/// Returns a client that follows redirects only within a scheme.
pub fn client(options: &RemoteOptions) -> io::Result<reqwest::Client> {
    // Whoever installed one before has chosen.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let contact = options.user_agent.as_deref().map(|contact| format!(" {contact}")).unwrap_or_default();
    let agent = format!("{}/{}{contact}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let policy = redirect::Policy::custom(|attempt| {
        let changes =
            attempt.previous().first().is_some_and(|first| first.scheme() != attempt.url().scheme());
        match attempt.previous().len() {
            _ if changes => attempt.error("found a redirect to another scheme"),
            hops if hops > MOST_REDIRECTS => attempt.error("found more than five redirects"),
            _ => attempt.follow(),
        }
    });
    reqwest::Client::builder()
        .user_agent(agent)
        .redirect(policy)
        .connect_timeout(options.timeout.min(Duration::from_secs(30)))
        .build()
        .map_err(io::Error::other)
}

impl Transport {
    /// Returns who sends requests by `client`.
    pub fn new(
        client: reqwest::Client,
        hosts: Arc<Hosts>,
        manners: Manners,
        options: &RemoteOptions,
    ) -> Self {
        let (retries, timeout) = (options.retries, options.timeout);
        Self { client, hosts, manners, authorization: None, retries, timeout }
    }

    /// Sends a user and a password with every request.
    pub fn with_user(mut self, (name, password): (&str, &str)) -> io::Result<Self> {
        let text = data_encoding::BASE64.encode(format!("{name}:{password}").as_bytes());
        let mut value = HeaderValue::try_from(format!("Basic {text}")).map_err(io::Error::other)?;
        value.set_sensitive(true);
        self.authorization = Some(value);
        Ok(self)
    }

    fn request(&self, parts: &Parts, body: HttpRequestBody) -> Result<Request, HttpError> {
        let url = parts.uri.to_string().parse();
        let url = url.map_err(|error: url::ParseError| HttpError::new(HttpErrorKind::Unknown, error))?;
        let mut request = Request::new(parts.method.clone(), url);
        request.headers_mut().clone_from(&parts.headers);
        // The client's own has a name, a version and a contact.
        request.headers_mut().remove(USER_AGENT);
        if let Some(value) = &self.authorization {
            request.headers_mut().insert(AUTHORIZATION, value.clone());
        }
        *request.body_mut() = Some(reqwest::Body::wrap(body));
        Ok(request)
    }

    /// Sends a request once; the head of the answer must come in time.
    async fn send(&self, parts: &Parts, body: HttpRequestBody) -> Result<Response, HttpError> {
        let request = self.request(parts, body)?;
        let is_near = parts.uri.host() == Some(CREDENTIALS_HOST);
        let timeout = if is_near { CREDENTIALS_TIMEOUT } else { self.timeout };
        match tokio::time::timeout(timeout, self.client.execute(request)).await {
            Ok(answered) => answered.map_err(http_error),
            Err(_) => Err(too_slow(timeout)),
        }
    }

    /// Returns how long to wait before the next attempt, where there is to be one.
    fn pause(&self, attempt: u32, outcome: &Result<Response, HttpError>) -> Option<Duration> {
        match outcome {
            _ if attempt >= self.retries => None,
            Ok(response) if is_busy(response.status()) => match retry_after(response) {
                Some(pause) => (pause <= LONGEST_PAUSE).then_some(pause),
                None => Some(backoff(attempt)),
            },
            Ok(_) => None,
            Err(error) => (error.kind() != HttpErrorKind::Unknown).then(|| backoff(attempt)),
        }
    }

    async fn turn(&self, host: &Host) -> Result<Turn, HttpError> {
        let turn = match self.manners {
            Manners::Public => host.turn().await,
            Manners::Own => Turn::unlimited(),
        };
        match host.refusal() {
            Some(why) => Err(HttpError::new(HttpErrorKind::Unknown, io::Error::other(why.to_owned()))),
            None => Ok(turn),
        }
    }

    fn answer(&self, response: Response, turn: Turn) -> HttpResponse {
        let (parts, body) = http::Response::<reqwest::Body>::from(response).into_parts();
        let deadline = Box::pin(tokio::time::sleep(self.timeout));
        let left = if parts.status.is_success() { usize::MAX } else { LONGEST_ERROR_BYTES };
        let body = Held { body, left, deadline, timeout: self.timeout, _turn: turn };
        HttpResponse::from_parts(parts, HttpResponseBody::new(body))
    }
}

#[async_trait]
impl HttpService for Transport {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let host = self.hosts.host(parts.uri.authority().map_or("", Authority::as_str));
        for attempt in 0.. {
            let turn = self.turn(&host).await?;
            let outcome = self.send(&parts, body.clone()).await;
            if let Ok(response) = &outcome
                && self.manners == Manners::Public
                && response.status() == StatusCode::FORBIDDEN
                && let Some(why) = refusal(parts.uri.host().unwrap_or_default())
            {
                host.refuse(why.clone());
                return Err(HttpError::new(HttpErrorKind::Unknown, io::Error::other(why)));
            }
            let answered = outcome.as_ref().is_ok_and(|response| response.status().is_success());
            if !answered && parts.uri.host() == Some(CREDENTIALS_HOST) {
                let detail = "found no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or --no-sign-request";
                return Err(HttpError::new(HttpErrorKind::Unknown, io::Error::other(detail)));
            }
            let Some(pause) = self.pause(attempt, &outcome) else {
                return outcome.map(|response| self.answer(response, turn));
            };
            drop(turn);
            match self.manners {
                Manners::Public => host.pause(pause),
                Manners::Own => tokio::time::sleep(pause).await,
            }
        }
        Err(too_slow(self.timeout))
    }
}

impl HttpConnector for Transport {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

/// Common Crawl's front answers 403 to whoever asks too often, and goes on to while they ask.
fn refusal(host: &str) -> Option<String> {
    let is_its = host == "commoncrawl.org" || host.ends_with(".commoncrawl.org");
    is_its.then(|| {
        format!(
            "{host} answered 403: it wants no more requests from here for now, so that nothing more is asked. \
             Wait some hours and give the same command again, or read the bucket with AWS credentials: \
             --base s3://commoncrawl/, from us-east-1 (AWS_REGION)"
        )
    })
}

/// Returns whether the same request may be answered later.
fn is_busy(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 429 | 500 | 502 | 503 | 504)
}

fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Returns a pause that doubles with each attempt, of which a random part is left out.
fn backoff(attempt: u32) -> Duration {
    let longest = Duration::from_secs(1).saturating_mul(1 << attempt.min(6)).min(LONGEST_BACKOFF);
    let thousandths = u32::try_from(crate::store::folder::random() % 1000).unwrap_or(0);
    longest / 2 + longest / 2 * thousandths / 1000
}

fn too_slow(timeout: Duration) -> HttpError {
    let detail = format!("no whole answer within {} s", timeout.as_secs());
    HttpError::new(HttpErrorKind::Timeout, io::Error::new(io::ErrorKind::TimedOut, detail))
}

/// Returns an error without its URL, of a kind that says whether another attempt may end otherwise.
fn http_error(error: reqwest::Error) -> HttpError {
    let is_tls = |error: &io::Error| error.kind() == io::ErrorKind::InvalidData;
    let mut chain = std::iter::successors(Some(&error as &(dyn Error + 'static)), |error| (*error).source());
    let is_lasting =
        error.is_redirect() || chain.any(|error| error.downcast_ref::<io::Error>().is_some_and(is_tls));
    let kind = match () {
        () if is_lasting => HttpErrorKind::Unknown,
        () if error.is_timeout() => HttpErrorKind::Timeout,
        () if error.is_connect() => HttpErrorKind::Connect,
        () => HttpErrorKind::Interrupted,
    };
    HttpError::new(kind, error.without_url())
}

/// A body that must end in time, and holds the right to its request until then.
struct Held {
    body: reqwest::Body,
    /// How many bytes of it may still be read.
    left: usize,
    deadline: Pin<Box<Sleep>>,
    timeout: Duration,
    _turn: Turn,
}

impl Body for Held {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        if self.deadline.as_mut().poll(context).is_ready() {
            return Poll::Ready(Some(Err(too_slow(self.timeout))));
        }
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let frame = Pin::new(&mut self.body).poll_frame(context).map_err(http_error);
        if let Poll::Ready(Some(Ok(frame))) = &frame {
            self.left = self.left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
        }
        frame
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
