//! Requests over HTTP within the limits of each host: how many per second and at once, what is sent again, and when to stop.
//!
//! Documents: RFC 9110 10.2.3 (Retry-After) and 15.4 (redirects), RFC 6585 4 (429). Example: a server that answers `503` with
//! `Retry-After: 2` is left alone by all workers for two seconds. A redirect to another scheme or to an address of another kind
//! is not followed (see `clients`). Left out: `Retry-After` as a date; the usual pause is made.

use super::address_kind::AddressKind;
use super::addresses::kind_of;
use super::clients::Clients;
use super::faults::{Failed, Fault, Lasting, causes, http_error, too_slow};
use super::hosts::{Host, Hosts, Turn};
use super::s3_answers::{Asked, OddKeys, error_code, listing};
use crate::store::remote_url::{RemoteUrl, Scheme};
use async_trait::async_trait;
use bytes::Bytes;
use http::request::Parts;
use http::uri::Authority;
use http_body::{Body, Frame, SizeHint};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpRequestBody, HttpResponse,
    HttpResponseBody, HttpService,
};
use reqwest::header::{
    AUTHORIZATION, CONTENT_LENGTH, HeaderValue, IF_MATCH, IF_NONE_MATCH, RETRY_AFTER, USER_AGENT,
};
use reqwest::{Method, Request, Response, StatusCode};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Sleep;

/// The address at which a machine in a cloud gets its credentials; elsewhere there is no answer.
const CREDENTIALS_HOST: &str = "169.254.169.254";
const CREDENTIALS_TIMEOUT: Duration = Duration::from_secs(2);
const LONGEST_ERROR_BYTES: usize = 64 << 10;
/// The longest pause that this program chooses itself; any number of this size.
const LONGEST_BACKOFF: Duration = Duration::from_mins(1);
/// How often a request is sent again if nothing will change within minutes, such as at a port that refuses connections.
const BRIEF_RETRIES: u32 = 2;

/// Whose servers get the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manners {
    /// A server that many people use.
    Public,
    /// The user's own store, which is billed to them.
    Own,
}

/// The host whose kind of address others may have, too.
#[derive(Clone, Debug)]
pub enum FirstHost {
    /// The one that is asked: the user named it, so it may be anywhere.
    Own,
    /// Any public one: a list from a store named it.
    Public,
    /// The web server, with its port, from which the list is.
    OfList { host: String, port: u16 },
}

impl FirstHost {
    pub fn from_url(url: &RemoteUrl) -> Self {
        let (host, port) = match url.authority.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
                (host, port.parse().ok())
            }
            Some(_) | None => (url.authority.as_str(), None),
        };
        let usual = if url.scheme == Scheme::Http { 80 } else { 443 };
        Self::OfList {
            host: host.to_owned(),
            port: port.unwrap_or(usual),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Transport {
    pub clients: Arc<Clients>,
    pub hosts: Arc<Hosts>,
    pub manners: Manners,
    pub first: FirstHost,
    pub authorization: Option<HeaderValue>,
    pub odd_keys: OddKeys,
}

pub fn authorization((name, password): &(String, String)) -> io::Result<HeaderValue> {
    let text = data_encoding::BASE64.encode(format!("{name}:{password}").as_bytes());
    let mut value = HeaderValue::try_from(format!("Basic {text}")).map_err(io::Error::other)?;
    value.set_sensitive(true);
    Ok(value)
}

struct Sending<'r> {
    parts: &'r Parts,
    host: Arc<Host>,
    name: String,
    port: u16,
}

impl Transport {
    fn request(&self, parts: &Parts, body: HttpRequestBody) -> Result<Request, Failed> {
        let url = parts.uri.to_string().parse();
        let url = url.map_err(|error: url::ParseError| Failed::refused(error))?;
        let mut request = Request::new(parts.method.clone(), url);
        request.headers_mut().clone_from(&parts.headers);
        // The client has its own, with a name, a version and a contact.
        request.headers_mut().remove(USER_AGENT);
        if let Some(value) = &self.authorization {
            request.headers_mut().insert(AUTHORIZATION, value.clone());
        }
        *request.body_mut() = Some(reqwest::Body::wrap(body));
        Ok(request)
    }

    /// Sends a request once; the head of the answer must come in time.
    async fn send(&self, to: &Sending<'_>, body: HttpRequestBody) -> Result<Response, Failed> {
        let request = self.request(to.parts, body)?;
        let client = self
            .clients
            .client(self.first_kind(to).await?)
            .map_err(Failed::refused)?;
        let timeout = if to.name == CREDENTIALS_HOST {
            CREDENTIALS_TIMEOUT
        } else {
            self.clients.options.timeout
        };
        match tokio::time::timeout(timeout, client.execute(request)).await {
            Ok(answered) => answered.map_err(Failed::from),
            Err(_) => Err(Failed::too_slow(timeout)),
        }
    }

    /// Returns the kind of the address of the request's own host if requests to it are allowed.
    async fn first_kind(&self, to: &Sending<'_>) -> Result<AddressKind, Failed> {
        let kind = self.kind(&to.host, &to.name, to.port).await?;
        let of_list = match &self.first {
            FirstHost::Own => return Ok(kind),
            FirstHost::Public => AddressKind::Public,
            FirstHost::OfList { host, port } => {
                self.kind(&self.hosts.host(&format!("{host}:{port}")), host, *port)
                    .await?
            }
        };
        self.clients.allowed(of_list).check(&to.name, kind)?;
        Ok(kind)
    }

    /// Returns the kind of a host's address, which remains that of the first request.
    async fn kind(&self, host: &Host, name: &str, port: u16) -> Result<AddressKind, Fault> {
        let found = host.kind.get_or_try_init(|| async {
            match kind_of(name, port).await {
                // The proxy resolves the name.
                Err(Fault::UnknownHost { .. }) if self.clients.has_proxy() => {
                    Ok(AddressKind::Public)
                }
                found => found,
            }
        });
        found.await.copied()
    }

    fn pause(
        &self,
        parts: &Parts,
        attempt: u32,
        outcome: &Result<Response, Failed>,
    ) -> Option<Duration> {
        match outcome {
            _ if attempt >= self.clients.options.retries => None,
            Ok(response)
                if is_busy(response.status()) || is_undecided(parts, response.status()) =>
            {
                Some(retry_after(response).unwrap_or_else(|| backoff(attempt)))
            }
            Ok(_) => None,
            Err(failed) => match failed.lasting {
                Lasting::No => Some(backoff(attempt)),
                Lasting::Seconds => (attempt < BRIEF_RETRIES).then(|| backoff(0)),
                Lasting::Yes => None,
            },
        }
    }

    async fn turn(&self, host: &Host) -> Result<Turn, Failed> {
        let turn = match self.manners {
            Manners::Public => host.turn().await,
            Manners::Own => None,
        };
        host.wait().await;
        match host
            .refusal()
            .map(str::to_owned)
            .or_else(|| host.left_alone())
        {
            Some(why) => Err(Failed::because(why)),
            None => Ok(turn),
        }
    }

    fn note(&self, host: &Host, outcome: &Result<Response, Failed>) {
        match outcome {
            Ok(response) if is_failure(response.status(), self.manners) => {
                host.failed(&format!("status {}", response.status().as_u16()));
            }
            Ok(_) => host.answered(),
            Err(failed) if failed.is_of_host => host.failed(&why(outcome)),
            Err(_) => {}
        }
    }

    fn answer(&self, response: Response, turn: Turn) -> HttpResponse {
        let (parts, body) = http::Response::<reqwest::Body>::from(response).into_parts();
        let deadline = Box::pin(tokio::time::sleep(self.clients.options.timeout));
        let left = if parts.status.is_success() {
            usize::MAX
        } else {
            LONGEST_ERROR_BYTES
        };
        let body = Held {
            body,
            left,
            deadline,
            timeout: self.clients.options.timeout,
            _turn: turn,
        };
        HttpResponse::from_parts(parts, HttpResponseBody::new(body))
    }

    /// Returns why the request must not be repeated, and no others sent.
    fn end(&self, to: &Sending<'_>, outcome: &Result<Response, Failed>) -> Option<Failed> {
        let status = outcome.as_ref().ok().map(Response::status);
        if self.manners == Manners::Public
            && status == Some(StatusCode::FORBIDDEN)
            && let Some(why) = refusal(&to.name)
        {
            to.host.refuse(why.clone());
            return Some(Failed::because(why));
        }
        let is_answered = status.is_some_and(|status| status.is_success());
        (!is_answered && to.name == CREDENTIALS_HOST).then(|| {
            let detail =
                "found no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or --no-sign-request";
            Failed::because(detail.to_owned())
        })
    }

    async fn exchange(
        &self,
        to: &Sending<'_>,
        body: HttpRequestBody,
    ) -> Result<HttpResponse, Failed> {
        for attempt in 0.. {
            let turn = self.turn(&to.host).await?;
            let outcome = self.send(to, body.clone()).await;
            if let Some(end) = self.end(to, &outcome) {
                return Err(end);
            }
            let asked = outcome
                .as_ref()
                .ok()
                .filter(|response| is_busy(response.status()))
                .and_then(retry_after);
            if let Some(pause) = asked {
                to.host.pause(pause);
            }
            let pause = self
                .pause(to.parts, attempt, &outcome)
                .filter(|_| to.host.left_alone().is_none());
            let Some(pause) = pause else {
                self.note(&to.host, &outcome);
                return match (to.host.left_alone(), outcome) {
                    (Some(why), Ok(response)) if is_busy(response.status()) => {
                        Err(Failed::because(why))
                    }
                    (_, Ok(response))
                        if response.status() == StatusCode::ACCEPTED && is_read(to.parts) =>
                    {
                        Err(Failed::because(ACCEPTED.to_owned()))
                    }
                    (_, outcome) => outcome.map(|response| self.answer(response, turn)),
                };
            };
            drop(turn);
            to.host.repeated(attempt + 1, pause, &why(&outcome));
            match self.manners {
                Manners::Public => to.host.pause(pause),
                Manners::Own if asked.is_some() => {}
                Manners::Own => tokio::time::sleep(pause).await,
            }
        }
        Err(Failed::too_slow(self.clients.options.timeout))
    }
}

/// Why an answer is not taken for the file.
const ACCEPTED: &str = "the server answered 202: it has accepted the request, and does not give the file yet, or wants to see \
                        a browser; give the same command again later";

impl Transport {
    /// Sends a request, and reads the answer where it says more than its status.
    async fn answered(
        &self,
        to: &Sending<'_>,
        body: HttpRequestBody,
    ) -> Result<HttpResponse, Failed> {
        let asked = Asked::from_request(to.parts);
        for attempt in 0.. {
            let answer = self.exchange(to, body.clone()).await?;
            if asked == Asked::Other || !answer.status().is_success() {
                return Ok(answer);
            }
            let (mut parts, body) = answer.into_parts();
            let content = body.bytes().await;
            let content = content.map_err(|error| Failed {
                error,
                lasting: Lasting::No,
                is_of_host: true,
            })?;
            let text = String::from_utf8_lossy(&content);
            if asked == Asked::Listing {
                parts.headers.remove(CONTENT_LENGTH);
                return Ok(HttpResponse::from_parts(
                    parts,
                    listing(&text, &self.odd_keys).into(),
                ));
            }
            match error_code(&text) {
                Some(code) if attempt < self.clients.options.retries => {
                    let pause = backoff(attempt);
                    to.host.repeated(attempt + 1, pause, code);
                    tokio::time::sleep(pause).await;
                }
                Some(_) | None => return Ok(HttpResponse::from_parts(parts, content.into())),
            }
        }
        Err(Failed::too_slow(self.clients.options.timeout))
    }
}

#[async_trait]
impl HttpService for Transport {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let host = self
            .hosts
            .host(parts.uri.authority().map_or("", Authority::as_str));
        let name = parts.uri.host().unwrap_or_default().to_owned();
        let port = parts
            .uri
            .port_u16()
            .unwrap_or(if parts.uri.scheme_str() == Some("http") {
                80
            } else {
                443
            });
        let to = Sending {
            parts: &parts,
            host,
            name,
            port,
        };
        self.answered(&to, body)
            .await
            .map_err(|failed| failed.error)
    }
}

impl HttpConnector for Transport {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

/// Common Crawl's front end answers 403 to clients that ask too often, and continues to do so while they ask.
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

fn is_busy(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 429 | 500 | 502 | 503 | 504)
}

/// Returns whether the same request may get another answer: a server does not give a file yet, or a store has not decided which of
/// two conditional writes counts (Amazon S3, `ConditionalRequestConflict`).
fn is_undecided(parts: &Parts, status: StatusCode) -> bool {
    match status {
        StatusCode::ACCEPTED => is_read(parts),
        StatusCode::CONFLICT => [IF_MATCH, IF_NONE_MATCH]
            .iter()
            .any(|name| parts.headers.contains_key(name)),
        _ => false,
    }
}

fn is_read(parts: &Parts) -> bool {
    matches!(parts.method, Method::GET | Method::HEAD)
}

/// Returns whether a host refuses requests. In the user's own store, a single object may be forbidden.
fn is_failure(status: StatusCode, manners: Manners) -> bool {
    let is_refusal = matches!(status.as_u16(), 401 | 403);
    is_busy(status) || (manners == Manners::Public && is_refusal)
}

/// Returns why a request was not answered, in a few words without URLs.
fn why(outcome: &Result<Response, Failed>) -> String {
    match outcome {
        Ok(response) => format!("status {}", response.status().as_u16()),
        Err(failed) => causes(&failed.error)
            .last()
            .map(ToString::to_string)
            .unwrap_or_default(),
    }
}

fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response
        .headers()
        .get(RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds))
}

/// Returns a pause that doubles with each attempt, minus a random part.
fn backoff(attempt: u32) -> Duration {
    let longest = Duration::from_secs(1)
        .saturating_mul(1 << attempt.min(6))
        .min(LONGEST_BACKOFF);
    let thousandths = u32::try_from(crate::store::folder::random() % 1000).unwrap_or(0);
    longest / 2 + longest / 2 * thousandths / 1000
}

/// A body that must end in time; it holds the right to its request until then.
struct Held {
    body: reqwest::Body,
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
        let frame = Pin::new(&mut self.body)
            .poll_frame(context)
            .map_err(http_error);
        if let Poll::Ready(Some(Ok(frame))) = &frame {
            self.left = self
                .left
                .saturating_sub(frame.data_ref().map_or(0, Bytes::len));
        }
        frame
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
